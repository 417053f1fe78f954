package binpack

import (
	"testing"
	"time"

	"github.com/agentdescent/adrun/slots"
)

// goRules are the published heuristics, by the names of their rules.
func goRules() map[string]Func {
	return map[string]Func{
		"first_fit":         firstFit,
		"best_fit":          BestFit{}.Num,
		"funsearch_or":      funsearchOR,
		"funsearch_weibull": funsearchWeibull,
	}
}

var (
	benchSets  = []string{"or3", "funsearch_weibull5k"}
	benchRules = []string{"first_fit", "best_fit", "funsearch_or", "funsearch_weibull"}
)

// BenchmarkSet times a rule on a whole set, packer included: what scoring a candidate costs.
func BenchmarkSet(b *testing.B) {
	for _, set := range benchSets {
		instances := load(b, set)
		for _, name := range benchRules {
			rule := published(b, name)
			b.Run(set+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					Evaluate(instances, rule)
				}
			})
		}
	}
}

// BenchmarkRuleOverGo reports the time of a rule on a set as a multiple of that of the same heuristic in Go, in the same
// harness. Both alternate instance by instance, and the least time of each instance counts, so that a busy machine slows
// neither.
func BenchmarkRuleOverGo(b *testing.B) {
	for _, set := range benchSets {
		instances := load(b, set)
		for _, name := range benchRules {
			packers := [2]*Packer{NewPacker(goRules()[name]), NewPacker(published(b, name))}
			b.Run(set+"/"+name, func(b *testing.B) {
				least := make([][2]time.Duration, len(instances))
				for b.Loop() {
					for i, in := range instances {
						for form, p := range packers {
							start := time.Now()
							p.Pack(in)
							if took := time.Since(start); least[i][form] == 0 || took < least[i][form] {
								least[i][form] = took
							}
						}
					}
				}
				var total [2]time.Duration
				for _, l := range least {
					total[0] += l[0]
					total[1] += l[1]
				}
				b.ReportMetric(1000*total[0].Seconds(), "go-ms")
				b.ReportMetric(1000*total[1].Seconds(), "rule-ms")
				b.ReportMetric(total[1].Seconds()/total[0].Seconds(), "rule/go")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkTask times one evaluation as the engine makes it, with packers pooled.
func BenchmarkTask(b *testing.B) {
	p, err := NewProblem(Config{})
	if err != nil {
		b.Fatal(err)
	}
	tasks := p.Describe().Tasks
	for _, name := range benchRules {
		c := &slots.Candidate{Identity: name, Program: published(b, name)}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := p.Evaluate(b.Context(), c, tasks[i%len(tasks)], 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
