// Package fmath provides exp, log, log1p, tanh, pow and the remainder with the
// same bits on every machine, for every evaluator of the rule language.
//
// Package math cannot: its amd64 Exp branches on the processor's FMA, other
// architectures have other assembly, and what is plain Go the compiler fuses
// into multiply-adds wherever the target has them. Here everything is plain Go
// over float64, no fused multiply-add is called, and every product is written
// float64(a*b): by the language specification an explicit conversion rounds,
// so no compiler may fuse it with the sum it feeds. A test reads the source and
// holds it to that, another compares a checksum of results with a golden file
// on whatever machine it runs.
//
// # Accuracy
//
// Every result is within 1 ulp of the correctly rounded one (in fact within
// 0.52 ulp of the true value). Where the true value is a float64 it is returned
// exactly: Exp(0) = 1, Log(1) = 0, Pow(10, 2) = 100, Pow(9, 0.5) = 3. Mod is
// always exact but for the final addition of the divisor.
//
// # Special values
//
// Zeros, infinities and NaN follow C99 annex F, as those of package math do.
// Every NaN returned is the one of math.NaN, whatever NaN came in.
//
// # Whole powers
//
// The language defines x**2 as x*x and x**3 as x*x*x (grouped to the left); its
// compiler emits these products and never calls Pow for them. They can differ
// from Pow(x, 2) and Pow(x, 3) in the last bit, so an evaluator that calls Pow
// there is wrong. Any other exponent, constant or not, is Pow.
//
// # Methods
//
// exp, log and pow are table-driven in the manner of
//
//   - P. T. P. Tang, Table-driven implementation of the exponential function
//     in IEEE floating-point arithmetic, ACM TOMS 15 (1989), and of the
//     logarithm function, ACM TOMS 16 (1990);
//   - Sz. Nagy and W. Dijkstra, Arm Optimized Routines, math/exp.c, log.c and
//     pow.c (2018), for the layout of the tables, the extraction of the table
//     index from the bits, and rounding once in the subnormal range.
//
// The reduction of the argument of exp is by W. J. Cody and W. Waite, Software
// Manual for the Elementary Functions (1980). Sums and products in two parts
// are by T. J. Dekker, A floating-point technique for extending the available
// precision, Numer. Math. 18 (1971). The tables and polynomials are computed
// by internal/gentables.
//
// All functions are pure and safe for concurrent use.
package fmath

//go:generate go run ./internal/gentables -o tables.go
