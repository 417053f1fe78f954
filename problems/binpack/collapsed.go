package binpack

import (
	"math"
	"math/bits"
)

// collapsed packs with rules that do not look at a bin's place. To such a rule bins with the same remaining capacity are
// one, of which the lowest index is the one to take; and since an untouched bin is always among the valid ones, max_bin is
// the capacity. So a priority is a function of item and remaining capacity, asked for once and tabulated, and a step
// compares the distinct remaining capacities.
type collapsed struct {
	rule     Priority
	capacity int
	args     [NumInputs]float64
	rows     [][]float64 // [item][remaining − item]: the priority, −Inf when not finite, NaN when not yet asked for

	present []uint64 // bit r: an open bin has r left
	first   []int32  // [r]: lowest index among those, the root of their heap; meaningful where present
	heap    skewHeap

	unranked int // items of the instance that saw no finite priority
}

func newCollapsed(rule Priority, capacity int) *collapsed {
	c := &collapsed{
		rule:     rule,
		capacity: capacity,
		rows:     make([][]float64, capacity+1),
		present:  make([]uint64, capacity/64+1),
		first:    make([]int32, capacity+1),
	}
	c.args[Cap] = float64(capacity)
	c.args[MaxBin] = float64(capacity)
	return c
}

// reset forgets the priorities of the rule so far and takes another.
func (c *collapsed) reset(rule Priority) {
	c.rule = rule
	for _, row := range c.rows {
		forget(row)
	}
}

func forget(row []float64) {
	for i := range row {
		row[i] = math.NaN()
	}
}

func (c *collapsed) pack(in Instance) (bins, unranked int) {
	clear(c.present)
	c.heap.reset()
	c.unranked = 0
	for _, size := range in.Items {
		left := c.choose(size)
		index := c.take(left)
		c.put(left-size, index)
	}
	return c.heap.len(), c.unranked
}

// choose returns the remaining capacity of the bin that takes the item.
func (c *collapsed) choose(size int) int {
	row := c.row(size)
	best, bestIndex := c.capacity, int32(c.heap.len()) // the first fresh bin
	bestValue := row[best-size]
	if math.IsNaN(bestValue) {
		bestValue = c.ask(row, size, best)
	}
	word := size / 64
	set := c.present[word] &^ (1<<(size%64) - 1)
	for {
		for ; set != 0; set &= set - 1 {
			left := word*64 + bits.TrailingZeros64(set)
			value := row[left-size]
			if math.IsNaN(value) {
				value = c.ask(row, size, left)
			}
			if value > bestValue || value == bestValue && c.first[left] < bestIndex {
				best, bestValue, bestIndex = left, value, c.first[left]
			}
		}
		if word++; word == len(c.present) {
			if math.IsInf(bestValue, -1) {
				c.unranked++
			}
			return best
		}
		set = c.present[word]
	}
}

// row returns the priorities of an item's size.
func (c *collapsed) row(size int) []float64 {
	if c.rows[size] == nil {
		row := make([]float64, c.capacity-size+1)
		forget(row)
		c.rows[size] = row
	}
	return c.rows[size]
}

// ask evaluates the rule and fills the row.
func (c *collapsed) ask(row []float64, size, left int) float64 {
	c.args[Item], c.args[Bin] = float64(size), float64(left)
	value := c.rule.Num(c.args[:])
	if math.IsNaN(value) || math.IsInf(value, 0) {
		value = math.Inf(-1)
	}
	row[left-size] = value
	return value
}

// take removes the lowest-indexed bin with so much left and returns its index; it opens a bin when that is the capacity.
func (c *collapsed) take(left int) int32 {
	if left == c.capacity {
		return c.heap.add()
	}
	index := c.first[left]
	rest := c.heap.pop(index)
	if rest < 0 {
		c.present[left/64] &^= 1 << (left % 64)
	}
	c.first[left] = rest
	return index
}

// put returns a bin to the open ones with so much left. A full bin is not valid for any item and is forgotten.
func (c *collapsed) put(left int, index int32) {
	if left == 0 {
		return
	}
	bit := uint64(1) << (left % 64)
	if c.present[left/64]&bit == 0 {
		c.present[left/64] |= bit
		c.first[left] = index
		return
	}
	c.first[left] = c.heap.merge(c.first[left], index)
}

// skewHeap holds disjoint min-heaps of bin indices, each known by its root, in two arrays: a bin belongs to one heap at a
// time. Sleator and Tarjan, Self-adjusting heaps (1986), the top-down variant.
type skewHeap struct {
	left, right []int32 // children by bin, −1 for none
}

func (h *skewHeap) reset() { h.left, h.right = h.left[:0], h.right[:0] }

// len returns the number of bins that were added.
func (h *skewHeap) len() int { return len(h.left) }

// add returns a new bin, a heap of its own.
func (h *skewHeap) add() int32 {
	h.left, h.right = append(h.left, -1), append(h.right, -1)
	return int32(len(h.left) - 1)
}

// pop removes the root, which becomes a heap of its own, and returns the new root, −1 when nothing remains.
func (h *skewHeap) pop(root int32) int32 {
	rest := h.merge(h.left[root], h.right[root])
	h.left[root], h.right[root] = -1, -1
	return rest
}

// merge joins two heaps, −1 being the empty one, and returns the root.
func (h *skewHeap) merge(a, b int32) int32 {
	var root int32
	link := &root
	for a >= 0 && b >= 0 {
		if b < a {
			a, b = b, a
		}
		*link = a
		a, h.right[a], link = h.right[a], h.left[a], &h.left[a]
	}
	*link = max(a, b)
	return root
}
