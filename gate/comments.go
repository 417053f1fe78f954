package gate

import "github.com/agentdescent/adrun/dsl"

// withoutComments returns the rule without its comments and blank lines. Expressions, which hold
// none, are shared with the rule.
func withoutComments(r *dsl.Rule) *dsl.Rule {
	out := *r
	out.Comments = dsl.Comments{}
	out.Body = bareBlock(r.Body)
	return &out
}

func bareBlock(b *dsl.Block) *dsl.Block {
	if b == nil {
		return nil
	}
	out := &dsl.Block{Span: b.Span, Stmts: make([]dsl.Stmt, len(b.Stmts))}
	for i, s := range b.Stmts {
		out.Stmts[i] = bareStmt(s)
	}
	return out
}

func bareStmt(s dsl.Stmt) dsl.Stmt {
	switch s := s.(type) {
	case *dsl.Let:
		c := *s
		c.Comments = dsl.Comments{}
		return &c
	case *dsl.Assign:
		c := *s
		c.Comments = dsl.Comments{}
		return &c
	case *dsl.Return:
		c := *s
		c.Comments = dsl.Comments{}
		return &c
	case *dsl.If:
		c := dsl.If{Span: s.Span, Arms: make([]*dsl.Arm, len(s.Arms)), Else: bareBlock(s.Else)}
		for i, a := range s.Arms {
			c.Arms[i] = &dsl.Arm{Span: a.Span, Cond: a.Cond, Body: bareBlock(a.Body)}
		}
		return &c
	}
	return s
}
