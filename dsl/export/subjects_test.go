package export

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/dsltest"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// subject is a rule with points to evaluate it at.
type subject struct {
	what   string
	rule   *dsl.Rule
	sig    *dsl.Signature
	points [][]float64
}

// randomRules is how many random rules the languages are tested with.
const randomRules = 300

// subjects returns every shipped rule, the rules of this package's testdata and the benchmarks, and random ones. Their
// rules are named f0, f1, …, so that many can stand in one program.
func subjects(t *testing.T) []subject {
	t.Helper()
	var all []subject
	host := hostSignatures(t)
	for _, pattern := range []string{"testdata/*.rule", "../testdata/bench/*.rule", "../../problems/*/rules/*.rule"} {
		all = append(all, readSubjects(t, pattern, host)...)
	}
	shared := readSubjects(t, "../../../shared/rules/*.rule", host)
	if len(shared) == 0 {
		if os.Getenv("AGENTDESCENT_REQUIRE_DATA") == "1" {
			t.Fatal("../shared/rules is missing")
		}
		t.Log("../shared/rules is missing: its rules are not tested")
	}
	all = append(all, shared...)
	all = append(all, hostileSubjects(t)...)
	for i := range randomRules {
		all = append(all, rapid.Custom(randomSubject).Example(i))
	}
	for i := range all {
		all[i].rule.Name.Text = fmt.Sprintf("f%d", i)
	}
	return all
}

func randomSubject(t *rapid.T) subject {
	sig := dsltest.Signature(t)
	s := subject{what: "random", rule: dsltest.Rule(t, sig), sig: sig}
	for range 8 {
		s.points = append(s.points, dsltest.Args(t, sig.Inputs))
	}
	return s
}

// hostSignatures are those that the shipped rules bind to.
func hostSignatures(t testing.TB) []*dsl.Signature {
	t.Helper()
	var sigs []*dsl.Signature
	for _, path := range []string{"../../slots/rules/priority.rule", "../../problems/binpack/binpack.rule"} {
		for _, d := range parseFile(t, path).Decls {
			if sig, ok := d.(*dsl.Signature); ok {
				sigs = append(sigs, sig)
			}
		}
	}
	return sigs
}

func parseFile(t testing.TB, path string) *dsl.File {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := dsl.Parse(path, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// readSubjects reads the rules of files.
func readSubjects(t testing.TB, pattern string, host []*dsl.Signature) []subject {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var all []subject
	for _, path := range paths {
		f := parseFile(t, path)
		info := dsl.Check(f, host, dsl.CheckOptions{})
		if info.Diags.HasErrors() {
			t.Fatalf("%s: %v", path, info.Diags.Err())
		}
		for _, d := range f.Decls {
			if r, ok := d.(*dsl.Rule); ok {
				sig := info.Signatures[r]
				all = append(all, subject{filepath.Base(path) + ": " + r.Name.Text, r, sig, spread(sig)})
			}
		}
	}
	return all
}

// spread returns points within the domains of a signature: the corners where all inputs are low or high, and points that
// cover the domains evenly, every other by equal factors.
func spread(sig *dsl.Signature) [][]float64 {
	var points [][]float64
	for k := range 40 {
		p := make([]float64, len(sig.Inputs))
		for i, in := range sig.Inputs {
			u := math.Mod(float64(k)*math.Sqrt([]float64{2, 3, 5, 7, 11, 13, 17, 19}[i%8]), 1)
			lo, hi := in.Lo, in.Hi
			switch in.Type.Kind {
			case dsl.BoolKind:
				lo, hi = 0, 1
			case dsl.WordKind:
				lo, hi = 0, float64(len(in.Type.Words)-1)
			}
			switch {
			case k == 1:
				u = 1
			case k > 1 && k%2 == 0:
				u = math.Pow(hi-lo+1, u-1)
			}
			p[i] = lo + u*(hi-lo)
			if in.Int || in.Type.Kind != dsl.NumKind {
				p[i] = math.Round(p[i])
			}
		}
		points = append(points, p)
	}
	return points
}

// named returns the rule of testdata/name.rule.
func named(t *testing.T, name string) subject {
	t.Helper()
	return readSubjects(t, "testdata/"+name+".rule", hostSignatures(t))[0]
}

// golden compares text with a file of testdata.
func golden(t *testing.T, path, text string) {
	t.Helper()
	path = filepath.Join("testdata", path)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text {
		t.Errorf("%s differs; -update rewrites it. Got:\n%s", path, strings.TrimSpace(text))
	}
}

func formatted(s subject) string { return dsl.FormatRule(s.rule) }
