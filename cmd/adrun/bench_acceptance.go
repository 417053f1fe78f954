package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mathext"

	"github.com/agentdescent/adrun/slots"
)

type benchAcceptanceFlags struct {
	versions, sizes []int
	solve, alpha    float64
	sequences       int
	asJSON          bool
}

func (a *app) benchAcceptanceCommand() *cobra.Command {
	var f benchAcceptanceFlags
	cmd := &cobra.Command{
		Use:   "acceptance",
		Short: "Compute how often the acceptances commit a candidate that is no better",
		Long: `Acceptance computes, exactly, the probability that a candidate is committed although it solves every
held-out task with the same probability as the head: for the default acceptance at the versions and
numbers of held-out tasks given, for paired acceptance (which has no version) at those numbers of
tasks. Base and candidate are measured once each, independently.

Paired acceptance may also be asked after every task. The last line simulates that: so many sequences
of fair pairs, each given up at its first commit or after 200 tasks.`,
		Args: exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error { return a.benchAcceptance(f) },
	}
	cmd.Flags().IntSliceVar(&f.versions, "versions", []int{0, 16, 64, 256}, "commits of the artifact so far")
	cmd.Flags().IntSliceVar(&f.sizes, "n", []int{8, 20, 60}, "held-out tasks")
	cmd.Flags().Float64Var(&f.solve, "solve", 0.5, "probability that a task is solved")
	cmd.Flags().Float64Var(&f.alpha, "alpha", 0.05, "error rate of the paired acceptance")
	cmd.Flags().IntVar(&f.sequences, "sequences", 10000, "sequences to simulate; 0 for none")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the rates as JSON")
	return cmd
}

// acceptanceReport holds null commit rates: Default[i][j] at Versions[i] and Sizes[j], Paired[j] at Sizes[j].
type acceptanceReport struct {
	Solve    float64     `json:"solve"`
	Versions []int       `json:"versions"`
	Sizes    []int       `json:"n"`
	Default  [][]float64 `json:"default"`
	Alpha    float64     `json:"alpha"`
	Paired   []float64   `json:"paired"`
	Stopping *stopping   `json:"optional_stopping"`
}

// stopping is what a simulation of optional stopping gave. Upper is the 99 % upper confidence limit of the
// rate (Clopper and Pearson, Biometrika 26, 1934).
type stopping struct {
	Sequences int     `json:"sequences"`
	Commits   int     `json:"commits"`
	Rate      float64 `json:"rate"`
	Upper     float64 `json:"upper_99"`
}

func (a *app) benchAcceptance(f benchAcceptanceFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	beta, paired := &slots.DefaultAcceptance{}, &slots.PairedAcceptance{Alpha: f.alpha}
	beta.Configure(slots.MergeConfig{})
	r := acceptanceReport{Solve: f.solve, Versions: f.versions, Sizes: f.sizes, Alpha: f.alpha}
	for _, version := range f.versions {
		var row []float64
		for _, n := range f.sizes {
			p, err := nullRate(beta, version, n, f.solve)
			if err != nil {
				return err
			}
			row = append(row, p)
		}
		r.Default = append(r.Default, row)
	}
	for _, n := range f.sizes {
		p, err := pairedNullRate(paired, n, f.solve)
		if err != nil {
			return err
		}
		r.Paired = append(r.Paired, p)
	}
	if f.sequences > 0 {
		s, err := stopOptionally(paired, f.sequences)
		if err != nil {
			return err
		}
		r.Stopping = s
	}
	if f.asJSON {
		return a.printJSON(r)
	}
	return a.printAcceptanceReport(r)
}

// mostTasks bounds the held-out tasks of the exact sums, which take time with their square.
const mostTasks = 1000

func (f *benchAcceptanceFlags) check() error {
	if f.solve <= 0 || f.solve >= 1 || f.alpha <= 0 || f.alpha >= 1 {
		return usagef("--solve and --alpha are between 0 and 1")
	}
	for _, n := range f.sizes {
		if n < 1 || n > mostTasks {
			return usagef("--n %d is not in 1 to %d", n, mostTasks)
		}
	}
	for _, v := range f.versions {
		if v < 0 {
			return usagef("--versions %d is negative", v)
		}
	}
	return nil
}

// nullRate sums the probabilities of the counts, of base and candidate, at which the acceptance commits.
func nullRate(p slots.Acceptance, version, n int, solve float64) (float64, error) {
	pmf := make([]float64, n+1)
	for k := range pmf {
		pmf[k] = math.Exp(choose(n, k) + float64(k)*math.Log(solve) + float64(n-k)*math.Log1p(-solve))
	}
	total := 0.0
	for b := range pmf {
		for c := b; c <= n; c++ {
			d, err := p.Accept(slots.MergeContext{
				BaseCounts: solvedOf(b, n), CandCounts: solvedOf(c, n), Prior: slots.UniformPrior(), Version: version,
			})
			if err != nil {
				return 0, err
			}
			if d.Accept {
				total += pmf[b] * pmf[c]
			}
		}
	}
	return total, nil
}

// choose is the logarithm of a binomial coefficient.
func choose(n, k int) float64 {
	return -math.Log(float64(n+1)) - mathext.Lbeta(float64(n-k+1), float64(k+1))
}

func solvedOf(k, n int) slots.Counts {
	return slots.Counts{Successes: float64(k), Failures: float64(n - k)}
}

// pairedNullRate does the same over the wins and losses of n pairs; a pair is won with probability
// solve·(1 − solve), and lost.
func pairedNullRate(p *slots.PairedAcceptance, n int, solve float64) (float64, error) {
	one := math.Log(solve) + math.Log1p(-solve)
	tie := math.Log1p(-2 * math.Exp(one))
	total := 0.0
	for w := 0; w <= n; w++ {
		for l := 0; l < w && w+l <= n; l++ {
			d, err := p.Accept(pairs(w, l, n))
			if err != nil {
				return 0, err
			}
			if d.Accept {
				total += math.Exp(choose(n, w) + choose(n-w, l) + float64(w+l)*one + float64(n-w-l)*tie)
			}
		}
	}
	return total, nil
}

// pairs are n tasks of which the candidate wins w and loses l.
func pairs(w, l, n int) slots.MergeContext {
	base, cand := make([]float64, n), make([]float64, n)
	for i := range w {
		cand[i] = 1
	}
	for i := range l {
		base[w+i] = 1
	}
	return slots.MergeContext{
		BaseRewards: base, CandRewards: cand, BaseCounts: slots.Count(base), CandCounts: slots.Count(cand), Prior: slots.UniformPrior(),
	}
}

// sequenceLength is after how many tasks a sequence is given up.
const sequenceLength = 200

// stopOptionally asks after every task of sequences in which a win is as likely as a loss.
func stopOptionally(p *slots.PairedAcceptance, sequences int) (*stopping, error) {
	// Every sequence goes through few pairs of wins and losses, so that each answer is asked for once.
	var commits [sequenceLength + 1][sequenceLength + 1]bool
	for n := 1; n <= sequenceLength; n++ {
		for w := 0; w <= n; w++ {
			d, err := p.Accept(pairs(w, n-w, n))
			if err != nil {
				return nil, err
			}
			commits[w][n-w] = d.Accept
		}
	}
	s := &stopping{Sequences: sequences}
	rng := rand.New(rand.NewPCG(1, 2))
	for range sequences {
		w := 0
		for n := 1; n <= sequenceLength; n++ {
			w += rng.IntN(2)
			if commits[w][n-w] {
				s.Commits++
				break
			}
		}
	}
	s.Rate = float64(s.Commits) / float64(sequences)
	s.Upper = 1
	if s.Commits < sequences {
		s.Upper = mathext.InvRegIncBeta(float64(s.Commits+1), float64(sequences-s.Commits), 0.99)
	}
	return s, nil
}

func (a *app) printAcceptanceReport(r acceptanceReport) error {
	fmt.Fprintf(a.stdout, "probability that a candidate no better than the head is committed; tasks solved with probability %g\n\n", r.Solve)
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprint(w, "acceptance\tversion")
	for _, n := range r.Sizes {
		fmt.Fprintf(w, "\tn = %d", n)
	}
	row := func(name, version, format string, rates []float64) {
		fmt.Fprintf(w, "\n%s\t%s", name, version)
		for _, p := range rates {
			fmt.Fprintf(w, "\t"+format, p)
		}
	}
	for i, v := range r.Versions {
		row("default", fmt.Sprint(v), "%.3f", r.Default[i])
	}
	row("paired", "–", "%.4f", r.Paired)
	fmt.Fprintln(w)
	if err := w.Flush(); err != nil || r.Stopping == nil {
		return err
	}
	s := r.Stopping
	_, err := fmt.Fprintf(a.stdout, "\npaired, asked after each of up to %d tasks: %d of %d sequences committed, %.4f, 99 %% upper limit %.4f (α = %g)\n",
		sequenceLength, s.Commits, s.Sequences, s.Rate, s.Upper, r.Alpha)
	return err
}
