package ledger

import (
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
	frame := 0
	for ; len(w.rest) >= w.frame(); frame++ {
		if !w.next() {
			break
		}
	}
	// What follows the last good frame may be the remains of an earlier log, with earlier salts, and a frame
	// that was being written over the first of them.
	more := len(w.rest) / w.frame()
	for n := range more {
		f := w.rest[n*w.frame():]
		salt := [2]uint32{binary.BigEndian.Uint32(f[8:]), binary.BigEndian.Uint32(f[12:])}
		ago := w.salt[0] - salt[0] // the first salt counts the logs, the second is random
		remains := ago >= 1 && ago <= w.generation && salt[1] != w.salt[1]
		unfinished := n == 0 && more > 1 && w.generation > 0 && salt == w.salt
		if !remains && !unfinished {
			return damaged("frame %d of %d is wrong", frame+n, frame+more)
		}
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
	whole      bool
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

func (w *walReader) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		w.sum[0] += w.order.Uint32(b) + w.sum[1]
		w.sum[1] += w.order.Uint32(b[4:]) + w.sum[0]
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
	return true
}
