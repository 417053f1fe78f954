package treesearch_test

import (
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/google/go-cmp/cmp"
)

// Hosts pass arguments by position, so the order of the inputs is part of the contract.
func TestPrioritySignature(t *testing.T) {
	signature, err := treesearch.PrioritySignature()
	if err != nil {
		t.Fatal(err)
	}
	var inputs []string
	for _, input := range signature.Inputs {
		inputs = append(inputs, input.Name.Text)
	}
	if diff := cmp.Diff([]string{"rank", "visits", "total", "prior", "depth", "n_nodes"}, inputs); diff != "" {
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
