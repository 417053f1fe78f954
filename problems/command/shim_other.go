//go:build !linux

package command

import (
	"os"
	"os/exec"
)

// ShimMain must be the first call of main, and of TestMain in tests that make a [Pool]. On this platform
// evaluators have no supervisor and it does nothing.
func ShimMain() {}

func shimMissed() error { return nil }

func command(l launch, stdio [3]*os.File) *exec.Cmd {
	return &exec.Cmd{Path: l.Program, Args: l.Args, Dir: l.dir, Env: l.env, Stdin: stdio[0], Stdout: stdio[1], Stderr: stdio[2]}
}
