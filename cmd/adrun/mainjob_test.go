package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// mainJobs are the examples that are run to the end, with the sets that their rules are measured on.
var mainJobs = []struct {
	spec string
	sets []string
}{
	{"binpack_long", []string{"or1", "or2", "or3", "or4"}},
	{"binpack_weibull", []string{"funsearch_weibull5k"}},
}

// BenchmarkMainJob evolves rules of bin packing with seeds 1, 2 and 3, on generated instances only, and prints their
// excess on OR-Library's sets and on FunSearch's, which are read when all is done, beside best fit's. The metric is the
// median of the seeds.
//
//	go test ./cmd/adrun -run '^$' -bench MainJob -benchtime 1x
func BenchmarkMainJob(b *testing.B) {
	data, err := filepath.Abs(filepath.Join("..", "..", "..", "shared", "data", "binpacking"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(data); err != nil {
		b.Skip("the measured instances are not here: ", err)
	}
	for _, job := range mainJobs {
		b.Run(job.spec, func(b *testing.B) {
			for b.Loop() {
				excess := map[string][]float64{}
				for seed := 1; seed <= 3; seed++ {
					dir := b.TempDir()
					out, store := filepath.Join(dir, "out"), filepath.Join(dir, "store")
					spec := filepath.Join("..", "..", "examples", job.spec+".yaml")
					s := benchEvolve(b, "evolve", spec, "--json", "--seed", fmt.Sprint(seed), "--out", out, "--runs", store)
					fmt.Printf("seed %d: %d ops, %d rules gated", seed, s.Ops, s.Gated)
					for _, set := range job.sets {
						x := benchExcess(b, filepath.Join(out, "best.rule"), filepath.Join(data, set+".json"))
						excess[set] = append(excess[set], x)
						fmt.Printf("; %s %.3f %%", set, x)
					}
					fmt.Println()
				}
				for _, set := range job.sets {
					slices.Sort(excess[set])
					b.ReportMetric(excess[set][1], set+"-%excess")
				}
			}
		})
	}
}

// benchExcess scores a rule on a file, in per cent.
func benchExcess(b *testing.B, rule, data string) float64 {
	b.Helper()
	var out bytes.Buffer
	if code := run(context.Background(), []string{"score", "binpack", "--json", "--rule", rule, "--data", data}, nil, &out, io.Discard); code != 0 {
		b.Fatalf("adrun score exited with %d", code)
	}
	var s struct{ Excess float64 }
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		b.Fatal(err)
	}
	return 100 * s.Excess
}

// benchSummary is what the benchmark reads of a summary.
type benchSummary struct{ Ops, Gated int }

func benchEvolve(b *testing.B, args ...string) benchSummary {
	b.Helper()
	out, err := os.CreateTemp(b.TempDir(), "summary")
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	if code := run(context.Background(), args, nil, out, io.Discard); code != 0 {
		b.Fatalf("adrun %v exited with %d", args, code)
	}
	text, err := os.ReadFile(out.Name())
	if err != nil {
		b.Fatal(err)
	}
	var s benchSummary
	if err := json.Unmarshal(text, &s); err != nil {
		b.Fatal(err)
	}
	return s
}
