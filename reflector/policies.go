package reflector

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate/prove"
	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/slots"
)

// PolicyBreeder proposes policies for one slot. A lease breeds the body of one hook that decides, as the
// Breeder breeds a rule; params and states are inputs to it, and stay as they are declared.
type PolicyBreeder struct {
	Breeder Breeder
	// Slot declares the hooks.
	Slot *dsl.Slot
}

var _ slots.Proposer = PolicyBreeder{}

// Propose breeds until the lease's trials are spent.
func (b PolicyBreeder) Propose(ctx context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	if pc.Candidate == nil || pc.Trial == nil {
		return nil, errors.New("the policy breeder needs a candidate and trials: grant the run some")
	}
	g, err := b.graft(pc.Candidate.Text, pc.Seed)
	if err != nil {
		return nil, err
	}
	base := *pc.Candidate
	base.Rule = g.rule(g.hook().Body)
	inner := *pc
	inner.Signature, inner.Candidate = g.sig, &base
	inner.Trial = &graftTrial{Trial: pc.Trial, graft: g, base: &base, incumbent: pc.Candidate}
	if pc.Population != nil {
		inner.Population = g.population(pc.Population)
	}
	p, err := b.Breeder.Propose(ctx, &inner)
	if p == nil || err != nil {
		return nil, err
	}
	return g.proposal(p), nil
}

// Vary proposes one random change of one hook, untried, as Mutant does for rules.
func (b PolicyBreeder) Vary(ctx context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	if pc.Candidate == nil {
		return nil, errors.New("the policy breeder needs a candidate")
	}
	g, err := b.graft(pc.Candidate.Text, pc.Seed)
	if err != nil {
		return nil, err
	}
	base := *pc.Candidate
	base.Rule = g.rule(g.hook().Body)
	base.Identity = dsl.Identity(base.Rule)
	inner := *pc
	inner.Signature, inner.Candidate = g.sig, &base
	p, err := Mutant{MaxOps: b.Breeder.MaxOps}.Propose(ctx, &inner)
	if p == nil || err != nil {
		return nil, err
	}
	return g.proposal(p), nil
}

// graft takes a hook of a policy for a rule and puts rules in its place.
type graft struct {
	policy *dsl.Policy
	at     int // of the hook
	sig    *dsl.Signature
}

// graft chooses the hook that a lease breeds.
func (b PolicyBreeder) graft(text string, seed uint64) (*graft, error) {
	p, err := parsePolicy(text)
	if err != nil {
		return nil, err
	}
	var deciding []int
	for i, h := range p.Hooks {
		if !h.On {
			deciding = append(deciding, i)
		}
	}
	if len(deciding) == 0 {
		return nil, fmt.Errorf("policy %s has no hook that decides", p.Name.Text)
	}
	g := &graft{policy: p, at: deciding[derive.Rand(seed, "hook").IntN(len(deciding))]}
	find := func(name string) *dsl.HookDecl {
		i := slices.IndexFunc(b.Slot.Hooks, func(d *dsl.HookDecl) bool { return d.Name.Text == name })
		if i < 0 {
			return nil
		}
		return b.Slot.Hooks[i]
	}
	decl := find(g.hook().Name.Text)
	if decl == nil {
		return nil, fmt.Errorf("slot %s has no hook %s", b.Slot.Name.Text, g.hook().Name.Text)
	}
	g.sig = prove.HookSignature(p, decl, prove.WholeStates(p, find))
	return g, nil
}

func parsePolicy(text string) (*dsl.Policy, error) {
	f, err := dsl.Parse("", text)
	if err != nil {
		return nil, err
	}
	for _, d := range f.Decls {
		if p, ok := d.(*dsl.Policy); ok {
			return p, nil
		}
	}
	return nil, errors.New("the text holds no policy")
}

func (g *graft) hook() *dsl.Hook { return g.policy.Hooks[g.at] }

// rule is a body as a rule of the graft's signature.
func (g *graft) rule(body *dsl.Block) *dsl.Rule {
	return &dsl.Rule{Name: dsl.Ident{Text: g.sig.Name.Text}, Body: dsl.CloneBlock(body)}
}

// text is the policy with a rule in the place of the hook.
func (g *graft) text(r *dsl.Rule) string {
	h := *g.hook()
	h.Inputs, h.HasInputs, h.Body = nil, false, r.Body
	p := *g.policy
	p.Hooks = slices.Clone(p.Hooks)
	p.Hooks[g.at] = &h
	return dsl.FormatDecl(&p)
}

// population gives the elites of the run as rules: those that differ from the policy in the hook alone.
func (g *graft) population(all *slots.Population) *slots.Population {
	out := &slots.Population{Commits: all.Commits}
	for _, e := range all.Elites {
		p, err := parsePolicy(e.Text)
		if err != nil || len(p.Hooks) <= g.at {
			continue
		}
		r := g.rule(p.Hooks[g.at].Body)
		if g.text(r) != dsl.FormatDecl(p) {
			continue
		}
		e.Rule = r
		out.Elites = append(out.Elites, e)
	}
	return out
}

// proposal turns what was bred into texts.
func (g *graft) proposal(p *slots.Proposal) *slots.Proposal {
	out := *p
	out.Elites = slices.Clone(p.Elites)
	for i := range out.Elites {
		e := &out.Elites[i]
		e.Text, e.Rule = g.text(e.Rule), nil
	}
	if p.Rule != nil {
		out.Text, out.Rule = g.text(p.Rule), nil
	}
	return &out
}

// graftTrial tries rules as policies.
type graftTrial struct {
	slots.Trial
	graft           *graft
	base, incumbent *slots.Candidate
}

// Admit passes the policy with the rule in its hook through the run's gate.
func (t *graftTrial) Admit(r *dsl.Rule) (*slots.Candidate, bool) {
	return t.AdmitText(t.graft.text(r))
}

// Try tries the incumbent as the run knows it.
func (t *graftTrial) Try(ctx context.Context, c *slots.Candidate, tasks []int) ([]float64, error) {
	if c == t.base {
		c = t.incumbent
	}
	return t.Trial.Try(ctx, c, tasks)
}
