package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain lets this binary be three things: the supervisor of an evaluator, an evaluator, and the tests.
func TestMain(m *testing.M) {
	ShimMain()
	if len(os.Args) > 2 && os.Args[1] == "evaluator" {
		roles[os.Args[2]](os.Args[3:])
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// roles are evaluators, and the host of one, compiled into this binary.
var roles map[string]func(args []string)

func init() {
	roles = map[string]func([]string){
		"echo":    echo,
		"balloon": balloon,
		"host":    host,
	}
}

// echo scores 0.5 and returns the task as detail.
func echo([]string) {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Fprintf(out, `{"id":%d,"score":0.5,"detail":%s}`+"\n", r.ID, cmpOr(r.Task, "null"))
		out.Flush()
	}
}

func cmpOr(task json.RawMessage, def string) string {
	if len(task) == 0 {
		return def
	}
	return string(task)
}

// balloon holds 300 MB and waits.
func balloon([]string) {
	held := bytes.Repeat([]byte{1}, 300<<20)
	bufio.NewReader(os.Stdin).ReadBytes(0)
	fmt.Fprintln(os.Stderr, len(held))
}

// host is a process with a pool whose evaluator, a shell script, never answers.
func host(args []string) {
	p, err := New(Spec{Command: []string{"sh", args[0]}, Env: []string{markVariable}, Timeout: time.Hour})
	if err == nil {
		_, err = p.Call(context.Background(), Candidate{}, nil)
	}
	fmt.Fprintln(os.Stderr, err)
}

// self is the command line of a role.
func self(t testing.TB, role string, args ...string) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{exe, "evaluator", role}, args...)
}

// shell writes a script and returns the command line that runs it.
func shell(t testing.TB, script string) []string {
	t.Helper()
	need(t, "sh")
	path := filepath.Join(t.TempDir(), "evaluator.sh")
	if err := os.WriteFile(path, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{"sh", path}
}

// need skips a test whose program is not installed.
func need(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
}

func open(t testing.TB, spec Spec) *Pool {
	t.Helper()
	p, err := New(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// failure makes a call that must fail.
func failure(t testing.TB, p *Pool) *Failure {
	t.Helper()
	r, err := p.Call(context.Background(), Candidate{Rule: "rule r { return 1 }"}, nil)
	f, ok := err.(*Failure)
	if !ok {
		t.Fatalf("got reply %+v and error %v, want a failure", r, err)
	}
	return f
}

// score makes a call that must succeed.
func score(t testing.TB, p *Pool) Reply {
	t.Helper()
	r, err := p.Call(context.Background(), Candidate{Rule: "rule r { return 1 }"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// markVariable carries a test's mark in the environment of everything it starts.
const markVariable = "COMMAND_TEST_MARK"

// newMark is a text that no other process on this machine carries.
func newMark() string { return fmt.Sprintf("%d%d", os.Getpid(), time.Now().UnixNano()) }

// carriers lists the living processes whose environment or command line contains the mark, this one excepted.
func carriers(t testing.TB, mark string) []string {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, dir := range dirs {
		if filepath.Base(dir) == strconv.Itoa(os.Getpid()) {
			continue
		}
		env, _ := os.ReadFile(filepath.Join(dir, "environ")) // gone or another user's: not ours
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if bytes.Contains(env, []byte(mark)) || bytes.Contains(args, []byte(mark)) {
			found = append(found, filepath.Base(dir)+" "+strings.ReplaceAll(string(args), "\x00", " "))
		}
	}
	return found
}

// eventually polls until the condition holds.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("gave up waiting for: %s", what)
		}
	}
}
