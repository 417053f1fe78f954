package fmath

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/bits.golden")

const (
	goldenFile   = "testdata/bits.golden"
	goldenPoints = 100000
)

// TestBits compares checksums of results with the golden file, which is the
// same for every machine and build:
//
//	GOAMD64=v1 go test ./dsl/fmath -run Bits
//	GOAMD64=v3 go test ./dsl/fmath -run Bits
//	GOARCH=386 go test ./dsl/fmath -run Bits (under qemu-i386: taskset -c 0)
//	GOARCH=arm64 go test ./dsl/fmath -run Bits -exec qemu-aarch64
//
// The accuracy tests say whether the results are right; this one only that they
// are the same. A deliberate change of a function or of the inputs rewrites the
// file with -update.
func TestBits(t *testing.T) {
	got := checksums()
	if *update {
		if err := os.WriteFile(goldenFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("results differ from %s (-golden +here):\n%s", goldenFile, d)
	}
}

// TestBitsWithoutFMA runs TestBits in a process that is told the processor
// lacks FMA and AVX2, on which package math changes its results.
func TestBitsWithoutFMA(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("only amd64 chooses by the processor's features at run time")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestBits$", "-test.v")
	cmd.Env = append(os.Environ(), "GODEBUG=cpu.fma=off,cpu.avx2=off")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestBits ") {
		t.Errorf("without FMA: %v\n%s", err, out)
	}
}

// checksums returns a line for each function: its name and FNV-1a over the bits
// of its results at the inputs of the accuracy test.
func checksums() string {
	var b strings.Builder
	for _, s := range append(subjects(), modSubject()) {
		h := fnv.New64a()
		rng := stream(100)
		for i := range goldenPoints {
			bits := math.Float64bits(s.f(s.regions[i%len(s.regions)](&rng)))
			h.Write([]byte{
				byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24),
				byte(bits >> 32), byte(bits >> 40), byte(bits >> 48), byte(bits >> 56),
			})
		}
		fmt.Fprintf(&b, "%s %016x\n", s.name, h.Sum64())
	}
	return b.String()
}

// modSubject has inputs only: Mod is compared exactly, in TestModIsExact.
func modSubject() subject {
	return subject{name: "Mod", f: Mod, regions: []func(*stream) (x, y float64){
		func(s *stream) (x, y float64) { return s.within(-100, 100), s.within(-10, 10) },
		func(s *stream) (x, y float64) {
			return s.sign(s.between(0x1p-1074, math.MaxFloat64)), s.sign(s.between(0x1p-1074, math.MaxFloat64))
		},
	}}
}
