// Command perf runs the benchmarks whose figures docs/performance.md shows and rewrites the tables of that
// page. The text around the tables stays; what a table says was printed by the command above it, in this run.
//
//	go run ./internal/perf
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// align is how make build aligns functions: what the figures are of is not left to where the linker puts a loop.
const align = "-ldflags=-funcalign=64"

// page is the file that is rewritten.
const page = "docs/performance.md"

// table is one table of the page: a benchmark of a package.
type table struct {
	name, pkg, bench, benchtime string
}

func tables() []table {
	return []table{
		{"scalar", "./dsl", "BenchmarkScalar$", "1x"},
		{"batch", "./dsl", "BenchmarkBatch$", "1x"},
		{"engines", "./dsl", "BenchmarkEngines$", "1x"},
		{"compile", "./dsl", "BenchmarkToProgram$", "1x"},
		{"gate", "./reflector", "BenchmarkGate$", "1x"},
		{"landscape", "./problems/landscape", "BenchmarkAgainstPlain$", "1x"},
		{"binpack", "./problems/binpack", "BenchmarkRuleOverGo$", "5x"},
		{"rounds", "./engine", "BenchmarkRounds$|BenchmarkTrials$|BenchmarkWorkers$", "1x"},
		{"memory", "./engine", "BenchmarkCandidates$", "1x"},
		{"durable", "./engine/ledger", "BenchmarkDurableRounds$", "1x"},
		{"evaluators", "./problems/command", "BenchmarkCall$|BenchmarkStart$", "50x"},
	}
}

func main() {
	text, err := os.ReadFile(page)
	if err != nil {
		fail(err)
	}
	for _, t := range tables() {
		fmt.Fprintf(os.Stderr, "%s: %s\n", t.name, t.command())
		rows, err := t.run()
		if err != nil {
			fail(err)
		}
		if text, err = replace(text, t, rows); err != nil {
			fail(err)
		}
	}
	if err := os.WriteFile(page, text, 0o644); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "perf:", err)
	os.Exit(1)
}

func (t table) command() string {
	return fmt.Sprintf("go test %s -run '^$' -bench '%s' -benchtime %s %s", t.pkg, t.bench, t.benchtime, align)
}

// row is a line of a benchmark: its name and the figures with their units, in order.
type row struct {
	name    string
	figures []string
}

func (t table) run() ([]row, error) {
	out, err := exec.Command("go", "test", t.pkg, "-run", "^$", "-bench", t.bench, "-benchtime", t.benchtime, align, "-timeout", "30m").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", t.command(), err, out)
	}
	var rows []row
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(fields[0], "Benchmark"), fmt.Sprintf("-%d", runtime.GOMAXPROCS(0)))
		r := row{name: name}
		for i := 2; i+1 < len(fields); i += 2 {
			r.figures = append(r.figures, fields[i]+" "+fields[i+1])
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s printed no figure", t.command())
	}
	return rows, lines.Err()
}

// replace puts the rows between the page's marks of the table.
func replace(text []byte, t table, rows []row) ([]byte, error) {
	begin, end := []byte("<!-- begin "+t.name+" -->\n"), []byte("<!-- end "+t.name+" -->\n")
	i, j := bytes.Index(text, begin), bytes.Index(text, end)
	if i < 0 || j < i {
		return nil, fmt.Errorf("%s has no marks for the table %q", page, t.name)
	}
	var b bytes.Buffer
	b.Write(text[:i+len(begin)])
	fmt.Fprintf(&b, "\n`%s`\n\n| benchmark | figures |\n|---|---|\n", strings.ReplaceAll(t.command(), "|", "\\|"))
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s |\n", r.name, strings.Join(r.figures, ", "))
	}
	b.WriteByte('\n')
	b.Write(text[j:])
	return b.Bytes(), nil
}
