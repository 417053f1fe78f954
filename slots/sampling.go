package slots

import (
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// DifficultyWeighted prefers tasks that are neither always nor never passed, since only those teach: the
// weight of a task is
//
//	4·p·(1−p) + 0.001 + C·√(ln(picks+1) / trials),
//
// p the share of its trials that passed, and an untried task comes first. An instance belongs to one run.
type DifficultyWeighted struct {
	// C is the weight of exploration; default 0.2. A trial passes at a reward of Pass; default 0.5.
	C, Pass float64

	run   once
	picks float64
	tasks map[string]*trialCount
}

type trialCount struct{ passes, trials float64 }

// untried is the bonus of a task without trials: more than any other weight.
const untried = 1e9

// PolicyName returns "difficulty_weighted".
func (p *DifficultyWeighted) PolicyName() string { return "difficulty_weighted" }

// Start takes the instance for a run.
func (p *DifficultyWeighted) Start(uint64) error { return p.run.take("DifficultyWeighted") }

// Pick returns the key of the largest weight, the first of equals.
func (p *DifficultyWeighted) Pick(keys []string, _ int) string {
	c := p.C
	def(&c, 0.2)
	p.picks++
	best, most := "", math.Inf(-1)
	for _, key := range keys {
		rate, bonus := 0.5, float64(untried)
		if t := p.tasks[key]; t != nil {
			rate = t.passes / t.trials
			bonus = float64(c * math.Sqrt(fmath.Log(p.picks+1)/t.trials))
		}
		if w := float64(4*rate*(1-rate)) + 0.001 + bonus; w > most {
			best, most = key, w
		}
	}
	return best
}

// Record counts a trial.
func (p *DifficultyWeighted) Record(task string, score float64, _ int) {
	pass := p.Pass
	def(&pass, 0.5)
	if p.tasks == nil {
		p.tasks = map[string]*trialCount{}
	}
	t := p.tasks[task]
	if t == nil {
		t = &trialCount{}
		p.tasks[task] = t
	}
	t.trials++
	if score >= pass {
		t.passes++
	}
}

var (
	_ TaskSampler = RoundRobin{}
	_ TaskSampler = (*DifficultyWeighted)(nil)
	_ Starter     = (*DifficultyWeighted)(nil)
)
