package meta_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/meta"
	"github.com/agentdescent/adrun/reflector"
	"github.com/agentdescent/adrun/slots"
)

// level is an inner problem whose whole curve is a function of the rule's value at the root: what a search
// would give is known in advance.
type level struct {
	name  string
	of    func(x float64) float64
	slots []string
}

func (p level) Describe() meta.Description {
	return meta.Description{Name: p.name, Fingerprint: "level/1", Slots: p.slots}
}

func (p level) Run(_ context.Context, v meta.Value, seed int64) (meta.Outcome, error) {
	x := v.Priority.Num([]float64{0.5, 0, 0, 1, 0, 1})
	y := math.Max(0, math.Min(1, p.of(x)+0.001*float64(seed%7)))
	return meta.Outcome{Curve: []float64{y}, Final: y, Rollouts: 1}, nil
}

func rising(x float64) float64  { return 0.1 + 0.5*math.Tanh(math.Abs(x)) }
func falling(x float64) float64 { return 0.9 - 0.5*math.Tanh(math.Abs(x)) }

func spec(t testing.TB, initial string) *meta.RuleSlot {
	t.Helper()
	s, err := meta.NewPriority(meta.RuleConfig{Initial: initial})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func seeds(from, n int64) []int64 {
	var all []int64
	for i := range n {
		all = append(all, from+i)
	}
	return all
}

// runConfig is a small outer run from a rule that gives 0.1 at the root.
func runConfig(t testing.TB, train, validate func(float64) float64) meta.RunConfig {
	return meta.RunConfig{
		Config: meta.Config{
			Spec:     spec(t, "rule priority { return 0.1 }"),
			Problems: []meta.Problem{level{name: "train", of: train}}, Seeds: seeds(1, 20),
			Outer: engine.Config{
				Seed: 3, Actor: engine.Actor{Proposer: reflector.Breeder{}, Trials: 300},
				Policies: slots.Policies{Acceptance: &slots.PairedAcceptance{}},
				Budget:   engine.Budget{Rounds: 2}, Parallel: engine.Parallel{Lanes: 2},
			},
		},
		Validation: []meta.Problem{level{name: "other", of: validate}},
		Draw:       reflector.Mutant{},
	}
}

func TestVerdicts(t *testing.T) {
	for name, tt := range map[string]struct {
		train, validate func(float64) float64
		adjust          func(*meta.RunConfig)
		verdict         meta.Verdict
		reason          string
	}{
		"a gain that transfers": {rising, rising, nil, meta.Adopt, "a gain of +0."},
		"a gain that does not":  {rising, falling, nil, meta.Reject, "no gain on unseen problems"},
		"a gain below what is asked": {rising, rising, func(c *meta.RunConfig) { c.MinGain = 0.9 },
			meta.Reject, "not above 0.9"},
		"too small a share": {rising, rising, func(c *meta.RunConfig) { c.TransferFloor = 1.5 },
			meta.Reject, "too little of the source gain transfers"},
		"nothing to gain": {func(float64) float64 { return 0.5 }, rising, nil, meta.Reject, "no change"},
	} {
		t.Run(name, func(t *testing.T) {
			c := runConfig(t, tt.train, tt.validate)
			if tt.adjust != nil {
				tt.adjust(&c)
			}
			r, res, err := meta.Run(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != tt.verdict || !strings.Contains(r.Reason, tt.reason) {
				t.Errorf("%s: %s, want %s: %s", r.Verdict, r.Reason, tt.verdict, tt.reason)
			}
			if len(res.Meta) == 0 || !strings.Contains(string(res.Meta), string(tt.verdict)) {
				t.Errorf("the result keeps %q", res.Meta)
			}
		})
	}
}

// Both gains of a report are those of Validate on the same pairs, and the transfer ratio is their quotient.
func TestTheReportIsMeasured(t *testing.T) {
	c := runConfig(t, rising, rising)
	r, res, err := meta.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	val, err := meta.Validate(context.Background(), meta.ValidateConfig{
		Spec: c.Spec, Before: c.Spec.Initial(), After: res.State, Problems: c.Validation, Seeds: seeds(1_000_001, 20),
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(val, r.Validation); diff != "" {
		t.Error(diff)
	}
	if want := r.Validation.Gain / r.Source.Gain; r.Transfer.Value != want {
		t.Errorf("transfer %v, want %v", r.Transfer.Value, want)
	}
	if r.Source.N != 20 || r.BestOf.Searches > r.Searches || r.BestOf.Admitted == 0 || len(r.Family.Members) != 7 {
		t.Errorf("%+v", r)
	}
	if r.Headroom != nil || !strings.Contains(strings.Join(r.Notes, "\n"), "no oracle") {
		t.Errorf("a headroom without an oracle: %+v", r)
	}
}

func TestWorkersChangeNothing(t *testing.T) {
	report := func(workers int) *meta.Report {
		c := runConfig(t, rising, rising)
		c.Workers, c.Outer.Parallel.Workers = workers, workers
		r, _, err := meta.Run(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if diff := cmp.Diff(report(1), report(5)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatMayNotBeComposed(t *testing.T) {
	for name, tt := range map[string]struct {
		adjust func(*meta.RunConfig)
		want   []string
	}{
		"a problem on both sides": {func(c *meta.RunConfig) { c.Validation = c.Problems },
			[]string{"problem train trains and validates"}},
		"a seed on both sides": {func(c *meta.RunConfig) { c.ValidationSeeds = seeds(20, 5) },
			[]string{"seed 20 trains and validates"}},
		"everything at once": {func(c *meta.RunConfig) {
			c.Problems = append(c.Problems, level{name: "a/b"}, level{name: "train"}, level{name: "x", slots: []string{"promotion"}})
			c.Seeds = []int64{1, 2, 1}
		}, []string{`"a/b"`, `two problems are called "train"`, "x is decided by promotion, not by selection", "seed 1 twice"}},
		"no problem, no seed": {func(c *meta.RunConfig) { c.Problems, c.Seeds, c.Validation = nil, nil, nil },
			[]string{"Problems: no inner problem", "Seeds: no seeds", "Validation: no inner problem"}},
		"a seed value that its gate refuses": {func(c *meta.RunConfig) { c.Spec = spec(t, "rule priority(visits) { return 1 / visits }") },
			[]string{"the value to start from", "refused by its own gate"}},
		"a gate without tasks": {func(c *meta.RunConfig) { c.Seeds = []int64{1} },
			[]string{"at least one must train and one be held out"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := runConfig(t, rising, rising)
			tt.adjust(&c)
			_, _, err := meta.Run(context.Background(), c)
			if err == nil {
				t.Fatal("it ran")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not among:\n%v", want, err)
				}
			}
		})
	}
}

func TestCheckSlot(t *testing.T) {
	for _, s := range slots.SlotNames() {
		if err := meta.CheckSlot(s); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	for _, m := range []string{"verifier", "ledger", "executor", "evaluator", "eval_cache", "aggregator_factory", "sandbox_image"} {
		if err := meta.CheckSlot(m); err == nil || !strings.Contains(err.Error(), "L0") || !strings.Contains(err.Error(), m) {
			t.Errorf("%s: %v", m, err)
		}
	}
	if err := meta.CheckSlot("selektion"); err == nil || !strings.Contains(err.Error(), "there is no slot") {
		t.Errorf("%v", err)
	}
}

func TestCompare(t *testing.T) {
	// Differences 1, 2, 3, 0, −1: mean 1, variance 2.5, t = 1/√(2.5/5), 3 wins of 4.
	p := meta.Compare([]float64{0, 0, 0, 5, 1}, []float64{1, 2, 3, 5, 0})
	half := 2.7764451 * math.Sqrt(0.5)
	switch {
	case p.N != 5 || p.Gain != 1 || p.Wins != 3 || p.Losses != 1,
		math.Abs(p.SD-math.Sqrt(2.5)) > 1e-12, math.Abs(p.SignP-5.0/16) > 1e-12,
		math.Abs(p.Lo.Value-(1-half)) > 1e-6, math.Abs(p.Hi.Value-(1+half)) > 1e-6:
		t.Errorf("%+v", p)
	}
	if p := meta.Compare([]float64{1}, []float64{2}); p.Lo.Known || p.P.Known || p.Gain != 1 {
		t.Errorf("one pair has an interval: %+v", p)
	}
	if p := meta.Compare([]float64{1, 2}, []float64{1, 2}); p.P.Known || p.SignP != 1 {
		t.Errorf("equal values: %+v", p)
	}
}

func TestTransferRatio(t *testing.T) {
	if r := meta.TransferRatio(0.012, 0.024); r.Value != 0.5 || !r.Known {
		t.Errorf("%+v", r)
	}
	if r := meta.TransferRatio(0.1, 0); r.Known {
		t.Errorf("no source gain gives %+v", r)
	}
}

func TestScores(t *testing.T) {
	o := meta.Outcome{Curve: []float64{0.2, 0.1, 0.6}, Final: 0.5, Rollouts: 12, Detail: meta.Detail{Metrics: map[string]float64{"dead": 3}}}
	for text, want := range map[string]float64{
		"":                         (0.2 + 0.2 + 0.6) / 3,
		"auc":                      (0.2 + 0.2 + 0.6) / 3,
		"final_reward":             0.5,
		"rollouts_to(0.2)":         1,
		"rollouts_to(0.5)":         1.0 / 3,
		"rollouts_to(0.7)":         0,
		"0.8 * auc + 0.2 * final":  0.8*(0.2+0.2+0.6)/3 + 0.2*0.5,
		"1 / rollouts":             1.0 / 12,
		`metrics["dead"] / 10`:     0.3,
		"mean(curve)":              0.3,
		"max(rollouts_to(0.5), 0)": 1.0 / 3,
	} {
		s, err := meta.ParseScore(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got, err := s.Of(o); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("%q is %v (%v), want %v", text, got, err, want)
		}
		if again, err := meta.ParseScore(s.String()); err != nil || again.String() != s.String() {
			t.Errorf("%q does not print as what it reads: %q, %v", text, s, err)
		}
	}
	for _, bad := range []string{"auk", "auc +", `"text"`, "now()", "curve"} {
		if _, err := meta.ParseScore(bad); err == nil {
			t.Errorf("%q is a score", bad)
		}
	}
	if r, _ := meta.AUC().Of(meta.Outcome{}); r != 0 {
		t.Errorf("a search without a step is worth %v", r)
	}
}

func TestDoctor(t *testing.T) {
	same := level{name: "flat", of: func(float64) float64 { return 0.5 }}
	checks, err := meta.Doctor(context.Background(), meta.DoctorConfig{
		Spec: spec(t, ""), Problems: []meta.Problem{same, level{name: "good", of: rising}}, Seeds: seeds(0, 10),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, c := range checks {
		got[c.Problem+": "+c.Name] = c.OK
	}
	want := map[string]bool{
		"flat: repeats": true, "flat: seed moves the run": true, "flat: values differ": false, "flat: headroom": true,
		"good: repeats": true, "good: seed moves the run": true, "good: values differ": false, "good: headroom": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	checks, err = meta.Doctor(context.Background(), meta.DoctorConfig{Spec: spec(t, ""), Problems: []meta.Problem{same}, Seeds: []int64{7, 14}})
	if err != nil {
		t.Fatal(err)
	}
	if checks[1].OK || !strings.Contains(checks[1].Detail, "one replicate") {
		t.Errorf("seeds that move nothing: %+v", checks[1])
	}
}
