package gate

import (
	"fmt"
	"math"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate/prove"
)

// judgement is what the stages find out that look at the rule's meaning alone, so it is kept under the rule's
// identity. Its text has a size beside that, and the constraints may ask for it.
type judgement struct {
	stage     Stage
	findings  []finding
	program   *dsl.Program
	proof     prove.Proof
	contracts []Contract
}

// finding is a diagnostic without its place, which is that of the rule's name.
type finding struct {
	code, message, hint string
}

// refuse ends the judgement at a stage.
func (j *judgement) refuse(s Stage, findings ...finding) bool {
	j.stage, j.findings = s, append(j.findings, findings...)
	return false
}

// judge runs a checked rule through the remaining stages.
func (g *Gate) judge(rule *dsl.Rule, file string) Verdict {
	v := Verdict{Stage: Size, Rule: dsl.CloneRule(rule)}
	cost := dsl.Measure(rule)
	findings := g.tooLarge(cost.Bytes - 1) // without the newline, as parsing counts
	if len(findings) == 0 {
		j, ok := g.cache.get(cost.Identity)
		if !ok {
			j = g.judgement(rule)
			g.cache.put(cost.Identity, j)
		}
		v.Stage, v.Program, v.Proof, v.Contracts, findings = j.stage, j.program, j.proof, j.contracts, j.findings
	}
	if v.Program != nil {
		v.Cost = cost
	}
	if v.Stage == Admitted {
		findings = g.rules.check(&facts{cost: cost, rule: rule, inputs: func() []string { return g.reads(v.Program) }})
		if len(findings) > 0 {
			v.Stage = Constraints
		}
	}
	v.OK = v.Stage == Admitted
	for _, f := range findings {
		v.Diags = append(v.Diags, dsl.Diagnostic{File: file, Span: rule.Name.Span, Code: f.code, Message: f.message, Hint: f.hint})
	}
	return v
}

func (g *Gate) tooLarge(bytes int) []finding {
	if limit := g.cfg.Limits.RuleBytes; bytes > limit {
		return []finding{{dsl.CodeTooLarge, fmt.Sprintf("the rule has %d bytes in canonical form; at most %d are allowed", bytes, limit), "make it simpler"}}
	}
	return nil
}

func (g *Gate) judgement(rule *dsl.Rule) *judgement {
	j := &judgement{stage: Admitted}
	p, err := dsl.Compile(rule, g.cfg.Signature)
	if err != nil { // the checks passed it: a fault of ours, refused like any other
		j.refuse(Nodes, finding{code: dsl.CodeInvalidTree, message: err.Error()})
		return j
	}
	j.program = p
	r := g.rooms.Get().(*room)
	defer g.rooms.Put(r)
	b := &bench{Gate: g, judgement: j, rule: rule, room: r}
	_ = b.onGrid() && b.contractsOnGrid() && b.prove()
	return j
}

// bench is one candidate under test.
type bench struct {
	*Gate
	*judgement
	*room
	rule *dsl.Rule
}

// reads returns the inputs that a program reads; a witness need not show others.
func (g *Gate) reads(p *dsl.Program) []string {
	reads := []string{}
	for i, in := range g.cfg.Signature.Inputs {
		if p.Reads(i) {
			reads = append(reads, in.Name.Text)
		}
	}
	return reads
}

// at writes a point for a message.
func (b *bench) at(point []float64) string {
	s := FormatPoint(b.cfg.Signature, point, b.reads(b.program))
	if s == "" {
		return "every input"
	}
	return s
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// onGrid runs the candidate on the grid.
func (b *bench) onGrid() bool {
	b.program.BatchIn(&b.scratch, b.grid.cols, b.out)
	if b.cfg.Signature.Result.Kind != dsl.NumKind {
		return true
	}
	first, count := -1, 0
	for i, v := range b.out {
		if !isFinite(v) {
			if count == 0 {
				first = i
			}
			count++
		}
	}
	if count == 0 {
		return true
	}
	point := b.grid.Point(first)
	b.proof = prove.Proof{Answer: prove.Refuted, Witness: point, Value: b.out[first], Reason: "a point of the grid"}
	f := b.notFinite(point, b.out[first])
	f.message += fmt.Sprintf(" (%d of %d grid points)", count, b.grid.Len())
	return b.refuse(OnGrid, f)
}

// notFinite is the finding that a result is not finite.
func (b *bench) notFinite(point []float64, v float64) finding {
	return finding{
		code:    CodeNotFinite,
		message: fmt.Sprintf("the result is %s at %s", dsl.FormatNumber(v), b.at(point)),
		hint:    "guard the division, root, logarithm or power, for example with max(x, 1) or an if",
	}
}

// prove looks for proofs of finiteness and of every contract.
func (b *bench) prove() bool {
	if b.cfg.Prove == ProveOff {
		return true
	}
	b.proof = b.finite(b.rule, b.program, b.cfg.Boxes)
	var findings []finding
	switch {
	case b.proof.Answer == prove.Refuted:
		findings = append(findings, b.notFinite(b.proof.Witness, b.proof.Value))
	case b.proof.Answer == prove.Unknown && b.cfg.Prove == ProveRequire:
		findings = append(findings, finding{CodeNotProved, "no proof that the result is finite: " + b.proof.Reason, "guard what may be zero or negative"})
	}
	b.contracts = b.proveContracts(b.rule, b.program, b.cfg.Boxes)
	for _, c := range b.contracts {
		switch {
		case c.Proof.Answer == prove.Refuted:
			findings = append(findings, b.broken(c))
		case c.Proof.Answer == prove.Unknown && b.cfg.Prove == ProveRequire:
			findings = append(findings, finding{CodeNotProved, "no proof of " + c.Text() + ": " + c.Proof.Reason, ""})
		}
	}
	if len(findings) > 0 {
		return b.refuse(Proving, findings...)
	}
	return true
}

// finite proves finiteness; a truth value or a word is finite by its type.
func (g *Gate) finite(rule *dsl.Rule, p *dsl.Program, boxes int) prove.Proof {
	if k := g.cfg.Signature.Result.Kind; k != dsl.NumKind {
		return prove.Proof{Answer: prove.Proved, Reason: "the result is no number"}
	}
	return g.prover.Finite(rule, p.Num, boxes)
}

// Prove looks for proofs about an admitted rule with as many boxes as a person waits for: of
// finiteness, and of each contract of the signature. The error says that the rule does not check.
func (g *Gate) Prove(rule *dsl.Rule, boxes int) (prove.Proof, []Contract, error) {
	p, err := g.compile(rule)
	if err != nil {
		return prove.Proof{}, nil, err
	}
	return g.finite(rule, p, boxes), g.proveContracts(rule, p, boxes), nil
}

// Moves tells whether the result moves one way with an input, for all other inputs held.
func (g *Gate) Moves(rule *dsl.Rule, input string, dir prove.Direction, boxes int) (prove.Proof, error) {
	p, err := g.compile(rule)
	if err != nil {
		return prove.Proof{}, err
	}
	return g.prover.Shape(rule, input, dir, p.Num, g.seeds(), boxes), nil
}

func (g *Gate) compile(rule *dsl.Rule) (*dsl.Program, error) {
	if err := g.checker.AST(rule); err != nil {
		return nil, err
	}
	return dsl.Compile(rule, g.cfg.Signature)
}
