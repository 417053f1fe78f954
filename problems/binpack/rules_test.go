package binpack

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/dsltest"
)

// compile checks the one rule of a file against the signature and compiles it.
func compile(t testing.TB, name, text string) *dsl.Program {
	t.Helper()
	sig, err := signature()
	if err != nil {
		t.Fatal(err)
	}
	f, err := dsl.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	if err := dsl.Check(f, []*dsl.Signature{sig}, dsl.CheckOptions{}).Diags.Err(); err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		if r, ok := d.(*dsl.Rule); ok {
			p, err := dsl.Compile(r, sig)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
	}
	t.Fatalf("%s has no rule", name)
	return nil
}

// published compiles one of the four published rules.
func published(t testing.TB, name string) *dsl.Program {
	t.Helper()
	path := filepath.Join(dataDir(t), "rules", "binpack_"+name+".rule")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, path, string(text))
}

func TestFiguresOfRules(t *testing.T) {
	for _, f := range figures {
		t.Run(f.set, func(t *testing.T) {
			instances := load(t, f.set)
			for name, want := range map[string]string{
				"first_fit": f.first, "best_fit": f.best, "funsearch_or": f.funsearchOR, "funsearch_weibull": f.funsW,
			} {
				checkFigure(t, name, Evaluate(instances, published(t, name)), want)
			}
			if s := Evaluate(instances, published(t, "best_fit")); f.bestBins != 0 && (s.Bins != f.bestBins || s.LowerBound != f.lowerBound) {
				t.Errorf("best fit: %d bins of %d, want %d of %d", s.Bins, s.LowerBound, f.bestBins, f.lowerBound)
			}
		})
	}
}

// The text that evolution starts from and the baseline of the reward are one rule.
func TestBestFitTextIsTheBaseline(t *testing.T) {
	rule := compile(t, "best_fit.rule", BestFitText())
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t)
		if got, want := Pack(in, rule), Pack(in, BestFit{}); got != want {
			t.Fatalf("%d bins, want %d for %+v", got, want, in)
		}
	})
}

// Random rules, one after the other in a packer, pack as the reference simulator does with the reference evaluator.
func TestPackOfRulesEqualsReference(t *testing.T) {
	sig, err := signature()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := NewPacker(BestFit{})
		capacities := []int{drawCapacity(t), maxFactored, maxFactored + 1}
		for range rapid.IntRange(1, 3).Draw(t, "rules") {
			rule := dsltest.Rule(t, sig)
			program, err := dsl.Compile(rule, sig)
			if err != nil {
				t.Fatal(err)
			}
			reference, err := dsl.NewReference(rule, sig)
			if err != nil {
				t.Fatal(err)
			}
			p.Reset(program)
			for range rapid.IntRange(1, 3).Draw(t, "instances") {
				in := drawItems(t, rapid.SampledFrom(capacities).Draw(t, "capacity"))
				left, unranked := referencePack(in, Func(func(args []float64) float64 {
					v, err := reference.Eval(args)
					if err != nil {
						t.Fatal(err)
					}
					return v
				}), true)
				checkPack(t, dsl.FormatRule(rule), p, in, left, unranked)
			}
		}
	})
}

// A packer that has tabulated parts of one rule, or for one capacity, knows nothing of them with another.
func TestPartsAreForgotten(t *testing.T) {
	rules := []*dsl.Program{
		compile(t, "a", "rule priority(item, bin, prev) { return exp(bin / item) - exp(prev / item) }"),
		compile(t, "b", "rule priority(item, bin, prev) { return exp(prev / item) - 2 * exp(-bin / item) }"),
		compile(t, "c", "rule priority(cap, bin, prev) { return exp(bin / cap) * exp(-prev / cap) + exp(prev - bin) }"),
	}
	var instances []Instance
	for seed := range int64(4) {
		in, err := Generate(Mixed, 150, seed)
		if err != nil {
			t.Fatal(err)
		}
		instances = append(instances, in)
	}
	used := NewPacker(BestFit{})
	for range 2 {
		for i, rule := range rules {
			used.Reset(rule)
			for _, in := range instances {
				fresh := NewPacker(rule)
				if got, want := used.Pack(in), fresh.Pack(in); got != want {
					t.Errorf("rule %d on %s: %d bins, want %d", i, in.ID, got, want)
				}
				if diff := cmp.Diff(lastLefts(fresh, in.Capacity), lastLefts(used, in.Capacity)); diff != "" {
					t.Errorf("rule %d on %s: what is left differs: %s", i, in.ID, diff)
				}
			}
		}
	}
}

func TestReadsOfPublishedRules(t *testing.T) {
	for name, positional := range map[string]bool{
		"first_fit": true, "best_fit": false, "funsearch_or": false, "funsearch_weibull": true,
	} {
		if got := NewPacker(published(t, name)).positional; got != positional {
			t.Errorf("%s: positional is %v, want %v", name, got, positional)
		}
	}
}
