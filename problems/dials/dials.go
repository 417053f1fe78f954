// Package dials is a synthetic problem for whole runs of the engine: a machine whose dials must be set, with a
// mechanic who proposes. It makes runs that take milliseconds and in which one decision of the engine matters
// most, so that the value of a slot can be tried on it.
//
// # Semantics
//
// A machine of a seed has dials with positions 0 to 40. Each has a best position, uniform in 8 to 32, and starts
// there with the chance Easy, else 4 to 12 positions away. A task reads some of the dials, each once, and
// wants each at its best position give or take Spread. Its reward is the mean closeness of the dials that it
// reads, max(0, 1 − distance/16); with Rugged above 0 a distance that is no multiple of 3 costs that much more.
// With Noise above 0 the reward is off by Noise standard deviations that depend on state and task, so that
// measuring again does not help.
//
// What a state is really worth, its quality, is the mean reward without noise over 256 further tasks.
//
// The mechanic is asked after a rollout. With the chance Skill it moves a dial that the task reads towards what
// the task wants, else a dial of the machine either way, by 1 to Stride positions; it does not know how far off
// the dial is, so near the goal it overshoots. A proposal costs a call.
//
// # Concurrency and determinism
//
// Machines are functions of configuration and seed and are safe for concurrent use.
package dials

import (
	"context"
	"fmt"
	"strconv"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/slots"
)

const (
	positions = 40  // the highest position
	reach     = 16  // distance at which a dial is worth nothing
	judges    = 256 // tasks that tell the quality
)

// Config says what machines are like.
type Config struct {
	Dials int // at least 1
	Tasks int // training and held-out tasks
	Reads int // dials that a task reads
	// Easy is the chance that a dial starts at its best position.
	Easy float64
	// Spread is how far tasks disagree about a dial.
	Spread int
	// Rugged is what a distance that is no multiple of 3 costs beside itself, in [0, 1).
	Rugged float64
	// Noise is the standard deviation of what is wrong with a reward.
	Noise float64
	// Skill is the chance that the mechanic moves a dial of the task towards what it wants; Stride the most
	// positions that it moves.
	Skill  float64
	Stride int
}

// task wants dials at positions.
type task struct {
	dials []int
	wants []int
}

// Machine is the problem of one seed.
type Machine struct {
	cfg    Config
	seed   uint64
	start  []int
	tasks  []task
	judges []task
}

var _ engine.Problem = (*Machine)(nil)

// New returns the machine of a seed.
func New(c Config, seed int64) *Machine {
	m := &Machine{cfg: c, seed: uint64(seed)}
	rng := derive.Rand(m.seed, "dials")
	best := make([]int, c.Dials)
	for i := range best {
		best[i] = 8 + rng.IntN(25)
		away := 0
		if rng.Float64() >= c.Easy {
			away = (4 + rng.IntN(9)) * (1 - 2*rng.IntN(2))
		}
		m.start = append(m.start, min(max(best[i]+away, 0), positions))
	}
	draw := func(n int) []task {
		all := make([]task, n)
		for i := range all {
			all[i].dials = rng.Perm(c.Dials)[:min(c.Reads, c.Dials)]
			for _, d := range all[i].dials {
				all[i].wants = append(all[i].wants, best[d]-c.Spread+rng.IntN(2*c.Spread+1))
			}
		}
		return all
	}
	m.tasks, m.judges = draw(c.Tasks), draw(judges)
	return m
}

// Describe implements engine.Problem.
func (m *Machine) Describe() engine.Description {
	d := engine.Description{Name: "dials", Fingerprint: fmt.Sprintf("dials/1 %+v seed=%d", m.cfg, m.seed)}
	for i := range m.tasks {
		d.Tasks = append(d.Tasks, slots.Task{ID: strconv.Itoa(i)})
	}
	return d
}

// key is the key of a dial in a state.
func key(dial int) string { return "dial" + strconv.Itoa(dial) }

// Initial is the state that a run starts from.
func (m *Machine) Initial() slots.State {
	s := slots.State{}
	for i, x := range m.start {
		s[key(i)] = strconv.Itoa(x)
	}
	return s
}

// position reads a dial; a state without it has it at 0.
func position(s slots.State, dial int) int {
	x, err := strconv.Atoi(s[key(dial)])
	if err != nil {
		return 0
	}
	return x
}

// closeness is the reward of a task without noise.
func (m *Machine) closeness(s slots.State, t task) float64 {
	sum := 0.0
	for i, d := range t.dials {
		off := position(s, d) - t.wants[i]
		if off < 0 {
			off = -off
		}
		near := 1 - float64(off)/reach
		if off%3 != 0 {
			near -= m.cfg.Rugged
		}
		sum += max(0, near)
	}
	return sum / float64(len(t.dials))
}

// Evaluate implements engine.Problem.
func (m *Machine) Evaluate(_ context.Context, c *slots.Candidate, t slots.Task, _ uint64) (engine.Outcome, error) {
	i, err := strconv.Atoi(t.ID)
	if err != nil || i < 0 || i >= len(m.tasks) {
		return engine.Outcome{}, fmt.Errorf("dials: there is no task %q", t.ID)
	}
	reward := m.closeness(c.State, m.tasks[i])
	if m.cfg.Noise > 0 {
		reward += float64(m.cfg.Noise * derive.Bell(derive.Rand(m.seed, "noise "+c.Identity, uint64(i))))
	}
	return engine.Outcome{Reward: min(max(reward, 0), 1)}, nil
}

// Quality is what a state is really worth.
func (m *Machine) Quality(s slots.State) float64 {
	sum := 0.0
	for _, t := range m.judges {
		sum += m.closeness(s, t)
	}
	return sum / judges
}

// Propose is the mechanic.
func (m *Machine) Propose(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	i, err := strconv.Atoi(pc.Task.ID)
	if err != nil || i < 0 || i >= len(m.tasks) {
		return nil, fmt.Errorf("dials: there is no task %q", pc.Task.ID)
	}
	rng, t := derive.Rand(pc.Seed, "mechanic"), m.tasks[i]
	step := 1 + rng.IntN(m.cfg.Stride)
	dial := rng.IntN(m.cfg.Dials)
	if rng.IntN(2) == 0 {
		step = -step
	}
	if rng.Float64() < m.cfg.Skill {
		k := rng.IntN(len(t.dials))
		dial = t.dials[k]
		if (position(pc.Artifact.State, dial) > t.wants[k]) != (step < 0) {
			step = -step
		}
	}
	x := min(max(position(pc.Artifact.State, dial)+step, 0), positions)
	return &slots.Proposal{Diff: slots.Write(key(dial), strconv.Itoa(x)), Spend: slots.Spend{Calls: 1}}, nil
}

var _ slots.Proposer = (*Machine)(nil)
