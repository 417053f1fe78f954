package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTablesAreUpToDate(t *testing.T) {
	want, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../tables.go")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("tables.go is stale; run: go generate ./dsl/fmath\n(-generated +on disk)\n%s", d)
	}
}
