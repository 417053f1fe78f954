package ledger

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// The layout of a write-ahead log: https://www.sqlite.org/fileformat2.html#walformat.
const (
	walHeader   = 32
	frameHeader = 24
	walMagic    = 0x377f0682 // the lowest bit says that checksums read big-endian words
)

// CheckLog looks for damage in the write-ahead log of a ledger that nobody has open. SQLite takes the first frame that is not right for the
// end of the log, so that a flipped byte would silently undo what was acknowledged after it. A log that
// ends in part of a frame is what a killed process leaves, and no damage.
//
// Where a reader kept a log from being cut when it was folded, the next one starts anew over its remains. SQLite cuts these off before
// the first commit to the new log is acknowledged. So a process that is killed may leave remains of an earlier log, with earlier
// salts, and until that commit a torn frame before them or, where the last of them is overwritten, before their mark.
func CheckLog(path string) error {
	log, err := os.ReadFile(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(log) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the write-ahead log: %w", err)
	}
	damaged := func(format string, args ...any) error {
		return &DamageError{Path: path, List: []string{"write-ahead log: " + fmt.Sprintf(format, args...)}}
	}
	if len(log) < walHeader {
		return nil
	}
	w := newWalReader(log)
	if !w.whole {
		return damaged("its header is wrong")
	}
	w.walk()
	if n, ok := w.wrong(); ok {
		return damaged("frame %d of %d is wrong", n, w.frames+len(w.rest)/w.frame())
	}
	return nil
}

// walReader follows the cumulative checksum of a log.
type walReader struct {
	order      binary.ByteOrder
	page       int
	generation uint32    // how often the log has started anew
	salt       [2]uint32 // of this generation; the first word counts
	sum        [2]uint32
	rest       []byte
	whole      bool // the header is right
	frames     int  // that were stepped over
	committed  int  // of them, up to the end of the last transaction
}

func newWalReader(log []byte) *walReader {
	be := binary.BigEndian
	w := &walReader{
		order: binary.LittleEndian, page: int(be.Uint32(log[8:])), generation: be.Uint32(log[12:]),
		salt: [2]uint32{be.Uint32(log[16:]), be.Uint32(log[20:])}, rest: log[walHeader:],
	}
	if be.Uint32(log)&1 != 0 {
		w.order = be
	}
	w.add(log[:24])
	w.whole = be.Uint32(log)&^1 == walMagic && w.page >= 512 && w.page <= 65536 &&
		w.sum == [2]uint32{be.Uint32(log[24:]), be.Uint32(log[28:])}
	return w
}

func (w *walReader) frame() int { return frameHeader + w.page }

// logMark is what stands behind the frames of an old log with that first salt. No frame begins like that: there is no page 0.
func logMark(salt uint32) []byte { return binary.BigEndian.AppendUint32(make([]byte, 4), salt) }

// endLog puts an end to the log: what a transaction without a commit left would stand behind frames of the same log
// that are written over its beginning, and remains need their mark. Damage stays where it is, to be found.
// Nobody writes the log meanwhile, and readers look at what is committed.
func (s *Store) endLog() (err error) {
	tx, err := s.db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	path := s.path + "-wal"
	log, err := os.ReadFile(path)
	if err != nil || len(log) < walHeader {
		return err // it was cut, and is empty
	}
	w := newWalReader(log)
	if !w.whole {
		return nil
	}
	w.walk()
	if _, damaged := w.wrong(); damaged {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	end := int64(walHeader + w.committed*w.frame())
	if err := f.Truncate(end); err != nil {
		return err
	}
	_, err = f.WriteAt(logMark(w.salt[0]), end)
	return err
}

// earlier reports whether a frame is of an earlier log: the first salt counts the logs, the second is random.
func (w *walReader) earlier(f []byte) bool {
	ago := w.salt[0] - binary.BigEndian.Uint32(f[8:])
	return ago >= 1 && ago <= w.generation && w.salt[1] != binary.BigEndian.Uint32(f[12:])
}

func (w *walReader) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		w.sum[0] += w.order.Uint32(b) + w.sum[1]
		w.sum[1] += w.order.Uint32(b[4:]) + w.sum[0]
	}
}

// wrong is the first frame behind those that are right that a killed process does not leave.
func (w *walReader) wrong() (frame int, ok bool) {
	more := len(w.rest) / w.frame()
	over := more > 1 || bytes.HasPrefix(w.rest[more*w.frame():], logMark(w.salt[0]-1))
	for n := range more {
		torn := n == 0 && over && w.committed == 0
		if !torn && !w.earlier(w.rest[n*w.frame():]) {
			return w.frames + n, true
		}
	}
	return 0, false
}

// walk steps over the frames that are right.
func (w *walReader) walk() {
	for len(w.rest) >= w.frame() && w.next() {
		continue
	}
}

// next steps over a frame, if it is right.
func (w *walReader) next() bool {
	f, be, before := w.rest[:w.frame()], binary.BigEndian, w.sum
	w.add(f[:8])
	w.add(f[frameHeader:])
	if w.salt != [2]uint32{be.Uint32(f[8:]), be.Uint32(f[12:])} || w.sum != [2]uint32{be.Uint32(f[16:]), be.Uint32(f[20:])} {
		w.sum = before
		return false
	}
	w.rest = w.rest[w.frame():]
	w.frames++
	if be.Uint32(f[4:]) != 0 { // the size of the file after a commit
		w.committed = w.frames
	}
	return true
}
