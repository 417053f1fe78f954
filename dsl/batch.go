package dsl

// Batch evaluates the program at len(out) rows. cols has a column for each argument: the inputs of the signature, then, for
// a hook that reads state, the states. A column holds a value for each row; one of length 1 holds the value of all rows.
func (p *Program) Batch(cols [][]float64, out []float64) {
	var small [largeTemps]float64
	row := small[:]
	if len(cols) > len(small) {
		row = make([]float64, len(cols))
	}
	row = row[:len(cols)]
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
