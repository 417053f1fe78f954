package main

import (
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/agentdescent/adrun/cmd/adrun/internal/catalog"
	"github.com/agentdescent/adrun/meta"
)

// slotWork is what the starter of a slot says: where its value evolves and where it is judged.
type slotWork struct {
	Slot            string
	Train, Validate catalog.Inner
}

// innersFor finds an inner problem that the slot's value drives, and another one to judge on.
func innersFor(slot, name string) (slotWork, error) {
	w := slotWork{Slot: slot}
	if err := meta.CheckSlot(slot); err != nil {
		return w, err
	}
	var fits []catalog.Inner
	var names []string
	for _, in := range catalog.Inners() {
		if slices.Contains(in.Slots, slot) {
			fits, names = append(fits, in), append(names, in.Name)
		}
	}
	at := 0
	if name != "" {
		at = slices.Index(names, name)
	}
	if at < 0 || len(fits) < 2 {
		return w, fmt.Errorf("slot %s has no inner problem %q: it has %s", slot, name, strings.Join(names, ", "))
	}
	w.Train = fits[at]
	for i := range fits {
		if other := fits[(at+1+i)%len(fits)]; other.Name != w.Train.Name && other.Tree == w.Train.Tree {
			w.Validate = other
			return w, nil
		}
	}
	return w, fmt.Errorf("there is no second inner problem of the kind of %s to judge on", w.Train.Name)
}

func slotTemplate() *template.Template {
	return template.Must(template.New("slot").Parse(`# Evolves the value of slot {{.Slot}}, by which the engine itself decides.
# 'adrun plan FILE' says what a run would do, 'adrun meta doctor FILE' whether the inner problems can carry it,
# 'adrun meta run FILE' evolves and judges, 'adrun schema {{.Slot}}' prints what a value is a function of.
version: 1
kind: policy_slot
name: {{.Slot}}
target: {{.Slot}}
score: auc # or final_reward, rollouts_to(0.9), or an expression such as 0.8 * auc + 0.2 * final
data:
  # {{.Train.Meaning}}
  problems: [{{.Train.Name}}]
{{- if .Train.Settings}}
  settings:
{{- range .Train.Settings}}
    {{.Name}}: {{printf "%q" .Default}} # {{.Meaning}}
{{- end}}
{{- end}}
  seeds: "1:151" # a whole search each; 40 % of them judge candidates
  # {{.Validate.Meaning}}
  val_problems: [{{.Validate.Name}}]
  val_seeds: "1000001:1000201" # never trained on

# The {{if .Train.Tree}}rule{{else}}policy{{end}} to start from; without one, the engine's default.
# start: |

propose:
  breeder: # offline, without a model
    trials: {{if .Train.Tree}}3000{{else}}600{{end}} # inner searches that a proposal may spend
    max_ops: 40
  # Or a language model, or both: docs/models.md
  # model: {provider: openai, model: NAME, api_key_env: OPENAI_API_KEY}
  # mix: [{breeder: {trials: {{if .Train.Tree}}3000{{else}}600{{end}}}}, {model: {provider: openai, model: NAME}}]

evolve:
  rounds: 4
  lanes: 2
  seed: 1

policies:
  acceptance: paired

gate:
  min_gate: 60 # fewer held-out searches than that accept what only looks better
  min_gain: 0 # adopt above this gain on unseen problems
  transfer_floor: 0 # and at this share of the gain on those that were trained on
`))
}
