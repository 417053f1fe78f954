// Package gate answers whether a candidate may run. Everything that evolves passes this one door:
// a text or a tree that a program built goes through the same stages in the same order,
//
//	size → syntax → names → types → nodes → grid → contracts → proof → constraints → smoke
//
// and comes out as a Verdict: admitted, with its program, cost and proofs, or refused with the
// diagnostics of the stage that refused it. A Gate is built once for a signature and shared; a
// PolicyGate does for policies of a slot what a Gate does for rules, and replays a smoke trace.
//
//	g, err := gate.New(gate.Config{Signature: sig, Constraints: []string{"ops <= 40"}})
//	v := g.Check("rule priority { return rank / (1 + visits) }")
//	if !v.OK { … v.Diags … }
//
// A verdict is a function of the gate's configuration and the candidate. Gates are safe for
// concurrent use.
package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate/prove"
)

// version is part of every cache key; it changes when a verdict on an unchanged candidate could.
const version = "2"

// Proofs says what the gate demands of proofs.
type Proofs uint8

// What a gate does at the proof stage.
const (
	// ProveDefault refuses what is refuted and lets the unknown pass.
	ProveDefault Proofs = iota
	// ProveRequire refuses what is not proved.
	ProveRequire
	// ProveOff looks for no proof; the grid alone decides.
	ProveOff
)

// Config describes a gate. Only Signature is needed.
type Config struct {
	// Signature is what candidates are called with.
	Signature *dsl.Signature
	// Limits bound candidates; zero fields have their defaults.
	Limits dsl.Limits
	// Functions are those that candidates may call; nil means all of the language.
	Functions []string
	// GridPoints is the size of the grid; 0 means DefaultGridPoints.
	GridPoints int
	// Constraints are CEL expressions over the facts of a rule that must all be true; see Facts.
	Constraints []string
	// Prove says what is demanded of proofs, and Boxes how many boxes each may look at; 0 means
	// prove.GateBoxes.
	Prove Proofs
	Boxes int
	// CacheEntries bounds the verdicts that are kept; 0 means DefaultCacheEntries, below 0 none.
	CacheEntries int
}

// Gate judges rules of one signature.
type Gate struct {
	cfg      Config
	checker  *dsl.Checker
	prover   *prove.Prover
	allow    func(point []float64) bool
	grid     *Grid
	ensures  []ensure
	shapes   []shape
	rules    *constraints
	cache    *cache[judgement]
	identity string
	rooms    sync.Pool // of *room
}

// New builds a gate: the grid, the contracts' programs and the constraints are prepared here, once.
// The error is a *ConfigError that lists everything that is wrong with cfg.
func New(cfg Config) (*Gate, error) {
	var bad ConfigError
	if cfg.Signature == nil {
		return nil, &ConfigError{[]error{errors.New("a gate needs a signature")}}
	}
	bad.add(sizes(&cfg.GridPoints, &cfg.Boxes))
	cfg.Limits = cfg.Limits.Normalize()
	bad.add(checkSignature(cfg.Signature))
	rules, err := newConstraints(cfg.Constraints)
	bad.add(err)
	if err := bad.err(); err != nil {
		return nil, err
	}
	g := &Gate{cfg: cfg, rules: rules, checker: dsl.NewChecker(cfg.Signature, cfg.Limits, cfg.Functions)}
	allow, err := assumptions(cfg.Signature)
	if err != nil {
		return nil, &ConfigError{[]error{err}}
	}
	g.allow = allow
	g.prover = prove.New(cfg.Signature, allow)
	if g.grid, err = newGrid(cfg.Signature, g.prover, allow, cfg.GridPoints); err != nil {
		return nil, &ConfigError{[]error{err}}
	}
	if err := g.prepare(allow); err != nil {
		return nil, &ConfigError{[]error{err}}
	}
	g.rooms.New = func() any { return &room{out: make([]float64, g.grid.Len())} }
	g.cache = newCache[judgement](cfg.CacheEntries)
	g.identity = g.hash()
	return g, nil
}

// room is memory for judging one candidate after the other.
type room struct {
	out     []float64 // the grid's results
	scratch dsl.Scratch
}

// ConfigError lists everything that is wrong with the description of a gate.
type ConfigError struct {
	List []error
}

// Error joins the findings, one a line.
func (e *ConfigError) Error() string { return errors.Join(e.List...).Error() }

// Unwrap returns the findings.
func (e *ConfigError) Unwrap() []error { return e.List }

func (e *ConfigError) add(err error) {
	if err != nil {
		e.List = append(e.List, err)
	}
}

func (e *ConfigError) err() error {
	if len(e.List) == 0 {
		return nil
	}
	return e
}

// sizes fills in the defaults of the sizes of a gate's work, or says that they are negative.
func sizes(gridPoints, boxes *int) error {
	if *gridPoints < 0 || *boxes < 0 {
		return fmt.Errorf("grid points %d and boxes %d must not be negative", *gridPoints, *boxes)
	}
	if *gridPoints == 0 {
		*gridPoints = DefaultGridPoints
	}
	if *boxes == 0 {
		*boxes = prove.GateBoxes
	}
	return nil
}

// checkSignature checks the declaration itself: its domains, assumptions and contracts.
func checkSignature(sig *dsl.Signature) error {
	info := dsl.Check(&dsl.File{Name: sig.Name.Text, Decls: []dsl.Decl{sig}}, nil, dsl.CheckOptions{})
	return info.Diags.Err()
}

// assumptions compiles the conjunction of a signature's assume clauses; nil if it has none.
func assumptions(sig *dsl.Signature) (func(point []float64) bool, error) {
	var all dsl.Expr
	for _, c := range sig.Clauses {
		switch {
		case c.Kind != dsl.AssumeClause:
		case all == nil:
			all = c.Expr
		default:
			all = &dsl.Binary{Op: dsl.And, X: all, Y: c.Expr}
		}
	}
	if all == nil {
		return func([]float64) bool { return true }, nil
	}
	p, err := condition(sig, sig.Inputs, all)
	if err != nil {
		return nil, fmt.Errorf("the assumptions of %s: %w", sig.Name.Text, err)
	}
	return p.Bool, nil
}

// condition compiles an expression over inputs into a program that returns a truth value.
func condition(sig *dsl.Signature, inputs []*dsl.Input, e dsl.Expr) (*dsl.Program, error) {
	to := &dsl.Signature{Name: sig.Name, Inputs: inputs, Result: dsl.BoolType}
	body := &dsl.Block{Stmts: []dsl.Stmt{&dsl.Return{Value: e}}}
	return dsl.Compile(&dsl.Rule{Name: sig.Name, Body: body}, to)
}

// hash identifies everything but the candidate on which a verdict depends.
func (g *Gate) hash() string {
	functions := slices.Clone(g.cfg.Functions)
	slices.Sort(functions)
	h := sha256.New()
	fmt.Fprintf(h, "%s|%s|%s|%+v|%t %q|%q|%d %d", version, dsl.Identity(g.cfg.Signature), g.grid.Identity(),
		g.cfg.Limits, g.cfg.Functions == nil, functions, g.cfg.Constraints, g.cfg.Prove, g.cfg.Boxes)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Identity is a hash of everything but the candidate on which a verdict depends: signature, grid,
// limits, constraints, proofs and the gate's version.
func (g *Gate) Identity() string { return g.identity }

// Grid returns the points on which every candidate is run.
func (g *Gate) Grid() *Grid { return g.grid }

// Allows tells whether a point within the domains satisfies the signature's assumptions.
func (g *Gate) Allows(point []float64) bool { return g.allow(point) }

// Signature returns the signature of the gate's candidates.
func (g *Gate) Signature() *dsl.Signature { return g.cfg.Signature }

// Check judges a text. It must hold one rule of the gate's signature; a declaration of that very
// signature and cases may stand beside it.
func (g *Gate) Check(src string) Verdict { return g.CheckNamed("candidate", src) }

// CheckNamed is Check of a text that diagnostics call name.
func (g *Gate) CheckNamed(name, src string) Verdict {
	file, ds := dsl.ParseLimits(name, src, g.cfg.Limits)
	if ds.HasErrors() {
		stage := Syntax
		for _, d := range ds {
			if d.Code == dsl.CodeTooLarge {
				stage = Size
			}
		}
		return Verdict{Stage: stage, Diags: ds}
	}
	rule, refusal := oneRule(file)
	if rule == nil {
		return refusal
	}
	info := dsl.Check(file, []*dsl.Signature{g.cfg.Signature}, dsl.CheckOptions{
		Limits: g.cfg.Limits, Signature: g.cfg.Signature.Name.Text, Functions: g.cfg.Functions,
	})
	if info.Diags.HasErrors() {
		return refused(info.Diags, rule)
	}
	v := g.judge(rule, name)
	v.Diags = append(v.Diags, info.Diags...) // warnings, behind what refuses
	return v
}

// oneRule returns the rule of a file that holds one, or the refusal of one that does not.
func oneRule(file *dsl.File) (*dsl.Rule, Verdict) {
	var rules []*dsl.Rule
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *dsl.Rule:
			rules = append(rules, d)
		case *dsl.Signature, *dsl.Case:
		default:
			return nil, notOneRule(file, d.Range(), "a candidate is one rule; this declares something else")
		}
	}
	if len(rules) == 1 {
		return rules[0], Verdict{}
	}
	span := dsl.Span{Start: dsl.Pos{Line: 1, Col: 1}, End: dsl.Pos{Line: 1, Col: 1}}
	if len(rules) > 1 {
		span = rules[1].Name.Span
	}
	return nil, notOneRule(file, span, fmt.Sprintf("a candidate is one rule; this text has %d", len(rules)))
}

func notOneRule(file *dsl.File, span dsl.Span, message string) Verdict {
	return Verdict{Stage: Names, Diags: dsl.Diagnostics{{File: file.Name, Span: span, Code: CodeNotOneRule, Message: message}}}
}

// refused is the verdict on findings of package dsl about a rule that was read.
func refused(ds dsl.Diagnostics, rule *dsl.Rule) Verdict {
	v := Verdict{Stage: Admitted, Diags: ds}
	for _, d := range ds {
		if s := stageOf(d.Code); d.Severity == dsl.Error && s < v.Stage {
			v.Stage = s
		}
	}
	if rule != nil {
		v.Rule = dsl.CloneRule(rule)
	}
	return v
}

// CheckAST judges a rule that a program built, without parsing it. Built trees of the
// language's own making pass the checks; the first finding alone is reported of one that does not.
func (g *Gate) CheckAST(rule *dsl.Rule) Verdict {
	if ds := g.misnamed(rule); ds != nil {
		return refused(ds, nil)
	}
	if err := g.checker.AST(rule); err != nil {
		return refused(diagnosticsOf(err), rule)
	}
	return g.judge(rule, "")
}

// misnamed checks that a built rule has a body and the name that binds it to the signature.
func (g *Gate) misnamed(rule *dsl.Rule) dsl.Diagnostics {
	if rule == nil || rule.Body == nil {
		return dsl.Diagnostics{{Code: dsl.CodeInvalidTree, Message: "the rule has no body"}}
	}
	sig := g.cfg.Signature.Name.Text
	if last := sig[strings.LastIndexByte(sig, '.')+1:]; rule.Name.Text != last {
		return dsl.Diagnostics{{Code: dsl.CodeNoSignature, Message: fmt.Sprintf("a rule of %s is named %s, not %q", sig, last, rule.Name.Text)}}
	}
	return nil
}

// diagnosticsOf returns the findings that an error of package dsl carries.
func diagnosticsOf(err error) dsl.Diagnostics {
	var list *dsl.DiagnosticsError
	if errors.As(err, &list) {
		return list.List
	}
	return dsl.Diagnostics{{Code: dsl.CodeInvalidTree, Message: err.Error()}}
}
