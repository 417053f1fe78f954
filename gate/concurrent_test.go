package gate

import (
	"reflect"
	"sync"
	"testing"
)

// One gate serves many goroutines, and each gets the verdict that a gate of its own would give.
func TestGateIsShared(t *testing.T) {
	sources := []string{
		"rule priority { return rank / (visits - 777777) }", "rule priority { return rank / (1 + visits) }", "rule priority { return 1 / visits }",
		"rule priority { return sqrt(total - visits) }", "rule priority { return sqrt(rank - rank ** 2) }", "rule priority { return vists }",
	}
	shared := newGate(t, Config{CacheEntries: 4, Constraints: []string{"ops < 9"}})
	want := make([]Verdict, len(sources))
	for i, src := range sources {
		want[i] = newGate(t, Config{CacheEntries: -1, Constraints: []string{"ops < 9"}}).Check(src)
	}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 30 {
				k := (i + worker) % len(sources)
				got := shared.Check(sources[k])
				if got.Stage != want[k].Stage || !reflect.DeepEqual(got.Proof, want[k].Proof) || !reflect.DeepEqual(got.Diags, want[k].Diags) || got.Cost != want[k].Cost {
					t.Errorf("%s: %+v, alone %+v", sources[k], got, want[k])
				}
			}
		})
	}
	wg.Wait()
}
