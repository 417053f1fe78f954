package binpack

import "testing"

// goRules are the heuristics of the figures with what they read.
func goRules() []struct {
	name string
	rule selective
} {
	inputs := func(read ...int) map[int]bool {
		m := map[int]bool{}
		for _, input := range read {
			m[input] = true
		}
		return m
	}
	return []struct {
		name string
		rule selective
	}{
		{"first_fit", selective{firstFit, inputs(Idx)}},
		{"best_fit", selective{BestFit{}.Num, inputs(Item, Bin)}},
		{"funsearch_or", selective{funsearchOR, inputs(Item, Bin)}},
		{"funsearch_weibull", selective{funsearchWeibull, inputs(Item, Bin, Prev, HasPrev, MaxBin)}},
	}
}

// BenchmarkSet times one rule over a whole set, packer included: what a search pays for a candidate.
func BenchmarkSet(b *testing.B) {
	for _, set := range []string{"or3", "funsearch_weibull5k"} {
		instances := load(b, set)
		for _, r := range goRules() {
			b.Run(set+"/"+r.name+"/go", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					Evaluate(instances, r.rule)
				}
			})
			rule := published(b, r.name)
			b.Run(set+"/"+r.name+"/rule", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					Evaluate(instances, rule)
				}
			})
			b.Run(set+"/"+r.name+"/go_undeclared", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					Evaluate(instances, r.rule.Func)
				}
			})
		}
	}
}
