// Package dsltest draws random well-typed declarations of the rule language for property tests: signatures, rules,
// policies with their slots, and arguments. What it draws passes Check and is small enough to be run many times.
package dsltest

import (
	"fmt"
	"math"

	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/dsl"
)

// Signature draws a signature of one to six inputs of any type and any result.
func Signature(t *rapid.T) *dsl.Signature {
	words := dsl.Type{Kind: dsl.WordKind, Words: []string{"direct", "search", "reflect"}}
	colors := dsl.Type{Kind: dsl.WordKind, Words: []string{"red", "green"}}
	types := []dsl.Type{dsl.NumType, dsl.NumType, dsl.NumType, dsl.BoolType, words, colors}
	s := &dsl.Signature{Name: name("test.f"), Inputs: inputs(t, types)}
	s.Result = rapid.SampledFrom(types).Draw(t, "result")
	return s
}

// NumSignature draws a signature whose inputs and result are numbers.
func NumSignature(t *rapid.T) *dsl.Signature {
	return &dsl.Signature{Name: name("test.f"), Inputs: inputs(t, []dsl.Type{dsl.NumType}), Result: dsl.NumType}
}

func name(s string) dsl.Ident { return dsl.Ident{Text: s} }

func inputs(t *rapid.T, types []dsl.Type) []*dsl.Input {
	var list []*dsl.Input
	for i := range rapid.IntRange(1, 6).Draw(t, "inputs") {
		in := &dsl.Input{Name: name(fmt.Sprintf("x%d", i)), Type: rapid.SampledFrom(types).Draw(t, "type")}
		if in.Type.Kind == dsl.NumKind {
			in.Lo = rapid.SampledFrom([]float64{0, 1, -5}).Draw(t, "lo")
			in.Hi = rapid.SampledFrom([]float64{1, 10, 1e6}).Draw(t, "hi")
			in.Int = rapid.Bool().Draw(t, "int")
		}
		list = append(list, in)
	}
	return list
}

// Args draws a value for each input: mostly within the domain, now and then a number that is special.
func Args(t *rapid.T, inputs []*dsl.Input) []float64 {
	args := make([]float64, len(inputs))
	for i, in := range inputs {
		args[i] = arg(t, in)
	}
	return args
}

func arg(t *rapid.T, in *dsl.Input) float64 {
	switch {
	case in.Type.Kind == dsl.BoolKind:
		return float64(rapid.IntRange(0, 1).Draw(t, "bool"))
	case in.Type.Kind == dsl.WordKind:
		return float64(rapid.IntRange(0, len(in.Type.Words)-1).Draw(t, "word"))
	}
	switch rapid.IntRange(0, 9).Draw(t, "sort") {
	case 0:
		return rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), math.SmallestNonzeroFloat64, math.MaxFloat64}).Draw(t, "special")
	case 1:
		return in.Lo
	case 2:
		return in.Hi
	}
	v := rapid.Float64Range(in.Lo, in.Hi).Draw(t, "number")
	if in.Int || rapid.Bool().Draw(t, "whole") {
		return math.Round(v)
	}
	return v
}

// Rule draws a rule for sig.
func Rule(t *rapid.T, sig *dsl.Signature) *dsl.Rule {
	r := &dsl.Rule{Name: name("f")}
	g := newGenerator(t, sig.Inputs, sig.Result)
	if r.HasInputs = rapid.Bool().Draw(t, "listed"); r.HasInputs {
		for _, in := range sig.Inputs {
			r.Inputs = append(r.Inputs, in.Name)
		}
	}
	r.Body, _ = g.block(3, true)
	return r
}

// Policy draws a policy of a hook that decides and an on hook, and the slot that declares them.
func Policy(t *rapid.T) (*dsl.Policy, *dsl.Slot) {
	decide := &dsl.HookDecl{Signature: *NumSignature(t)}
	decide.Name = name("weight")
	record := &dsl.HookDecl{Signature: *NumSignature(t), On: true}
	record.Name, record.Result = name("record"), dsl.Type{}
	p := &dsl.Policy{Name: name("p"), Fills: name("s")}
	for i := range rapid.IntRange(0, 3).Draw(t, "params") {
		v := rapid.Float64Range(-2, 2).Draw(t, "param")
		p.Params = append(p.Params, &dsl.Param{Name: name(fmt.Sprintf("p%d", i)), Value: v, Lo: -2, Hi: 2})
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "states") {
		p.States = append(p.States, &dsl.State{Name: name(fmt.Sprintf("s%d", i)), Lo: -1, Hi: 3})
	}
	for _, decl := range []*dsl.HookDecl{record, decide} {
		g := newGenerator(t, decl.Inputs, decl.Result)
		for _, q := range p.Params {
			g.names = append(g.names, binding{q.Name.Text, dsl.NumType, false})
		}
		for _, s := range p.States {
			g.names = append(g.names, binding{s.Name.Text, dsl.NumType, decl.On})
		}
		h := &dsl.Hook{Name: decl.Name, On: decl.On}
		h.Body, _ = g.block(3, !decl.On)
		p.Hooks = append(p.Hooks, h)
	}
	return p, &dsl.Slot{Name: name("s"), Hooks: []*dsl.HookDecl{record, decide}}
}
