package command

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// becomeProgram is the second stage: it takes limits on itself and becomes the evaluator. It never returns.
func becomeProgram(l launch) {
	const report = 3
	syscall.CloseOnExec(report)
	err := limitAndExec(l)
	json.NewEncoder(os.NewFile(report, "report")).Encode(status{Start: err.Error()})
	os.Exit(startFailed)
}

func limitAndExec(l launch) error {
	env := os.Environ()
	limits := []struct {
		name     string
		resource int
		value    int64
	}{
		{"file size", unix.RLIMIT_FSIZE, l.Limits.FileSize},
		{"open files", unix.RLIMIT_NOFILE, int64(l.Limits.OpenFiles)},
		// Last: this process itself may not fit into it.
		{"address space", unix.RLIMIT_AS, l.Limits.AddressSpace},
	}
	for _, r := range limits {
		if r.value == 0 {
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
