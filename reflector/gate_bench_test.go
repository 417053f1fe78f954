//go:build unix

package reflector

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/gate/prove"
)

// cpuTime is what the process has computed so far, the garbage collector included.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkGate is the whole gate from trees that it has not seen: 10,000 bred rules of at most 40 ops, a grid of 256
// points, the finiteness proof on. rules/core-s counts processor time, so that a busy machine does not
// change it; the percentiles are of wall time.
func BenchmarkGate(b *testing.B) {
	f, err := dsl.Parse("sig", provedPriority)
	if err != nil {
		b.Fatal(err)
	}
	sig := f.Decls[0].(*dsl.Signature)
	rules := bredRules(sig, 10_000)
	g, err := gate.New(gate.Config{Signature: sig, CacheEntries: -1})
	if err != nil {
		b.Fatal(err)
	}
	took := make([]time.Duration, len(rules))
	var spent time.Duration
	stages, answers := map[gate.Stage]int{}, map[prove.Answer]int{}
	ops, n := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		start := cpuTime(b)
		for i, r := range rules {
			t := time.Now()
			v := g.CheckAST(r)
			took[i] = time.Since(t)
			stages[v.Stage]++
			if v.Stage == gate.Admitted || v.Stage == gate.Proving {
				answers[v.Proof.Answer]++
			}
			ops += v.Cost.Ops
			n++
		}
		spent += cpuTime(b) - start
	}
	slices.Sort(took)
	b.ReportMetric(float64(n)/spent.Seconds(), "rules/core-s")
	b.ReportMetric(float64(ops)/float64(n), "ops/rule")
	for name, at := range map[string]int{"p10-µs": 10, "p50-µs": 50, "p90-µs": 90, "p99-µs": 99} {
		b.ReportMetric(float64(took[len(took)*at/100].Nanoseconds())/1e3, name)
	}
	b.Logf("stages %v, finiteness %v", stages, answers)
}
