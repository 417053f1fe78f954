package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// Candidate is a rule in the forms an evaluator may want; AST and Python are left out of the request when empty.
type Candidate struct {
	// Rule is the text, of the rule or of an artifact that is a text; it may be "".
	Rule string `json:"rule"`
	// AST is the syntax tree as JSON.
	AST json.RawMessage `json:"ast,omitempty"`
	// Python is source that defines a function of the rule's name, whose parameters are the signature's inputs in order.
	Python string `json:"python,omitempty"`
}

// Reply is a score and what came with it.
type Reply struct {
	Score  float64         // finite, in [0, 1]
	Cost   float64         // in the evaluator's own units, finite, >= 0; 0 when it reported none
	Detail json.RawMessage // any JSON, kept as it came; nil when absent
}

type request struct {
	ID        uint64          `json:"id"`
	Candidate Candidate       `json:"candidate"`
	Task      json.RawMessage `json:"task,omitempty"`
}

// appendRequest encodes a request as one line into buf, which it resets. Characters that JSON need not escape
// (< and > are frequent in rules) are left as they are, for evaluators written in a shell.
func appendRequest(buf *bytes.Buffer, id uint64, c Candidate, task json.RawMessage) error {
	return appendLine(buf, request{ID: id, Candidate: c, Task: task})
}

func appendLine(buf *bytes.Buffer, request any) error {
	buf.Reset()
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(request); err != nil {
		return fmt.Errorf("evaluator request: the candidate's AST or the task is not valid JSON: %w", err)
	}
	return nil
}

type rawReply struct {
	ID     json.RawMessage `json:"id"`
	Score  json.RawMessage `json:"score"`
	Cost   json.RawMessage `json:"cost"`
	Detail json.RawMessage `json:"detail"`
	Error  json.RawMessage `json:"error"`
}

// notJSON finds the numbers that Python's and other encoders write although JSON has none such.
var notJSON = regexp.MustCompile(`("(?:score|cost)"\s*:\s*)([-+]?(?i:nan|inf(?:inity)?))\b`)

// parseReply reads the reply to request id from a line without its end.
func parseReply(line []byte, id uint64) (Reply, *Failure) {
	raw, err := decodeReply(line)
	if err != nil {
		return Reply{}, failf(Garbage, "expected a JSON object with an id, got %q", clip(string(line)))
	}
	if f := checkID(raw.ID, id); f != nil {
		return Reply{}, f
	}
	if present(raw.Error) {
		if present(raw.Score) {
			return Reply{}, failf(BadScore, "the reply has both a score and an error")
		}
		return Reply{}, failf(Rejected, "%s", clip(textOf(raw.Error)))
	}
	score, err := number(raw.Score)
	if err != nil {
		return Reply{}, failf(BadScore, "score %v", err)
	}
	if score < 0 || score > 1 {
		return Reply{}, failf(BadScore, "score %v is outside [0, 1]", score)
	}
	r := Reply{Score: score}
	if present(raw.Cost) {
		if r.Cost, err = number(raw.Cost); err != nil || r.Cost < 0 {
			return Reply{}, failf(BadScore, "cost %s is not a finite number >= 0", clip(string(raw.Cost)))
		}
	}
	if present(raw.Detail) {
		r.Detail = bytes.Clone(raw.Detail)
	}
	return r, nil
}

// checkID leaves the ids out of its message: they differ from run to run.
func checkID(got json.RawMessage, id uint64) *Failure {
	if v, err := strconv.ParseFloat(string(got), 64); err != nil || v != float64(id) {
		return failf(WrongID, "the reply does not carry the id of the request")
	}
	return nil
}

func decodeReply(line []byte) (rawReply, error) {
	var raw rawReply
	err := json.Unmarshal(line, &raw)
	if err != nil && notJSON.Match(line) {
		// Named as a string, the number keeps its place and number() can say what is wrong with it.
		raw = rawReply{}
		err = json.Unmarshal(notJSON.ReplaceAll(line, []byte(`$1"$2"`)), &raw)
	}
	if err == nil && raw.ID == nil {
		err = errors.New("no id")
	}
	return raw, err
}

func present(v json.RawMessage) bool { return len(v) > 0 && string(v) != "null" }

func number(v json.RawMessage) (float64, error) {
	if !present(v) {
		return 0, errors.New("is missing")
	}
	if v[0] != '-' && (v[0] < '0' || v[0] > '9') {
		return 0, fmt.Errorf("%s is not a number", clip(string(v)))
	}
	x, err := strconv.ParseFloat(string(v), 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%s is not finite", clip(string(v)))
	}
	return x, nil
}

// textOf is the content of a JSON string, or any other JSON as it stands.
func textOf(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) != nil {
		return string(v)
	}
	return s
}
