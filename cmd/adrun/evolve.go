package main

import (
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
	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
)

type evolveFlags struct {
	store   runs.Store
	seed    uint64
	workers int
	out     string
	data    []string
	detach  bool
	asJSON  bool
	// check, if set, looks at the spec once it is read.
	check func(*spec.Spec) error
	// unjudged leaves out what judges the value of a slot.
	unjudged bool
	// replay is the run, or the directory, with the replies to answer from instead of asking models.
	replay string
}

func (a *app) evolveCommand() *cobra.Command {
	var f evolveFlags
	cmd := &cobra.Command{
		Use:   "evolve SPEC",
		Short: "Evolve a rule as a spec describes",
		Long: `Evolve runs a spec. It writes best.rule, history.jsonl and summary.json into the directory of --out,
which must not exist yet. The same spec and seed give the same files, whatever --workers says; wall
times stand in meters.json. Each --data names a file of instances on which the start rule and the best
rule are compared at the end.

The run is kept in the run store as NAME-SEED, with a number after it when that is taken. Every step is
durable there: interrupted (^C), killed or out of disk space, 'adrun resume' goes on from the last one.
With --detach the run goes on in the background; 'adrun watch' follows it.`,
		Args: exactly(1, "one SPEC"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.evolve(cmd, args[0], f) },
	}
	runsFlag(cmd, &f.store)
	workersFlag(cmd, &f.workers)
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "the seed of the run, instead of the spec's")
	cmd.Flags().StringVar(&f.out, "out", "", "the directory to write (default runs/NAME-SEED)")
	cmd.Flags().StringArrayVar(&f.data, "data", nil, "a file of instances to compare the rules on (repeatable)")
	replayFlag(cmd, &f)
	cmd.Flags().BoolVar(&f.detach, "detach", false, "print the run's id and evolve it in the background")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the summary as JSON")
	return cmd
}

func replayFlag(cmd *cobra.Command, f *evolveFlags) {
	cmd.Flags().StringVar(&f.replay, "replay", "", "ask no model: answer from the replies of a run, or of a directory")
}

func workersFlag(cmd *cobra.Command, n *int) {
	cmd.Flags().IntVar(n, "workers", runtime.GOMAXPROCS(0), "evaluations at once; changes nothing but the time")
}

func checkWorkers(n int) error {
	if n < 1 {
		return usagef("--workers is %d: want at least 1", n)
	}
	return nil
}

func (a *app) evolve(cmd *cobra.Command, path string, f evolveFlags) error {
	s, text, err := a.loadSpec(path)
	if err != nil {
		return err
	}
	if f.check != nil {
		if err := f.check(s); err != nil {
			return err
		}
	}
	if cmd.Flags().Changed("seed") {
		s.Evolve.Seed = &f.seed
	}
	if err := checkWorkers(f.workers); err != nil {
		return err
	}
	plan, err := newPlan(s, path)
	if err != nil {
		return err
	}
	if f.unjudged {
		plan.meta.Validation = nil
	}
	if f.replay != "" {
		if f.replay, err = repliesOf(f); err == nil {
			err = plan.replayFrom(f.replay)
		}
		if err != nil {
			return err
		}
	}
	if err := plan.checkKeys(); err != nil {
		return err
	}
	if err := plan.checkData(cmd.Context(), f.data); err != nil {
		return err
	}
	if f.out == "" {
		f.out = filepath.Join("runs", fmt.Sprintf("%s-%d", plan.name, *s.Evolve.Seed))
	}
	run, err := newRun(plan, path, text, f)
	if err != nil {
		return err
	}
	if f.detach {
		return a.detach(run, f)
	}
	d := driver{app: a, run: run, plan: plan, workers: f.workers, asJSON: f.asJSON}
	return d.drive(cmd.Context())
}

// newRun makes the directory of the results, which must be new, and the run in the store.
func newRun(p *plan, path string, text []byte, f evolveFlags) (*runs.Run, error) {
	info := runs.Info{Name: p.name, Seed: *p.spec.Evolve.Seed, Created: time.Now().UTC(), Replay: f.replay, Unjudged: f.unjudged}
	for _, file := range append([]string{f.out, path}, f.data...) {
		abs, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		info.Data = append(info.Data, abs)
	}
	info.Out, info.Spec, info.Data = info.Data[0], info.Data[1], info.Data[2:]
	if err := makeOut(f.out); err != nil {
		return nil, err
	}
	run, err := f.store.Create(info, text)
	if err != nil {
		_ = os.Remove(f.out)
	}
	return run, err
}

// loadSpec reads a spec. Its seed is 1 when it names none.
func (a *app) loadSpec(path string) (*spec.Spec, []byte, error) {
	name, text, err := a.readSource(path)
	if err != nil {
		return nil, nil, err
	}
	s, err := parseSpec(name, []byte(text))
	return s, []byte(text), err
}

// parseSpec reads a spec, whose seed is 1 unless it says otherwise.
func parseSpec(name string, text []byte) (*spec.Spec, error) {
	s, err := spec.Load(name, text)
	if err == nil && s.Evolve.Seed == nil {
		one := uint64(1)
		s.Evolve.Seed = &one
	}
	return s, err
}

// makeOut creates the directory of the results, which must be new.
func makeOut(dir string) error {
	err := os.MkdirAll(filepath.Dir(dir), 0o755)
	if err == nil {
		err = os.Mkdir(dir, 0o755)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already: choose another --out, or remove it", dir)
	}
	if err != nil {
		return fmt.Errorf("a place for the results: %w: choose another with --out", err)
	}
	return nil
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
