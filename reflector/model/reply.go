package model

import (
	"errors"
	"strings"
)

// The ways in which a reply is of no use, whatever a gate would say.
var (
	errTruncated = errors.New("the reply was cut off: it reached the limit of tokens")
	errDeclined  = errors.New("the reply was declined")
	errEmpty     = errors.New("the reply was empty")
	errUnclosed  = errors.New("the reply was cut off: it opens a code fence and does not close it")
)

// causeOf names a way in which a reply is of no use.
func causeOf(err error) string {
	switch err {
	case errTruncated:
		return "truncated"
	case errDeclined:
		return "declined"
	case errEmpty:
		return "empty"
	}
	return "unclosed"
}

// valueOf returns the value that a reply proposes. A reply that was cut off is refused whole: what is there of it
// may be another rule than the one that was meant.
func valueOf(r Reply) (string, error) {
	switch r.Finish {
	case Finished:
	case Truncated:
		return "", errTruncated
	default:
		return "", errDeclined
	}
	text, ok := unfence(withoutThoughts(r.Text))
	if !ok {
		return "", errUnclosed
	}
	if text == "" {
		return "", errEmpty
	}
	return text + "\n", nil
}

// withoutThoughts drops the reasoning that some servers leave in front of an answer.
func withoutThoughts(text string) string {
	const open, end = "<think>", "</think>"
	text = strings.TrimSpace(text)
	if i := strings.LastIndex(text, end); i >= 0 {
		return text[i+len(end):]
	}
	if strings.HasPrefix(text, open) {
		return "" // nothing but thoughts
	}
	return text
}

// unfence returns the content of the last code fence, or the whole text where there is none. It reports false
// when a fence is not closed.
func unfence(text string) (string, bool) {
	fenced, found := "", false
	var block []string
	inside := false
	for _, line := range strings.Split(text, "\n") {
		mark := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case mark && inside:
			fenced, found = strings.Join(block, "\n"), true
			inside = false
		case mark:
			inside, block = true, nil
		case inside:
			block = append(block, line)
		}
	}
	if inside {
		return "", false
	}
	if found {
		text = fenced
	}
	return strings.TrimSpace(text), true
}
