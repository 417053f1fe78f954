package binpack

// Packer packs instances with one rule and keeps what it learns about the rule from one instance to the next. It is not
// safe for concurrent use.
type Packer struct {
	rule       Priority
	positional bool               // the rule reads a bin's place among its neighbours
	tables     map[int]*collapsed // by capacity
	scan       scan
	unranked   int
}

const (
	// maxCollapsed bounds the capacity up to which priorities are tabulated by item and remaining capacity: a table of
	// at most 4 MB. Above it, few bins share a remaining capacity and the scan is no slower.
	maxCollapsed = 1024
	// maxTables bounds the capacities whose tables are kept.
	maxTables = 4
)

// NewPacker returns a packer for the rule.
func NewPacker(rule Priority) *Packer {
	p := &Packer{tables: map[int]*collapsed{}}
	p.Reset(rule)
	return p
}

// Reset makes it a packer for another rule that allocates only what the ones before it did not need.
func (p *Packer) Reset(rule Priority) {
	p.rule = rule
	p.positional = reads(rule, Prev) || reads(rule, HasPrev) || reads(rule, Idx)
	for _, table := range p.tables {
		table.reset(rule)
	}
	p.scan.reset(rule)
}

// Pack returns the bins that the rule uses on the instance. See the package documentation for the semantics.
func Pack(in Instance, rule Priority) int { return NewPacker(rule).Pack(in) }

// Pack returns the bins that the rule uses on the instance, which must be one that [Load] or [Generate] could return.
func (p *Packer) Pack(in Instance) int {
	var bins int
	if p.positional || in.Capacity > maxCollapsed {
		bins, p.unranked = p.scan.pack(in)
	} else {
		bins, p.unranked = p.table(in.Capacity).pack(in)
	}
	return bins
}

// Unranked returns how many items of the last instance found no valid bin with a finite priority, and so went to the
// first one.
func (p *Packer) Unranked() int { return p.unranked }

func (p *Packer) table(capacity int) *collapsed {
	table, ok := p.tables[capacity]
	if !ok {
		if len(p.tables) == maxTables {
			clear(p.tables)
		}
		table = newCollapsed(p.rule, capacity)
		p.tables[capacity] = table
	}
	return table
}
