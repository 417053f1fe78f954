package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/budget"
	"github.com/agentdescent/adrun/slots"
)

// gold is the seed's toy: a task is solved when the artifact names it.
func gold(n int) engine.Callables {
	p := engine.Callables{Name: "gold"}
	for i := range n {
		id := fmt.Sprintf("t%d", i)
		p.Tasks = append(p.Tasks, slots.Task{ID: id, Prompt: "q", Meta: map[string]string{"gold": id}})
	}
	p.Run = func(_ context.Context, rendered string, task slots.Task) (string, error) {
		if strings.Contains(rendered, task.ID) {
			return task.Meta["gold"], nil
		}
		return "?", nil
	}
	p.Reward = func(task slots.Task, output string) float64 {
		if output == task.Meta["gold"] {
			return 1
		}
		return 0
	}
	return p
}

func sayTask(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	return &slots.Proposal{Text: pc.Task.ID}, nil
}

// hill is a graded problem: the artifact is a number, task i wants it at target + its own small offset,
// and the reward falls off with the distance.
type hill struct {
	n, sealed int
	noisy     bool
	calls     func(candidate, task string) error
}

func (h hill) Describe() engine.Description {
	d := engine.Description{Name: "hill", Fingerprint: "1", Initial: "0", Stochastic: h.noisy}
	for i := range h.n + h.sealed {
		t := slots.Task{ID: fmt.Sprintf("h%d", i), Cluster: strconv.Itoa(i % 2)}
		if i < h.n {
			d.Tasks = append(d.Tasks, t)
		} else {
			d.Sealed = append(d.Sealed, t)
		}
	}
	return d
}

func (h hill) Evaluate(_ context.Context, c *slots.Candidate, task slots.Task, seed uint64) (engine.Outcome, error) {
	if h.calls != nil {
		if err := h.calls(c.Text, task.ID); err != nil {
			return engine.Outcome{}, err
		}
	}
	x, err := strconv.ParseFloat(c.Text, 64)
	if err != nil {
		return engine.Outcome{Failure: "not a number"}, nil
	}
	i, _ := strconv.Atoi(task.ID[1:])
	want := 3 + 0.01*float64(i%7)
	if h.noisy {
		want += rand.New(rand.NewPCG(seed, 0)).NormFloat64() * 0.1
	}
	return engine.Outcome{Reward: math.Exp(-math.Abs(x - want)), Spend: slots.Spend{Cost: 1}}, nil
}

// climb proposes a random step, or the best of a few that it has tried.
func climb(ctx context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	rng := rand.New(rand.NewPCG(pc.Seed, 0))
	x, _ := strconv.ParseFloat(pc.Candidate.Text, 64)
	step := func() string { return strconv.FormatFloat(x+rng.NormFloat64()*0.3, 'g', 6, 64) }
	if pc.Trial == nil {
		return &slots.Proposal{Text: step()}, nil
	}
	p := &slots.Proposal{Note: "climb"}
	best := -1.0
	for pc.Trial.Left() >= 2 {
		text := step()
		c, ok := pc.Trial.AdmitText(text)
		if !ok {
			return nil, fmt.Errorf("%q is refused", text)
		}
		rewards, err := pc.Trial.Try(ctx, c, []int{0, 1})
		if err != nil {
			return nil, err
		}
		score := (rewards[0] + rewards[1]) / 2
		p.Elites = append(p.Elites, slots.Elite{Text: text, Identity: c.Identity, Score: score, N: 2})
		if score > best {
			best, p.Text = score, text
		}
	}
	return p, nil
}

func hillConfig(mutate ...func(*engine.Config)) engine.Config {
	c := engine.Config{
		Seed:     7,
		Tasks:    engine.Tasks{Problem: hill{n: 20, sealed: 5}},
		Actor:    engine.Actor{Proposer: slots.ProposerFunc(climb), Trials: 8},
		Policies: slots.Policies{Acceptance: &slots.PairedAcceptance{}},
		Budget:   engine.Budget{Rounds: 12},
	}
	for _, m := range mutate {
		m(&c)
	}
	return c
}

// logOf prints the canonical log of a ledger.
func logOf(m *engine.Memory) string {
	var b strings.Builder
	for _, e := range m.Entries() {
		if e.Kind.Canonical() {
			fmt.Fprintf(&b, "%s %s\n", e.Kind, e.Data)
		}
	}
	return b.String()
}

// firstDiff shows the first line in which two logs differ, "" for equal ones.
func firstDiff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		var a, b string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			return fmt.Sprintf("line %d\n- %.400s\n+ %.400s", i, a, b)
		}
	}
	return ""
}

func mustRun(t *testing.T, c engine.Config) (*engine.Result, string) {
	t.Helper()
	m := engine.NewMemory()
	c.Ledger.Store = m
	res, err := engine.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return res, logOf(m)
}

type refuseEverything struct{ calls int }

func (p *refuseEverything) Accept(ctx slots.MergeContext) (slots.AcceptDecision, error) {
	p.calls++
	return slots.AcceptDecision{
		Category: slots.BelowThreshold, Reason: "refused for the demo", PImprove: slots.Known(0),
		ObservedDelta: ctx.CandCounts.Rate() - ctx.BaseCounts.Rate(), Prior: ctx.Prior,
	}, nil
}

func goldConfig(p slots.Policies) engine.Config {
	return engine.Config{
		Tasks:     engine.Tasks{Problem: gold(8), HeldOut: 0.5},
		Artifacts: []engine.ArtifactConfig{{Strategy: engine.AppendRules{}}},
		Actor:     engine.Actor{Proposer: slots.ProposerFunc(sayTask)},
		Parallel:  engine.Parallel{Lanes: 2},
		Budget:    engine.Budget{Rounds: 3},
		Policies:  p,
	}
}

func TestRefuseEverythingIsConsulted(t *testing.T) {
	policy := &refuseEverything{}
	res, _ := mustRun(t, goldConfig(slots.Policies{Acceptance: policy}))
	if policy.calls == 0 {
		t.Fatal("the gate was never consulted")
	}
	want := map[slots.MergeOutcome]int{slots.BelowThreshold: policy.calls}
	if diff := cmp.Diff(want, res.Outcomes); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	base, _ := mustRun(t, goldConfig(slots.Policies{}))
	if cmp.Equal(base.History, res.History) {
		t.Error("the policy left no trace in the history")
	}
}

func TestHillImproves(t *testing.T) {
	res, log := mustRun(t, hillConfig())
	if !(res.HeldOut.After.Value > res.HeldOut.Before.Value+0.3) {
		t.Errorf("held-out %v -> %v; outcomes %v\n%s", res.HeldOut.Before, res.HeldOut.After, res.Outcomes, log)
	}
	if res.Sealed == nil || res.Sealed.N != 5 || res.Sealed.After.Value <= res.Sealed.Before.Value {
		t.Errorf("sealed %+v", res.Sealed)
	}
	if res.Stop != engine.StopRounds || len(res.History) != 12 {
		t.Errorf("stopped by %s after %d rounds", res.Stop, len(res.History))
	}
}

// variants are the configurations that the promises below are held for.
func variants() map[string]func(*engine.Config) {
	return map[string]func(*engine.Config){
		"default":    func(*engine.Config) {},
		"refresh":    func(c *engine.Config) { c.Parallel.Refresh = 3 },
		"stochastic": func(c *engine.Config) { c.Tasks.Problem = hill{n: 20, noisy: true} },
		"no trials":  func(c *engine.Config) { c.Actor.Trials = 0 },
		"window":     func(c *engine.Config) { c.Parallel.Async.On = true },
		"population": func(c *engine.Config) { c.Policies.Selection = spread{} },
		"beta":       func(c *engine.Config) { c.Policies.Acceptance = nil },
		"allocator":  allocated,
		"allocator, window": func(c *engine.Config) {
			allocated(c)
			c.Parallel.Async.On = true
		},
		"oracle": func(c *engine.Config) {
			c.Gate.Oracle = hill{n: 3}
			c.Artifacts = []engine.ArtifactConfig{{BlastRadius: 0.6}}
		},
	}
}

// allocated spends a budget so tight that the allocator acts.
func allocated(c *engine.Config) {
	c.Actor.Trials = 0
	c.Budget = engine.Budget{
		MaxCost: 400, Governor: budget.Governor{},
		Allocator: &budget.ValueBudgetAllocator{BudgetStart: 0.9},
	}
}

// spread puts lanes on the newest heads; the last becomes dev.
type spread struct{}

func (spread) Select(ctx slots.SelectionContext, n int) ([]int, error) {
	var ids []int
	for i := len(ctx.Heads) - 1; i >= 0 && len(ids) < min(n, 2); i-- {
		ids = append(ids, i)
	}
	if ctx.Round%3 == 2 && len(ids) == 2 {
		ids[0], ids[1] = ids[1], ids[0]
	}
	return ids, nil
}

// fresh undoes what a run left in the policies of a configuration.
func fresh(m func(*engine.Config)) engine.Config { return hillConfig(m) }

func TestWorkersChangeNothing(t *testing.T) {
	for name, m := range variants() {
		t.Run(name, func(t *testing.T) {
			var want string
			for _, workers := range []int{1, 2, 4, 16} {
				c := fresh(m)
				c.Parallel.Workers = workers
				_, got := mustRun(t, c)
				if want == "" {
					want = got
				}
				if diff := firstDiff(want, got); diff != "" {
					t.Fatalf("%d workers (-1 +%d):\n%s", workers, workers, diff)
				}
			}
		})
	}
}

// killed is a ledger whose writes stop being acknowledged after the first n.
type killed struct {
	*engine.Memory
	left int
}

var errKilled = errors.New("killed")

func (k *killed) Write(ctx context.Context, b engine.Batch) error {
	if k.left == 0 {
		return errKilled
	}
	k.left--
	return k.Memory.Write(ctx, b)
}

func TestResumeAfterEveryWrite(t *testing.T) {
	for name, m := range variants() {
		t.Run(name, func(t *testing.T) {
			res, want := mustRun(t, fresh(m))
			for n := 0; ; n++ {
				k := &killed{Memory: engine.NewMemory(), left: n}
				c := fresh(m)
				c.Ledger.Store = k
				_, err := engine.Run(context.Background(), c)
				if err == nil {
					if n < 10 {
						t.Errorf("the run took only %d writes", n)
					}
					return
				}
				if !errors.Is(err, errKilled) {
					t.Fatal(err)
				}
				c = fresh(m)
				c.Ledger.Store = k.Memory
				again, err := engine.Run(context.Background(), c)
				if err != nil {
					t.Fatalf("resume after %d writes: %v", n, err)
				}
				if diff := firstDiff(want, logOf(k.Memory)); diff != "" {
					t.Fatalf("resumed after %d writes (-undisturbed +resumed):\n%s", n, diff)
				}
				a, _ := json.Marshal(res)
				b, _ := json.Marshal(again)
				if diff := firstDiff(string(a), string(b)); diff != "" {
					t.Fatalf("result after %d writes:\n%s", n, diff)
				}
			}
		})
	}
}

func TestAResultIsSavedWhole(t *testing.T) {
	for name, m := range variants() {
		res, _ := mustRun(t, fresh(m))
		res.Meta = json.RawMessage(`{"adopt":true}`)
		var b bytes.Buffer
		if err := res.Save(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := engine.LoadResult(&b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		res.Meters, res.Faults = nil, nil // outside the promise
		compact := cmp.Transformer("compact", func(m json.RawMessage) string { return strings.Join(strings.Fields(string(m)), "") })
		if d := cmp.Diff(res, got, compact, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s (-saved +loaded):\n%s", name, d)
		}
	}
	if _, err := engine.LoadResult(strings.NewReader("{")); err == nil {
		t.Error("half a result was loaded")
	}
}
