package main

import (
	"time"

	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
)

func newRuleGate(sig *dsl.Signature, _ spec.Gate) (engine.RuleGate, error) {
	return engine.LanguageGate(sig), nil
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
