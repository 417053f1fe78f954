// Package machine compiles a graph of operations to code and runs it: for one row of arguments on an accumulator machine,
// for many rows an operation at a time. It knows nothing of the language but what its operations mean.
//
// A [Graph] holds the values of a function, simplified without changing a bit. A schedule places each as deep in the
// branches as its uses allow; from it come the instructions of the scalar program and the steps over columns.
package machine

import (
	"math"
	"sync"
)

// Code is a compiled function. It does not change once it is assembled: any number of goroutines may run it at once.
type Code struct {
	code  []instr
	large bool   // needs more temporaries than most
	reads []bool // of each argument
	// columns is the program of Batch, nil for code with effects; scratch is its memory between calls.
	columns *columns
	scratch sync.Pool
}

// Assemble gives c, which is zero before, the code of a function of args arguments: code that returns the one output or,
// for a function with effects, writes the outputs behind the arguments.
func (c *Code) Assemble(g *Graph, outputs []ID, args int, effects bool) (err error) {
	c.reads = g.argumentsOf(outputs, args)
	s := newSchedule(g, outputs)
	if !effects {
		c.columns = emitColumns(g, s, outputs[0])
		c.scratch.New = func() any { return new(Scratch) }
	}
	var temps int
	c.code, temps, err = emitScalar(g, s, outputs, effects, args)
	c.large = temps > smallTemps
	return err
}

// Reads reports whether an argument can influence the outputs.
func (c *Code) Reads(arg int) bool { return c.reads[arg] }

// Num returns the output at args. A NaN is always the same NaN.
func (c *Code) Num(args []float64) float64 {
	if c.large {
		return oneNaN(run[[largeTemps]float64](c.code, args))
	}
	return oneNaN(run[[smallTemps]float64](c.code, args))
}

// oneNaN makes every NaN the same.
func oneNaN(v float64) float64 {
	if v != v {
		return math.NaN()
	}
	return v
}
