package reflector

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/slots"
)

// Mix proposes through one of several sources, chosen a lease by what has come of each so far. It is Thompson
// sampling for budgeted bandits (Xia, Li, Qin, Yu and Liu, IJCAI 2015): the chance that a lease of a source ends in
// a commit has the posterior Beta(1 + commits, 1 + leases − commits); the source with the largest ratio of a draw
// from it to the mean cost of its leases is chosen. A share of the leases goes to any source, so that none is
// given up for good.
//
// The choice is a function of the tallies of the last barrier and of the lease's seed: it is the same for any
// number of workers, and a resume, which has the same tallies, makes it again.
type Mix struct {
	// Sources are at least two, with different names.
	Sources []Source
	// Caps are the run's. What a lease costs is the sum of the shares of the caps that it uses; what has no cap is
	// free.
	Caps Caps
	// Explore is the share of the leases that go to any source; 0 is DefaultExplore.
	Explore float64
}

// Source is one of those who propose.
type Source struct {
	Name     string
	Proposer slots.Proposer
}

// Caps are what a run may use of each thing; 0 is without a cap.
type Caps struct {
	Leases int
	slots.Spend
}

// DefaultExplore is the share of the leases that go to any source.
const DefaultExplore = 0.05

// leastCost bounds the cost of a source from below, as a share of the dearest one's: one that uses nothing that is
// capped is preferred, but not for ever.
const leastCost = 0.01

var _ slots.Proposer = Mix{}

// Validate reports everything that is wrong with the mix.
func (m Mix) Validate() error {
	var errs []error
	if len(m.Sources) < 2 {
		errs = append(errs, fmt.Errorf("a mix has %d sources: it takes two or more", len(m.Sources)))
	}
	seen := map[string]bool{}
	for _, s := range m.Sources {
		switch {
		case s.Name == "" || s.Proposer == nil:
			errs = append(errs, errors.New("a source of a mix has no name or no proposer"))
		case seen[s.Name]:
			errs = append(errs, fmt.Errorf("two sources of a mix are called %q: name them apart", s.Name))
		}
		seen[s.Name] = true
	}
	if m.Explore < 0 || m.Explore > 1 {
		errs = append(errs, fmt.Errorf("a mix explores %g of its leases, which is outside 0 to 1", m.Explore))
	}
	return errors.Join(errs...)
}

// Propose asks the source of the lease.
func (m Mix) Propose(ctx context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	s := m.Sources[m.choose(pc)]
	p, err := s.Proposer.Propose(ctx, pc)
	if err != nil {
		var named *slots.SourceError
		if errors.As(err, &named) {
			err = named.Err // by the name that the mix has for it
		}
		return nil, &slots.SourceError{Source: s.Name, Err: err}
	}
	var out slots.Proposal
	if p != nil {
		out = *p
	}
	out.Source = s.Name
	return &out, nil
}

// choose returns the place of the lease's source.
func (m Mix) choose(pc *slots.ProposalContext) int {
	rng := derive.Rand(pc.Seed, "mix")
	if rng.Float64() < cmp.Or(m.Explore, DefaultExplore) {
		return rng.IntN(len(m.Sources))
	}
	tallies := m.tallies(pc.Population)
	costs := m.costs(tallies)
	best, most := 0, -1.0
	for i, t := range tallies {
		if v := beta(rng, 1+t.Commits, 1+t.Leases-t.Commits) / costs[i]; v > most {
			best, most = i, v
		}
	}
	return best
}

// tallies are those of the sources, in their order; of one that was not asked yet all is zero.
func (m Mix) tallies(p *slots.Population) []slots.SourceTally {
	out := make([]slots.SourceTally, len(m.Sources))
	if p == nil {
		return out
	}
	for i, s := range m.Sources {
		at := slices.IndexFunc(p.Sources, func(t slots.SourceTally) bool { return t.Source == s.Name })
		if at >= 0 {
			out[i] = p.Sources[at]
		}
	}
	return out
}

// costs are the mean costs of a lease of each source. One that was not asked yet is taken to be as dear as the
// others on average; a lease in which the source could not be reached, as the dearest.
func (m Mix) costs(tallies []slots.SourceTally) []float64 {
	costs := make([]float64, len(tallies))
	sum, known, most := 0.0, 0, 0.0
	for i, t := range tallies {
		if t.Leases == 0 {
			continue
		}
		costs[i] = m.share(t) / float64(t.Leases)
		sum, known, most = sum+costs[i], known+1, max(most, costs[i])
	}
	if most == 0 { // nothing is capped, or nothing was asked yet
		for i := range costs {
			costs[i] = 1
		}
		return costs
	}
	for i, t := range tallies {
		if t.Leases == 0 {
			costs[i] = sum / float64(known)
		} else {
			costs[i] += most * float64(t.Failed) / float64(t.Leases)
		}
		costs[i] = max(costs[i], leastCost*most)
	}
	return costs
}

// share is how much of the caps a source has used.
func (m Mix) share(t slots.SourceTally) float64 {
	sum := 0.0
	use := func(used, most float64) {
		if most > 0 {
			sum += used / most
		}
	}
	use(float64(t.Leases), float64(m.Caps.Leases))
	use(float64(t.Spend.Rollouts), float64(m.Caps.Rollouts))
	use(float64(t.Spend.Calls), float64(m.Caps.Calls))
	use(float64(t.Spend.Tokens), float64(m.Caps.Tokens))
	use(t.Spend.Cost, m.Caps.Cost)
	return sum
}

// mostDraws bounds what a draw from a posterior costs.
const mostDraws = 1024

// beta draws from Beta(a, b) for whole a and b: the a-th smallest of a + b − 1 uniform numbers. It needs no
// logarithm, so it has the same bits on every machine. Large counts are halved: they are certain enough.
func beta(rng *rand.Rand, a, b int) float64 {
	for a+b > mostDraws {
		a, b = max(1, a/2), max(1, b/2)
	}
	draws := make([]float64, a+b-1)
	for i := range draws {
		draws[i] = rng.Float64()
	}
	slices.Sort(draws)
	return draws[a-1]
}
