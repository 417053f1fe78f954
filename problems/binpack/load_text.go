package binpack

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDecimals bounds the decimals of a size: more would not fit MaxSize once scaled.
const maxDecimals = 6

// token is a word of the text format.
type token struct {
	text   string
	offset int
}

// textReader hands out the words of a source.
type textReader struct {
	*source
	at int
}

// readText reads OR-Library's format.
func (s *source) readText() {
	r := &textReader{source: s}
	problems, ok := r.count("the number of problems")
	if !ok {
		return
	}
	if problems == 0 {
		s.errorf(0, "the file announces no problems; expected at least one")
		return
	}
	for i := range problems {
		if !r.readProblem(i, problems) {
			return
		}
	}
	if extra := r.next(); extra.text != "" {
		s.errorf(extra.offset, "%q after the last of the %d problems that the file announces", extra.text, problems)
	}
}

// readProblem reads problem i of n and reports whether the next one can be found.
func (r *textReader) readProblem(i, n int) bool {
	id := r.next()
	if id.text == "" {
		r.errorf(id.offset, "the file ends after %d of the %d problems that it announces", i, n)
		return false
	}
	if !utf8.ValidString(id.text) {
		r.errorf(id.offset, "identifier %q is not UTF-8", id.text)
		return false
	}
	capacity := r.next()
	size, decimals, ok := r.decimal(capacity, "capacity of "+strconv.Quote(id.text))
	if !ok {
		return false
	}
	items, ok := r.count("number of items of " + strconv.Quote(id.text))
	if !ok {
		return false
	}
	best := r.peek()
	bestKnown, ok := r.count("best known number of bins of " + strconv.Quote(id.text))
	if !ok {
		return false
	}
	d := draft{
		id: id.text, idAt: id.offset,
		capacity: size, capacityAt: capacity.offset, itemsAt: capacity.offset,
		bestKnown: int64(bestKnown), bestAt: best.offset,
	}
	if items > MaxItems {
		r.errorf(capacity.offset, "%q announces %d items; expected at most %d", id.text, items, MaxItems)
		return false
	}
	return r.readItems(&d, items, decimals)
}

// readItems reads the sizes of a problem, scales all sizes to whole numbers and admits it. The capacity comes with its
// number of decimals.
func (r *textReader) readItems(d *draft, items, capacityDecimals int) bool {
	decimals := make([]int, 0, min(items, len(r.data)))
	most := capacityDecimals
	for i := range items {
		word := r.next()
		if word.text == "" {
			r.errorf(word.offset, "the file ends after %d of the %d items of %q", i, items, d.id)
			return false
		}
		size, n, ok := r.decimal(word, "item "+strconv.Itoa(i)+" of "+strconv.Quote(d.id))
		if !ok {
			return false
		}
		d.items, d.itemAt, decimals = append(d.items, size), append(d.itemAt, word.offset), append(decimals, n)
		most = max(most, n)
	}
	d.capacity *= powerOfTen(most - capacityDecimals)
	for i, n := range decimals {
		d.items[i] *= powerOfTen(most - n)
	}
	r.admit(*d)
	return true
}

// next returns the next word, "" at the end of the file.
func (r *textReader) next() token {
	word := r.peek()
	r.at = word.offset + len(word.text)
	return word
}

func (r *textReader) peek() token {
	from := r.at
	for from < len(r.data) && isSpace(r.data[from]) {
		from++
	}
	to := from
	for to < len(r.data) && !isSpace(r.data[to]) {
		to++
	}
	return token{string(r.data[from:to]), from}
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// count reads a whole number.
func (r *textReader) count(what string) (int, bool) {
	word := r.next()
	n, err := strconv.ParseUint(word.text, 10, 31)
	if err != nil {
		r.errorf(word.offset, "expected the %s, a whole number, found %s", strings.TrimPrefix(what, "the "), shown(word))
		return 0, false
	}
	return int(n), true
}

// decimal reads a decimal number as digits and the number of them that are decimals, trailing zeros dropped: 36.60 is
// 366 and 1.
func (r *textReader) decimal(word token, what string) (digits int64, decimals int, ok bool) {
	whole, fraction, _ := strings.Cut(word.text, ".")
	fraction = strings.TrimRight(fraction, "0")
	digits, err := strconv.ParseInt(whole+fraction, 10, 40)
	if err != nil || whole == "" || len(fraction) > maxDecimals {
		r.errorf(word.offset, "expected the %s, a number of at most %d decimals, found %s", what, maxDecimals, shown(word))
		return 0, 0, false
	}
	return digits, len(fraction), true
}

func shown(word token) string {
	if word.text == "" {
		return "the end of the file"
	}
	return strconv.Quote(abridged([]byte(word.text)))
}

func powerOfTen(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}
