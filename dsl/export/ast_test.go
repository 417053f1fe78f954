package export

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// TestASTValues evaluates the JSON of all subjects with an evaluator that knows nothing but docs/export.md.
func TestASTValues(t *testing.T) {
	for _, s := range subjects(t) {
		text, err := AST(s.rule, s.sig)
		if err != nil {
			t.Fatalf("%s: %v", s.what, err)
		}
		var rule map[string]any
		if err := json.Unmarshal(text, &rule); err != nil {
			t.Fatalf("%s: %v", s.what, err)
		}
		_, vectors := prepare(t, s, plainNames{})
		for _, v := range vectors {
			names := map[string]any{}
			for i, in := range rule["inputs"].([]any) {
				switch input := s.sig.Inputs[i]; {
				case input.Type.Words != nil:
					names[in.(string)] = wordAt(input.Type, v.Args[i])
				case input.Type.String() == "bool":
					names[in.(string)] = v.Args[i] != 0
				default:
					names[in.(string)] = v.Args[i]
				}
			}
			got := run(rule["body"].([]any), names)
			var want any = v.Want
			switch {
			case s.sig.Result.Words != nil:
				want = wordAt(s.sig.Result, v.Want)
			case s.sig.Result.String() == "bool":
				want = v.Want != 0
			}
			if x, ok := got.(float64); ok && math.Float64bits(x) == math.Float64bits(v.Want) || got == want || x != x && v.Want != v.Want {
				continue
			}
			t.Fatalf("%s at %v: got %v, want %v\n%s\n%s", s.what, v.Args, got, want, formatted(s), text)
		}
	}
}

// run returns the value of the first return, nil if there is none.
func run(body []any, names map[string]any) any {
	for _, s := range body {
		s := s.(map[string]any)
		switch {
		case s["let"] != nil:
			names[s["let"].(string)] = value(s["value"], names)
		case s["set"] != nil:
			name, v := s["set"].(string), value(s["value"], names)
			if op := s["op"].(string); op != "=" {
				v = apply(op[:1], []any{names[name], v})
			}
			names[name] = v
		case s["return"] != nil:
			return value(s["return"], names)
		default:
			taken, _ := s["else"].([]any)
			for _, arm := range s["if"].([]any) {
				if arm := arm.(map[string]any); value(arm["cond"], names).(bool) {
					taken = arm["then"].([]any)
					break
				}
			}
			if v := run(taken, names); v != nil {
				return v
			}
		}
	}
	return nil
}

func value(e any, names map[string]any) any {
	switch e := e.(type) {
	case string:
		return names[e]
	case map[string]any:
		if w := e["word"]; w != nil {
			return w
		}
		list, _ := e["args"].([]any)
		args := make([]any, len(list))
		for i, a := range list {
			args[i] = value(a, names)
		}
		if n, ok := list[len(list)-1].(float64); ok && e["op"] == "**" && (n == 2 || n == 3) {
			x := args[0].(float64)
			if n == 3 {
				return float64(x*x) * x
			}
			return x * x
		}
		if fn, ok := e["call"].(string); ok {
			return apply(fn, args)
		}
		return apply(e["op"].(string), args)
	}
	return e
}

func apply(op string, args []any) any {
	switch op {
	case "==":
		return args[0] == args[1]
	case "!=":
		return args[0] != args[1]
	case "!":
		return !args[0].(bool)
	case "&&":
		return args[0].(bool) && args[1].(bool)
	case "||":
		return args[0].(bool) || args[1].(bool)
	case "?:":
		if args[0].(bool) {
			return args[1]
		}
		return args[2]
	}
	n := make([]float64, len(args))
	for i := range args {
		n[i] = args[i].(float64)
	}
	switch op {
	case "<":
		return n[0] < n[1]
	case "<=":
		return n[0] <= n[1]
	case ">":
		return n[0] > n[1]
	case ">=":
		return n[0] >= n[1]
	}
	return number(op, n)
}

func number(op string, n []float64) float64 {
	x, y := n[0], n[len(n)-1]
	switch op {
	case "+":
		return x + y
	case "-":
		if len(n) == 1 {
			return -x
		}
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	case "%":
		return fmath.Mod(x, y)
	case "**", "pow":
		return fmath.Pow(x, y)
	case "abs":
		return math.Abs(x)
	case "sqrt":
		return math.Sqrt(x)
	case "floor":
		return math.Floor(x)
	case "ceil":
		return math.Ceil(x)
	case "clamp":
		return min(max(x, n[1]), y)
	case "min", "max":
		for _, y := range n[1:] {
			if op == "min" {
				x = min(x, y)
			} else {
				x = max(x, y)
			}
		}
		return x
	}
	return portableValue(op, x, y)
}

func TestASTGolden(t *testing.T) {
	s := named(t, "features")
	text, err := AST(s.rule, s.sig)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	golden(t, "features.json.golden", b.String()+"\n")
}

func BenchmarkForms(b *testing.B) {
	s := readSubjects(b, "../testdata/bench/r2.rule", hostSignatures(b))[0]
	b.ReportAllocs()
	for b.Loop() {
		if _, err := AST(s.rule, s.sig); err != nil {
			b.Fatal(err)
		}
		if _, err := Source(Python, s.rule, s.sig); err != nil {
			b.Fatal(err)
		}
	}
}

// TestASTOfDocs compares the example of docs/export.md.
func TestASTOfDocs(t *testing.T) {
	docs, err := os.ReadFile("../../docs/export.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(docs), "```json\n{\"kind\"")
	example, _, _ = strings.Cut("{\"kind\""+example, "```")
	s := parseSubject(t, "signature demo.gap(item: int in [1, 1000], bin: int in [1, 1000]) -> num\n"+
		"rule gap(item, bin) {\nlet gap = bin - item\nreturn gap < 21 ? -gap : 0.5\n}")
	got, err := AST(s.rule, s.sig)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := json.Compact(&want, []byte(example)); err != nil {
		t.Fatal(err)
	}
	if want.String() != string(got) {
		t.Errorf("docs/export.md has\n%s\nthe rule is\n%s", want.String(), got)
	}
}
