package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/agentdescent/adrun/cmd/adrun/internal/catalog"
	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/internal/atomicfile"
	"github.com/agentdescent/adrun/meta"
	"github.com/agentdescent/adrun/slots"
)

// summary is what summary.json holds and --json prints. It is a function of spec, seed and the data
// files: wall times stand in meters.json.
type summary struct {
	Problem  string         `json:"problem"`
	Name     string         `json:"name"`
	Seed     uint64         `json:"seed"`
	Stop     string         `json:"stop"`
	Rounds   int            `json:"rounds"`
	Rollouts int            `json:"rollouts"`
	Gated    int            `json:"gated"`
	Refused  map[string]int `json:"refused"`
	Commits  int            `json:"commits"`
	// Outcomes counts what became of each merge.
	Outcomes map[slots.MergeOutcome]int `json:"outcomes"`
	// Fusion is null when the fusion policy does not count its contests.
	Fusion *engine.FusionStats `json:"fusion"`
	// Failures counts the rollouts in which the candidate itself failed, Unmeasured the leases and merges that
	// the infrastructure failed.
	Failures   int `json:"failures"`
	Unmeasured int `json:"unmeasured"`
	// HeldOut is before and after the run.
	HeldOut engine.Measure `json:"held_out"`
	// Sealed is null when the spec seals no tasks, or the run was interrupted.
	Sealed *engine.Measure `json:"sealed"`
	// Allocation is null without an allocator.
	Allocation *engine.AllocationStats `json:"allocation"`
	// Sources tallies who proposed, where models do.
	Sources []slots.SourceTally `json:"sources,omitempty"`
	// Branch is what best.rule and the numbers below are of, and Version where it stands; the head differs
	// from it only when a run was interrupted.
	Branch       string       `json:"branch"`
	Version      int          `json:"version"`
	Head         int          `json:"head"`
	BestIdentity string       `json:"best_identity"`
	Ops          int          `json:"ops"` // 0 for a text
	Comparisons  []comparison `json:"comparisons"`
	// Meta says what an evolved slot's value is worth; absent for other kinds, and when nothing judges it.
	Meta *meta.Report `json:"meta,omitempty"`
	Out  string       `json:"-"`
	Run  string       `json:"-"`
	Best string       `json:"-"` // the name of its file
	// uncompared says which files of data could not be compared on: the results are written all the same.
	uncompared error
}

// comparison is the start rule and the best rule on the same instances.
type comparison struct {
	On    string        `json:"on"`
	Start orderedValues `json:"start"`
	Best  orderedValues `json:"best"`
}

// report gathers the summary: what the run says, and both rules on the sealed tasks and on data files.
func (p *plan) report(ctx context.Context, res *engine.Result, data []string) (*summary, error) {
	at := res.Artifacts[0]
	s := &summary{
		Problem: p.problem.Name, Name: p.name, Seed: *p.spec.Evolve.Seed, Stop: string(res.Stop), Rounds: len(res.History),
		Rollouts: res.Spend.Rollouts, Gated: res.Gated, Refused: res.Refused, Commits: res.Outcomes[slots.Committed],
		Outcomes: res.Outcomes, Fusion: res.Fusion, Sources: res.Sources,
		HeldOut: res.HeldOut, Sealed: res.Sealed, Allocation: res.Allocation, Branch: "stable", Version: at.Stable.Version, Head: at.Dev.Version,
		Failures: res.Failures, Unmeasured: res.Unmeasured, Comparisons: []comparison{}, Best: p.bestName(),
	}
	best, err := p.ready(at.StableState)
	if err != nil {
		return nil, err
	}
	s.BestIdentity = best.Identity
	if best.Rule != nil {
		s.Ops = dsl.Ops(best.Rule)
	}
	if best.Rule == nil || p.meta != nil {
		return s, nil
	}
	r, err := p.compiled(at.StableRendered)
	if err != nil {
		return nil, err
	}
	start, err := p.compiled(p.start)
	if err != nil {
		return nil, err
	}
	if res.Sealed != nil && p.sealed != nil && p.problem.Score != nil {
		if err := s.compare(ctx, p, p.sealed.on, p.sealed.q, start, r); err != nil {
			return nil, err
		}
	}
	for _, file := range data {
		if err := s.compare(ctx, p, filepath.Base(file), catalog.Request{Data: file}, start, r); err != nil {
			s.uncompared = errors.Join(s.uncompared, fmt.Errorf("comparing on a file of data: %w", err))
		}
	}
	return s, nil
}

func (s *summary) compare(ctx context.Context, p *plan, on string, q catalog.Request, start, best *compiledRule) error {
	c := comparison{On: on}
	for _, side := range []struct {
		rule *compiledRule
		to   *orderedValues
	}{{start, &c.Start}, {best, &c.Best}} {
		q.Program = side.rule.program
		values, err := p.problem.Score(ctx, q)
		if err != nil {
			return err
		}
		*side.to = values
	}
	s.Comparisons = append(s.Comparisons, c)
	return nil
}

// compiledRule is a rule with its program.
type compiledRule struct {
	rule    *dsl.Rule
	program *dsl.Program
}

// compiled compiles a text that holds one rule of the plan's signature.
func (p *plan) compiled(text string) (*compiledRule, error) {
	f, err := dsl.Parse("rule", text)
	if err != nil {
		return nil, err
	}
	if r, ok := dsl.First[*dsl.Rule](f); ok {
		program, err := dsl.Compile(r, p.sig)
		return &compiledRule{r, program}, err
	}
	return nil, fmt.Errorf("the text holds no rule")
}

// bestName is the name of the file with the value that a run ends with.
func (p *plan) bestName() string {
	if p.sig == nil && p.meta == nil {
		return "best.txt"
	}
	return "best.rule"
}

// ruleFile is a rule's text with the signature it is a function of, so that it can be checked by itself. A text is
// itself.
func (p *plan) ruleFile(text string) (string, error) {
	if p.sig == nil {
		return text + "\n", nil
	}
	r, err := p.compiled(text)
	if err != nil {
		return "", err
	}
	return dsl.Format(&dsl.File{Decls: []dsl.Decl{p.sig, r.rule}}), nil
}

// write puts the files of a run into its directory.
func (p *plan) write(dir string, res *engine.Result, s *summary) error {
	best, err := p.ruleFile(res.Artifacts[0].StableRendered)
	if err != nil {
		return err
	}
	var history bytes.Buffer
	enc := json.NewEncoder(&history)
	for _, row := range res.History {
		if err := enc.Encode(row); err != nil {
			return err
		}
	}
	for name, v := range map[string]any{"summary.json": s, "meters.json": res.Meters} {
		text, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return err
		}
		if err := atomicfile.Write(filepath.Join(dir, name), append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	if err := atomicfile.Write(filepath.Join(dir, "history.jsonl"), history.Bytes(), 0o644); err != nil {
		return err
	}
	if err := p.writeHead(dir, res.Artifacts[0]); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, p.bestName()), []byte(best), 0o644)
}

// writeHead keeps the head beside what is stable while they differ: an interrupted run has commits that
// have not been promoted yet, and the head is the best so far.
func (p *plan) writeHead(dir string, at engine.ArtifactResult) error {
	path := filepath.Join(dir, "head."+strings.TrimPrefix(p.bestName(), "best."))
	if at.Rendered == at.StableRendered {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	head, err := p.ruleFile(at.Rendered)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, []byte(head), 0o644)
}

// printReport shows a run's end to a person.
func (a *app) printReport(s *summary, res *engine.Result, took time.Duration) error {
	fmt.Fprintf(a.stdout, "%s\n", res.Artifacts[0].StableRendered)
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "rounds\t%d\t(stopped by %s)\n", s.Rounds, s.Stop)
	fmt.Fprintf(w, "rollouts\t%d\t\n", s.Rollouts)
	fmt.Fprintf(w, "gated\t%d\t(%d refused)\n", s.Gated, total(s.Refused))
	fmt.Fprintf(w, "commits\t%d\t\n", s.Commits)
	measureLine(w, "held out", &s.HeldOut)
	measureLine(w, "sealed", s.Sealed)
	if n := s.Allocation; n != nil {
		fmt.Fprintf(w, "allocator\t%d\t(%d skipped, %d looked at all the same, %d observed)\n", n.Fired(), n.Skipped, n.Counterfactual, n.Observed)
	}
	if s.Failures+s.Unmeasured > 0 {
		fmt.Fprintf(w, "failures\t%d\t(and %d not measured)\n", s.Failures, s.Unmeasured)
	}
	if s.Ops > 0 {
		fmt.Fprintf(w, "ops\t%d\t\n", s.Ops)
	}
	fmt.Fprintf(w, "time\t%.1f s\t\n", took.Seconds())
	if err := w.Flush(); err != nil {
		return err
	}
	if err := printSources(a.stdout, s.Sources); err != nil {
		return err
	}
	for _, c := range s.Comparisons {
		fmt.Fprintf(a.stdout, "\n%s\n", c.On)
		w := tabwriter.NewWriter(a.stdout, 2, 8, 2, ' ', 0)
		fmt.Fprintln(w, "  \tstart\tbest")
		for i := range c.Start {
			fmt.Fprintf(w, "  %s\t%v\t%v\n", c.Start[i].Name, c.Start[i].Value, c.Best[i].Value)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	if s.Meta != nil {
		if err := printMeta(a.stdout, s.Meta); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(a.stdout, "\n%s holds %s, history.jsonl and summary.json; the run is %s\n", s.Out, s.Best, s.Run)
	return err
}

func measureLine(w *tabwriter.Writer, name string, m *engine.Measure) {
	if m == nil {
		return
	}
	fmt.Fprintf(w, "%s\t%.4f → %.4f\t(mean reward of %d tasks, %d better, %d worse)\n", name, m.Before.Value, m.After.Value, m.N, m.Wins, m.Losses)
}

func total(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}
