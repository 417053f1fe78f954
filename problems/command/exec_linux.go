package command

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// becomeProgram is the second stage: it takes the limits on itself and becomes the evaluator. It returns never.
func becomeProgram(l launch) {
	const report = 3
	syscall.CloseOnExec(report)
	err := limitAndExec(l)
	json.NewEncoder(os.NewFile(report, "report")).Encode(status{Start: err.Error()})
	os.Exit(startFailed)
}

func limitAndExec(l launch) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	env := os.Environ()
	limits := []struct {
		name     string
		resource int
		value    int64
		set      bool
	}{
		{"core size", unix.RLIMIT_CORE, 0, true},
		{"file size", unix.RLIMIT_FSIZE, l.Limits.FileSize, l.Limits.FileSize > 0},
		{"open files", unix.RLIMIT_NOFILE, int64(l.Limits.OpenFiles), l.Limits.OpenFiles > 0},
		// Last: this process itself may not fit into it.
		{"address space", unix.RLIMIT_AS, l.Limits.AddressSpace, l.Limits.AddressSpace > 0},
	}
	for _, r := range limits {
		if !r.set {
			continue
		}
		// Through package syscall, which otherwise restores the limit on open files that it found at its start.
		if err := syscall.Setrlimit(r.resource, &syscall.Rlimit{Cur: uint64(r.value), Max: uint64(r.value)}); err != nil {
			return fmt.Errorf("limit the %s to %d: %w", r.name, r.value, err)
		}
	}
	if err := syscall.Exec(l.Program, l.Args, env); err != nil {
		return fmt.Errorf("start %s: %w", l.Program, err)
	}
	return nil
}
