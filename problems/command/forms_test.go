package command

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// scheduling is the signature of the example, and rules for it.
const scheduling = `
signature schedule.priority(weight: num in [0, 1e6], duration: num in [0, 1e6]) -> num

rule priority { return weight / duration }
`

func schedulingRule(t testing.TB, text string) (*dsl.Rule, *dsl.Signature) {
	t.Helper()
	f, err := dsl.Parse("schedule.rule", text)
	if err != nil {
		t.Fatal(err)
	}
	info := dsl.Check(f, nil, dsl.CheckOptions{})
	if info.Diags.HasErrors() {
		t.Fatal(info.Diags.Err())
	}
	r := f.Decls[1].(*dsl.Rule)
	return r, info.Signatures[r]
}

// A problem that has a signature sends the rule in every form, and the Python example scores it: Smith's rule is optimal. In
// no language does a division by zero end the evaluation.
func TestRuleForms(t *testing.T) {
	need(t, "python3")
	r, sig := schedulingRule(t, scheduling)
	p := openProblem(t, Config{
		Name: "schedule", Tasks: loadTasks(t, "schedule.jsonl"), Signature: sig,
		Spec: Spec{Command: []string{"python3", "schedule.py"}, Dir: examples, Timeout: time.Minute},
	})
	for _, task := range p.Describe().Tasks {
		got, err := p.Evaluate(context.Background(), &slots.Candidate{Rule: r, Identity: dsl.Identity(r)}, task, 0)
		if err != nil || got.Reward != 1 || got.Failure != "" {
			t.Errorf("%s: %+v, %v; want a reward of 1", task.ID, got, err)
		}
	}
	byZero, _ := schedulingRule(t, `
signature schedule.priority(weight: num in [0, 1e6], duration: num in [0, 1e6]) -> num
rule priority { return duration / (weight - weight) }
`)
	task := slots.Task{ID: "two jobs"}
	if got, err := p.Evaluate(context.Background(), &slots.Candidate{Rule: byZero, Identity: dsl.Identity(byZero)}, task, 0); err != nil || got.Failure != "" {
		t.Errorf("division by zero: %+v, %v", got, err)
	}
}

func TestFormsAreKept(t *testing.T) {
	r, sig := schedulingRule(t, scheduling)
	f := &forms{sig: sig}
	first, err := f.encode(&slots.Candidate{Rule: r, Identity: "same"})
	if err != nil {
		t.Fatal(err)
	}
	if first.Rule == "" || first.Python == "" || !json.Valid(first.AST) {
		t.Errorf("a form is missing: %+v", first)
	}
	again, err := f.encode(&slots.Candidate{Rule: r, Identity: "same"})
	if err != nil || &again.AST[0] != &first.AST[0] {
		t.Error("the forms of a candidate were written twice")
	}
	for i := range 3 * keptForms {
		if _, err := f.encode(&slots.Candidate{Rule: r, Identity: string(rune('a' + i))}); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.kept) > keptForms {
		t.Errorf("%d kept, want at most %d", len(f.kept), keptForms)
	}
	text, err := f.encode(&slots.Candidate{Text: "a prompt"})
	if err != nil || text.Rule != "a prompt" || text.Python != "" {
		t.Errorf("a candidate that is a text: %+v, %v", text, err)
	}
}
