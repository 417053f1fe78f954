package ledger_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// hill is a problem whose candidates are numbers: the nearer to about 3, the better.
type hill struct {
	dear bool
	call func(candidate, task string)
}

func (h hill) Describe() engine.Description {
	d := engine.Description{Name: "hill", Fingerprint: "1", Initial: "0", Dear: h.dear}
	for i := range 20 {
		d.Tasks = append(d.Tasks, slots.Task{ID: "h" + strconv.Itoa(i)})
	}
	d.Sealed = []slots.Task{{ID: "s0"}, {ID: "s1"}}
	return d
}

func (h hill) Evaluate(_ context.Context, c *slots.Candidate, task slots.Task, _ uint64) (engine.Outcome, error) {
	if h.call != nil {
		h.call(c.Text, task.ID)
	}
	x, err := strconv.ParseFloat(c.Text, 64)
	if err != nil {
		return engine.Outcome{Failure: "not a number"}, nil
	}
	i, _ := strconv.Atoi(task.ID[1:])
	want := 3 + 0.01*float64(i%7)
	return engine.Outcome{Reward: math.Exp(-math.Abs(x - want)), Spend: slots.Spend{Cost: 1}}, nil
}

// climb proposes a step towards the summit whose length is random.
func climb(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	x, err := strconv.ParseFloat(pc.Candidate.Text, 64)
	if err != nil {
		return nil, err
	}
	step := 0.6 * rand.New(rand.NewPCG(pc.Seed, 0)).Float64()
	return &slots.Proposal{Text: strconv.FormatFloat(x+step, 'f', 4, 64)}, nil
}

func hillConfig(l engine.Ledger, h hill) engine.Config {
	return engine.Config{
		Seed:     7,
		Tasks:    engine.Tasks{Problem: h},
		Actor:    engine.Actor{Proposer: slots.ProposerFunc(climb)},
		Policies: slots.Policies{Acceptance: &slots.PairedAcceptance{}},
		Budget:   engine.Budget{Rounds: 6},
		Ledger:   engine.LedgerConfig{Store: l},
	}
}

// canonical prints the canonical log.
func canonical(entries []engine.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		if e.Kind.Canonical() {
			fmt.Fprintf(&b, "%s %s\n", e.Kind, e.Data)
		}
	}
	return b.String()
}
