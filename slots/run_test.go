package slots_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// knobs is a problem for runs that every slot has work in: an artifact of six numbers by name, each task
// wanting two of them near values of its own.
type knobs struct{ tasks int }

func (p knobs) Describe() engine.Description {
	d := engine.Description{Name: "knobs", Fingerprint: "1"}
	for i := range p.tasks {
		d.Tasks = append(d.Tasks, slots.Task{ID: fmt.Sprintf("t%d", i)})
	}
	return d
}

const knobKeys = 6

func (p knobs) Evaluate(_ context.Context, c *slots.Candidate, task slots.Task, _ uint64) (engine.Outcome, error) {
	i, _ := strconv.Atoi(task.ID[1:])
	reward := 1.0
	for j := range 2 {
		k := (i + j*(1+i%4)) % knobKeys
		x, _ := strconv.ParseFloat(c.State[fmt.Sprintf("k%d", k)], 64)
		reward *= math.Exp(-math.Abs(x-1-0.3*float64(i%5)) / 2)
	}
	return engine.Outcome{Reward: reward}, nil
}

// knobState is KeyedRules whose first key is a contract, with a distance between states.
type knobState struct{ engine.KeyedRules }

func (knobState) Breaks(_ slots.State, d slots.Diff) bool { return d.Meets(slots.Write("k0", "")) }

func (knobState) Distance(a, b slots.State) float64 {
	differ := 0
	for k := range knobKeys {
		if key := fmt.Sprintf("k%d", k); a[key] != b[key] {
			differ++
		}
	}
	return float64(differ) / knobKeys
}

// turn proposes another value of one or two knobs.
func turn(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	rng := rand.New(rand.NewPCG(pc.Seed, 1))
	edit := func() slots.Edit {
		key := fmt.Sprintf("k%d", rng.IntN(knobKeys))
		x, _ := strconv.ParseFloat(pc.Artifact.State[key], 64)
		return slots.Edit{Key: key, Value: strconv.FormatFloat(x+rng.NormFloat64()*0.4, 'g', 5, 64)}
	}
	d := slots.NewDiff(edit())
	if rng.IntN(3) == 0 {
		d = slots.NewDiff(edit(), edit())
	}
	return &slots.Proposal{Diff: d}, nil
}

// knobConfig is a run of knobs with lanes that lag.
func knobConfig(p slots.Policies, mutate ...func(*engine.Config)) engine.Config {
	c := engine.Config{
		Seed:      11,
		Tasks:     engine.Tasks{Problem: knobs{tasks: 30}},
		Artifacts: []engine.ArtifactConfig{{Strategy: knobState{}}},
		Actor:     engine.Actor{Proposer: slots.ProposerFunc(turn)},
		Policies:  p,
		Parallel:  engine.Parallel{Lanes: 5, Workers: 2, Refresh: 3},
		Gate:      engine.Gate{Merge: slots.MergeConfig{CheapTasks: 5}},
		Budget:    engine.Budget{Rounds: 24},
	}
	for _, m := range mutate {
		m(&c)
	}
	return c
}

// ran is a run, and its canonical log.
type ran struct {
	*engine.Result
	log string
}

func run(t testing.TB, c engine.Config) ran {
	t.Helper()
	m := engine.NewMemory()
	c.Ledger.Store = m
	res, err := engine.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range m.Entries() {
		if e.Kind.Canonical() {
			fmt.Fprintf(&b, "%s %s\n", e.Kind, e.Data)
		}
	}
	return ran{res, b.String()}
}

// firstDiff shows the first line in which two texts differ, "" for equal ones.
func firstDiff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		a, b := "(end)", "(end)"
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			return fmt.Sprintf("line %d\n- %.600s\n+ %.600s", i+1, a, b)
		}
	}
	return ""
}
