package binpack

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// jsonReader walks JSON token by token, so that each value has a place.
type jsonReader struct {
	*source
	dec *json.Decoder
}

// readJSON reads the JSON format.
func (s *source) readJSON() {
	if !s.valid() {
		return
	}
	dec := json.NewDecoder(bytes.NewReader(s.data))
	dec.UseNumber()
	r := &jsonReader{source: s, dec: dec}
	found := false
	ok := r.object("the file", func(key string) bool {
		if key != "instances" {
			return r.skip()
		}
		found = true
		return r.array(`"instances"`, r.readInstance)
	})
	if !ok {
		return
	}
	if !found {
		s.errorf(0, `the object has no "instances"`)
	} else if len(s.instances) == 0 && len(s.errs) == 0 {
		s.errorf(0, `"instances" is empty; expected at least one`)
	}
}

// readInstance reads one instance and reports whether to read on.
func (r *jsonReader) readInstance() bool {
	start := r.offset()
	d := draft{idAt: start, capacityAt: start, itemsAt: start}
	before := len(r.errs) + r.omitted
	given := map[string]bool{}
	ok := r.object("an instance", func(key string) bool {
		given[key] = true
		switch key {
		case "id":
			return r.str(&d.id, &d.idAt)
		case "capacity":
			return r.integer(&d.capacity, &d.capacityAt, "capacity")
		case "best_known":
			return r.integer(&d.bestKnown, &d.bestAt, "best_known")
		case "items":
			d.itemsAt = r.offset()
			d.items, d.itemAt = nil, nil // of a key that is given twice the last counts, as everywhere in JSON
			return r.array(`"items"`, func() bool {
				var size int64
				var at int
				ok := r.integer(&size, &at, "item "+strconv.Itoa(len(d.items))+" of "+strconv.Quote(d.id))
				d.items, d.itemAt = append(d.items, size), append(d.itemAt, at)
				return ok
			})
		}
		return r.skip()
	})
	for _, key := range []string{"id", "capacity", "items"} {
		if ok && !given[key] {
			r.errorf(start, "the instance has no %q", key)
		}
	}
	if ok && len(r.errs)+r.omitted == before {
		r.admit(d)
	}
	return ok
}

// object reads an object and calls field with each key, before its value.
func (r *jsonReader) object(what string, field func(key string) bool) bool {
	at := r.offset()
	if tok, ok := r.token(); !ok {
		return false
	} else if tok != json.Delim('{') {
		r.errorf(at, "%s is not an object", what)
		return false
	}
	for r.dec.More() {
		key, ok := r.token()
		if !ok {
			return false
		}
		name, _ := key.(string) // the decoder refuses any other key
		if !field(name) {
			return false
		}
	}
	_, ok := r.token()
	return ok
}

// array reads an array and calls element before each of its values.
func (r *jsonReader) array(what string, element func() bool) bool {
	at := r.offset()
	if tok, ok := r.token(); !ok {
		return false
	} else if tok != json.Delim('[') {
		r.errorf(at, "%s is not an array", what)
		return false
	}
	for r.dec.More() {
		if !element() {
			return false
		}
	}
	_, ok := r.token()
	return ok
}

// integer reads a whole number; another value is reported and read over.
func (r *jsonReader) integer(v *int64, at *int, what string) bool {
	*at = r.offset()
	var raw json.RawMessage
	if !r.decode(&raw) {
		return false
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		r.errorf(*at, "%s is %s; expected a whole number (scale capacity and items together if they have decimals)", what, abridged(raw))
	}
	*v = n
	return true
}

// str reads a string; another value is reported and read over.
func (r *jsonReader) str(v *string, at *int) bool {
	*at = r.offset()
	var raw json.RawMessage
	if !r.decode(&raw) {
		return false
	}
	if json.Unmarshal(raw, v) != nil {
		r.errorf(*at, "id is not a string")
	}
	return true
}

// abridged returns the beginning of a value, on one line.
func abridged(raw []byte) string {
	const most = 30
	text := strings.Join(strings.Fields(string(raw)), " ")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func (r *jsonReader) skip() bool {
	var raw json.RawMessage
	return r.decode(&raw)
}

// offset returns where the next token begins.
func (r *jsonReader) offset() int {
	at := int(r.dec.InputOffset())
	for at < len(r.data) && (isSpace(r.data[at]) || r.data[at] == ',' || r.data[at] == ':') {
		at++
	}
	return at
}

func (r *jsonReader) token() (json.Token, bool) {
	tok, err := r.dec.Token()
	return tok, r.syntax(err)
}

func (r *jsonReader) decode(raw *json.RawMessage) bool { return r.syntax(r.dec.Decode(raw)) }

// syntax reports an error of the decoder, which valid does not leave room for.
func (r *jsonReader) syntax(err error) bool {
	if err != nil {
		r.errorf(r.offset(), "not JSON: %v", err)
	}
	return err == nil
}

// valid reports the first error of syntax, at the last byte that was read. The decoder's own places differ by the kind
// of token.
func (s *source) valid() bool {
	var raw json.RawMessage
	err := json.Unmarshal(s.data, &raw)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return true
	case errors.As(err, &syntax):
		s.errorf(int(syntax.Offset)-1, "not JSON: %v", err)
	default:
		s.errorf(0, "not JSON: %v", err)
	}
	return false
}
