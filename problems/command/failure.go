package command

import (
	"errors"
	"fmt"
	"strings"
)

// ErrClosed is returned by [Pool.Call] after or during [Pool.Close].
var ErrClosed = errors.New("the evaluator pool is closed")

// FailureKind names why a call gave no score. The values are stable: they are recorded.
type FailureKind string

// The kinds of failure.
const (
	Rejected     FailureKind = "rejected"      // the evaluator answered with "error"
	BadScore     FailureKind = "bad-score"     // no score, not a number, not finite, outside [0, 1]; or a bad cost
	Timeout      FailureKind = "timeout"       // no complete reply in time
	CPULimit     FailureKind = "cpu-limit"     // the tree used more CPU time than a call may
	MemoryLimit  FailureKind = "memory-limit"  // the tree held more memory than allowed
	ProcessLimit FailureKind = "process-limit" // the tree had more processes than allowed
	OutputLimit  FailureKind = "output-limit"  // a line longer than the cap
	Exited       FailureKind = "exited"        // ended, or crashed by its own signal, without a reply
	Garbage      FailureKind = "garbage"       // a line that is not a JSON object with an id
	Truncated    FailureKind = "truncated"     // the output ended in the middle of a line
	WrongID      FailureKind = "wrong-id"      // a reply to another request
	NotStarted   FailureKind = "not-started"   // no process could be started
	Killed       FailureKind = "killed"        // killed from outside: by the system for lack of memory, or by a person
)

// Infrastructure reports whether the failure says nothing about the candidate, so that the call may be retried.
// Otherwise the failure is data: the candidate scores 0 with this cause.
func (k FailureKind) Infrastructure() bool { return k == NotStarted || k == Killed }

// ambiguous reports whether an earlier call may have caused the failure, so that only a fresh worker can tell.
func (k FailureKind) ambiguous() bool {
	switch k {
	case Exited, Garbage, Truncated, WrongID, OutputLimit, NotStarted, Killed:
		return true
	}
	return false
}

// Failure is why a call gave no score.
type Failure struct {
	Kind FailureKind
	// Msg says what happened, bounded, without measured times and process ids: fit for a record that must repeat.
	Msg string
	// Stderr is the end of what the worker wrote to stderr since it started, for people; it need not repeat.
	Stderr string
	// Attempts is how many workers were asked, at least 1.
	Attempts int
	// Left is true when processes of the evaluator could not be killed (they hang in the kernel, say).
	Left bool
}

// Error gives the kind, the message and the last line of stderr.
func (f *Failure) Error() string {
	s := fmt.Sprintf("evaluator: %s: %s", f.Kind, f.Msg)
	if line := lastLine(f.Stderr); line != "" {
		s += fmt.Sprintf(" (stderr ends %q)", line)
	}
	if f.Left {
		s += " (some of its processes could not be killed)"
	}
	return s
}

// Infrastructure is [FailureKind.Infrastructure] of the kind.
func (f *Failure) Infrastructure() bool { return f.Kind.Infrastructure() }

// failf takes words of the evaluator's as they are: its message is UTF-8, so that it is the same once it was stored.
func failf(kind FailureKind, format string, args ...any) *Failure {
	return &Failure{Kind: kind, Msg: strings.ToValidUTF8(fmt.Sprintf(format, args...), "\uFFFD"), Attempts: 1}
}

func lastLine(s string) string {
	s = strings.TrimRight(s, "\r\n\t ")
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		s = s[i+1:]
	}
	return clip(s)
}

// clip bounds a text that goes into a message.
func clip(s string) string { return beginning(s, 200) }

// beginning returns s, or of one longer than most bytes as much with a mark that there was more.
func beginning(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
