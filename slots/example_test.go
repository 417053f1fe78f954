package slots_test

import (
	"context"
	"fmt"

	"github.com/agentdescent/adrun/slots"
)

// A policy may be a text of the rule language. It passes the gate of its slot, and the host does the
// bookkeeping: here the rule adds one condition to what the default says.
func ExampleFromText() {
	policies, err := slots.FromText("acceptance", "steady.rule", `
policy steady fills acceptance {
  param margin = 0.02 in [0, 0.2]

  accept(shipped, observed_delta) { return shipped && observed_delta >= margin }
}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	// A run installs what it is given; a test does so by hand.
	if err := policies.Install(nil, slots.MergeConfig{}); err != nil {
		fmt.Println(err)
		return
	}
	for _, solved := range []float64{51, 52} {
		d, err := policies.Acceptance.Accept(slots.MergeContext{
			BaseCounts: slots.Counts{Successes: 50, Failures: 50}, CandCounts: slots.Counts{Successes: solved, Failures: 100 - solved},
			Prior: slots.UniformPrior(),
		})
		fmt.Println(solved, d.Accept, d.Category, d.Reason, err)
	}
	// Output:
	// 51 false below-threshold policy steady refuses <nil>
	// 52 true committed  <nil>
}

// What is wrong with a policy is reported with its place and a code.
func ExampleFromText_refused() {
	_, err := slots.FromText("fusion", "small.rule", `policy small fills fusion { merit(size) { return 1 / (size - 1) } }`)
	fmt.Println(err)
	// Output:
	// small.rule:1:29: hook merit is +Inf at size = 1 [not-finite]
}

// Contradicting changes of one text are merged by whoever answers, a model or a function. The two policies
// only work together, so they come together.
func ExampleReflectiveMerge() {
	policies := slots.ReflectiveMerge(func(_ context.Context, r slots.MergeRequest) (slots.Reply, error) {
		return slots.Reply{Text: r.Proposals[0] + r.Proposals[1]}, nil
	})
	fmt.Println(policies.Problems() == nil)
	fmt.Println(slots.Policies{Fusion: policies.Fusion}.Problems()[0])
	// Output:
	// true
	// Policies.Fusion merges contradictions, and Policies.Conflict drops them before it sees any: install both halves of slots.ReflectiveMerge
}
