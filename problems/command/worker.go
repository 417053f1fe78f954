package command

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

const (
	// politeGrace is how long a worker may take to end by itself once its stdin is closed.
	politeGrace = 250 * time.Millisecond
	// killGrace is how long killing a tree may take before the worker is abandoned; it is a matter of
	// milliseconds unless a process hangs in the kernel.
	killGrace = 5 * time.Second
)

// errInterrupted is the error of a call whose worker was interrupted by Close.
var errInterrupted = errors.New("interrupted")

// errTimeout is the cause of a call's context when its time is over.
var errTimeout = errors.New("timeout")

// worker is a running evaluator process. One goroutine at a time calls it; interrupt may come from any.
type worker struct {
	tree    *tree
	timeout time.Duration
	startup time.Duration // what the next call may take on top of timeout
	maxLine int

	stdin, stdout *os.File
	lines         *bufio.Reader
	stderr        *tail

	interruption sync.Once
	interrupted  chan struct{} // closed by interrupt
}

// startWorker starts the program; its process tree carries the token.
func startWorker(spec Spec, program, token string) (*worker, error) {
	var pipes []*os.File
	closeAll := func() {
		for _, f := range pipes {
			f.Close()
		}
	}
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll()
			return nil, err
		}
		pipes = append(pipes, r, w)
	}
	stdin, stdout, stderr := pipes[1], pipes[2], pipes[4]
	theirs := [3]*os.File{pipes[0], pipes[3], pipes[5]}
	tree, err := startTree(launch{
		Program: program,
		Args:    spec.Command,
		Limits:  spec.Limits,
		dir:     spec.Dir,
		env:     spec.environ(token),
		token:   token,
	}, theirs)
	if err != nil {
		closeAll()
		return nil, err
	}
	for _, f := range theirs {
		f.Close()
	}
	return &worker{
		tree: tree, timeout: spec.Timeout, startup: spec.Startup, maxLine: spec.MaxReply,
		stdin: stdin, stdout: stdout, lines: bufio.NewReaderSize(stdout, 1<<14), stderr: newTail(stderr, spec.MaxStderr),
		interrupted: make(chan struct{}),
	}, nil
}

// call sends a request and parses its reply. After an error the worker is of no more use, unless parse gave it.
func (w *worker) call(ctx context.Context, request []byte, parse func(line []byte) *Failure) error {
	limit := w.timeout + w.startup
	w.startup = 0
	timed, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	defer cancel()
	stop := context.AfterFunc(timed, w.interrupt)

	w.tree.beginCall()
	line, err := w.exchange(request)
	if !stop() {
		w.interrupt() // it may be under way: it must not strike the next call
	}
	if err != nil {
		return w.explain(timed, err)
	}
	if failure := parse(line); failure != nil {
		return failure
	}
	return nil
}

// exchange writes the request and reads one line. A worker that does not read may have answered all the same, or ended
// for a reason that explain finds out, so a failed write alone is no error.
func (w *worker) exchange(request []byte) ([]byte, error) {
	if _, err := w.stdin.Write(request); errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, err
	}
	return readLine(w.lines, w.maxLine)
}

var errTooLong = errors.New("line too long")

// readLine reads up to a newline, which it cuts off. The line is valid until the next read.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err == nil && len(line) <= most {
		return line[:len(line)-1], nil
	}
	var long []byte
	for {
		long = append(long, line...)
		switch {
		case len(long) > most:
			return nil, errTooLong
		case err == nil:
			return long[:len(long)-1], nil
		case err == io.EOF && len(long) > 0:
			return nil, io.ErrUnexpectedEOF
		case err != bufio.ErrBufferFull:
			return nil, err
		}
		line, err = r.ReadSlice('\n')
	}
}

// explain turns the error of a call into the failure that caused it, asking how the process ended where that says more.
func (w *worker) explain(timed context.Context, err error) error {
	if errors.Is(err, errTooLong) {
		return failf(OutputLimit, "a line of more than %d bytes", w.maxLine)
	}
	ended := !closed(w.interrupted) // else its end is our doing: where pipes have no deadlines, we kill it
	truncated := ended && errors.Is(err, io.ErrUnexpectedEOF)
	if truncated || ended && err == io.EOF {
		// The output ended. The process most likely did too: its status says more, and it has the rest of
		// the call's time to end by itself.
		select {
		case <-w.tree.ended:
			if f := w.tree.status.failure(truncated); f != nil {
				return f
			}
		case <-timed.Done():
		case <-w.interrupted:
		}
	}
	switch cause := context.Cause(timed); {
	case truncated:
		return failf(Truncated, "the output ended in the middle of a line")
	case cause == nil: // Close interrupted the worker
		return errInterrupted
	case cause == errTimeout:
		return failf(Timeout, "no reply within %v", w.timeout)
	default:
		return cause
	}
}

// reusable reports whether the worker can serve another call: it lives, was not interrupted and said no more than it was asked.
func (w *worker) reusable() bool {
	return !closed(w.tree.ended) && !closed(w.interrupted) && w.lines.Buffered() == 0
}

// interrupt makes the call under way, and every later one, fail at once.
func (w *worker) interrupt() {
	w.interruption.Do(func() {
		close(w.interrupted)
		past := time.Unix(1, 0)
		if w.stdin.SetWriteDeadline(past) != nil || w.stdout.SetReadDeadline(past) != nil {
			// Pipes without deadlines (Windows): only the end of the process unblocks them.
			w.tree.kill()
		}
	})
}

// end kills the process tree, at once or after a moment to end by itself, and waits for it. It reports whether something could not be killed.
func (w *worker) end(politely bool) (left bool) {
	w.stdin.Close()
	if politely {
		wait(w.tree.ended, politeGrace)
	}
	w.tree.kill()
	if !wait(w.tree.ended, killGrace) {
		w.tree.abandon()
		wait(w.tree.ended, killGrace)
	}
	w.stdout.Close()
	w.stderr.close()
	return !closed(w.tree.ended) || w.tree.status.Left
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// wait reports whether done was closed within d.
func wait(done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}
