package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/agentdescent/adrun/slots"
)

// printSources shows what came of each source of proposals, and what became of the replies of models.
func printSources(out io.Writer, sources []slots.SourceTally) error {
	if len(sources) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "\nsource\tleases\tproposals\tcommits\tgain\tcalls\ttokens\tcost\treplies")
	for _, s := range sources {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%+.4f\t%d\t%d\t%.4g\t%s\n",
			s.Source, s.Leases, s.Proposals, s.Commits, s.Gain, s.Own.Calls, s.Own.Tokens, s.Own.Cost, repliesLine(s))
	}
	return w.Flush()
}

// repliesLine counts replies by what became of them, the commonest first.
func repliesLine(s slots.SourceTally) string {
	causes := slices.Sorted(maps.Keys(s.Replies))
	slices.SortStableFunc(causes, func(a, b string) int { return s.Replies[b] - s.Replies[a] })
	var parts []string
	for _, c := range causes {
		parts = append(parts, fmt.Sprintf("%d %s", s.Replies[c], c))
	}
	if s.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d leases without any", s.Failed))
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}
