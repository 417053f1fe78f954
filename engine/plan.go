package engine

import (
	"fmt"
	"slices"

	"github.com/agentdescent/adrun/slots"
)

// Plan says what a run would do, before it does it.
type Plan struct {
	Problem string   `json:"problem"`
	Train   []string `json:"train"`
	HeldOut []string `json:"held_out"`
	Sealed  []string `json:"sealed,omitempty"`
	Lanes   int      `json:"lanes"`
	// OneSided names each cluster of tasks that stands on one side of the split only: what is learned on
	// it is not judged on it, or the reverse.
	OneSided []string `json:"one_sided,omitempty"`
	// SmallestGain is the smallest share of the held-out tasks that must be won for a first commit, absent
	// when the acceptance cannot say or nothing would do; Sees says it in words.
	SmallestGain slots.Maybe `json:"smallest_gain"`
	Sees         string      `json:"sees,omitempty"`
	// FirstRound is the least that the start and one round with one proposal and one measurement cost.
	FirstRound slots.Spend `json:"first_round"`
	Warnings   []string    `json:"warnings,omitempty"`
}

// fewTasks is the number of held-out tasks below which a plan warns whatever the spec says.
const fewTasks = 4

// NewPlan plans a run. The error is that of Validate.
func NewPlan(c Config) (*Plan, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.normalize()
	d := c.Tasks.Problem.Describe()
	s := SplitTasks(d.Tasks, c.Tasks.HeldOut)
	p := &Plan{
		Problem: d.Name, Train: ids(s.Train), HeldOut: ids(s.HeldOut), Sealed: ids(d.Sealed),
		Lanes: c.Parallel.Lanes, OneSided: oneSided(s), FirstRound: firstRound(c, s),
	}
	p.Warnings = c.Policies.Warnings(c.Gate.Merge)
	acceptance := c.Policies.Fill().Acceptance
	if q, ok := acceptance.(slots.Configurer); ok {
		q.Configure(c.Gate.Merge)
	}
	if q, ok := acceptance.(slots.Sensitive); ok {
		p.SmallestGain, p.Sees = q.SmallestGain(len(s.HeldOut))
	}
	p.warn(c, len(s.HeldOut))
	return p, nil
}

func (p *Plan) warn(c Config, held int) {
	if least := max(fewTasks, c.Gate.MinGate); held < least {
		p.Warnings = append(p.Warnings, fmt.Sprintf(
			"%d held-out tasks judge every candidate; at least %d are asked for", held, least))
	}
	for _, name := range p.OneSided {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s stands on one side of the split only", name))
	}
	if p.Sees != "" && !p.SmallestGain.Known {
		p.Warnings = append(p.Warnings, p.Sees)
	}
}

// firstRound is what must fit into a budget for a run to make sense.
func firstRound(c Config, s Split) slots.Spend {
	least := slots.Spend{Rollouts: c.Parallel.Lanes + 2*len(s.HeldOut)}
	if c.Tasks.Problem.Describe().Signature != nil && !c.Budget.Money {
		least.Cost = float64(least.Rollouts) // a rule costs a unit at least
	}
	if c.Parallel.Async.On {
		least = least.Plus(c.Budget.Reserve.Merge) // the last one
	}
	return least.Plus(c.Budget.reserved(c.Parallel.Lanes))
}

func ids(tasks []slots.Task) []string {
	out := make([]string, len(tasks))
	for i, t := range tasks {
		out[i] = t.ID
	}
	return out
}

// oneSided lists the clusters that are only trained on or only judged on, sorted.
func oneSided(s Split) []string {
	sides := map[string]int{}
	for _, t := range s.Train {
		sides[t.Cluster] |= 1
	}
	for _, t := range s.HeldOut {
		sides[t.Cluster] |= 2
	}
	var out []string
	for _, name := range sortedKeys(sides) {
		if sides[name] != 3 && name != "" {
			out = append(out, name)
		}
	}
	return slices.Clip(out)
}
