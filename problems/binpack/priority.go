package binpack

// The inputs of binpack.priority, in the order of the signature.
const (
	Item    = iota // size of the item
	Bin            // remaining capacity of this bin before placing
	Cap            // capacity of an empty bin
	Prev           // remaining capacity of the previous valid bin, 0 for the first
	HasPrev        // 1 when there is a previous valid bin, else 0
	Idx            // index among the valid bins
	MaxBin         // largest remaining capacity among the valid bins

	NumInputs
)

// Priority rates a bin for an item. Num is called from the goroutine of the Packer, for one valid bin at a time, with
// NumInputs arguments in the order of the signature; it must be a function of them alone and must not keep the slice.
//
// A priority may have two more methods, each used where present:
//
//	Reads(input int) bool                   // false promises that the value does not depend on that input
//	Batch(cols [][]float64, out []float64)  // out[i] = Num of row i; a column of length 1 stands for all rows
//
// The first lets the packer treat bins that the rule cannot tell apart as one, the second makes the rest cheap.
type Priority interface {
	Num(args []float64) float64
}

type inputReader interface {
	Reads(input int) bool
}

type batcher interface {
	Batch(cols [][]float64, out []float64)
}

// Func is a priority written in Go; it is taken to read every input.
type Func func(args []float64) float64

// Num calls f.
func (f Func) Num(args []float64) float64 { return f(args) }

// BestFit prefers the bin that the item leaves fullest. Its zero value is ready to use.
type BestFit struct{}

// Num returns −(bin − item).
func (BestFit) Num(args []float64) float64 { return -(args[Bin] - args[Item]) }

// Reads reports true for Item and Bin.
func (BestFit) Reads(input int) bool { return input == Item || input == Bin }

var (
	_ Priority    = BestFit{}
	_ inputReader = BestFit{}
)

// reads reports whether the rule may depend on the input.
func reads(rule Priority, input int) bool {
	r, ok := rule.(inputReader)
	return !ok || r.Reads(input)
}
