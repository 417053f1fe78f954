package command

import (
	"os"
	"strings"
	"sync"
)

// tail drains a pipe so that its writer never blocks, and keeps the last bytes.
type tail struct {
	pipe *os.File
	done chan struct{}

	mu   sync.Mutex
	last []byte
	most int
}

func newTail(pipe *os.File, most int) *tail {
	t := &tail{pipe: pipe, most: most, done: make(chan struct{})}
	go t.drain()
	return t
}

func (t *tail) drain() {
	defer close(t.done)
	buf := make([]byte, 1<<14)
	for {
		n, err := t.pipe.Read(buf)
		t.add(buf[:n])
		if err != nil {
			return
		}
	}
}

func (t *tail) add(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if over := len(t.last) + len(b) - t.most; over > 0 {
		drop := min(over, len(t.last))
		t.last = append(t.last[:0], t.last[drop:]...)
		b = b[over-drop:]
	}
	t.last = append(t.last, b...)
}

// close reads what is left in the pipe and ends the drain. The writers are gone, or are given up.
func (t *tail) close() {
	wait(t.done, politeGrace)
	t.pipe.Close()
	wait(t.done, politeGrace) // where closing a pipe does not end a read of it, the read ends with the writers
}

// String is what was kept, as valid UTF-8.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.last), "\uFFFD")
}
