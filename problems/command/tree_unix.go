//go:build unix && !linux

package command

import (
	"os"
	"os/exec"
	"syscall"
)

const enforcesLimits = false

var platformVariables []string

// tree is an evaluator's process group.
type tree struct {
	cmd    *exec.Cmd
	ended  chan struct{} // closed when the evaluator is reaped and its group killed, and status valid
	status status
}

func startTree(l launch, stdio [3]*os.File) (*tree, error) {
	cmd := command(l, stdio)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t := &tree{cmd: cmd, ended: make(chan struct{})}
	go func() {
		defer close(t.ended)
		t.cmd.Wait()
		t.killGroup() // what the evaluator left behind
		if ws, ok := t.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			t.status.Signal = ws.Signal().String()
		} else {
			t.status.Exit = t.cmd.ProcessState.ExitCode()
		}
	}()
	return t, nil
}

func (t *tree) beginCall() {}

// kill kills the group, unless it is gone and its number may be another's by now.
func (t *tree) kill() {
	if !closed(t.ended) {
		t.killGroup()
	}
}

func (t *tree) killGroup() { syscall.Kill(-t.cmd.Process.Pid, syscall.SIGKILL) }

func (t *tree) abandon() { t.kill() }
