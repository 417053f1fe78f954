package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
)

// detach starts a process that evolves the run, outside of this one's session, and leaves it alone.
func (a *app) detach(run *runs.Run, f evolveFlags) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	out, err := os.Create(run.OutputPath())
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	root, err := filepath.Abs(f.store.Root)
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "resume", run.ID, "--runs", root, "--workers", strconv.Itoa(f.workers))
	cmd.Args[0] = os.Args[0]
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = ownSession()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting run %s in the background: %w", run.ID, err)
	}
	if err := cmd.Process.Release(); err != nil {
		return err
	}
	if f.asJSON {
		return a.printJSON(struct {
			Run    string `json:"run"`
			Output string `json:"output"`
		}{run.ID, run.OutputPath()})
	}
	_, err = fmt.Fprintln(a.stdout, run.ID)
	return err
}
