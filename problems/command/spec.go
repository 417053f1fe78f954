package command

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Spec describes an evaluator. The zero value of every field but Command is useful.
type Spec struct {
	// Command is the program and its arguments. A program with a path separator is relative to Dir, one
	// without is looked up in PATH.
	Command []string
	// Dir is the working directory; "" is that of this process.
	Dir string
	// Env adds to the environment: "NAME" passes the variable of this process, "NAME=value" sets one. Without it the
	// evaluator sees only PATH, HOME, LANG, LC_ALL, TMPDIR, TZ (and on Windows what a process cannot start without), and
	// ADRUN_EVALUATOR, a token that marks its process tree.
	Env []string
	// Timeout is the wall time of a call, 10 s when 0.
	Timeout time.Duration
	// Startup is added to the first call of each process, for interpreters and imports; 10 s when 0, none when negative.
	Startup time.Duration
	// Workers is how many processes serve calls at once, 1 when 0.
	Workers int
	// Retries is how many fresh workers are asked after a failure that an earlier call may have caused (an exit, a line that
	// is not the reply) or that infrastructure caused; 1 when 0, none when negative. Timeouts, limits, refusals and bad scores are never retried.
	Retries int
	// MaxReply bounds a reply line in bytes, 1 MiB when 0.
	MaxReply int
	// MaxStderr is how many last bytes of stderr are kept, 8 KiB when 0.
	MaxStderr int
	Limits    Limits
}

// Limits bound an evaluator; 0 is no limit. Only Linux can enforce them. CPU, Memory and Processes concern
// the whole process tree and are sampled every 25 ms, so a tree overshoots by what it does in that time; the others are
// the kernel's resource limits of each process.
type Limits struct {
	CPU          time.Duration // CPU time a call, of all processes together; background work between calls counts for the call before
	Memory       int64         // resident bytes, of all processes together (pages that they share count more than once)
	Processes    int           // processes, the evaluator included
	AddressSpace int64         // bytes (RLIMIT_AS); Node, Go and Java reserve far more than they use and break under it
	FileSize     int64         // bytes of one written file (RLIMIT_FSIZE); more is SIGXFSZ or an error, as the program chooses
	OpenFiles    int           // (RLIMIT_NOFILE)
}

// withDefaults fills the fields whose zero value stands for a default.
func (s Spec) withDefaults() Spec {
	pick := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	pickInt := func(n *int, def int) {
		if *n == 0 {
			*n = def
		}
	}
	pick(&s.Timeout, 10*time.Second)
	pick(&s.Startup, 10*time.Second)
	s.Startup = max(s.Startup, 0)
	pickInt(&s.Workers, 1)
	pickInt(&s.Retries, 1)
	s.Retries = max(s.Retries, 0)
	pickInt(&s.MaxReply, 1<<20)
	pickInt(&s.MaxStderr, 8<<10)
	return s
}

// Validate reports everything that is wrong with the spec at once. It looks the program up, so that a misspelt
// name is found before a run and not in it.
func (s Spec) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if _, err := s.program(); err != nil {
		errs = append(errs, err)
	}
	if s.Dir != "" {
		if info, err := os.Stat(s.Dir); err != nil {
			bad("dir: %w", err)
		} else if !info.IsDir() {
			bad("dir: %s is not a directory", s.Dir)
		}
	}
	for _, e := range s.Env {
		if name, _, _ := strings.Cut(e, "="); name == "" || strings.ContainsRune(e, 0) {
			bad("env: %q is neither NAME nor NAME=value", e)
		}
	}
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"timeout", int64(s.Timeout)}, {"workers", int64(s.Workers)}, {"max reply", int64(s.MaxReply)}, {"max stderr", int64(s.MaxStderr)},
		{"limits: cpu", int64(s.Limits.CPU)}, {"limits: memory", s.Limits.Memory}, {"limits: processes", int64(s.Limits.Processes)},
		{"limits: address space", s.Limits.AddressSpace}, {"limits: file size", s.Limits.FileSize}, {"limits: open files", int64(s.Limits.OpenFiles)},
	} {
		if f.value < 0 {
			bad("%s is negative", f.name)
		}
	}
	if s.Limits != (Limits{}) && !enforcesLimits {
		bad("limits: this platform cannot enforce them; remove them or run on Linux")
	}
	return errors.Join(errs...)
}

// program resolves Command[0] to an absolute path.
func (s Spec) program() (string, error) {
	if len(s.Command) == 0 || s.Command[0] == "" {
		return "", errors.New("command: empty; name the program that scores a candidate")
	}
	for _, arg := range s.Command {
		if strings.ContainsRune(arg, 0) {
			return "", fmt.Errorf("command: %q contains a NUL byte", arg)
		}
	}
	name := s.Command[0]
	if filepath.Base(name) != name && !filepath.IsAbs(name) {
		abs, err := filepath.Abs(filepath.Join(s.Dir, name)) // else "./x" of this directory is looked for in PATH as "x"
		if err != nil {
			return "", fmt.Errorf("command: %w", err)
		}
		name = abs
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("command: %w", err)
	}
	return filepath.Abs(path)
}

// environ builds the evaluator's environment from the allow list, Env and the token of its process tree.
func (s Spec) environ(token string) []string {
	vars := map[string]string{}
	pass := func(name string) {
		if v, ok := os.LookupEnv(name); ok {
			vars[name] = v
		}
	}
	for _, name := range []string{"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ"} {
		pass(name)
	}
	for _, name := range platformVariables {
		pass(name)
	}
	for _, e := range s.Env {
		if name, value, set := strings.Cut(e, "="); set {
			vars[name] = value
		} else {
			pass(name)
		}
	}
	vars[tokenVariable] = token
	delete(vars, shimVariable)
	env := make([]string, 0, len(vars))
	for name, value := range vars {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

// Fingerprint identifies the evaluator for the keys of an evaluation cache: it changes with the command line, with the
// contents of every file that the command line names, and with Env. What those files import or read it cannot see.
func (s Spec) Fingerprint() (string, error) {
	h := sha256.New()
	text := func(t string) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(t))))
		io.WriteString(h, t)
	}
	for i, arg := range s.Command {
		text(arg)
		path := arg
		if i == 0 && filepath.Base(arg) == arg {
			continue // an interpreter of the system
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Dir, path)
		}
		sum, err := hashFile(path)
		if err != nil {
			return "", fmt.Errorf("fingerprint of the evaluator: %w", err)
		}
		text(sum)
	}
	for _, e := range s.Env {
		text(e)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hashFile hashes a regular file; an argument that names none hashes to "".
func hashFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return string(h.Sum(nil)), nil
}
