package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// answer is the start of a shell script that takes the id out of a request: $id.
const answer = `read -r line; id=${line#*\"id\":}; id=${id%%[,\}]*}
`

func TestReplies(t *testing.T) {
	tests := map[string]struct {
		reply string
		want  Reply
		kind  FailureKind // "" for a reply
		msg   string      // part of the message
	}{
		"score":         {`{"id":$id,"score":0.25}`, Reply{Score: 0.25}, "", ""},
		"zero":          {`{"id":$id,"score":0}`, Reply{}, "", ""},
		"one":           {`{"id":$id,"score":1}`, Reply{Score: 1}, "", ""},
		"cost, detail":  {`{"id":$id,"score":1e-3,"cost":12.5,"detail":{"a":[1, 2]}}`, Reply{Score: 0.001, Cost: 12.5, Detail: json.RawMessage(`{"a":[1, 2]}`)}, "", ""},
		"nulls":         {`{"id":$id,"score":1,"cost":null,"detail":null,"error":null}`, Reply{Score: 1}, "", ""},
		"other keys":    {`{"id":$id,"score":1,"seconds":3}`, Reply{Score: 1}, "", ""},
		"id as 1.0":     {`{"id":$id.0,"score":1}`, Reply{Score: 1}, "", ""},
		"error":         {`{"id":$id,"error":"no such bin"}`, Reply{}, Rejected, "no such bin"},
		"error object":  {`{"id":$id,"error":{"code":3}}`, Reply{}, Rejected, `{"code":3}`},
		"NaN":           {`{"id":$id,"score":NaN}`, Reply{}, BadScore, `"NaN" is not a number`},
		"-Infinity":     {`{"id":$id,"score": -Infinity}`, Reply{}, BadScore, "Infinity"},
		"overflow":      {`{"id":$id,"score":1e999}`, Reply{}, BadScore, "1e999 is not finite"},
		"above":         {`{"id":$id,"score":1.5}`, Reply{}, BadScore, "1.5 is outside [0, 1]"},
		"just above":    {`{"id":$id,"score":1.0000000000000002}`, Reply{}, BadScore, "outside"},
		"below":         {`{"id":$id,"score":-0.1}`, Reply{}, BadScore, "-0.1 is outside [0, 1]"},
		"no score":      {`{"id":$id}`, Reply{}, BadScore, "missing"},
		"null score":    {`{"id":$id,"score":null}`, Reply{}, BadScore, "missing"},
		"text":          {`{"id":$id,"score":"0.5"}`, Reply{}, BadScore, `"0.5" is not a number`},
		"bool":          {`{"id":$id,"score":true}`, Reply{}, BadScore, "true is not a number"},
		"both":          {`{"id":$id,"score":1,"error":"x"}`, Reply{}, BadScore, "both"},
		"negative cost": {`{"id":$id,"score":1,"cost":-1}`, Reply{}, BadScore, "cost -1"},
		"NaN cost":      {`{"id":$id,"score":1,"cost":NaN}`, Reply{}, BadScore, "cost"},
		"wrong id":      {`{"id":${id}1,"score":1}`, Reply{}, WrongID, "does not carry the id"},
		"id as text":    {`{"id":"$id","score":1}`, Reply{}, WrongID, "does not carry the id"},
		"no id":         {`{"score":1}`, Reply{}, Garbage, `{\"score\":1}`},
		"array":         {`[1]`, Reply{}, Garbage, "[1]"},
		"log line":      {`Loading model`, Reply{}, Garbage, "Loading model"},
		"empty line":    {``, Reply{}, Garbage, `""`},
		"two objects":   {`{"id":$id,"score":1} {}`, Reply{}, Garbage, "score"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := answer + "cat <<END\n" + tt.reply + "\nEND\n"
			p := open(t, Spec{Command: shell(t, script), Timeout: time.Minute, Retries: -1})
			if tt.kind == "" {
				got := score(t, p)
				if got.Score != tt.want.Score || got.Cost != tt.want.Cost || !bytes.Equal(got.Detail, tt.want.Detail) {
					t.Errorf("got %+v, want %+v", got, tt.want)
				}
				return
			}
			f := failure(t, p)
			if f.Kind != tt.kind || !strings.Contains(f.Msg, tt.msg) {
				t.Errorf("got %s: %s, want %s: …%s…", f.Kind, f.Msg, tt.kind, tt.msg)
			}
			if f.Infrastructure() {
				t.Error("what an evaluator says is never an infrastructure failure")
			}
		})
	}
}

func TestEnds(t *testing.T) {
	tests := map[string]struct {
		script string
		kind   FailureKind
		msg    string
		infra  bool
	}{
		"nothing":           {`read -r line`, Exited, "without a reply, with status 0", false},
		"exit 137":          {`read -r line; exit 137`, Exited, "without a reply, with status 137", false},
		"exit before":       {`exit 3`, Exited, "with status 3", false},
		"half a line":       {answer + `printf '{"id":%s,"sco' $id`, Truncated, "middle of a line, with status 0", false},
		"crash":             {`read -r line; kill -SEGV $$`, Exited, "segmentation fault", false},
		"killed":            {`read -r line; kill -KILL $$`, Killed, "from outside", true},
		"gigabytes":         {`read -r line; tr '\0' x </dev/zero`, OutputLimit, "more than 65536 bytes", false},
		"gigabytes, lines":  {`read -r line; yes`, Garbage, `"y"`, false},
		"loud on stderr":    {`read -r line; yes | head -c 5000000 >&2; echo the cause >&2; exit 1`, Exited, "status 1", false},
		"stdout closed":     {`exec >&-; while read -r line; do :; done; exit 4`, Timeout, "no reply within 300ms", false},
		"stdout given away": {`read -r line; sleep 1000 & exit 5`, Exited, "status 5", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := Spec{Command: shell(t, tt.script), Timeout: time.Minute, Retries: -1, MaxReply: 1 << 16}
			if tt.kind == Timeout {
				spec.Timeout, spec.Startup = 300*time.Millisecond, -1
			}
			f := failure(t, open(t, spec))
			if f.Kind != tt.kind || !strings.Contains(f.Msg, tt.msg) {
				t.Errorf("got %s: %s, want %s: …%s…", f.Kind, f.Msg, tt.kind, tt.msg)
			}
			if f.Infrastructure() != tt.infra {
				t.Errorf("infrastructure: got %t, want %t", f.Infrastructure(), tt.infra)
			}
			if f.Left {
				t.Error("something was left behind")
			}
			if name == "loud on stderr" && (!strings.HasSuffix(f.Stderr, "the cause\n") || len(f.Stderr) > 8<<10) {
				t.Errorf("stderr: %d bytes, ending %q", len(f.Stderr), lastLine(f.Stderr))
			}
		})
	}
}

// The request must reach a program that is not JSON aware in a form it can take apart, whole and on one line.
func TestRequest(t *testing.T) {
	var buf bytes.Buffer
	c := Candidate{Rule: "rule r {\n  return a < b && c > 1 ? \"é\" : 0\n}", AST: json.RawMessage("{\n \"kind\": \"rule\"\n}"), Python: "def r():\n\treturn 1\n"}
	if err := appendRequest(&buf, 7, c, json.RawMessage("[1,\n2]")); err != nil {
		t.Fatal(err)
	}
	const want = `{"id":7,"candidate":{"rule":"rule r {\n  return a < b && c > 1 ? \"é\" : 0\n}","ast":{"kind":"rule"},"python":"def r():\n\treturn 1\n"},"task":[1,2]}` + "\n"
	if buf.String() != want {
		t.Errorf("got  %swant %s", buf.String(), want)
	}
	if err := appendRequest(&buf, 7, Candidate{AST: json.RawMessage("{")}, nil); err == nil {
		t.Error("an AST that is not JSON was sent")
	}
}

func TestWorkerServesManyCalls(t *testing.T) {
	p := open(t, Spec{Command: self(t, "echo"), Timeout: time.Minute, Workers: 3})
	var calls sync.WaitGroup
	for i := range 200 {
		calls.Go(func() {
			task := fmt.Sprintf(`{"n":%d}`, i)
			r, err := p.Call(context.Background(), Candidate{}, json.RawMessage(task))
			if err != nil || r.Score != 0.5 || string(r.Detail) != task {
				t.Errorf("call %d: %+v, %v", i, r, err)
			}
		})
	}
	calls.Wait()
	if n := len(p.idle); n < 1 || n > 3 {
		t.Errorf("%d workers for 3 slots", n)
	}
}

// Each of four evaluators waits until four of them are in a call.
func TestWorkersRunAtOnce(t *testing.T) {
	dir := t.TempDir()
	script := answer + `: >"` + dir + `/$id"; until [ $(ls "` + dir + `" | wc -l) = 4 ]; do sleep 0.01; done; echo "{\"id\":$id,\"score\":1}"`
	p := open(t, Spec{Command: shell(t, script), Timeout: time.Minute, Workers: 4})
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			if _, err := p.Call(context.Background(), Candidate{}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
}

// A program that answers once and exits is started for each call; no attempt is wasted on a dead worker.
func TestOneShotProgram(t *testing.T) {
	starts := filepath.Join(t.TempDir(), "starts")
	p := open(t, Spec{Command: shell(t, `echo >>"`+starts+`"; `+answer+`echo "{\"id\":$id,\"score\":1}"`), Timeout: time.Minute})
	for range 5 {
		score(t, p)
	}
	if log, err := os.ReadFile(starts); err != nil || len(log) != 5 {
		t.Errorf("%d starts, %v; want 5", len(log), err)
	}
}

// What a worker breaks after its reply must not be charged to the next candidate.
func TestNextCandidateIsNotBlamed(t *testing.T) {
	tests := map[string]string{
		"answers twice, at once": `while ` + answer + ` [ "$id" ]; do r="{\"id\":$id,\"score\":1}"; printf '%s\n%s\n' "$r" "$r"; done`,
		"answers twice, later":   `while ` + answer + ` [ "$id" ]; do echo "{\"id\":$id,\"score\":1}"; echo "{\"id\":$id,\"score\":1}"; done`,
		"dies on the second":     answer + `echo "{\"id\":$id,\"score\":1}"; read -r line; exit 9`,
	}
	for name, script := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := Spec{Command: shell(t, script), Timeout: time.Minute}
			if name == "answers twice, at once" {
				spec.Retries = -1 // what was read already gives the worker away
			}
			p := open(t, spec)
			for range 4 {
				score(t, p)
			}
		})
	}
}

// A retry asks a worker that has served nobody: here the two that have would both fail.
func TestRetryIsFresh(t *testing.T) {
	dir := t.TempDir()
	script := answer + `: >"` + dir + `/$id"; until [ $(ls "` + dir + `" | wc -l) -ge 2 ]; do sleep 0.01; done; echo "{\"id\":$id,\"score\":1}"; read -r line; exit 9`
	p := open(t, Spec{Command: shell(t, script), Timeout: time.Minute, Workers: 2})
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() {
			if _, err := p.Call(context.Background(), Candidate{}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	score(t, p)
}

// An ambiguous failure is charged only when a fresh worker repeats it, others at once.
func TestRetries(t *testing.T) {
	tests := map[string]struct {
		does          string
		retries, want int
	}{
		"exit":        {`exit 1`, 0, 2},
		"exit, twice": {`exit 1`, 2, 3},
		"exit, never": {`exit 1`, -1, 1},
		"killed":      {`kill -KILL $$`, 0, 2},
		"garbage":     {`echo hello`, 0, 2},
		"rejected":    {`echo "{\"id\":$id,\"error\":\"no\"}"`, 0, 1},
		"bad score":   {`echo "{\"id\":$id,\"score\":2}"`, 0, 1},
		"hang":        {`exec sleep 1000`, 0, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			starts := filepath.Join(t.TempDir(), "starts")
			spec := Spec{Command: shell(t, answer+`echo >>"`+starts+`"; `+tt.does), Retries: tt.retries, Timeout: time.Minute}
			if strings.HasPrefix(name, "hang") {
				spec.Timeout, spec.Startup = 5*time.Second, -1
			}
			f := failure(t, open(t, spec))
			log, err := os.ReadFile(starts)
			if err != nil || len(log) != tt.want || f.Attempts != tt.want {
				t.Errorf("%d starts, %d attempts, %v; want %d: %v", len(log), f.Attempts, err, tt.want, f)
			}
		})
	}
}

// The timeout is a call's: a worker whose calls take longer together than one may is not cut off.
func TestSlowRepliesInTime(t *testing.T) {
	t.Parallel()
	script := `while ` + answer + ` [ "$id" ]; do sleep 0.8; echo "{\"id\":$id,\"score\":1}"; done`
	p := open(t, Spec{Command: shell(t, script), Timeout: 5 * time.Second})
	for range 8 {
		score(t, p)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("COMMAND_TEST_SECRET", "hunter2")
	t.Setenv("COMMAND_TEST_LISTED", "listed")
	p := open(t, Spec{
		Command: shell(t, answer+`echo "{\"id\":$id,\"score\":1,\"detail\":\"$(env | cut -d= -f1 | sort | tr '\n' ' ')$COMMAND_TEST_LISTED $COMMAND_TEST_SET\"}"`),
		Env:     []string{"COMMAND_TEST_LISTED", "COMMAND_TEST_SET=a=b", "COMMAND_TEST_ABSENT"},
		Timeout: time.Minute,
	})
	detail := string(score(t, p).Detail)
	if !strings.HasSuffix(detail, ` listed a=b"`) {
		t.Errorf("what was listed did not arrive: %s", detail)
	}
	allowed := []string{"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", tokenVariable, "COMMAND_TEST_LISTED", "COMMAND_TEST_SET", "PWD", "OLDPWD", "SHLVL", "_", "listed", "a=b"}
	for _, name := range strings.Fields(strings.Trim(detail, `"`)) {
		if !contains(allowed, name) {
			t.Errorf("the evaluator sees %s", name)
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "here"), []byte("#!/bin/sh\n"+answer+`echo "{\"id\":$id,\"score\":1,\"detail\":\"$PWD\"}"`), 0o755); err != nil {
		t.Fatal(err)
	}
	need(t, "sh")
	p := open(t, Spec{Command: []string{"./here"}, Dir: dir, Timeout: time.Minute})
	if got := string(score(t, p).Detail); got != `"`+dir+`"` {
		t.Errorf("runs in %s, want %s", got, dir)
	}
}

func TestCloseInterruptsCalls(t *testing.T) {
	tests := map[string]string{
		"waiting for a reply": `: >"$UP"; sleep 1000`,
		"waiting for an end":  `exec >&-; : >"$UP"; sleep 1000`,
	}
	for name, script := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			up := filepath.Join(t.TempDir(), "up")
			p := open(t, Spec{Command: shell(t, script), Env: []string{"UP=" + up}, Timeout: time.Hour})
			result := make(chan error, 1)
			go func() {
				_, err := p.Call(context.Background(), Candidate{}, nil)
				result <- err
			}()
			eventually(t, "the evaluator", func() bool { _, err := os.Stat(up); return err == nil })
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if err := <-result; err != ErrClosed {
				t.Errorf("the call returned %v, want %v", err, ErrClosed)
			}
			if _, err := p.Call(context.Background(), Candidate{}, nil); err != ErrClosed {
				t.Errorf("a call after Close returned %v", err)
			}
		})
	}
}

// An evaluator may tidy up when its stdin ends.
func TestCloseIsPolite(t *testing.T) {
	tidy := filepath.Join(t.TempDir(), "tidy")
	p := open(t, Spec{Command: shell(t, `while `+answer+` [ "$id" ]; do echo "{\"id\":$id,\"score\":1}"; done; : >"`+tidy+`"`), Timeout: time.Minute})
	score(t, p)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(tidy); err != nil {
		t.Error(err)
	}
}

func TestCancelWhileWaitingForAWorker(t *testing.T) {
	t.Parallel()
	up := filepath.Join(t.TempDir(), "up")
	p := open(t, Spec{Command: shell(t, `: >"`+up+`"; sleep 1000`), Timeout: time.Hour})
	first, cancelFirst := context.WithCancelCause(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := p.Call(first, Candidate{}, nil)
		done <- err
	}()
	eventually(t, "the evaluator", func() bool { _, err := os.Stat(up); return err == nil })

	second, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Call(second, Candidate{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	why := errors.New("enough")
	cancelFirst(why)
	if err := <-done; err != why {
		t.Errorf("got %v, want the cause of the cancellation", err)
	}
}

func TestValidateReportsEverything(t *testing.T) {
	_, err := New(Spec{
		Command: []string{"no-such-program-anywhere"}, Dir: "/no/such/dir", Env: []string{"=x"},
		Timeout: -1, Workers: -1, Limits: Limits{Memory: -1},
	})
	for _, want := range []string{"no-such-program-anywhere", "/no/such/dir", `"=x"`, "timeout", "workers", "memory"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("not reported: %s in %v", want, err)
		}
	}
	if err := (Spec{}).Validate(); err == nil || !strings.Contains(err.Error(), "name the program") {
		t.Errorf("an empty spec: %v", err)
	}
}

func TestNotStarted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, limits := range []Limits{{}, {OpenFiles: 100}} {
		if limits != (Limits{}) && !enforcesLimits {
			continue
		}
		f := failure(t, open(t, Spec{Command: []string{path}, Timeout: time.Minute, Limits: limits}))
		if f.Kind != NotStarted || !f.Infrastructure() || f.Attempts != 2 || !strings.Contains(f.Msg, "no such file") {
			t.Errorf("got %v", f)
		}
	}
}

// FuzzParseReply: whatever a line holds, there is a failure or a reply that keeps its promises.
func FuzzParseReply(f *testing.F) {
	f.Add([]byte(`{"id":7,"score":0.5,"cost":1,"detail":[]}`))
	f.Add([]byte(`{"id":7,"score":NaN,"cost":-Infinity}`))
	f.Add([]byte(`{"id":7,"error":{"a":1}}`))
	f.Add([]byte(`{"id":7e0,"score":1e-400}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, failure := parseReply(line, 7)
		if failure != nil {
			if failure.Infrastructure() || failure.Kind == "" || len(failure.Msg) > 2000 {
				t.Errorf("%+v", failure)
			}
			return
		}
		if !(r.Score >= 0 && r.Score <= 1) || !(r.Cost >= 0 && r.Cost <= math.MaxFloat64) || r.Detail != nil && !json.Valid(r.Detail) {
			t.Errorf("%+v", r)
		}
	})
}

func TestFingerprint(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "score.sh"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	print := func(s Spec) string {
		f, err := s.Fingerprint()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	write("one")
	base := Spec{Command: []string{"sh", "score.sh", "-x"}, Dir: dir}
	first := print(base)
	if again := print(base); again != first {
		t.Error("not stable")
	}
	other := base
	other.Command = []string{"sh", "score.sh-x"}
	if print(other) == first {
		t.Error("arguments run into each other")
	}
	other = base
	other.Env = []string{"A=b"}
	if print(other) == first {
		t.Error("blind to the environment")
	}
	other = base
	other.Workers, other.Timeout = 7, time.Hour
	if print(other) != first {
		t.Error("depends on what cannot change a score")
	}
	write("two")
	if print(base) == first {
		t.Error("blind to the script")
	}
}

// Where pipes have no deadlines a call that is out of time is ended by killing the process, whose output then ends too.
func TestTimeoutThatKills(t *testing.T) {
	gone := make(chan struct{})
	close(gone)
	timed, cancel := context.WithTimeoutCause(context.Background(), 0, errTimeout)
	defer cancel()
	for range 100 {
		for _, err := range []error{io.EOF, io.ErrUnexpectedEOF} {
			w := &worker{tree: &tree{ended: gone, status: status{Exit: 1}}, interrupted: gone}
			if f, ok := w.explain(timed, err).(*Failure); !ok || f.Kind != Timeout {
				t.Fatalf("%v: got %v, want a timeout", err, f)
			}
		}
	}
}
