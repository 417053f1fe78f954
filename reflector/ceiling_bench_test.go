package reflector

import (
	"context"
	"flag"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/internal/stats"
	"github.com/agentdescent/adrun/problems/landscape"
)

var (
	ceilingGenerations = flag.Int("ceiling.generations", 100, "of BenchmarkPriorityCeiling")
	ceilingSeeds       = flag.Int("ceiling.seeds", 8000, "searches that a point of a generation is measured on, new ones each generation")
)

// BenchmarkPriorityCeiling asks how much a priority could gain on the rugged family above the best flat PUCT, whatever
// its form: it tunes a network of all that a rule is shown by evolution strategy, far longer than a run may take, and
// prints what the network gains on searches that it never saw.
//
//	go test ./reflector -run '^$' -bench PriorityCeiling -benchtime 1x -timeout 4h
func BenchmarkPriorityCeiling(b *testing.B) {
	const unseen = 100_000
	half := flatPriority(0.5, 1)
	for b.Loop() {
		base := searchAll(b, half, 10_001_000, unseen)
		report := func(name string, p treesearch.PriorityFunc) {
			gain := stats.Moments{}
			for i, v := range searchAll(b, p, 10_001_000, unseen) {
				gain.Add(v - base[i])
			}
			se := gain.SampleSD() / math.Sqrt(unseen)
			fmt.Printf("%-28s %+.5f ± %.5f above c = 0.5; in a thousand searches t = %.2f is to be expected\n",
				name, gain.Mean, se, gain.Mean/gain.SampleSD()*math.Sqrt(1000))
		}
		report("c = 1", flatPriority(1, 1))
		report("c = 1.98, a = 6.596", flatPriority(1.98, 6.596))
		rng := derive.Rand(1, "ceiling")
		start, scale := make([]float64, networkWeights), make([]float64, networkWeights)
		for i := range start {
			scale[i] = 0.15
			if i < hidden*(networkInputs+1) && i%(networkInputs+1) < networkInputs {
				start[i] = normal(rng)
			}
		}
		strategy := newCMA(start, scale, rng)
		next := int64(1)
		for g := 1; g <= *ceilingGenerations; g++ {
			points := strategy.ask()
			worth := make([]float64, len(points))
			for k, x := range points {
				worth[k] = stats.Mean(searchAll(b, network(x), next, *ceilingSeeds))
			}
			next += int64(*ceilingSeeds)
			strategy.tell(worth)
			if g%20 == 0 {
				report(fmt.Sprintf("network, generation %d", g), network(strategy.mean))
			}
		}
	}
}

// searchAll makes the searches of n seeds on the rugged family and returns their aucs.
func searchAll(b *testing.B, p treesearch.PriorityFunc, from int64, n int) []float64 {
	aucs := make([]float64, n)
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() {
			s, sel := landscape.NewSearcher(landscape.Target()), treesearch.NewPrioritySelection(p)
			for i := w; i < n; i += workers {
				r, err := s.Search(context.Background(), from+int64(i), landscape.DefaultBudget, sel)
				if err != nil {
					b.Error(err)
					return
				}
				aucs[i] = r.AUC
			}
		})
	}
	group.Wait()
	return aucs
}

// flatPriority is rank + c·√total / n_nodes / (a + visits).
func flatPriority(c, a float64) treesearch.PriorityFunc {
	return func(rank, visits, total, _, _, nodes float64) float64 {
		return rank + float64(c*math.Sqrt(total)/nodes)/(a+visits)
	}
}

const (
	hidden         = 5
	networkInputs  = 6 // the bias among them
	networkWeights = hidden*(networkInputs+1) + networkInputs - 1
)

// network is flat PUCT plus a layer of neurons and a linear part, in places of rank. The inputs are scaled to be near
// −1 to 1.
func network(w []float64) treesearch.PriorityFunc {
	flat := flatPriority(0.5, 1)
	return func(rank, visits, total, prior, depth, nodes float64) float64 {
		place := 0.0 // 0 is the best node
		if nodes > 1 {
			place = (1 - rank) * (nodes - 1)
		}
		in := [networkInputs]float64{
			fmath.Log1p(place) - 0.8, fmath.Log1p(visits) - 1, depth/5 - 0.8, nodes/30 - 1, total/nodes/5 - 0.8, 1,
		}
		value := 20 * flat(rank, visits, total, prior, depth, nodes)
		for h := range hidden {
			neuron := w[h*(networkInputs+1) : (h+1)*(networkInputs+1)]
			sum := dot(in[:], neuron[:networkInputs])
			value += 4 * neuron[networkInputs] * sum / (1 + math.Abs(sum))
		}
		return value + dot(in[:networkInputs-1], w[hidden*(networkInputs+1):])
	}
}
