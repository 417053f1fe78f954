package table

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/agentdescent/adrun/dsl"
)

// Options says how a file is read. The zero value reads the columns decision and payoff, and takes all others as inputs.
type Options struct {
	Decision string   // column of the decision; "" is "decision"
	Payoff   string   // column of the payoff; "" is "payoff"
	Ignore   []string // columns that are not inputs
	Comma    rune     // separates fields; 0 is ','
	Scale    Scale
	// Signature gives the inputs, and columns that it does not name are ignored: an input is the column of its name, or else the
	// first that a signature made from the data would name so. Inputs may then also be bool (true, false, 1, 0) and words.
	// nil makes a signature from the data, see SignatureText.
	Signature *dsl.Signature
	// Name is the qualified name of a signature that is made; "" is "table.priority".
	Name string
}

func (o Options) withDefaults() Options {
	if o.Decision == "" {
		o.Decision = "decision"
	}
	if o.Payoff == "" {
		o.Payoff = "payoff"
	}
	if o.Comma == 0 {
		o.Comma = ','
	}
	if o.Name == "" {
		o.Name = "table.priority"
	}
	return o
}

// DataError is one thing wrong with a file.
type DataError struct {
	File string
	Line int // 1-based
	Msg  string
}

// Error returns file:line: message.
func (e *DataError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// maxErrors is how many errors of one file are reported: a wrong file is often wrong in every line.
const maxErrors = 10

var errEnough = errors.New("further errors are not shown")

// Load reads a CSV file.
func Load(path string, o Options) (*Table, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Read(path, bytes.NewReader(data), o)
}

// Read reads CSV (RFC 4180) with a header line; name is what errors call it. Spaces around a cell do not count. Rows of a decision
// need not be adjacent. The error joins what is wrong with the data, each a [*DataError]: a missing or doubled column, a row
// of another length, a cell that is empty, not a number or not finite, a negative payoff under [Ratio], no rows at all.
func Read(name string, r io.Reader, o Options) (*Table, error) {
	o = o.withDefaults()
	if o.Scale != Ratio && o.Scale != Span {
		return nil, fmt.Errorf("table: scale is %q; expected %q or %q", o.Scale, Ratio, Span)
	}
	hash := sha256.New()
	data := bufio.NewReader(io.TeeReader(r, hash))
	if mark, _ := data.Peek(3); string(mark) == "\uFEFF" { // spreadsheets begin UTF-8 with a byte order mark
		_, _ = data.Discard(3)
	}
	rd := &reader{file: name, opts: o, csv: csv.NewReader(data), byID: map[string]int{}}
	rd.csv.Comma, rd.csv.FieldsPerRecord, rd.csv.ReuseRecord = o.Comma, -1, true
	t, err := rd.read()
	if err != nil {
		return nil, err
	}
	t.Scale = o.Scale
	fmt.Fprintf(hash, "\x00%q %q %q %q %q", o.Decision, o.Payoff, o.Ignore, o.Scale, dsl.FormatDecl(t.Signature))
	t.Fingerprint = hex.EncodeToString(hash.Sum(nil))
	return t, nil
}

type reader struct {
	file string
	opts Options
	csv  *csv.Reader
	errs []error

	header    []string
	decision  int // columns
	payoff    int
	inputs    []int // column of each input
	decisions []Decision
	byID      map[string]int
}

// errorf records a finding and reports whether it is worth going on.
func (r *reader) errorf(line int, format string, args ...any) bool {
	if len(r.errs) == maxErrors {
		r.errs = append(r.errs, errEnough)
	}
	if len(r.errs) > maxErrors {
		return false
	}
	r.errs = append(r.errs, &DataError{File: r.file, Line: line, Msg: fmt.Sprintf(format, args...)})
	return true
}

func (r *reader) read() (*Table, error) {
	if r.readHeader() {
		for r.readRow() {
		}
		if len(r.decisions) == 0 && len(r.errs) == 0 {
			r.errorf(1, "no rows below the header")
		}
	}
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...)
	}
	t := &Table{Signature: r.opts.Signature, Decisions: r.decisions, index: r.byID}
	if t.Signature == nil {
		var err error
		if t.Signature, err = r.makeSignature(); err != nil {
			return nil, err
		}
	}
	t.finish()
	return t, nil
}

// finish clamps the inputs and finds the extremes of each decision.
func (t *Table) finish() {
	for i := range t.Decisions {
		d := &t.Decisions[i]
		d.Best, d.Worst = math.Inf(-1), math.Inf(1)
		for _, row := range d.Rows {
			t.Clamped += t.Signature.Clamp(row.Inputs)
			d.Best, d.Worst = max(d.Best, row.Payoff), min(d.Worst, row.Payoff)
		}
	}
}

// readHeader finds the columns and reports whether the rows can be read.
func (r *reader) readHeader() bool {
	record, err := r.csv.Read()
	if err == io.EOF {
		return r.errorf(1, "empty file; expected a header line with the names of the columns") && false
	}
	if err != nil {
		return r.csvError(err) && false
	}
	line, _ := r.csv.FieldPos(0)
	seen := map[string]bool{}
	for i, column := range record {
		column = strings.TrimSpace(column)
		switch {
		case column == "":
			r.errorf(line, "column %d has no name", i+1)
		case seen[column]:
			r.errorf(line, "column %q appears twice", column)
		}
		seen[column] = true
		r.header = append(r.header, column)
	}
	r.decision = r.find(line, r.opts.Decision, "that names the decision of a row")
	r.payoff = r.find(line, r.opts.Payoff, "that holds the payoff of a row")
	if r.decision == r.payoff && r.decision >= 0 {
		r.errorf(line, "column %q cannot be both the decision and the payoff", r.opts.Payoff)
	}
	r.findInputs(line)
	return len(r.errs) == 0
}

func (r *reader) find(line int, column, purpose string) int {
	i := slices.Index(r.header, column)
	if i < 0 {
		r.errorf(line, "no column %q, %s; the columns are %s", column, purpose, strings.Join(shown(r.header), ", "))
	}
	return i
}

// shown are names as they are, and in quotes where a terminal could not show them: those of a file in UTF-16, say.
func shown(names []string) []string {
	names = slices.Clone(names)
	for i, name := range names {
		if !strconv.CanBackquote(name) {
			names[i] = strconv.Quote(name)
		}
	}
	return names
}

// findInput finds the column of that name, or the one whose input would have it.
func (r *reader) findInput(line int, name string) int {
	if i := slices.IndexFunc(r.header, func(column string) bool { return inputName(column) == name }); i >= 0 && !slices.Contains(r.header, name) {
		return i
	}
	return r.find(line, name, "an input of the signature")
}

func (r *reader) findInputs(line int) {
	for _, column := range r.opts.Ignore {
		r.find(line, column, "which is to be ignored")
	}
	if sig := r.opts.Signature; sig != nil {
		for _, in := range sig.Inputs {
			column := r.findInput(line, in.Name.Text)
			if column == r.payoff && column >= 0 {
				r.errorf(line, "the input %s is the payoff, which nobody knows before the choice; rename one", in.Name.Text)
			}
			r.inputs = append(r.inputs, column)
		}
		if sig.Result.Kind != dsl.NumKind {
			r.errorf(line, "the signature %s gives no number; a priority must", sig.DeclName())
		}
		return
	}
	for i, column := range r.header {
		if i != r.decision && i != r.payoff && !slices.Contains(r.opts.Ignore, column) {
			r.inputs = append(r.inputs, i)
		}
	}
	if len(r.inputs) == 0 {
		r.errorf(line, "no column is left for the inputs of a rule")
	}
}

// readRow reads a row and reports whether there may be another.
func (r *reader) readRow() bool {
	record, err := r.csv.Read()
	if err == io.EOF {
		return false
	}
	if err != nil {
		return r.csvError(err)
	}
	line, _ := r.csv.FieldPos(0)
	if len(record) != len(r.header) {
		return r.errorf(line, "%d cells where the header has %d columns", len(record), len(r.header))
	}
	row := Row{Line: line, Inputs: make([]float64, len(r.inputs))}
	more := true
	for i, column := range r.inputs {
		if row.Inputs[i], err = r.inputCell(i, record[column]); err != nil {
			more = r.cellError(line, column, err) && more
		}
	}
	if row.Payoff, err = number(record[r.payoff]); err == nil && row.Payoff < 0 && r.opts.Scale == Ratio {
		err = fmt.Errorf("%v is negative, and a share of the best payoff then means nothing; the scale %q takes payoffs of any sign", row.Payoff, Span)
	}
	if err != nil {
		more = r.cellError(line, r.payoff, err) && more
	}
	id := strings.TrimSpace(record[r.decision])
	if id == "" {
		return r.cellError(line, r.decision, errors.New("empty; every row belongs to a decision")) && more
	}
	r.add(id, row)
	return more
}

func (r *reader) add(id string, row Row) {
	i, ok := r.byID[id]
	if !ok {
		i = len(r.decisions)
		r.byID[id] = i
		r.decisions = append(r.decisions, Decision{ID: id})
	}
	r.decisions[i].Rows = append(r.decisions[i].Rows, row)
}

// csvError records an error of the CSV itself, after which nothing can be trusted.
func (r *reader) csvError(err error) bool {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		r.errorf(parse.Line, "column %d: %v", parse.Column, parse.Err)
	} else {
		r.errs = append(r.errs, fmt.Errorf("%s: %w", r.file, err))
	}
	return false
}

func (r *reader) cellError(line, column int, err error) bool {
	return r.errorf(line, "%s: %v", r.header[column], err)
}

// inputCell reads a cell as input i of the signature, or as a number when there is none yet.
func (r *reader) inputCell(i int, cell string) (float64, error) {
	if r.opts.Signature == nil {
		v, err := number(cell)
		if err != nil {
			err = fmt.Errorf("%w (a column that is not for the rule can be ignored)", err)
		}
		return v, err
	}
	in := r.opts.Signature.Inputs[i]
	cell = strings.TrimSpace(cell)
	switch in.Type.Kind {
	case dsl.WordKind:
		w := slices.Index(in.Type.Words, cell)
		if w < 0 {
			return 0, fmt.Errorf("%q is none of %s", cell, strings.Join(in.Type.Words, ", "))
		}
		return float64(w), nil
	case dsl.BoolKind:
		v, err := strconv.ParseBool(cell)
		if err != nil {
			return 0, fmt.Errorf("%q is neither true nor false", cell)
		}
		if v {
			return 1, nil
		}
		return 0, nil
	}
	v, err := number(cell)
	if err == nil && in.Int && v != math.Trunc(v) {
		err = fmt.Errorf("%v is not whole, and the signature says int", v)
	}
	return v, err
}

// number reads a finite number; there is no negative zero.
func number(cell string) (float64, error) {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return 0, errors.New("empty; expected a number")
	}
	v, err := strconv.ParseFloat(cell, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) && math.IsInf(v, 0), err == nil && (math.IsInf(v, 0) || math.IsNaN(v)):
		return 0, fmt.Errorf("%s is not finite", cell)
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%q is not a number", cell)
	case v == 0:
		return 0, nil
	}
	return v, nil
}
