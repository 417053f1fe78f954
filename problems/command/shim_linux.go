package command

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	controlFD = 3 // the supervisor reads: a newCall byte before each call, the end when the tree must go
	reportFD  = 4 // the supervisor writes statuses as JSON
	newCall   = 'c'

	samplePeriod = 25 * time.Millisecond
	startFailed  = 127 // exit status of the second stage, as shells have it
)

// ShimMain must be the first call of main, and of TestMain in tests that make a [Pool]. In a process that a
// pool started as the supervisor of an evaluator it does that work and exits; in every other, it returns at once.
func ShimMain() {
	arg, ok := os.LookupEnv(shimVariable)
	if !ok {
		return
	}
	os.Unsetenv(shimVariable)
	var l launch
	if err := json.Unmarshal([]byte(arg), &l); err != nil {
		fmt.Fprintf(os.Stderr, "%s is for internal use: %v\n", shimVariable, err)
		os.Exit(2)
	}
	if l.Exec {
		becomeProgram(l)
	} else {
		supervise(l)
	}
}

// shimMissed reports an executable that was started as a supervisor and came this far.
func shimMissed() error {
	if _, ok := os.LookupEnv(shimVariable); ok {
		return fmt.Errorf("this process was started to supervise an evaluator: main must call command.ShimMain first")
	}
	return nil
}

// closeOnExec keeps every descriptor but stdio from the evaluator: the two pipes to our parent, and whatever that parent
// itself inherited from a careless one.
func closeOnExec() {
	for _, name := range names("/proc/self/fd") {
		if fd, err := strconv.Atoi(name); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// supervisor is the parent of an evaluator and, in the end, of everything that the evaluator started.
type supervisor struct {
	report    *os.File
	evaluator int // its process id
	final     status
	ended     bool // the evaluator is reaped and final says how it ended
}

// supervise runs the evaluator until it ends, breaks a limit, or the control pipe closes; then it kills all its
// descendants, reports and exits.
func supervise(l launch) {
	// The parent-death signal of the evaluator is tied to the thread that starts it.
	runtime.LockOSThread()
	closeOnExec()
	s := &supervisor{report: os.NewFile(reportFD, "report")}
	events := make(chan os.Signal, 8)
	signal.Notify(events, unix.SIGCHLD, unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT)
	if err := s.start(l); err != nil {
		s.exit(status{Start: err.Error()})
	}
	calls, gone := make(chan struct{}), make(chan struct{})
	go readControl(calls, gone)
	s.watch(l.Limits, events, calls, gone)
	s.killAll()
	s.exit(s.final)
}

// start launches the evaluator, by way of the second stage when it has limits that this process must not take on itself.
func (s *supervisor) start(l launch) error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become a subreaper: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil { // of this thread, and what it starts
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if err := syscall.Setrlimit(unix.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("forbid core dumps: %w", err)
	}
	attr := &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{0, 1, 2},
		// A group of its own, so that an evaluator that signals its group spares the supervisor.
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL},
	}
	program, args := l.Program, l.Args
	if l.Limits.AddressSpace > 0 || l.Limits.FileSize > 0 || l.Limits.OpenFiles > 0 {
		l.Exec = true
		arg, err := json.Marshal(l)
		if err != nil {
			return err
		}
		program, args = "/proc/self/exe", []string{"evaluator-shim"}
		attr.Env, attr.Files = append(attr.Env, shimVariable+"="+string(arg)), append(attr.Files, reportFD)
	}
	var err error
	if s.evaluator, err = syscall.ForkExec(program, args, attr); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	return releaseStdio()
}

// releaseStdio lets go of the evaluator's pipes: only its own processes may hold them open.
func releaseStdio() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	for fd := range 3 {
		if err := unix.Dup3(int(null.Fd()), fd, 0); err != nil {
			return err
		}
	}
	return null.Close()
}

// readControl passes on the start of each call and, by closing gone, the end of the pipe.
func readControl(calls chan<- struct{}, gone chan<- struct{}) {
	control := os.NewFile(controlFD, "control")
	buf := make([]byte, 1)
	for {
		if n, err := control.Read(buf); n == 0 || err != nil {
			close(gone)
			return
		}
		calls <- struct{}{}
	}
}

// watch returns when the tree must go.
func (s *supervisor) watch(limits Limits, events <-chan os.Signal, calls, gone <-chan struct{}) {
	var tick <-chan time.Time
	if limits.CPU > 0 || limits.Memory > 0 || limits.Processes > 0 {
		ticker := time.NewTicker(samplePeriod)
		defer ticker.Stop()
		tick = ticker.C
	}
	account := time.Duration(0) // CPU time of the tree when the call began
	for !s.ended {
		select {
		case sig := <-events:
			if sig != unix.SIGCHLD {
				return // from outside, and the evaluator is killed like us
			}
			s.reap()
		case <-gone:
			s.final.Ours = true
			return
		case <-calls:
			account = measureTree().cpu
		case <-tick:
			if s.final.Limit = measureTree().broken(limits, account); s.final.Limit != "" {
				return
			}
		}
	}
}

// reap collects every child that has ended and reports whether any children are left.
func (s *supervisor) reap() (left bool) {
	for {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, unix.WNOHANG, nil)
		switch {
		case err == unix.EINTR:
		case err != nil: // ECHILD
			return false
		case pid == 0:
			return true
		default:
			s.collected(pid, ws)
		}
	}
}

func (s *supervisor) collected(pid int, ws unix.WaitStatus) {
	if pid != s.evaluator || s.ended {
		return
	}
	s.ended = true
	if ws.Signaled() {
		s.final.Signal = ws.Signal().String()
	} else {
		s.final.Exit = ws.ExitStatus()
	}
}

// killAll kills until wait reports that there are no children. Killing only children, never grandchildren, makes it
// exact: nobody else reaps them, so their process ids cannot have been given to others; and what a dead child
// leaves behind becomes a child.
func (s *supervisor) killAll() {
	for s.reap() {
		killed := false
		for _, pid := range childrenOf(os.Getpid()) {
			killed = unix.Kill(pid, unix.SIGKILL) == nil || killed
		}
		if !killed {
			// The kernel's list may skip a child while another one ends.
			time.Sleep(time.Millisecond)
			continue
		}
		var ws unix.WaitStatus
		if pid, err := unix.Wait4(-1, &ws, 0, nil); err == nil {
			s.collected(pid, ws)
		}
	}
}

// exit reports and leaves.
func (s *supervisor) exit(final status) {
	json.NewEncoder(s.report).Encode(final)
	os.Exit(0)
}
