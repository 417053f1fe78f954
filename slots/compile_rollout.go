package slots

import (
	"context"
	"math"

	"github.com/agentdescent/adrun/internal/derive"
)

// selection compiles a policy of slot selection: by priority over the tree of heads, or by score.
func (b *builder) selection() Selection {
	priority := b.hook("priority", "rank", "visits", "total", "prior", "depth", "n_nodes")
	score := b.hook("score", "is_head", "score", "has_score", "order", "selected", "total", "wins",
		"front_index", "front_size", "n", "round", "place")
	how := pick(b.policy.Pick.Text)
	switch {
	case b.err != nil:
		return nil
	case priority != nil && score != nil:
		b.fail("a policy of slot selection has one of the hooks priority and score, this one has both")
	case priority == nil && score == nil:
		b.fail("a policy of slot selection has one of the hooks priority and score, this one has neither")
	case priority != nil && how != "" && how != pickTop:
		b.fail("pick %s: priority is searched by its highest value; pick is for score", how)
	case priority != nil:
		return &priorityRule{rule: b.rule, priority: priority}
	}
	def(&how, pickTop)
	return &scoreRule{rule: b.rule, score: score, how: how, wantsFront: score.reads("wins", "front_index", "front_size")}
}

// priorityRule selects by a rule of selection.priority.
type priorityRule struct {
	rule
	priority *hook
}

// Select places the lanes one after the other, each seeing those before it pending.
func (p *priorityRule) Select(ctx SelectionContext, n int) ([]int, error) {
	t := newHeadTree(ctx)
	nodes := float64(len(ctx.Heads))
	return t.search(n, func() int {
		return t.argmax(func(i int) float64 {
			return p.num(p.priority, p.start, t.ranks[i], t.visits[i], t.sum, t.prior(), t.depth[i], nodes)
		})
	}), nil
}

// scoreRule selects by a value of each head.
type scoreRule struct {
	rule
	score      *hook
	how        pick
	wantsFront bool
}

// HeadOnly reports that the rule can pick nothing but the head: it reads is_head alone and prefers it. Such
// a rule needs no archive, and a run keeps none for it.
func (p *scoreRule) HeadOnly() bool {
	for i, in := range p.score.sig.Inputs {
		if p.score.program.Reads(i) != (in.Name.Text == "is_head") {
			return false
		}
	}
	value := func(isHead float64) float64 {
		args := make([]float64, len(p.score.sig.Inputs))
		p.score.sig.Clamp(args)
		args[0] = isHead
		return p.score.program.Step(args, p.start)
	}
	head, other := value(1), value(0)
	if p.how == pickTop {
		return head > other
	}
	return head > 0 && !(other > 0)
}

// Select places the lanes as the policy's pick says.
func (p *scoreRule) Select(ctx SelectionContext, n int) ([]int, error) {
	a := newArchive(ctx)
	f := &front{index: make([]int, len(ctx.Heads)), wins: make([]int, len(ctx.Heads)), members: []int{0}}
	if p.wantsFront {
		f = a.front()
	}
	return a.place(p.how, n, func(i, lane int) float64 {
		h := ctx.Heads[i]
		return p.num(p.score, p.start,
			indicator(h.ID == ctx.Head.ID), max(h.Score.Or(0), 0), indicator(h.Score.Known), float64(a.order[i]),
			a.selected[i], a.total, float64(f.wins[i]), float64(f.index[i]), float64(len(f.members)),
			float64(n), float64(ctx.Round), float64(lane))
	}), nil
}

// sampler compiles a policy of slot task_sampler.
func (b *builder) sampler() TaskSampler {
	p := &samplerRule{
		rule:   b.rule,
		weight: b.must("weight", "total", "index", "n_keys", "round"),
		record: b.hook("record", "score", "round"),
		states: keyed{},
	}
	switch how := pick(b.policy.Pick.Text); how {
	case "", pickTop:
	case pickSample:
		p.draws = true
	default:
		b.fail("pick %s: a rollout spends one task, so slot task_sampler has pick top and pick sample", how)
	}
	return p
}

// samplerRule picks tasks by weight.
type samplerRule struct {
	rule
	run            once
	weight, record *hook
	draws          bool
	seed           uint64
	picks          uint64
	states         keyed
	weights        []float64
}

// Start takes the instance for a run, with the stream that it draws from.
func (p *samplerRule) Start(seed uint64) error {
	p.seed = seed
	return p.run.take(p.name)
}

// Pick returns the key of the highest weight, the first of equals, or draws one.
func (p *samplerRule) Pick(keys []string, round int) string {
	p.picks++
	p.weights = p.weights[:0]
	best, some := 0, false
	for i, key := range keys {
		w := p.num(p.weight, p.states.of(key, &p.rule), float64(p.picks), float64(i), float64(len(keys)), float64(round))
		if i > 0 && w > p.weights[best] {
			best = i
		}
		some = some || w > 0
		p.weights = append(p.weights, w)
	}
	if !p.draws {
		return keys[best]
	}
	for i, w := range p.weights {
		p.weights[i] = max(w, 0)
		if !some {
			p.weights[i] = 1
		}
	}
	return keys[draw(p.weights, derive.Rand(p.seed, "pick", p.picks).Float64())]
}

// Record tells the state of the task.
func (p *samplerRule) Record(task string, score float64, round int) {
	p.tell(p.record, p.states.of(task, &p.rule), score, float64(round))
}

// proposal compiles a policy of slot proposal.
func (b *builder) proposal() ProposalPolicy {
	return &proposalRule{rule: b.rule, ask: b.must("propose", "reward", "round", "n_history", "solved")}
}

// proposalRule asks the actor when its rule says so. Several lanes call it at once: it keeps no state.
type proposalRule struct {
	rule
	ask *hook
}

// Propose asks, or proposes nothing.
func (p *proposalRule) Propose(ctx context.Context, pc *ProposalContext, ask Proposer) ([]Proposal, error) {
	if !p.yes(p.ask, p.start, pc.Outcome.Reward, float64(pc.Round), float64(len(pc.History)), math.Min(pc.Solved, 2)) {
		return nil, nil
	}
	return AskActor{}.Propose(ctx, pc, ask)
}

var (
	_ HeadOnly = (*scoreRule)(nil)
	_ Starter  = (*samplerRule)(nil)
	_ Faulty   = (*proposalRule)(nil)
)
