package runlog

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// Git writes the commits of a run as a stream for 'git fast-import': a branch dev whose first commit is
// where the run started, with a file ARTIFACT/KEY for each key, and a branch stable for what was promoted
// last (stable/ARTIFACT when there are several artifacts). Dates count the commits, so that equal runs
// give equal repositories.
func Git(out io.Writer, start *Start, commits []engine.Commit, stable map[string]engine.Ref) error {
	g := &gitStream{w: bufio.NewWriter(out), marks: map[string]int{}}
	g.printf("feature done\n")
	g.begin(fmt.Sprintf("Start of %s, seed %d\n", start.Problem, start.Seed))
	for _, a := range start.Artifacts {
		for _, k := range a.State.Keys() {
			g.write(a.ID, k, a.State[k])
		}
		g.marks[a.ID+"\x00"+a.Hash] = g.mark
	}
	for _, c := range commits {
		g.begin(gitMessage(c))
		for _, e := range c.Diff {
			g.edit(c.Artifact, e)
		}
		g.marks[c.Artifact+"\x00"+c.Hash] = g.mark
	}
	for _, a := range start.Artifacts {
		branch := "stable"
		if len(start.Artifacts) > 1 {
			branch += "/" + gitName(a.ID)
		}
		mark, known := g.marks[a.ID+"\x00"+stable[a.ID].Hash]
		if known {
			g.printf("reset refs/heads/%s\nfrom :%d\n\n", branch, mark)
		}
	}
	g.printf("done\n")
	if g.err != nil {
		return g.err
	}
	return g.w.Flush()
}

func gitMessage(c engine.Commit) string {
	return fmt.Sprintf("%s: version %d\n\nOutcome: %s\nRound: %d\nLease: %d\nCommit: %s\n", c.Artifact, c.Version, c.Outcome, c.Round, c.Lease, c.Hash)
}

// gitStream writes commands of fast-import; the first error stays.
type gitStream struct {
	w     *bufio.Writer
	mark  int
	marks map[string]int // of commits, by artifact and hash
	err   error
}

func (g *gitStream) printf(format string, args ...any) {
	if g.err == nil {
		_, g.err = fmt.Fprintf(g.w, format, args...)
	}
}

func (g *gitStream) data(text string) { g.printf("data %d\n%s\n", len(text), text) }

// begin starts the next commit of dev.
func (g *gitStream) begin(message string) {
	g.mark++
	g.printf("commit refs/heads/dev\nmark :%d\ncommitter adrun <adrun@localhost> %d +0000\n", g.mark, g.mark)
	g.data(message)
	if g.mark > 1 {
		g.printf("from :%d\n", g.mark-1)
	}
}

func (g *gitStream) write(artifact, key, text string) {
	g.printf("M 100644 inline %s/%s\n", gitName(artifact), gitName(key))
	g.data(text)
}

func (g *gitStream) edit(artifact string, e slots.Edit) {
	if e.Delete {
		g.printf("D %s/%s\n", gitName(artifact), gitName(e.Key))
		return
	}
	g.write(artifact, e.Key, e.Value)
}

// gitName makes one component of a path and of a branch that git takes: other bytes than letters, digits,
// _, - and a dot within become %XX.
func gitName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		inner := c == '.' && i > 0 && i < len(name)-1 && name[i-1] != '.' && name[i:] != ".lock"
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', inner:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if name == "" {
		return "%"
	}
	return b.String()
}
