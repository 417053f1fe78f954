package dsl_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/dsltest"
)

// The rest of a program, given the values of its parts, is the program; and a part reads nothing outside its group.
func TestFactorEqualsProgram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sig := dsltest.Signature(t)
		rule := dsltest.Rule(t, sig)
		program, err := dsl.Compile(rule, sig)
		if err != nil {
			t.Fatal(err)
		}
		groups := make([][]int, rapid.IntRange(1, 3).Draw(t, "groups"))
		for k := range groups {
			for i := range sig.Inputs {
				if rapid.IntRange(0, 3).Draw(t, "member") > 0 {
					groups[k] = append(groups[k], i)
				}
			}
		}
		parts, rest := program.Factor(groups...)
		if rest == nil {
			return
		}
		for _, part := range parts {
			for i := range sig.Inputs {
				if part.Program.Reads(i) && !slices.Contains(groups[part.Group], i) {
					t.Fatalf("a part of group %v reads input %d of\n%s", groups[part.Group], i, dsl.FormatRule(rule))
				}
			}
		}
		for range 20 {
			args := dsltest.Args(t, sig.Inputs)
			all := slices.Clone(args)
			for _, part := range parts {
				all = append(all, part.Program.Num(args))
			}
			got, want := rest.Num(all), program.Num(args)
			if math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("at %v the rest gives %v, the program %v, of\n%s", args, got, want, dsl.FormatRule(rule))
			}
		}
	})
}

func TestFactorFindsWhatIsWorthATable(t *testing.T) {
	const signature = "signature t.f(a: num in [0, 1], b: num in [0, 1], c: num in [0, 1]) -> num\n"
	tests := []struct {
		body  string
		parts []int // groups, of {a} and {b}
	}{
		{"exp(a) - exp(b) + c", []int{1, 0}},
		{"a * a * a * a + c", []int{0}},
		{"a * 2 + c", nil},          // two operations at most: as fast as a table
		{"a * b * c + exp(c)", nil}, // nothing of one group
		{"c > 0.5 ? exp(a) : exp(b)", []int{1, 0}},
		{"exp(exp(a) + a) + exp(a) * c", []int{0, 0}},
	}
	for _, tt := range tests {
		file, err := dsl.Parse("t", signature+"rule f { return "+tt.body+" }")
		if err != nil {
			t.Fatal(err)
		}
		program, err := dsl.Compile(file.Decls[1].(*dsl.Rule), file.Decls[0].(*dsl.Signature))
		if err != nil {
			t.Fatal(err)
		}
		parts, _ := program.Factor([]int{0}, []int{1})
		var groups []int
		for _, part := range parts {
			groups = append(groups, part.Group)
		}
		slices.Sort(groups)
		want := slices.Sorted(slices.Values(tt.parts))
		if !slices.Equal(groups, want) {
			t.Errorf("%s: parts of groups %v, want %v", tt.body, groups, want)
		}
	}
}
