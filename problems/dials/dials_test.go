package dials_test

import (
	"context"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/problems/dials"
	"github.com/agentdescent/adrun/slots"
)

var plain = dials.Config{Dials: 3, Tasks: 10, Reads: 1, Skill: 1, Stride: 2}

func evaluate(t testing.TB, m *dials.Machine, s slots.State, task int) float64 {
	t.Helper()
	o, err := m.Evaluate(context.Background(), &slots.Candidate{State: s, Identity: s.Keys()[0]}, slots.Task{ID: strconv.Itoa(task)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return o.Reward
}

// With one dial a task and no spread a task's reward falls by 1/16 a position, so the best state can be read off
// the rewards, and it solves everything.
func TestRewardsPointAtTheBestState(t *testing.T) {
	m := dials.New(plain, 7)
	best := m.Initial()
	for dial := range 3 {
		key := "dial" + strconv.Itoa(dial)
		top, at := -1.0, 0
		for x := range 41 {
			s := m.Initial()
			s[key] = strconv.Itoa(x)
			if q := m.Quality(s); q > top {
				top, at = q, x
			}
		}
		best[key] = strconv.Itoa(at)
	}
	if q := m.Quality(best); q != 1 {
		t.Fatalf("the best state has quality %v", q)
	}
	for task := range plain.Tasks {
		if r := evaluate(t, m, best, task); r != 1 {
			t.Errorf("task %d: %v", task, r)
		}
		r := evaluate(t, m, m.Initial(), task)
		if d := (1 - r) * 16; d != math.Trunc(d) || d < 4 || d > 12 {
			t.Errorf("task %d starts %v positions away, want 4 to 12", task, d)
		}
	}
}

// A mechanic of full skill never moves away from what the task wants.
func TestTheMechanicMovesTowardsTheTask(t *testing.T) {
	m := dials.New(plain, 7)
	for lease := range 50 {
		task := lease % plain.Tasks
		pc := &slots.ProposalContext{Task: slots.Task{ID: strconv.Itoa(task)}, Artifact: slots.Artifact{State: m.Initial()}, Seed: uint64(lease)}
		p, err := m.Propose(context.Background(), pc)
		if err != nil {
			t.Fatal(err)
		}
		before, after := evaluate(t, m, m.Initial(), task), evaluate(t, m, m.Initial().Apply(p.Diff), task)
		if d := (after - before) * 16; d != 1 && d != 2 {
			t.Errorf("lease %d gains %v positions", lease, d)
		}
	}
}

func TestNoise(t *testing.T) {
	c := plain
	c.Noise, c.Tasks = 0.05, 2000
	noisy, quiet := dials.New(c, 7), dials.New(plain, 7)
	sum, squares := 0.0, 0.0
	for task := range c.Tasks {
		// The tasks of both machines read the same dials of the same start, so a reward has one of three means.
		r := evaluate(t, noisy, noisy.Initial(), task)
		near := 1.0
		for k := range plain.Tasks {
			if d := r - evaluate(t, quiet, quiet.Initial(), k); math.Abs(d) < math.Abs(near) {
				near = d
			}
		}
		sum, squares = sum+near, squares+near*near
		if again := evaluate(t, noisy, noisy.Initial(), task); again != r {
			t.Fatalf("task %d measured twice: %v and %v", task, r, again)
		}
	}
	if sd := math.Sqrt(squares / 2000); sd < 0.02 || sd > 0.06 || math.Abs(sum/2000) > 0.02 {
		t.Errorf("mean %v, standard deviation %v", sum/2000, sd)
	}
}

// There is a regime for each slot, and its runs can start.
func TestRegimesCoverTheSlots(t *testing.T) {
	var covered []string
	for _, r := range dials.Regimes() {
		covered = append(covered, r.Slot)
		for _, c := range []dials.Config{r.Small, r.Large} {
			if err := r.Config(dials.New(c, 1)).Validate(); err != nil {
				t.Errorf("%s: %v", r.Name, err)
			}
		}
	}
	if !slices.Equal(covered, slots.SlotNames()) {
		t.Errorf("regimes for %v", covered)
	}
	if _, err := dials.RegimeByName("steady"); err == nil {
		t.Error("there is a regime that nobody made")
	}
}

func TestARunTunesTheMachine(t *testing.T) {
	r, err := dials.RegimeByName("trailing")
	if err != nil {
		t.Fatal(err)
	}
	m := dials.New(r.Small, 2)
	res, err := engine.Run(context.Background(), r.Config(m))
	if err != nil {
		t.Fatal(err)
	}
	if before, after := m.Quality(m.Initial()), m.Quality(res.State); after < before+0.2 {
		t.Errorf("from %v to %v", before, after)
	}
}
