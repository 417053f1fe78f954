package treesearch_test

import (
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/google/go-cmp/cmp"
)

// Hosts pass arguments by position and clamp them to their upper bounds, so both are part of the contract.
func TestPrioritySignature(t *testing.T) {
	signature, err := treesearch.PrioritySignature()
	if err != nil {
		t.Fatal(err)
	}
	type bound struct {
		Name string
		Hi   float64
	}
	var inputs []bound
	for _, input := range signature.Inputs {
		inputs = append(inputs, bound{input.Name.Text, input.Hi})
	}
	want := []bound{{"rank", 1}, {"visits", 1e6}, {"total", 1e8}, {"prior", 1}, {"depth", 1e4}, {"n_nodes", 1e6}}
	if diff := cmp.Diff(want, inputs); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
}

func TestEmbeddedTextIsCanonical(t *testing.T) {
	file, err := dsl.Parse("flat_puct.rule", treesearch.FlatPuctText())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(treesearch.FlatPuctText(), dsl.Format(file)); diff != "" {
		t.Errorf("the seed rule is not as formatted (-text +formatted):\n%s", diff)
	}
}
