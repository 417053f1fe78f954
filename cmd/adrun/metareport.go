package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"text/tabwriter"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/internal/atomicfile"
	"github.com/agentdescent/adrun/meta"
	"github.com/agentdescent/adrun/slots"
)

// judge measures what an outer run evolved, if its spec says on what and the run is done, and keeps the report
// with the run.
func (d *driver) judge(ctx context.Context, s *summary, res *engine.Result) (err error) {
	c := *d.plan.meta
	if len(c.Validation) == 0 || !res.Stop.Final() {
		return nil
	}
	c.Workers = d.workers
	if s.Meta, err = c.Judge(ctx, res); err != nil {
		return err
	}
	return atomicfile.Write(d.run.MetaPath(), append(res.Meta, '\n'), 0o644)
}

// metaOf reads the report that is kept with a run; nil when there is none.
func metaOf(run *runs.Run) (*meta.Report, error) {
	text, err := os.ReadFile(run.MetaPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &meta.Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", run.MetaPath(), err)
	}
	return r, nil
}

// printMeta shows a report to a person.
func printMeta(out io.Writer, r *meta.Report) error {
	fmt.Fprintf(out, "\n%s: %s\n\n", r.Verdict, r.Reason)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "value against its seed\tn\tseed\tvalue\tgain\tsd\t95 % interval\tt p\twins\tlosses\tsign p")
	comparisonRows(w, "source, trained on", r.Source)
	comparisonRows(w, "source, unseen seeds", r.SourceUnseen)
	comparisonRows(w, "validation", r.Validation)
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "transfer ratio  %s\n", known(r.Transfer, "%.3f"))
	if err := printControls(out, r); err != nil {
		return err
	}
	for _, n := range r.Notes {
		fmt.Fprintf(out, "note: %s\n", n)
	}
	return nil
}

func comparisonRows(w io.Writer, name string, c meta.Comparison) {
	if len(c.Problems) != 1 {
		pairedRow(w, name, c.Paired)
	}
	for _, p := range c.Problems {
		pairedRow(w, name+": "+p.Problem, p.Paired)
	}
}

func pairedRow(w io.Writer, name string, p meta.Paired) {
	fmt.Fprintf(w, "%s\t%d\t%.4f\t%.4f\t%+.4f\t%.4f\t%s to %s\t%s\t%d\t%d\t%.2g\n", name, p.N, p.Before, p.After, p.Gain, p.SD,
		known(p.Lo, "%+.4f"), known(p.Hi, "%+.4f"), known(p.P, "%.2g"), p.Wins, p.Losses, p.SignP)
}

func known(m slots.Maybe, format string) string {
	if !m.Known {
		return "-"
	}
	return fmt.Sprintf(format, m.Value)
}

// printControls shows what else the searches could have bought.
func printControls(out io.Writer, r *meta.Report) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	if f := r.Family; f != nil {
		fmt.Fprintln(w, "\nhand-tuned\tsource\tunseen\tvalidation")
		for _, m := range f.Members {
			fmt.Fprintf(w, "%s\t%.4f\t%.4f\t%.4f\n", m.Name, m.Source, m.SourceUnseen, m.Validation)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintln(w, "\nvalue against\tn\tother\tvalue\tgain\tsd\t95 % interval\tt p\twins\tlosses\tsign p")
	if f := r.Family; f != nil {
		pairedRow(w, "tuned by hand ("+f.Tuned+"), unseen", f.Unseen)
		pairedRow(w, "tuned by hand ("+f.Tuned+"), validation", f.Validation)
		pairedRow(w, "best in hindsight ("+f.BestUnseen.Name+"), unseen", f.BestUnseen.Paired)
		pairedRow(w, "best in hindsight ("+f.BestValidation.Name+"), validation", f.BestValidation.Paired)
	}
	if b := r.BestOf; b != nil {
		name := fmt.Sprintf("best of %d proposals", b.Admitted)
		pairedRow(w, name+", trained on", b.Source)
		pairedRow(w, name+", unseen", b.Unseen)
		pairedRow(w, name+", validation", b.Validation)
	}
	if h := r.Headroom; h != nil {
		fmt.Fprintln(w, "\nheadroom\tn\tvalue\toracle\tgain\tsd\t95 % interval\tt p\twins\tlosses\tsign p")
		pairedRow(w, "oracle, unseen", h.SourceUnseen)
		pairedRow(w, "oracle, validation", h.Validation)
	}
	return w.Flush()
}
