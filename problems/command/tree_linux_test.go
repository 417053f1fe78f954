package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// trees are evaluators that never answer and do what they can to survive. Each creates "$UP" once all of it runs; the
// mark is in their environment, or in the arguments of sleep where they clear the environment.
var trees = map[string]struct {
	script string
	needs  string
}{
	"hang":                    {`: >"$UP"; sleep 1000`, ""},
	"busy":                    {`: >"$UP"; while :; do :; done`, ""},
	"fork and hang":           {`sleep 1000 & sleep 1000 & : >"$UP"; wait`, ""},
	"child holds stdout":      {`sleep 1000 & : >"$UP"; exec sleep 1000 >/dev/null`, ""},
	"ignores signals":         {`trap '' TERM INT HUP QUIT; : >"$UP"; while :; do sleep 1000; done`, ""},
	"double fork":             {`( ( : >"$UP"; sleep 1000 ) & ); sleep 1000`, ""},
	"setsid":                  {`setsid sh -c ': >"$UP"; sleep 1000' & sleep 1000`, "setsid"},
	"setsid, double fork":     {`( setsid sh -c ': >"$UP"; sleep 1000' >/dev/null 2>&1 </dev/null & ); sleep 1000`, "setsid"},
	"setsid, no environment":  {`env -i setsid sleep "1000.$MARK" & : >"$UP"; sleep 1000`, "setsid"},
	"stopped":                 {`sleep 1000 & kill -STOP $!; : >"$UP"; kill -STOP $$`, ""},
	"leaves orphans and ends": {`setsid sleep 1000 & sleep 1000 & : >"$UP"; exit 0`, "setsid"},
	"hops from fork to fork":  {`echo ': >"$UP"; sh "$0" >/dev/null 2>&1 & exit' >"$UP.sh"; sh "$UP.sh" & sleep 1000`, ""},
	"many":                    {`t() { if [ $1 -gt 0 ]; then t $(($1-1)) & t $(($1-1)) & fi; sleep 1000; }; t 4 & : >"$UP"; sleep 1000`, ""},
	"does not read":           {`exec <&-; : >"$UP"; sleep 1000`, ""},
	"endless stderr":          {`: >"$UP"; yes >&2`, ""},
	"endless line, no reply":  {`: >"$UP"; yes | tr -d '\n' >&2 & sleep 1000`, ""},
}

// hostile returns the spec of a tree, its mark and the file that says it is up.
func hostile(t *testing.T, name string) (spec Spec, mark, up string) {
	t.Helper()
	tree := trees[name]
	if tree.needs != "" {
		need(t, tree.needs)
	}
	mark, up = newMark(), filepath.Join(t.TempDir(), "up")
	return Spec{
		Command: shell(t, tree.script), Retries: -1, Startup: -1,
		Env: []string{markVariable + "=" + mark, "MARK=" + mark, "UP=" + up},
	}, mark, up
}

func TestNothingIsLeftAfterTimeout(t *testing.T) {
	for name := range trees {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// On a loaded machine a tree may not be up when a short timeout strikes: then a longer one.
			for timeout := 300 * time.Millisecond; ; timeout *= 2 {
				spec, mark, up := hostile(t, name)
				spec.Timeout = timeout
				p := open(t, spec)
				f := failure(t, p)
				if left := carriers(t, mark); len(left) > 0 || f.Left {
					t.Fatalf("left: %q, said so: %t", left, f.Left)
				}
				if _, err := os.Stat(up); err != nil && timeout < 20*time.Second {
					continue
				} else if err != nil {
					t.Fatal("the tree never came up")
				}
				if name == "leaves orphans and ends" && f.Kind == Timeout {
					continue // it came up, the clock was faster than its end
				}
				if ends := name == "leaves orphans and ends"; ends && f.Kind != Exited || !ends && f.Kind != Timeout {
					t.Errorf("got %v", f)
				}
				return
			}
		})
	}
}

func TestNothingIsLeftAfterCancel(t *testing.T) {
	for name := range trees {
		if name == "leaves orphans and ends" {
			continue // it does not live long enough to be cancelled
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, mark, up := hostile(t, name)
			spec.Timeout = time.Hour
			p := open(t, spec)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := p.Call(ctx, Candidate{Rule: strings.Repeat("x", 1<<20)}, nil) // more than a pipe holds
				done <- err
			}()
			eventually(t, "the tree", func() bool { _, err := os.Stat(up); return err == nil })
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if left := carriers(t, mark); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// A tree ends with the process that owns its pool, even if that is killed outright.
func TestNothingIsLeftWhenTheHostIsKilled(t *testing.T) {
	need(t, "setsid")
	mark, up := newMark(), filepath.Join(t.TempDir(), "up")
	script := shell(t, `setsid sh -c ': >"`+up+`"; sleep 1000' & sleep 1000`)
	args := self(t, "host", script[1])
	host := exec.Command(args[0], args[1:]...)
	host.Env = append(os.Environ(), markVariable+"="+mark)
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the tree", func() bool { _, err := os.Stat(up); return err == nil })
	if n := len(carriers(t, mark)); n < 5 { // host, supervisor, sh, setsid sh, two sleeps
		t.Errorf("%d processes before the kill", n)
	}
	host.Process.Kill()
	host.Wait()
	eventually(t, "the end of the tree", func() bool { return len(carriers(t, mark)) == 0 })
}

// An evaluator that kills or stops its supervisor is found by its token.
func TestNothingIsLeftWithoutSupervisor(t *testing.T) {
	need(t, "setsid")
	tests := map[string]struct {
		signal  string
		timeout time.Duration
		kind    FailureKind
	}{
		"killed":  {"KILL", time.Minute, Killed},
		"stopped": {"STOP", 3 * time.Second, Timeout},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mark, up := newMark(), filepath.Join(t.TempDir(), "up")
			p := open(t, Spec{
				Command: shell(t, `parent=$PPID; setsid sh -c ': >"$UP"; kill -'$SIGNAL' '$parent'; sleep 1000' & sleep 1000`),
				Env:     []string{markVariable + "=" + mark, "UP=" + up, "SIGNAL=" + tt.signal}, Timeout: tt.timeout, Retries: -1,
			})
			f := failure(t, p)
			if left := carriers(t, mark); len(left) > 0 || f.Left {
				t.Errorf("left: %q", left)
			}
			if _, err := os.Stat(up); err != nil || f.Kind != tt.kind {
				t.Errorf("got %v, %v", f, err)
			}
		})
	}
}

// Without supervisor and without token the evaluator's own process still dies with its parent.
func TestEvaluatorDiesWithItsSupervisor(t *testing.T) {
	mark := newMark()
	p := open(t, Spec{
		Command: shell(t, `(until [ -z "$(tr '\0' '\n' </proc/$$/environ)" ]; do sleep 0.01; done; kill -KILL $PPID) & exec env -i sleep "1000.$MARK"`),
		Env:     []string{"MARK=" + mark}, Timeout: time.Minute, Retries: -1,
	})
	if f := failure(t, p); f.Kind != Killed {
		t.Errorf("got %v", f)
	}
	eventually(t, "the end of the evaluator", func() bool { return len(carriers(t, mark)) == 0 })
}

// A program that makes a pool without ShimMain must not start itself for ever.
func TestShimMissing(t *testing.T) {
	t.Setenv(shimVariable, "{}")
	if _, err := New(Spec{Command: []string{"sh"}}); err == nil || !strings.Contains(err.Error(), "ShimMain") {
		t.Errorf("got %v", err)
	}
}

func TestLimits(t *testing.T) {
	sh := func(does string) func(*testing.T) []string {
		return func(t *testing.T) []string { return shell(t, does) }
	}
	tests := map[string]struct {
		command func(*testing.T) []string
		limits  Limits
		kind    FailureKind
		msg     string
	}{
		"CPU":                  {sh(`while :; do :; done`), Limits{CPU: 300 * time.Millisecond}, CPULimit, "CPU"},
		"CPU, grandchildren":   {sh(`for i in 1 2 3; do (while :; do :; done) & done; wait`), Limits{CPU: 300 * time.Millisecond}, CPULimit, "CPU"},
		"CPU, many short ones": {sh(`while :; do (i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done); done`), Limits{CPU: 300 * time.Millisecond}, CPULimit, "CPU"},
		"CPU, short orphans": {sh(`mkfifo "$0.f"; i=0; while [ $i -lt 12 ]; do ( (j=0; while [ $j -lt 150000 ]; do j=$((j+1)); done; echo >"$0.f") & ); read -r x <"$0.f"; i=$((i+1)); done; sleep 1000`),
			Limits{CPU: 400 * time.Millisecond}, CPULimit, "CPU"},
		"memory":        {func(t *testing.T) []string { return self(t, "balloon") }, Limits{Memory: 100 << 20}, MemoryLimit, "memory"},
		"processes":     {sh(`i=0; while [ $i -lt 12 ]; do sleep 1000 & i=$((i+1)); done; wait`), Limits{Processes: 10}, ProcessLimit, "processes"},
		"address space": {func(t *testing.T) []string { return self(t, "balloon") }, Limits{AddressSpace: 64 << 20}, Exited, "without a reply"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mark := newMark()
			p := open(t, Spec{
				Command: tt.command(t), Limits: tt.limits, Timeout: time.Minute, Retries: -1,
				Env: []string{markVariable + "=" + mark},
			})
			f := failure(t, p)
			if f.Kind != tt.kind || !strings.Contains(f.Msg, tt.msg) || f.Infrastructure() {
				t.Errorf("got %v, want %s", f, tt.kind)
			}
			if left := carriers(t, mark); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// The CPU limit is a call's: one worker may use more in all.
func TestCPULimitIsPerCall(t *testing.T) {
	t.Parallel()
	burn := `start=$(cut -d' ' -f14 /proc/$$/stat); until [ $(($(cut -d' ' -f14 /proc/$$/stat) - start)) -ge 15 ]; do i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; done`
	script := `while ` + answer + ` [ "$id" ]; do ` + burn + `; echo "{\"id\":$id,\"score\":1,\"detail\":$$}"; done`
	p := open(t, Spec{Command: shell(t, script), Limits: Limits{CPU: time.Second}, Timeout: time.Minute})
	first := string(score(t, p).Detail)
	for range 9 { // 1.5 s and more
		if pid := string(score(t, p).Detail); pid != first {
			t.Fatalf("worker %s was replaced by %s", first, pid)
		}
	}
}

func TestFileSizeLimit(t *testing.T) {
	need(t, "dd")
	file := filepath.Join(t.TempDir(), "big")
	p := open(t, Spec{
		Command: shell(t, answer+`dd if=/dev/zero of="`+file+`" bs=1000 count=1000 2>/dev/null; echo "{\"id\":$id,\"error\":\"dd: $?\"}"`),
		Limits:  Limits{FileSize: 100_000}, Timeout: time.Minute,
	})
	f := failure(t, p)
	const fileTooBig = 128 + 25 // ended by SIGXFSZ
	if want := fmt.Sprintf("dd: %d", fileTooBig); f.Kind != Rejected || f.Msg != want {
		t.Errorf("got %v, want %s", f, want)
	}
	if info, err := os.Stat(file); err != nil || info.Size() != 100_000 {
		t.Errorf("%v, %v", info, err)
	}
}

// What the evaluator finds: its limits, no way to gain privileges, three blocking descriptors, a group of its own; with
// kernel limits and without.
func TestProcessState(t *testing.T) {
	script := answer + `
nnp=$(grep NoNewPrivs /proc/self/status | tr -dc 0-9)
fds=$(sh -c 'exec ls /proc/self/fd' | grep -vc '^3$') # 3 is ls reading the directory
nonblocking=$(for fd in 0 1 2; do grep flags /proc/$$/fdinfo/$fd; done | grep -c 'flags:.*[4-7]...$')
group=$(cut -d' ' -f5 /proc/$$/stat)
own=no; [ $group = $$ ] && own=yes
echo "{\"id\":$id,\"score\":1,\"detail\":\"n $(ulimit -n) f $(ulimit -f) v $(ulimit -v) c $(ulimit -c) nnp $nnp fds $fds nonblocking $nonblocking own $own\"}"`
	tests := map[string]struct {
		limits Limits
		want   string // f counts blocks of 512 bytes, v counts KiB
	}{
		"limits": {Limits{OpenFiles: 50, FileSize: 1 << 20, AddressSpace: 1 << 30}, `n 50 f 2048 v 1048576`},
		"none":   {Limits{}, inherited(t)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := open(t, Spec{Command: shell(t, script), Timeout: time.Minute, Limits: tt.limits})
			got := string(score(t, p).Detail)
			if want := `"` + tt.want + ` c 0 nnp 1 fds 3 nonblocking 0 own yes"`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// inherited is what a shell without a supervisor finds as its limits.
func inherited(t *testing.T) string {
	out, err := exec.Command("sh", "-c", `echo "n $(ulimit -n) f $(ulimit -f) v $(ulimit -v)"`).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// A signal to the supervisor is the doing of the evaluator or of a person, not of a pool that closes.
func TestSignalToTheSupervisor(t *testing.T) {
	for _, signal := range []string{"TERM", "INT", "HUP", "QUIT", "KILL"} {
		t.Run(signal, func(t *testing.T) {
			p := open(t, Spec{Command: shell(t, "kill -"+signal+" $PPID\nsleep 60\n"), Retries: -1})
			if f := failure(t, p); f.Kind != Killed || f.Left {
				t.Errorf("got %+v, want it killed", f)
			}
		})
	}
}
