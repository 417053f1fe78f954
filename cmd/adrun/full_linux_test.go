package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAFullDisk evolves on a small disk with room for less and less of the run: each time the error says
// that there is no space, and the run goes on once there is.
func TestAFullDisk(t *testing.T) {
	base, small := t.TempDir(), crashes()[0]
	small.install(t, base)
	output(t, adrun(t, base, "evolve", "s.yaml"))
	for _, free := range []int64{4 << 10, 60 << 10, 140 << 10, 200 << 10} {
		dir := t.TempDir()
		small.install(t, dir)
		disk := filepath.Join(dir, ".adrun")
		if err := os.Mkdir(disk, 0o755); err != nil {
			t.Fatal(err)
		}
		err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=2m")
		if errors.Is(err, unix.EPERM) {
			t.Skip("mounting a small disk needs the right to mount")
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Unmount(disk, unix.MNT_DETACH) })
		ballast := filepath.Join(disk, "ballast")
		if err := os.WriteFile(ballast, make([]byte, 2<<20-free), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := adrun(t, dir, "evolve", "s.yaml")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Run(); err == nil {
			t.Fatalf("%d bytes were enough", free)
		}
		if text := stderr.String(); !strings.Contains(text, "no space left") {
			t.Errorf("%d bytes free: the error does not say what is wrong:\n%s", free, text)
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		if !exists(filepath.Join(disk, "runs", "small-1")) {
			continue // no space even for the spec: there is no run
		}
		output(t, adrun(t, dir, "resume", "latest"))
		sameEnd(t, "after a full disk", base, dir, filepath.Join("runs", "small-1"))
	}
}
