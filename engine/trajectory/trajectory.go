// Package trajectory keeps what the rollouts of a run showed: a line a lease, in JSONL segments.
//
//	w, err := trajectory.Open(dir)
//	…
//	config.Observe.Events.Lease = func(e engine.LeaseEvent) { … w.Append(e) … }
//
// A line is {"crc":"…","body":{…}} with the CRC-32C of the body's bytes in hexadecimal, so that any JSON tool
// reads it. Opening a directory for writing cuts a last line that a dying process left torn; damage
// anywhere else is refused with its file and line. Lines reach the operating system at once and the disk at
// the end of a segment and of the run: a killed process loses none, a power failure may lose some. They are
// a record to look at; the ledger alone is what a resume reads.
package trajectory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/agentdescent/adrun/engine"
)

// Record is one lease: what the ledger has of it, and the whole outcome of its rollout. The outcome is nil
// when the line was written from the ledger's record, after the original was lost.
type Record struct {
	Lease   engine.LeaseRecord `json:"lease"`
	Outcome *engine.Outcome    `json:"outcome,omitempty"`
}

// line is a line of a segment.
type line struct {
	CRC  string          `json:"crc"`
	Body json.RawMessage `json:"body"`
}

// segmentSize is the size at which a new segment begins.
const segmentSize = 16 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(body []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(body, castagnoli)) }

// DamageError says which line is not as it was written.
type DamageError struct {
	File string
	Line int // from 1
	What string
	// Torn says that the line is the last of all: part of a line, as a killed process leaves it.
	Torn bool
}

func (e *DamageError) Error() string {
	if e.Torn {
		return fmt.Sprintf("%s:%d: the last line is torn: resuming the run cuts it", e.File, e.Line)
	}
	return fmt.Sprintf("%s:%d: %s: restore the file from a copy, or move it away to go on without its trajectories",
		e.File, e.Line, e.What)
}

// Writer appends to the segments of a directory. Use Open. It is for one goroutine.
type Writer struct {
	dir    string
	number int // of the segment
	file   *os.File
	size   int64
	known  map[int]string // sum of the last line of each lease
}

// Open opens the directory, which it makes, and cuts a torn last line.
func Open(dir string) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, number: 1, known: map[int]string{}}
	names, err := segments(dir)
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		w.number = len(names)
	}
	end, err := scan(dir, names, func(r Record, crc string) error {
		w.known[r.Lease.Lease] = crc
		return nil
	})
	var damage *DamageError
	if errors.As(err, &damage) && damage.Torn {
		err = os.Truncate(damage.File, end)
	}
	if err != nil {
		return nil, err
	}
	return w, w.start()
}

// start opens the current segment.
func (w *Writer) start() (err error) {
	name := filepath.Join(w.dir, segmentName(w.number))
	if w.file, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
		return err
	}
	info, err := w.file.Stat()
	if err != nil {
		return err
	}
	w.size = info.Size()
	return nil
}

func segmentName(n int) string { return fmt.Sprintf("%06d.jsonl", n) }

// Append writes a lease. One that is written already, as a resume tells it again, is left out; should it
// have been made again and come out differently, its last line counts.
func (w *Writer) Append(e engine.LeaseEvent) error {
	r := Record{Lease: e.Record}
	last, known := w.known[e.Record.Lease]
	if !e.Replayed {
		r.Outcome = &e.Outcome
	} else if known {
		return nil
	}
	body, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("writing the trajectory of lease %d: %w", e.Record.Lease, err)
	}
	crc := sum(body)
	if known && last == crc {
		return nil
	}
	if w.size >= segmentSize {
		if err := w.Close(); err != nil {
			return err
		}
		w.number++
		if err := w.start(); err != nil {
			return err
		}
	}
	text := append(append([]byte(`{"crc":"`+crc+`","body":`), body...), '}', '\n')
	n, err := w.file.Write(text)
	if err != nil {
		// Half a line would damage what follows it.
		_ = w.file.Truncate(w.size)
		return fmt.Errorf("writing the trajectory of lease %d: %w", e.Record.Lease, err)
	}
	w.size += int64(n)
	w.known[e.Record.Lease] = crc
	return nil
}

// Close flushes and closes the segment.
func (w *Writer) Close() error { return errors.Join(w.file.Sync(), w.file.Close()) }

// Read calls each for every lease that the directory holds, in the order of writing; a lease may come
// again, and its last record counts. A torn last line is a *DamageError with Torn, after everything else
// was read.
func Read(dir string, each func(Record) error) error {
	names, err := segments(dir)
	if err != nil {
		return err
	}
	_, err = scan(dir, names, func(r Record, _ string) error { return each(r) })
	return err
}

// segments lists the files of a directory, which are numbered without a gap.
func segments(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".jsonl" {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	for i, name := range names {
		if want := segmentName(i + 1); name != want {
			return nil, fmt.Errorf("%s: the segment %s is missing before %s: restore it from a copy, or move the later ones away", dir, want, name)
		}
	}
	return names, nil
}

// scan reads segments. end is where the last segment's good lines end.
func scan(dir string, names []string, each func(r Record, crc string) error) (end int64, err error) {
	for i, name := range names {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		end = 0
		for n := 1; len(text) > 0; n++ {
			row, rest, complete := bytes.Cut(text, []byte("\n"))
			r, crc, what := decode(row)
			if !complete && what == "" {
				what = "the line has no end"
			}
			if what != "" {
				torn := !complete && i == len(names)-1
				return end, &DamageError{File: path, Line: n, What: what, Torn: torn}
			}
			if err := each(r, crc); err != nil {
				return end, err
			}
			end += int64(len(row)) + 1
			text = rest
		}
	}
	return end, nil
}

// decode reads a line; what says what is wrong with it.
func decode(row []byte) (r Record, crc, what string) {
	var l line
	if err := json.Unmarshal(row, &l); err != nil {
		return r, "", "the line is no JSON object (" + err.Error() + ")"
	}
	// The line must be what Append writes, byte for byte, so that the sum covers all of it.
	if want := `{"crc":` + strconv.Quote(l.CRC) + `,"body":` + string(l.Body) + `}`; want != string(row) {
		return r, "", "the line is not as it was written"
	}
	if got := sum(l.Body); got != l.CRC {
		return r, "", "the checksum is " + got + ", the line says " + l.CRC
	}
	if err := json.Unmarshal(l.Body, &r); err != nil {
		return r, "", err.Error()
	}
	return r, l.CRC, ""
}
