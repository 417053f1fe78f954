package slots_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/slots"
)

func TestCompileFillsItsSlotAlone(t *testing.T) {
	for _, slot := range slots.SlotNames() {
		name := slots.PolicyNames(slot)[0]
		text, _ := slots.Twin(slot, name)
		names := compiled(t, text).Names()
		if len(names) != 1 || names[slot] == "" {
			t.Errorf("a policy of %s fills %v", slot, names)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"both selection hooks": {
			"policy p fills selection { priority { return 1 } score { return 1 } }", "has both",
		},
		"pick of a search": {"policy p fills selection { pick sample priority { return 1 } }", "pick is for score"},
		"pick without a choice": {
			"policy p fills acceptance { pick top accept { return false } }", "slot acceptance makes no choice among several",
		},
		"pick of several tasks": {
			"policy p fills task_sampler { pick distinct weight { return 1 } }", "a rollout spends one task",
		},
		"only a shift": {"policy p fills acceptance { shift { return 1 } }", "it has no hook accept"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := dsl.Parse("p.rule", tt.text)
			if err != nil {
				t.Fatal(err)
			}
			decls, err := slots.Declarations()
			if err != nil {
				t.Fatal(err)
			}
			_, err = slots.Compile(f.Decls[0].(*dsl.Policy), decls, nil)
			if err == nil || !strings.HasPrefix(err.Error(), "policy p: ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestCompileChecksTheDeclaration(t *testing.T) {
	f, err := dsl.Parse("p.rule", "slot proposal { propose(reward: num in [0, 1]) -> bool }\npolicy p fills proposal { propose(reward) { return reward < 0.5 } }")
	if err != nil {
		t.Fatal(err)
	}
	_, err = slots.Compile(f.Decls[1].(*dsl.Policy), []*dsl.Slot{f.Decls[0].(*dsl.Slot)}, nil)
	if err == nil || !strings.Contains(err.Error(), "declared with inputs reward, and called with reward, round, n_history, solved") {
		t.Error(err)
	}
	if _, err = slots.Compile(f.Decls[1].(*dsl.Policy), nil, nil); err == nil || !strings.Contains(err.Error(), `no slot "proposal"`) {
		t.Error(err)
	}
}

func TestParamsReplaceTheText(t *testing.T) {
	text, _ := slots.Twin("selection", "beam")
	f, err := dsl.Parse("beam.rule", text)
	if err != nil {
		t.Fatal(err)
	}
	decls, err := slots.Declarations()
	if err != nil {
		t.Fatal(err)
	}
	p, err := slots.Compile(f.Decls[0].(*dsl.Policy), decls, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	if ids := choose(t, p.Selection, archiveOf(heads(0.1, 0.9, 0.5)), 4); !slices.Equal(ids, []int{1}) {
		t.Errorf("a beam of 1 picks %v", ids)
	}
	if _, err := slots.Compile(f.Decls[0].(*dsl.Policy), decls, []float64{1, 2}); err == nil {
		t.Error("two values for one param")
	}
}

func TestPicks(t *testing.T) {
	hs := heads(0.1, 0.4, 0.3, 0.2)
	for pick, want := range map[string][]int{
		"":              {1, 1, 1},
		"pick top":      {1, 1, 1},
		"pick distinct": {1, 2, 3},
	} {
		p := compiled(t, fmt.Sprintf("policy p fills selection { %s score(score) { return score } }", pick)).Selection
		if ids := choose(t, p, archiveOf(hs), 3); !slices.Equal(ids, want) {
			t.Errorf("%q places %v, want %v", pick, ids, want)
		}
	}
	p := compiled(t, "policy p fills selection { pick sample score(score) { return score } }").Selection
	near(t, share(t, p, hs), 0.1, 0.4, 0.3, 0.2)
	p = compiled(t, "policy p fills selection { pick sample_one score(score) { return score - 0.25 } }").Selection
	near(t, share(t, p, hs), 0, 0.75, 0.25, 0)
	if ids := choose(t, p, archiveOf(hs), 4); len(ids) != 1 {
		t.Errorf("sample_one places %v", ids)
	}
	p = compiled(t, "policy p fills selection { pick sample score { return 0 - 1 } }").Selection
	near(t, share(t, p, hs), 0.25, 0.25, 0.25, 0.25)
}

// The lane, the round and the archive are what the host says they are.
func TestScoreInputs(t *testing.T) {
	hs := withTasks([]float64{1, 0}, []float64{0.5, 0.5}, []float64{0.25, 0.25})
	for input, want := range map[string][]int{
		"is_head ? 1 : 0":                   {2},
		"place == 1 && order == 0 ? 1 : 0":  {0, 1},
		"0 - front_index":                   {2},
		"wins == 1 ? 1 : 0":                 {0},
		"front_size * (n == 2 ? 1 : 0) - 2": {0},
		"round == 7 ? 0 - score : score":    {2},
	} {
		ctx := archiveOf(hs)
		ctx.Round = 7
		p := compiled(t, "policy p fills selection { score { return "+input+" } }").Selection
		if ids := choose(t, p, ctx, max(len(want), 2)); !slices.Equal(ids[:len(want)], want) {
			t.Errorf("%s places %v, want %v", input, ids, want)
		}
	}
}

func TestScoreOfAHeadThatIsNotMeasured(t *testing.T) {
	p := compiled(t, "policy p fills selection { score(has_score, score, order) { return !has_score && score == 0 && order == 0 ? 1 : 0 } }").Selection
	if ids := choose(t, p, archiveOf(heads(0.9, unmeasured, 0.5)), 1); ids[0] != 1 {
		t.Errorf("picked %v", ids)
	}
}

func TestProposalInputs(t *testing.T) {
	p := compiled(t, "policy p fills proposal { propose { return reward == 0.25 && round == 3 && n_history == 1 && solved == 1.1 } }").Proposal
	pc := &slots.ProposalContext{Outcome: slots.Outcome{Reward: 0.25}, Round: 3, History: make([]slots.Proposal, 1), Solved: 1.1}
	ask := slots.ProposerFunc(func(context.Context, *slots.ProposalContext) (*slots.Proposal, error) {
		return &slots.Proposal{Text: "x"}, nil
	})
	if got, err := p.Propose(context.Background(), pc, ask); err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	pc.Solved = 1
	if got, err := p.Propose(context.Background(), pc, ask); err != nil || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func TestHeadOnlyRulesKeepNoPopulation(t *testing.T) {
	for body, want := range map[string]bool{
		"score(is_head) { return is_head ? 1 : 0 }":                    true,
		"score(is_head) { return is_head ? 0 : 1 }":                    false,
		"score(is_head) { return 1 }":                                  false,
		"score(is_head, round) { return is_head ? 1 + round : 0 }":     false,
		"pick sample score(is_head) { return is_head ? 1 : 0 }":        true,
		"pick sample score(is_head) { return is_head ? 1 : 0.5 }":      false,
		"pick distinct score(is_head) { return is_head ? 3 : 0 - 2 }":  true,
		"pick distinct score(is_head) { return is_head ? 0 - 1 : -2 }": false,
	} {
		p, ok := compiled(t, "policy p fills selection { "+body+" }").Selection.(slots.HeadOnly)
		if got := ok && p.HeadOnly(); got != want {
			t.Errorf("%s: head only %v, want %v", body, got, want)
		}
	}
}

// State is kept for each task: two tasks of one shard have counts of their own.
func TestSamplerStateIsKeptPerTask(t *testing.T) {
	p := compiled(t, `policy p fills task_sampler {
  state n = 0 in [0, 2]
  on record(score) { n += score }
  weight { return 0 - n }
}`).TaskSampler
	keys := []string{"a", "b"}
	var picks []string
	for round := range 4 {
		k := p.Pick(keys, round)
		picks = append(picks, k)
		p.Record(k, 1, round)
	}
	if diff := cmp.Diff([]string{"a", "b", "a", "b"}, picks); diff != "" {
		t.Error(diff)
	}
	p.Record("a", 1, 4) // beyond the bound of 2
	p.Record("z", 1, 4) // a key that was never handed out
	if f := p.(slots.Faulty).Faults(); f.Writes != 1 || f.NotFinite != 0 {
		t.Errorf("%+v", f)
	}
}

func TestSamplersDrawFromTheirOwnStream(t *testing.T) {
	draws := func(seed uint64) (count [3]int, order string) {
		p := compiled(t, "policy p fills task_sampler { pick sample weight(index) { return index == 1 ? 3 : index - 1 } }").TaskSampler
		if err := p.(slots.Starter).Start(seed); err != nil {
			t.Fatal(err)
		}
		for range 400 {
			k := p.Pick([]string{"0", "1", "2"}, 0)
			count[k[0]-'0']++
			order += k
		}
		return count, order
	}
	count, one := draws(1)
	if count[0] != 0 || count[1] < 260 || count[1] > 340 { // weights −1, 3 and 1: shares 0, ¾ and ¼
		t.Errorf("counts %v", count)
	}
	if _, same := draws(1); same != one {
		t.Error("one seed gives two orders")
	}
	if _, other := draws(2); other == one {
		t.Error("the seed moves nothing")
	}
}

// asked counts what a policy buys.
type asked struct {
	byValue
	n int
}

func (v *asked) CheapEval(ctx context.Context, id string, s slots.State) (slots.CheapScore, error) {
	v.n++
	return v.byValue.CheapEval(ctx, id, s)
}

// Scores are bought for a hook that reads them, and for no other.
func TestScoresAreBoughtIffRead(t *testing.T) {
	cards := []*slots.Card{{Diff: slots.Write("k", "1")}, {Diff: slots.Write("k", "2")}}
	diffs := []slots.Diff{slots.Write("k", "1"), slots.Write("l", "2")}
	a := slots.Artifact{ID: "a", State: slots.State{}}
	for text, want := range map[string]int{
		"policy p fills conflict { prefer(new_size, kept_size) { return new_size < kept_size } }":      0,
		"policy p fills conflict { prefer(new_score) { return true } }":                                0,
		"policy p fills conflict { prefer(new_score) { return new_score > 0 } }":                       2,
		"policy p fills conflict { prefer(shipped) { return !shipped } }":                              2,
		"policy p fills fusion { merit(members) { return members } }":                                  0,
		"policy p fills fusion { merit(score) { return score } }":                                      3,
		"policy p fills fusion { merit(base_score, is_union) { return base_score * (is_union?1:0) } }": 1,
		"policy p fills fusion { merit(score, base_score) { return score - base_score } }":             4,
	} {
		v := &asked{}
		p := compiled(t, text)
		if err := p.Install(v, slots.MergeConfig{}); err != nil {
			t.Fatal(err)
		}
		var err error
		if p.Conflict != nil {
			_, _, err = p.Conflict.Resolve(context.Background(), a, cards)
		} else {
			_, err = p.Fusion.Select(context.Background(), a, diffs)
		}
		if err != nil || v.n != want {
			t.Errorf("%s buys %d scores, want %d (%v)", text, v.n, want, err)
		}
	}
}

// While the budget is too tight for scores, a fusion that reads them is not asked: the union goes.
func TestThriftLeavesTheDecisionToTheDefault(t *testing.T) {
	v := &asked{}
	p := compiled(t, "policy p fills fusion { merit(score) { return 0 - score } }").Fusion
	if err := slots.Install(p, v, slots.MergeConfig{}); err != nil {
		t.Fatal(err)
	}
	p.(slots.Thrifty).Thrift(true)
	c, err := p.Select(context.Background(), slots.Artifact{}, []slots.Diff{slots.Write("k", "1"), slots.Write("l", "2")})
	if err != nil || !c.Union || v.n != 0 {
		t.Errorf("%+v with %d scores, %v", c, v.n, err)
	}
}

func TestAcceptanceRulesWrapTheDefault(t *testing.T) {
	ctx := slots.MergeContext{
		BaseCounts: slots.Counts{Successes: 1, Failures: 3}, CandCounts: slots.Counts{Successes: 3, Failures: 1},
		BaseRewards: []float64{0, 0, 0, 1}, CandRewards: []float64{1, 1, 0, 1}, Prior: slots.UniformPrior(), StableDistance: 0.5,
		Advantage: slots.Known(-2),
	}
	accept := func(text string) slots.AcceptDecision {
		p := compiled(t, "policy p fills acceptance { "+text+" }").Acceptance
		if err := slots.Install(p, nil, slots.MergeConfig{}); err != nil {
			t.Fatal(err)
		}
		d, err := p.Accept(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	plain := configured(&slots.DefaultAcceptance{})
	shipped, _ := plain.Accept(ctx)
	if d := accept("accept(shipped) { return shipped }"); !d.Accept || d != shipped {
		t.Errorf("%+v, want the default's %+v", d, shipped)
	}
	no := accept("accept(shipped, stable_distance) { return shipped && stable_distance < 0.5 }")
	if no.Accept || no.Category != slots.BelowThreshold || no.Reason != "policy p refuses" || no.Prior != (slots.Beta{A: 2, B: 1}) {
		t.Errorf("%+v", no)
	}
	for body, want := range map[string]bool{
		"n == 4 && wins == 2 && losses == 0":                                          true,
		"e_value > 2.3 && e_value < 2.4":                                              true, // 2·∫ (2p)² over (½, 1] is 7/3
		"observed_delta == 0.5 && cand_rate == 0.75 && base_rate == 0.25":             true,
		"has_advantage && advantage == -2":                                            true,
		"threshold == 0.5 && version == 0":                                            true,
		"p_improve > 0.8 && p_improve < 0.95":                                         true,
		"wins > 2 || losses > 0 || !has_advantage || advantage > 0 || e_value > 1e99": false,
	} {
		if d := accept("accept { return " + body + " }"); d.Accept != want {
			t.Errorf("%s is %v", body, d.Accept)
		}
	}
	up := accept("accept(p_improve, threshold) { return p_improve > threshold } shift(advantage) { return 0 - advantage }")
	down := accept("accept(p_improve, threshold) { return p_improve > threshold } shift(advantage) { return advantage }")
	if !(up.PImprove.Value > shipped.PImprove.Value && shipped.PImprove.Value > down.PImprove.Value) {
		t.Errorf("P(improve) %v shifted up, %v plain, %v down", up.PImprove, shipped.PImprove, down.PImprove)
	}
	all := accept("accept(p_improve) { return p_improve > 0.5 } shift(has_advantage) { return has_advantage ? 1e300 : 0 }")
	if all.PImprove.Value < 0.999 {
		t.Errorf("a shift without measure gives P(improve) %v, want nearly 1", all.PImprove)
	}
	none := accept("accept(shipped) { return shipped } shift(advantage) { return log(advantage) }")
	if none.PImprove != shipped.PImprove {
		t.Errorf("a shift that is not finite changes P(improve): %v, want %v", none.PImprove, shipped.PImprove)
	}
}

func TestStalenessRules(t *testing.T) {
	wrap := compiled(t, "policy p fills staleness { decide(shipped, eta) { return shipped == discard && eta < 4 ? rebase : shipped } }").Staleness
	for _, tt := range []struct {
		eta, alpha int
		breaks     bool
		want       slots.StaleAction
	}{{0, 1, false, slots.Accept}, {1, 1, false, slots.Rebase}, {2, 1, false, slots.Rebase}, {4, 1, false, slots.Discard}, {1, 0, true, slots.Discard}} {
		if got := wrap.Decide(tt.eta, tt.alpha, tt.breaks); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// A rule may ask less often than the default; the engine then counts fewer proposals.
func TestProposalRules(t *testing.T) {
	text := "policy p fills proposal { propose(reward, round) { return reward < 0.2 && round > 2 } }"
	asked := 0
	c := knobConfig(compiled(t, text))
	c.Observe.Events.Lease = func(e engine.LeaseEvent) {
		if len(e.Record.Diff) > 0 {
			asked++
			if e.Record.Reward >= 0.2 || e.Record.Round <= 2 {
				t.Errorf("a proposal at reward %v in round %d", e.Record.Reward, e.Record.Round)
			}
		}
	}
	run(t, c)
	if asked == 0 {
		t.Error("nobody was asked")
	}
}

func TestPromotionRules(t *testing.T) {
	p := compiled(t, `policy p fills promotion {
  state told = 0 in [0, 100]
  on report(committed, oracle_rejected, promoted) { told += committed || oracle_rejected || promoted ? 1 : 0 }
  promote(survived, commits, oracle_rejections, after_k) {
    return commits == 1 && oracle_rejections == 0 && survived == after_k - told
  }
}`).Promotion
	if err := slots.Install(p, nil, slots.MergeConfig{PromoteAfter: 3}); err != nil {
		t.Fatal(err)
	}
	step := func(outcome slots.MergeOutcome) []string {
		var reports []slots.Report
		if outcome != "" {
			reports = append(reports, slots.Report{Artifact: "a", Outcome: outcome})
		}
		return p.Observe(reports)
	}
	// One commit is told, so promotion comes at a survival of 3 − 1; then again at 3 − 2 after a promotion.
	got := [][]string{step(slots.Committed), step(""), step(slots.BelowThreshold), step(""), step(slots.OracleRejected), step("")}
	want := [][]string{nil, nil, {"a"}, {"a"}, nil, nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s := p.(slots.Survivor).Survival()["a"]; s != 1 {
		t.Errorf("survived %d steps since the oracle's veto", s)
	}
}

// Values that are not finite lose, are counted, and never reach a decision.
func TestNotFiniteLoses(t *testing.T) {
	hs := heads(0.1, 0.9, 0.5)
	for _, text := range []string{
		"policy p fills selection { score(score) { return score == 0.9 ? 1 / 0 : score } }",
		"policy p fills selection { pick distinct score(score) { return score == 0.9 ? log(0 - 1) : score } }",
		"policy p fills selection { priority(rank) { return rank == 1 ? 1 / 0 : rank } }",
	} {
		p := compiled(t, text).Selection
		if ids := choose(t, p, archiveOf(hs), 1); ids[0] != 2 {
			t.Errorf("%s picks %v", text, ids)
		}
		if f := p.(slots.Faulty).Faults(); f.NotFinite != 1 {
			t.Errorf("%s: %+v", text, f)
		}
	}
}

func TestInputsAreClampedAndCounted(t *testing.T) {
	p := compiled(t, "policy p fills proposal { propose(reward) { return reward <= 1 } }").Proposal
	pc := &slots.ProposalContext{Outcome: slots.Outcome{Reward: 1.5}}
	ask := slots.ProposerFunc(func(context.Context, *slots.ProposalContext) (*slots.Proposal, error) {
		return &slots.Proposal{Text: "x"}, nil
	})
	got, err := p.Propose(context.Background(), pc, ask)
	if f := p.(slots.Faulty).Faults(); err != nil || len(got) != 1 || f.Clamped != 1 {
		t.Errorf("%v, %v, %+v", got, err, f)
	}
}

func TestNames(t *testing.T) {
	for _, slot := range slots.SlotNames() {
		for _, name := range append(slots.PolicyNames(slot), "default") {
			p, err := slots.ByName(slot, name)
			if err != nil {
				t.Fatal(err)
			}
			got := p.Names()[slot]
			if name != "default" && got != name {
				t.Errorf("%s policy %s calls itself %s", slot, name, got)
			}
			if want := (slots.Policies{}).Fill().Names()[slot]; name == "default" && got != want {
				t.Errorf("the default of %s is %s, by name %s", slot, want, got)
			}
		}
	}
	var unknown *slots.UnknownError
	if _, err := slots.ByName("acceptance", "paird"); !errors.As(err, &unknown) || unknown.What != "acceptance policy" {
		t.Error(err)
	}
	if _, err := slots.ByName("sampler", "default"); !errors.As(err, &unknown) || unknown.What != "slot" {
		t.Error(err)
	}
	// Fresh instances: what one run leaves in its policy another does not see.
	for range 2 {
		p, err := slots.ByName("task_sampler", "difficulty_weighted")
		if err != nil {
			t.Fatal(err)
		}
		run(t, knobConfig(p))
	}
}

func TestBundlesCombine(t *testing.T) {
	a, _ := slots.ByName("fusion", "tournament")
	b, _ := slots.ByName("acceptance", "paired")
	both, err := a.With(b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"fusion": "tournament", "acceptance": "paired"}, both.Names()); diff != "" {
		t.Error(diff)
	}
	if _, err := both.With(slots.Policies{Fusion: &slots.DefaultFusion{}}); err == nil || !strings.Contains(err.Error(), "fusion") {
		t.Errorf("two fusions: %v", err)
	}
}

func TestFromText(t *testing.T) {
	p, err := slots.FromText("acceptance", "mine", "policy strict fills acceptance { accept(observed_delta) { return observed_delta > 0 } }")
	if err != nil || p.Names()["acceptance"] != "strict" {
		t.Errorf("%v, %v", p.Names(), err)
	}
	var list *dsl.DiagnosticsError
	if _, err := slots.FromText("fusion", "mine", "policy f fills fusion { merit(size) { return 1 / (size - 1) } }"); !errors.As(err, &list) || list.List[0].Code != "not-finite" {
		t.Error(err)
	}
}

// Each trace fits its slot, and finds a fault that needs a history.
func TestSmokeTraces(t *testing.T) {
	for _, slot := range slots.SlotNames() {
		if _, err := slots.NewGate(slot, gate.PolicyConfig{}); err != nil {
			t.Errorf("%s: %v", slot, err)
		}
		if len(slots.SmokeTrace(slot)) == 0 {
			t.Errorf("%s has no trace", slot)
		}
	}
	if slots.SmokeTrace("sampler") != nil {
		t.Error("a trace of no slot")
	}
	for slot, text := range map[string]string{
		// finite until a key has been passed twice in a row, whole shard seen
		"task_sampler": `policy p fills task_sampler {
  state n = 0.5 in [0, 9]
  on record(score) { n += score > 0.75 ? 0.25 : 0 }
  weight { return 1 / (n - 1) }
}`,
		"promotion": `policy p fills promotion {
  state n = 0.25 in [0, 9]
  on report(committed) { n = committed ? n + 0.5 : n * ((n - 0.75) / (n - 0.75)) }
  promote { return n > 1 }
}`,
	} {
		g, err := slots.NewGate(slot, gate.PolicyConfig{Prove: gate.ProveOff, GridPoints: 8})
		if err != nil {
			t.Fatal(err)
		}
		if v := g.Check(text); v.OK || v.Stage != gate.Smoke {
			t.Errorf("%s: admitted or refused at %v: %v", slot, v.Stage, v.Diags)
		}
	}
}
