package export

import "fmt"

func (j javaScript) files(f *function, vectors []Vector) ([]File, error) {
	code, err := j.source(f)
	if err != nil {
		return nil, err
	}
	files := []File{{f.name + ".mjs", code}}
	if len(vectors) == 0 {
		return files, nil
	}
	test := fmt.Sprintf(javaScriptTest, origin(f), f.name, checkedRows("rule", f, javaScriptLiterals, vectors))
	return append(files, File{f.name + ".test.mjs", test}, File{f.name + ".vectors.json", vectorsFile(f, vectors)}), nil
}

var javaScriptLiterals = literals{
	number:   func(bits uint64) string { return fmt.Sprintf("number(0x%016xn)", bits) },
	truth:    [2]string{"false", "true"},
	word:     func(s *wordSet, i int) string { return s.constants[i] },
	brackets: true,
}

// javaScriptTest is a module that throws an error at the first vector that does not agree.
const javaScriptTest = `// %s

import { %[2]s as rule } from "./%[2]s.mjs";

const view = new DataView(new ArrayBuffer(8));

// number is the number with these bits.
function number(bits) {
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}

function agree(got, want, check) {
  if (check === "none") return true; // the last bits of a function like exp may decide
  if (check === "close") return Math.abs(got - want) <= 1e-9 * Math.abs(want);
  return Object.is(got, want); // tells -0 from 0, and NaN is NaN
}

const vectors = [
%[3]s];

vectors.forEach(([got, want, check], i) => {
  if (!agree(got, want, check)) throw new Error(` + "`vector ${i}: got ${got}, want ${want}`" + `);
});
`
