package gate

import (
	"fmt"
	"slices"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate/prove"
)

// PolicyConfig describes the gate of a slot. Only Slot is needed; the fields that Config has too mean the same.
type PolicyConfig struct {
	Slot        *dsl.Slot
	Limits      dsl.Limits
	Functions   []string
	GridPoints  int
	Constraints []string
	Prove       Proofs
	Boxes       int
	// Trace is replayed last; nil means DefaultTrace of the slot.
	Trace Trace
}

// PolicyGate judges policies that fill one slot.
type PolicyGate struct {
	cfg   PolicyConfig
	rules *constraints
	// inputs are points of each hook's inputs, run on every state that the trace reaches.
	inputs map[string]*Grid
}

// PolicyVerdict is what the gate says about a policy. Fields mean what those of Verdict do.
type PolicyVerdict struct {
	OK     bool
	Stage  Stage
	Diags  dsl.Diagnostics
	Policy *dsl.Policy
	// Cost sums the hooks.
	Cost  dsl.Cost
	Hooks []HookVerdict
}

// HookVerdict is one hook of an admitted policy. Program has the policy's own params folded in. Proof is about the
// finiteness of a hook that decides on a number, for all inputs, params and states within bounds.
type HookVerdict struct {
	Name    string
	Program *dsl.Program
	Proof   prove.Proof
}

// NewPolicyGate builds the gate of a slot. The error is a *ConfigError.
func NewPolicyGate(cfg PolicyConfig) (*PolicyGate, error) {
	if cfg.Slot == nil {
		return nil, &ConfigError{[]error{fmt.Errorf("a policy gate needs a slot")}}
	}
	var bad ConfigError
	bad.add(sizes(&cfg.GridPoints, &cfg.Boxes))
	cfg.Limits = cfg.Limits.Normalize()
	bad.add(dsl.Check(&dsl.File{Name: cfg.Slot.Name.Text, Decls: []dsl.Decl{cfg.Slot}}, nil, dsl.CheckOptions{}).Diags.Err())
	rules, err := newConstraints(cfg.Constraints)
	bad.add(err)
	if err := bad.err(); err != nil {
		return nil, err
	}
	g := &PolicyGate{cfg: cfg, rules: rules, inputs: map[string]*Grid{}}
	for _, h := range cfg.Slot.Hooks {
		if g.inputs[h.Name.Text], err = hookGrid(&h.Signature, smokeInputs); err != nil {
			bad.add(fmt.Errorf("hook %s: %w", h.Name.Text, err))
		}
	}
	if cfg.Trace == nil && len(bad.List) == 0 {
		g.cfg.Trace, err = DefaultTrace(cfg.Slot)
		bad.add(err)
	}
	bad.add(cfg.Trace.validate(cfg.Slot))
	if err := bad.err(); err != nil {
		return nil, err
	}
	return g, nil
}

// Check judges a text that holds one policy of the slot and nothing else.
func (g *PolicyGate) Check(src string) PolicyVerdict { return g.CheckNamed("candidate", src) }

// CheckNamed is Check of a text that diagnostics call name.
func (g *PolicyGate) CheckNamed(name, src string) PolicyVerdict {
	file, ds := dsl.ParseLimits(name, src, g.cfg.Limits)
	if ds.HasErrors() {
		stage := Syntax
		if slices.ContainsFunc(ds, func(d dsl.Diagnostic) bool { return d.Code == dsl.CodeTooLarge }) {
			stage = Size
		}
		return PolicyVerdict{Stage: stage, Diags: ds}
	}
	var policies []*dsl.Policy
	for _, d := range file.Decls {
		if p, ok := d.(*dsl.Policy); ok {
			policies = append(policies, p)
		}
	}
	if len(policies) != 1 || len(file.Decls) != 1 {
		v := notOneRule(file, dsl.Span{Start: dsl.Pos{Line: 1, Col: 1}, End: dsl.Pos{Line: 1, Col: 1}},
			fmt.Sprintf("a candidate is one policy and nothing else; this text has %d of %d declarations", len(policies), len(file.Decls)))
		return PolicyVerdict{Stage: v.Stage, Diags: v.Diags}
	}
	p := policies[0]
	info := dsl.Check(file, nil, dsl.CheckOptions{Limits: g.cfg.Limits, Slots: []*dsl.Slot{g.cfg.Slot}, Functions: g.cfg.Functions})
	if info.Diags.HasErrors() {
		return g.refused(info.Diags, p)
	}
	v := g.judge(p, name)
	v.Diags = append(v.Diags, info.Diags...) // warnings, behind what refuses
	return v
}

// CheckAST judges a policy that a program built.
func (g *PolicyGate) CheckAST(p *dsl.Policy) PolicyVerdict {
	if p == nil {
		return PolicyVerdict{Stage: Names, Diags: dsl.Diagnostics{{Code: dsl.CodeInvalidTree, Message: "there is no policy"}}}
	}
	file := &dsl.File{Decls: []dsl.Decl{p}}
	info := dsl.Check(file, nil, dsl.CheckOptions{Limits: g.cfg.Limits, Slots: []*dsl.Slot{g.cfg.Slot}, Functions: g.cfg.Functions})
	if info.Diags.HasErrors() {
		return g.refused(info.Diags, p)
	}
	return g.judge(p, "")
}

func (g *PolicyGate) refused(ds dsl.Diagnostics, p *dsl.Policy) PolicyVerdict {
	v := refused(ds, nil)
	return PolicyVerdict{Stage: v.Stage, Diags: v.Diags, Policy: bare(p)}
}

// judge runs a checked policy through the stages that look at its meaning.
func (g *PolicyGate) judge(p *dsl.Policy, file string) PolicyVerdict {
	t := &trial{PolicyGate: g, policy: p, file: file}
	t.v = PolicyVerdict{Stage: Admitted, Policy: bare(p)}
	t.v.OK = t.compile() && t.onGrid() && t.proofs() && t.constraints() && t.smoke()
	return t.v
}

// trial is one policy under test.
type trial struct {
	*PolicyGate
	policy *dsl.Policy
	file   string
	hooks  []*hookTrial
	whole  []bool
	v      PolicyVerdict
}

// hookTrial is a hook of the policy as a function of inputs, params and states.
type hookTrial struct {
	hook    *dsl.Hook
	decl    *dsl.HookDecl
	sig     *dsl.Signature
	program *dsl.Program // of inputs, params and states; nil for an on hook
	prover  *prove.Prover
	grid    *Grid
}

// refuse ends the trial at a stage.
func (t *trial) refuse(s Stage, at dsl.Span, code, hint, format string, args ...any) bool {
	t.v.Stage = s
	t.find(dsl.Error, at, code, hint, format, args...)
	return false
}

func (t *trial) find(s dsl.Severity, at dsl.Span, code, hint, format string, args ...any) {
	t.v.Diags = append(t.v.Diags, dsl.Diagnostic{File: t.file, Severity: s, Span: at, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// compile prepares the hooks.
func (t *trial) compile() bool {
	decl := func(name string) *dsl.HookDecl { return findHook(t.cfg.Slot, name) }
	t.whole = prove.WholeStates(t.policy, decl)
	t.v.Cost = policyCost(t.policy)
	for _, h := range t.policy.Hooks {
		k, err := t.hook(h, decl(h.Name.Text))
		if err != nil {
			return t.refuse(Nodes, h.Name.Span, dsl.CodeInvalidTree, "", "%v", err)
		}
		own, err := dsl.CompileHook(t.policy, h, k.decl, nil)
		if err != nil {
			return t.refuse(Nodes, h.Name.Span, dsl.CodeInvalidTree, "", "%v", err)
		}
		t.hooks = append(t.hooks, k)
		t.v.Hooks = append(t.v.Hooks, HookVerdict{Name: h.Name.Text, Program: own})
	}
	return true
}

func (t *trial) hook(h *dsl.Hook, decl *dsl.HookDecl) (*hookTrial, error) {
	k := &hookTrial{hook: h, decl: decl, sig: prove.HookSignature(t.policy, decl, t.whole)}
	allow, err := assumptions(k.sig)
	if err != nil {
		return nil, err
	}
	k.prover = prove.New(k.sig, allow)
	if k.grid, err = newGrid(k.sig, k.prover, allow, t.cfg.GridPoints); err != nil {
		return nil, err
	}
	if !h.On {
		k.program, err = dsl.Compile(&dsl.Rule{Name: h.Name, Body: h.Body}, k.sig)
	}
	return k, err
}

// policyCost sums the costs of a policy's hooks; the text is that of the whole.
func policyCost(p *dsl.Policy) dsl.Cost {
	c := dsl.Cost{Rule: p.Name.Text, Bytes: len(dsl.FormatDecl(p)), Identity: dsl.Identity(p)}
	for _, h := range p.Hooks {
		one := dsl.Measure(&dsl.Rule{Name: h.Name, Inputs: h.Inputs, HasInputs: h.HasInputs, Body: h.Body})
		c.Ops += one.Ops
		c.Nodes += one.Nodes
		c.Calls += one.Calls
		c.Inputs += one.Inputs
		c.Depth = max(c.Depth, one.Depth)
	}
	return c
}

// onGrid runs every hook over its inputs, the params and the states.
func (t *trial) onGrid() bool {
	ok := true
	for _, k := range t.hooks {
		if k.hook.On {
			ok = t.writesOnGrid(k) && ok
			continue
		}
		out := make([]float64, k.grid.Len())
		k.program.Batch(k.grid.Columns(), out)
		if k.decl.Result.Kind != dsl.NumKind {
			continue
		}
		if i := slices.IndexFunc(out, func(v float64) bool { return !isFinite(v) }); i >= 0 {
			t.v.Stage, ok = OnGrid, false
			t.notFinite(dsl.Error, k, k.grid.Point(i), out[i])
		}
	}
	return ok
}

// notFinite finds that a hook which decides on a number is not finite at a point.
func (t *trial) notFinite(s dsl.Severity, k *hookTrial, point []float64, v float64) {
	var names []string
	for i, in := range k.sig.Inputs {
		if k.program.Reads(i) {
			names = append(names, in.Name.Text)
		}
	}
	t.find(s, k.hook.Name.Span, CodeNotFinite, "guard the division, root, logarithm or power",
		"hook %s is %s at %s", k.hook.Name.Text, dsl.FormatNumber(v), FormatPoint(k.sig, point, names))
}

// writesOnGrid runs an on hook on its grid. A write beyond a state's bounds is clamped; one of NaN is a fault.
func (t *trial) writesOnGrid(k *hookTrial) bool {
	n, params := len(k.decl.Inputs), len(t.policy.Params)
	for i := range k.grid.Len() {
		point := k.grid.Point(i)
		p, err := dsl.CompileHook(t.policy, k.hook, k.decl, point[n:n+params])
		if err != nil {
			return t.refuse(OnGrid, k.hook.Name.Span, dsl.CodeInvalidTree, "", "%v", err)
		}
		state := slices.Clone(point[n+params:])
		if e := p.Apply(point[:n], state); e.NaN > 0 {
			return t.refuse(OnGrid, k.hook.Name.Span, CodeNotFinite, "guard the division, root, logarithm or power",
				"on %s writes NaN to a state at %s", k.hook.Name.Text, FormatPoint(k.sig, point, nil))
		}
	}
	return true
}

// proofs looks for proofs that the hooks which decide on numbers are finite. States that may hold any number within
// their bounds can take values that no history reaches, such as 1e-300: a witness with one is a warning.
func (t *trial) proofs() bool {
	if t.cfg.Prove == ProveOff {
		return true
	}
	ok := true
	for i, k := range t.hooks {
		if k.hook.On {
			continue
		}
		proof := prove.Proof{Answer: prove.Proved, Reason: "the result is no number"}
		if k.decl.Result.Kind == dsl.NumKind {
			proof = k.prover.FiniteBody(k.hook.Body, k.program.Num, t.cfg.Boxes)
		}
		t.v.Hooks[i].Proof = proof
		switch {
		case proof.Answer == prove.Refuted && (t.cfg.Prove == ProveRequire || !t.readsFraction(k)):
			t.v.Stage, ok = Proving, false
			t.notFinite(dsl.Error, k, proof.Witness, proof.Value)
		case proof.Answer == prove.Refuted:
			t.notFinite(dsl.Warning, k, proof.Witness, proof.Value)
		case proof.Answer == prove.Unknown && t.cfg.Prove == ProveRequire:
			ok = t.refuse(Proving, k.hook.Name.Span, CodeNotProved, "", "no proof that hook %s is finite: %s", k.hook.Name.Text, proof.Reason)
		}
	}
	return ok
}

// readsFraction reports that a hook reads a state which need not be whole.
func (t *trial) readsFraction(k *hookTrial) bool {
	first := len(k.sig.Inputs) - len(t.policy.States)
	for i, whole := range t.whole {
		if !whole && k.program.Reads(first+i) {
			return true
		}
	}
	return false
}

// constraints asks the host's admission constraints: calls and inputs are those of all hooks.
func (t *trial) constraints() bool {
	all := &dsl.Rule{Name: t.policy.Name, Body: &dsl.Block{}}
	var inputs []string
	for _, k := range t.hooks {
		all.Body.Stmts = append(all.Body.Stmts, k.hook.Body.Stmts...)
		for _, in := range k.decl.Inputs {
			if len(dsl.NamesRead(k.hook.Body, []string{in.Name.Text})) > 0 && !slices.Contains(inputs, in.Name.Text) {
				inputs = append(inputs, in.Name.Text)
			}
		}
	}
	findings := t.rules.check(&facts{cost: t.v.Cost, rule: all, inputs: func() []string { return inputs }})
	for _, f := range findings {
		t.refuse(Constraints, t.policy.Name.Span, f.code, f.hint, "%s", f.message)
	}
	return len(findings) == 0
}
