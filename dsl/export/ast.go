package export

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/agentdescent/adrun/dsl"
)

// The JSON of a rule, described in docs/export.md. An expression is a number, true or false, the name of an input or local as
// a string, or an object.
type (
	astRule struct {
		Kind      string    `json:"kind"` // "rule"
		Name      string    `json:"name"`
		Signature string    `json:"signature"`
		Inputs    []string  `json:"inputs"` // of the signature, in order
		Body      []astStmt `json:"body"`
	}
	// astStmt is one of let and set with a value, return, and if.
	astStmt struct {
		Let    string          `json:"let,omitempty"`
		Set    string          `json:"set,omitempty"`
		Op     string          `json:"op,omitempty"` // of set
		Value  json.RawMessage `json:"value,omitempty"`
		Return json.RawMessage `json:"return,omitempty"`
		If     []astArm        `json:"if,omitempty"`
		Else   *[]astStmt      `json:"else,omitempty"`
	}
	astArm struct {
		Cond json.RawMessage `json:"cond"`
		Then []astStmt       `json:"then"`
	}
	astOp struct {
		Op   string            `json:"op"`
		Args []json.RawMessage `json:"args"`
	}
	astCall struct {
		Call string            `json:"call"`
		Args []json.RawMessage `json:"args"`
	}
	astWord struct {
		Word string `json:"word"`
	}
)

// AST returns the tree of a rule as JSON, for programs that evaluate rules themselves. A number always has a point or an exponent, so
// that no decoder takes it for an integer of its own.
func AST(r *dsl.Rule, sig *dsl.Signature) (json.RawMessage, error) {
	f, err := newFunction(r, sig, plainNames{})
	if err != nil {
		return nil, err
	}
	a := &astWriter{f: f}
	rule := astRule{Kind: "rule", Name: r.Name.Text, Signature: sig.Name.Text, Inputs: []string{}, Body: a.block(r.Body)}
	for _, in := range sig.Inputs {
		rule.Inputs = append(rule.Inputs, in.Name.Text)
	}
	text := a.json(rule)
	return text, a.err
}

// plainNames leaves every name as it is.
type plainNames struct{}

func (plainNames) local(name string) string           { return name }
func (plainNames) functionName(rule string) string    { return rule }
func (plainNames) wordType(_, of string) string       { return of + " words" }
func (plainNames) wordConstant(_, word string) string { return quoted(word) }

type astWriter struct {
	f   *function
	err error
}

// json encodes v. "<" stays as it is, for evaluators that are written in a shell.
func (a *astWriter) json(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && a.err == nil {
		a.err = fmt.Errorf("export: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func (a *astWriter) block(b *dsl.Block) []astStmt {
	list := []astStmt{}
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *dsl.Let:
			list = append(list, astStmt{Let: s.Name.Text, Value: a.expr(s.Value)})
		case *dsl.Assign:
			list = append(list, astStmt{Set: s.Name.Text, Op: s.Op.String(), Value: a.expr(s.Value)})
		case *dsl.Return:
			list = append(list, astStmt{Return: a.expr(s.Value)})
		case *dsl.If:
			stmt := astStmt{}
			for _, arm := range s.Arms {
				stmt.If = append(stmt.If, astArm{a.expr(arm.Cond), a.block(arm.Body)})
			}
			if s.Else != nil {
				otherwise := a.block(s.Else)
				stmt.Else = &otherwise
			}
			list = append(list, stmt)
		}
	}
	return list
}

func (a *astWriter) expr(e dsl.Expr) json.RawMessage {
	switch e := e.(type) {
	case *dsl.Num:
		return json.RawMessage(decimal(e.Value).text)
	case *dsl.Bool:
		return a.json(e.Value)
	case *dsl.Ref:
		if _, set, _ := a.f.word(e.Name); set != nil {
			return a.json(astWord{e.Name})
		}
		return a.json(e.Name)
	case *dsl.Unary:
		if e.Op == dsl.Plus {
			return a.expr(e.X)
		}
		return a.json(astOp{e.Op.String(), a.all(e.X)})
	case *dsl.Binary:
		return a.json(astOp{e.Op.String(), a.all(e.X, e.Y)})
	case *dsl.Cond:
		return a.json(astOp{"?:", a.all(e.If, e.Then, e.Else)})
	case *dsl.Call:
		return a.json(astCall{e.Fn.Text, a.all(e.Args...)})
	}
	return nil
}

func (a *astWriter) all(list ...dsl.Expr) []json.RawMessage {
	args := make([]json.RawMessage, len(list))
	for i, e := range list {
		args[i] = a.expr(e)
	}
	return args
}
