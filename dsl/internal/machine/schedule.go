package machine

// region is a place in the control flow: the whole function, or one side of a branch within another region.
type region struct {
	parent, depth int32
	cluster       int32 // whose side it is
	// imports are values of the parent region that this one reads: they are computed before the branch.
	imports []ID
}

// cluster is the selects that one branch decides, and where the branch stands.
type cluster struct {
	members         []ID // live selects
	region          int32
	then, otherwise int32 // regions of the sides
	settled         bool
}

// schedule says for each live value where it is computed: as deep in the branches as all its uses allow, so that a path
// pays for nothing that it does not read.
type schedule struct {
	g        *Graph
	regions  []region
	place    []int32 // region of a value; unplaced where nothing reads it
	uses     []int32 // how often the program reads a value
	clusters []cluster
	edges    []useEdge
}

type useEdge struct {
	value  ID
	region int32
}

const unplaced = -1

// newSchedule places all values that the outputs depend on.
func newSchedule(g *Graph, outputs []ID) *schedule {
	s := &schedule{
		g:        g,
		regions:  []region{{parent: unplaced}},
		place:    make([]int32, len(g.values)),
		uses:     make([]int32, len(g.values)),
		clusters: make([]cluster, g.groups),
	}
	for i := range s.place {
		s.place[i] = unplaced
	}
	for i, v := range g.values {
		if v.op == Select {
			c := &s.clusters[v.group]
			c.members = append(c.members, ID(i))
		}
	}
	for _, out := range outputs {
		s.use(out, 0)
	}
	for v := ID(len(g.values)) - 1; v >= 0; v-- { // users before what they use
		if s.place[v] != unplaced {
			s.useOperands(v)
		}
	}
	for _, e := range s.edges {
		s.imported(e.value, e.region)
	}
	return s
}

// leaf reports a value that an instruction reads in place.
func (g *Graph) leaf(x ID) bool { return g.values[x].op <= Arg }

// inline reports a condition that is evaluated anew at each branch on it: comparing again costs less than storing the
// outcome and testing that. What it compares is stored.
func (g *Graph) inline(x ID) bool {
	v := &g.values[x]
	if v.op == Not {
		return true
	}
	return v.op.compares() && !g.condition(v.arg[0]) && !g.condition(v.arg[1])
}

func (g *Graph) condition(x ID) bool { return g.values[x].op.compares() || g.values[x].op == Not }

// use records that region r reads x.
func (s *schedule) use(x ID, r int32) {
	v := &s.g.values[x]
	if s.g.inline(x) {
		for _, o := range v.arg[:v.op.arity()] {
			s.use(o, r)
		}
		return
	}
	if s.g.leaf(x) {
		return
	}
	s.uses[x]++
	s.edges = append(s.edges, useEdge{x, r})
	if s.place[x] == unplaced {
		s.place[x] = r
	} else {
		s.place[x] = s.common(s.place[x], r)
	}
}

func (s *schedule) useOperands(x ID) {
	v := &s.g.values[x]
	if v.op != Select {
		for _, o := range v.arg[:v.op.arity()] {
			s.use(o, s.place[x])
		}
		return
	}
	c := &s.clusters[v.group]
	if !c.settled {
		s.settle(v.group)
		s.use(v.arg[0], c.region)
	}
	s.use(v.arg[1], c.then)
	s.use(v.arg[2], c.otherwise)
}

// settle gives a cluster its place, that of all its members' uses, and regions for its two sides. It runs when the last
// member is reached, so that every use of every member is known.
func (s *schedule) settle(group int32) {
	c := &s.clusters[group]
	live := c.members[:0]
	c.region = unplaced
	for _, m := range c.members {
		switch {
		case s.place[m] == unplaced:
			continue
		case c.region == unplaced:
			c.region = s.place[m]
		default:
			c.region = s.common(c.region, s.place[m])
		}
		live = append(live, m)
	}
	c.members, c.settled = live, true
	for _, m := range live {
		s.place[m] = c.region
	}
	c.then = int32(len(s.regions))
	c.otherwise = c.then + 1
	side := region{parent: c.region, cluster: group, depth: s.regions[c.region].depth + 1}
	s.regions = append(s.regions, side, side)
}

// common returns the innermost region that encloses a and b.
func (s *schedule) common(a, b int32) int32 {
	for a != b {
		if s.regions[a].depth > s.regions[b].depth {
			a = s.regions[a].parent
		} else {
			b = s.regions[b].parent
		}
	}
	return a
}

// imported enters x into the imports of the outermost region that r lies in and x does not.
func (s *schedule) imported(x ID, r int32) {
	home := s.place[x]
	if r == home {
		return
	}
	for s.regions[r].parent != home {
		r = s.regions[r].parent
	}
	list := &s.regions[r].imports
	if n := len(*list); n == 0 || (*list)[n-1] != x {
		*list = append(*list, x)
	}
}
