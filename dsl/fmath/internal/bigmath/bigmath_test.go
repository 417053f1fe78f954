package bigmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The identities below relate each function to arithmetic alone or to a
// different series, so an error in one implementation cannot hide in another.

func TestConstantsAgreeWithPublishedDigits(t *testing.T) {
	// OEIS A002162, A001113, A002392.
	for name, tc := range map[string]struct {
		got  *big.Float
		want string
	}{
		"log 2":  {Ln2(), "0.69314718055994530941723212145817656807550013436025525412068000949339362196969471560586332699641868754200148102057"},
		"e":      {Exp(Float(1)), "2.7182818284590452353602874713526624977572470936999595749669676277240766303535475945713821785251664274274663919320"},
		"log 10": {Log(Float(10)), "2.3025850929940456840179914546843642076011014886287729760333279009675726096773524802359972050895982983419677840422"},
	} {
		want, _, err := big.ParseFloat(tc.want, 10, Prec, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		within(t, name, tc.got, want, 340)
	}
}

func TestLn2ByMachin(t *testing.T) {
	// log 2 = 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749).
	sum := newFloat()
	for _, c := range []struct{ factor, denom float64 }{{18, 26}, {-2, 4801}, {8, 8749}} {
		a := atanh(newFloat().Quo(Float(1), Float(c.denom)))
		sum.Add(sum, a.Mul(a, Float(c.factor)))
	}
	within(t, "log 2", sum, Ln2(), Accuracy)
}

func TestIdentities(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		x := Float(math.Ldexp(rng.Float64()-0.5, rng.IntN(60)-50))
		y := Float(math.Ldexp(rng.Float64()-0.5, rng.IntN(5)))

		// exp(x) exp(y) = exp(x+y).
		p := newFloat().Mul(Exp(x), Exp(y))
		within(t, "exp product", p, Exp(newFloat().Add(x, y)), Accuracy)

		// log(exp x) = x and log1p(expm1 x) = x; |x| < 8 and the inner rounding
		// cost up to 12 + 8/log 2 bits.
		within(t, "log exp", Log(Exp(y)), y, Accuracy-12)
		within(t, "log1p expm1", Log1p(Expm1(y)), y, Accuracy-24)

		// tanh(2t) = 2 tanh t / (1 + tanh² t).
		th := Tanh(y)
		d := newFloat().Mul(th, th)
		d.Add(d, Float(1))
		d.Quo(twice(newFloat().Set(th)), d)
		within(t, "tanh 2x", Tanh(twice(newFloat().Set(y))), d, Accuracy-8)

		// log(a b) = log a + log b.
		a, b := Float(rng.Float64()+1), Float(rng.Float64()+3)
		s := Log(a)
		within(t, "log product", Log(newFloat().Mul(a, b)), s.Add(s, Log(b)), Accuracy)
	}
}

func TestPowIsRepeatedProduct(t *testing.T) {
	x := Float(1.7320508)
	p := Float(1)
	for n := range 50 {
		within(t, "pow", Pow(x, Float(float64(n))), p, Accuracy)
		p.Mul(p, x)
	}
	// (sqrt x)² = x, with the square root of math/big.
	within(t, "sqrt", Pow(x, Float(0.5)), newFloat().Sqrt(x), Accuracy)
}

func TestZeroAndTiny(t *testing.T) {
	if Exp(Float(0)).Cmp(Float(1)) != 0 || Log(Float(1)).Sign() != 0 || Tanh(Float(0)).Sign() != 0 {
		t.Error("exp 0, log 1, tanh 0 must be exact")
	}
	tiny := Float(0x1p-1074)
	for name, f := range map[string]func(*big.Float) *big.Float{"expm1": Expm1, "log1p": Log1p, "tanh": Tanh} {
		within(t, name, f(tiny), tiny, Accuracy)
	}
}

// within fails unless |got - want| <= 2^-bits |want|.
func within(t *testing.T, what string, got, want *big.Float, bits int) {
	t.Helper()
	bits = min(bits, Prec-8)
	d := newFloat().Sub(got, want)
	if d.Sign() != 0 && magnitude(d) > magnitude(want)-bits {
		t.Errorf("%s: got %.90g, want %.90g: relative error 2^%d, allowed 2^-%d",
			what, got, want, magnitude(d)-magnitude(want), bits)
	}
}
