package prove

import (
	"math"

	"github.com/agentdescent/adrun/gate/interval"
)

// Sample returns the point of the signature that lies at the shares u of its inputs' ranges, each in
// [0, 1]: 0 is the lowest value that the assumptions leave, 1 the highest. Inputs are fixed one after
// the other, beginning with input first, and each narrows the ranges of those that follow. A
// wide range is divided by magnitudes. It reports false if the assumptions leave no such point.
func (p *Prover) Sample(u []float64, first int) ([]float64, bool) {
	if !p.prefix.ok {
		return nil, false
	}
	ws := p.pool.Get().(*workspace)
	defer p.pool.Put(ws)
	r := &ws.runner
	r.task, r.hunting = p.bare, false
	if r.box(append([]interval.Value(nil), p.domain...)) == emptyThere {
		return nil, false
	}
	point := make([]float64, len(p.domain))
	for k := range point {
		i := (first + k) % len(point)
		v := r.vals[i]
		if v.Lo != v.Hi {
			x := p.share(i, v, u[i])
			r.fuel = narrowFuel
			if !r.narrow(int32(i), x, x) || !r.propagate() {
				return nil, false
			}
		}
		point[i] = r.vals[i].Lo + 0 // hosts pass no negative zero
	}
	return point, p.allow(point)
}

// share is the number at a share of an input's range.
func (p *Prover) share(i int, v interval.Value, u float64) float64 {
	s := newScale(v.Lo, v.Hi)
	x := s.inverse(s.at(v.Lo) + float64(u*(s.at(v.Hi)-s.at(v.Lo))))
	if p.whole[i] {
		x = math.Floor(x)
		if !s.log { // every whole number has the same share
			x = v.Lo + math.Floor(u*(v.Hi-v.Lo+1))
		}
	}
	return math.Min(math.Max(x, v.Lo), v.Hi)
}
