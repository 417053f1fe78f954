package dsl

import "testing"

// The rules of the benchmarks: the seed rule, the evolved rule, and one with four branches.
var benchRules = map[string]string{
	"R1": `rule priority(rank, visits, total, prior, depth, n_nodes) {
  let c = 1.0
  return rank + c * (1 / n_nodes) * sqrt(total) / (1 + visits)
}`,
	"R2": `rule priority(rank, visits, total, prior, depth, n_nodes) {
  let depth_bonus = 0.03 * (1 / (1 + depth ** 3))
  let damp = 1 + depth * 0.1
  if visits == 0 {
    return rank + depth_bonus + 1.5 * (prior + 0.005) * sqrt(total + 1) / damp
  }
  return rank + depth_bonus + 1.5 * prior * sqrt(log(total + 1) / (1 + visits)) / damp
}`,
	"R3": `rule priority(rank, visits, total, prior, depth, n_nodes) {
  let x = log1p(total) / (1 + visits)
  if depth > 10 { x = x * pow(0.9, depth) } else { x += tanh(prior) }
  if visits == 0 { x += 1 } elif visits < 5 { x += 0.5 * tanh(rank) }
  if rank > 0.9 { return rank + 2 * x }
  return rank + clamp(x, -1, 1) * (prior > 0.5 ? pow(prior, 2) : sqrt(prior))
}`,
}

func benchRule(b *testing.B, name string) (*Checker, *Rule) {
	sigs, _ := host(b)
	return NewChecker(sigs[0], Limits{}, nil), mustParse(b, benchRules[name]).Decls[0].(*Rule)
}

func BenchmarkCheckAST(b *testing.B) {
	for _, name := range []string{"R1", "R2", "R3"} {
		b.Run(name, func(b *testing.B) {
			c, r := benchRule(b, name)
			b.ReportAllocs()
			for b.Loop() {
				if err := c.AST(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCheckText(b *testing.B) {
	for _, name := range []string{"R1", "R2", "R3"} {
		b.Run(name, func(b *testing.B) {
			c, r := benchRule(b, name)
			b.ReportAllocs()
			for b.Loop() {
				if ds := c.Text(r); len(ds) > 0 {
					b.Fatal(ds)
				}
			}
		})
	}
}

func BenchmarkNewChecker(b *testing.B) {
	sigs, _ := host(b)
	b.ReportAllocs()
	for b.Loop() {
		NewChecker(sigs[0], Limits{}, nil)
	}
}
