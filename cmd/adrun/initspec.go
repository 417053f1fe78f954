package main

import (
	"text/template"

	"github.com/agentdescent/adrun/cmd/adrun/internal/catalog"
)

// draft is what a spec that init writes says.
type draft struct {
	Kind, Name, Target string
	// Problem is what it evolves on, Meaning what that is.
	Problem, Meaning string
	Settings         []catalog.Setting
	Seed             string   // what a seed is
	Path             string   // of a table
	slot             slotWork // of a policy_slot
}

func specTemplate() *template.Template {
	return template.Must(template.New("spec").Funcs(scalars).Parse(`# Evolves {{.Target}}. {{.Problem}}: {{.Meaning}}.
# 'adrun plan FILE' says what a run would do, 'adrun schema --spec' what else may stand here.
version: 1
kind: {{.Kind}}
name: {{quoted .Name}}
target: {{.Target}}
data:
{{- if .Path}}
  problem: {{.Problem}}
  path: {{quoted .Path}} # relative to this file
  # sealed: other.csv # decisions that are measured once, at the end, and never used before
  held_out: 0.4 # the share of the decisions that judges candidates, and is never trained on
{{- else}}
  problem: {{.Problem}}
{{- if .Settings}}
  settings:
{{- range .Settings}}
    {{.Name}}: {{.Default}} # {{.Meaning}}
{{- end}}
{{- end}}
  seeds: "1:61" # {{.Seed}} each, up to but not including the last
  sealed: "1001:1021" # measured once, at the end, and never used before
  held_out: 0.4 # the share of the seeds that judges candidates, and is never trained on
{{- end}}

# The rule to start from; without one, the problem's own.
# start: |
#   rule … { return … }

propose:
  breeder: # offline, without a model
    trials: 400 # evaluations that a proposal may spend on training tasks
    max_ops: 40 # operators and calls of a rule, at most
  # Or a language model: docs/models.md has all keys. 'adrun plan FILE' says what it may cost.
  # model:
  #   provider: openai # or anthropic; with a base_url any server that speaks the same
  #   model: NAME
  #   api_key_env: OPENAI_API_KEY # the variable with the key, never the key itself
  #   grammar_mode: none # openai-lark, vllm, sglang or llamacpp hold replies to the grammar of the rule
  # Or both, and each lease goes to the one that has brought most for what it costs:
  # mix: [{breeder: {trials: 400}}, {model: {provider: openai, model: NAME}}]

evolve:
  rounds: 10
  lanes: 4 # rollouts a round; part of what the run is, unlike --workers
  seed: 1
  solved: 1.1 # above 1, every rollout asks for a proposal
  # patience: 5 # rounds without a commit that end the run
  # order: window # lanes do not wait for each other

# budget:
#   max_rollouts: 100000
#   max_tokens: 1000000 # of models
#   max_seconds: 600

policies:
  acceptance: paired # for graded rewards; default for rewards of 0 or 1

gate:
  min_gate: 8 # warn under so many held-out tasks
  # constraints: ops <= 20 && !('pow' in calls)
`))
}
