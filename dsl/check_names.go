package dsl

import (
	"slices"
	"sort"
	"strings"
)

// typ is a type within one signature: small, so that types compare fast.
type typ int

// The types of every signature. Its word sets follow, in the order of their first mention.
const (
	unknownTyp   typ = iota // what already has an error; it fits everywhere
	numTyp                  // numbers
	boolTyp                 // truth values
	firstWordTyp            // the first word set
)

// maxWordSets bounds the word sets of a signature: CEL goes through one overload of == for each.
const maxWordSets = 16

// symbolKind says what a name stands for.
type symbolKind uint8

const (
	inputSymbol symbolKind = iota
	paramSymbol
	stateSymbol
	wordSymbol
	resultSymbol // result, in an ensure
	localSymbol
	functionSymbol
)

var symbolNames = [...]string{
	inputSymbol: "an input", paramSymbol: "a param", stateSymbol: "a state", wordSymbol: "a word",
	resultSymbol: "the result", localSymbol: "a local", functionSymbol: "a function",
}

// symbol is what a name stands for. input is the index of an input in its signature.
type symbol struct {
	kind  symbolKind
	typ   typ
	input int
}

// arity bounds the arguments of a function; max < 0 means any number.
type arity struct{ min, max int }

// functions are the functions of the language. All take numbers and give a number.
var functions = map[string]arity{
	"abs": {1, 1}, "ceil": {1, 1}, "clamp": {3, 3}, "exp": {1, 1}, "floor": {1, 1}, "log": {1, 1}, "log1p": {1, 1},
	"max": {2, -1}, "min": {2, -1}, "pow": {2, 2}, "sqrt": {1, 1}, "tanh": {1, 1},
}

// FunctionNames returns the names of all functions of the language, sorted.
func FunctionNames() []string {
	names := make([]string, 0, len(functions))
	for name := range functions {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// vocabulary is every name that the bodies checked against one signature may use, except their locals.
type vocabulary struct {
	sets    [][]string // word sets; set i has type firstWordTyp+i
	symbols map[string]symbol
	own     map[string]symbol // params and states of a policy
	inputs  []string
	result  typ             // unknownTyp when the signature is not known
	allowed map[string]bool // functions that the host allows; nil means all
	open    bool            // the signature is not known: any name may be one of its inputs or words
}

// newVocabulary collects the names of a signature. Where a name is declared twice the first stands;
// checkSignature reports the second.
func newVocabulary(sig *Signature, allowed []string) *vocabulary {
	v := &vocabulary{symbols: make(map[string]symbol, len(sig.Inputs)+8)}
	if allowed != nil {
		v.allowed = make(map[string]bool, len(allowed))
		for _, name := range allowed {
			v.allowed[name] = true
		}
	}
	for i, in := range sig.Inputs {
		v.inputs = append(v.inputs, in.Name.Text)
		v.declare(in.Name.Text, symbol{kind: inputSymbol, typ: v.typeOf(in.Type), input: i})
	}
	v.result = v.typeOf(sig.Result)
	for i, set := range v.sets {
		for _, word := range set {
			v.declare(word, symbol{kind: wordSymbol, typ: firstWordTyp + typ(i)})
		}
	}
	return v
}

// openVocabulary is that of a rule without a signature: its inputs have unknown types, and any
// other name may be an input or a word that only the signature would tell.
func openVocabulary(inputs []Ident) *vocabulary {
	v := &vocabulary{symbols: make(map[string]symbol, len(inputs)), open: true}
	for i, in := range inputs {
		v.inputs = append(v.inputs, in.Text)
		v.declare(in.Text, symbol{kind: inputSymbol, input: i})
	}
	return v
}

func (v *vocabulary) declare(name string, s symbol) {
	if _, ok := v.symbols[name]; !ok {
		v.symbols[name] = s
	}
}

// typeOf returns the vocabulary's own name for t. A word set is the same type in whatever order it is written.
func (v *vocabulary) typeOf(t Type) typ {
	switch t.Kind {
	case NumKind:
		return numTyp
	case BoolKind:
		return boolTyp
	case WordKind:
		for i, set := range v.sets {
			if sameWords(set, t.Words) {
				return firstWordTyp + typ(i)
			}
		}
		if len(v.sets) == maxWordSets {
			return unknownTyp
		}
		v.sets = append(v.sets, t.Words)
		return firstWordTyp + typ(len(v.sets)-1)
	}
	return unknownTyp
}

func sameWords(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for _, w := range a {
		if !slices.Contains(b, w) {
			return false
		}
	}
	return true
}

// words returns the set of a word type, nil for any other.
func (v *vocabulary) words(t typ) []string {
	if t < firstWordTyp {
		return nil
	}
	return v.sets[t-firstWordTyp]
}

// describe names a type in a message: "a number", "a bool", "one of a, b, c".
func (v *vocabulary) describe(t typ) string {
	switch {
	case t == numTyp:
		return "a number"
	case t == boolTyp:
		return "a bool"
	case t >= firstWordTyp:
		return "one of " + strings.Join(v.words(t), ", ")
	}
	return "unknown"
}

// maxDistance is how many typing errors a suggestion may be away from a name.
const maxDistance = 2

// Suggest returns the candidate nearest to name, "" if none is near. Of equally near ones the first
// in the alphabet wins, so that a message does not depend on any order of declaration.
func Suggest(name string, candidates []string) string {
	sorted := slices.Clone(candidates)
	sort.Strings(sorted)
	limit := min(maxDistance, max(1, len(name)/3), len(name)-1)
	best, bestDistance := "", limit+1
	for _, c := range sorted {
		if strings.EqualFold(c, name) && c != name {
			return c
		}
		if d := editDistance(name, c, bestDistance-1); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// editDistance counts insertions, deletions, substitutions and swaps of neighbours (optimal string
// alignment), as far as most; anything farther is most + 1. Only the band of the table where the
// distance can be that small is filled in.
func editDistance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	var rows [3][maxName + 1]int
	if len(b) > maxName {
		return most + 1
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, prev, cur := &rows[(i+1)%3], &rows[(i+2)%3], &rows[i%3]
		from, to := max(1, i-most), min(len(b), i+most)
		cur[from-1] = i
		if from > 1 {
			cur[from-1] = most + 1
		}
		nearest := cur[from-1]
		for j := from; j <= to; j++ {
			d := prev[j-1]
			if a[i-1] != b[j-1] {
				d = 1 + min(prev[j-1], prev[j], cur[j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			cur[j] = d
			nearest = min(nearest, d)
		}
		if to < len(b) {
			cur[to+1] = most + 1
		}
		if nearest > most {
			return most + 1
		}
	}
	return min(rows[len(a)%3][len(b)], most+1)
}

// didYouMean is the hint for a misspelt name, "" if nothing is near.
func didYouMean(name string, candidates []string) string {
	if s := Suggest(name, candidates); s != "" {
		return `did you mean "` + s + `"?`
	}
	return ""
}

// validName reports whether a name of a built tree could stand in a text.
func validName(name string) bool {
	return name != "" && len(name) <= maxName && nameLen(name) == len(name) && !isReserved(name)
}
