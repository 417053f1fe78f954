package grammartest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

var (
	//go:embed recognise.py
	larkScript string
	//go:embed recognise.cjs
	xgrammarScript string
)

// Recogniser is a program that others wrote and that is installed here.
type Recogniser struct {
	Name string
	Lark bool // reads Lark rather than GBNF
	args []string
}

// Wanted is the environment variable that must be 1 for recognisers to be asked: a thousand rules take them a
// minute, which is for CI.
const Wanted = "AGENTDESCENT_RECOGNISERS"

// Recognisers returns those that are installed here, and of each other one why it is not asked.
func Recognisers() (found []*Recogniser, missing []error) {
	if os.Getenv(Wanted) != "1" {
		return nil, []error{fmt.Errorf("set %s=1 to ask recognisers that others wrote", Wanted)}
	}
	for _, find := range []func() (*Recogniser, error){lark, xgrammar} {
		r, err := find()
		if err != nil {
			missing = append(missing, err)
		} else {
			found = append(found, r)
		}
	}
	return found, missing
}

// lark is Python's lark, as Debian's python3-lark installs it.
func lark() (*Recogniser, error) {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import lark").Run() == nil {
			return &Recogniser{Name: "lark", Lark: true, args: []string{python, "-c", larkScript}}, nil
		}
	}
	return nil, fmt.Errorf("python3 has no lark: apt-get install python3-lark")
}

// xgrammar is the library that decodes for SGLang and vLLM, as npm's @mlc-ai/web-xgrammar installs it globally.
func xgrammar() (*Recogniser, error) {
	root, err := exec.Command("npm", "root", "-g").Output()
	if err == nil {
		dir := filepath.Join(strings.TrimSpace(string(root)), "@mlc-ai", "web-xgrammar")
		if _, err = os.Stat(dir); err == nil {
			return &Recogniser{Name: "xgrammar", args: []string{"node", "-e", xgrammarScript, dir}}, nil
		}
	}
	return nil, fmt.Errorf("node has no xgrammar: npm install -g @mlc-ai/web-xgrammar")
}

// Match tells of each text whether the grammar derives it.
func (r *Recogniser) Match(grammar string, texts []string) ([]bool, error) {
	job, err := json.Marshal(map[string]any{"grammar": grammar, "texts": texts})
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(r.args[0], r.args[1:]...)
	cmd.Stdin = bytes.NewReader(job)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", r.Name, err, stderr.Bytes())
	}
	var derived []bool
	if err := json.Unmarshal(out, &derived); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	if len(derived) != len(texts) {
		return nil, fmt.Errorf("%s answers %d of %d", r.Name, len(derived), len(texts))
	}
	return derived, nil
}
