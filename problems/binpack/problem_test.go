package binpack

import (
	"context"
	"math"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

func TestReward(t *testing.T) {
	tests := []struct {
		bins, baseline, low int
		span, want          float64
	}{
		{100, 100, 95, 0.1, 0.5},
		{98, 102, 100, 0.1, 0.7},   // 4 of the 10 bins of the span, halved
		{103, 102, 100, 0.1, 0.45}, // one bin worse
		{92, 102, 90, 0.1, 1},      // more than the span better
		{200, 102, 100, 0.1, 0},    // far worse
		{101, 102, 100, 0.01, 1},   // exactly the span better
	}
	for _, tt := range tests {
		if got := Reward(tt.bins, tt.baseline, tt.low, tt.span); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("Reward(%d, %d, %d, %v) = %v, want %v", tt.bins, tt.baseline, tt.low, tt.span, got, tt.want)
		}
	}
}

func TestEvaluateSums(t *testing.T) {
	set := []Instance{
		{ID: "a", Capacity: 10, Items: []int{6, 6, 4, 4}},       // 2 of 2
		{ID: "b", Capacity: 10, Items: []int{5, 6, 4, 4, 6, 5}}, // 5 4 | 6 4 | 6 | 5: 4 of 3
		{ID: "c", Capacity: 7, Items: []int{4, 4, 4}},           // 3 of 2
	}
	want := Score{Bins: 9, LowerBound: 7, Excess: 2.0 / 7, Instances: 3}
	if diff := cmp.Diff(want, Evaluate(set, BestFit{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Score{}, Evaluate(nil, BestFit{})); diff != "" {
		t.Error(diff)
	}
}

// columnar makes any priority a program.
type columnar struct{ Priority }

func (c columnar) Batch(cols [][]float64, out []float64) {
	batched{selective{Func: c.Num}}.Batch(cols, out)
}

func newProblem(t *testing.T, c Config) *Problem {
	t.Helper()
	p, err := NewProblem(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProblemDescribesItself(t *testing.T) {
	p := newProblem(t, Config{Family: Mixed, Items: []int{20}, Seeds: []int64{4, 7}, Sealed: []int64{10}})
	d := p.Describe()
	want := []slots.Task{{ID: "4", Cluster: "capacity 150"}, {ID: "7", Cluster: "capacity 100"}}
	if diff := cmp.Diff(want, d.Tasks); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]slots.Task{{ID: "10", Cluster: "capacity 150"}}, d.Sealed); diff != "" {
		t.Error(diff)
	}
	if d.Signature.Name.Text != "binpack.priority" || d.Initial != BestFitText() {
		t.Errorf("got %+v", d)
	}
}

// Outcomes that differ belong to fingerprints that differ; which tasks a problem has changes no outcome.
func TestProblemFingerprintCoversSettings(t *testing.T) {
	seen := map[string]Config{}
	for _, c := range []Config{
		{Items: []int{10}},
		{Items: []int{10}, Family: Weibull},
		{Items: []int{11}},
		{Items: []int{10}, Span: 0.2},
	} {
		print := newProblem(t, c).Describe().Fingerprint
		if other, ok := seen[print]; ok {
			t.Errorf("%+v and %+v share the fingerprint %q", c, other, print)
		}
		seen[print] = c
	}
	if _, ok := seen[newProblem(t, Config{Items: []int{10}, Seeds: []int64{3}}).Describe().Fingerprint]; !ok {
		t.Error("the seeds are in the fingerprint")
	}
}

func referenceBins(in Instance, rule Priority) int {
	left, _ := referencePack(in, rule, false)
	return usedOf(left, in.Capacity)
}

func TestProblemEvaluates(t *testing.T) {
	p := newProblem(t, Config{Items: []int{60}, Seeds: []int64{1, 2, 3}})
	for seed := int64(1); seed <= 4; seed++ { // the last joins later
		task := slots.Task{ID: strconv.FormatInt(seed, 10)}
		in, err := Generate(OR, 60, seed)
		if err != nil {
			t.Fatal(err)
		}
		best, first := referenceBins(in, BestFit{}), referenceBins(in, Func(firstFit))
		for _, r := range []struct {
			rule Priority
			bins int
		}{{BestFit{}, best}, {Func(firstFit), first}} {
			got, err := p.Evaluate(t.Context(), &slots.Candidate{Program: columnar{r.rule}}, task, 1)
			if err != nil {
				t.Fatal(err)
			}
			low := in.LowerBound()
			if want := Reward(r.bins, best, low, DefaultSpan); got.Reward != want {
				t.Errorf("%s: reward %v, want %v", task.ID, got.Reward, want)
			}
			metrics := map[string]float64{
				"bins": float64(r.bins), "lower_bound": float64(low), "excess": float64(r.bins-low) / float64(low), "unranked": 0,
			}
			if diff := cmp.Diff(metrics, got.Metrics); diff != "" {
				t.Error(diff)
			}
		}
	}
}

// Evaluations at once, of several candidates that share pooled packers, equal those made alone.
func TestProblemEvaluatesConcurrently(t *testing.T) {
	p := newProblem(t, Config{Family: Mixed, Items: []int{80}, Seeds: []int64{1, 2, 3, 4, 5, 6}})
	var candidates []*slots.Candidate
	for _, identity := range []string{"", "a", ""} {
		for i, rule := range []Priority{BestFit{}, Func(firstFit), Func(funsearchOR), Func(funsearchWeibull)} {
			if identity != "" {
				identity = strconv.Itoa(i)
			}
			candidates = append(candidates, &slots.Candidate{Identity: identity, Program: columnar{rule}})
		}
	}
	evaluate := func(p *Problem, c *slots.Candidate, task slots.Task) engine.Outcome {
		out, err := p.Evaluate(t.Context(), c, task, 1)
		if err != nil {
			t.Error(err)
		}
		return out
	}
	var wg sync.WaitGroup
	for _, c := range candidates {
		for _, task := range p.Describe().Tasks {
			want := evaluate(newProblem(t, Config{Family: Mixed, Items: []int{80}, Seeds: []int64{1, 2, 3, 4, 5, 6}}), c, task)
			wg.Go(func() {
				if diff := cmp.Diff(want, evaluate(p, c, task)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
	wg.Wait()
}

func TestProblemErrors(t *testing.T) {
	p := newProblem(t, Config{Items: []int{10}})
	task := p.Describe().Tasks[0]
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		c    *slots.Candidate
		task slots.Task
		want string
	}{
		{"cancelled", cancelled, &slots.Candidate{Program: columnar{BestFit{}}}, task, "context canceled"},
		{"unknown task", t.Context(), &slots.Candidate{Program: columnar{BestFit{}}}, slots.Task{ID: "or-1"},
			`binpack: task "or-1" is not the seed of an instance: strconv.ParseInt: parsing "or-1": invalid syntax`},
		{"no rule", t.Context(), &slots.Candidate{Identity: "x", Text: "pack well"}, task, `binpack: candidate "x" is not a compiled rule`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := p.Evaluate(tt.ctx, tt.c, tt.task, 1); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestConfigReportsEverythingAtOnce(t *testing.T) {
	_, err := NewProblem(Config{Family: "x", Items: []int{-1}, Seeds: []int64{1, 2}, Sealed: []int64{2}, Span: math.NaN()})
	want := `binpack: unknown family "x"; expected one of ["or" "weibull" "mixed"]
binpack: items is -1; expected 1 to 1000000
binpack: seed 2 is given twice; one instance cannot be two tasks
binpack: span is NaN; expected a positive share of the lower bound, such as 0.1`
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if _, err := NewProblem(Config{Seeds: []int64{}}); err == nil || err.Error() != "binpack: no seeds; expected one for each task" {
		t.Errorf("got %v", err)
	}
	if err := (Config{}).Validate(); err != nil {
		t.Errorf("the zero value: %v", err)
	}
}

// The embedded files are printed as the formatter prints them, and the inputs stand in the order of the constants.
func TestEmbeddedRules(t *testing.T) {
	for name, text := range map[string]string{"binpack.rule": SignatureText(), "best_fit.rule": BestFitText()} {
		f, err := dsl.Parse(name, text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text, dsl.Format(f)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	sig, err := signature()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, in := range sig.Inputs {
		names = append(names, in.Name.Text)
	}
	want := make([]string, NumInputs)
	want[Item], want[Bin], want[Cap], want[Prev] = "item", "bin", "cap", "prev"
	want[HasPrev], want[Idx], want[MaxBin] = "has_prev", "idx", "max_bin"
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}
