package binpack_test

import (
	"fmt"

	"github.com/agentdescent/adrun/problems/binpack"
)

// Best fit fills both bins. Worst fit takes the emptiest open bin and wastes one.
func ExampleEvaluate() {
	in := binpack.Instance{ID: "small", Capacity: 10, Items: []int{6, 5, 4, 5}}
	set := []binpack.Instance{in}
	worstFit := binpack.Func(func(a []float64) float64 {
		if a[binpack.Bin] == a[binpack.Cap] {
			return 0 // a fresh bin only when no other is left
		}
		return a[binpack.Bin]
	})
	fmt.Printf("%+v\n", binpack.Evaluate(set, binpack.BestFit{}))
	fmt.Printf("%+v\n", binpack.Evaluate(set, worstFit))
	// Output:
	// {Bins:2 LowerBound:2 Excess:0 Instances:1}
	// {Bins:3 LowerBound:2 Excess:0.5 Instances:1}
}
