package reflector_test

import (
	"context"
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/reflector"
	"github.com/agentdescent/adrun/slots"
)

func TestMutantsAreOtherRulesThatCheck(t *testing.T) {
	f, err := dsl.Parse("m.rule", `
signature toy.f(a: num in [0, 10], b: num in [0, 10]) -> num
rule f(a, b) {
  if a > 3 { return b * 2 }
  return a + 0.5 * b
}
`)
	if err != nil {
		t.Fatal(err)
	}
	sig, rule := f.Decls[0].(*dsl.Signature), f.Decls[1].(*dsl.Rule)
	pc := &slots.ProposalContext{Signature: sig, Candidate: &slots.Candidate{Rule: rule, Identity: dsl.Identity(rule)}}
	seen := map[string]bool{pc.Candidate.Identity: true}
	for pc.Seed = range 300 {
		p, err := reflector.Mutant{MaxOps: 6}.Propose(context.Background(), pc)
		if err != nil || p == nil {
			t.Fatalf("seed %d: %v, %v", pc.Seed, p, err)
		}
		if err := dsl.CheckRule(p.Rule, sig, dsl.Limits{}); err != nil {
			t.Fatalf("seed %d, %s:\n%s\n%v", pc.Seed, p.Note, dsl.FormatRule(p.Rule), err)
		}
		id := dsl.Identity(p.Rule)
		if id == pc.Candidate.Identity || dsl.Ops(p.Rule) > 6 {
			t.Fatalf("seed %d, %s: %d operators\n%s", pc.Seed, p.Note, dsl.Ops(p.Rule), dsl.FormatRule(p.Rule))
		}
		again, _ := reflector.Mutant{MaxOps: 6}.Propose(context.Background(), pc)
		if dsl.Identity(again.Rule) != id {
			t.Fatalf("seed %d proposes two rules", pc.Seed)
		}
		seen[id] = true
	}
	if len(seen) < 100 {
		t.Errorf("300 seeds give only %d rules", len(seen))
	}
}
