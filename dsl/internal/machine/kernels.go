package machine

import (
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// step computes dst from the columns of st's operands.
func (s *Scratch) step(st *step, dst []float64) {
	x := s.view[st.args[0]]
	if st.n == 1 {
		s.step1(st, dst, x)
		return
	}
	y := s.view[st.args[1]]
	switch st.op {
	case kernel(Add):
		addColumns(dst, x, y)
	case kernel(Sub):
		subColumns(dst, x, y)
	case kernel(Mul):
		mulColumns(dst, x, y)
	case kernel(Div):
		divColumns(dst, x, y)
	case kernel(Min):
		minColumns(dst, x, y)
	case kernel(Max):
		maxColumns(dst, x, y)
	case kernel(Mod):
		mapColumns2(dst, x, y, s.rows(st), fmath.Mod)
	case kernel(Pow):
		mapColumns2(dst, x, y, s.rows(st), fmath.Pow)
	case kernel(Lt):
		ltColumns(dst, x, y)
	case kernel(Le):
		leColumns(dst, x, y)
	case kernel(Eq):
		eqColumns(dst, x, y)
	case kernel(Ne):
		neColumns(dst, x, y)
	case kernel(Select):
		selectColumns(dst, x, y, s.view[st.args[2]])
	case kSelectLt:
		selectLt(dst, x, y, s.view[st.args[2]], s.view[st.args[3]])
	case kSelectLe:
		selectLe(dst, x, y, s.view[st.args[2]], s.view[st.args[3]])
	case kSelectEq:
		selectEq(dst, x, y, s.view[st.args[2]], s.view[st.args[3]])
	case kSelectNe:
		selectEq(dst, x, y, s.view[st.args[3]], s.view[st.args[2]])
	default:
		s.fusedStep(st, dst, x, y)
	}
}

// step1 computes dst from one column.
func (s *Scratch) step1(st *step, dst, x []float64) {
	x = x[:len(dst)]
	switch st.op {
	case kernel(Neg):
		for i := range dst {
			dst[i] = -x[i]
		}
	case kernel(Abs):
		for i := range dst {
			dst[i] = math.Abs(x[i])
		}
	case kernel(Sqrt):
		for i := range dst {
			dst[i] = math.Sqrt(x[i])
		}
	case kernel(Floor):
		for i := range dst {
			dst[i] = math.Floor(x[i])
		}
	case kernel(Ceil):
		for i := range dst {
			dst[i] = math.Ceil(x[i])
		}
	case kernel(Not):
		for i := range dst {
			n := uint64(0)
			if x[i] == 0 {
				n = oneBits
			}
			dst[i] = math.Float64frombits(n)
		}
	case kernel(Exp):
		mapColumn(dst, x, s.rows(st), fmath.Exp)
	case kernel(Log):
		mapColumn(dst, x, s.rows(st), fmath.Log)
	case kernel(Log1p):
		mapColumn(dst, x, s.rows(st), fmath.Log1p)
	case kernel(Tanh):
		mapColumn(dst, x, s.rows(st), fmath.Tanh)
	}
}

// rows lists the rows that a step computes; nil means all.
func (s *Scratch) rows(st *step) []int32 {
	if st.rows == none {
		return nil
	}
	return s.lists[st.rows]
}

// filter makes the list of the rows, of n or of another list, that a condition lets through. It does not branch on the
// condition, which is often a coin toss.
func (s *Scratch) filter(st *step, n int) {
	cond := s.view[st.args[0]][:n]
	list := s.room[st.dst*chunkRows:][:chunkRows]
	k := 0
	if st.rows == none {
		for i, c := range cond {
			list[k&(chunkRows-1)] = int32(i)
			next := k + 1
			if (c != 0) != st.keep {
				next = k
			}
			k = next
		}
	} else {
		for _, i := range s.lists[st.rows] {
			list[k&(chunkRows-1)] = i
			next := k + 1
			if (cond[i] != 0) != st.keep {
				next = k
			}
			k = next
		}
	}
	s.lists[st.dst] = list[:k]
}

// The loops below choose between bits of integers, which the compiler does without a branch: conditions over rows are hard to
// predict.

// oneBits are the bits of the number 1; those of 0 are 0.
const oneBits = 0x3ff0000000000000

// oneNaNColumn makes every NaN the same. A sum is NaN if a term is; only then are the terms looked at.
func oneNaNColumn(col []float64) {
	for len(col) >= 4 {
		v := (*[4]float64)(col)
		if sum := (v[0] + v[1]) + (v[2] + v[3]); sum != sum {
			for i := range v {
				v[i] = oneNaN(v[i])
			}
		}
		col = col[4:]
	}
	for i := range col {
		col[i] = oneNaN(col[i])
	}
}

func mapColumn(dst, x []float64, rows []int32, f func(float64) float64) {
	if rows == nil {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = f(x[i])
		}
		return
	}
	for _, i := range rows {
		dst[i] = f(x[i])
	}
}

func mapColumns2(dst, x, y []float64, rows []int32, f func(x, y float64) float64) {
	if rows == nil {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = f(x[i], y[i])
		}
		return
	}
	for _, i := range rows {
		dst[i] = f(x[i], y[i])
	}
}

func addColumns(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

func subColumns(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

func mulColumns(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func divColumns(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

func minColumns(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = min(x[i], y[i])
	}
}

func maxColumns(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = max(x[i], y[i])
	}
}

func ltColumns(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		n := uint64(0)
		if x[i] < y[i] {
			n = oneBits
		}
		dst[i] = math.Float64frombits(n)
	}
}

func leColumns(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		n := uint64(0)
		if x[i] <= y[i] {
			n = oneBits
		}
		dst[i] = math.Float64frombits(n)
	}
}

func eqColumns(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		n := uint64(0)
		if x[i] == y[i] {
			n = oneBits
		}
		dst[i] = math.Float64frombits(n)
	}
}

func neColumns(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		n := uint64(0)
		if x[i] != y[i] {
			n = oneBits
		}
		dst[i] = math.Float64frombits(n)
	}
}

func selectColumns(dst, c, x, y []float64) {
	c, x, y = c[:len(dst)], x[:len(dst)], y[:len(dst)]
	for i := range dst {
		n, yes := math.Float64bits(y[i]), math.Float64bits(x[i])
		if c[i] != 0 {
			n = yes
		}
		dst[i] = math.Float64frombits(n)
	}
}

func selectLt(dst, a, b, x, y []float64) {
	a, b, x, y = a[:len(dst)], b[:len(dst)], x[:len(dst)], y[:len(dst)]
	for i := range dst {
		n, yes := math.Float64bits(y[i]), math.Float64bits(x[i])
		if a[i] < b[i] {
			n = yes
		}
		dst[i] = math.Float64frombits(n)
	}
}

func selectLe(dst, a, b, x, y []float64) {
	a, b, x, y = a[:len(dst)], b[:len(dst)], x[:len(dst)], y[:len(dst)]
	for i := range dst {
		n, yes := math.Float64bits(y[i]), math.Float64bits(x[i])
		if a[i] <= b[i] {
			n = yes
		}
		dst[i] = math.Float64frombits(n)
	}
}

func selectEq(dst, a, b, x, y []float64) {
	a, b, x, y = a[:len(dst)], b[:len(dst)], x[:len(dst)], y[:len(dst)]
	for i := range dst {
		n, yes := math.Float64bits(y[i]), math.Float64bits(x[i])
		if a[i] == b[i] {
			n = yes
		}
		dst[i] = math.Float64frombits(n)
	}
}
