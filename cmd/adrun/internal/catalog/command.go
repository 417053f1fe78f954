package catalog

import (
	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/problems/command"
)

// commands is work that a program of the user's scores; a spec says which, so [Command] makes it.
func commands() Problem {
	return Problem{
		Name:    "command",
		Meaning: "a program of your own scores candidates, rules or texts, in any language: see docs/evaluators.md",
	}
}

// Command makes the problem of an evaluator.
func Command(c command.Config) Problem {
	p := commands()
	c.Name = p.Name
	if c.Signature != nil {
		p.SignatureName = c.Signature.DeclName()
	}
	p.Signature = func() (*dsl.Signature, error) { return c.Signature, nil }
	p.Build = func(Settings, Range, Range) (engine.Problem, error) { return command.NewProblem(c) }
	return p
}
