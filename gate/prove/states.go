package prove

import (
	"math"

	"github.com/agentdescent/adrun/dsl"
)

// WholeStates tells which states of a checked policy only ever hold whole numbers: they start at one,
// have whole bounds, and every on hook that writes them writes whole numbers when they are. A count is
// such a state, and a proof that knows it need not consider a count of 1e-300. hooks finds the declaration of a hook
// by name.
func WholeStates(p *dsl.Policy, hooks func(name string) *dsl.HookDecl) []bool {
	whole := make([]bool, len(p.States))
	for i, s := range p.States {
		whole[i] = isWhole(s.Value) && isWhole(s.Lo) && isWhole(s.Hi)
	}
	for changed := true; changed; {
		changed = false
		for _, h := range p.Hooks {
			decl := hooks(h.Name.Text)
			if !h.On || decl == nil {
				continue
			}
			for i, ok := range writesWhole(p, h, decl, whole) {
				if whole[i] && !ok {
					whole[i], changed = false, true
				}
			}
		}
	}
	return whole
}

func isWhole(x float64) bool { return x == math.Trunc(x) }

// writesWhole tells for each state whether the hook leaves a whole number in it, given which are whole.
func writesWhole(p *dsl.Policy, h *dsl.Hook, decl *dsl.HookDecl, whole []bool) []bool {
	pr := New(HookSignature(p, decl, whole), nil)
	w := pr.lowerer()
	for i, s := range p.States {
		w.locals = append(w.locals, local{s.Name.Text, int32(len(pr.domain) - len(p.States) + i)})
	}
	w.statements(h.Body.Stmts)
	out := make([]bool, len(whole))
	for i := range out {
		out[i] = !w.unsupported && w.nodes[w.locals[i].node].whole
	}
	return out
}

// HookSignature returns a hook as a function of its inputs, then the policy's params, then its states, within their
// bounds. whole says which states hold whole numbers only; nil means none.
func HookSignature(p *dsl.Policy, decl *dsl.HookDecl, whole []bool) *dsl.Signature {
	sig := &dsl.Signature{Name: decl.Name, Result: decl.Result, Clauses: decl.Clauses}
	sig.Inputs = append(sig.Inputs, decl.Inputs...)
	for _, q := range p.Params {
		sig.Inputs = append(sig.Inputs, &dsl.Input{Name: q.Name, Type: dsl.NumType, Int: q.Int, Lo: q.Lo, Hi: q.Hi})
	}
	for i, s := range p.States {
		sig.Inputs = append(sig.Inputs, &dsl.Input{Name: s.Name, Type: dsl.NumType, Int: whole != nil && whole[i], Lo: s.Lo, Hi: s.Hi})
	}
	return sig
}
