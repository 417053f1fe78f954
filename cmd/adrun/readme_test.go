package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Pages show what their commands print. The columns of a table may be spaced otherwise.
func TestPagesShowWhatIsPrinted(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, tt := range []struct {
		name  string
		args  []string
		pages []string
		after string // the text before the block
	}{
		{"main job", []string{"evolve", filepath.Join(root, "examples", "binpack.yaml")}, []string{"README.md"}, "holds this page to it):\n\n```\n"},
		{
			"meta run", []string{"meta", "run", filepath.Join(root, "examples", "meta", "quick.yaml")},
			[]string{"README.md", filepath.Join("docs", "meta.md")}, "$ adrun meta run examples/meta/quick.yaml\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			var out bytes.Buffer
			args := append(tt.args, "--out", filepath.Join(dir, "out"), "--runs", filepath.Join(dir, "store"))
			if code := run(context.Background(), args, nil, &out, io.Discard); code != exitFine {
				t.Fatalf("exit code %d", code)
			}
			for _, page := range tt.pages {
				pageShows(t, filepath.Join(root, page), tt.after, out.String())
			}
			if t.Failed() {
				t.Log(out.String())
			}
		})
	}
}

// pageShows holds the lines of a block of a page to those of an output. "…" stands for lines that are left out.
func pageShows(t *testing.T, page, after, output string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), after)
	block, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Errorf("%s has no block after %q", page, after)
	}
	printed := map[string]bool{"…": true}
	for _, line := range strings.Split(output, "\n") {
		printed[strings.Join(strings.Fields(line), " ")] = true
	}
	for _, line := range strings.Split(block, "\n") {
		if !printed[strings.Join(strings.Fields(line), " ")] {
			t.Errorf("%s shows a line that was not printed: %q", page, line)
		}
	}
}
