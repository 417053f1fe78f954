package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentdescent/adrun/internal/atomicfile"
)

// Recorder keeps every reply of another Completer in a directory before it is used, a file each, written whole
// and renamed. A request that has a reply there is not asked again: what was paid for before a run was killed is
// there when it resumes. A failure is kept too, for a replay to repeat, and asked again.
type Recorder struct {
	Dir  string
	Next Completer
}

// Replayer answers from a directory that a Recorder has filled. A request that is not there is a
// *NotRecordedError.
type Replayer struct {
	Dir string
}

var (
	_ Completer = Recorder{}
	_ Completer = Replayer{}
)

// NotRecordedError says that a replay asked something that the recorded run did not.
type NotRecordedError struct {
	// Name is the file that the reply would be in, below the directory.
	Name string
}

func (e *NotRecordedError) Error() string {
	return fmt.Sprintf("no reply was recorded as %s: the spec, the seed, the data or the program is not that of the recorded run", e.Name)
}

// RecordError says that replies cannot be kept, or read: what is asked from then on would be paid for and lost.
type RecordError struct {
	Err error
}

func (e *RecordError) Error() string { return "the record of replies: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *RecordError) Unwrap() error { return e.Err }

// recordVersion is part of every key; it changes when requests are written otherwise.
const recordVersion = 1

// record is the content of a file. Either Reply or Error is set.
type record struct {
	Version int     `json:"version"`
	Request Request `json:"request"`
	Reply   *Reply  `json:"reply,omitempty"`
	Error   string  `json:"error,omitempty"`
}

// nameOf names the file of a request: by its model, temperature, thinking and everything else that is asked.
func nameOf(r Request) (string, error) {
	text, err := json.Marshal(record{Version: recordVersion, Request: r})
	if err != nil {
		return "", fmt.Errorf("naming a request: %w", err)
	}
	sum := sha256.Sum256(text)
	key := hex.EncodeToString(sum[:16])
	return filepath.Join(key[:2], key+".json"), nil
}

// load reads a record; ok is false when there is none.
func load(path string) (rec record, ok bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, false, nil
	}
	if err != nil {
		return record{}, false, err
	}
	if err := json.Unmarshal(text, &rec); err != nil || rec.Reply == nil && rec.Error == "" {
		return record{}, false, fmt.Errorf("%s holds no recorded reply: remove it", path)
	}
	return rec, true, nil
}

func save(path string, rec record) error {
	text, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, append(text, '\n'), 0o644)
}

// Complete returns the recorded reply, or asks and records.
func (c Recorder) Complete(ctx context.Context, r Request) (Reply, error) {
	name, err := nameOf(r)
	if err != nil {
		return Reply{}, err
	}
	path := filepath.Join(c.Dir, name)
	if rec, ok, err := load(path); err != nil {
		return Reply{}, &RecordError{err}
	} else if ok && rec.Reply != nil {
		return *rec.Reply, nil
	}
	reply, failure := c.Next.Complete(ctx, r)
	rec := record{Version: recordVersion, Request: r, Reply: &reply}
	switch {
	case failure != nil && ctx.Err() != nil:
		return Reply{}, failure // the run is being stopped; that is no answer of the server's
	case failure != nil:
		rec.Reply, rec.Error = nil, failure.Error()
	}
	if err := save(path, rec); err != nil {
		return Reply{}, &RecordError{err}
	}
	return reply, failure
}

// Complete returns the recorded reply or failure.
func (c Replayer) Complete(ctx context.Context, r Request) (Reply, error) {
	name, err := nameOf(r)
	if err != nil {
		return Reply{}, err
	}
	rec, ok, err := load(filepath.Join(c.Dir, name))
	switch {
	case err != nil:
		return Reply{}, &RecordError{err}
	case !ok:
		return Reply{}, &NotRecordedError{Name: filepath.ToSlash(name)}
	case rec.Reply == nil:
		return Reply{}, errors.New(rec.Error)
	}
	return *rec.Reply, ctx.Err()
}
