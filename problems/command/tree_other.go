//go:build !unix

package command

import (
	"os"
	"os/exec"
)

const enforcesLimits = false

// platformVariables are those without which a process cannot start on Windows.
var platformVariables = []string{"SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERPROFILE"}

// tree is the evaluator's process alone.
type tree struct {
	cmd    *exec.Cmd
	ended  chan struct{} // closed when the evaluator is reaped, and status valid
	status status
}

func startTree(l launch, stdio [3]*os.File) (*tree, error) {
	cmd := command(l, stdio)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t := &tree{cmd: cmd, ended: make(chan struct{})}
	go func() {
		defer close(t.ended)
		t.cmd.Wait()
		t.status.Exit = t.cmd.ProcessState.ExitCode()
	}()
	return t, nil
}

func (t *tree) beginCall() {}

// kill kills the process; what it started survives.
func (t *tree) kill() { t.cmd.Process.Kill() }

func (t *tree) abandon() { t.kill() }
