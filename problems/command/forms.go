package command

import (
	"sync"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/export"
	"github.com/agentdescent/adrun/slots"
)

// keptForms bounds how many candidates' forms are kept: a candidate usually meets all tasks of a round before the next.
const keptForms = 64

// RuleForms returns an encoder, for [Config.Encode], that sends rules for sig in every form: the text, the tree as JSON and Python
// source, see package export. A candidate that is no rule is sent as its text. It may be used by many goroutines at once.
func RuleForms(sig *dsl.Signature) func(*slots.Candidate) (Candidate, error) {
	f := &forms{sig: sig}
	return f.encode
}

// forms writes candidates and keeps some of what it wrote.
type forms struct {
	sig  *dsl.Signature
	mu   sync.Mutex
	kept map[string]Candidate // by identity and name, which Python functions bear
}

func (f *forms) encode(c *slots.Candidate) (Candidate, error) {
	if c.Rule == nil {
		return textOnly(c)
	}
	key := c.Identity + " " + c.Rule.Name.Text
	f.mu.Lock()
	known, ok := f.kept[key]
	f.mu.Unlock()
	if ok && c.Identity != "" {
		return known, nil
	}
	encoded, err := f.write(c)
	if err != nil {
		return Candidate{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.kept) >= keptForms || f.kept == nil {
		f.kept = map[string]Candidate{}
	}
	f.kept[key] = encoded
	return encoded, nil
}

func (f *forms) write(c *slots.Candidate) (Candidate, error) {
	encoded, err := textOnly(c)
	if err != nil {
		return Candidate{}, err
	}
	if encoded.AST, err = export.AST(c.Rule, f.sig); err != nil {
		return Candidate{}, err
	}
	encoded.Python, err = export.Source(export.Python, c.Rule, f.sig)
	return encoded, err
}
