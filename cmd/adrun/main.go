// Command adrun checks, explains, scores and evolves decision rules.
package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/agentdescent/adrun/problems/command"
)

func main() { os.Exit(execute()) }

func execute() int {
	command.ShimMain() // adrun is its own supervisor of evaluators
	ctx := context.Background()
	if endsInOrder(os.Args[1:]) {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, endSignals()...)
		// A second signal ends the process, unless it is the first one once more: timeout sends it to a process and to
		// its group.
		context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
		defer stop()
	}
	return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// endsInOrder says whether a verb does something when it is told to end. The others just end: they have nothing to
// leave behind, and may be reading a terminal.
func endsInOrder(args []string) bool {
	return len(args) > 0 && slices.Contains([]string{"evolve", "resume", "watch", "score", "meta", "bench"}, args[0])
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
