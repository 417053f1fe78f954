package spec

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/agentdescent/adrun/dsl"
)

// The sizes up to which a spec is read: the YAML library takes time and memory that grow with the square of the
// nesting of brackets, and it writes aliases out, so that of an alias within an alias ten lines make a billion.
const (
	maxBytes   = 1 << 20
	maxNesting = 64
	maxAliases = 100
)

// tooDeep is the bracket at which brackets are nested too deeply, or nil.
func tooDeep(tokens token.Tokens) *token.Token {
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			if depth++; depth > maxNesting {
				return t
			}
		case token.SequenceEndType, token.MappingEndType:
			depth--
		}
	}
	return nil
}

// aliases reports the first alias that is one too many or stands in the value of an anchor. It is an ast.Visitor.
type aliases struct {
	*validator
	anchored bool
	seen     *int
}

// Visit looks at a node.
func (a aliases) Visit(n ast.Node) ast.Visitor {
	switch n.(type) {
	case *ast.AnchorNode:
		a.anchored = true
	case *ast.AliasNode:
		*a.seen++
		switch {
		case len(a.list) > 0:
		case a.anchored:
			a.reportAt(n, "an alias stands in the value of an anchor: write out what it names")
		case *a.seen > maxAliases:
			a.reportAt(n, "more than %d aliases: write out what they name", maxAliases)
		}
	}
	return a
}

// shape reports keys that a struct does not have and values of another type than theirs, all at once and in the
// words of a spec. The decoder alone would stop at the first, name Go's types, cut fractions off and wrap numbers
// round. What stands behind an alias, a tag or a merge key is left to the decoder.
func (v *validator) shape(t reflect.Type, n ast.Node) {
	if a, ok := n.(*ast.AnchorNode); ok {
		n = a.Value
	}
	switch n.(type) {
	case nil, *ast.NullNode, *ast.AliasNode, *ast.TagNode:
		return
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Struct:
		known := keysOf(t)
		v.mapping(n, func(key string, pair *ast.MappingValueNode) {
			if field, ok := known[key]; ok {
				v.shape(field, pair.Value)
				return
			}
			v.unknownKey(key, known, pair)
		})
	case reflect.Map:
		v.mapping(n, func(_ string, pair *ast.MappingValueNode) { v.shape(t.Elem(), pair.Value) })
	case reflect.Slice:
		list, ok := n.(*ast.SequenceNode)
		if !ok {
			v.wrong(n, "a list, such as [a, b]")
			return
		}
		for _, item := range list.Values {
			v.shape(t.Elem(), item)
		}
	case reflect.Int:
		v.whole(n, math.MinInt64, math.MaxInt64)
	case reflect.Uint64:
		v.whole(n, 0, math.MaxUint64)
	case reflect.Float64:
		v.number(n)
	case reflect.Bool:
		if _, ok := n.(*ast.BoolNode); !ok {
			v.wrong(n, "true or false")
		}
	case reflect.String:
		switch n.(type) {
		case *ast.SequenceNode, *ast.MappingNode, *ast.MappingValueNode:
			v.wrong(n, "text")
		}
	}
}

// mapping calls do for each pair of a mapping but those of merge keys.
func (v *validator) mapping(n ast.Node, do func(key string, pair *ast.MappingValueNode)) {
	m, ok := n.(ast.MapNode)
	if !ok {
		v.wrong(n, "keys with values")
		return
	}
	for pairs := m.MapRange(); pairs.Next(); {
		pair := pairs.KeyValue()
		if _, merge := pair.Key.(*ast.MergeKeyNode); !merge {
			do(pair.Key.GetToken().Value, pair)
		}
	}
}

func (v *validator) unknownKey(key string, known map[string]reflect.Type, pair *ast.MappingValueNode) {
	names := slices.Sorted(maps.Keys(known))
	hint := "there are " + strings.Join(names, ", ")
	if near := dsl.Suggest(key, names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	v.reportAt(pair.Key, "unknown field %q: %s", key, hint)
}

// keysOf lists the keys of a struct with the types of their values.
func keysOf(t reflect.Type) map[string]reflect.Type {
	keys := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if options == "inline" {
			maps.Copy(keys, keysOf(f.Type))
		} else if f.IsExported() {
			keys[name] = f.Type
		}
	}
	return keys
}

// whole reports what is no whole number from lo to hi.
func (v *validator) whole(n ast.Node, lo, hi float64) {
	const exact = 1 << 53 // the whole numbers that a fraction holds
	switch n := n.(type) {
	case *ast.IntegerNode:
		if i, ok := n.Value.(int64); ok && float64(i) < lo {
			v.reportAt(n, "%d is below 0", i)
		} else if u, ok := n.Value.(uint64); ok && float64(u) > hi {
			v.reportAt(n, "%d is too large", u)
		}
		return
	case *ast.FloatNode:
		switch {
		case n.Value != math.Trunc(n.Value):
		case math.Abs(n.Value) > exact:
			v.reportAt(n, "%s is too large", n.Token.Value)
			return
		default:
			return
		}
	case *ast.StringNode:
		if _, err := strconv.ParseInt(n.Value, 10, 64); err == nil {
			return
		}
	}
	v.wrong(n, "a whole number")
}

// number reports what is no finite number.
func (v *validator) number(n ast.Node) {
	switch n := n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return
	case *ast.StringNode:
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			return
		}
	}
	v.wrong(n, "a number")
}

// wrong reports a value of another type than the one that is wanted.
func (v *validator) wrong(n ast.Node, want string) {
	got := n.GetToken().Value
	switch n.(type) {
	case *ast.SequenceNode:
		got = "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		got = "keys with values"
	case *ast.LiteralNode:
		got = "text"
	default:
		got = strconv.Quote(got)
	}
	v.reportAt(n, "this is %s; want %s", got, want)
}

func (v *validator) reportAt(n ast.Node, format string, args ...any) {
	at := first(n).Position
	v.list = append(v.list, Problem{v.name, at.Line, at.Column, fmt.Sprintf(format, args...)})
}
