package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/catalog"
	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/engine"
)

type evolveFlags struct {
	seed    uint64
	workers int
	out     string
	data    []string
	asJSON  bool
}

func (a *app) evolveCommand() *cobra.Command {
	var f evolveFlags
	cmd := &cobra.Command{
		Use:   "evolve SPEC",
		Short: "Evolve a rule as a spec describes",
		Long: `Evolve runs a spec. It writes best.rule, history.jsonl and summary.json into the directory of --out,
which must not exist yet. The same spec and seed give the same files, whatever --workers says; wall
times stand in meters.json. Interrupted (^C), it stops and writes the best rule so far. Each --data
names a file of instances on which the start rule and the best rule are compared at the end.`,
		Args: exactly(1, "one SPEC"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.evolve(cmd, args[0], f) },
	}
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "the seed of the run, instead of the spec's")
	cmd.Flags().IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "evaluations at once; changes nothing but the time")
	cmd.Flags().StringVar(&f.out, "out", "", "the directory to write (default runs/NAME-SEED)")
	cmd.Flags().StringArrayVar(&f.data, "data", nil, "a file of instances to compare the rules on (repeatable)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the summary as JSON")
	return cmd
}

func (a *app) evolve(cmd *cobra.Command, path string, f evolveFlags) error {
	s, err := a.loadSpec(path)
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("seed") || s.Evolve.Seed == nil {
		seed := max(f.seed, 1)
		if cmd.Flags().Changed("seed") {
			seed = f.seed
		}
		s.Evolve.Seed = &seed
	}
	if f.workers < 1 {
		return usagef("--workers is %d: want at least 1", f.workers)
	}
	plan, err := newPlan(s, path)
	if err != nil {
		return err
	}
	if err := plan.checkData(f.data); err != nil {
		return err
	}
	if f.out == "" {
		f.out = filepath.Join("runs", fmt.Sprintf("%s-%d", plan.name, *s.Evolve.Seed))
	}
	if err := makeOut(f.out); err != nil {
		return err
	}
	return a.runPlan(cmd.Context(), plan, f)
}

// loadSpec reads a spec; what is wrong with it is printed, a line each.
func (a *app) loadSpec(path string) (*spec.Spec, error) {
	name, text, err := a.readSource(path)
	if err != nil {
		return nil, err
	}
	s, err := spec.Load(name, []byte(text))
	var errs *spec.Errors
	if errors.As(err, &errs) {
		fmt.Fprintln(a.stderr, errs)
		return nil, errFindings
	}
	return s, err
}

// makeOut creates the directory of a run, which must be new.
func makeOut(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	err := os.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already: choose another --out, or remove it", dir)
	}
	return err
}

// runPlan runs the engine, shows its progress and writes its results.
func (a *app) runPlan(ctx context.Context, p *plan, f evolveFlags) error {
	start := time.Now()
	c := p.config
	c.Parallel.Workers = f.workers
	c.Observe.Clock = func() time.Duration { return time.Since(start) }
	bar := a.newProgress(c.Budget.Rounds)
	c.Observe.Events.Round = bar.round
	res, runErr := engine.Run(ctx, c)
	bar.done()
	if res == nil {
		return runErr
	}
	report, err := p.report(context.WithoutCancel(ctx), res, f.data)
	if err != nil {
		return errors.Join(runErr, err)
	}
	report.Out = f.out
	if err := p.write(f.out, res, report); err != nil {
		return errors.Join(runErr, err)
	}
	if f.asJSON {
		err = a.printJSON(report)
	} else {
		err = a.printReport(p, report, res, time.Since(start))
	}
	if res.Stop == engine.StopCancelled {
		fmt.Fprintf(a.stderr, "adrun: interrupted; %s holds the best rule so far\n", f.out)
		return err
	}
	return errors.Join(runErr, err)
}

// settings of the spec for the catalogue.
func specSettings(s *spec.Spec) catalog.Settings {
	out := catalog.Settings{}
	for k, v := range s.Data.Settings {
		out[k] = v
	}
	return out
}

// baseName is the name of a spec's file without its ending.
func baseName(path string) string {
	base := filepath.Base(path)
	if path == "-" {
		return "run"
	}
	return strings.TrimSuffix(base, filepath.Ext(base))
}
