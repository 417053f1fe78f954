package meta

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
)

// Score makes a reward of an inner outcome. The zero value is AUC.
type Score struct {
	name string
	of   func(Outcome) (float64, error)
}

// String is the text that ParseScore reads.
func (s Score) String() string {
	if s.of == nil {
		return "auc"
	}
	return s.name
}

// Of returns the reward of an outcome, in [0, 1] unless an expression says otherwise. The error is that of an
// expression that could not be evaluated.
func (s Score) Of(o Outcome) (float64, error) {
	if s.of == nil {
		return auc(o), nil
	}
	return s.of(o)
}

// AUC is the mean of the best so far, clipped to [0, 1]; 0 for a search without a step.
func AUC() Score { return Score{} }

// FinalReward is what the search ended with, clipped to [0, 1].
func FinalReward() Score {
	return Score{"final_reward", func(o Outcome) (float64, error) { return clip(o.Final), nil }}
}

// RolloutsTo is 1/(1 + i) for the first step i, from 0, at which the curve is at or above t; 0 when none is.
func RolloutsTo(t float64) Score {
	name := "rollouts_to(" + strconv.FormatFloat(t, 'g', -1, 64) + ")"
	return Score{name, func(o Outcome) (float64, error) { return rolloutsTo(o, t), nil }}
}

func auc(o Outcome) float64 {
	if len(o.Curve) == 0 {
		return 0
	}
	sum, best := 0.0, math.Inf(-1)
	for _, v := range o.Curve {
		best = math.Max(best, v)
		sum += best
	}
	return clip(sum / float64(len(o.Curve)))
}

func rolloutsTo(o Outcome, t float64) float64 {
	for i, v := range o.Curve {
		if v >= t {
			return 1 / float64(1+i)
		}
	}
	return 0
}

func clip(x float64) float64 { return math.Max(0, math.Min(1, x)) }

// scoreEnv is what an expression sees of an outcome: numbers only.
type scoreEnv struct {
	AUC        float64                 `expr:"auc"`
	Final      float64                 `expr:"final"`
	FinalOld   float64                 `expr:"final_reward"`
	Rollouts   float64                 `expr:"rollouts"`
	Curve      []float64               `expr:"curve"`
	Metrics    map[string]float64      `expr:"metrics"`
	RolloutsTo func(t float64) float64 `expr:"rollouts_to"`
}

// scoreNodes bounds an expression.
const scoreNodes = 200

// ParseScore reads "auc", "final_reward", "rollouts_to(T)" or an expression (expr-lang) of the numbers auc,
// final, rollouts, curve, metrics["NAME"] and rollouts_to(T), with the functions abs, min, max, mean, sum and
// len. "" is auc.
func ParseScore(text string) (Score, error) {
	text = strings.TrimSpace(text)
	switch text {
	case "", "auc":
		return AUC(), nil
	case "final_reward", "final":
		return FinalReward(), nil
	}
	if arg, ok := strings.CutPrefix(text, "rollouts_to("); ok && strings.HasSuffix(arg, ")") {
		if t, err := strconv.ParseFloat(strings.TrimSpace(arg[:len(arg)-1]), 64); err == nil {
			return RolloutsTo(t), nil
		}
	}
	options := []expr.Option{expr.Env(scoreEnv{}), expr.AsFloat64(), expr.MaxNodes(scoreNodes), expr.DisableAllBuiltins()}
	for _, name := range []string{"abs", "min", "max", "mean", "sum", "len"} {
		options = append(options, expr.EnableBuiltin(name))
	}
	program, err := expr.Compile(text, options...)
	if err != nil {
		return Score{}, fmt.Errorf("score: %w", err)
	}
	return Score{text, func(o Outcome) (float64, error) { return evalScore(program, text, o) }}, nil
}

func evalScore(program *vm.Program, text string, o Outcome) (float64, error) {
	v, err := expr.Run(program, scoreEnv{
		AUC: auc(o), Final: o.Final, FinalOld: o.Final, Rollouts: float64(o.Rollouts), Curve: o.Curve, Metrics: o.Detail.Metrics,
		RolloutsTo: func(t float64) float64 { return rolloutsTo(o, t) },
	})
	if err != nil {
		return 0, fmt.Errorf("score %q: %w", text, err)
	}
	reward, ok := v.(float64)
	if !ok {
		return 0, fmt.Errorf("score %q is %v, which is no number", text, v)
	}
	return reward, nil
}
