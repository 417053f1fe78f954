// Package grammartest reads grammars that package grammar has printed, recognises texts by them and derives
// texts from them. It knows GBNF and Lark as far as they are printed and nothing of the rule language, so that
// tests hold what is printed, not what was meant. It is for tests.
package grammartest

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Grammar is a grammar that was read.
type Grammar struct {
	start  string
	rules  map[string]node
	height map[string]int // of the lowest derivation
}

// node is a right-hand side: text, class, call, sequence, choice or repeat.
type node interface{ node() }

type (
	text     string
	class    [256]bool
	call     string
	sequence []node
)

// choice keeps the height of each of its nodes, once those of all productions are known.
type choice struct {
	of      []node
	heights []int
}

type repeat struct {
	of       node
	min, max int // max < 0 is without end
}

func (text) node()     {}
func (*class) node()   {}
func (call) node()     {}
func (sequence) node() {}
func (*choice) node()  {}
func (*repeat) node()  {}

// Match reports whether the grammar derives the text.
func (g *Grammar) Match(s string) bool {
	m := &matcher{grammar: g, text: s, memo: map[place][]int{}}
	return slices.Contains(m.ends(call(g.start), 0), len(s))
}

// matcher finds, for a node and a place, every place where what the node derives may end.
type matcher struct {
	grammar *Grammar
	text    string
	memo    map[place][]int
}

type place struct {
	rule string
	at   int
}

func (m *matcher) ends(n node, at int) []int {
	switch n := n.(type) {
	case text:
		if end := at + len(n); end <= len(m.text) && m.text[at:end] == string(n) {
			return []int{end}
		}
	case *class:
		if at < len(m.text) && n[m.text[at]] {
			return []int{at + 1}
		}
	case call:
		key := place{string(n), at}
		ends, done := m.memo[key]
		if !done {
			m.memo[key] = nil // a left recursion finds nothing, rather than going on forever
			ends = m.ends(m.grammar.rules[string(n)], at)
			m.memo[key] = ends
		}
		return ends
	case sequence:
		ends := []int{at}
		for _, x := range n {
			ends = m.step(x, ends)
		}
		return ends
	case *choice:
		var ends []int
		for _, x := range n.of {
			ends = union(ends, m.ends(x, at))
		}
		return ends
	case *repeat:
		return m.repeated(n, at)
	}
	return nil
}

// step returns the ends of a node from any of several places.
func (m *matcher) step(n node, from []int) []int {
	var ends []int
	for _, at := range from {
		ends = union(ends, m.ends(n, at))
	}
	return ends
}

func (m *matcher) repeated(r *repeat, at int) []int {
	var all []int
	ends := []int{at}
	for i := 0; len(ends) > 0; i++ {
		if i >= r.min {
			if known := len(all); known == len(union(all, ends)) {
				break
			}
			all = union(all, ends)
		}
		if i == r.max {
			break
		}
		ends = m.step(r.of, ends)
	}
	return all
}

// union merges two ascending lists.
func union(a, b []int) []int {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

// Derive derives a text. A choice is the less likely the higher the least that it derives; past depth
// productions within one another the lowest is taken.
func (g *Grammar) Derive(rng *rand.Rand, depth int) string {
	d := &deriver{grammar: g, rng: rng}
	d.derive(call(g.start), depth)
	return string(d.out)
}

type deriver struct {
	grammar *Grammar
	rng     *rand.Rand
	out     []byte
}

func (d *deriver) derive(n node, depth int) {
	switch n := n.(type) {
	case text:
		d.out = append(d.out, n...)
	case *class:
		var chars []byte
		for c, ok := range n {
			if ok {
				chars = append(chars, byte(c))
			}
		}
		d.out = append(d.out, chars[d.rng.IntN(len(chars))])
	case call:
		d.derive(d.grammar.rules[string(n)], depth-1)
	case sequence:
		for _, x := range n {
			d.derive(x, depth)
		}
	case *choice:
		d.derive(n.of[d.pick(n, depth)], depth)
	case *repeat:
		for i := 0; i != n.max && (i < n.min || depth > 0 && d.rng.IntN(3) == 0); i++ {
			d.derive(n.of, depth)
		}
	}
}

// pick chooses among those that fit into the depth, or the lowest.
func (d *deriver) pick(n *choice, depth int) int {
	low := 0
	for i, h := range n.heights {
		if h < n.heights[low] {
			low = i
		}
	}
	weight := func(h int) float64 {
		if h > depth {
			return 0
		}
		return 1 / float64(1+h-n.heights[low])
	}
	sum := 0.0
	for _, h := range n.heights {
		sum += weight(h)
	}
	at := d.rng.Float64() * sum
	for i, h := range n.heights {
		if at -= weight(h); at < 0 {
			return i
		}
	}
	return low
}

// tall is the height of what is not known to derive anything.
const tall = 1 << 20

// finish checks that every production that is used is there and derives something.
func (g *Grammar) finish() error {
	if g.rules[g.start] == nil {
		return fmt.Errorf("there is no production %q", g.start)
	}
	for name, n := range g.rules {
		if missing := g.missing(n); missing != "" {
			return fmt.Errorf("%s uses %s, which nothing defines", name, missing)
		}
		g.height[name] = tall
	}
	for changed := true; changed; {
		changed = false
		for name, n := range g.rules {
			if h := 1 + g.heightOf(n); h < g.height[name] {
				g.height[name], changed = h, true
			}
		}
	}
	for name, h := range g.height {
		if h >= tall {
			return fmt.Errorf("%s derives nothing", name)
		}
		g.measure(g.rules[name])
	}
	return nil
}

// missing names a production that a node uses and nothing defines.
func (g *Grammar) missing(n node) string {
	if name, ok := n.(call); ok && g.rules[string(name)] == nil {
		return string(name)
	}
	for _, x := range parts(n) {
		if name := g.missing(x); name != "" {
			return name
		}
	}
	return ""
}

// measure notes the heights of all choices in a node.
func (g *Grammar) measure(n node) {
	for _, x := range parts(n) {
		g.measure(x)
	}
	if c, ok := n.(*choice); ok {
		for _, x := range c.of {
			c.heights = append(c.heights, g.heightOf(x))
		}
	}
}

// parts returns the nodes that a node is made of.
func parts(n node) []node {
	switch n := n.(type) {
	case sequence:
		return n
	case *choice:
		return n.of
	case *repeat:
		return []node{n.of}
	}
	return nil
}

// heightOf is how many productions stand within one another in the lowest derivation of a node.
func (g *Grammar) heightOf(n node) int {
	h := 0
	switch n := n.(type) {
	case call:
		h = g.height[string(n)]
	case sequence:
		for _, x := range n {
			h = max(h, g.heightOf(x))
		}
	case *choice:
		h = tall
		for _, x := range n.of {
			h = min(h, g.heightOf(x))
		}
	case *repeat:
		if n.min > 0 {
			h = g.heightOf(n.of)
		}
	}
	return min(h, tall)
}
