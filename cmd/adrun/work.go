package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentdescent/adrun/cmd/adrun/internal/catalog"
	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/problems/command"
)

// sealedWork is what the sealed tasks of a run are to a score.
type sealedWork struct {
	on string // for people
	q  catalog.Request
}

// open finds the problem of the spec and reads the files that decide what it is.
func (p *plan) open() (err error) {
	d := p.spec.Data
	if d.Problem == spec.Command {
		return p.openCommand()
	}
	if p.problem, err = catalog.ByName(d.Problem); err != nil {
		return p.spec.At("$.data.problem", err)
	}
	if err := p.problem.CheckSettings(p.settings); err != nil {
		return p.spec.At("$.data.settings", err)
	}
	if p.problem.Open == nil {
		return nil
	}
	files := catalog.Files{Path: p.file(d.Path), Sealed: p.file(d.Sealed), Settings: p.settings}
	if files.Signature, err = p.signature(); err != nil {
		return err
	}
	if p.problem, err = p.problem.Open(files); err != nil {
		return p.spec.At("$.data.path", err)
	}
	return nil
}

// file is the path of a file that the spec names: relative to that of the spec.
func (p *plan) file(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.dir, name)
}

// signature reads the signature that stands in the spec, or in a rule file that it names; nil when it names none.
func (p *plan) signature() (*dsl.Signature, error) {
	const at = "$.data.signature"
	name, text := "signature", p.spec.Data.Signature
	if text == "" {
		return nil, nil
	}
	if !strings.Contains(text, "(") { // which every declaration has
		name = p.file(text)
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, p.spec.At(at, err)
		}
		text = string(b)
	}
	f, diags := dsl.ParseLimits(name, text, dsl.Limits{})
	if err := diags.Err(); err != nil {
		return nil, p.spec.At(at, err)
	}
	hosts, _, err := hostDeclarations()
	if err != nil {
		return nil, err
	}
	if err := dsl.Check(f, hosts, dsl.CheckOptions{}).Diags.Err(); err != nil {
		return nil, p.spec.At(at, err)
	}
	sig, err := chooseSignature(f, p.spec.Target)
	if err != nil {
		return nil, p.spec.At(at, err)
	}
	return sig, nil
}

// chooseSignature returns the signature of a file that is named, or the only one.
func chooseSignature(f *dsl.File, name string) (*dsl.Signature, error) {
	var names []string
	var found *dsl.Signature
	for _, d := range f.Decls {
		if sig, ok := d.(*dsl.Signature); ok {
			names = append(names, sig.DeclName())
			if name == "" || sig.DeclName() == name {
				found = sig
			}
		}
	}
	switch {
	case len(names) == 0:
		return nil, errors.New("no signature is declared there")
	case found == nil:
		return nil, fmt.Errorf("target %s is not declared there, but %s", name, strings.Join(names, ", "))
	case name == "" && len(names) > 1:
		return nil, fmt.Errorf("several signatures are declared there: name one of %s as the target", strings.Join(names, ", "))
	}
	return found, nil
}

// openCommand reads what an evaluator is to score.
func (p *plan) openCommand() (err error) {
	d := p.spec.Data
	c := command.Config{Stochastic: d.Stochastic, Log: slog.New(p.failures), Spec: p.process(d.Program)}
	if c.Tasks, err = command.LoadTasks(p.file(d.Tasks)); err != nil {
		return p.spec.At("$.data.tasks", err)
	}
	if d.Sealed != "" {
		if c.Sealed, err = command.LoadTasks(p.file(d.Sealed)); err != nil {
			return p.spec.At("$.data.sealed", err)
		}
	}
	if c.Signature, err = p.signature(); err != nil {
		return err
	}
	p.tasks, p.problem = c.Tasks, catalog.Command(c)
	return nil
}

// process is a program of the spec's, which runs in the directory of the spec.
func (p *plan) process(s spec.Program) command.Spec {
	const mib = 1 << 20
	timeout, _ := spec.Duration(s.Timeout) // they were checked when the spec was read
	startup, _ := spec.Duration(s.Startup)
	c := command.Spec{
		Command: s.Command, Dir: p.dir, Env: s.Env, Timeout: timeout, Startup: startup, Workers: s.Workers,
		Limits: command.Limits{
			CPU:    time.Duration(s.Limits.CPUSeconds * float64(time.Second)),
			Memory: int64(s.Limits.MemoryMB) * mib, Processes: s.Limits.Processes,
			AddressSpace: int64(s.Limits.AddressSpaceMB) * mib,
			FileSize:     int64(s.Limits.FileMB) * mib, OpenFiles: s.Limits.OpenFiles,
		},
	}
	if c.Workers == 0 {
		// The engine has no more under way than there are lanes, nor than --workers; processes start when they are needed.
		c.Workers = max(p.spec.Evolve.Lanes, defaultLanes)
	}
	if r := s.Retries; r != nil {
		c.Retries = *r
		if *r == 0 {
			c.Retries = -1
		}
	}
	return c
}

// work builds the engine's problem.
func (p *plan) work() (engine.Problem, error) {
	d := p.spec.Data
	if p.problem.SeedMeaning == "" {
		if d.Sealed != "" {
			p.sealed = &sealedWork{"sealed tasks of " + filepath.Base(d.Sealed), catalog.Request{Data: p.file(d.Sealed)}}
		}
		return p.build(catalog.Range{}, catalog.Range{})
	}
	text := d.Seeds
	if text == "" {
		text = defaultSeeds
	}
	seeds, err := catalog.ParseRange(text)
	if err != nil {
		return nil, p.spec.At("$.data.seeds", err)
	}
	var sealed catalog.Range
	if d.Sealed != "" {
		if sealed, err = catalog.ParseRange(d.Sealed); err != nil {
			return nil, p.spec.At("$.data.sealed", err)
		}
		if both := seeds.Common(sealed); both.From < both.To {
			return nil, p.spec.At("$.data.sealed", fmt.Errorf("the seeds %s are sealed and used before too: one instance cannot be both", both))
		}
		p.sealed = &sealedWork{"sealed tasks " + sealed.String(), catalog.Request{Settings: p.settings, Seeds: sealed}}
	}
	return p.build(seeds, sealed)
}

func (p *plan) build(seeds, sealed catalog.Range) (engine.Problem, error) {
	work, err := p.problem.Build(p.settings, seeds, sealed)
	if err != nil {
		at := map[string]string{spec.Command: "$.data.command", spec.Table: "$.data.sealed"}[p.problem.Name]
		if at == "" {
			at = "$.data"
		}
		return nil, p.spec.At(at, err)
	}
	if c, ok := work.(io.Closer); ok {
		p.closers = append(p.closers, c)
	}
	return work, nil
}

// close ends the programs that the plan has started.
func (p *plan) close() error {
	var errs []error
	for _, c := range p.closers {
		errs = append(errs, c.Close())
	}
	p.closers = nil
	p.failures.summarise()
	return errors.Join(errs...)
}
