package export

import (
	"fmt"
	"strings"
)

func (p python) files(f *function, vectors []Vector) ([]File, error) {
	code, err := p.source(f)
	if err != nil {
		return nil, err
	}
	files := []File{{f.name + ".py", code}}
	if len(vectors) == 0 {
		return files, nil
	}
	test := fmt.Sprintf(pythonTest, origin(f), f.name, checkedRows("rule", f, pythonLiterals, vectors))
	return append(files, File{"test_" + f.name + ".py", test}, File{f.name + ".vectors.json", vectorsFile(f, vectors)}), nil
}

var pythonLiterals = literals{
	number: func(bits uint64) string { return fmt.Sprintf("number(0x%016x)", bits) },
	truth:  [2]string{"False", "True"},
	word:   func(s *wordSet, i int) string { return s.constants[i] },
}

// checkedRows writes each vector as the call of a function, the value that the rule has, and how closely they must agree.
func checkedRows(name string, f *function, l literals, vectors []Vector) string {
	var b strings.Builder
	for _, v := range vectors {
		open, closing := "(", ")"
		if l.brackets {
			open, closing = "[", "]"
		}
		fmt.Fprintf(&b, "    %s%s, %s, %q%s,\n", open, l.call(name, f, v), l.value(f, f.sig.Result, v.Want), v.Check, closing)
	}
	return b.String()
}

// pythonTest is a test for unittest and pytest.
const pythonTest = `# %s
import struct
import unittest

from %[2]s import %[2]s as rule


def number(bits):
    """The number with these bits."""
    return struct.unpack(">d", struct.pack(">Q", bits))[0]


def agree(got, want, check):
    if check == "none":  # the last bits of a function like exp may decide
        return True
    if not isinstance(want, float):
        return got == want
    if got != got or want != want:  # all NaNs are one value
        return got != got and want != want
    if check == "close":
        return abs(got - want) <= 1e-9 * abs(want)
    return struct.pack(">d", got) == struct.pack(">d", want)


class TestVectors(unittest.TestCase):
    """Compares the function with the values of the rule."""

    def test_vectors(self):
        for i, (got, want, check) in enumerate(VECTORS):
            self.assertTrue(agree(got, want, check), f"vector {i}: got {got!r}, want {want!r}")


VECTORS = [
%[3]s]

if __name__ == "__main__":
    unittest.main()
`
