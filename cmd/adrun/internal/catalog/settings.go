package catalog

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Settings are a problem's settings as text, by name.
type Settings map[string]string

// Names returns the names in ascending order.
func (s Settings) Names() []string { return slices.Sorted(maps.Keys(s)) }

// ParseSettings reads "key=value" words.
func ParseSettings(pairs []string) (Settings, error) {
	s := Settings{}
	var errs []error
	for _, p := range pairs {
		key, value, ok := strings.Cut(p, "=")
		switch _, twice := s[key]; {
		case !ok || key == "":
			errs = append(errs, fmt.Errorf("%q is not key=value", p))
		case twice:
			errs = append(errs, fmt.Errorf("setting %q is given twice", key))
		default:
			s[key] = value
		}
	}
	return s, errors.Join(errs...)
}

// reader reads settings and gathers what is wrong with them.
type reader struct {
	settings Settings
	errs     []error
}

func (r *reader) word(name, def string) string {
	if v, ok := r.settings[name]; ok {
		return v
	}
	return def
}

func (r *reader) whole(name string, def int) int {
	text, ok := r.settings[name]
	if !ok {
		return def
	}
	v, err := strconv.Atoi(text)
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("setting %s: %q is not a whole number", name, text))
	}
	r.notZero(name, float64(v), err)
	return v
}

// notZero refuses a 0 that the problem would read as its default: a setting that is left out says that.
func (r *reader) notZero(name string, v float64, err error) {
	if err == nil && v == 0 {
		r.errs = append(r.errs, fmt.Errorf("setting %s: 0 is not possible; leave it out for the default", name))
	}
}

// wholes reads whole numbers with commas between them.
func (r *reader) wholes(name string) []int {
	text, ok := r.settings[name]
	if !ok {
		return nil
	}
	var vs []int
	for _, part := range strings.Split(text, ",") {
		v, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			r.errs = append(r.errs, fmt.Errorf("setting %s: %q is not a whole number", name, part))
		}
		vs = append(vs, v)
	}
	return vs
}

func (r *reader) number(name string, def float64) float64 {
	text, ok := r.settings[name]
	if !ok {
		return def
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("setting %s: %q is not a number", name, text))
	}
	r.notZero(name, v, err)
	return v
}

func (r *reader) err() error { return errors.Join(r.errs...) }

// maxSeeds is how many seeds a range may have: each is a task, and all are kept in memory.
const maxSeeds = 100_000

// Range is a half-open range of seeds: From, From+1, … To−1.
type Range struct {
	From, To int64
}

// ParseRange reads "A:B", the seeds from A up to but not including B, or one seed "A".
func ParseRange(text string) (Range, error) {
	from, to, both := strings.Cut(text, ":")
	a, err := strconv.ParseInt(from, 10, 64)
	if err != nil {
		return Range{}, fmt.Errorf("seeds %q: want A:B, the seeds from A up to but not including B", text)
	}
	if !both && a == math.MaxInt64 {
		return Range{}, fmt.Errorf("seeds %q: the seed is too large", text)
	}
	if !both {
		return Range{a, a + 1}, nil
	}
	b, err := strconv.ParseInt(to, 10, 64)
	if err != nil || b <= a {
		return Range{}, fmt.Errorf("seeds %q: want A:B with B above A", text)
	}
	if n := uint64(b) - uint64(a); n > maxSeeds {
		return Range{}, fmt.Errorf("seeds %q are %d seeds: at most %d are possible", text, n, maxSeeds)
	}
	return Range{a, b}, nil
}

// Common is what two ranges have in common; it is empty when To is not above From.
func (r Range) Common(o Range) Range { return Range{max(r.From, o.From), min(r.To, o.To)} }

// Len is the number of seeds.
func (r Range) Len() int { return int(r.To - r.From) }

// Seeds lists them.
func (r Range) Seeds() []int64 {
	seeds := make([]int64, 0, r.Len())
	for s := r.From; s < r.To; s++ {
		seeds = append(seeds, s)
	}
	return seeds
}

// String is the text that ParseRange reads.
func (r Range) String() string { return fmt.Sprintf("%d:%d", r.From, r.To) }
