package engine

import (
	"fmt"
	"sort"
	"strings"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// Refusal says why a proposal or a state may not run. It is data, counted by code.
type Refusal struct {
	// Code is stable ("undefined-name"), Detail for a person or a model.
	Code   string
	Detail string
}

func (r *Refusal) Error() string { return r.Detail + " [" + r.Code + "]" }

// Strategy gives an artifact's state a meaning. It is safe for concurrent use. Both methods answer with a
// *Refusal when the text may not run; any other error ends the run.
type Strategy interface {
	// Diff turns a proposal into the change of s that it means.
	Diff(s slots.State, p slots.Proposal) (slots.Diff, error)
	// Ready makes a state ready to be evaluated.
	Ready(artifact string, s slots.State) (*slots.Candidate, error)
}

// Admitter is implemented by strategies whose proposers try trees before they propose one.
type Admitter interface {
	// Admit passes a built rule through the gate.
	Admit(artifact string, r *dsl.Rule) (*slots.Candidate, error)
}

// Breaker is implemented by strategies that know when a change breaks what callers of the artifact rely on.
type Breaker interface {
	Breaks(s slots.State, d slots.Diff) bool
}

// Distancer is implemented by strategies that can tell how far apart two states behave, in [0, 1].
type Distancer interface {
	Distance(a, b slots.State) float64
}

// SingleSlot is a state of one text: a proposal replaces it.
type SingleSlot struct {
	// Key is where the text is kept; default slots.RuleKey.
	Key string
}

func (t SingleSlot) key() string {
	if t.Key == "" {
		return slots.RuleKey
	}
	return t.Key
}

// Diff writes the proposal's text.
func (t SingleSlot) Diff(_ slots.State, p slots.Proposal) (slots.Diff, error) {
	if text := strings.TrimSpace(p.Text); text != "" {
		return slots.Write(t.key(), text), nil
	}
	return nil, &Refusal{Code: "empty", Detail: "the proposal is empty"}
}

// Ready renders the text.
func (t SingleSlot) Ready(artifact string, s slots.State) (*slots.Candidate, error) {
	return textCandidate(artifact, s, s[t.key()]), nil
}

// AppendRules is a state that grows: each proposal is a line of its own, kept under the hash of its text,
// so that the same line twice is one line.
type AppendRules struct{}

// Diff adds the proposal's text.
func (AppendRules) Diff(s slots.State, p slots.Proposal) (slots.Diff, error) {
	text := strings.TrimSpace(p.Text)
	if text == "" {
		return nil, &Refusal{Code: "empty", Detail: "the proposal is empty"}
	}
	key := hashBytes([]byte(text))
	if _, known := s[key]; known {
		return nil, &Refusal{Code: "duplicate", Detail: "the artifact has this rule already"}
	}
	return slots.Write(key, text), nil
}

// Ready renders the rules one a line, in the order of their text.
func (AppendRules) Ready(artifact string, s slots.State) (*slots.Candidate, error) {
	lines := make([]string, 0, len(s))
	for _, v := range s {
		lines = append(lines, v)
	}
	sort.Strings(lines)
	return textCandidate(artifact, s, strings.Join(lines, "\n")), nil
}

// KeyedRules is a state of named texts: a proposal "name: text" writes one, "name:" deletes it.
type KeyedRules struct{}

// Diff reads the name up to the first colon.
func (KeyedRules) Diff(s slots.State, p slots.Proposal) (slots.Diff, error) {
	name, text, ok := strings.Cut(p.Text, ":")
	name, text = strings.TrimSpace(name), strings.TrimSpace(text)
	if !ok || name == "" {
		return nil, &Refusal{Code: "unkeyed", Detail: `the proposal does not begin with "name:"`}
	}
	if s[name] == text {
		return nil, &Refusal{Code: "duplicate", Detail: fmt.Sprintf("the artifact has this text under %q already", name)}
	}
	if text == "" {
		return slots.NewDiff(slots.Edit{Key: name, Delete: true}), nil
	}
	return slots.Write(name, text), nil
}

// Ready renders "name: text" lines in the order of the names.
func (KeyedRules) Ready(artifact string, s slots.State) (*slots.Candidate, error) {
	var b strings.Builder
	for _, k := range s.Keys() {
		fmt.Fprintf(&b, "%s: %s\n", k, s[k])
	}
	return textCandidate(artifact, s, strings.TrimSuffix(b.String(), "\n")), nil
}

func textCandidate(artifact string, s slots.State, text string) *slots.Candidate {
	return &slots.Candidate{Artifact: artifact, State: s, Text: text, Identity: hashState(s)}
}
