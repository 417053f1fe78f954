package runs

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// Lock is the right to evolve a run.
type Lock struct {
	file *os.File
}

// HeldError says that another process evolves the run.
type HeldError struct {
	ID  string
	PID int // 0 when it is not known
}

func (e *HeldError) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("run %s is being evolved by %s: 'adrun watch %s' follows it, 'adrun cancel %s' stops it", e.ID, who, e.ID, e.ID)
}

// Lock takes the lock, or returns a *HeldError. The lock of a process that was killed is free.
func (r *Run) Lock() (*Lock, error) {
	f, err := os.OpenFile(r.path("lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	ok, err := tryLock(f)
	// Who only looks whether a run is evolved (Holder) holds the lock for a moment.
	for i := 0; i < 20 && err == nil && !ok; i++ {
		time.Sleep(5 * time.Millisecond)
		ok, err = tryLock(f)
	}
	if err != nil || !ok {
		pid := readPID(f)
		_ = f.Close()
		if err != nil {
			return nil, fmt.Errorf("locking run %s: %w", r.ID, err)
		}
		return nil, &HeldError{ID: r.ID, PID: pid}
	}
	if err = f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &Lock{file: f}, nil
}

// Unlock gives the lock back.
func (l *Lock) Unlock() error { return l.file.Close() }

// Holder reports whether a process evolves the run, and which; the number is 0 for a moment while that
// process begins.
func (r *Run) Holder() (pid int, held bool, err error) {
	f, err := os.Open(r.path("lock"))
	if os.IsNotExist(err) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = f.Close() }()
	free, err := tryLockShared(f)
	if free || err != nil {
		return 0, false, err
	}
	return readPID(f), true, nil
}

func readPID(f *os.File) int {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}
