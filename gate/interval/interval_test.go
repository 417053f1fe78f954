package interval

import (
	"math"
	"testing"

	"github.com/agentdescent/adrun/dsl/fmath"
	"pgregory.net/rapid"
)

// corner are numbers at which an operation changes its behaviour.
var corners = []float64{
	0, math.Copysign(0, -1), 1, -1, 2, -2, 3, 0.5, -0.5, 1e-300, -1e-300, 5e-324, -5e-324, 1e300, -1e300,
	math.MaxFloat64, -math.MaxFloat64, math.Inf(1), math.Inf(-1), 709.78, 710, -745.2, 1 << 53, 7, 1e8, 1 + 0x1p-52, 1 - 0x1p-53,
}

func number() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.SampledFrom(corners),
		rapid.Float64Range(-4, 4),
		rapid.Map(rapid.IntRange(-12, 12), func(i int) float64 { return float64(i) }),
		rapid.Float64(),
	)
}

// member draws a set and a member of it.
func member(t *rapid.T, name string) (Value, float64) {
	x := number().Draw(t, name)
	if rapid.IntRange(0, 19).Draw(t, name+" is nan") == 0 {
		x = math.NaN()
	}
	v := Point(x)
	for range rapid.IntRange(0, 2).Draw(t, name+" width") {
		v = Join(v, Point(number().Draw(t, name+" bound")))
	}
	return v, x
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var unary = map[string]struct {
	set func(Value) Value
	num func(float64) float64
}{
	"neg":    {Neg, func(x float64) float64 { return -x }},
	"abs":    {Abs, math.Abs},
	"sqrt":   {Sqrt, math.Sqrt},
	"floor":  {Floor, math.Floor},
	"ceil":   {Ceil, math.Ceil},
	"exp":    {Exp, fmath.Exp},
	"log":    {Log, fmath.Log},
	"log1p":  {Log1p, fmath.Log1p},
	"tanh":   {Tanh, fmath.Tanh},
	"square": {Square, func(x float64) float64 { return x * x }},
	"cube":   {Cube, func(x float64) float64 { return x * x * x }},
}

var binary = map[string]struct {
	set func(a, b Value) Value
	num func(x, y float64) float64
}{
	"add": {Add, func(x, y float64) float64 { return x + y }},
	"sub": {Sub, func(x, y float64) float64 { return x - y }},
	"mul": {Mul, func(x, y float64) float64 { return x * y }},
	"div": {Div, func(x, y float64) float64 { return x / y }},
	"mod": {Mod, fmath.Mod},
	"pow": {Pow, fmath.Pow},
	"min": {Min, func(x, y float64) float64 { return min(x, y) }},
	"max": {Max, func(x, y float64) float64 { return max(x, y) }},
	"eq":  {Eq, func(x, y float64) float64 { return truth(x == y) }},
	"ne":  {Ne, func(x, y float64) float64 { return truth(x != y) }},
	"lt":  {Lt, func(x, y float64) float64 { return truth(x < y) }},
	"le":  {Le, func(x, y float64) float64 { return truth(x <= y) }},
}

// Every result of an operation on members is a member of the operation on the sets.
func TestInclusion(t *testing.T) {
	for name, f := range unary {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			a, x := member(t, "a")
			if got, y := f.set(a), f.num(x); !got.Contains(y) {
				t.Fatalf("%s(%v) = %v is not in %+v = %s(%+v)", name, x, y, got, name, a)
			}
		}))
	}
	for name, f := range binary {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			a, x := member(t, "a")
			b, y := member(t, "b")
			if got, z := f.set(a, b), f.num(x, y); !got.Contains(z) {
				t.Fatalf("%s(%v, %v) = %v is not in %+v = %s(%+v, %+v)", name, x, y, z, got, name, a, b)
			}
		}))
	}
}

// Exact operations on single numbers stay single numbers.
func TestExactAtExactPoints(t *testing.T) {
	p := Point
	tests := []struct {
		name string
		got  Value
		want float64
	}{
		{"log 1", Log(p(1)), 0},
		{"exp 0", Exp(p(0)), 1},
		{"log1p 0", Log1p(p(0)), 0},
		{"tanh 0", Tanh(p(0)), 0},
		{"7 ** 4", Pow(p(7), p(4)), 2401},
		{"-3 ** 5", Pow(p(-3), p(5)), -243},
		{"0.3 ** 0", Pow(p(0.3), p(0)), 1},
		{"1 ** 0.7", Pow(p(1), p(0.7)), 1},
		{"1/3", Div(p(1), p(3)), 1.0 / 3},
		{"0.1+0.2", Add(p(0.1), p(0.2)), 0.1 + float64(0.2)},
		{"sqrt 2", Sqrt(p(2)), math.Sqrt2},
		{"7 % 4", Mod(p(7), p(4)), 3},
		{"1e300*0", Mul(p(1e300), p(0)), 0},
	}
	for _, tt := range tests {
		want := tt.want
		if tt.name == "0.1+0.2" { // the constant expression is exact, the sum of the floats is not
			x, y := 0.1, 0.2
			want = x + y
		}
		if tt.got.Lo != want || tt.got.Hi != want || tt.got.NaN {
			t.Errorf("%s = %+v, want the point %v", tt.name, tt.got, want)
		}
	}
}

// Bounds that proofs rest on.
func TestTightBounds(t *testing.T) {
	tests := []struct {
		name string
		got  Value
		want Value
	}{
		{"log [1, 8] starts at 0", Log(Of(1, 8)), Value{Lo: 0, Hi: up(fmath.Log(8), 2)}},
		{"square of [-2, 1]", Square(Of(-2, 1)), Of(0, 4)},
		{"1/[0, 4]", Div(Point(1), Of(0, 4)), Of(0.25, math.Inf(1))},
		{"1/[-4, 4]", Div(Point(1), Of(-4, 4)), Value{Lo: math.Inf(-1), Hi: math.Inf(1), NegZero: true}},
		{"[0, 1]/[0, 1] may be NaN", Div(Of(0, 1), Of(0, 1)), Value{Lo: 0, Hi: math.Inf(1), NaN: true}},
		{"sqrt [-1, 4] may be NaN", Sqrt(Of(-1, 4)), Value{Lo: 0, Hi: 2, NaN: true}},
		{"sqrt [-2, -1] is NaN", Sqrt(Of(-2, -1)), Value{Lo: math.Inf(1), Hi: math.Inf(-1), NaN: true}},
		{"exp [-inf, 0] starts at 0", Exp(Of(math.Inf(-1), 0)), Value{Lo: 0, Hi: up(1, 2)}},
		{"[0, 9] % 4", Mod(Of(0, 9), Point(4)), Of(0, 4)},
		{"[5, 7] % 4", Mod(Of(5, 7), Point(4)), Of(1, 3)},
		{"[1, 2] % [5, 9]", Mod(Of(1, 2), Of(5, 9)), Of(1, 2)},
		{"max + 1 overflows not", Add(Point(math.MaxFloat64), Of(0, 1)), Point(math.MaxFloat64)},
		{"tanh stays within 1", Tanh(Of(-1e9, 1e9)), Value{Lo: -1, Hi: 1, NegZero: true}},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, tt.got, tt.want)
		}
	}
}

// Where the result can be NaN, the set says so.
func TestNaNIsSeen(t *testing.T) {
	inf := math.Inf(1)
	line, up, down, around := Of(-inf, inf), Of(0, inf), Of(-inf, 0), Of(-1, 1)
	for name, v := range map[string]Value{
		"inf - inf": Sub(up, up), "inf + -inf": Add(up, down), "-inf + inf": Add(down, up), "0 * inf": Mul(around, up),
		"inf * 0": Mul(up, Point(0)), "0 / 0": Div(around, around), "inf / inf": Div(up, up), "inf / -inf": Div(up, down),
		"x % 0": Mod(Point(3), around), "inf % x": Mod(up, Point(3)), "sqrt": Sqrt(Of(-5e-324, 1)), "log": Log(Of(-5e-324, 1)),
		"log1p": Log1p(Of(-1.5, 1)), "pow": Pow(around, Point(0.5)), "pow of any exponent": Pow(Of(-2, -1), Of(0, 1)),
		"min": Min(Sqrt(around), Point(-9)), "max": Max(Point(9), Log(around)), "square": Square(Sqrt(around)), "cube": Cube(Sqrt(around)),
		"exp": Exp(Sqrt(around)), "tanh": Tanh(Sqrt(around)), "abs": Abs(Sqrt(around)), "floor": Floor(Sqrt(around)), "neg": Neg(Sqrt(around)),
	} {
		if !v.NaN {
			t.Errorf("%s = %+v", name, v)
		}
	}
	for name, v := range map[string]Value{
		"inf + inf": Add(up, up), "line * 1": Mul(line, Point(1)), "1 / line": Div(Point(1), line), "-inf - inf": Sub(down, up),
		"pow whole": Pow(Of(-2, -1), Point(3)), "log at its pole": Log(Of(0, 1)), "x ** 0": Pow(around, Point(0)),
	} {
		if v.NaN {
			t.Errorf("%s = %+v", name, v)
		}
	}
}

// The two zeros are told apart: a set has −0 only where it says so, since 1/x does not treat them alike.
func TestContainsTellsZerosApart(t *testing.T) {
	minus := math.Copysign(0, -1)
	plain, both := Value{Lo: -1, Hi: 1}, Value{Lo: -1, Hi: 1, NegZero: true}
	if !plain.Contains(0) || plain.Contains(minus) || !both.Contains(minus) || (Value{Lo: 1, Hi: 2, NegZero: true}).Contains(minus) {
		t.Error("a zero is where it is not, or is not where it is")
	}
}
