// Package binpack is online one-dimensional bin packing: items arrive one at a time and a priority rule says which open
// bin takes each.
//
// # Semantics
//
// At the start there are as many empty bins as items. A bin is valid for an item when its remaining capacity is at least
// the item's size. The valid bin with the highest priority takes the item; among equals, the lowest index. A priority
// that is not finite loses to every finite one, and all such priorities are equal. The rule is shown, for each valid
// bin, the inputs of the signature binpack.priority ([SignatureText]): positions and neighbours are those among the valid
// bins, in index order.
//
// Of the empty bins behind the last opened one a rule sees two: enough, since the third and all later ones differ from
// the second only in their index, which a priority would have to grow with to prefer them, and few enough that a rule
// cannot learn from the bins how many items are still to come.
//
// The objective is the excess over a set of instances, Σ bins ÷ Σ ⌈Σ items ÷ capacity⌉ − 1 ([Evaluate]); [Reward] maps one
// instance's bins to [0, 1] against best fit.
//
// # Data
//
// [Load] reads instances as JSON or in OR-Library's text format. [Generate] makes its own: the two families of the
// literature, each instance a function of (seed, family, items) alone.
//
// # Concurrency and determinism
//
// Everything is a function of its arguments. Instances may be shared; a [Packer] belongs to one goroutine.
package binpack

// Largest instance that the signature's domains admit.
const (
	MaxSize  = 1_000_000 // capacity, and so the size of an item
	MaxItems = 1_000_000 // items of one instance
)

// Instance is one packing problem.
type Instance struct {
	ID        string
	Capacity  int   // of every bin, 1 to MaxSize
	Items     []int // sizes in order of arrival, each 1 to Capacity; 1 to MaxItems of them
	BestKnown int   // fewest bins known to suffice with all items in view, 0 when unknown
}

// LowerBound returns ⌈Σ items ÷ capacity⌉, a number of bins that no packing can beat.
func (in Instance) LowerBound() int {
	var sum int64
	for _, size := range in.Items {
		sum += int64(size)
	}
	c := int64(in.Capacity)
	return int((sum + c - 1) / c)
}
