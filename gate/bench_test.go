package gate

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/dsltest"
	"github.com/agentdescent/adrun/gate/prove"
)

func BenchmarkNew(b *testing.B) {
	sig := parseSignature(b, priorityText)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(Config{Signature: sig}); err != nil {
			b.Fatal(err)
		}
	}
}

// randomRules draws n well-typed rules of at most 40 ops; seed i draws rule i.
func randomRules(sig *dsl.Signature, n int) []*dsl.Rule {
	gen := rapid.Custom(func(t *rapid.T) *dsl.Rule { return dsltest.Rule(t, sig) })
	var out []*dsl.Rule
	for seed := 0; len(out) < n; seed++ {
		r := gen.Example(seed)
		r.Name.Text = "priority"
		if ops := dsl.Ops(r); ops > 3 && ops <= 40 {
			out = append(out, r)
		}
	}
	return out
}

// BenchmarkAST is the whole gate from trees, none seen before: 10,000 random rules of at most 40 ops, a grid of
// 256 points, the finiteness proof on. It reports rules a second and the distribution of the time a rule takes.
func BenchmarkAST(b *testing.B) {
	sig := parseSignature(b, priorityText)
	rules := randomRules(sig, 10000)
	g := newGate(b, Config{Signature: sig, CacheEntries: -1})
	took := make([]time.Duration, len(rules))
	stages := map[Stage]int{}
	answers := map[prove.Answer]int{}
	b.ReportAllocs()
	for b.Loop() {
		for i, r := range rules {
			start := time.Now()
			v := g.CheckAST(r)
			took[i] = time.Since(start)
			stages[v.Stage]++
			if v.Stage == Admitted || v.Stage == Proving {
				answers[v.Proof.Answer]++
			}
		}
	}
	slices.Sort(took)
	var sum time.Duration
	for _, d := range took {
		sum += d
	}
	b.ReportMetric(float64(len(rules))/sum.Seconds(), "rules/s")
	for _, q := range []struct {
		name string
		at   int
	}{{"p50-µs", 50}, {"p90-µs", 90}, {"p99-µs", 99}} {
		b.ReportMetric(float64(took[len(took)*q.at/100].Nanoseconds())/1e3, q.name)
	}
	b.ReportMetric(float64(took[len(took)-1].Nanoseconds())/1e3, "max-µs")
	b.Logf("stages %v, proofs %v", stages, answers)
}

func BenchmarkText(b *testing.B) {
	g := newGate(b, Config{CacheEntries: -1})
	src := `rule priority(rank, visits, total, prior, depth, n_nodes) {
  let c = 1.0
  let d = 0.1
  let exploration = c * sqrt(log1p(total) + 1.0) / (1.0 + visits)
  let prior_term = prior * sqrt(total + 1.0) * (1.0 - rank)
  return rank + prior_term + exploration - d * depth
}`
	b.ReportAllocs()
	for b.Loop() {
		if v := g.Check(src); !v.OK {
			b.Fatal(v.Diags)
		}
	}
}
