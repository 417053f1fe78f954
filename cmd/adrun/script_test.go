package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentdescent/adrun/problems/command"
)

func TestMain(m *testing.M) {
	command.ShimMain()
	testscript.Main(m, map[string]func(){"adrun": main})
}

// TestScripts runs testdata/script/*.txtar: one behaviour each, named verb_case. UPDATE_SCRIPTS=1
// rewrites the outputs that they compare.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
	})
}
