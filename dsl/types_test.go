package dsl

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// typedSignature has an input of every type and two word sets, one of which two inputs and the result share.
func typedSignature() *Signature {
	colours := Type{Kind: WordKind, Words: []string{"red", "green", "blue"}}
	ways := Type{Kind: WordKind, Words: []string{"left", "right"}}
	input := func(name string, t Type) *Input {
		return &Input{Name: Ident{Text: name}, Type: t, Hi: 1}
	}
	return &Signature{
		Name: Ident{Text: "t.r"},
		Inputs: []*Input{
			input("x", NumType), input("y", NumType), input("b", BoolType), input("c", colours), input("d", Type{Kind: WordKind, Words: []string{"blue", "red", "green"}}), input("w", ways),
		},
		Result: colours,
	}
}

// atoms are the leaves of each type.
var atoms = map[string][]string{"num": {"x", "y", "1"}, "bool": {"b", "true"}, "colour": {"c", "d", "red", "blue"}, "way": {"w", "left"}}

var typeNames = []string{"num", "bool", "colour", "way"}

// genExpr draws an expression meant to have a type; now and then a part of it has another.
func genExpr(t *rapid.T, want string, depth int, locals map[string]string) Expr {
	if rapid.IntRange(0, 30).Draw(t, "wrong") == 0 {
		want = rapid.SampledFrom(typeNames).Draw(t, "type")
	}
	part := func(want string) Expr { return genExpr(t, want, depth-1, locals) }
	if depth == 0 || rapid.IntRange(0, 4).Draw(t, "leaf") == 0 {
		return genAtom(t, want, locals)
	}
	if rapid.IntRange(0, 4).Draw(t, "conditional") == 0 {
		return &Cond{If: part("bool"), Then: part(want), Else: part(want)}
	}
	switch want {
	case "num":
		switch rapid.IntRange(0, 3).Draw(t, "num") {
		case 0:
			return &Unary{Op: rapid.SampledFrom([]Op{Neg, Plus}).Draw(t, "sign"), X: part("num")}
		case 1:
			name := rapid.SampledFrom(FunctionNames()).Draw(t, "fn")
			n := functions[name].min + rapid.SampledFrom([]int{0, 0, 0, 0, 0, 0, 0, 1, -1}).Draw(t, "more")
			call := &Call{Fn: Ident{Text: name}}
			for range n {
				call.Args = append(call.Args, part("num"))
			}
			return call
		}
		return &Binary{Op: rapid.SampledFrom([]Op{Add, Sub, Mul, Div, Mod, Pow}).Draw(t, "op"), X: part("num"), Y: part("num")}
	case "bool":
		switch rapid.IntRange(0, 3).Draw(t, "bool") {
		case 0:
			return &Unary{Op: Not, X: part("bool")}
		case 1:
			return &Binary{Op: rapid.SampledFrom([]Op{And, Or}).Draw(t, "op"), X: part("bool"), Y: part("bool")}
		case 2:
			of := rapid.SampledFrom(typeNames).Draw(t, "of")
			return &Binary{Op: rapid.SampledFrom([]Op{Eq, Ne}).Draw(t, "op"), X: part(of), Y: part(of)}
		}
		return &Binary{Op: rapid.SampledFrom([]Op{Lt, Le, Gt, Ge}).Draw(t, "op"), X: part("num"), Y: part("num")}
	}
	return genAtom(t, want, locals)
}

func genAtom(t *rapid.T, want string, locals map[string]string) Expr {
	names := append([]string{}, atoms[want]...)
	for i := range len(locals) {
		if name := fmt.Sprintf("l%d", i); locals[name] == want {
			names = append(names, name)
		}
	}
	switch name := rapid.SampledFrom(names).Draw(t, "name"); name {
	case "1":
		return &Num{Value: 1}
	case "true":
		return &Bool{Value: true}
	default:
		return &Ref{Name: name}
	}
}

// genRule draws a rule of lets, assignments and ifs; its locals stay in one block.
func genRule(t *rapid.T) *Rule {
	locals := map[string]string{}
	b := &Block{}
	expr := func(want string) Expr { return genExpr(t, want, rapid.IntRange(0, 3).Draw(t, "depth"), locals) }
	for range rapid.IntRange(0, 3).Draw(t, "lets") {
		of := rapid.SampledFrom(typeNames).Draw(t, "of")
		name := fmt.Sprintf("l%d", len(locals))
		b.Stmts = append(b.Stmts, &Let{Name: Ident{Text: name}, Value: expr(of)})
		locals[name] = of
		op := rapid.SampledFrom([]AssignOp{Set, Set, AddSet}).Draw(t, "op")
		if of == "num" || op == Set {
			b.Stmts = append(b.Stmts, &Assign{Name: Ident{Text: name}, Op: op, Value: expr(of)})
		}
	}
	b.Stmts = append(b.Stmts,
		&If{Arms: []*Arm{{Cond: expr("bool"), Body: &Block{Stmts: []Stmt{&Return{Value: expr("colour")}}}}}},
		&Return{Value: expr("colour")})
	return &Rule{Name: Ident{Text: "r"}, Body: b}
}

// wellTyped is the reference: section 4 of the language, said once more.
func wellTyped(r *Rule) bool {
	locals := map[string]string{}
	expect := func(e Expr, want string) bool { return typeOfExpr(e, locals) == want }
	for _, s := range r.Body.Stmts {
		ok := true
		switch s := s.(type) {
		case *Let:
			locals[s.Name.Text] = typeOfExpr(s.Value, locals)
			ok = locals[s.Name.Text] != ""
		case *Assign:
			ok = expect(s.Value, locals[s.Name.Text]) && (s.Op == Set || locals[s.Name.Text] == "num")
		case *Return:
			ok = expect(s.Value, "colour")
		case *If:
			ok = expect(s.Arms[0].Cond, "bool") && expect(s.Arms[0].Body.Stmts[0].(*Return).Value, "colour")
		}
		if !ok {
			return false
		}
	}
	return true
}

// typeOfExpr is the type of an expression, "" if it has none.
func typeOfExpr(e Expr, locals map[string]string) string {
	of := func(e Expr) string { return typeOfExpr(e, locals) }
	all := func(want string, es ...Expr) bool {
		for _, e := range es {
			if of(e) != want {
				return false
			}
		}
		return true
	}
	when := func(ok bool, t string) string {
		if ok {
			return t
		}
		return ""
	}
	switch e := e.(type) {
	case *Num:
		return "num"
	case *Bool:
		return "bool"
	case *Ref:
		for t, names := range atoms {
			for _, n := range names {
				if n == e.Name {
					return t
				}
			}
		}
		return locals[e.Name]
	case *Unary:
		if e.Op == Not {
			return when(all("bool", e.X), "bool")
		}
		return when(all("num", e.X), "num")
	case *Cond:
		then := of(e.Then)
		return when(all("bool", e.If) && of(e.Else) == then, then)
	case *Call:
		n := len(e.Args)
		fits := n == 1
		switch e.Fn.Text {
		case "clamp":
			fits = n == 3
		case "pow":
			fits = n == 2
		case "min", "max":
			fits = n >= 2
		}
		return when(fits && all("num", e.Args...), "num")
	}
	b := e.(*Binary)
	switch b.Op {
	case And, Or:
		return when(all("bool", b.X, b.Y), "bool")
	case Eq, Ne:
		return when(of(b.X) != "" && of(b.X) == of(b.Y), "bool")
	case Lt, Le, Gt, Ge:
		return when(all("num", b.X, b.Y), "bool")
	}
	return when(all("num", b.X, b.Y), "num")
}

// TestCheckersAgree holds CEL's verdict, expr's and the reference's equal on random rules, well typed and ill.
func TestCheckersAgree(t *testing.T) {
	c := NewChecker(typedSignature(), Limits{Nodes: 10_000}, nil)
	good, bad := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r := genRule(t)
		want := wellTyped(r)
		if want {
			good++
		} else {
			bad++
		}
		text := c.Text(r)
		if got := !text.HasErrors(); got != want {
			t.Fatalf("CEL: %v, reference: %v\n%s%v", got, want, FormatRule(r), text)
		}
		err := c.AST(r)
		if got := err == nil; got != want {
			t.Fatalf("expr: %v, reference: %v\n%s%v", got, want, FormatRule(r), err)
		}
	})
	if good == 0 || bad == 0 {
		t.Errorf("%d well typed rules and %d ill typed: one sort was never drawn", good, bad)
	}
}

// TestOneMistakeIsOneFinding puts one wrong leaf into well typed rules: however deep it lies, it is one error,
// and the type of what surrounds it does not matter.
func TestOneMistakeIsOneFinding(t *testing.T) {
	c := NewChecker(typedSignature(), Limits{}, nil)
	for e, want := range map[string]int{
		"b + 1": 1, "sqrt(b + 1) * 2 > 3 ? x : y": 1, "min(x, y, b, 1) + max(1, 2)": 1, "-(x + b) ** 2": 1, "nope + 1": 1,
		"sqrt(nope) > 1 ? nope2() : 1": 2,
	} {
		expr, err := ParseExpr("e", e)
		if err != nil {
			t.Fatal(err)
		}
		r := &Rule{Name: Ident{Text: "r"}, Body: &Block{Stmts: []Stmt{&Let{Name: Ident{Text: "l"}, Value: expr}, &Return{Value: &Cond{If: &Binary{Op: Gt, X: ref("l"), Y: num(1)}, Then: ref("c"), Else: ref("red")}}}}}
		if ds := c.Text(r); len(ds) != want {
			t.Errorf("%s: %d findings, want %d: %v", e, len(ds), want, ds)
		}
	}
}

// TestCheckerIsShared checks from several goroutines with one Checker; the race detector watches.
func TestCheckerIsShared(t *testing.T) {
	c := NewChecker(typedSignature(), Limits{}, nil)
	good := mustParse(t, "rule r { let l = min(x, y, 2) > 1 && c == d ? -x : exp(y) return l > 0 ? red : w == left ? c : d }").Decls[0].(*Rule)
	bad := mustParse(t, "rule r { return x > 0 ? red : left }").Decls[0].(*Rule)
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			for range 20 {
				if err := errors.Join(c.AST(good), c.Text(good).Err()); err != nil {
					errs[i] = err
				}
				if c.AST(bad) == nil || len(c.Text(bad)) != 1 {
					errs[i] = errors.New("the ill typed rule was accepted")
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

func TestFunctionNames(t *testing.T) {
	want := []string{"abs", "ceil", "clamp", "exp", "floor", "log", "log1p", "max", "min", "pow", "sqrt", "tanh"}
	if diff := cmp.Diff(want, FunctionNames()); diff != "" {
		t.Error(diff)
	}
}
