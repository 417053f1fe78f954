package gate

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/dsltest"
)

// agree checks that a tree and its text meet the same fate. Of a tree that does not check only the
// first finding is reported, which may belong to a later stage than the text's first, and nesting is counted
// on the safe side: as deep as any text of the tree.
func agree(t interface{ Fatalf(string, ...any) }, g *Gate, r *dsl.Rule) {
	src := dsl.FormatRule(r)
	a, b := g.CheckAST(r), g.Check(src)
	if len(a.Diags) == 1 && a.Diags[0].Code == dsl.CodeNesting {
		return
	}
	unchecked := a.Stage < OnGrid && b.Stage < OnGrid
	if a.OK != b.OK || a.Stage != b.Stage && !unchecked {
		t.Fatalf("the tree: %v %v\nits text: %v %v\n%s", a.Stage, a.Diags, b.Stage, b.Diags, src)
	}
	if a.OK && (a.Cost != b.Cost || a.Proof.Answer != b.Proof.Answer || a.Proof.Boxes != b.Proof.Boxes) {
		t.Fatalf("the tree: %+v %+v\nits text: %+v %+v\n%s", a.Cost, a.Proof, b.Cost, b.Proof, src)
	}
}

// agreeConfig has limits that random rules reach now and then.
var agreeConfig = Config{
	Limits: dsl.Limits{RuleBytes: 700, Nodes: 40, Nesting: 8, Locals: 3}, Functions: []string{"min", "max", "abs", "sqrt", "log", "floor"},
	GridPoints: 32, Boxes: 8, CacheEntries: -1, Constraints: []string{"ops <= 30"},
}

func TestTextAndTreeAgree(t *testing.T) {
	cfg := agreeConfig
	cfg.Signature = parseSignature(t, priorityText)
	g := newGate(t, cfg)
	stages := map[Stage]int{}
	rapid.Check(t, func(rt *rapid.T) {
		r := dsltest.Rule(rt, cfg.Signature)
		r.Name.Text = "priority"
		// A built tree may hold -(-1), of which parsing makes a literal: the text of the text is the tree's own.
		r = parseRule(t, dsl.FormatRule(r))
		agree(rt, g, r)
		stages[g.CheckAST(r).Stage]++
	})
	t.Log(stages)
}

// FuzzTextAndTree holds what the gate says of a text against what it says of the tree that was parsed
// from it.
func FuzzTextAndTree(f *testing.F) {
	for _, body := range []string{
		"return rank", "return rank / (visits - 7)", "let a = 1 if a > rank { return a } return -a ** 2", "return rnk", "return rank > 1",
		"return visits > 3 ? sqrt(total - visits) : log(rank)", "let a = 1 let b = 2 let c = 3 let d = 4 return a", "return min(1)", "return 1 return 2",
		"if rank > 0.5 { return 1 }", "return ((((((((((rank))))))))))", "return - - - - - - - - - -rank", "rank = 3 return rank", "return 1 % 0",
	} {
		f.Add("rule priority { " + body + " }")
	}
	cfg := agreeConfig
	cfg.Signature = parseSignature(f, priorityText)
	g := newGate(f, cfg)
	f.Fuzz(func(t *testing.T, src string) {
		file, err := dsl.Parse("f.rule", src)
		if err != nil || len(file.Decls) != 1 {
			g.Check(src)
			return
		}
		r, ok := file.Decls[0].(*dsl.Rule)
		if !ok {
			return
		}
		agree(t, g, r)
	})
}
