package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
)

// failureLog tells a person about the failures of programs and of servers: the first of each kind in full, and how many
// there were. It is safe for concurrent use; the zero value is silent until to is set.
type failureLog struct {
	to io.Writer

	mu    sync.Mutex
	count map[string]int // by message and kind
}

var _ slog.Handler = (*failureLog)(nil)

// Enabled takes warnings and errors.
func (l *failureLog) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn
}

// WithAttrs and WithGroup change nothing: what is logged here has all that is shown.
func (l *failureLog) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup is described at WithAttrs.
func (l *failureLog) WithGroup(string) slog.Handler { return l }

// Handle counts a failure and prints the first of its kind.
func (l *failureLog) Handle(_ context.Context, r slog.Record) error {
	attrs := map[string]string{}
	r.Attrs(func(a slog.Attr) bool {
		attrs[a.Key] = a.Value.String()
		return true
	})
	what := r.Message + ": " + attrs["kind"]
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count == nil {
		l.count = map[string]int{}
	}
	l.count[what]++
	if l.to == nil || l.count[what] > 1 {
		return nil
	}
	fmt.Fprintf(l.to, "adrun: %s: %s", what, attrs["cause"])
	if task := attrs["task"]; task != "" {
		fmt.Fprintf(l.to, " (task %s)", task)
	}
	fmt.Fprintln(l.to)
	if text := strings.TrimSpace(attrs["stderr"]); text != "" {
		fmt.Fprintf(l.to, "  its stderr ends:\n    %s\n", strings.ReplaceAll(text, "\n", "\n    "))
	}
	return nil
}

// summarise prints how many failures of each kind there were, if one was told and others were not.
func (l *failureLog) summarise() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to == nil {
		return
	}
	for _, what := range slices.Sorted(maps.Keys(l.count)) {
		if n := l.count[what]; n > 1 {
			fmt.Fprintf(l.to, "adrun: %s, %d times\n", what, n)
		}
	}
	l.count = nil
}
