package interval

// Eq returns whether a == b; like every comparison but Ne it is false when an operand is NaN.
func Eq(a, b Value) Value {
	nan := a.NaN || b.NaN
	switch {
	case a.IsEmpty() || b.IsEmpty() || a.Hi < b.Lo || b.Hi < a.Lo:
		return Truth(false)
	case !nan && a.Lo == a.Hi && b.Lo == b.Hi:
		return Truth(true)
	}
	return Maybe()
}

// Ne returns whether a != b, which holds when an operand is NaN.
func Ne(a, b Value) Value { return Not(Eq(a, b)) }

// Lt returns whether a < b.
func Lt(a, b Value) Value {
	nan := a.NaN || b.NaN
	switch {
	case a.IsEmpty() || b.IsEmpty() || a.Lo >= b.Hi:
		return Truth(false)
	case !nan && a.Hi < b.Lo:
		return Truth(true)
	}
	return Maybe()
}

// Le returns whether a <= b.
func Le(a, b Value) Value {
	nan := a.NaN || b.NaN
	switch {
	case a.IsEmpty() || b.IsEmpty() || a.Lo > b.Hi:
		return Truth(false)
	case !nan && a.Hi <= b.Lo:
		return Truth(true)
	}
	return Maybe()
}

// Not returns the negation of a truth value.
func Not(a Value) Value { return Value{Lo: 1 - a.Hi, Hi: 1 - a.Lo} }

// And returns the conjunction of two truth values.
func And(a, b Value) Value { return Value{Lo: min(a.Lo, b.Lo), Hi: min(a.Hi, b.Hi)} }

// Or returns the disjunction of two truth values.
func Or(a, b Value) Value { return Value{Lo: max(a.Lo, b.Lo), Hi: max(a.Hi, b.Hi)} }
