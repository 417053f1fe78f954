package slots

// CheapScore is a mean reward on the ranking sub-sample. It is a type of its own so that it cannot be
// passed where a Counts decides.
type CheapScore float64

// Counts is a measurement on the whole held-out set: the sum of rewards and of what they miss to 1.
type Counts struct {
	Successes float64 `json:"successes"`
	Failures  float64 `json:"failures"`
}

// Count returns the counts of the rewards, summed in order.
func Count(rewards []float64) Counts {
	var c Counts
	for _, r := range rewards {
		c.Successes += r
	}
	c.Failures = float64(len(rewards)) - c.Successes
	return c
}

// N is the number of measured tasks.
func (c Counts) N() float64 { return c.Successes + c.Failures }

// Rate is the mean reward; 0 for no tasks.
func (c Counts) Rate() float64 {
	if n := c.N(); n > 0 {
		return c.Successes / n
	}
	return 0
}

// Beta is a Beta(A, B) distribution.
type Beta struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

// UniformPrior is Beta(1, 1).
func UniformPrior() Beta { return Beta{A: 1, B: 1} }

// Plus returns the distribution after s further successes and f failures.
func (b Beta) Plus(s, f float64) Beta { return Beta{A: b.A + s, B: b.B + f} }
