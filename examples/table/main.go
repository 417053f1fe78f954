// Command table writes the logs that examples/table.yaml evolves a rule on: requests, each of which one of five
// servers is to answer.
//
// What is known of a server is its round trip in ms, the requests it has waiting, how many it answers a second and
// the share of its memory in use. The payoff is 1000 over the time to the answer in ms: the round trip and the
// wait for the requests ahead, three times as long where memory is nearly full, since that server swaps. Every row has
// its payoff, since the simulated request is sent to all of them.
//
//	go run . DIR
package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

//go:generate go run . .

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	for name, f := range map[string]struct {
		seed      uint64
		decisions int
	}{"log.csv": {1, 300}, "sealed.csv": {2, 100}} {
		if err := os.WriteFile(filepath.Join(dir, name), log(f.seed, f.decisions, name[:1]), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

const servers = 5

// log makes a CSV file of decisions; prefix begins their names.
func log(seed uint64, decisions int, prefix string) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	var b bytes.Buffer
	fmt.Fprintln(&b, "request,round trip,waiting,rate,memory,payoff")
	for d := range decisions {
		for range servers {
			roundTrip := 1 + rng.IntN(80)
			waiting := rng.IntN(40)
			rate := 50 + rng.IntN(450)
			memory := 30 + rng.IntN(70)
			ms := float64(roundTrip) + float64(1000*(waiting+1))/float64(rate)
			if memory > 90 {
				ms = 3 * ms
			}
			fmt.Fprintf(&b, "%s%d,%d,%d,%d,0.%d,%.3f\n", prefix, d+1, roundTrip, waiting, rate, memory, 1000/ms)
		}
	}
	return b.Bytes()
}
