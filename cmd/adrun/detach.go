package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

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
		return fmt.Errorf("starting run %s in the background: %w: 'adrun resume %s' begins it here", run.ID, err, run.ID)
	}
	if err := begun(run, cmd); err != nil {
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

// begun waits until the process has begun the run, so that whoever looks next sees it running, or fails with it.
func begun(run *runs.Run, cmd *exec.Cmd) error {
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }() // what became of the run is in its status
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		st, err := run.Status()
		if err != nil || st.State != runs.New {
			return err
		}
		select {
		case <-ended:
			if st, _ := run.Status(); st.State == runs.New {
				return notBegun(run)
			}
			return nil
		case <-look.C:
		}
	}
}

// notBegun says what the process of a run said that could not begin.
func notBegun(run *runs.Run) error {
	said, err := os.ReadFile(run.OutputPath())
	if err != nil {
		return err
	}
	why := strings.TrimPrefix(strings.TrimSpace(string(said)), "adrun: ")
	if why == "" {
		why = "its process ended and said nothing"
	}
	return fmt.Errorf("run %s could not begin: %s: 'adrun resume %s' begins it", run.ID, why, run.ID)
}
