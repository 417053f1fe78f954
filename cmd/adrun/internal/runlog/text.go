package runlog

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// Text writes a line an entry, for a person. The entries are those of the log, or some of them.
func (l *Log) Text(w io.Writer, entries []engine.Entry) error {
	for _, e := range entries {
		line, err := describe(e)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%5d  %-8s %s\n", e.Seq, e.Kind, oneLine(line)); err != nil {
			return err
		}
	}
	return nil
}

// oneLine keeps what programs and models wrote on the line of its entry, and a terminal from obeying it.
func oneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, s)
}

func describe(e engine.Entry) (string, error) {
	switch e.Kind {
	case engine.StartEntry:
		s, err := decode[Start](e)
		return fmt.Sprintf("%s, seed %d: %d lanes, %d training, %d held-out, %d sealed tasks",
			s.Problem, s.Seed, s.Lanes, s.Train, s.HeldOut, s.Sealed), err
	case engine.LeaseEntry:
		r, err := decode[engine.LeaseRecord](e)
		return describeLease(r), err
	case engine.MergeEntry:
		r, err := decode[slots.Report](e)
		return describeMerge(r), err
	case engine.CommitEntry:
		c, err := decode[engine.Commit](e)
		return fmt.Sprintf("%s version %d (%s, lease %d): %d keys, %.12s", c.Artifact, c.Version, c.Outcome, c.Lease, len(c.Diff), c.Hash), err
	case engine.PromoteEntry:
		r, err := decode[engine.Ref](e)
		return fmt.Sprintf("%s version %d becomes stable", r.Artifact, r.Version), err
	case engine.RoundEntry:
		r, err := decode[engine.Row](e)
		return fmt.Sprintf("%d: held out %s, %d commits, %d rollouts", r.Round, number(r.HeldOut), r.Commits, r.Spend.Rollouts), err
	case engine.EndEntry:
		end, err := decode[struct {
			Reason engine.StopReason `json:"reason"`
			Rounds int               `json:"rounds"`
		}](e)
		return fmt.Sprintf("after %d rounds: %s", end.Rounds, end.Reason), err
	}
	const most = 120
	if len(e.Data) > most {
		return string(e.Data[:most]) + "…", nil
	}
	return string(e.Data), nil
}

func describeLease(r engine.LeaseRecord) string {
	line := fmt.Sprintf("%d (round %d, lane %d) on %s: ", r.Lease, r.Round, r.Lane, r.Task)
	switch {
	case r.Error != "":
		return line + "not measured: " + r.Error
	case r.Failure != "":
		line += "failed: " + r.Failure
	default:
		line += fmt.Sprintf("reward %.4f", r.Reward)
	}
	switch {
	case len(r.Diff) > 0 && r.Delta.Known:
		line += fmt.Sprintf(", proposed %+.4f", r.Delta.Value)
	case len(r.Diff) > 0:
		line += ", proposed"
	case r.Asked:
		line += ", no proposal"
	}
	if r.Note != "" {
		line += " (" + r.Note + ")"
	}
	return line
}

func describeMerge(r slots.Report) string {
	line := fmt.Sprintf("%s: %s, %d cards", r.Artifact, r.Outcome, r.Considered)
	if r.BaseRate.Known && r.CandRate.Known {
		line += fmt.Sprintf(", held out %.4f → %.4f", r.BaseRate.Value, r.CandRate.Value)
	}
	if r.Reason != "" {
		line += " (" + r.Reason + ")"
	}
	return line
}

func number(m slots.Maybe) string {
	if !m.Known {
		return "–"
	}
	return fmt.Sprintf("%.4f", m.Value)
}
