// Command adrun checks, explains, scores and evolves decision rules.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/agentdescent/adrun/problems/command"
)

func main() { os.Exit(execute()) }

func execute() int {
	command.ShimMain() // adrun is its own supervisor of evaluators
	ctx, stop := signal.NotifyContext(context.Background(), endSignals()...)
	context.AfterFunc(ctx, stop) // a second signal ends the process
	defer stop()
	return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// endSignals are the signals that end a run in good order. A terminal that closes hangs up; under nohup that is
// ignored, and stays so.
func endSignals() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}
