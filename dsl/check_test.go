package dsl

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// host returns what a host brings to the checks of this package's tests.
func host(t testing.TB) ([]*Signature, CheckOptions) {
	t.Helper()
	src, err := os.ReadFile("testdata/check/host/host.rule")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse("host.rule", string(src))
	if err != nil {
		t.Fatal(err)
	}
	var sigs []*Signature
	var opts CheckOptions
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *Signature:
			sigs = append(sigs, d)
		case *Slot:
			opts.Slots = append(opts.Slots, d)
		}
	}
	if ds := Check(f, nil, CheckOptions{}).Diags; len(ds) > 0 {
		t.Fatalf("the host's own declarations: %v", ds)
	}
	return sigs, opts
}

func mustParse(t testing.TB, src string) *File {
	t.Helper()
	f, err := Parse("a.rule", src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return f
}

// signaturePattern finds the signature that a test file decides for, as --signature does.
var signaturePattern = regexp.MustCompile(`(?m)^# signature (\S+)$`)

var wantPattern = regexp.MustCompile(`# want (.*)$`)

// wants reads the expectations of a file: after "# want" one or more quoted patterns for the findings
// of that line, each matched against "message [code]".
func wants(t *testing.T, src string) map[int][]*regexp.Regexp {
	out := map[int][]*regexp.Regexp{}
	for i, line := range strings.Split(src, "\n") {
		m := wantPattern.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for rest := strings.TrimSpace(m[1]); rest != ""; rest = strings.TrimSpace(rest) {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				t.Fatalf("line %d: %q is not a quoted pattern", i+1, rest)
			}
			pattern, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatal(err)
			}
			out[i+1] = append(out[i+1], regexp.MustCompile(pattern))
			rest = rest[len(quoted):]
		}
	}
	return out
}

// TestCheckFiles checks every file of testdata/check. Every finding must be expected on its line, and every
// expectation met.
func TestCheckFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/check/*.rule")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	sigs, opts := host(t)
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".rule"), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := wants(t, string(src))
			opts := opts
			if m := signaturePattern.FindSubmatch(src); m != nil {
				opts.Signature = string(m[1])
			}
			for _, d := range Check(mustParse(t, string(src)), sigs, opts).Diags {
				text := fmt.Sprintf("%s [%s]", d.Message, d.Code)
				if !take(want, d.Start.Line, text) {
					t.Errorf("unexpected: %s", d.Render(string(src)))
				}
			}
			for line, left := range want {
				for _, p := range left {
					t.Errorf("line %d: nothing matches %q", line, p)
				}
			}
		})
	}
}

// take removes the first expectation of a line that matches text.
func take(want map[int][]*regexp.Regexp, line int, text string) bool {
	for i, p := range want[line] {
		if p.MatchString(text) {
			want[line] = append(want[line][:i:i], want[line][i+1:]...)
			return true
		}
	}
	return false
}
