package spec

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agentdescent/adrun/reflector/model"
)

// The providers of models.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// The modes of Replies.
const (
	Record = "record"
	Replay = "replay"
)

// Model is a language model that proposes.
type Model struct {
	Provider string `yaml:"provider" json:"provider" jsonschema:"openai for a server that speaks OpenAI's chat completions, as vLLM, SGLang and llama.cpp do, or anthropic for one that speaks Anthropic's messages"`
	BaseURL  string `yaml:"base_url,omitempty" json:"base_url,omitempty" jsonschema:"where the server is, such as http://127.0.0.1:8080/v1; default the provider's own"`
	Model    string `yaml:"model" json:"model" jsonschema:"the server's name of the model"`
	// The key itself is never in a spec.
	APIKeyEnv   string   `yaml:"api_key_env,omitempty" json:"api_key_env,omitempty" jsonschema:"the environment variable that holds the key; default OPENAI_API_KEY or ANTHROPIC_API_KEY, and none where there is a base_url of another server"`
	Temperature *float64 `yaml:"temperature,omitempty" json:"temperature,omitempty" jsonschema:"of the sampling; default the server's"`
	Thinking    string   `yaml:"thinking,omitempty" json:"thinking,omitempty" jsonschema:"reasoning to ask for: with openai an effort (none, minimal, low, medium, high or xhigh), with anthropic a number of tokens from 1024 to below max_tokens; default none is asked for"`
	MaxTokens   int      `yaml:"max_tokens,omitempty" json:"max_tokens,omitempty" jsonschema:"tokens of a reply at most, reasoning included; default 4096"`
	GrammarMode string   `yaml:"grammar_mode,omitempty" json:"grammar_mode,omitempty" jsonschema:"hold replies to the grammar of the rule, in the request field of the server: openai-lark, vllm, sglang, llamacpp or none; default none"`
	Repairs     *int     `yaml:"repairs,omitempty" json:"repairs,omitempty" jsonschema:"how often a reply that may not run is sent back with what is wrong with it; default 2"`
	Timeout     string   `yaml:"timeout,omitempty" json:"timeout,omitempty" jsonschema:"the time of an attempt, such as 30s or 2m; default 2m"`
	Retries     *int     `yaml:"retries,omitempty" json:"retries,omitempty" jsonschema:"attempts after a failure that may pass, with waits that double or that the server asks for; default 4"`
	// Rates are limits of this process.
	RequestsPerMinute int    `yaml:"requests_per_minute,omitempty" json:"requests_per_minute,omitempty" jsonschema:"requests at most; default no limit"`
	TokensPerMinute   int    `yaml:"tokens_per_minute,omitempty" json:"tokens_per_minute,omitempty" jsonschema:"tokens at most; default no limit"`
	Price             *Price `yaml:"price,omitempty" json:"price,omitempty" jsonschema:"what a million tokens cost; with it budget.max_cost is money"`
}

// Price is that of a million tokens.
type Price struct {
	Input  float64 `yaml:"input" json:"input" jsonschema:"of a million tokens of prompts"`
	Output float64 `yaml:"output" json:"output" jsonschema:"of a million tokens of replies, reasoning included"`
}

// Source is one of those who propose in a mix.
type Source struct {
	Name    string   `yaml:"name,omitempty" json:"name,omitempty" jsonschema:"what reports call it; default the model's name, or breeder"`
	Breeder *Breeder `yaml:"breeder,omitempty" json:"breeder,omitempty" jsonschema:"breed rules offline; {} for its defaults"`
	Model   *Model   `yaml:"model,omitempty" json:"model,omitempty" jsonschema:"ask a language model"`
}

// SourceName is what reports call the source.
func (s Source) SourceName() string {
	switch {
	case s.Name != "":
		return s.Name
	case s.Model != nil:
		return s.Model.Model
	}
	return "breeder"
}

// Replies says what becomes of the replies of models.
type Replies struct {
	Mode string `yaml:"mode,omitempty" json:"mode,omitempty" jsonschema:"record keeps each reply before it is used and never asks for one that is there (the default), replay asks no server"`
	Dir  string `yaml:"dir,omitempty" json:"dir,omitempty" jsonschema:"the directory of the replies; default one of the run's own"`
}

// models lists the models of a spec with their places, the first that is named first.
func (p Propose) models() (models []*Model, paths []string) {
	if p.Model != nil {
		models, paths = append(models, p.Model), append(paths, "$.propose.model")
	}
	for i, s := range p.Mix {
		if s.Model != nil {
			models, paths = append(models, s.Model), append(paths, fmt.Sprintf("$.propose.mix[%d].model", i))
		}
	}
	return models, paths
}

// propose checks who proposes: one way of doing it, and what each needs.
func (v *validator) propose(s *Spec) {
	p := s.Propose
	var ways []string
	for _, w := range []struct {
		name string
		set  bool
	}{{"breeder", p.Breeder != nil}, {"program", p.Program != nil}, {"model", p.Model != nil}, {"mix", p.Mix != nil}} {
		if w.set {
			ways = append(ways, "propose."+w.name)
		}
	}
	if len(ways) > 1 {
		v.report("$.propose", "%s: one of them proposes, remove the others or put models and the breeder into propose.mix", strings.Join(ways, ", "))
	}
	v.breeder("$.propose.breeder", p.Breeder)
	if p.Program != nil {
		v.program("$.propose.program", *p.Program)
	}
	v.mix(s)
	models, paths := p.models()
	for i, m := range models {
		v.model(paths[i], *m)
		if s.Kind == KindText && m.GrammarMode != "" && m.GrammarMode != string(model.FreeText) {
			v.report(paths[i]+".grammar_mode", "the grammar is that of a rule, and the spec evolves a text")
		}
	}
	v.replies(s, len(models))
	switch {
	case s.Description == "":
	case s.Kind == KindPolicySlot:
		v.report("$.description", "a slot describes itself: only kinds %s and %s have this key", KindRule, KindText)
	case len(models) == 0:
		v.report("$.description", "the description is shown to a model, and no model proposes")
	}
}

func (v *validator) breeder(path string, b *Breeder) {
	if b == nil {
		return
	}
	v.within(path+".trials", float64(b.Trials), 0, 1e9)
	v.within(path+".max_ops", float64(b.MaxOps), 0, 256)
	v.within(path+".random", float64(b.Random), 0, 1e6)
}

// mix checks the list of sources.
func (v *validator) mix(s *Spec) {
	p := s.Propose
	if p.Explore != 0 && p.Mix == nil {
		v.report("$.propose.explore", "only a mix explores")
	}
	v.within("$.propose.explore", p.Explore, 0, 1)
	v.notZero("$.propose.explore", p.Explore, "0.05")
	if p.Mix == nil {
		return
	}
	if len(p.Mix) < 2 {
		v.report("$.propose.mix", "a mix has two sources or more")
	}
	names, bred := map[string]bool{}, false
	for i, src := range p.Mix {
		path := fmt.Sprintf("$.propose.mix[%d]", i)
		if (src.Breeder == nil) == (src.Model == nil) {
			v.report(path, "a source is one of breeder (breeder: {} for its defaults) and model")
			continue
		}
		if names[src.SourceName()] {
			v.report(path, "two sources are called %q: give one a name", src.SourceName())
		}
		names[src.SourceName()] = true
		if src.Breeder == nil {
			continue
		}
		v.breeder(path+".breeder", src.Breeder)
		switch {
		case s.Kind == KindText:
			v.report(path+".breeder", "the breeder makes rules, and the spec evolves a text")
		case bred:
			v.report(path+".breeder", "a mix has one breeder")
		}
		bred = true
	}
}

func (v *validator) replies(s *Spec, models int) {
	r := s.Propose.Replies
	if r == nil {
		return
	}
	if models == 0 {
		v.report("$.propose.replies", "no model proposes, so there are no replies")
	}
	if r.Mode != "" {
		v.oneOf("$.propose.replies.mode", r.Mode, Record, Replay)
	}
	if r.Mode == Replay && r.Dir == "" {
		v.report("$.propose.replies", "propose.replies.dir is missing: the directory of the replies to replay")
	}
}

// envName is what the name of an environment variable looks like.
var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// model checks one model.
func (v *validator) model(path string, m Model) {
	if m.Provider == "" {
		v.report(path, "%s.provider is missing: %s or %s", strings.TrimPrefix(path, "$."), OpenAI, Anthropic)
	} else {
		v.oneOf(path+".provider", m.Provider, OpenAI, Anthropic)
	}
	if m.Model == "" {
		v.report(path, "%s.model is missing: the server's name of the model", strings.TrimPrefix(path, "$."))
	}
	v.baseURL(path+".base_url", m.BaseURL)
	if m.APIKeyEnv != "" && !envName.MatchString(m.APIKeyEnv) {
		// It may be the key: it is not repeated.
		v.report(path+".api_key_env", "api_key_env is the name of an environment variable, such as OPENAI_API_KEY, and never the key itself")
	}
	v.within(path+".max_tokens", float64(m.MaxTokens), 0, 1e7)
	v.notZero(path+".max_tokens", float64(m.MaxTokens), strconv.Itoa(model.DefaultMaxTokens))
	v.within(path+".requests_per_minute", float64(m.RequestsPerMinute), 0, 1e9)
	v.within(path+".tokens_per_minute", float64(m.TokensPerMinute), 0, 1e12)
	v.duration(path+".timeout", m.Timeout)
	if m.Repairs != nil {
		v.within(path+".repairs", float64(*m.Repairs), 0, 100)
	}
	if m.Retries != nil {
		v.within(path+".retries", float64(*m.Retries), 0, 100)
	}
	if m.Price != nil {
		v.within(path+".price.input", m.Price.Input, 0, 1e9)
		v.within(path+".price.output", m.Price.Output, 0, 1e9)
	}
	var modes []string
	for _, mode := range model.GrammarModes() {
		modes = append(modes, string(mode))
	}
	if m.GrammarMode != "" {
		v.oneOf(path+".grammar_mode", m.GrammarMode, modes...)
	}
	if m.Provider == Anthropic {
		v.anthropic(path, m)
		return
	}
	v.temperature(path, m, 2)
	if m.Thinking != "" {
		v.oneOf(path+".thinking", m.Thinking, "none", "minimal", "low", "medium", "high", "xhigh")
	}
}

func (v *validator) temperature(path string, m Model, most float64) {
	if m.Temperature != nil {
		v.within(path+".temperature", *m.Temperature, 0, most)
	}
}

// anthropic checks what is peculiar to Anthropic's messages.
func (v *validator) anthropic(path string, m Model) {
	v.temperature(path, m, 1)
	if m.GrammarMode != "" && m.GrammarMode != string(model.FreeText) {
		v.report(path+".grammar_mode", "Anthropic's messages take no grammar")
	}
	if m.Thinking == "" {
		return
	}
	most := m.MaxTokens
	if most == 0 {
		most = model.DefaultMaxTokens
	}
	if n, err := strconv.Atoi(m.Thinking); err != nil || n < 1024 || n >= most {
		v.report(path+".thinking", "%q: Anthropic wants a number of tokens from 1024 to below max_tokens (%d)", m.Thinking, most)
	}
	if m.Temperature != nil && *m.Temperature != 1 {
		v.report(path+".temperature", "Anthropic thinks at temperature 1 only")
	}
}

// baseURL refuses addresses that are none, and those that may hold a secret: a spec is copied into every run.
func (v *validator) baseURL(path, text string) {
	if text == "" {
		return
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || !slices.Contains([]string{"http", "https"}, u.Scheme):
		v.report(path, "the address is no http or https address, such as http://127.0.0.1:8080/v1")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		v.report(path, "the address holds more than a host and a path: a key belongs into the variable that api_key_env names")
	}
}
