package model

import (
	"errors"
	"testing"
)

func TestValueOf(t *testing.T) {
	const rule = "rule f { return x }"
	for _, tc := range []struct {
		name  string
		reply Reply
		want  string
		err   error
	}{
		{"bare", Reply{Text: rule, Finish: Finished}, rule, nil},
		{"spaces", Reply{Text: "\n " + rule + " \n\n", Finish: Finished}, rule, nil},
		{"fenced", Reply{Text: "```\n" + rule + "\n```", Finish: Finished}, rule, nil},
		{"fenced with a language", Reply{Text: "Here:\n```rule\n" + rule + "\n```\nDone.", Finish: Finished}, rule, nil},
		{"the last fence counts", Reply{Text: "```\nold\n```\nbetter:\n```\n" + rule + "\n```", Finish: Finished}, rule, nil},
		{"indented fence", Reply{Text: "  ```\n" + rule + "\n  ```", Finish: Finished}, rule, nil},
		{"thoughts", Reply{Text: "<think>```\nno\n</think>\n" + rule, Finish: Finished}, rule, nil},
		{"thoughts without a beginning", Reply{Text: "hm</think>" + rule, Finish: Finished}, rule, nil},
		{"nothing but thoughts", Reply{Text: "<think>" + rule, Finish: Finished}, "", errEmpty},
		{"empty", Reply{Text: " \n", Finish: Finished}, "", errEmpty},
		{"an empty fence", Reply{Text: "```\n```", Finish: Finished}, "", errEmpty},
		{"a fence without an end", Reply{Text: "```\n" + rule, Finish: Finished}, "", errUnclosed},
		{"truncated, though whole to the eye", Reply{Text: rule, Finish: Truncated}, "", errTruncated},
		{"declined", Reply{Text: rule, Finish: Declined}, "", errDeclined},
	} {
		got, err := valueOf(tc.reply)
		if tc.want != "" {
			tc.want += "\n"
		}
		if got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%s: %q, %v", tc.name, got, err)
		}
	}
}
