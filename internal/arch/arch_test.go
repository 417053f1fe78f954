// Package arch holds the architecture to what docs/architecture.md draws.
package arch

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/agentdescent/adrun"

// allowed lists, for each part of the house, the parts that it may import, directly or through others.
// internal/ and the portable functions of dsl/fmath are leaves that all may import.
var allowed = map[string][]string{
	"internal":          {},
	"grammar":           {"dsl"},
	"dsl":               {},
	"dsl/fmath":         {},
	"gate":              {"dsl"},
	"slots":             {"gate", "dsl"},
	"engine":            {"slots", "gate", "dsl"},
	"engine/ledger":     {"engine", "slots", "gate", "dsl"},
	"engine/budget":     {"engine", "slots", "gate", "dsl"},
	"engine/treesearch": {"slots", "gate", "dsl"},
	"reflector":         {"slots", "gate", "dsl", "grammar"},
	"problems":          {"engine", "engine/treesearch", "slots", "gate", "dsl"},
	"meta":              {"engine", "engine/ledger", "engine/budget", "engine/treesearch", "reflector", "slots", "gate", "dsl", "grammar"},
	"examples":          {},
	"cmd": {
		"meta", "problems", "engine", "engine/ledger", "engine/budget", "engine/treesearch",
		"reflector", "slots", "gate", "dsl", "grammar",
	},
}

// part returns the part of the house that a package belongs to.
func part(pkg string) string {
	path := strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")
	best := ""
	for name := range allowed {
		if (path == name || strings.HasPrefix(path, name+"/")) && len(name) > len(best) {
			best = name
		}
	}
	return best
}

// TestImports follows the imports of every package, tests apart, to their end. A new package needs its
// part in the table; an arrow that the table does not have is an error.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Deps \" \"}}", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := 0
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		fields := strings.Fields(line)
		from := part(fields[0])
		if from == "" {
			t.Errorf("%s belongs to no part of the house", fields[0])
			continue
		}
		packages++
		for _, dep := range fields[1:] {
			if !strings.HasPrefix(dep, module) {
				continue
			}
			if to := part(dep); to != from && to != "internal" && to != "dsl/fmath" && !slices.Contains(allowed[from], to) {
				t.Errorf("%s imports %s: %s may not depend on %s", fields[0], dep, from, to)
			}
		}
	}
	if packages < 10 {
		t.Errorf("only %d packages were looked at", packages)
	}
}
