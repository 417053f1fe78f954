package dsl

import (
	"fmt"
	"sort"
	"strings"
)

// Severity tells a refusal from advice.
type Severity uint8

// A file with an Error is refused; a Warning is not a reason to.
const (
	Error Severity = iota
	Warning
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Edit replaces a range of the source by Text.
type Edit struct {
	Span
	Text string
}

// Fix is a repair that a machine may apply: a verb phrase and its edits, which do not overlap.
type Fix struct {
	Title string
	Edits []Edit
}

// Diagnostic is one finding about a source text.
type Diagnostic struct {
	// File is the name of the file, Line the text of the line it points at (for rendering).
	File string
	Span
	// Code is stable and fit for scripts ("undefined-name"); Message says what is wrong.
	Code    string
	Message string
	// Hint says what to do, "" if nothing is known. Fix is nil if no machine can repair it.
	Hint     string
	Fix      *Fix
	Severity Severity
}

// Error returns the one-line form: file:line:column: message [code].
func (d Diagnostic) Error() string {
	place := d.File
	if !d.IsZero() {
		place = fmt.Sprintf("%s:%d:%d", d.File, d.Start.Line, d.Start.Col)
	}
	if place != "" {
		place += ": "
	}
	return fmt.Sprintf("%s%s [%s]", escape(place), escape(d.Message), d.Code)
}

// Diagnostics is a list of findings.
type Diagnostics []Diagnostic

// DiagnosticsError carries a non-empty list as an error.
type DiagnosticsError struct {
	List Diagnostics
}

// Error returns the first finding and how many follow.
func (e *DiagnosticsError) Error() string {
	if len(e.List) == 1 {
		return e.List[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", e.List[0].Error(), len(e.List)-1)
}

// HasErrors reports whether any finding is an error rather than a warning.
func (ds Diagnostics) HasErrors() bool {
	for _, d := range ds {
		if d.Severity == Error {
			return true
		}
	}
	return false
}

// Err returns the errors of the list as a *DiagnosticsError, or nil when there is none.
func (ds Diagnostics) Err() error {
	var errs Diagnostics
	for _, d := range ds {
		if d.Severity == Error {
			errs = append(errs, d)
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return &DiagnosticsError{List: errs}
}

// Sort orders the list by place, then code.
func (ds Diagnostics) Sort() {
	sort.SliceStable(ds, func(i, j int) bool {
		a, b := ds[i], ds[j]
		if a.Start.Offset != b.Start.Offset {
			return a.Start.Offset < b.Start.Offset
		}
		return a.Code < b.Code
	})
}

// Render writes a finding for a person: the one-line form, the source line, a caret and the hint.
// Control characters of the source are escaped, so that a terminal shows what is there.
func (d Diagnostic) Render(source string) string {
	var b strings.Builder
	b.WriteString(d.Error())
	b.WriteByte('\n')
	if line, ok := sourceLine(source, d.Start); ok {
		num := fmt.Sprintf("%5d", d.Start.Line)
		prefix, marked := cutLine(line, d.Span)
		fmt.Fprintf(&b, "%s | %s\n", num, escape(line))
		fmt.Fprintf(&b, "%s | %s%s\n", strings.Repeat(" ", len(num)), strings.Repeat(" ", width(escape(prefix))), strings.Repeat("^", max(1, width(escape(marked)))))
	}
	if d.Hint != "" {
		fmt.Fprintf(&b, "  hint: %s\n", escape(d.Hint))
	}
	return b.String()
}

// maxLine bounds how much of a long line a rendering quotes.
const maxLine = 160

// sourceLine returns the line that pos is on, without its newline.
func sourceLine(source string, pos Pos) (string, bool) {
	if pos.Line == 0 || pos.Offset > len(source) {
		return "", false
	}
	start := strings.LastIndexByte(source[:pos.Offset], '\n') + 1
	end := len(source)
	if i := strings.IndexByte(source[start:], '\n'); i >= 0 {
		end = start + i
	}
	line := strings.TrimSuffix(source[start:end], "\r")
	if len(line) > maxLine {
		return "", false
	}
	return line, true
}

// cutLine splits off the part of line before the span and the part under it.
func cutLine(line string, s Span) (prefix, marked string) {
	runes := []rune(line)
	from := min(s.Start.Col-1, len(runes))
	to := len(runes)
	if s.End.Line == s.Start.Line {
		to = min(max(s.End.Col-1, from), len(runes))
	}
	return string(runes[:from]), string(runes[from:to])
}

func width(s string) int { return len([]rune(s)) }

// escape makes text safe to show on a terminal: control characters, bidirectional
// overrides and invalid UTF-8 become visible escapes; a tab becomes a space.
func escape(s string) string {
	clean := true
	for _, r := range s {
		if r < 0x20 || r == 0x7f || isForbidden(r) || r == 0xfffd {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\t':
			b.WriteByte(' ')
		case r == 0xfffd && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, "\\x%02x", s[i])
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, "\\x%02x", r)
		case isForbidden(r):
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isForbidden reports a character that may not stand in a source text: controls other than
// white space, and the bidirectional overrides that make text read otherwise than it runs.
func isForbidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return false
	case r < 0x20 || r == 0x7f || (r >= 0x80 && r < 0xa0):
		return true
	case r == 0x061c || r == 0x200e || r == 0x200f || (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069):
		return true
	case r == 0xfeff:
		return true
	}
	return false
}
