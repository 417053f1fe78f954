package slots_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// hooks writes the hooks of a slot as DESIGN does: name(inputs) -> result.
func hooks(s *dsl.Slot) map[string][]string {
	out := map[string][]string{}
	for _, h := range s.Hooks {
		name := h.Name.Text
		if h.On {
			name = "on " + name
		}
		list := []string{h.Result.String()}
		if h.On {
			list[0] = ""
		}
		for _, in := range h.Inputs {
			list = append(list, in.Name.Text)
		}
		out[name] = list
	}
	return out
}

func TestSlotsHaveTheHooksOfTheDesign(t *testing.T) {
	want := map[string]map[string][]string{
		"selection": {
			"priority": {"num", "rank", "visits", "total", "prior", "depth", "n_nodes"},
			"score": {"num", "is_head", "score", "has_score", "order", "selected", "total", "wins", "front_index",
				"front_size", "n", "round", "place"},
		},
		"task_sampler": {
			"weight":    {"num", "total", "index", "n_keys", "round"},
			"on record": {"", "score", "round"},
		},
		"proposal":  {"propose": {"bool", "reward", "round", "n_history", "solved"}},
		"staleness": {"decide": {"accept | rebase | discard", "eta", "alpha", "contract_breaking", "shipped"}},
		"conflict": {"prefer": {"bool", "new_score", "kept_score", "new_advantage", "kept_advantage", "has_advantage",
			"new_size", "kept_size", "shipped"}},
		"fusion": {"merit": {"num", "is_union", "size", "members", "score", "base_score"}},
		"acceptance": {
			"accept": {"bool", "base_rate", "cand_rate", "n", "wins", "losses", "p_improve", "e_value", "observed_delta",
				"threshold", "version", "stable_distance", "advantage", "has_advantage", "shipped"},
			"shift": {"num", "advantage", "has_advantage"},
		},
		"promotion": {
			"promote":   {"bool", "survived", "commits", "oracle_rejections", "after_k"},
			"on report": {"", "committed", "oracle_rejected", "promoted"},
		},
	}
	decls, err := slots.Declarations()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]map[string][]string{}
	for _, s := range decls {
		got[s.Name.Text] = hooks(s)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
	for slot, key := range map[string]string{"task_sampler": "task", "promotion": "artifact", "acceptance": ""} {
		if s, _ := slots.Declaration(slot); s.Per.Text != key {
			t.Errorf("%s keeps state per %q, want %q", slot, s.Per.Text, key)
		}
	}
}

func TestDeclarationsAreDocumented(t *testing.T) {
	decls, err := slots.Declarations()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range decls {
		if s.Comments.Doc() == "" {
			t.Errorf("slot %s has no doc", s.Name.Text)
		}
		for _, h := range s.Hooks {
			if h.Comments.Doc() == "" {
				t.Errorf("hook %s of %s has no doc", h.Name.Text, s.Name.Text)
			}
			for _, in := range h.Inputs {
				if in.Comments.Doc() == "" {
					t.Errorf("input %s of %s.%s has no doc", in.Name.Text, s.Name.Text, h.Name.Text)
				}
			}
		}
		file := &dsl.File{Name: s.Name.Text, Decls: []dsl.Decl{s}}
		if err := dsl.Check(file, nil, dsl.CheckOptions{}).Diags.Err(); err != nil {
			t.Error(err)
		}
	}
}

// The signature that tree searches are driven by and the hook are one thing declared twice.
func TestPriorityIsDeclaredOnce(t *testing.T) {
	sig, err := slots.PrioritySignature()
	if err != nil {
		t.Fatal(err)
	}
	selection, err := slots.Declaration("selection")
	if err != nil {
		t.Fatal(err)
	}
	hook := selection.Hooks[0].Signature
	hook.Name, hook.Comments = sig.Name, sig.Comments
	if diff := cmp.Diff(dsl.FormatDecl(sig), dsl.FormatDecl(&hook)); diff != "" {
		t.Errorf("selection.priority (-signature +hook):\n%s", diff)
	}
}

func TestUnknownSlot(t *testing.T) {
	if _, err := slots.Declaration("sampler"); err == nil || err.Error() != `there is no slot "sampler": there are selection, task_sampler, proposal, staleness, conflict, fusion, acceptance, promotion` {
		t.Error(err)
	}
}

// The page on slots names every policy that ships.
func TestDocsNameEveryPolicy(t *testing.T) {
	page, err := os.ReadFile("../docs/slots.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, slot := range slots.SlotNames() {
		for _, name := range slots.PolicyNames(slot) {
			n++
			if !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("docs/slots.md does not name %s policy %s", slot, name)
			}
		}
	}
	if n != 28 {
		t.Errorf("%d policies ship by name; CHANGELOG.md says twenty-eight", n)
	}
}
