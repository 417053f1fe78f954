package command

import "fmt"

// shimVariable marks this executable, started again, as the supervisor of an evaluator; its value is a [launch].
const shimVariable = "ADRUN_EVALUATOR_SHIM"

// tokenVariable marks every process of an evaluator's tree that keeps its environment.
const tokenVariable = "ADRUN_EVALUATOR"

// launch is what it takes to start an evaluator. The exported fields travel to the supervisor as JSON.
type launch struct {
	Program string   // absolute path
	Args    []string // the arguments, the name of the program first
	Limits  Limits
	Exec    bool // second stage: take on the limits and become the program

	dir   string
	env   []string
	token string
}

// status is how an evaluator ended, as the supervisor reports it.
type status struct {
	Start  string      // why the program could not be started
	Exit   int         // its exit status, if it exited
	Signal string      // the signal that ended it, if one did
	Ours   bool        // that signal, or the end itself, was our doing
	Limit  FailureKind // the limit that it broke
	Left   bool        // something of the tree could not be killed
}

// failure is why a call on an evaluator that ended so gave no reply; nil when we ended it ourselves without a reason of its own.
func (s status) failure(truncated bool) *Failure {
	how := "ended in the middle of a line"
	if !truncated {
		how = "ended without a reply"
	}
	switch {
	case s.Start != "":
		return failf(NotStarted, "%s", s.Start)
	case s.Limit != "":
		return failf(s.Limit, "%s", limitText(s.Limit))
	case s.Ours:
		return nil
	case s.Signal == "killed":
		return failf(Killed, "killed from outside; did the system run out of memory?")
	case s.Signal != "":
		return failf(Exited, "%s by signal: %s", how, s.Signal)
	case truncated:
		return failf(Truncated, "%s, with status %d", how, s.Exit)
	default:
		return failf(Exited, "%s, with status %d", how, s.Exit)
	}
}

func limitText(k FailureKind) string {
	switch k {
	case CPULimit:
		return "used more CPU time than a call may"
	case MemoryLimit:
		return "held more memory than allowed"
	case ProcessLimit:
		return "had more processes than allowed"
	default:
		return fmt.Sprintf("broke the limit %s", k)
	}
}
