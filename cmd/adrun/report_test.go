package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/cmd/adrun/internal/catalog"
	"github.com/agentdescent/adrun/engine"
)

// While the head differs from what is stable it stands beside it, and goes when they are one.
func TestWriteHead(t *testing.T) {
	problem, err := catalog.ByName("binpack")
	if err != nil {
		t.Fatal(err)
	}
	sig, err := problem.Signature()
	if err != nil {
		t.Fatal(err)
	}
	p, dir := &plan{sig: sig}, t.TempDir()
	at := engine.ArtifactResult{Rendered: "rule priority { return -idx }\n", StableRendered: "rule priority { return item - bin }\n"}
	if err := p.writeHead(dir, at); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "head.rule"))
	if err != nil || !strings.Contains(string(text), "return -idx") || !strings.Contains(string(text), "signature binpack.priority") {
		t.Errorf("head.rule holds %q, %v", text, err)
	}
	at.StableRendered = at.Rendered
	for range 2 {
		if err := p.writeHead(dir, at); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "head.rule")); !os.IsNotExist(err) {
			t.Errorf("head.rule is still there: %v", err)
		}
	}
}
