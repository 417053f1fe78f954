package binpack

import "math"

// maxFresh is the number of empty bins behind the last opened one that a rule is shown.
const maxFresh = 2

// scan packs with any rule: it shows it every valid bin, in index order. Bins too full for each item still to come are
// dropped, for they are never valid again and nothing depends on their index.
type scan struct {
	rule  Priority
	batch batcher // nil when the rule has none
	args  [NumInputs]float64
	cols  [NumInputs][]float64

	open    []float64 // remaining capacity of the bins up to the last opened one, dropped ones left out
	least   []float64 // [i]: smallest size after item i, +Inf behind the last
	lefts   []float64 // [0] is 0, then the remaining capacities of the valid bins: shifted by one, the column prev
	where   []int32   // [i]: position in open of valid bin i; len(open) and len(open)+1 are fresh
	values  []float64
	ordinal []float64 // 0, 1, 2, …: the column idx
	later   []float64 // 0, 1, 1, …: the column has_prev
}

func newScan(rule Priority) *scan {
	s := &scan{rule: rule, lefts: []float64{0}}
	s.batch, _ = rule.(batcher)
	return s
}

func (s *scan) pack(in Instance) int {
	s.prepare(in)
	capacity := float64(in.Capacity)
	created, used := 0, 0 // bins up to the last opened one, bins that hold something
	for i, item := range in.Items {
		size := float64(item)
		fresh := min(maxFresh, len(in.Items)-created)
		n := s.collect(size, capacity, fresh)
		at := int(s.where[s.choose(n, size, capacity)])
		if opening := at - len(s.open) + 1; opening > 0 {
			created += opening
			for range opening {
				s.open = append(s.open, capacity)
			}
		}
		if s.open[at] == capacity {
			used++
		}
		s.open[at] -= size
		s.drop(i, at)
	}
	return used
}

// prepare makes room for the instance and finds the smallest size after each item.
func (s *scan) prepare(in Instance) {
	s.open = s.open[:0]
	for len(s.values) < len(in.Items)+maxFresh {
		s.ordinal = append(s.ordinal, float64(len(s.ordinal)))
		s.later = append(s.later, min(float64(len(s.later)), 1))
		s.lefts = append(s.lefts, 0)
		s.where = append(s.where, 0)
		s.values = append(s.values, 0)
	}
	s.least = s.least[:0]
	for range in.Items {
		s.least = append(s.least, math.Inf(1))
	}
	for i := len(in.Items) - 1; i > 0; i-- {
		s.least[i-1] = min(s.least[i], float64(in.Items[i]))
	}
}

// collect gathers the valid bins into lefts and where and returns how many there are, at least one.
func (s *scan) collect(size, capacity float64, fresh int) int {
	n := 0
	for at, left := range s.open {
		if left >= size {
			s.where[n] = int32(at)
			n++
			s.lefts[n] = left
		}
	}
	for i := range fresh {
		s.where[n] = int32(len(s.open) + i)
		n++
		s.lefts[n] = capacity
	}
	return n
}

// choose returns which of the first n valid bins takes the item.
func (s *scan) choose(n int, size, capacity float64) int {
	s.evaluate(n, size, capacity)
	best, bestValue := 0, math.Inf(-1)
	for i, value := range s.values[:n] {
		if value > bestValue && value <= math.MaxFloat64 {
			best, bestValue = i, value
		}
	}
	return best
}

// evaluate puts the priorities of the first n valid bins into values. An empty bin is always among the valid ones, so
// max_bin is the capacity.
func (s *scan) evaluate(n int, size, capacity float64) {
	s.args[Item], s.args[Cap], s.args[MaxBin] = size, capacity, capacity
	if s.batch != nil {
		for _, constant := range [...]int{Item, Cap, MaxBin} {
			s.cols[constant] = s.args[constant : constant+1]
		}
		s.cols[Bin], s.cols[Prev] = s.lefts[1:n+1], s.lefts[:n]
		s.cols[HasPrev], s.cols[Idx] = s.later[:n], s.ordinal[:n]
		s.batch.Batch(s.cols[:], s.values[:n])
		return
	}
	for i := range n {
		s.args[Bin], s.args[Prev] = s.lefts[i+1], s.lefts[i]
		s.args[HasPrev], s.args[Idx] = s.later[i], s.ordinal[i]
		s.values[i] = s.rule.Num(s.args[:])
	}
}

// drop forgets the bins that no item after item i fits: the one just filled, and all when the smallest size grew.
func (s *scan) drop(i, at int) {
	least := s.least[i]
	switch {
	case i == 0 || least != s.least[i-1]:
		kept := s.open[:0]
		for _, left := range s.open {
			if left >= least {
				kept = append(kept, left)
			}
		}
		s.open = kept
	case s.open[at] < least:
		s.open = append(s.open[:at], s.open[at+1:]...)
	}
}
