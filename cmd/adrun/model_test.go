package main

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentdescent/adrun/reflector/model/modeltest"
	"github.com/agentdescent/adrun/slots"
)

// servers are the fake servers of a script, by name.
type servers map[string]*modeltest.Server

// serversKey is the key of the servers among the values of a script.
type serversKey struct{}

// serversOf are those of a script.
func serversOf(ts *testscript.TestScript) servers { return ts.Value(serversKey{}).(servers) }

// fakeModel is the command of scripts that runs servers of models on the loopback:
//
//	model start NAME KIND [TEXT…]  sets $NAME to the address of a server that answers as KIND does
//	model stop NAME                from then on the network is off
//	model asked NAME MIN MAX       bounds the number of requests so far
//	model more NAME OTHER MAX      NAME was asked as often as OTHER, or up to MAX times more
//	model bodies NAME FILE         writes the requests, a line each, sorted
//	model key NAME KEY             every request carried the key
//	model subst FILE…              writes the addresses into files, for $NAME
func fakeModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg && args[0] != "key" {
		ts.Fatalf("model %s cannot be negated", args[0])
	}
	all := serversOf(ts)
	named := func(name string) *modeltest.Server {
		s := all[name]
		if s == nil {
			ts.Fatalf("there is no server %s", name)
		}
		return s
	}
	server := func() *modeltest.Server { return named(args[1]) }
	switch args[0] {
	case "start":
		s := modeltest.Start(kindOf(ts, args[2], args[3:]))
		all[args[1]] = s
		ts.Setenv(args[1], s.URL)
	case "stop":
		server().Close()
		delete(all, args[1])
	case "asked":
		n := len(server().Bodies())
		least, err := strconv.Atoi(args[2])
		ts.Check(err)
		most, err := strconv.Atoi(args[3])
		ts.Check(err)
		if n < least || n > most {
			ts.Fatalf("%s was asked %d times", args[1], n)
		}
		ts.Logf("%s was asked %d times", args[1], n)
	case "more":
		more := len(server().Bodies()) - len(named(args[2]).Bodies())
		most, err := strconv.Atoi(args[3])
		ts.Check(err)
		if more < 0 || more > most {
			ts.Fatalf("%s was asked %d times more than %s", args[1], more, args[2])
		}
		ts.Logf("%s was asked %d times more than %s", args[1], more, args[2])
	case "bodies":
		text := strings.Join(server().Bodies(), "\n") + "\n"
		ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(text), 0o644))
	case "key":
		if server().SawKey(args[2]) == neg {
			ts.Fatalf("the requests do not carry the key, or do not lack it")
		}
	case "subst":
		for _, file := range args[1:] {
			text, err := os.ReadFile(ts.MkAbs(file))
			ts.Check(err)
			ts.Check(os.WriteFile(ts.MkAbs(file), []byte(os.Expand(string(text), ts.Getenv)), 0o644))
		}
	default:
		ts.Fatalf("unknown: model %s", args[0])
	}
}

// spent SUMMARY UNIT MIN MAX bounds what the models of a run spent, by its summary.
func spent(ts *testscript.TestScript, neg bool, args []string) {
	var s summary
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &s))
	total := slots.Spend{}
	for _, source := range s.Sources {
		total = total.Plus(source.Own)
	}
	got, known := map[string]float64{"calls": float64(total.Calls), "tokens": float64(total.Tokens), "cost": total.Cost}[args[1]]
	if neg || !known {
		ts.Fatalf("want spent SUMMARY calls, tokens or cost, not negated")
	}
	least, err := strconv.ParseFloat(args[2], 64)
	ts.Check(err)
	most, err := strconv.ParseFloat(args[3], 64)
	ts.Check(err)
	if got < least || got > most {
		ts.Fatalf("the models spent %g %s", got, args[1])
	}
	ts.Logf("the models spent %g %s", got, args[1])
}

func kindOf(ts *testscript.TestScript, kind string, texts []string) func(modeltest.Asked) modeltest.Answer {
	for i, text := range texts {
		texts[i] = strings.ReplaceAll(text, `\n`, "\n")
	}
	switch kind {
	case "always":
		return modeltest.Always(texts[0])
	case "one_of":
		return func(a modeltest.Asked) modeltest.Answer { return modeltest.Answer{Text: texts[a.N%uint64(len(texts))]} }
	case "slowly":
		return func(a modeltest.Asked) modeltest.Answer {
			// A run of answers that come at once is done before a script sees its first rounds and interrupts it.
			time.Sleep(10 * time.Millisecond)
			return modeltest.Answer{Text: texts[a.N%uint64(len(texts))]}
		}
	case "sample":
		return modeltest.Sample
	case "status":
		code, err := strconv.Atoi(texts[0])
		ts.Check(err)
		return func(modeltest.Asked) modeltest.Answer {
			return modeltest.Answer{Status: code, Text: `{"error": {"message": "` + texts[1] + `"}}`}
		}
	case "misbehave":
		return modeltest.Misbehave(texts...)
	}
	ts.Fatalf("unknown kind of server %s", kind)
	return nil
}
