package landscape_test

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/problems/landscape"
	"github.com/agentdescent/adrun/slots"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
)

// native is a Go function in the place of a compiled rule.
type native struct{ treesearch.PriorityFunc }

func (n native) Batch(cols [][]float64, out []float64) {
	var args [6]float64
	for row := range out {
		for i, col := range cols {
			args[i] = col[min(row, len(col)-1)]
		}
		out[row] = n.Num(args[:])
	}
}

func candidate(priority treesearch.PriorityFunc) *slots.Candidate {
	return &slots.Candidate{Program: native{priority}}
}

func TestValidateReportsEverything(t *testing.T) {
	err := landscape.Config{
		Family: landscape.Family{Name: "odd", Step: -1, DeadEnds: 2, Ruggedness: 1, Offset: math.NaN()},
		Budget: -1,
		Seeds:  []int64{3, 4, 3, math.MaxInt64},
		Sealed: []int64{4},
	}.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"dim", "step", "dead ends", "ruggedness", "offset", "budget -1", "seed 3 twice", "seed 4 twice", "seed 9223372036854775807"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error does not mention %q:\n%v", want, err)
		}
	}
	if _, err := landscape.NewProblem(landscape.Config{Family: landscape.Source()}); err == nil || !strings.Contains(err.Error(), "no seeds") {
		t.Errorf("NewProblem without seeds: %v", err)
	}
}

func TestDescribe(t *testing.T) {
	describe := func(budget int) (fingerprint string) {
		t.Helper()
		p, err := landscape.NewProblem(landscape.Config{Family: landscape.Target(), Budget: budget, Seeds: []int64{7, -8}, Sealed: []int64{9}})
		if err != nil {
			t.Fatal(err)
		}
		d := p.Describe()
		if diff := cmp.Diff([]slots.Task{{ID: "7"}, {ID: "-8"}}, d.Tasks); diff != "" {
			t.Errorf("tasks (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]slots.Task{{ID: "9"}}, d.Sealed); diff != "" {
			t.Errorf("sealed tasks (-want +got):\n%s", diff)
		}
		if d.Signature.DeclName() != "selection.priority" {
			t.Errorf("signature is %s", d.Signature.DeclName())
		}
		return d.Fingerprint
	}
	if a, b := describe(0), describe(landscape.DefaultBudget); a != b {
		t.Errorf("fingerprint of the default budget is %q, spelled out %q", a, b)
	}
	if a, b := describe(60), describe(61); a == b {
		t.Errorf("budgets 60 and 61 share the fingerprint %q", a)
	}
}

// Evaluations side by side are those of one searcher, one after the other.
func TestEvaluateInParallel(t *testing.T) {
	p, err := landscape.NewProblem(landscape.Config{Family: landscape.Target(), Seeds: []int64{1}})
	if err != nil {
		t.Fatal(err)
	}
	tasks := make([]slots.Task, 40)
	for i := range tasks {
		tasks[i].ID = strconv.Itoa(i)
	}
	rewards := make([]float64, len(tasks))
	var group errgroup.Group
	for i, task := range tasks {
		group.Go(func() error {
			outcome, err := p.Evaluate(t.Context(), candidate(flatPuct(0.25)), task, uint64(i))
			rewards[i] = outcome.Reward
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	searcher := landscape.NewSearcher(landscape.Target())
	for i := range tasks {
		want, err := searcher.Search(t.Context(), int64(i), landscape.DefaultBudget, treesearch.NewPrioritySelection(flatPuct(0.25)))
		if err != nil {
			t.Fatal(err)
		}
		if rewards[i] != want.AUC {
			t.Errorf("seed %d: reward %v, auc %v", i, rewards[i], want.AUC)
		}
	}
}

// A rule that has no finite value anywhere expands the root every time: a poor search, not a failure.
func TestEvaluateCountsNotFinite(t *testing.T) {
	p, err := landscape.NewProblem(landscape.Config{Family: landscape.Source(), Budget: 10, Seeds: []int64{1}})
	if err != nil {
		t.Fatal(err)
	}
	nan := func(rank, visits, total, prior, depth, nodes float64) float64 { return math.NaN() }
	got, err := p.Evaluate(t.Context(), candidate(nan), slots.Task{ID: "1"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	const values = 10 * 11 / 2 // 1 + 2 + … + 10 nodes
	if got.Failure != "" || got.Metrics["not_finite"] != values {
		t.Errorf("failure %q, %v values not finite; want none, %d", got.Failure, got.Metrics["not_finite"], values)
	}
}

func TestEvaluateErrors(t *testing.T) {
	p, err := landscape.NewProblem(landscape.Config{Family: landscape.Source(), Seeds: []int64{1}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Evaluate(t.Context(), &slots.Candidate{Text: "rule"}, slots.Task{ID: "1"}, 0); err == nil {
		t.Error("a candidate that is not compiled: no error")
	}
	if _, err := p.Evaluate(t.Context(), candidate(greedy), slots.Task{ID: "one"}, 0); err == nil {
		t.Error("a task that is not a seed: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Evaluate(ctx, candidate(greedy), slots.Task{ID: "1"}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}
