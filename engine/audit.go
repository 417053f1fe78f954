package engine

import (
	"context"
	"fmt"

	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/slots"
)

// An artifact's trust in the ranking sub-sample: it grows when the sub-sample and the whole held-out set
// agree about the direction of a candidate, is halved when they do not, and below lowTrust every commit
// is audited.
const (
	trustGain = 0.25
	trustLoss = 0.5
	lowTrust  = 0.75
)

// auditTrail keeps the oracle and what is left of its budget.
type auditTrail struct {
	eval  *evaluator
	tasks []slots.Task
	seeds []uint64
	used  int
}

// auditRecord is an oracle's measurement of both sides.
type auditRecord struct {
	Base  *sweep `json:"base"`
	Cand  *sweep `json:"cand"`
	Error string `json:"error,omitempty"`
}

// audit updates the trust and, where the layer or a low trust asks for it, has the oracle judge. A tie is
// a veto.
func (m *merge) audit(ctx context.Context) (slots.MergeOutcome, error) {
	a, j := m.art, m.run.judge
	cheap := float64(j.subset(m.cand)) - float64(j.subset(m.base))
	full := m.cand.rate() - m.base.rate()
	if sign(cheap) == sign(full) {
		a.trust = min(1, a.trust+trustGain)
	} else {
		a.trust *= trustLoss
	}
	if a.layer != slots.L1 && a.trust >= lowTrust {
		return "", nil
	}
	if m.run.cfg.Gate.Oracle == nil {
		// The oracle is the held-out set itself: its answer is known and costs nothing.
		return m.verdict(full, "the held-out set")
	}
	return m.askOracle(ctx)
}

func (m *merge) verdict(delta float64, who string) (slots.MergeOutcome, error) {
	if delta > 0 {
		return "", nil
	}
	m.report.Reason = fmt.Sprintf("%s, asked as the oracle, sees a change of %+.4g, which is not better", who, delta)
	return slots.OracleRejected, nil
}

func (m *merge) askOracle(ctx context.Context) (slots.MergeOutcome, error) {
	r, t := m.run, &m.run.audits
	if t.eval == nil {
		d := r.cfg.Gate.Oracle.Describe()
		t.eval, t.tasks = newEvaluator(r.cfg.Gate.Oracle, d, r.cfg), d.Tasks
		for i := range t.tasks {
			t.seeds = append(t.seeds, derive.Seed(r.cfg.Seed, "oracle", uint64(i)))
		}
	}
	if t.used >= r.cfg.Gate.Merge.OracleBudget {
		m.report.Reason = fmt.Sprintf("the merge must be audited and the oracle's budget of %d is spent", t.used)
		return slots.OracleRejected, nil
	}
	rec, err := effect(r.journal, AuditEntry, func() (auditRecord, error) { return m.consult(ctx, t) })
	if err != nil {
		return "", err
	}
	t.used++
	for _, s := range []*sweep{rec.Base, rec.Cand} {
		r.spend = r.spend.Plus(s.Spend)
		if s.Error != "" {
			m.report.Reason = s.Error
			return slots.Unmeasured, nil
		}
	}
	return m.verdict(rec.Cand.rate()-rec.Base.rate(), "the oracle")
}

func (m *merge) consult(ctx context.Context, t *auditTrail) (rec auditRecord, err error) {
	for _, side := range []struct {
		state slots.State
		out   **sweep
	}{{m.art.dev.State, &rec.Base}, {m.state, &rec.Cand}} {
		c, err := m.run.judge.candidate(m.art, side.state)
		if err != nil {
			return rec, err
		}
		if *side.out, err = m.run.measure(ctx, t.eval, c, t.tasks, t.seeds); err != nil {
			return rec, err
		}
	}
	return rec, nil
}

func sign(x float64) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// trustRegion bounds how much a diff may change.
type trustRegion struct {
	baseKeys, baseChars float64
	scale               float64
	adaptive            bool
	window              []bool // whether the last merges committed
}

// The adaptive region grows while at least half of a full window committed and shrinks when a measured
// candidate turns out worse than the head.
const (
	regionWindow = 10
	regionGrow   = 1.25
	regionShrink = 0.5
	regionLeast  = 0.25
	regionMost   = 4.0
)

func newTrustRegion(c slots.MergeConfig) trustRegion {
	return trustRegion{
		baseKeys: float64(c.TrustKeys), baseChars: float64(c.TrustChars), scale: 1, adaptive: c.TrustAdaptive,
	}
}

func (t *trustRegion) keys() int  { return max(1, int(t.baseKeys*t.scale)) }
func (t *trustRegion) chars() int { return max(1, int(t.baseChars*t.scale)) }

func (t *trustRegion) allows(d slots.Diff) bool { return len(d) <= t.keys() && d.Chars() <= t.chars() }

// learn moves an adaptive region by what a merge came to.
func (t *trustRegion) learn(rep slots.Report) {
	if !t.adaptive || !rep.ObservedDelta.Known {
		return
	}
	if rep.ObservedDelta.Value < 0 {
		t.scale = max(regionLeast, t.scale*regionShrink)
		t.window = nil
		return
	}
	t.window = append(t.window, rep.Outcome == slots.Committed)
	if len(t.window) < regionWindow {
		return
	}
	commits := 0
	for _, c := range t.window {
		if c {
			commits++
		}
	}
	if 2*commits >= regionWindow {
		t.scale = min(regionMost, t.scale*regionGrow)
	}
	t.window = nil
}
