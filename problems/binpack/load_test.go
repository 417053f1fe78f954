package binpack

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, data string
		want       []Instance
	}{
		{
			"json", `{"name": "x", "instances": [
				{"id": "a", "capacity": 10, "items": [1, 10, 3], "best_known": 2, "note": {"ignored": [1]}},
				{"items": [4], "capacity": 5, "id": "b"}
			], "source": null}` + "\n",
			[]Instance{
				{ID: "a", Capacity: 10, Items: []int{1, 10, 3}, BestKnown: 2},
				{ID: "b", Capacity: 5, Items: []int{4}},
			},
		},
		{
			"text as published", " 2\n u3_00\n 150 3 2\n42\n69\n67\n u3_01\n 150 1 1\n7\n",
			[]Instance{
				{ID: "u3_00", Capacity: 150, Items: []int{42, 69, 67}, BestKnown: 2},
				{ID: "u3_01", Capacity: 150, Items: []int{7}, BestKnown: 1},
			},
		},
		{
			"text with CRLF and no final newline", "1\r\nu\r\n10 2 1\r\n4\r\n5",
			[]Instance{{ID: "u", Capacity: 10, Items: []int{4, 5}, BestKnown: 1}},
		},
		{
			"text with decimals", "2\nt_00\n100.0 3 1\n49.5\n26.25\n24\nt_01\n100.0 1 1\n49\n",
			[]Instance{
				{ID: "t_00", Capacity: 10000, Items: []int{4950, 2625, 2400}, BestKnown: 1},
				{ID: "t_01", Capacity: 100, Items: []int{49}, BestKnown: 1},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse("f", []byte(tt.data))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"empty", " \n", `f:1:1: no data; expected JSON or OR-Library's bin packing format`},
		{"neither", "\n  <html>", `f:2:3: neither JSON, which begins with {, nor OR-Library's format, which begins with the number of problems`},

		{"no instances key", `{"name": "x"}`, `f:1:1: the object has no "instances"`},
		{"no instances", `{"instances": []}`, `f:1:1: "instances" is empty; expected at least one`},
		{"instances of another type", `{"instances": 3}`, `f:1:15: "instances" is not an array`},
		{"instance of another type", `{"instances": [3]}`, `f:1:16: an instance is not an object`},
		{"missing keys", "{\"instances\": [\n {}]}", "f:2:2: the instance has no \"id\"\nf:2:2: the instance has no \"capacity\"\nf:2:2: the instance has no \"items\""},
		{"id of another type", `{"instances": [{"id": 7, "capacity": 1, "items": [1]}]}`, `f:1:23: id is not a string`},
		{"empty id", `{"instances": [{"id": "", "capacity": 1, "items": [1]}]}`, `f:1:23: the instance has no id`},
		{"items of another type", `{"instances": [{"id": "a", "items": "x"}]}`, `f:1:37: "items" is not an array`},
		{"fraction", "{\"instances\": [{\"id\": \"é\", \"capacity\": 9, \"items\": [1,\n2, 3.5]}]}", `f:2:4: item 2 of "é" is 3.5; expected a whole number (scale capacity and items together if they have decimals)`},
		{"column in code points", `{"instances": [{"id": "é", "capacity": 0, "items": [1]}]}`, `f:1:40: capacity 0 of "é" is not between 1 and 1000000`},
		{"long value", `{"instances": [{"id": "a", "capacity": "` + strings.Repeat("9", 100) + `", "items": [1]}]}`, `f:1:40: capacity is "99999999999999999999999999999…; expected a whole number (scale capacity and items together if they have decimals)`},
		{"too large", `{"instances": [{"id": "a", "capacity": 1000001, "items": [1]}]}`, `f:1:40: capacity 1000001 of "a" is not between 1 and 1000000`},
		{"no items", `{"instances": [{"id": "a", "capacity": 5, "items": []}]}`, `f:1:52: "a" has 0 items; expected 1 to 1000000`},
		{"bad sizes", "{\"instances\": [{\"id\": \"a\", \"capacity\": 5, \"items\": [0,\n-2,\n6]}]}", "f:1:53: item 0 of \"a\" has size 0; sizes are positive\nf:2:1: item 1 of \"a\" has size -2; sizes are positive\nf:3:1: item 2 of \"a\" has size 6 and fits no bin of capacity 5"},
		{"impossible best known", `{"instances": [{"id": "a", "capacity": 5, "best_known": 1, "items": [5, 1]}]}`, `f:1:57: best known packing of "a" has 1 bins, but its items fill 2`},
		{"duplicate id", "{\"instances\": [{\"id\": \"a\", \"capacity\": 5, \"items\": [5]},\n{\"id\": \"a\", \"capacity\": 5, \"items\": [5]}]}", `f:2:8: id "a" is used twice, first in line 1`},
		{"two instances wrong", "{\"instances\": [{\"id\": \"a\"},\n{\"id\": \"b\", \"capacity\": 5}]}", "f:1:16: the instance has no \"capacity\"\nf:1:16: the instance has no \"items\"\nf:2:1: the instance has no \"items\""},
		{"truncated", "{\"instances\": [\n{\"id\": \"a\", \"capacity\": 5, \"items\": [5,", `f:2:39: not JSON: unexpected end of JSON input`},
		{"truncated before the first key", `{`, `f:1:1: not JSON: unexpected end of JSON input`},
		{"syntax", "{\"instances\":\n [}", `f:2:3: not JSON: invalid character '}' looking for beginning of value`},
		{"trailing comma", `{"instances": [{"id": "a", "capacity": 5, "items": [5],}]}`, `f:1:56: not JSON: invalid character '}' looking for beginning of object key string`},
		{"trailing data", "{\"instances\": [{\"id\": \"a\", \"capacity\": 5, \"items\": [5]}]}\n{}", `f:2:1: not JSON: invalid character '{' after top-level value`},

		{"text, count", "1x\n", `f:1:1: expected the number of problems, a whole number, found "1x"`},
		{"text, identifier not UTF-8", "1\n u\xd8\n10 1 1\n1\n", `f:2:2: identifier "u\xd8" is not UTF-8`},
		{"text, none", "0\n", `f:1:1: the file announces no problems; expected at least one`},
		{"text, truncated at a problem", "2\nu\n10 1 1\n5\n", `f:5:1: the file ends after 1 of the 2 problems that it announces`},
		{"text, truncated in a header", "1\nu\n10", `f:3:3: expected the number of items of "u", a whole number, found the end of the file`},
		{"text, truncated in the items", "1\nu\n10 2 1\n5\n", `f:5:1: the file ends after 1 of the 2 items of "u"`},
		{"text, too few items", "2\nu\n10 2 1\n5\nv\n10 1 1\n5\n", `f:5:1: expected the item 1 of "u", a number of at most 6 decimals, found "v"`},
		{"text, too many items", "1\nu\n10 1 1\n5\n6\n", `f:5:1: "6" after the last of the 1 problems that the file announces`},
		{"text, negative item", "1\nu\n10 1 1\n-5\n", `f:4:1: item 0 of "u" has size -5; sizes are positive`},
		{"text, scaled item", "1\nu\n10 1 1\n10.5\n", `f:4:1: item 0 of "u" has size 105 and fits no bin of capacity 100`},
		{"text, many decimals", "1\nu\n10 1 1\n0.1234567\n", `f:4:1: expected the item 0 of "u", a number of at most 6 decimals, found "0.1234567"`},
		{"text, bare point", "1\nu\n. 1 1\n5\n", `f:3:1: expected the capacity of "u", a number of at most 6 decimals, found "."`},
		{"text, announces many items", "1\nu\n10 2000000000 1\n5\n", `f:3:1: "u" announces 2000000000 items; expected at most 1000000`},
		{"text, duplicate", "2\nu\n10 1 1\n5\nu\n10 1 1\n5\n", `f:5:1: id "u" is used twice, first in line 2`},
		{"text, impossible best known", "1\nu\n10 2 1\n5\n6\n", `f:3:6: best known packing of "u" has 1 bins, but its items fill 2`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			instances, err := Parse("f", []byte(tt.data))
			if err == nil {
				t.Fatalf("no error, but %+v", instances)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Error(diff)
			}
			var at *DataError
			if !errors.As(err, &at) || at.File != "f" {
				t.Errorf("%v is no *DataError of the file", err)
			}
		})
	}
}

func TestParseReportsTheFirstTenErrors(t *testing.T) {
	data := "1\nu\n10 30 1\n" + strings.Repeat("11\n", 30)
	_, err := Parse("f", []byte(data))
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 11 || lines[10] != "f: 20 more errors" {
		t.Errorf("got %d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

// Both formats say the same of the same instances.
func TestTextEqualsJSON(t *testing.T) {
	want := load(t, "or1")
	var b strings.Builder
	writeText(&b, want)
	path := filepath.Join(t.TempDir(), "binpack1.txt")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLoadNamesAMissingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent.json")
	if _, err := Load(path); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
}
