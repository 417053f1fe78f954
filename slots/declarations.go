package slots

import (
	"embed"
	"fmt"
	"slices"

	"github.com/agentdescent/adrun/dsl"
)

//go:embed rules
var ruleFiles embed.FS

// SlotNames lists the eight slots in the order in which a round meets them.
func SlotNames() []string {
	return []string{
		"selection", "task_sampler", "proposal", "staleness", "conflict", "fusion", "acceptance", "promotion",
	}
}

// Declarations returns the slots as rule files declare them, in the order of SlotNames: the hooks that a
// `policy … fills SLOT` may have, with inputs, domains and cases. The trees are the caller's.
func Declarations() ([]*dsl.Slot, error) {
	var all []*dsl.Slot
	for _, name := range SlotNames() {
		s, err := Declaration(name)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Declaration returns the declaration of one slot.
func Declaration(slot string) (*dsl.Slot, error) {
	if !slices.Contains(SlotNames(), slot) {
		return nil, &UnknownError{What: "slot", Name: slot, Known: SlotNames()}
	}
	return parseFirst[*dsl.Slot](slot + ".rule")
}

// PrioritySignatureText returns the declaration of selection.priority, which rules that drive a tree search
// are checked against. The hook priority of slot selection says the same.
func PrioritySignatureText() string {
	text, _ := ruleText("priority.rule") // embedded: it is there
	return text
}

// PrioritySignature parses PrioritySignatureText.
func PrioritySignature() (*dsl.Signature, error) {
	return parseFirst[*dsl.Signature]("priority.rule")
}

func ruleText(file string) (string, error) {
	b, err := ruleFiles.ReadFile("rules/" + file)
	return string(b), err
}

// parseFirst returns the first declaration of an embedded file.
func parseFirst[D dsl.Decl](file string) (D, error) {
	var none D
	text, err := ruleText(file)
	if err != nil {
		return none, fmt.Errorf("the embedded file %s: %w", file, err)
	}
	f, err := dsl.Parse(file, text)
	if err != nil {
		return none, fmt.Errorf("the embedded file %s: %w", file, err)
	}
	d, ok := f.Decls[0].(D)
	if !ok {
		return none, fmt.Errorf("the embedded file %s declares %s of another kind", file, f.Decls[0].DeclName())
	}
	return d, nil
}
