package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/agentdescent/adrun/cmd/adrun/internal/catalog"
	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// jsonSlot is a slot as --json prints it.
type jsonSlot struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	// Policies are the shipped policies that resolve by name, the default first.
	Policies []string   `json:"policies"`
	Per      string     `json:"per"`
	Hooks    []jsonHook `json:"hooks"`
	Text     string     `json:"text"`
}

// jsonHook is a hook of a slot; one that is told something and answers nothing has On set.
type jsonHook struct {
	Name    string      `json:"name"`
	On      bool        `json:"on"`
	Meaning string      `json:"meaning"`
	Inputs  []jsonInput `json:"inputs"`
	Result  string      `json:"result"`
}

func describeSlot(name string) (jsonSlot, error) {
	s, err := slots.Declaration(name)
	if err != nil {
		return jsonSlot{}, err
	}
	j := jsonSlot{
		Name: name, Meaning: s.Comments.Doc(), Policies: slots.PolicyNames(name), Per: s.Per.Text, Text: dsl.FormatDecl(s),
	}
	for _, h := range s.Hooks {
		d := describe(&h.Signature)
		k := jsonHook{Name: d.Name, On: h.On, Meaning: d.Meaning, Inputs: d.Inputs, Result: d.Result}
		if h.On {
			k.Result = ""
		}
		j.Hooks = append(j.Hooks, k)
	}
	return j, nil
}

// listSlots prints the slots with the names of their policies.
func (a *app) listSlots() error {
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	for _, name := range slots.SlotNames() {
		fmt.Fprintf(w, "slot %s\t%s\n", name, strings.Join(slots.PolicyNames(name), ", "))
	}
	return w.Flush()
}

// jsonInner is an inner problem as --json prints it.
type jsonInner struct {
	Name     string            `json:"name"`
	Meaning  string            `json:"meaning"`
	Slots    []string          `json:"slots"`
	Settings []catalog.Setting `json:"settings,omitempty"`
}

func describeInners() []jsonInner {
	var all []jsonInner
	for _, in := range catalog.Inners() {
		all = append(all, jsonInner{in.Name, in.Meaning, in.Slots, in.Settings})
	}
	return all
}

// listInners prints the inner problems on which values of slots evolve.
func (a *app) listInners() error {
	fmt.Fprintln(a.stdout)
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	for _, in := range catalog.Inners() {
		fmt.Fprintf(w, "inner problem %s\t%s\t%s\n", in.Name, strings.Join(in.Slots, ", "), in.Meaning)
	}
	return w.Flush()
}

// slotSchema prints one slot: its policies and its declaration.
func (a *app) slotSchema(name string, asJSON bool) error {
	s, err := describeSlot(name)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(s)
	}
	fmt.Fprintf(a.stdout, "policies: %s\n\n%s\n", strings.Join(s.Policies, ", "), s.Text)
	return nil
}
