package table

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agentdescent/adrun/dsl"
)

// maxInt bounds the whole numbers that are taken as int: beyond it not every whole number is a float64.
const maxInt = 1 << 53

// maxName is how long an input's name may be.
const maxName = 64

// SignatureText returns the declaration of the table's signature. One that was made from the data has an input for each
// column, named after it as far as the language allows, int where all its values are whole, with the smallest and the
// largest value of the file as its domain; inputs outside of it are clamped, so widen it by hand where the future may bring others.
func (t *Table) SignatureText() string { return dsl.FormatDecl(t.Signature) }

// Initial returns a rule of the signature to start from: the first input that is a number.
func (t *Table) Initial() string {
	name := t.Signature.DeclName()
	name = name[strings.LastIndexByte(name, '.')+1:]
	value := "0"
	for _, in := range t.Signature.Inputs {
		if in.Type.Kind == dsl.NumKind {
			value = in.Name.Text
			break
		}
	}
	return fmt.Sprintf("rule %s { return %s }\n", name, value)
}

// makeSignature declares the inputs that the rows show.
func (r *reader) makeSignature() (*dsl.Signature, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Which row of a decision to take: the one with the highest priority.\nsignature %s(\n", r.opts.Name)
	columns := map[string]string{}
	for i, c := range r.inputs {
		column := r.header[c]
		name := inputName(column)
		if other, taken := columns[name]; taken {
			return nil, &DataError{File: r.file, Line: 1, Msg: fmt.Sprintf("the columns %q and %q would both be the input %s; rename one", other, column, name)}
		}
		columns[name] = column
		lo, hi, whole := r.domain(i)
		kind := "num"
		if whole {
			kind = "int"
		}
		fmt.Fprintf(&b, "%s: %s in [%s, %s],", name, kind, dsl.FormatNumber(lo), dsl.FormatNumber(hi))
		if name != column {
			fmt.Fprintf(&b, " # column %q", column)
		}
		b.WriteByte('\n')
	}
	b.WriteString(") -> num\n")
	return parseSignature(b.String())
}

// parseSignature parses and checks a text with one signature.
func parseSignature(text string) (*dsl.Signature, error) {
	f, err := dsl.Parse("signature", text)
	if err != nil {
		return nil, err
	}
	if err := dsl.Check(f, nil, dsl.CheckOptions{}).Diags.Err(); err != nil {
		return nil, err
	}
	if sig, ok := dsl.First[*dsl.Signature](f); ok {
		return sig, nil
	}
	return nil, errors.New("no signature in the text")
}

// domain is the range of input i over all rows, and whether its values are whole.
func (r *reader) domain(i int) (lo, hi float64, whole bool) {
	lo, hi, whole = math.Inf(1), math.Inf(-1), true
	for _, d := range r.decisions {
		for _, row := range d.Rows {
			v := row.Inputs[i]
			lo, hi = min(lo, v), max(hi, v)
			whole = whole && v == math.Trunc(v) && math.Abs(v) <= maxInt
		}
	}
	return lo, hi, whole
}

// inputName makes a name of the language from a column's: "Price (EUR)" is Price_EUR, "max" is max_.
func inputName(column string) string {
	words := strings.FieldsFunc(column, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_')
	})
	name := strings.Join(words, "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "c_" + name
	}
	if len(name) > maxName {
		name = name[:maxName]
	}
	if e, err := dsl.ParseExpr("name", name); err != nil {
		return name[:min(len(name), maxName-1)] + "_" // a reserved word
	} else if _, isName := e.(*dsl.Ref); !isName || name == "result" || slices.Contains(dsl.FunctionNames(), name) {
		return name + "_"
	}
	return name
}
