package dsl

import "unicode/utf8"

// The sizes of a society.
const (
	maxSocietyNodes = 16
	maxInstruction  = 2000
	maxBudget       = 64
)

// society checks a graph of agents.
func (c *fileCheck) society(s *Society) {
	features := c.features(s)
	index := map[string]int{}
	switch {
	case len(s.Nodes) == 0:
		c.report(s.Name.Span, CodeSocietySize, `add one: node answer { instruction "…" budget 1 }`, "society %q has no node", s.Name.Text)
	case len(s.Nodes) > maxSocietyNodes:
		c.report(s.Nodes[maxSocietyNodes].Span, CodeSocietySize, "", "society %q has %d nodes; at most %d are allowed", s.Name.Text, len(s.Nodes), maxSocietyNodes)
	}
	for i, n := range s.Nodes {
		if _, ok := index[n.Name.Text]; ok {
			c.report(n.Name.Span, CodeDuplicate, "rename or remove one", "node %q is declared twice", n.Name.Text)
			continue
		}
		index[n.Name.Text] = i
		c.node(n)
	}
	next := make([][]*Edge, len(s.Nodes))
	always := make([]bool, len(s.Nodes))
	for _, e := range s.Edges {
		from, ok := c.nodeOf(e.From, index)
		_, ok2 := c.nodeOf(e.To, index)
		if e.When != nil {
			c.boolExpr(e.When, features, "a when")
		}
		if !ok || !ok2 {
			continue
		}
		if always[from] {
			c.report(e.Span, CodeDeadEdge, "put it before the edge without a condition", "this edge is never taken: an edge before it always is").Severity = Warning
		}
		always[from] = always[from] || e.When == nil
		next[from] = append(next[from], e)
	}
	if len(s.Nodes) <= maxSocietyNodes {
		c.graph(s, next, index)
	}
}

// features returns the checker of a society's conditions: its inputs are numbers.
func (c *fileCheck) features(s *Society) *Checker {
	sig := &Signature{Result: BoolType}
	seen := map[string]bool{}
	for _, in := range s.Inputs {
		if seen[in.Text] {
			c.report(in.Span, CodeDuplicateInput, "remove it", "input %q is listed twice", in.Text)
		}
		seen[in.Text] = true
		if _, ok := functions[in.Text]; ok {
			c.report(in.Span, CodeShadowing, "choose another name", "input %q has the name of a function", in.Text)
		}
		sig.Inputs = append(sig.Inputs, &Input{Name: in, Type: NumType})
	}
	return NewChecker(sig, c.opts.Limits, c.opts.Functions)
}

func (c *fileCheck) node(n *SocietyNode) {
	switch size := utf8.RuneCountInString(n.Instruction); {
	case size == 0:
		c.report(n.Span, CodeInstruction, "say what the agent is to do", "node %q has no instruction", n.Name.Text)
	case size > maxInstruction:
		c.report(n.Span, CodeInstruction, "shorten it", "the instruction of node %q has %d characters; at most %d are allowed", n.Name.Text, size, maxInstruction)
	}
	if n.Budget < 1 || n.Budget > maxBudget {
		c.report(n.Span, CodeBudget, "", "the budget of node %q is %d; it must be from 1 to %d", n.Name.Text, n.Budget, maxBudget)
	}
}

func (c *fileCheck) nodeOf(name Ident, index map[string]int) (int, bool) {
	i, ok := index[name.Text]
	if !ok {
		var names []string
		for n := range index {
			names = append(names, n)
		}
		c.report(name.Span, CodeUnknownNode, didYouMean(name.Text, names), "there is no node %q", name.Text)
	}
	return i, ok
}

// graph reports nodes that no path from the first reaches, and one edge of each cycle. A society has
// at most 16 nodes, so the depth of the search is small.
func (c *fileCheck) graph(s *Society, next [][]*Edge, index map[string]int) {
	const (
		unseen = iota
		open
		closed
	)
	state := make([]int, len(s.Nodes))
	cyclic := map[*Edge]bool{}
	var visit func(int)
	visit = func(i int) {
		state[i] = open
		for _, e := range next[i] {
			switch to := index[e.To.Text]; state[to] {
			case open:
				cyclic[e] = true
			case unseen:
				visit(to)
			}
		}
		state[i] = closed
	}
	for i, n := range s.Nodes {
		if state[i] != unseen || index[n.Name.Text] != i {
			continue
		}
		if i > 0 {
			c.report(n.Name.Span, CodeUnreachableNode, "add an edge to it, or remove it", "no path leads from %q to node %q", s.Nodes[0].Name.Text, n.Name.Text)
		}
		visit(i)
	}
	for _, e := range s.Edges {
		if cyclic[e] {
			c.report(e.Span, CodeCycle, "remove an edge of the cycle", "this edge closes a cycle: %s leads back to %s", e.To.Text, e.From.Text)
		}
	}
}
