package reflector

import "github.com/agentdescent/adrun/dsl"

// site is a place in a rule where an expression stands and another of its type may stand.
type site struct {
	at     *dsl.Expr
	typ    dsl.Type
	locals []local
}

// siteWalker gathers the sites of a rule in source order, with the locals that each may read.
type siteWalker struct {
	v     *vocabulary
	sites []site
	kinds map[string]dsl.Type // of inputs, locals and words
}

// newSiteWalker knows the types of inputs and words.
func newSiteWalker(v *vocabulary) *siteWalker {
	w := &siteWalker{v: v, kinds: map[string]dsl.Type{}}
	for _, in := range v.sig.Inputs {
		w.kinds[in.Name.Text] = in.Type
		for _, word := range in.Type.Words {
			w.kinds[word] = in.Type
		}
	}
	for _, word := range v.sig.Result.Words {
		w.kinds[word] = v.sig.Result
	}
	return w
}

// sitesOf returns the expressions of a rule. The rule passed the checker, so its types are consistent.
func sitesOf(v *vocabulary, r *dsl.Rule) []site {
	w := newSiteWalker(v)
	w.block(r.Body, nil)
	return w.sites
}

func (w *siteWalker) block(b *dsl.Block, locals []local) {
	scope := locals[:len(locals):len(locals)]
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *dsl.Let:
			t := w.typeOf(s.Value)
			w.expr(&s.Value, t, scope)
			w.kinds[s.Name.Text] = t
			scope = append(scope[:len(scope):len(scope)], local{s.Name.Text, t.Kind})
		case *dsl.Assign:
			w.expr(&s.Value, w.kinds[s.Name.Text], scope)
		case *dsl.Return:
			w.expr(&s.Value, w.v.sig.Result, scope)
		case *dsl.If:
			for _, a := range s.Arms {
				w.expr(&a.Cond, dsl.BoolType, scope)
				w.block(a.Body, scope)
			}
			if s.Else != nil {
				w.block(s.Else, scope)
			}
		}
	}
}

func (w *siteWalker) expr(at *dsl.Expr, t dsl.Type, locals []local) {
	w.sites = append(w.sites, site{at, t, locals})
	switch e := (*at).(type) {
	case *dsl.Unary:
		if e.Op == dsl.Not {
			w.expr(&e.X, dsl.BoolType, locals)
		} else {
			w.expr(&e.X, dsl.NumType, locals)
		}
	case *dsl.Binary:
		operand := dsl.NumType
		switch e.Op {
		case dsl.And, dsl.Or:
			operand = dsl.BoolType
		case dsl.Eq, dsl.Ne:
			operand = w.typeOf(e.X)
		}
		w.expr(&e.X, operand, locals)
		w.expr(&e.Y, operand, locals)
	case *dsl.Cond:
		w.expr(&e.If, dsl.BoolType, locals)
		w.expr(&e.Then, t, locals)
		w.expr(&e.Else, t, locals)
	case *dsl.Call:
		for i := range e.Args {
			w.expr(&e.Args[i], dsl.NumType, locals)
		}
	}
}

// typeOf infers the type of an expression.
func (w *siteWalker) typeOf(e dsl.Expr) dsl.Type {
	switch e := e.(type) {
	case *dsl.Bool:
		return dsl.BoolType
	case *dsl.Ref:
		return w.kinds[e.Name]
	case *dsl.Unary:
		if e.Op == dsl.Not {
			return dsl.BoolType
		}
	case *dsl.Binary:
		if e.Op >= dsl.Or && e.Op <= dsl.Ge {
			return dsl.BoolType
		}
	case *dsl.Cond:
		return w.typeOf(e.Then)
	}
	return dsl.NumType
}
