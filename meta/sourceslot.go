package meta

import (
	"errors"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// SourceSlot evolves a text that the host's own functions check and build. A proposal replaces it, so every
// round is a tournament.
type SourceSlot struct {
	// Name is the slot's.
	Name string
	// Text is where an evolution starts, About what Describe says.
	Text, About string
	// Version identifies Validate and Build in fingerprints.
	Version string
	// Validate refuses a text that may not run; Build makes one that may a value. Several goroutines call
	// both.
	Validate func(text string) error
	Build    func(text string) (Value, error)
	// Members, if any, are the values that people would try.
	Members []Member
}

var (
	_ SlotSpec = (*SourceSlot)(nil)
	_ Family   = (*SourceSlot)(nil)
)

// CodeInvalid counts texts that Validate refused.
const CodeInvalid = "invalid"

// Slot returns Name.
func (s *SourceSlot) Slot() string { return s.Name }

// Initial holds Text.
func (s *SourceSlot) Initial() slots.State { return slots.State{slots.RuleKey: s.Text} }

// Diff replaces the text, in a fence or not.
func (s *SourceSlot) Diff(st slots.State, p slots.Proposal) (slots.Diff, error) {
	d, err := engine.SingleSlot{}.Diff(st, slots.Proposal{Text: unfenced(p.Text)})
	if err != nil {
		return nil, err
	}
	return d, s.valid(d[0].Value)
}

func (s *SourceSlot) valid(text string) error {
	if s.Validate == nil {
		return nil
	}
	err := s.Validate(text)
	var no *engine.Refusal
	if err == nil || errors.As(err, &no) {
		return err
	}
	return &engine.Refusal{Code: CodeInvalid, Detail: err.Error()}
}

// Ready checks the text.
func (s *SourceSlot) Ready(artifact string, st slots.State) (*slots.Candidate, error) {
	if err := s.valid(st[slots.RuleKey]); err != nil {
		return nil, err
	}
	return engine.SingleSlot{}.Ready(artifact, st)
}

// Render returns the text.
func (s *SourceSlot) Render(st slots.State) string { return st[slots.RuleKey] }

// Compile builds the value.
func (s *SourceSlot) Compile(c *slots.Candidate) (Value, error) { return s.Build(c.Text) }

// Describe returns About.
func (s *SourceSlot) Describe() string { return s.About }

// Fingerprint identifies the functions by Version.
func (s *SourceSlot) Fingerprint() string { return "source " + s.Name + " " + s.Version }

// Family returns Members.
func (s *SourceSlot) Family() []Member { return s.Members }
