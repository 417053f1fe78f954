package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// usage is what a process tree uses at a moment.
type usage struct {
	cpu       time.Duration // of the living and of everything that was waited for
	memory    int64         // resident bytes
	processes int
}

// broken names the first limit that the usage is over; calls are charged from the account on.
func (u usage) broken(l Limits, account time.Duration) FailureKind {
	switch {
	case l.CPU > 0 && u.cpu-account > l.CPU:
		return CPULimit
	case l.Memory > 0 && u.memory > l.Memory:
		return MemoryLimit
	case l.Processes > 0 && u.processes > l.Processes:
		return ProcessLimit
	}
	return ""
}

// measureTree measures the descendants of this process.
func measureTree() usage {
	var u usage
	var reaped unix.Rusage
	if unix.Getrusage(unix.RUSAGE_CHILDREN, &reaped) == nil {
		u.cpu = time.Duration(reaped.Utime.Nano() + reaped.Stime.Nano())
	}
	pending := childrenOf(os.Getpid())
	for len(pending) > 0 {
		pid := pending[len(pending)-1]
		pending = append(pending[:len(pending)-1], childrenOf(pid)...)
		u.add(pid)
	}
	return u
}

// add counts a process. The fields of stat are those of proc(5), counted behind the command's name, which may
// itself contain spaces and parentheses.
func (u *usage) add(pid int) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return // it has ended
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const first = 3 // the number of fields[0] in proc(5)
	field := func(n int) int64 {
		if n-first >= len(fields) {
			return 0
		}
		v, _ := strconv.ParseInt(string(fields[n-first]), 10, 64)
		return v
	}
	const tick = time.Second / 100 // USER_HZ is 100 on every architecture Go supports
	u.cpu += time.Duration(field(14)+field(15)+field(16)+field(17)) * tick
	u.memory += field(24) * int64(os.Getpagesize())
	u.processes++
}

// childrenOf lists the children of a process: of each of its threads, from the kernel's list where it keeps one,
// else from the parent field of every process.
func childrenOf(pid int) []int {
	base := filepath.Join("/proc", strconv.Itoa(pid), "task")
	var all []int
	for _, thread := range names(base) {
		list, err := os.ReadFile(filepath.Join(base, thread, "children"))
		if os.IsNotExist(err) && exists(filepath.Join(base, thread)) {
			return childrenByParent(pid)
		}
		for _, f := range bytes.Fields(list) {
			if child, err := strconv.Atoi(string(f)); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}

func childrenByParent(parent int) []int {
	var all []int
	for _, pid := range processes() {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil {
			continue
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(parent) {
			all = append(all, pid)
		}
	}
	return all
}

// processes lists the process ids that /proc shows.
func processes() []int {
	var all []int
	for _, name := range names("/proc") {
		if pid, err := strconv.Atoi(name); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

func names(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.Readdirnames(-1) // what could be read is used: processes come and go
	return list
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// marked lists the processes whose environment carries the token.
func marked(token string) []int {
	mark := []byte(tokenVariable + "=" + token + "\x00")
	var all []int
	for _, pid := range processes() {
		env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
		if err == nil && bytes.Contains(append(env, 0), mark) {
			all = append(all, pid)
		}
	}
	return all
}

// killMarked kills what carries the token of a tree whose supervisor is gone, and reports whether nothing is left.
// The dead leave /proc's environments at once, whoever reaps them.
func killMarked(token string) bool {
	for deadline := time.Now().Add(killGrace); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		left := marked(token)
		if len(left) == 0 {
			return true
		}
		for _, pid := range left {
			unix.Kill(pid, unix.SIGKILL)
		}
	}
	return false
}
