package engine

import (
	"cmp"
	"math"
	"slices"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// eliteRecord is a slots.Elite as the log keeps it: by text.
type eliteRecord struct {
	Text     string  `json:"text"`
	Identity string  `json:"id"`
	Score    float64 `json:"score"`
	N        int     `json:"n"`
	Ops      int     `json:"ops,omitempty"`
	Niche    string  `json:"niche,omitempty"`
}

// population remembers what trials have measured: the best of each niche first, then the best.
type population struct {
	limit   int
	print   func(*dsl.Rule) string
	parse   func(text string) (*dsl.Rule, error)
	members []slots.Elite
	commits int
	view    *slots.Population
}

// records turns elites into what is stored. It is called by lanes and changes nothing.
func (p *population) records(elites []slots.Elite) ([]eliteRecord, error) {
	var out []eliteRecord
	for _, e := range elites {
		if math.IsNaN(e.Score) || math.IsInf(e.Score, 0) || e.Identity == "" {
			return nil, &slots.ContractError{
				Slot: "proposal", Rule: "an elite has an identity and a finite score", Got: e.Identity + " without one",
			}
		}
		text := e.Text
		if text == "" && e.Rule != nil && p.print != nil {
			text = p.print(e.Rule)
		}
		out = append(out, eliteRecord{Text: text, Identity: e.Identity, Score: e.Score, N: e.N, Ops: e.Ops, Niche: e.Niche})
	}
	return out, nil
}

// add merges the elites of one lease. Of two with one identity the one with more trials stays.
func (p *population) add(recs []eliteRecord) error {
	if len(recs) == 0 {
		return nil
	}
	p.view = nil
	for _, rec := range recs {
		e := slots.Elite{Text: rec.Text, Identity: rec.Identity, Score: rec.Score, N: rec.N, Ops: rec.Ops, Niche: rec.Niche}
		if i := slices.IndexFunc(p.members, func(m slots.Elite) bool { return m.Identity == e.Identity }); i >= 0 {
			if p.members[i].N >= e.N {
				continue
			}
			p.members = slices.Delete(p.members, i, i+1)
		}
		i, _ := slices.BinarySearchFunc(p.members, e, func(m, e slots.Elite) int {
			if better(m, e) >= 0 {
				return -1 // an equal one that came earlier stays in front
			}
			return 1
		})
		p.members = slices.Insert(p.members, i, e)
	}
	p.trim()
	return nil
}

// better compares two elites: by score, then by fewer ops.
func better(a, b slots.Elite) int {
	if c := cmp.Compare(a.Score, b.Score); c != 0 {
		return c
	}
	return cmp.Compare(b.Ops, a.Ops)
}

// trim drops the lowest that are not the best of their niche, then the lowest.
func (p *population) trim() {
	over := len(p.members) - p.limit
	if over <= 0 {
		return
	}
	seen := map[string]bool{}
	spare := make([]bool, len(p.members))
	for i, m := range p.members {
		spare[i] = seen[m.Niche]
		seen[m.Niche] = true
	}
	kept := p.members[:0:0]
	for i := len(p.members) - 1; i >= 0; i-- {
		if over > 0 && spare[i] {
			over--
			continue
		}
		kept = append(kept, p.members[i])
	}
	slices.Reverse(kept)
	p.members = kept[:min(len(kept), p.limit)]
}

// snapshot is the view that the leases of a round share. Trees are read back from the stored text, so that
// a run and its resume hand out the same ones.
func (p *population) snapshot() *slots.Population {
	if p.view != nil && p.view.Commits == p.commits {
		return p.view
	}
	for i := range p.members {
		m := &p.members[i]
		if m.Rule == nil && m.Text != "" && p.parse != nil {
			// A text that was admitted parses; one that does not is handed out without a tree.
			m.Rule, _ = p.parse(m.Text)
		}
	}
	p.view = &slots.Population{Elites: slices.Clone(p.members), Commits: p.commits}
	return p.view
}

// pool holds cards until a merge takes them.
type pool struct {
	cards []*slots.Card
}

// maxPool bounds how many cards of one artifact wait after merges that could not be measured.
const maxPool = 64

func (p *pool) add(c *slots.Card) { p.cards = append(p.cards, c) }

// take removes the cards of an artifact, in lease order.
func (p *pool) take(artifact string) []*slots.Card {
	var mine, rest []*slots.Card
	for _, c := range p.cards {
		if c.Artifact == artifact {
			mine = append(mine, c)
		} else {
			rest = append(rest, c)
		}
	}
	p.cards = rest
	slices.SortStableFunc(mine, func(a, b *slots.Card) int { return cmp.Compare(a.Lease, b.Lease) })
	return mine
}

// giveBack returns cards of one artifact; the oldest are forgotten when there are too many.
func (p *pool) giveBack(cards []*slots.Card) {
	p.cards = append(p.cards, cards[max(0, len(cards)-maxPool):]...)
}

// orphans removes the cards of artifacts that the run does not have.
func (p *pool) orphans(known func(string) bool) []*slots.Card {
	var lost, rest []*slots.Card
	for _, c := range p.cards {
		if known(c.Artifact) {
			rest = append(rest, c)
		} else {
			lost = append(lost, c)
		}
	}
	p.cards = rest
	return lost
}
