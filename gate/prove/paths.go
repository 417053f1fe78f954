package prove

import "github.com/agentdescent/adrun/dsl"

// path is one way through a rule: the conditions it takes and the node it returns.
type path struct {
	conds  []held
	result int32
}

// maxPaths bounds the paths of a rule, and maxPathNodes the nodes of all of them, for shape proofs;
// their cost is the square of the paths.
const (
	maxPaths     = 24
	maxPathNodes = 4000
)

// paths lowers every path of the body into the current block, sharing equal nodes among all of
// them. It reports false if there are too many.
func (w *lowerer) paths(body *dsl.Block) ([]path, bool) {
	var out []path
	var choices []bool // of the run under way; the tail after the last true is exhausted
	for {
		p, taken := w.onePath(body, choices)
		out = append(out, p)
		last := len(taken) - 1
		for last >= 0 && !taken[last] {
			last--
		}
		if last < 0 {
			return out, true
		}
		if len(out) == maxPaths || len(w.nodes) > maxPathNodes {
			return nil, false
		}
		choices = append(taken[:last:last], false)
	}
}

// onePath follows the given choices and takes every later condition for true. It returns the
// path and all its choices.
func (w *lowerer) onePath(body *dsl.Block, choices []bool) (path, []bool) {
	p := path{result: none}
	var taken []bool
	w.locals = w.locals[:0]
	w.choose = func(cond int32) bool {
		if n := &w.nodes[cond]; n.op == opConst {
			return n.val != 0
		}
		for _, h := range p.conds {
			if h.cond == cond {
				return h.want
			}
		}
		want := true
		if len(taken) < len(choices) {
			want = choices[len(taken)]
		}
		taken = append(taken, want)
		p.conds = append(p.conds, held{cond, want})
		return want
	}
	w.atReturn = func(id int32) int32 {
		p.result = id
		return id
	}
	w.statements(body.Stmts)
	return p, taken
}
