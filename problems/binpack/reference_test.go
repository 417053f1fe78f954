package binpack

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// referencePack is the text of the semantics and nothing else: as many bins as items, all of them looked at for every
// item. With window, a rule sees only two of the empty bins behind the last opened one. It returns what is left in each
// bin at the end and the number of items that went to a bin without a finite priority.
func referencePack(in Instance, rule Priority, window bool) (left []int, unranked int) {
	left = make([]int, len(in.Items))
	for i := range left {
		left[i] = in.Capacity
	}
	for _, item := range in.Items {
		shown := left
		if window {
			last := -1
			for i, l := range left {
				if l < in.Capacity {
					last = i
				}
			}
			shown = left[:min(last+3, len(left))]
		}
		i, finite := referenceChoice(shown, item, in.Capacity, rule)
		left[i] -= item
		if !finite {
			unranked++
		}
	}
	return left, unranked
}

// usedOf counts the bins that hold something.
func usedOf(left []int, capacity int) int {
	used := 0
	for _, l := range left {
		if l < capacity {
			used++
		}
	}
	return used
}

// openLefts returns, in ascending order, what is left in the bins that are neither empty nor full.
func openLefts(left []int, capacity int) []int {
	var lefts []int
	for _, l := range left {
		if 0 < l && l < capacity {
			lefts = append(lefts, l)
		}
	}
	slices.Sort(lefts)
	return lefts
}

// lastLefts is openLefts of the last instance that a packer packed.
func lastLefts(p *Packer, capacity int) []int {
	var left []int
	if p.positional || capacity > maxCollapsed {
		for _, l := range p.scan.open {
			left = append(left, int(l))
		}
		return openLefts(left, capacity)
	}
	c := p.tables[capacity]
	for l := range capacity {
		if c.present[l/64]>>(l%64)&1 == 0 {
			continue
		}
		bins := []int32{c.first[l]}
		for len(bins) > 0 {
			b := bins[0]
			bins = bins[1:]
			if b >= 0 {
				left = append(left, l)
				bins = append(bins, c.heap.left[b], c.heap.right[b])
			}
		}
	}
	return openLefts(left, capacity)
}

func referenceChoice(left []int, item, capacity int, rule Priority) (best int, bestFinite bool) {
	var valid []int
	largest := 0
	for i, l := range left {
		if l >= item {
			valid = append(valid, i)
			largest = max(largest, l)
		}
	}
	best, bestValue := -1, 0.0
	for idx, i := range valid {
		args := make([]float64, NumInputs)
		args[Item], args[Bin], args[Cap] = float64(item), float64(left[i]), float64(capacity)
		args[Idx], args[MaxBin] = float64(idx), float64(largest)
		if idx > 0 {
			args[Prev], args[HasPrev] = float64(left[valid[idx-1]]), 1
		}
		value := rule.Num(args)
		finite := !math.IsNaN(value) && !math.IsInf(value, 0)
		if best < 0 || finite && (!bestFinite || value > bestValue) {
			best, bestValue, bestFinite = i, value, finite
		}
	}
	return best, bestFinite
}

// selective is a Go priority that declares what it reads.
type selective struct {
	Func
	inputs map[int]bool
}

func (s selective) Reads(input int) bool { return s.inputs[input] }

// batched gives a priority the columnar form, by the definition of a column of length 1.
type batched struct{ selective }

func (b batched) Batch(cols [][]float64, out []float64) {
	args := make([]float64, len(cols))
	for i := range out {
		for j, col := range cols {
			args[j] = col[min(i, len(col)-1)]
		}
		out[i] = b.Num(args)
	}
}

// drawRule draws an arbitrary function of a few inputs: a hash of them, reduced to few values so that ties abound, with
// non-finite values among them; or a weighted sum, so that there is a direction, towards fresh bins for example.
func drawRule(t *rapid.T, inputs []int) selective {
	read := map[int]bool{}
	for _, input := range inputs {
		read[input] = rapid.Bool().Draw(t, "read")
	}
	salt := rapid.Uint64().Draw(t, "salt")
	levels := rapid.Uint64Range(1, 40).Draw(t, "levels")
	weights := rapid.SliceOfN(rapid.IntRange(-2, 2), NumInputs, NumInputs).Draw(t, "weights")
	hashed := rapid.Bool().Draw(t, "hashed")
	odd := rapid.Uint64Range(0, 6).Draw(t, "odd")
	return selective{inputs: read, Func: func(args []float64) float64 {
		h, sum := salt, 0.0
		for _, input := range inputs {
			if read[input] {
				h = (h ^ uint64(args[input])) * 0x9e3779b97f4a7c15
				h ^= h >> 29
				sum += float64(weights[input]) * args[input]
			}
		}
		if h%11 < odd {
			return [...]float64{math.NaN(), math.Inf(1), math.Inf(-1)}[h/11%3]
		}
		if hashed {
			return float64(h % levels)
		}
		return sum
	}}
}

func drawCapacity(t *rapid.T) int {
	return rapid.SampledFrom([]int{1, 2, 7, 10, 63, 64, 65, 150, maxCollapsed, maxCollapsed + 1}).Draw(t, "capacity")
}

func drawItems(t *rapid.T, capacity int) Instance {
	smallest := rapid.IntRange(1, capacity).Draw(t, "smallest")
	items := rapid.SliceOfN(rapid.IntRange(smallest, capacity), 1, 60).Draw(t, "items")
	return Instance{Capacity: capacity, Items: items}
}

func drawInstance(t *rapid.T) Instance { return drawItems(t, drawCapacity(t)) }

var allInputs = []int{Item, Bin, Cap, Prev, HasPrev, Idx, MaxBin}

// checkPack packs with p and compares with the reference.
func checkPack(t *rapid.T, form string, p *Packer, in Instance, left []int, unranked int) {
	t.Helper()
	if got, want := p.Pack(in), usedOf(left, in.Capacity); got != want || p.Unranked() != unranked {
		t.Fatalf("%s: %d bins, %d unranked, want %d, %d for %+v", form, got, p.Unranked(), want, unranked, in)
	}
	if diff := cmp.Diff(openLefts(left, in.Capacity), lastLefts(p, in.Capacity)); diff != "" {
		t.Fatalf("%s: what is left in open bins differs for %+v: %s", form, in, diff)
	}
}

func TestPackEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		packers := map[string]*Packer{}
		capacities := [2]int{drawCapacity(t), drawCapacity(t)}
		for range rapid.IntRange(1, 3).Draw(t, "rules") {
			rule := drawRule(t, allInputs)
			for form, priority := range map[string]Priority{
				"declared": rule, "undeclared": rule.Func, "columnar": batched{rule},
			} {
				if packers[form] == nil {
					packers[form] = NewPacker(priority)
				}
				packers[form].Reset(priority)
			}
			for range rapid.IntRange(1, 3).Draw(t, "instances") {
				in := drawItems(t, rapid.SampledFrom(capacities[:]).Draw(t, "capacity"))
				left, unranked := referencePack(in, rule, true)
				for form, p := range packers {
					checkPack(t, form, p, in, left, unranked)
				}
			}
		}
	})
}

// Bins with the same remaining capacity must come back in the order of their index, whatever the order in which they
// reached it. A few sizes make many bins meet there, and a rule that reads nothing leaves all to the index.
func TestCollapsedKeepsTheOrderOfIndices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Instance{Capacity: 12, Items: rapid.SliceOfN(rapid.SampledFrom([]int{2, 3, 5, 7}), 1, 200).Draw(t, "items")}
		left, unranked := referencePack(in, Func(firstFit), true)
		checkPack(t, "constant", NewPacker(selective{Func: func([]float64) float64 { return 0 }}), in, left, unranked)
	})
}

// Two fresh bins are as good as all of them for a rule that does not read idx.
func TestWindowEqualsAllBins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := drawRule(t, []int{Item, Bin, Cap, Prev, HasPrev, MaxBin})
		in := drawInstance(t)
		left, unranked := referencePack(in, rule, false)
		checkPack(t, "scan", NewPacker(rule), in, left, unranked)
	})
}

// A rule that wants an empty neighbour, else an empty bin: the second fresh bin wins, and the hole before it keeps
// winning for it. With one fresh bin every item would open another.
func TestSecondFreshBinWins(t *testing.T) {
	behindEmpty := Func(func(a []float64) float64 {
		switch a[Cap] {
		case a[Prev]:
			return 1
		case a[Bin]:
			return 0.5
		}
		return 0
	})
	in := Instance{Capacity: 10, Items: []int{2, 2, 2, 2}}
	if got := Pack(in, behindEmpty); got != 1 {
		t.Errorf("%d bins, want 1", got)
	}
}

func TestNonFiniteLosesAndTiesGoToTheLowestIndex(t *testing.T) {
	in := Instance{Capacity: 10, Items: []int{6, 6, 4, 4}}
	tests := []struct {
		name string
		rule Func
		want int
	}{
		{"a constant is first fit", func([]float64) float64 { return 0 }, 2},
		{"NaN everywhere is first fit", func([]float64) float64 { return math.NaN() }, 2},
		{"unlike infinities are equal", func(a []float64) float64 { return math.Inf(int(a[Bin]) - 7) }, 2},
		{"+Inf on open bins loses to finite", func(a []float64) float64 {
			if a[Bin] < a[Cap] {
				return math.Inf(1)
			}
			return -1e300
		}, 4},
	}
	for _, tt := range tests {
		if got := Pack(in, tt.rule); got != tt.want {
			t.Errorf("%s: %d bins, want %d", tt.name, got, tt.want)
		}
	}
}
