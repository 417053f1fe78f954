package binpack

import "math"

// maxFresh is the number of empty bins behind the last opened one that a rule is shown.
const maxFresh = 2

// block is the number of bins that share a peak. With 16, finding the nine or so valid ones among the thousand open bins
// of a long instance costs about as many comparisons of peaks as of bins.
const block = 16

// scan packs with any rule: it shows it every valid bin, in index order. Most open bins are nearly full, so their blocks
// are passed over by the largest remaining capacity in each.
type scan struct {
	rule  Priority
	batch batcher // nil when the rule has none
	args  [NumInputs]float64
	cols  [][]float64

	factored factored // in use when it has a rest
	capacity int      // that the rule is factored for

	open []int32 // remaining capacity of the bins up to the last opened one
	peak []int32 // [i]: largest of open[i·block:(i+1)·block]

	// The valid bins, and columns about them. Each has room for as many bins as an instance has items.
	where   []int32   // [i]: index of valid bin i; len(open) and len(open)+1 are fresh
	lefts   []float64 // 0, then the remaining capacities: the column bin and, shifted by one, the column prev
	ordinal []float64 // 0, 1, 2, …: the column idx
	later   []float64 // 0, 1, 1, …: the column has_prev
	values  []float64 // the priorities
}

func (s *scan) reset(rule Priority) {
	s.rule = rule
	s.batch, _ = rule.(batcher)
	s.capacity = 0
}

func (s *scan) pack(in Instance) (used, unranked int) {
	s.open, s.peak = s.open[:0], s.peak[:0]
	s.grow(len(in.Items))
	if in.Capacity != s.capacity {
		s.capacity = in.Capacity
		s.factored.take(s.rule, in.Capacity)
	}
	s.factored.grow(len(in.Items))
	capacity := int32(in.Capacity)
	for _, item := range in.Items {
		size := int32(item)
		n := s.collect(size, capacity, min(maxFresh, len(in.Items)-len(s.open)))
		chosen, finite := s.choose(n, size, capacity)
		if !finite {
			unranked++
		}
		at := int(s.where[chosen])
		for at >= len(s.open) {
			s.add(capacity)
		}
		if s.open[at] == capacity {
			used++
		}
		s.fill(at, size)
	}
	return used, unranked
}

// grow makes room for n valid bins.
func (s *scan) grow(n int) {
	if n <= len(s.values) {
		return
	}
	s.where = make([]int32, n)
	s.lefts = make([]float64, n+1)
	s.values = make([]float64, n)
	s.ordinal, s.later = make([]float64, n), make([]float64, n)
	for i := range n {
		s.ordinal[i], s.later[i] = float64(i), float64(min(i, 1))
	}
}

// collect gathers the valid bins, fresh ones included, and returns how many there are, at least one.
func (s *scan) collect(size, capacity int32, fresh int) int {
	n := 0
	for b, peak := range s.peak {
		if peak < size {
			continue
		}
		first := b * block
		for i, left := range s.open[first:min(first+block, len(s.open))] {
			if left >= size {
				s.where[n] = int32(first + i)
				n++
				s.lefts[n] = float64(left)
			}
		}
	}
	for i := range fresh {
		s.where[n] = int32(len(s.open) + i)
		n++
		s.lefts[n] = float64(capacity)
	}
	return n
}

// choose returns which of the first n valid bins takes the item, and whether its priority is finite.
func (s *scan) choose(n int, size, capacity int32) (best int, finite bool) {
	s.evaluate(n, float64(size), float64(capacity))
	bestValue := math.Inf(-1)
	for i, value := range s.values[:n] {
		if value > bestValue && value <= math.MaxFloat64 {
			best, bestValue = i, value
		}
	}
	return best, !math.IsInf(bestValue, -1)
}

// evaluate puts the priorities of the first n valid bins into values. An empty bin is always among the valid ones, so
// max_bin is the capacity.
func (s *scan) evaluate(n int, size, capacity float64) {
	s.args[Item], s.args[Cap], s.args[MaxBin] = size, capacity, capacity
	switch {
	case s.factored.rest != nil:
		s.factored.find(size, s.lefts[:n+1])
		s.setColumns(n)
		s.factored.rest.Batch(s.cols, s.values[:n])
		return
	case s.batch != nil:
		s.setColumns(n)
		s.batch.Batch(s.cols, s.values[:n])
		return
	}
	for i := range n {
		s.args[Bin], s.args[Prev] = s.lefts[i+1], s.lefts[i]
		s.args[HasPrev], s.args[Idx] = s.later[i], s.ordinal[i]
		s.values[i] = s.rule.Num(s.args[:])
	}
}

// setColumns makes the columns of the first n valid bins.
func (s *scan) setColumns(n int) {
	s.cols = append(s.cols[:0], s.args[Item:Item+1], s.lefts[1:n+1], s.args[Cap:Cap+1], s.lefts[:n], s.later[:n], s.ordinal[:n], s.args[MaxBin:MaxBin+1])
	for _, part := range s.factored.parts {
		s.cols = append(s.cols, part.column[:n])
	}
}

// add appends an empty bin.
func (s *scan) add(capacity int32) {
	if len(s.open)%block == 0 {
		s.peak = append(s.peak, capacity)
	}
	s.open = append(s.open, capacity)
	s.peak[len(s.peak)-1] = capacity
}

// fill puts an item into a bin.
func (s *scan) fill(at int, size int32) {
	s.open[at] -= size
	first := at / block * block
	peak := int32(0)
	for _, left := range s.open[first:min(first+block, len(s.open))] {
		peak = max(peak, left)
	}
	s.peak[at/block] = peak
}
