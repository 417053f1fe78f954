// Package ci tests scripts of CI whose mistakes would show as nothing but a step that passes.
package ci

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// standIns take the place of what .ci/emulate installs, builds and boots. The machine that it boots prints $SAYS.
var standIns = map[string]string{
	"apt-get":             `[ "$1" != download ] || : >"$2.deb"`,
	"apt-cache":           `echo '  Depends: linux-image-some'`,
	"dpkg":                `mkdir -p "$3/boot" && : >"$3/boot/vmlinuz-some"`,
	"go":                  `while [ $# -gt 0 ]; do [ "$1" != -o ] || { mkdir -p "$(dirname "$2")" && : >"$2"; }; shift; done`,
	"git":                 `tar -c -T /dev/null`,
	"cpio":                `cat`,
	"busybox":             `exit 1`,
	"qemu-system-x86_64":  `printf '%s' "$SAYS"`,
	"qemu-aarch64-static": `exit 1`,
}

// TestEmulateNeedsEveryPackage: the emulated machine is only believed where it says of each package that its tests passed.
func TestEmulateNeedsEveryPackage(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed") // what CI itself runs in
	}
	script := filepath.Join("..", "..", ".ci", "emulate")
	if _, err := os.ReadFile(script); err != nil { // read here, it is among what makes a cached result stale
		t.Fatal(err)
	}
	bin := t.TempDir()
	for name, body := range standIns {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const all = "[    0.5] Run /init as init process\r\nok 386 dsl\r\nok 386 dsl/internal/machine\r\n[    9.1] clock skew ok 386 dsl/fmath\r\nok 386 gate\r\n"
	for _, tt := range []struct{ name, says, want string }{
		{"all pass", all, ""},
		{"nothing", "", "386: dsl failed"},
		{"a kernel that does not boot", "Kernel panic - not syncing\r\n", "386: dsl failed"},
		{"one is missing", strings.Replace(all, "ok 386 dsl\r\n", "", 1), "386: dsl failed"},
		{"ends in the middle", all[:strings.Index(all, "ok 386 gate")], "386: gate failed"},
		{"a line cut off", strings.TrimSuffix(all, "te\r\n"), "386: gate failed"},
		{"one fails", strings.Replace(all, "ok 386 dsl/fmath", "FAIL 386 dsl/fmath", 1), "386: dsl/fmath failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command(bash, script)
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "TMPDIR="+t.TempDir(), "SAYS="+tt.says)
			out, err := cmd.CombinedOutput()
			if passed := tt.want == ""; passed != (err == nil) || !strings.Contains(string(out), tt.want) {
				t.Errorf("it ended with %v and said\n%s", err, out)
			}
		})
	}
}
