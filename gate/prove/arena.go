package prove

// arena hands out slices of one block of memory, all of which are given back at once. What outgrows the
// block stays valid: it keeps the old one alive.
type arena[T any] struct {
	items []T
}

// take returns a slice that holds x.
func (a *arena[T]) take(x T) []T {
	a.items = append(a.items, x)
	n := len(a.items)
	return a.items[n-1 : n : n]
}

// room returns an empty slice to which n values can be appended; used tells how many were.
func (a *arena[T]) room(n int) []T {
	used := len(a.items)
	if cap(a.items) < used+n {
		a.items, used = make([]T, 0, 2*cap(a.items)+n+64), 0
	}
	return a.items[used : used : used+n]
}

// used keeps the first n values of the slice that room returned last.
func (a *arena[T]) used(n int) { a.items = a.items[:len(a.items)+n] }

// reset takes everything back.
func (a *arena[T]) reset() { a.items = a.items[:0] }
