package binpack

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"unicode/utf8"
)

// Load reads the instances of a file, as JSON or in OR-Library's text format, whichever the content is.
//
// JSON is {"instances": [{"id", "capacity", "items", "best_known"}]}, best_known optional, other keys ignored. The text
// format is the number of problems, then for each its identifier, its capacity, number of items and best known number of
// bins, and its items, all separated by white space. There sizes with decimals are allowed, and the sizes of such a problem
// are multiplied by the power of ten that makes them whole.
//
// The error joins everything that is wrong with the data, each a [*DataError].
func Load(path string) ([]Instance, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse is [Load] for data already read; the name is the one that errors show.
func Parse(name string, data []byte) ([]Instance, error) {
	s := &source{name: name, data: data, firstUse: map[string]int{}}
	switch text := bytes.TrimLeft(data, " \t\r\n"); {
	case len(text) == 0:
		s.errorf(0, "no data; expected JSON or OR-Library's bin packing format")
	case text[0] == '{':
		s.readJSON()
	case text[0] >= '0' && text[0] <= '9':
		s.readText()
	default:
		s.errorf(len(data)-len(text), "neither JSON, which begins with {, nor OR-Library's format, which begins with the number of problems")
	}
	if err := s.err(); err != nil {
		return nil, err
	}
	return s.instances, nil
}

// DataError is one thing wrong with a data file.
type DataError struct {
	File   string
	Line   int // 1-based
	Column int // 1-based, in code points
	Msg    string
}

// Error returns file:line:column: message.
func (e *DataError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// maxErrors is how many errors of one file are reported: a wrong file is often wrong in every line.
const maxErrors = 10

// source is a data file while it is read.
type source struct {
	name      string
	data      []byte
	instances []Instance
	firstUse  map[string]int // offset of the identifier
	errs      []error
	omitted   int
}

func (s *source) errorf(offset int, format string, args ...any) {
	if len(s.errs) == maxErrors {
		s.omitted++
		return
	}
	line, column := s.position(offset)
	s.errs = append(s.errs, &DataError{File: s.name, Line: line, Column: column, Msg: fmt.Sprintf(format, args...)})
}

func (s *source) err() error {
	if s.omitted > 0 {
		s.errs = append(s.errs, fmt.Errorf("%s: %d more errors", s.name, s.omitted))
	}
	return errors.Join(s.errs...)
}

// position returns the line and the column of a byte offset.
func (s *source) position(offset int) (line, column int) {
	before := s.data[:min(offset, len(s.data))]
	line = 1 + bytes.Count(before, []byte("\n"))
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// draft is an instance as read, with the offsets of its parts for errors about them.
type draft struct {
	id                                string
	capacity, bestKnown               int64 // bestKnown 0 when not given
	items                             []int64
	idAt, capacityAt, bestAt, itemsAt int
	itemAt                            []int
}

// admit checks a draft and keeps it as an instance.
func (s *source) admit(d draft) {
	if d.id == "" {
		s.errorf(d.idAt, "the instance has no id")
	} else if first, ok := s.firstUse[d.id]; ok {
		line, _ := s.position(first)
		s.errorf(d.idAt, "id %q is used twice, first in line %d", d.id, line)
	} else {
		s.firstUse[d.id] = d.idAt
	}
	in := Instance{ID: d.id, Capacity: int(d.capacity), BestKnown: int(d.bestKnown)}
	if d.capacity < 1 || d.capacity > MaxSize {
		s.errorf(d.capacityAt, "capacity %d of %q is not between 1 and %d", d.capacity, d.id, MaxSize)
		return
	}
	if n := len(d.items); n < 1 || n > MaxItems {
		s.errorf(d.itemsAt, "%q has %d items; expected 1 to %d", d.id, n, MaxItems)
		return
	}
	sound := true
	for i, size := range d.items {
		switch {
		case size < 1:
			s.errorf(d.itemAt[i], "item %d of %q has size %d; sizes are positive", i, d.id, size)
		case size > d.capacity:
			s.errorf(d.itemAt[i], "item %d of %q has size %d and fits no bin of capacity %d", i, d.id, size, d.capacity)
		default:
			in.Items = append(in.Items, int(size))
			continue
		}
		sound = false
	}
	if low := in.LowerBound(); sound && d.bestKnown != 0 && d.bestKnown < int64(low) {
		s.errorf(d.bestAt, "best known packing of %q has %d bins, but its items fill %d", d.id, d.bestKnown, low)
	}
	s.instances = append(s.instances, in)
}
