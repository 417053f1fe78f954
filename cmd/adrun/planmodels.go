package main

import (
	"fmt"
	"io"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/reflector/model"
	"github.com/agentdescent/adrun/slots"
)

// modelPlan says which model a run would ask, and how.
type modelPlan struct {
	Source      string `json:"source"`
	Provider    string `json:"provider"`
	Server      string `json:"server"`
	Model       string `json:"model"`
	GrammarMode string `json:"grammar_mode"`
	// KeyFrom is the environment variable with the key, "" where none is sent.
	KeyFrom string `json:"key_from,omitempty"`
	// Requests is how many a proposal makes at most.
	Requests int `json:"requests"`
}

// plannedRun is what a run would do, models included.
type plannedRun struct {
	*engine.Plan
	Models []modelPlan `json:"models,omitempty"`
	// Replay says that no server is asked.
	Replay bool   `json:"replay,omitempty"`
	Worst  *worst `json:"worst_case,omitempty"`
}

func (p *plan) asked(what *engine.Plan) plannedRun {
	r := plannedRun{Plan: what, Replay: p.replies.replay}
	for _, m := range p.models {
		_, lease := m.proposer.Most(p.sig)
		mode := m.spec.GrammarMode
		if mode == "" {
			mode = string(model.FreeText)
		}
		r.Models = append(r.Models, modelPlan{
			Source: m.name, Provider: m.spec.Provider, Server: shownServer(m.spec), Model: m.spec.Model, GrammarMode: mode,
			KeyFrom: keyName(m.spec), Requests: lease.Calls,
		})
	}
	if len(p.models) > 0 {
		w := p.worst()
		r.Worst = &w
	}
	return r
}

// printModels says whom a run would ask, and what that may cost at most.
func (p *plan) printModels(w io.Writer) {
	r := p.asked(nil)
	for _, m := range r.Models {
		key := "no key"
		if m.KeyFrom != "" {
			key = "key from " + m.KeyFrom
		}
		fmt.Fprintf(w, "asks\t%s: %s of %s (%s), grammar_mode %s, %s, at most %s a proposal\n",
			m.Source, m.Model, m.Server, m.Provider, m.GrammarMode, key, requests(m.Requests))
	}
	if r.Worst == nil {
		return
	}
	if r.Replay {
		fmt.Fprintf(w, "replies\tfrom %s: no server is asked\n", shown(p.replies.dir))
	}
	fmt.Fprintf(w, "worst case\t%s a lease\n", p.spends(r.Worst.Lease))
	if r.Worst.Run != nil {
		fmt.Fprintf(w, "\t%s in %d leases\n", p.spends(*r.Worst.Run), p.leases())
	}
	switch b := p.spec.Budget; {
	case b.MaxTokens > 0 || p.priced() && b.MaxCost > 0:
		fmt.Fprintf(w, "\tthe budget ends the run before a round that may pass it\n")
	case r.Worst.Run == nil:
		fmt.Fprintf(w, "\tnothing bounds the rounds and no budget.max_tokens the tokens\n")
	}
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}

// spends shows what models are asked for, with money where there is a price.
func (p *plan) spends(s slots.Spend) string {
	text := fmt.Sprintf("%d calls and %d tokens", s.Calls, s.Tokens)
	if p.priced() {
		text += fmt.Sprintf(" (cost %.4g)", s.Cost)
	}
	return text
}
