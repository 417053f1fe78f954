package slots_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/slots"
)

// evidence is what is compared of a native policy's run and its twin's.
type evidence func(ran) string

// wholeLog is the canonical log, byte for byte.
func wholeLog(r ran) string { return r.log }

// decisions are the moves of dev and the rows of the history: what acceptances decide, without the numbers
// and words that each reports in its own way.
func decisions(r ran) string { return moves(r) + lines(r.History) }

// moves are the moves of dev, for a twin that measures more than the native policy does.
func moves(r ran) string {
	var b strings.Builder
	for _, c := range r.Log {
		fmt.Fprintln(&b, c.Round, c.Outcome, c.Lease, c.Diff)
	}
	return b.String()
}

func lines[T any](rows []T) string {
	var b strings.Builder
	for _, r := range rows {
		data, _ := json.Marshal(r)
		b.Write(append(data, '\n'))
	}
	return b.String()
}

// comparedBy names the twins whose runs differ from the native ones in more than the decisions, and why.
func comparedBy(slot, name string) evidence {
	switch slot + "." + name {
	case "conflict.advantage": // the twin buys scores that the native policy skips
		return moves
	case "acceptance.paired", "acceptance.strict_improvement", "acceptance.stable_distance": // other words and numbers
		return decisions
	}
	return wholeLog
}

// compiled makes the policy of a text a working one.
func compiled(t testing.TB, text string) slots.Policies {
	t.Helper()
	f, err := dsl.Parse("policy.rule", text)
	if err != nil {
		t.Fatal(err)
	}
	decls, err := slots.Declarations()
	if err != nil {
		t.Fatal(err)
	}
	if err := dsl.Check(f, nil, dsl.CheckOptions{Slots: decls}).Diags.Err(); err != nil {
		t.Fatal(err)
	}
	bundle, err := slots.Compile(f.Decls[0].(*dsl.Policy), decls, nil)
	if err != nil {
		t.Fatal(err)
	}
	return bundle
}

var (
	paramLine = regexp.MustCompile(`^\s*param .* = (\S+) in \[(\S+), (\S+)\]`)
	ownLine   = regexp.MustCompile(`^\s*(#|policy|state|pick)`)
	number    = regexp.MustCompile(`\b\d+(\.\d+)?(e\d+)?\b`)
)

// mutants are copies of a policy with one number changed: a param to a bound of its domain, a number of a
// hook by one either way.
func mutants(t *testing.T, text string) []string {
	t.Helper()
	var all []string
	lines := strings.SplitAfter(text, "\n")
	change := func(i, from, to int, value string) {
		l := lines[i]
		all = append(all, strings.Join(lines[:i], "")+l[:from]+value+l[to:]+strings.Join(lines[i+1:], ""))
	}
	for i, l := range lines {
		if m := paramLine.FindStringSubmatchIndex(l); m != nil {
			change(i, m[2], m[3], l[m[6]:m[7]])
			change(i, m[2], m[3], l[m[4]:m[5]])
			continue
		}
		if ownLine.MatchString(l) {
			continue
		}
		for _, m := range number.FindAllStringIndex(l, -1) {
			v, err := strconv.ParseFloat(l[m[0]:m[1]], 64)
			if err != nil {
				t.Fatal(err)
			}
			change(i, m[0], m[1], fmt.Sprintf("(%v)", v+1))
			change(i, m[0], m[1], fmt.Sprintf("(%v)", v-1))
		}
	}
	return all
}

// Each native policy and its rule make the same run; change a number of the rule, and they do not.
func TestTwinsAreIdentical(t *testing.T) {
	names, err := slots.TwinNames()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		slot, name := n[0], n[1]
		t.Run(slot+"."+name, func(t *testing.T) {
			t.Parallel()
			compare := comparedBy(slot, name)
			native, err := slots.ByName(slot, name)
			if err != nil {
				t.Fatal(err)
			}
			want := compare(run(t, knobConfig(native)))
			text, _ := slots.Twin(slot, name)
			got := compare(run(t, knobConfig(compiled(t, text))))
			if d := firstDiff(want, got); d != "" {
				t.Fatalf("native and rule differ:\n%s", d)
			}
			for _, mutant := range mutants(t, text) {
				if compare(run(t, knobConfig(compiled(t, mutant)))) != want {
					return
				}
			}
			t.Error("no change of a number of the rule changes the run")
		})
	}
}

// The runs that the twins are compared on give every slot something to decide.
func TestKnobsExercisesEverySlot(t *testing.T) {
	r := run(t, knobConfig(slots.Policies{}))
	var stale, dropped, fused, commits int
	for _, row := range r.History {
		stale += row.DiscardedStale
		dropped += row.ConflictsDropped
		fused += row.Fused
		commits += row.Commits
	}
	if stale == 0 || dropped == 0 || fused == 0 || commits < 5 || r.Outcomes[slots.BelowThreshold] == 0 ||
		!strings.Contains(r.log, "\nrebase ") || !strings.Contains(r.log, "\npromote ") || !strings.Contains(r.log, "\nrank ") {
		t.Errorf("%d stale, %d dropped, %d fused, %d commits, outcomes %v", stale, dropped, fused, commits, r.Outcomes)
	}
}

func TestTwinsPassTheGate(t *testing.T) {
	names, err := slots.TwinNames()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		text, _ := slots.Twin(n[0], n[1])
		g, err := slots.NewGate(n[0], gate.PolicyConfig{})
		if err != nil {
			t.Fatal(err)
		}
		if v := g.CheckNamed(n[1], text); !v.OK {
			t.Errorf("%s.%s is refused at %v: %v", n[0], n[1], v.Stage, v.Diags)
		}
		f, err := dsl.Parse(n[1], text)
		if err != nil {
			t.Fatal(err)
		}
		if d := firstDiff(text, dsl.Format(f)); d != "" {
			t.Errorf("%s.%s is not as formatted: %s", n[0], n[1], d)
		}
	}
}

// Every default that a rule can express has a twin.
func TestDefaultsHaveTwins(t *testing.T) {
	for _, slot := range slots.SlotNames() {
		if name := slots.PolicyNames(slot)[0]; name != "" {
			if _, ok := slots.Twin(slot, name); !ok {
				t.Errorf("the default of %s, %s, has no twin", slot, name)
			}
		}
	}
	for _, slot := range slots.SlotNames() {
		for _, name := range slots.PolicyNames(slot) {
			if _, ok := slots.Twin(slot, name); !ok && name != "mcts" {
				t.Errorf("%s policy %s has no twin", slot, name)
			}
		}
	}
}

var _ engine.Strategy = knobState{}

// asRules fills all eight slots with rules that learn, draw and buy.
func asRules(t testing.TB) slots.Policies {
	t.Helper()
	var all slots.Policies
	for _, n := range [][2]string{
		{"selection", "archive_sigmoid_novelty"}, {"task_sampler", "difficulty_weighted"}, {"proposal", "ask_actor"},
		{"staleness", "guarded"}, {"conflict", "advantage"}, {"fusion", "tournament"}, {"acceptance", "advantage"},
		{"promotion", "default"},
	} {
		text, _ := slots.Twin(n[0], n[1])
		var err error
		if all, err = all.With(compiled(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// A run that rules decide is a function of its spec: the same for every number of workers, and when it is
// resumed.
func TestRunsByRulesAreReproducible(t *testing.T) {
	want := run(t, knobConfig(asRules(t)))
	for _, workers := range []int{1, 8} {
		got := run(t, knobConfig(asRules(t), func(c *engine.Config) { c.Parallel.Workers = workers }))
		if d := firstDiff(want.log, got.log); d != "" {
			t.Fatalf("%d workers: %s", workers, d)
		}
	}
	free := func(workers int) func(*engine.Config) {
		return func(c *engine.Config) {
			c.Parallel.Refresh, c.Parallel.Async.On, c.Parallel.Workers = 0, true, workers
		}
	}
	if d := firstDiff(run(t, knobConfig(asRules(t), free(1))).log, run(t, knobConfig(asRules(t), free(8))).log); d != "" {
		t.Fatalf("without barriers: %s", d)
	}
	for left := 1; ; left += 5 {
		k := &cut{Memory: engine.NewMemory(), left: left}
		c := knobConfig(asRules(t))
		c.Ledger.Store = k
		_, err := engine.Run(t.Context(), c)
		if err == nil {
			break
		}
		if !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		c = knobConfig(asRules(t))
		c.Ledger.Store = k.Memory
		res, err := engine.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if moves(ran{Result: res}) != moves(want) {
			t.Fatalf("resumed after %d writes, the run moves otherwise", left)
		}
	}
	if len(want.Faults) != 0 {
		t.Errorf("faults %v", want.Faults)
	}
}

func TestFaultsAreReported(t *testing.T) {
	r := run(t, knobConfig(compiled(t, "policy p fills fusion { merit(size) { return 1 / (size - 1) } }")))
	if f := r.Faults["fusion"]; f.NotFinite == 0 || len(r.Faults) != 1 {
		t.Errorf("faults %v", r.Faults)
	}
}
