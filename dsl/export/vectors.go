package export

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/agentdescent/adrun/dsl"
)

// Check says how closely a copy of a rule that uses another library's exp, log, log1p, tanh and pow must agree at a vector.
// Copies that carry the portable functions agree in all bits, always.
type Check string

// The checks.
const (
	// CheckBits: none of these functions has a part in the result, so all bits agree.
	CheckBits Check = "bits"
	// CheckClose: the result agrees within a relative 1e-9.
	CheckClose Check = "close"
	// CheckNone: a comparison, floor, ceil or % stands so near its boundary, or the rule cancels or grows so much, that the
	// last bits of such a function may decide.
	CheckNone Check = "none"
)

// Vector is the value of a rule at a point.
type Vector struct {
	Args []float64 // one for each input: a number, 1 or 0 for a bool, the index of a word
	Want float64
	Check
}

// Vectors returns the values of r at points, each of which has an argument for every input of sig.
func Vectors(r *dsl.Rule, sig *dsl.Signature, points [][]float64) ([]Vector, error) {
	reference, err := dsl.NewReference(r, sig)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	vectors := make([]Vector, len(points))
	for i, p := range points {
		if len(p) != len(sig.Inputs) {
			return nil, fmt.Errorf("export: point %d has %d arguments, %s has %d inputs", i, len(p), sig.Name.Text, len(sig.Inputs))
		}
		want, err := reference.Eval(p)
		if err != nil {
			return nil, fmt.Errorf("export: %w", err)
		}
		vectors[i] = Vector{Args: p, Want: want, Check: sensitivity(r, sig, p)}
	}
	return vectors, nil
}

// vectorsFile writes vectors as JSON, one a line.
func vectorsFile(f *function, vectors []Vector) string {
	var b strings.Builder
	fmt.Fprintf(&b, "{\n\"rule\": %q,\n\"identity\": %q,\n\"signature\": %q,\n\"inputs\": [", f.rule.Name.Text, dsl.Identity(f.rule), f.sig.Name.Text)
	for i, in := range f.sig.Inputs {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "{\"name\": %q, \"type\": %q}", in.Name.Text, in.Type)
	}
	fmt.Fprintf(&b, "],\n\"result\": %q,\n\"vectors\": [\n", f.sig.Result)
	for i, v := range vectors {
		args := make([]string, len(v.Args))
		for j, in := range f.sig.Inputs {
			args[j] = jsonValue(in.Type, v.Args[j])
		}
		fmt.Fprintf(&b, "{\"in\": [%s], \"out\": %s, \"check\": %q}", strings.Join(args, ", "), jsonValue(f.sig.Result, v.Want), v.Check)
		if i+1 < len(vectors) {
			b.WriteString(",")
		}
		b.WriteString("\n")
	}
	b.WriteString("]\n}\n")
	return b.String()
}

// jsonValue is a number as the 16 hexadecimal digits of its bits, a bool, or a word.
func jsonValue(t dsl.Type, v float64) string {
	switch t.Kind {
	case dsl.BoolKind:
		return strconv.FormatBool(v != 0)
	case dsl.WordKind:
		return quoted(wordAt(t, v))
	}
	return fmt.Sprintf("\"%016x\"", math.Float64bits(v))
}

// wordAt is the word of an index, the first where there is none such.
func wordAt(t dsl.Type, v float64) string { return t.Words[wordIndex(t, v)] }

func wordIndex(t dsl.Type, v float64) int {
	if i := int(v); i > 0 && i < len(t.Words) {
		return i
	}
	return 0
}

// literals says how a language writes given values of the types.
type literals struct {
	number func(bits uint64) string
	truth  [2]string // false, true
	word   func(s *wordSet, index int) string
	// brackets says that a row stands in [] rather than ().
	brackets bool
}

// value writes a value of a type.
func (l literals) value(f *function, t dsl.Type, v float64) string {
	switch t.Kind {
	case dsl.BoolKind:
		if v != 0 {
			return l.truth[1]
		}
		return l.truth[0]
	case dsl.WordKind:
		return l.word(f.set(t), wordIndex(t, v))
	}
	return l.number(math.Float64bits(v))
}

// call writes the call of a function at a vector.
func (l literals) call(name string, f *function, v Vector) string {
	args := make([]string, len(v.Args))
	for i, in := range f.sig.Inputs {
		args[i] = l.value(f, in.Type, v.Args[i])
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}
