package slots

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Task is one piece of work that an artifact is tried on.
type Task struct {
	// ID is unique within its problem.
	ID string `json:"id"`
	// Prompt is what the task asks, for artifacts that are text; "" where the problem knows by ID.
	Prompt string `json:"prompt,omitempty"`
	// Meta holds what the problem's own evaluator needs beside the prompt.
	Meta map[string]string `json:"meta,omitempty"`
	// Cluster groups tasks whose rewards are comparable: advantages are taken within it.
	Cluster string `json:"cluster,omitempty"`
}

// State is the content of an artifact: text by key. A rule is one key.
type State map[string]string

// RuleKey is the key under which an artifact that is a single rule or a single text keeps it.
const RuleKey = "text"

// Keys returns the keys in ascending order.
func (s State) Keys() []string { return slices.Sorted(maps.Keys(s)) }

// Clone returns a copy that may be changed.
func (s State) Clone() State { return maps.Clone(s) }

// Equal reports whether both states hold the same text under the same keys.
func (s State) Equal(t State) bool { return maps.Equal(s, t) }

// Chars is the number of bytes of all values.
func (s State) Chars() int {
	n := 0
	for _, v := range s {
		n += len(v)
	}
	return n
}

// Apply returns the state with the diff applied; s itself is not changed.
func (s State) Apply(d Diff) State {
	out := make(State, len(s)+len(d))
	maps.Copy(out, s)
	for _, e := range d {
		if e.Delete {
			delete(out, e.Key)
		} else {
			out[e.Key] = e.Value
		}
	}
	return out
}

// Artifact is a versioned State: the thing that evolves.
type Artifact struct {
	ID    string `json:"id"`
	State State  `json:"state"`
	// Version counts the commits to this artifact, from 0.
	Version int `json:"version"`
	// BlastRadius in [0, 1] says how much depends on the artifact. At most 0.30 is governance layer L2,
	// above it L1.
	BlastRadius float64 `json:"blast_radius"`
}

// Layer is a governance layer.
type Layer uint8

// The layers: L0 is frozen, L1 is audited at every commit, L2 is ordinary.
const (
	L0 Layer = iota
	L1
	L2
)

// L1Radius is the largest blast radius that is still L2.
const L1Radius = 0.30

// FrozenIDs are the artifacts that no run may evolve: the machinery that judges runs.
func FrozenIDs() []string {
	return []string{"oracle", "audit_budget", "merge_permissions", "safety_constraints"}
}

// LayerOf returns the governance layer of an artifact.
func LayerOf(id string, blastRadius float64) Layer {
	switch {
	case slices.Contains(FrozenIDs(), id):
		return L0
	case blastRadius > L1Radius:
		return L1
	}
	return L2
}

// Edit writes or deletes one key.
type Edit struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"`
	Delete bool   `json:"delete,omitempty"`
}

// Diff is a change of a State: at most one edit a key, in ascending key order. Build one with [NewDiff].
type Diff []Edit

// NewDiff returns the edits in key order. Of two edits of one key the later one counts.
func NewDiff(edits ...Edit) Diff {
	d := slices.Clone(edits)
	slices.SortStableFunc(d, func(a, b Edit) int { return cmp.Compare(a.Key, b.Key) })
	out := d[:0]
	for i, e := range d {
		if i+1 < len(d) && d[i+1].Key == e.Key {
			continue
		}
		if e.Delete {
			e.Value = ""
		}
		out = append(out, e)
	}
	return Diff(out)
}

// Write returns the diff that writes one key.
func Write(key, value string) Diff { return Diff{{Key: key, Value: value}} }

// Keys returns the keys written, ascending; their number is the size of the diff.
func (d Diff) Keys() []string {
	keys := make([]string, len(d))
	for i, e := range d {
		keys[i] = e.Key
	}
	return keys
}

// Chars is the number of bytes that the diff writes.
func (d Diff) Chars() int {
	n := 0
	for _, e := range d {
		n += len(e.Value)
	}
	return n
}

// Equal reports whether both diffs make the same edits.
func (d Diff) Equal(o Diff) bool { return slices.Equal(d, o) }

// Meets reports whether the diffs write a key in common.
func (d Diff) Meets(o Diff) bool {
	return d.overlap(o, func(Edit, Edit) bool { return true })
}

// Contradicts reports whether the diffs write a key in common differently.
func (d Diff) Contradicts(o Diff) bool {
	return d.overlap(o, func(a, b Edit) bool { return a != b })
}

// overlap reports whether bad holds of the two edits of some common key.
func (d Diff) overlap(o Diff, bad func(a, b Edit) bool) bool {
	for i, j := 0, 0; i < len(d) && j < len(o); {
		switch c := strings.Compare(d[i].Key, o[j].Key); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			if bad(d[i], o[j]) {
				return true
			}
			i, j = i+1, j+1
		}
	}
	return false
}

// Union returns the edits of all diffs. Where diffs contradict, the later one counts; a caller that must
// not lose an edit asks Contradicts first.
func Union(diffs ...Diff) Diff {
	return NewDiff(slices.Concat(diffs...)...)
}
