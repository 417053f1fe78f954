package export

import (
	"fmt"
	"strings"
)

// latex writes mathematics, for the package amsmath: an equation for each value of a local, and one for the result. Of the
// lines of cases, the first that holds counts.
type latex struct{}

func (latex) local(name string) string           { return name }
func (latex) functionName(rule string) string    { return rule }
func (latex) wordType(_, of string) string       { return of + " words" }
func (latex) wordConstant(_, word string) string { return latexText(word) }

func (l latex) files(f *function, _ []Vector) ([]File, error) {
	text, err := l.source(f)
	return []File{{f.name + ".tex", text}}, err
}

func (latex) source(f *function) (string, error) {
	s := straighten(f)
	m := &mathematics{f, s.names}
	var b strings.Builder
	fmt.Fprintf(&b, "%% %s\n", origin(f))
	for _, l := range f.facts() {
		b.WriteString(strings.TrimRight("% "+l, " ") + "\n")
	}
	b.WriteString("\\begin{align*}\n")
	for _, let := range s.lets {
		fmt.Fprintf(&b, "%s &= %s \\\\\n", m.name(let.Name.Text).text, m.value(let.Value))
	}
	var args []string
	for _, in := range f.sig.Inputs {
		if _, visible := f.inputs[in.Name.Text]; visible && f.read[in.Name.Text] {
			args = append(args, latexName(in.Name.Text))
		}
	}
	fmt.Fprintf(&b, "%s(%s) &= %s\n\\end{align*}\n", latexName(f.name), strings.Join(args, ", "), m.value(s.result))
	return b.String(), nil
}
