package meta

import (
	"context"
	"math"
	"strings"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/reflector"
	"github.com/agentdescent/adrun/slots"
)

// offlineMerge is how contradicting values of a spec are merged without a model; nil for values that are no trees.
func offlineMerge(spec SlotSpec) slots.Completion {
	switch spec.(type) {
	case *RuleSlot, *PolicySlot:
		return MergeParams(reflector.MergeOffline)
	}
	return nil
}

// MergeParams has moves of one param go half-way between, and asks next for everything else: a param is a number,
// about which there is nothing to write.
func MergeParams(next slots.Completion) slots.Completion {
	return func(ctx context.Context, r slots.MergeRequest) (slots.Reply, error) {
		if !strings.HasPrefix(r.Key, paramPrefix) {
			return next(ctx, r)
		}
		sum, whole := 0.0, true
		for _, text := range r.Proposals {
			v, err := number(r.Key, text)
			if err != nil {
				return slots.Reply{Error: err.Error()}, nil
			}
			sum += v
			whole = whole && v == math.Trunc(v)
		}
		v := sum / float64(len(r.Proposals))
		if whole {
			v = math.Round(v) // it may be an int
		}
		return slots.Reply{Text: dsl.FormatNumber(v)}, nil
	}
}
