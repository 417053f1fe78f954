package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/agentdescent/adrun/internal/atomicfile"
)

// State is how a run is.
type State string

// The states. New was never begun, Running is being evolved by a process, Stopped ended before it was done
// and can be resumed: by its limit of time, a cancellation or an error; Killed ended without a word.
const (
	New     State = "new"
	Running State = "running"
	Done    State = "done"
	Stopped State = "stopped"
	Killed  State = "killed"
)

// Resumable reports whether a run in this state can go on.
func (s State) Resumable() bool { return s == New || s == Stopped || s == Killed }

// Status is what became of a run, as its last process wrote it down.
type Status struct {
	State State `json:"state"`
	// Stop is the engine's reason, Error what went wrong.
	Stop    string    `json:"stop,omitempty"`
	Error   string    `json:"error,omitempty"`
	PID     int       `json:"pid,omitempty"`
	Updated time.Time `json:"updated"`
}

// Status reads the status of the run; the lock, not the file, says whether it is running.
func (r *Run) Status() (Status, error) {
	for {
		before, err := r.written()
		if err != nil {
			return before, err
		}
		_, held, err := r.Holder()
		if err != nil {
			return before, err
		}
		st, err := r.written()
		if err != nil {
			return st, err
		}
		switch {
		case held:
			st.State = Running
			return st, nil
		case st != before: // a process began or ended in between
			continue
		case st.State == Running:
			st.State = Killed
		}
		return st, nil
	}
}

// written is the status as the file has it.
func (r *Run) written() (Status, error) {
	st := Status{State: New}
	err := readJSON(r.path("status.json"), &st)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return st, err
}

// SetStatus writes the status down.
func (r *Run) SetStatus(st Status) error { return writeJSON(r.path("status.json"), st) }

// RequestCancel asks the process that evolves the run to stop at the end of its round. CancelRequested says
// whether somebody did, and ClearCancel forgets it.
func (r *Run) RequestCancel() error { return os.WriteFile(r.path("cancel"), nil, 0o644) }

// CancelRequested is described at RequestCancel.
func (r *Run) CancelRequested() bool {
	_, err := os.Stat(r.path("cancel"))
	return err == nil
}

// ClearCancel is described at RequestCancel.
func (r *Run) ClearCancel() error {
	err := os.Remove(r.path("cancel"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Seal writes the hash of the ledger's file down; Unseal removes it before the file changes (ledger.Keeper).
// What is not folded into the file yet stands in the write-ahead log, which has checksums of its own.
func (r *Run) Seal(file io.Reader) error {
	sum, err := hash(file)
	if err != nil {
		return err
	}
	return atomicfile.Write(r.path("ledger.sha256"), []byte(sum+"\n"), 0o644)
}

// Unseal is described at Seal.
func (r *Run) Unseal() error {
	err := os.Remove(r.path("ledger.sha256"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// CheckSeal reports whether the ledger is sealed, and an error when it is not the file that was.
func (r *Run) CheckSeal() (sealed bool, err error) {
	want, err := os.ReadFile(r.path("ledger.sha256"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	f, err := os.Open(r.LedgerPath())
	if err != nil {
		return true, err
	}
	defer func() { _ = f.Close() }()
	got, err := hash(f)
	if err != nil {
		return true, err
	}
	if got != strings.TrimSpace(string(want)) {
		return true, fmt.Errorf("%s is not as its process left it: its SHA-256 is %s, ledger.sha256 says %s; "+
			"restore it from a copy, or remove ledger.sha256 to go on with what is there", r.LedgerPath(), got, strings.TrimSpace(string(want)))
	}
	return true, nil
}

// CheckUnbegun is an error of a run whose ledger holds nothing, though there was one: a run that has not begun
// is not done, and its ledger has no seal.
func (r *Run) CheckUnbegun() error {
	lost := func(how string) error {
		return fmt.Errorf("the ledger %s holds nothing, though the run %s: restore it from a copy", r.LedgerPath(), how)
	}
	st, err := r.Status()
	switch {
	case err != nil:
		return err
	case st.State == Done:
		return lost("is done")
	}
	if sealed, err := r.CheckSeal(); sealed && err != nil {
		return lost("has begun")
	}
	return nil
}

func hash(f io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
