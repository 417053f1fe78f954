package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/agentdescent/adrun/engine/ledger"
	"github.com/agentdescent/adrun/problems/command"
)

func TestMain(m *testing.M) {
	command.ShimMain()
	testscript.Main(m, map[string]func(){"adrun": mainUnderTest})
}

// mainUnderTest is main, and fails where a goroutine is left. Only what waits for a process in the background may be: it
// ends with it.
func mainUnderTest() {
	code := execute()
	if err := goleak.Find(goleak.IgnoreAnyFunction("github.com/agentdescent/adrun/cmd/adrun.begun.func1")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 3
	}
	os.Exit(code)
}

// TestScripts runs testdata/script/*.txtar: one behaviour each, named verb_case. UPDATE_SCRIPTS=1
// rewrites the outputs that they compare.
func TestScripts(t *testing.T) {
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			all := servers{}
			env.Values[serversKey{}] = all
			env.Defer(func() {
				for _, s := range all {
					s.Close()
				}
			})
			return nil
		},
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"flip": flip, "waitrows": waitRows, "interrupt": interrupt, "model": fakeModel, "spent": spent,
			"beginswith": beginsWith,
		},
	})
}

// flip FILE BYTE flips a bit of a file.
func flip(ts *testscript.TestScript, _ bool, args []string) {
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	text, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	text[at] ^= 1
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o644))
}

// beginsWith FILE PREFIX compares the beginning of a file, or of stdout, with another file.
func beginsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("beginswith cannot be negated")
	}
	if text, prefix := ts.ReadFile(args[0]), ts.ReadFile(args[1]); prefix == "" || !strings.HasPrefix(text, prefix) {
		ts.Fatalf("%s does not begin with %s", args[0], args[1])
	}
}

// waitRows RUN N waits until so many rounds of a run are in its ledger, +N until there are so many more.
func waitRows(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	dir, more := ts.MkAbs(args[0]), strings.HasPrefix(args[1], "+")
	// The ledger is another process's, which tells nobody of a round: between two looks it gets the processor. The
	// minute is the way out for a process that has ended.
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		var n int
		if n, err = rowsOf(dir); err != nil {
			continue // there is no ledger yet
		}
		if more {
			want, more = want+n, false
		}
		if n >= want {
			return
		}
	}
	ts.Fatalf("%s did not come to %d rounds (%v)", args[0], want, err)
}

func rowsOf(dir string) (int, error) {
	r, err := ledger.OpenReader(filepath.Join(dir, "ledger.db"))
	if err != nil {
		return 0, err
	}
	defer func() { _ = r.Close() }()
	list, err := r.Runs(context.Background())
	if err != nil || len(list) == 0 {
		return 0, err
	}
	entries, err := r.Entries(context.Background(), list[0].RunID, 0)
	rows := 0
	for _, e := range entries {
		if e.Kind == "round" {
			rows++
		}
	}
	return rows, err
}

// interrupt RUN SIGNAL signals the process that evolves a run.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	signal, known := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL}[args[1]]
	if !known {
		ts.Fatalf("unknown signal %s", args[1])
	}
	text, err := os.ReadFile(filepath.Join(ts.MkAbs(args[0]), "lock"))
	ts.Check(err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	ts.Check(err)
	process, err := os.FindProcess(pid)
	ts.Check(err)
	ts.Check(process.Signal(signal))
}
