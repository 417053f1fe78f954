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

// The README shows what its first command prints. The columns of a table may be spaced otherwise.
func TestReadmeShowsTheMainJob(t *testing.T) {
	root, dir := filepath.Join("..", ".."), t.TempDir()
	page, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	args := []string{"evolve", filepath.Join(root, "examples", "binpack.yaml"), "--out", filepath.Join(dir, "out"), "--runs", filepath.Join(dir, "store")}
	if code := run(context.Background(), args, nil, &out, io.Discard); code != exitFine {
		t.Fatalf("exit code %d", code)
	}
	_, after, _ := strings.Cut(string(page), "holds this page to it):\n\n```\n")
	block, _, ok := strings.Cut(after, "```")
	if !ok {
		t.Fatal("README.md has no block after \"holds this page to it\"")
	}
	printed := map[string]bool{}
	for _, line := range strings.Split(out.String(), "\n") {
		printed[strings.Join(strings.Fields(line), " ")] = true
	}
	for _, line := range strings.Split(block, "\n") {
		if !printed[strings.Join(strings.Fields(line), " ")] {
			t.Errorf("README.md shows a line that was not printed: %q", line)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}
