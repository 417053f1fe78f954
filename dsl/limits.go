package dsl

// Limits bounds the texts that the language accepts. The zero value of a field means its default;
// a host may lower them, or raise them for texts of its own.
type Limits struct {
	FileBytes int // bytes of a file; default 256 KiB
	RuleBytes int // bytes of source of one rule; default 4096
	DeclBytes int // bytes of source of any other declaration, a society among them; default 16 KiB
	Nodes     int // operator and call nodes of a rule or hook; default 256
	Nesting   int // parentheses, blocks, calls, unary and ** chains; default 32, never above MaxNesting
	Locals    int // locals of a rule or hook; default 64
}

// MaxNesting is the nesting that no host can exceed: what is nested deeper would be parsed on a
// stack that grows with the text.
const MaxNesting = 1000

// Normalize returns l with defaults for the fields that are zero.
func (l Limits) Normalize() Limits {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&l.FileBytes, 256<<10)
	def(&l.RuleBytes, 4096)
	def(&l.DeclBytes, 16<<10)
	def(&l.Nodes, 256)
	def(&l.Nesting, 32)
	def(&l.Locals, 64)
	l.Nesting = min(l.Nesting, MaxNesting)
	return l
}
