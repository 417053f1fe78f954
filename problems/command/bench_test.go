package command

import (
	"context"
	"encoding/json"
	"testing"
	"time"
)

// BenchmarkCall is what a call costs beside the evaluator's own work: a request of 600 bytes, encoding included, and a reply.
func BenchmarkCall(b *testing.B) {
	evaluators := []struct {
		name, needs string
		command     func(*testing.B) []string
	}{
		{"Go", "", func(b *testing.B) []string { return self(b, "echo") }},
		{"sh", "sh", func(b *testing.B) []string {
			return shell(b, `while `+answer+` [ "$id" ]; do echo "{\"id\":$id,\"score\":1}"; done`)
		}},
		{"python3", "python3", func(b *testing.B) []string {
			return []string{"python3", "-c", "import json, sys\nfor line in sys.stdin: print(json.dumps({'id': json.loads(line)['id'], 'score': 1}), flush=True)"}
		}},
		{"node", "node", func(b *testing.B) []string {
			return []string{"node", "-e", "require('readline').createInterface({input: process.stdin}).on('line', l => console.log(JSON.stringify({id: JSON.parse(l).id, score: 1})))"}
		}},
	}
	c := Candidate{
		Rule:   "signature priority(weight: num in [0, 1e6], duration: num in [0, 1e6]) -> num\n\nrule priority(weight, duration) {\n  let ratio = weight / duration\n  return duration > 10 ? ratio * 2 : ratio\n}\n",
		AST:    json.RawMessage(`{"kind":"rule","name":"priority","inputs":["weight","duration"],"body":[{"let":"ratio","value":{"op":"/","args":["weight","duration"]}},{"return":{"op":"?:","args":[{"op":">","args":["duration",10]},{"op":"*","args":["ratio",2]},"ratio"]}}]}`),
		Python: "def priority(weight, duration):\n    ratio = weight / duration\n    return ratio * 2 if duration > 10 else ratio\n",
	}
	for _, e := range evaluators {
		for _, limits := range []struct {
			name string
			Limits
		}{{"", Limits{}}, {", limits", Limits{CPU: time.Minute, Memory: 1 << 40}}} {
			b.Run(e.name+limits.name, func(b *testing.B) {
				if e.needs != "" {
					need(b, e.needs)
				}
				p := open(b, Spec{Command: e.command(b), Timeout: time.Minute, Limits: limits.Limits})
				score(b, p)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := p.Call(context.Background(), c, json.RawMessage(`{"id":"t"}`)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkStart is what replacing a worker costs: the supervisor, the second stage, a shell, its end.
func BenchmarkStart(b *testing.B) {
	p := open(b, Spec{Command: shell(b, answer+`echo "{\"id\":$id,\"score\":1}"`), Timeout: time.Minute})
	for b.Loop() {
		score(b, p)
	}
}
