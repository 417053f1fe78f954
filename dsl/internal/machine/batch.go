package machine

// chunkRows is how many rows the columns of a batch hold: enough to make the cost of choosing an operation small, few
// enough that the columns in use stay in the nearest cache.
const chunkRows = 256

// Rows below which evaluating row by row is faster than by columns; choices cost columns more, because both sides of cheap
// ones are computed.
const (
	batchRows       = 8
	batchChoiceRows = 32
)

// Batch evaluates the code at len(out) rows. cols has a column for each argument: a value for each row, or one for all rows,
// and what depends on such columns alone is computed once. out must not overlap cols. The values are those of Num, bit for bit.
func (p *Code) Batch(cols [][]float64, out []float64) {
	if p.fewRows(len(out)) {
		p.rowByRow(cols, out)
		return
	}
	s := p.scratch.Get().(*Scratch)
	s.run(p.columns, cols, out)
	p.scratch.Put(s)
}

// BatchIn is Batch in memory of the caller's.
func (p *Code) BatchIn(s *Scratch, cols [][]float64, out []float64) {
	if p.fewRows(len(out)) {
		p.rowByRow(cols, out)
		return
	}
	s.run(p.columns, cols, out)
}

// rowArgs is how many arguments of a row are put together on the stack.
const rowArgs = 64

// fewRows reports that n rows are evaluated faster row by row.
func (p *Code) fewRows(n int) bool {
	return n < batchRows || p.columns.branches && n < batchChoiceRows
}

// rowByRow evaluates few rows.
func (p *Code) rowByRow(cols [][]float64, out []float64) {
	var room [rowArgs]float64
	row := append(room[:0], make([]float64, len(cols))...)
	for r := range out {
		for i, col := range cols {
			if len(col) == 1 {
				row[i] = col[0]
			} else {
				row[i] = col[r]
			}
		}
		out[r] = p.Num(row)
	}
}

// Scratch is memory for BatchIn, for a caller that runs many programs a few times each; what a program keeps for
// Batch would be made anew for each of them. The zero value is ready. Only one goroutine may use it at a time.
type Scratch struct {
	of      *columns    // whose values these are
	view    [][]float64 // the column of each value, for the current chunk
	uniform []bool      // values that are the same in all rows
	scalar  []float64   // what they are
	filled  []bool      // uniform values whose column is made
	memory  []float64   // of buffers
	buffers [][]float64
	fills   [][]float64 // columns of uniform values, by value; made when first needed
	varied  bool        // todo is made for arguments that all differ from row to row
	todo    []step      // steps that differ from row to row, fused where they can be
	skip    []bool      // steps that another does
	lists   [][]int32   // rows that enter a side of a choice
	room    []int32     // memory of the lists
}

// emptied returns n zero values, in the memory of old if it is enough.
func emptied[T any](old []T, n int32) []T {
	if int(n) > cap(old) {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// reset makes s the memory of c.
func (s *Scratch) reset(c *columns) {
	s.of, s.varied = c, false
	s.view, s.uniform, s.scalar, s.filled = emptied(s.view, c.values), emptied(s.uniform, c.values), emptied(s.scalar, c.values), emptied(s.filled, c.values)
	s.todo, s.skip = s.todo[:0], emptied(s.skip, int32(len(c.steps)))
	s.lists, s.room = emptied(s.lists, c.lists), emptied(s.room, c.lists*chunkRows)
	s.memory, s.buffers = emptied(s.memory, c.buffers*chunkRows), emptied(s.buffers, c.buffers)
	for i := range s.buffers {
		s.buffers[i] = s.memory[i*chunkRows:][:chunkRows]
	}
	if n := int(c.values); n > cap(s.fills) {
		s.fills = append(s.fills[:cap(s.fills)], make([][]float64, n-cap(s.fills))...)
	} else {
		s.fills = s.fills[:n] // with the columns that it has
	}
	for _, k := range c.consts {
		s.uniform[k.value], s.scalar[k.value] = true, k.k
		s.fill(k.value)
	}
}

// fill makes the column of a uniform value.
func (s *Scratch) fill(v int32) {
	if s.filled[v] {
		return
	}
	if s.fills[v] == nil {
		s.fills[v] = make([]float64, chunkRows)
	}
	col, k := s.fills[v], s.scalar[v]
	for i := range col {
		col[i] = k
	}
	s.filled[v] = true
	s.view[v] = col
}

func (s *Scratch) run(c *columns, cols [][]float64, out []float64) {
	if s.of != c {
		s.reset(c)
	}
	if varied := allVaried(c, cols); !varied || !s.varied {
		s.hoist(c, cols)
		s.varied = varied
	}
	if s.uniform[c.result] {
		v := oneNaN(s.scalar[c.result])
		for i := range out {
			out[i] = v
		}
		return
	}
	for from := 0; from < len(out); from += chunkRows {
		to := min(from+chunkRows, len(out))
		for _, a := range c.args {
			if !s.uniform[a.value] {
				s.view[a.value] = cols[a.arg][from:to]
			}
		}
		s.chunk(c, out[from:to])
	}
	for _, a := range c.args { // keep no memory of the caller's
		if !s.uniform[a.value] {
			s.view[a.value] = nil
		}
	}
	s.view[c.result] = nil
}

// allVaried reports that no argument is the same in all rows.
func allVaried(c *columns, cols [][]float64) bool {
	for _, a := range c.args {
		if len(cols[a.arg]) == 1 {
			return false
		}
	}
	return true
}

// hoist finds what is the same in all rows, and computes it.
func (s *Scratch) hoist(c *columns, cols [][]float64) {
	for _, a := range c.args {
		col := cols[a.arg]
		s.filled[a.value] = false
		if s.uniform[a.value] = len(col) == 1; s.uniform[a.value] {
			s.scalar[a.value] = col[0]
		}
	}
	for i := range c.steps {
		st := &c.steps[i]
		if st.op == kFilter {
			s.lists[st.dst] = nil
			continue
		}
		all := true
		for _, a := range st.args[:st.n] {
			all = all && s.uniform[a]
		}
		s.uniform[st.dst], s.filled[st.dst] = all, false
		if all {
			s.scalar[st.dst] = st.once(s.scalar)
		} else {
			s.view[st.dst] = s.buffers[st.buf]
		}
	}
	s.plan(c)
}

// plan lists the steps that each chunk of rows takes, and makes the columns of the uniform values they read.
func (s *Scratch) plan(c *columns) {
	clear(s.skip)
	for i := range c.steps {
		st := &c.steps[i]
		if st.fused != kNone && !s.uniform[st.dst] {
			s.skip[st.inner] = !s.uniform[c.steps[st.inner].dst]
		}
	}
	s.todo = s.todo[:0]
	for i := range c.steps {
		st := c.steps[i]
		if st.op != kFilter && s.uniform[st.dst] || s.skip[i] {
			continue
		}
		if st.fused != kNone && s.skip[st.inner] {
			st.op, st.args, st.n = st.fused, st.with, st.width
		}
		for _, a := range st.args[:st.n] {
			if s.uniform[a] {
				s.fill(a)
			}
		}
		s.todo = append(s.todo, st)
	}
}

// once is the value of a step whose operands are the same in all rows.
func (st *step) once(scalar []float64) float64 {
	a := func(i int) float64 { return scalar[st.args[i]] }
	switch {
	case st.op == kernel(Select):
		return pick(a(0) != 0, a(1), a(2))
	case st.op >= kSelectLt:
		return pick(apply2(Lt+Op(st.op-kSelectLt), a(0), a(1)) != 0, a(2), a(3))
	case st.n == 1:
		return apply1(Op(st.op), a(0))
	}
	return apply2(Op(st.op), a(0), a(1))
}

func pick(c bool, x, y float64) float64 {
	if c {
		return x
	}
	return y
}

// chunk evaluates the rows of one chunk.
func (s *Scratch) chunk(c *columns, out []float64) {
	made := false
	for i := range s.todo {
		st := &s.todo[i]
		switch {
		case st.op == kFilter:
			s.filter(st, len(out))
		case st.dst == c.result:
			s.step(st, out)
			made = true
		default:
			s.step(st, s.view[st.dst][:len(out)])
		}
	}
	if !made {
		copy(out, s.view[c.result])
	}
	oneNaNColumn(out)
}
