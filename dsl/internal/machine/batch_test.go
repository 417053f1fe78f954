package machine

import "testing"

// TestInvariantWorkIsHoisted counts the passes over rows when some arguments are the same in all of them.
func TestInvariantWorkIsHoisted(t *testing.T) {
	// rank + 1 / n * sqrt(total) / (1 + visits)
	g := NewGraph(16)
	rank, visits, total, n := g.Argument(0), g.Argument(1), g.Argument(2), g.Argument(3)
	one := g.Constant(1)
	term := g.Binary(Mul, g.Binary(Div, one, n), g.Unary(Sqrt, total))
	p := new(Code)
	if err := p.Assemble(g, []ID{g.Binary(Add, rank, g.Binary(Div, term, g.Binary(Add, one, visits)))}, 4, false); err != nil {
		t.Fatal(err)
	}
	col := make([]float64, 300)
	for i := range col {
		col[i] = float64(i)
	}
	s := new(Scratch)
	s.reset(p.columns)
	passes := func(cols ...[]float64) int {
		s.run(p.columns, cols, make([]float64, len(col)))
		return len(s.todo)
	}
	same := []float64{3}
	if n := passes(col, col, same, same); n != 2 { // t / (1 + visits), + rank
		t.Errorf("%d passes with total and n the same in all rows", n)
	}
	if n := passes(col, col, col, col); n != 4 { // 1 / n, * sqrt(total), / (1 + visits), + rank
		t.Errorf("%d passes with nothing the same in all rows", n)
	}
	if n := passes(same, same, same, same); n != 0 {
		t.Errorf("%d passes with everything the same in all rows", n)
	}
}
