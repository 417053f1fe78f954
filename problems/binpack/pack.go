package binpack

// Packer packs instances with one rule and keeps what it learns about the rule from one instance to the next. It is not
// safe for concurrent use.
type Packer struct {
	rule       Priority
	positional bool // the rule reads a bin's place among its neighbours
	collapsed  *collapsed
	scan       *scan
}

// maxCollapsed bounds the capacity up to which priorities are tabulated by item and remaining capacity: a table of at
// most 4 MB. Above it, few bins share a remaining capacity and the scan is no slower.
const maxCollapsed = 1024

// NewPacker returns a packer for the rule.
func NewPacker(rule Priority) *Packer {
	return &Packer{
		rule:       rule,
		positional: reads(rule, Prev) || reads(rule, HasPrev) || reads(rule, Idx),
	}
}

// Pack returns the bins that the rule uses on the instance. See the package documentation for the semantics.
func Pack(in Instance, rule Priority) int { return NewPacker(rule).Pack(in) }

// Pack returns the bins that the rule uses on the instance, which must be one that [Load] or [Generate] could return.
// After the first instance of a kind it allocates only for items and bins beyond those seen so far.
func (p *Packer) Pack(in Instance) int {
	if p.positional || in.Capacity > maxCollapsed {
		if p.scan == nil {
			p.scan = newScan(p.rule)
		}
		return p.scan.pack(in)
	}
	if p.collapsed == nil || p.collapsed.capacity != in.Capacity {
		p.collapsed = newCollapsed(p.rule, in.Capacity)
	}
	return p.collapsed.pack(in)
}
