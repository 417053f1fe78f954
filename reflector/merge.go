package reflector

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// Merge makes the declaration that has the changes of both a and b against their common base: of two rules, or of
// two policies. Statements, arms, terms and factors are merged as lists (what one side adds or drops is added or
// dropped), expressions by their shape; where one side put something around an expression that the other changed,
// it is put around the change; a literal that both moved goes half-way between, which is the intermediate
// recombination of evolution strategies. Changes that cannot stand together are no merge: ok is false then, as half
// of one would drop a contribution unseen. The result is new and has no comments. A gate decides whether it may run.
func Merge(base, a, b dsl.Decl) (merged dsl.Decl, ok bool) {
	m := merger{}
	switch base := base.(type) {
	case *dsl.Rule:
		a, isA := a.(*dsl.Rule)
		b, isB := b.(*dsl.Rule)
		if !isA || !isB {
			return nil, false
		}
		out := dsl.CloneRule(base)
		out.Inputs, out.HasInputs = nil, false
		out.Body, ok = m.block(dsl.CloneBlock(base.Body), dsl.CloneBlock(a.Body), dsl.CloneBlock(b.Body))
		return out, ok
	case *dsl.Policy:
		a, isA := a.(*dsl.Policy)
		b, isB := b.(*dsl.Policy)
		if !isA || !isB {
			return nil, false
		}
		return m.policy(base, a, b)
	}
	return nil, false
}

// MergeTexts merges declarations that stand in texts, one in each, from the first to the last.
func MergeTexts(base string, texts []string) (string, error) {
	origin, err := declOf(base)
	if err != nil {
		return "", err
	}
	merged := origin
	for _, text := range texts {
		next, err := declOf(text)
		if err != nil {
			return "", err
		}
		var ok bool
		if merged, ok = Merge(origin, merged, next); !ok {
			return "", errors.New("the changes cannot stand together")
		}
	}
	return dsl.FormatDecl(merged), nil
}

func declOf(text string) (dsl.Decl, error) {
	f, err := dsl.Parse("", text)
	if err != nil {
		return nil, err
	}
	for _, d := range f.Decls {
		switch d.(type) {
		case *dsl.Rule, *dsl.Policy:
			return d, nil
		}
	}
	return nil, errors.New("the text holds no rule and no policy")
}

// MergeOffline answers requests to merge proposals without a model.
func MergeOffline(_ context.Context, r slots.MergeRequest) (slots.Reply, error) {
	text, err := MergeTexts(r.Current, r.Proposals)
	if err != nil {
		return slots.Reply{Error: err.Error()}, nil
	}
	return slots.Reply{Text: text}, nil
}

var _ slots.Completion = MergeOffline

// policy merges params, states and hooks by name.
func (m merger) policy(base, a, b *dsl.Policy) (*dsl.Policy, bool) {
	pick, ok := mergeValue(base.Pick.Text, a.Pick.Text, b.Pick.Text)
	out := &dsl.Policy{Name: dsl.Ident{Text: base.Name.Text}, Fills: dsl.Ident{Text: base.Fills.Text}, Pick: dsl.Ident{Text: pick}}
	if !ok || a.Fills.Text != base.Fills.Text || b.Fills.Text != base.Fills.Text {
		return nil, false
	}
	if out.Params, ok = mergeNamed(params(base), params(a), params(b), mergeParam); !ok {
		return nil, false
	}
	if out.States, ok = mergeNamed(states(base), states(a), states(b), mergeState); !ok {
		return nil, false
	}
	out.Hooks, ok = mergeNamed(hooks(base), hooks(a), hooks(b), m.hook)
	return out, ok
}

// mergeValue takes the side that changed a value; ok is false when both did, differently.
func mergeValue[T comparable](base, a, b T) (v T, ok bool) {
	switch {
	case a == b || b == base:
		return a, true
	case a == base:
		return b, true
	}
	return base, false
}

// named is a member of a policy: its name, itself without comments, and all of it as a text.
type named[T any] struct {
	name  string
	value *T
	text  string
}

// mergeNamed merges lists of things with names. What a adds comes before what b adds.
func mergeNamed[T any](base, a, b []named[T], combine func(base, a, b *T) (*T, bool)) ([]*T, bool) {
	find := func(list []named[T], name string) named[T] {
		for _, x := range list {
			if x.name == name {
				return x
			}
		}
		return named[T]{}
	}
	var out []*T
	seen := map[string]bool{}
	for _, x := range slices.Concat(base, a, b) {
		if seen[x.name] {
			continue
		}
		seen[x.name] = true
		o, p, q := find(base, x.name), find(a, x.name), find(b, x.name)
		merged := p.value
		switch {
		case p.text == q.text || q.text == o.text:
		case p.text == o.text:
			merged = q.value
		case o.value == nil || p.value == nil || q.value == nil:
			return nil, false
		default:
			var ok bool
			if merged, ok = combine(o.value, p.value, q.value); !ok {
				return nil, false
			}
		}
		if merged != nil {
			out = append(out, merged)
		}
	}
	return out, true
}

func params(p *dsl.Policy) (out []named[dsl.Param]) {
	for _, x := range p.Params {
		c := &dsl.Param{Name: dsl.Ident{Text: x.Name.Text}, Int: x.Int, Value: x.Value, Lo: x.Lo, Hi: x.Hi}
		out = append(out, named[dsl.Param]{c.Name.Text, c, dsl.FormatDecl(&dsl.Policy{Params: []*dsl.Param{c}})})
	}
	return out
}

func mergeParam(base, a, b *dsl.Param) (*dsl.Param, bool) {
	if a.Int != b.Int || a.Lo != b.Lo || a.Hi != b.Hi {
		return nil, false
	}
	out := *a
	if out.Value = between(base.Value, a.Value, b.Value); a.Int {
		out.Value = math.Round(out.Value)
	}
	return &out, true
}

func states(p *dsl.Policy) (out []named[dsl.State]) {
	for _, x := range p.States {
		c := &dsl.State{Name: dsl.Ident{Text: x.Name.Text}, Value: x.Value, Lo: x.Lo, Hi: x.Hi}
		out = append(out, named[dsl.State]{c.Name.Text, c, dsl.FormatDecl(&dsl.Policy{States: []*dsl.State{c}})})
	}
	return out
}

func mergeState(_, _, _ *dsl.State) (*dsl.State, bool) { return nil, false }

func hooks(p *dsl.Policy) (out []named[dsl.Hook]) {
	for _, x := range p.Hooks {
		c := &dsl.Hook{On: x.On, Name: dsl.Ident{Text: x.Name.Text}, Body: dsl.CloneBlock(x.Body)}
		out = append(out, named[dsl.Hook]{c.Name.Text, c, dsl.FormatDecl(&dsl.Policy{Hooks: []*dsl.Hook{c}})})
	}
	return out
}

func (m merger) hook(base, a, b *dsl.Hook) (*dsl.Hook, bool) {
	body, ok := m.block(base.Body, a.Body, b.Body)
	return &dsl.Hook{On: base.On, Name: base.Name, Body: body}, ok
}

// between is the value that a literal has which both sides may have moved.
func between(base, a, b float64) float64 {
	if v, ok := mergeValue(base, a, b); ok {
		return v
	}
	return a/2 + b/2
}

// item is a member of a list that is merged: its value, what it is as a text, and what it is like.
type item[T any] struct {
	value T
	text  string
	like  string
}

// mergeList merges three lists (diff3 of Khanna, Kunal and Pierce, 2007). Members that both sides still have are
// combined. Between them one side's changes stand if the other made none; what both only add is added, a's first.
func mergeList[T any](base, a, b []item[T], alike func(x, y item[T]) bool, combine func(base, a, b T) (T, bool)) ([]T, bool) {
	inA, inB := align(base, a, alike), align(base, b, alike)
	var out []T
	var i, p, q int
	for i <= len(base) {
		n := i // the next that both have
		for n < len(base) && (inA[n] < 0 || inB[n] < 0) {
			n++
		}
		endA, endB := len(a), len(b)
		if n < len(base) {
			endA, endB = inA[n], inB[n]
		}
		gone := !slices.ContainsFunc(inA[i:n], isKept) && !slices.ContainsFunc(inB[i:n], isKept)
		between, ok := gap(base[i:n], a[p:endA], b[q:endB], gone)
		if !ok {
			return nil, false
		}
		out = append(out, between...)
		if n == len(base) {
			return out, true
		}
		v, ok := combine(base[n].value, a[endA].value, b[endB].value)
		if !ok {
			return nil, false
		}
		out = append(out, v)
		i, p, q = n+1, endA+1, endB+1
	}
	return out, true
}

func isKept(at int) bool { return at >= 0 }

// gap merges what stands between two members that both sides have. gone says that both sides dropped all of it: then
// one of them may have put something in its place.
func gap[T any](base, a, b []item[T], gone bool) ([]T, bool) {
	same := func(x, y []item[T]) bool {
		return slices.EqualFunc(x, y, func(x, y item[T]) bool { return x.text == y.text })
	}
	switch {
	case same(a, b) || same(b, base):
		return valuesOf(a), true
	case same(a, base):
		return valuesOf(b), true
	case gone && (len(a) == 0 || len(b) == 0), len(base) == 0:
		return append(valuesOf(a), valuesOf(b)...), true
	}
	return nil, false
}

func valuesOf[T any](items []item[T]) []T {
	var out []T
	for _, x := range items {
		out = append(out, x.value)
	}
	return out
}

// align finds for each member of base the one of other that it became, −1 for none: first the longest run of equal
// ones in order, then between those the longest of ones that are alike.
func align[T any](base, other []item[T], alike func(x, y item[T]) bool) []int {
	at := common(base, other, func(x, y item[T]) bool { return x.text == y.text })
	out := slices.Clone(at)
	i, p := 0, 0
	for n := 0; n <= len(base); n++ {
		end := len(other)
		if n < len(base) {
			if at[n] < 0 {
				continue
			}
			end = at[n]
		}
		for k, j := range common(base[i:n], other[p:end], alike) {
			if j >= 0 {
				out[i+k] = p + j
			}
		}
		i, p = n+1, end+1
	}
	return out
}

// common is a longest common subsequence: for each of x its place in y, −1 for none.
func common[T any](x, y []item[T], same func(a, b item[T]) bool) []int {
	length := make([][]int, len(x)+1)
	for i := range length {
		length[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if same(x[i], y[j]) {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	at := make([]int, len(x))
	for i := range at {
		at[i] = -1
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case same(x[i], y[j]):
			at[i] = j
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return at
}
