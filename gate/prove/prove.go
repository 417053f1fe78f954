// Package prove decides by interval arithmetic what holds for all inputs of a rule: that its
// result is finite, that a contract is true, that the result moves one way with an input.
//
// A rule is lowered once to single-assignment form and evaluated over boxes of inputs. The
// assumptions of the signature and the conditions of branches narrow the intervals on each path
// and serve as facts about differences, so that sqrt(total - visits) is seen to be finite
// under assume visits <= total without looking at smaller boxes. A box that does not decide is
// searched for a witness, then split.
//
// A claim is answered Refuted only with a point that satisfies every assumption and that the
// evaluator itself confirmed; what neither proof nor search settles is Unknown.
//
// Proofs depend on nothing but rule, signature and the number of boxes. A Prover is safe for
// concurrent use.
package prove

import (
	"math"
	"sync"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate/interval"
)

// Answer is the outcome of a proof.
type Answer uint8

// The three answers.
const (
	Unknown Answer = iota
	Proved
	Refuted
)

func (a Answer) String() string {
	return [...]string{"unknown", "proved", "refuted"}[a]
}

// Proof is an answer and what it rests on.
type Proof struct {
	Answer Answer
	// Witness is a point, a value for each input of the signature in declared order, at which a
	// refuted claim fails; Value is the rule's result there.
	Witness []float64
	Value   float64
	// Other is the second point of a refuted shape contract, OtherValue the result there.
	Other      []float64
	OtherValue float64
	// Boxes is how many boxes were looked at.
	Boxes int
	// Reason says in words why the answer is what it is.
	Reason string
}

// Numbers of boxes: what a gate can afford for a candidate, and what a person waits for.
const (
	GateBoxes  = 64
	ProveBoxes = 20000
)

// Prover holds what is common to all rules of a signature.
type Prover struct {
	sig    *dsl.Signature
	allow  func(point []float64) bool
	domain []interval.Value
	scale  []scale
	whole  []bool
	prefix prefix
	bare   *task // of an empty rule
	pool   sync.Pool
}

// prefix is the graph of a signature's inputs and assumptions, with which every rule's begins.
type prefix struct {
	nodes   []node
	scope   []scoped
	facts   []fact
	block   *block
	assumed []int32
	names   map[string]int32
	mag     []float64
	ok      bool
}

// Eval is the evaluator's result at a point: a value for each input of the signature.
type Eval func(point []float64) float64

// New prepares the proofs of a signature's rules. allow tells whether a point satisfies the
// signature's assumptions, by the evaluator; nil means that it has none.
func New(sig *dsl.Signature, allow func(point []float64) bool) *Prover {
	p := &Prover{sig: sig, allow: allow}
	if allow == nil {
		p.allow = func([]float64) bool { return true }
	}
	names := make(map[string]int32)
	for i, in := range sig.Inputs {
		lo, hi, whole := in.Lo, in.Hi, in.Int
		switch in.Type.Kind {
		case dsl.BoolKind:
			lo, hi, whole = 0, 1, true
		case dsl.WordKind:
			lo, hi, whole = 0, float64(len(in.Type.Words)-1), true
			nameWords(names, in.Type.Words)
		}
		if whole {
			lo, hi = math.Ceil(lo), math.Floor(hi)
		}
		p.domain = append(p.domain, interval.Of(lo, hi))
		p.whole = append(p.whole, whole)
		p.scale = append(p.scale, newScale(lo, hi))
		p.prefix.nodes = append(p.prefix.nodes, node{
			op: opInput, a: none, b: none, whole: whole, truth: in.Type.Kind == dsl.BoolKind, deps: inputBit(i),
		})
		p.prefix.mag = append(p.prefix.mag, math.Max(math.Abs(lo), math.Abs(hi)))
		names[in.Name.Text] = int32(i)
	}
	nameWords(names, sig.Result.Words)
	p.prefix.names = names
	p.assumptions()
	p.bare = &task{graph: p.lowerer().graph, prefix: p.prefix.block, assumed: p.prefix.assumed, whole: p.whole, body: &block{}}
	p.pool.New = func() any { return p.workspace() }
	return p
}

// inputBit is the input's bit in a set of inputs; inputs past the 63rd share one.
func inputBit(i int) uint64 { return 1 << min(i, 63) }

// nameWords gives each word of a set its index.
func nameWords(names map[string]int32, words []string) {
	for i, w := range words {
		names[w] = wordBase - int32(i)
	}
}

// wordBase and below are the names that stand for a word's index and not for a node.
const wordBase = int32(-2)

// assumptions lowers the assume clauses into the prefix.
func (p *Prover) assumptions() {
	w := p.lowerer()
	p.prefix.block = w.block
	for _, c := range p.sig.Clauses {
		if c.Kind != dsl.AssumeClause {
			continue
		}
		// An assumption with a branch inside stays a node like any other; its facts are lost.
		id := w.expr(c.Expr)
		p.prefix.assumed = append(p.prefix.assumed, id)
		w.assume(id, true)
	}
	p.prefix.ok = !w.unsupported
	p.prefix.nodes, p.prefix.scope, p.prefix.facts = w.nodes, w.scope, w.facts
}

// lowerer returns a new lowerer whose graph begins with the prefix.
func (p *Prover) lowerer() *lowerer {
	w := &lowerer{graph: &graph{index: make(map[key]int32, 64)}}
	p.begin(w)
	return w
}

// begin prepares a lowerer, used before or not, for a rule.
func (p *Prover) begin(w *lowerer) {
	g := w.graph
	g.nodes = append(g.nodes[:0], p.prefix.nodes...)
	g.scope = append(g.scope[:0], p.prefix.scope...)
	g.facts = append(g.facts[:0], p.prefix.facts...)
	clear(g.index)
	for _, s := range g.scope {
		g.index[s.key] = s.id
	}
	g.terms.reset()
	g.ids.reset()
	g.forms.reset()
	g.magnitude = p.prefix.mag
	w.names, w.locals, w.blocks, w.unsupported, w.choose = p.prefix.names, w.locals[:0], 0, false, nil
	w.atReturn = func(id int32) int32 { return id }
	w.block = w.newBlock()
}

// claim is what a proof is about.
type claim uint8

const (
	claimFinite claim = iota // the returned node is finite
	claimTrue                // the returned node is true
)

// task is a lowered rule and a claim about it.
type task struct {
	*graph
	prefix  *block
	assumed []int32
	whole   []bool
	body    *block
	claim   claim
}

// workspace is the memory of one proof; proofs that follow one another share it.
type workspace struct {
	lowerer *lowerer
	task    task
	runner  runner
}

func (p *Prover) workspace() *workspace {
	ws := &workspace{lowerer: p.lowerer()}
	ws.runner.point = make([]float64, len(p.domain))
	return ws
}

// lower turns a rule into the workspace's task.
func (p *Prover) lower(ws *workspace, body *dsl.Block, c claim, atReturn func(w *lowerer, id int32) int32) bool {
	w := ws.lowerer
	p.begin(w)
	ws.task = task{graph: w.graph, prefix: p.prefix.block, assumed: p.prefix.assumed, whole: p.whole, body: w.block, claim: c}
	if atReturn != nil {
		w.atReturn = func(id int32) int32 { return atReturn(w, id) }
	}
	if w.statements(body.Stmts) {
		w.unsupported = true // a path without a return: the rule was not checked
	}
	return p.prefix.ok && !w.unsupported
}

// Finite decides whether the rule's result is a finite number for every allowed input. Rules
// that return a truth value or a word are finite by their type.
func (p *Prover) Finite(rule *dsl.Rule, eval Eval, boxes int) Proof {
	return p.FiniteBody(rule.Body, eval, boxes)
}

// FiniteBody is Finite for the body of a hook.
func (p *Prover) FiniteBody(body *dsl.Block, eval Eval, boxes int) Proof {
	ws := p.pool.Get().(*workspace)
	defer p.pool.Put(ws)
	if !p.lower(ws, body, claimFinite, nil) {
		return Proof{Reason: "the rule uses what the prover does not know"}
	}
	return p.search(ws, boxes, func(point []float64) (float64, bool) {
		v := eval(point)
		return v, math.IsInf(v, 0) || v != v
	})
}

// Ensure decides whether the contract holds for every allowed input. holds tells by the evaluator
// whether it does at a point with the given result.
func (p *Prover) Ensure(rule *dsl.Rule, contract dsl.Expr, eval Eval, holds func(point []float64, result float64) bool, boxes int) Proof {
	ws := p.pool.Get().(*workspace)
	defer p.pool.Put(ws)
	ok := p.lower(ws, rule.Body, claimTrue, func(w *lowerer, id int32) int32 {
		locals := w.locals
		w.locals = []local{{"result", id}}
		c := w.expr(contract)
		w.locals = locals
		return c
	})
	if !ok {
		return Proof{Reason: "the rule or the contract uses what the prover does not know"}
	}
	return p.search(ws, boxes, func(point []float64) (float64, bool) {
		v := eval(point)
		return v, !holds(point, v)
	})
}
