package table_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/agentdescent/adrun/problems/table"
)

func Example() {
	const csv = `decision,price,stock,payoff
monday,9.5,12,30
monday,7,0,0
tuesday,8,3,24
tuesday,6,9,6
`
	t, err := table.Read("log.csv", strings.NewReader(csv), table.Options{})
	if err != nil {
		log.Fatal(err)
	}
	cheapest := table.Func(func(args []float64) float64 { return -args[0] })
	fmt.Print(t.SignatureText())
	fmt.Printf("cheapest: %.3f\n", t.Evaluate(cheapest).Reward)
	fmt.Printf("by lot:   %.3f\n", t.Random())
	// Output:
	// # Which row of a decision to take: the one with the highest priority.
	// signature table.priority(price: num in [6, 9.5], stock: int in [0, 12]) -> num
	// cheapest: 0.125
	// by lot:   0.562
}
