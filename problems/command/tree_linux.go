package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

const enforcesLimits = true

var platformVariables []string

// tree is an evaluator's process tree below its supervisor. The supervisor kills all of it when the control pipe
// closes, be it by kill or because this process died.
type tree struct {
	cmd     *exec.Cmd
	control *os.File
	report  *os.File
	metered bool // calls have a CPU limit
	token   string
	closing sync.Once

	ended  chan struct{} // closed when the supervisor is gone, and status valid
	status status
}

func startTree(l launch, stdio [3]*os.File) (*tree, error) {
	arg, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	controlR, controlW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer controlR.Close()
	reportR, reportW, err := os.Pipe()
	if err != nil {
		controlW.Close()
		return nil, err
	}
	defer reportW.Close()
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", // this executable even if its file was replaced or removed since
		Args: []string{"evaluator-shim"},
		Dir:  l.dir,
		Env:  append(l.env, shimVariable+"="+string(arg)),
		// A group of its own keeps a terminal's ^C from it: we decide when it ends.
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
		Stdin:       stdio[0], Stdout: stdio[1], Stderr: stdio[2],
		ExtraFiles: []*os.File{controlR, reportW},
	}
	if err := cmd.Start(); err != nil {
		controlW.Close()
		reportR.Close()
		return nil, fmt.Errorf("start the evaluator's supervisor: %w", err)
	}
	t := &tree{cmd: cmd, control: controlW, report: reportR, metered: l.Limits.CPU > 0, token: l.token, ended: make(chan struct{})}
	go t.wait()
	return t, nil
}

// beginCall starts a new account of CPU time.
func (t *tree) beginCall() {
	if t.metered {
		t.control.Write([]byte{newCall})
	}
}

// kill has the supervisor kill the tree; it does not wait.
func (t *tree) kill() { t.closing.Do(func() { t.control.Close() }) }

// abandon kills the supervisor, which did not end in time.
func (t *tree) abandon() { t.cmd.Process.Kill() }

// wait collects the supervisor's reports and its end. A supervisor that ends without a report was killed itself, or never was
// one; then what carries its token is looked for and killed.
func (t *tree) wait() {
	defer close(t.ended)
	defer t.kill()
	var final *status
	for dec := json.NewDecoder(t.report); ; {
		var s status
		if err := dec.Decode(&s); err != nil {
			if !errors.Is(err, io.EOF) {
				final = nil
			}
			break
		}
		if final == nil || final.Start == "" {
			final = &s
		}
	}
	t.report.Close()
	t.cmd.Wait()
	if final != nil {
		t.status = *final
		return
	}
	t.status.Left = !killMarked(t.token)
	if state := t.cmd.ProcessState; state.Exited() {
		t.status.Start = "the supervisor did not come up: the program's main function must call command.ShimMain first"
	} else {
		t.status.Signal = "killed"
	}
}
