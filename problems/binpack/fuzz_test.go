package binpack

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// writeText prints instances in OR-Library's format.
func writeText(b *strings.Builder, instances []Instance) {
	fmt.Fprintf(b, "%d\n", len(instances))
	for _, in := range instances {
		fmt.Fprintf(b, " %s\n %d %d %d\n", in.ID, in.Capacity, len(in.Items), in.BestKnown)
		for _, size := range in.Items {
			fmt.Fprintln(b, size)
		}
	}
}

// writeJSON prints instances in the JSON format.
func writeJSON(t *testing.T, instances []Instance) []byte {
	type instance struct {
		ID        string `json:"id"`
		Capacity  int    `json:"capacity"`
		Items     []int  `json:"items"`
		BestKnown int    `json:"best_known,omitempty"`
	}
	var file struct {
		Instances []instance `json:"instances"`
	}
	for _, in := range instances {
		file.Instances = append(file.Instances, instance(in))
	}
	data, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// FuzzParse holds that any data is either refused with places inside the file, or instances that keep the documented
// ranges and survive being written and read.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "{", "1", "1\nu\n100.0 2 1\n49.5\n5.25\n", "2\nu\n10 1 1\n5\nu\n10 1 1\n5\n", "1\nu\n-.1 1 1\n0\n",
		`{"instances": [{"id": "a", "capacity": 10, "items": [1, 10, 3], "best_known": 2}]}`,
		`{"instances": [{"id": "a", "capacity": 1e3, "items": [1.5, -1, 99999999999999999999]}], "x": [{}]}`,
		`{"instances": [{"id": "\ud800", "capacity": 1, "items": [1]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		instances, err := Parse("f", data)
		if err != nil {
			var at *DataError
			if !errors.As(err, &at) || at.Line < 1 || at.Column < 1 || at.Line > 1+strings.Count(string(data), "\n") {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		for _, in := range instances {
			if in.Capacity < 1 || in.Capacity > MaxSize || len(in.Items) < 1 || len(in.Items) > MaxItems {
				t.Fatalf("out of range: %+v", in)
			}
			for _, size := range in.Items {
				if size < 1 || size > in.Capacity {
					t.Fatalf("out of range: %+v", in)
				}
			}
		}
		again, err := Parse("f", writeJSON(t, instances))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(instances, again); diff != "" {
			t.Fatal(diff)
		}
	})
}
