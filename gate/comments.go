package gate

import "github.com/agentdescent/adrun/dsl"

// bare returns a deep copy of a policy without its comments and places; dsl.CloneRule does so for a rule.
func bare(p *dsl.Policy) *dsl.Policy {
	out := &dsl.Policy{Name: bareName(p.Name), Fills: bareName(p.Fills), Pick: bareName(p.Pick)}
	for _, q := range p.Params {
		out.Params = append(out.Params, &dsl.Param{Name: bareName(q.Name), Int: q.Int, Value: q.Value, Lo: q.Lo, Hi: q.Hi})
	}
	for _, s := range p.States {
		out.States = append(out.States, &dsl.State{Name: bareName(s.Name), Value: s.Value, Lo: s.Lo, Hi: s.Hi})
	}
	for _, h := range p.Hooks {
		c := &dsl.Hook{On: h.On, Name: bareName(h.Name), HasInputs: h.HasInputs, Body: dsl.CloneBlock(h.Body)}
		for _, in := range h.Inputs {
			c.Inputs = append(c.Inputs, bareName(in))
		}
		out.Hooks = append(out.Hooks, c)
	}
	return out
}

func bareName(id dsl.Ident) dsl.Ident { return dsl.Ident{Text: id.Text} }
