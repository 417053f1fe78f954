package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// examples is the directory of the worked examples.
var examples = filepath.Join("..", "..", "examples", "evaluators")

func openProblem(t testing.TB, c Config) *Problem {
	t.Helper()
	p, err := NewProblem(c)
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

func loadTasks(t testing.TB, name string) []Task {
	t.Helper()
	tasks, err := LoadTasks(filepath.Join(examples, name))
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}

// The costs worked out by hand, as sums of weight times completion time. Two jobs: the second first 10·5 + 1·6 = 56, the
// first first 1·1 + 10·6 = 61. Three: in order 3·1 + 4·3 + 5·12 = 75, reversed 5·9 + 4·11 + 3·12 = 125.
func TestPythonExample(t *testing.T) {
	need(t, "python3")
	p := openProblem(t, Config{
		Name: "schedule", Tasks: loadTasks(t, "schedule.jsonl"),
		Spec: Spec{Command: []string{"python3", "schedule.py"}, Dir: examples, Timeout: time.Minute},
		Encode: func(c *slots.Candidate) (Candidate, error) {
			return Candidate{Python: "def priority(weight, duration):\n    return " + c.Text + "\n"}, nil
		},
	})
	tests := map[string][3]float64{
		"weight / duration": {1, 1, 1},
		"weight":            {1, 75. / 125, 1},
		"-duration":         {56. / 61, 1, 1},
		"0":                 {56. / 61, 1, 1},
	}
	for rule, want := range tests {
		for i, task := range p.Describe().Tasks {
			got, err := p.Evaluate(context.Background(), &slots.Candidate{Text: rule}, task, 0)
			if err != nil || got.Reward != want[i] || got.Failure != "" {
				t.Errorf("%s on %s: %+v, %v; want %v", rule, task.ID, got, err, want[i])
			}
		}
	}
	for rule, want := range map[string]string{
		"weight / 0": "rejected: ZeroDivisionError: ",
		"1 +":        "rejected: SyntaxError: ",
	} {
		got, err := p.Evaluate(context.Background(), &slots.Candidate{Text: rule}, slots.Task{ID: "two jobs"}, 0)
		if err != nil || got.Reward != 0 || !strings.HasPrefix(got.Failure, want) {
			t.Errorf("%s: %+v, %v; want failure %s…", rule, got, err, want)
		}
	}
}

func TestShellExample(t *testing.T) {
	for _, program := range []string{"sh", "awk", "grep"} {
		need(t, program)
	}
	p := openProblem(t, Config{
		Name: "pattern", Tasks: loadTasks(t, "pattern.jsonl"),
		Spec: Spec{Command: []string{"./pattern.sh"}, Dir: examples, Timeout: time.Minute},
	})
	tests := []struct {
		pattern, task string
		want          float64
		failure       string
	}{
		{`^[0-9]+(\.[0-9]+)?$`, "numbers", 1, ""},
		{`[0-9]`, "numbers", 0.428571, ""}, // 3 of 7: all that should and all that should not
		{`x`, "numbers", 0.428571, ""},     // 3 of 7: none that should, one that should not
		{`^".*"$`, "quotes", 1, ""},
		{`\\`, "quotes", 0.4, ""}, // 2 of 5
		{`(`, "numbers", 0, "rejected: not a regular expression"},
	}
	for _, tt := range tests {
		got, err := p.Evaluate(context.Background(), &slots.Candidate{Text: tt.pattern}, slots.Task{ID: tt.task}, 0)
		if err != nil || got.Reward != tt.want || got.Failure != tt.failure {
			t.Errorf("%s on %s: %+v, %v; want %v %s", tt.pattern, tt.task, got, err, tt.want, tt.failure)
		}
	}
}

// recorder remembers the failures of candidates by their text.
type recorder struct {
	*Problem
	mu       sync.Mutex
	failures map[string]string
}

func (r *recorder) Evaluate(ctx context.Context, c *slots.Candidate, task slots.Task, seed uint64) (engine.Outcome, error) {
	o, err := r.Problem.Evaluate(ctx, c, task, seed)
	if o.Failure != "" {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.failures[c.Text] = o.Failure
	}
	return o, err
}

// A run meets candidates on which the evaluator does all that it must not. Each is a recorded failure with its
// cause, and the run goes on and finds the one good candidate.
func TestRunGoesOn(t *testing.T) {
	t.Parallel()
	const script = `while ` + answer + ` [ "$id" ]; do
case $line in
*'"rule":"hang"'*) while :; do :; done;;
*'"rule":"fork and hang"'*) sleep 1000 & exec sleep 1000;;
*'"rule":"gigabytes"'*) tr '\0' x </dev/zero;;
*'"rule":"exit 137"'*) exit 137;;
*'"rule":"NaN"'*) echo "{\"id\":$id,\"score\":NaN}";;
*'"rule":"1.5"'*) echo "{\"id\":$id,\"score\":1.5}";;
*'"rule":"nothing"'*) exit;;
*'"rule":"half a line"'*) printf '{"id":%s,"sc' $id; exit;;
*'"rule":"wrong id"'*) echo "{\"id\":${id}0,\"score\":1}";;
*'"rule":"good"'*) echo "{\"id\":$id,\"score\":0.9}";;
*) echo "{\"id\":$id,\"score\":0.3}";;
esac
done`
	want := map[string]string{
		"hang":          "timeout: no reply within 3s",
		"fork and hang": "timeout: no reply within 3s",
		"gigabytes":     "output-limit: a line of more than 1048576 bytes",
		"exit 137":      "exited: ended without a reply, with status 137",
		"NaN":           `bad-score: score "NaN" is not a number`,
		"1.5":           "bad-score: score 1.5 is outside [0, 1]",
		"nothing":       "exited: ended without a reply, with status 0",
		"half a line":   "truncated: ended in the middle of a line, with status 0",
		"wrong id":      "wrong-id: the reply does not carry the id of the request",
	}
	texts := []string{"hang", "fork and hang", "gigabytes", "exit 137", "NaN", "1.5", "nothing", "half a line", "wrong id", "good"}
	mark := newMark()
	c := Config{Name: "hostile", Initial: "start", Spec: Spec{Command: shell(t, script), Timeout: 3 * time.Second, Workers: 2, Env: []string{markVariable + "=" + mark}}}
	for i := range 10 {
		c.Tasks = append(c.Tasks, Task{ID: fmt.Sprint(i), Data: json.RawMessage(fmt.Sprintf(`{"id":"%d"}`, i))})
	}
	problem := &recorder{Problem: openProblem(t, c), failures: map[string]string{}}
	res, err := engine.Run(context.Background(), engine.Config{
		Tasks: engine.Tasks{Problem: problem},
		Actor: engine.Actor{Proposer: slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
			return &slots.Proposal{Text: texts[pc.Lease%len(texts)]}, nil
		})},
		Parallel: engine.Parallel{Lanes: len(texts), Workers: 2},
		Budget:   engine.Budget{Rounds: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, problem.failures); diff != "" {
		t.Error(diff)
	}
	if res.Rendered != "good" || res.Unmeasured != 0 {
		t.Errorf("the run ended with %q, %d unmeasured", res.Rendered, res.Unmeasured)
	}
	if err := problem.Close(); err != nil {
		t.Error(err)
	}
	eventually(t, "the end of every process", func() bool { return len(carriers(t, mark)) == 0 })
}

func TestProblem(t *testing.T) {
	seen := answer + `printf '{"id":%s,"score":1,"cost":2.5,"detail":{"waste":3,"note":"x","line":"%s"}}\n' "$id" "$(echo "$line" | tr -d '"')"`
	tasks := []Task{{ID: "a", Cluster: "small", Data: json.RawMessage(`{"id":"a","n":1} `)}}
	p := openProblem(t, Config{Name: "n", Spec: Spec{Command: shell(t, seen), Timeout: time.Minute}, Tasks: tasks, Sealed: []Task{{ID: "b", Data: json.RawMessage(`{"id":"b"}`)}}, Stochastic: true})
	got, err := p.Evaluate(context.Background(), &slots.Candidate{Text: "text"}, slots.Task{ID: "a"}, 1<<63)
	if err != nil {
		t.Fatal(err)
	}
	const detail = `{"waste":3,"note":"x","line":"{id:1,candidate:{rule:text},task:{id:a,n:1,seed:4503599627370496}}"}` // 2⁶³ / 2¹¹
	want := engine.Outcome{Reward: 1, Feedback: detail, Spend: slots.Spend{Cost: 2.5}, Metrics: map[string]float64{"waste": 3}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	d := p.Describe()
	if diff := cmp.Diff([]slots.Task{{ID: "a", Cluster: "small"}}, d.Tasks); diff != "" || len(d.Sealed) != 1 || !d.Dear || !d.Stochastic {
		t.Errorf("described as %+v: %s", d, diff)
	}
	if _, err := p.Evaluate(context.Background(), &slots.Candidate{}, slots.Task{ID: "c"}, 0); err == nil {
		t.Error("an unknown task was scored")
	}
}

// What an evaluator says in another encoding than UTF-8 is the same before and after it was stored.
func TestOutcomesOutliveTheirStorage(t *testing.T) {
	for _, reply := range []string{`"score":1,"detail":{"name":"caf\351"}`, `"score":1,"detail":"caf\351"`, `"error":{"name":"caf\351"}`, `"error":"caf\351"`, `"score":"caf\351"`} {
		p := openProblem(t, Config{
			Spec:  Spec{Command: shell(t, answer+`printf '{"id":%s,`+reply+`}\n' "$id"`), Timeout: time.Minute},
			Tasks: []Task{{ID: "a", Data: json.RawMessage(`{"id":"a"}`)}},
		})
		o, err := p.Evaluate(context.Background(), &slots.Candidate{}, slots.Task{ID: "a"}, 0)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		var stored engine.Outcome
		if err := json.Unmarshal(text, &stored); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(o, stored); diff != "" || !strings.Contains(o.Failure+o.Feedback, "caf\uFFFD") {
			t.Errorf("%s: %+v\n%s", reply, o, diff)
		}
	}
}

func TestInfrastructureFailureIsAnError(t *testing.T) {
	p := openProblem(t, Config{
		Spec:  Spec{Command: shell(t, `read -r line; kill -KILL $$`), Timeout: time.Minute},
		Tasks: []Task{{ID: "a", Data: json.RawMessage(`{"id":"a"}`)}},
	})
	o, err := p.Evaluate(context.Background(), &slots.Candidate{}, slots.Task{ID: "a"}, 0)
	if f, ok := errors.AsType[*Failure](err); !ok || f.Kind != Killed || f.Attempts != 2 {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestNewProblemReportsEverything(t *testing.T) {
	_, err := NewProblem(Config{
		Spec:       Spec{Command: []string{"no-such-program-anywhere"}},
		Tasks:      []Task{{ID: "a", Data: json.RawMessage(`[1]`)}, {ID: "b", Data: json.RawMessage(`{"seed":1}`)}},
		Sealed:     []Task{{ID: "b", Data: json.RawMessage(`{"id":"b"}`)}},
		Stochastic: true,
	})
	for _, want := range []string{"no-such-program-anywhere", `the data of task "a" is not a JSON object`, `task "b" is given twice`, `task "b" has a seed of its own`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("not reported: %s in %v", want, err)
		}
	}
	if _, err := NewProblem(Config{Spec: Spec{Command: []string{"sh"}}}); err == nil || !strings.Contains(err.Error(), "no tasks") {
		t.Errorf("no tasks: %v", err)
	}
}

func TestReadTasks(t *testing.T) {
	got, err := ReadTasks("tasks.jsonl", strings.NewReader("\ufeff{\"id\":\"a\",\"n\":1}\n\n  {\"id\":7,\"cluster\":\"c\"}"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Task{{ID: "a", Data: json.RawMessage(`{"id":"a","n":1}`)}, {ID: "7", Cluster: "c", Data: json.RawMessage(`{"id":7,"cluster":"c"}`)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, err = ReadTasks("tasks.jsonl", strings.NewReader("{\"id\":\"a\"}\n[1]\n{\"n\":1}\n{\"id\":[1]}\n{\"id\":\"a\"}\n{\"id\":1,\"cluster\":2}\n{\n"))
	const errs = `tasks.jsonl:2: a task is a JSON object
tasks.jsonl:3: the task has no "id"
tasks.jsonl:4: the task's "id" is neither a text nor a number
tasks.jsonl:5: task "a" stands in line 1 already
tasks.jsonl:6: the task's "cluster" is not a text
tasks.jsonl:7: not JSON: unexpected end of JSON input`
	if diff := cmp.Diff(errs, fmt.Sprint(err)); diff != "" {
		t.Error(diff)
	}
	if _, err := ReadTasks("tasks.jsonl", strings.NewReader("\n")); err == nil || !strings.HasPrefix(err.Error(), "tasks.jsonl:1: no tasks") {
		t.Errorf("an empty file: %v", err)
	}
}
