package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Task is what an evaluator scores a candidate on.
type Task struct {
	ID string // unique in a problem
	// Cluster groups tasks whose scores are comparable; "" is one group.
	Cluster string
	// Data is sent as it is: a JSON object, not empty.
	Data json.RawMessage
}

func (t Task) object() bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(t.Data, &fields) == nil && len(fields) > 0
}

func (t Task) has(field string) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(t.Data, &fields) == nil && fields[field] != nil
}

// LoadTasks reads a file of tasks.
func LoadTasks(path string) ([]Task, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadTasks(path, f)
}

// maxTaskLine bounds a line of a file of tasks, in bytes.
const maxTaskLine = 16 << 20

// ReadTasks reads JSON lines: an object a line, with a text or a number as "id" and perhaps a text as "cluster". The
// whole object is the task's data. Blank lines do not count. The error joins what is wrong, each with file and line.
func ReadTasks(name string, r io.Reader) ([]Task, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxTaskLine)
	var (
		tasks []Task
		errs  []error
		first = map[string]int{}
	)
	for n := 1; lines.Scan(); n++ {
		text := lines.Bytes()
		if n == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			continue
		}
		t, err := parseTask(text)
		if err == nil && first[t.ID] > 0 {
			err = fmt.Errorf("task %q stands in line %d already", t.ID, first[t.ID])
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err))
			continue
		}
		first[t.ID] = n
		tasks = append(tasks, t)
	}
	if err := lines.Err(); err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", name, err))
	} else if len(tasks) == 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("%s:1: no tasks; expected a JSON object with an id on each line", name))
	}
	return tasks, errors.Join(errs...)
}

func parseTask(text []byte) (Task, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		if _, isType := errors.AsType[*json.UnmarshalTypeError](err); isType {
			return Task{}, errors.New("a task is a JSON object")
		}
		return Task{}, fmt.Errorf("not JSON: %w", err)
	}
	id, cluster := fields["id"], fields["cluster"]
	if !present(id) {
		return Task{}, errors.New(`the task has no "id"`)
	}
	if _, err := number(id); id[0] != '"' && err != nil || textOf(id) == "" {
		return Task{}, errors.New(`the task's "id" is neither a text nor a number`)
	}
	t := Task{ID: textOf(id), Data: bytes.Clone(text)}
	if present(cluster) && json.Unmarshal(cluster, &t.Cluster) != nil {
		return Task{}, errors.New(`the task's "cluster" is not a text`)
	}
	return t, nil
}
