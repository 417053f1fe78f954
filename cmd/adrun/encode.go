package main

import (
	"errors"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/export"
	"github.com/agentdescent/adrun/problems/command"
	"github.com/agentdescent/adrun/slots"
)

// encoder writes candidates in all forms that an evaluator may want: the text of a rule of sig, its tree and its
// Python source. A nil signature leaves a text as it is.
func encoder(sig *dsl.Signature) func(*slots.Candidate) (command.Candidate, error) {
	if sig == nil {
		return nil
	}
	return func(c *slots.Candidate) (command.Candidate, error) {
		if c.Rule == nil {
			return command.Candidate{}, errors.New("the candidate has no rule")
		}
		sent := command.Candidate{Rule: c.Text}
		if sent.Rule == "" {
			sent.Rule = dsl.FormatRule(c.Rule)
		}
		var err error
		if sent.AST, err = export.AST(c.Rule, sig); err != nil {
			return sent, err
		}
		sent.Python, err = export.Source(export.Python, c.Rule, sig)
		return sent, err
	}
}
