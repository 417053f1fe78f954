package spec

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The problems whose work is in files that a spec names, beside those that make their own.
const (
	Table   = "table"
	Command = "command"
)

// Data names the work.
type Data struct {
	Problem  string            `yaml:"problem,omitempty" json:"problem,omitempty" jsonschema:"a problem of 'adrun schema'"`
	Settings map[string]string `yaml:"settings,omitempty" json:"settings,omitempty" jsonschema:"settings of the problem"`
	Seeds    string            `yaml:"seeds,omitempty" json:"seeds,omitempty" jsonschema:"the seeds of the tasks, A:B up to but not including B; default 1:151"`
	Sealed   string            `yaml:"sealed,omitempty" json:"sealed,omitempty" jsonschema:"the seeds, or for table and command the file, of tasks that are measured once, at the end; default none"`
	HeldOut  float64           `yaml:"held_out,omitempty" json:"held_out,omitempty" jsonschema:"the share of the tasks that is never trained on; default 0.4"`
	// The next four are of kind policy_slot.
	Problems    []string          `yaml:"problems,omitempty" json:"problems,omitempty" jsonschema:"policy_slot: the inner problems to train on"`
	ValProblems []string          `yaml:"val_problems,omitempty" json:"val_problems,omitempty" jsonschema:"policy_slot: the inner problems to judge on, never trained on; without any there is no verdict"`
	ValSeeds    string            `yaml:"val_seeds,omitempty" json:"val_seeds,omitempty" jsonschema:"policy_slot: the seeds to judge on; default the training seeds + 1,000,000"`
	Runs        map[string]string `yaml:"runs,omitempty" json:"runs,omitempty" jsonschema:"policy_slot: runs of your own that problems and val_problems may name: a name without a dot, and the spec of the run, relative to this one"`
	// Files are relative to that of the spec.
	Path      string `yaml:"path,omitempty" json:"path,omitempty" jsonschema:"table: the file of decisions, CSV with a header"`
	Signature string `yaml:"signature,omitempty" json:"signature,omitempty" jsonschema:"table and command: the signature of the rule, as text or the name of a rule file; a table makes one from its columns when there is none"`
	Tasks     string `yaml:"tasks,omitempty" json:"tasks,omitempty" jsonschema:"command: the file of tasks, a JSON object with an id on each line"`
	// Stochastic is of command.
	Stochastic bool `yaml:"stochastic,omitempty" json:"stochastic,omitempty" jsonschema:"command: scores depend on chance; each task is sent with a seed"`
	Program    `yaml:",inline"`
}

// Program is a program of the user's that answers in JSON lines.
type Program struct {
	Command []string `yaml:"command,omitempty" json:"command,omitempty" jsonschema:"the program and its arguments; it runs in the directory of the spec"`
	Env     []string `yaml:"env,omitempty" json:"env,omitempty" jsonschema:"variables to pass, NAME, or to set, NAME=value; without it PATH, HOME, LANG, LC_ALL, TMPDIR and TZ"`
	Timeout string   `yaml:"timeout,omitempty" json:"timeout,omitempty" jsonschema:"the time of a call, such as 500ms, 5s or 2m; default 10s"`
	Startup string   `yaml:"startup,omitempty" json:"startup,omitempty" jsonschema:"what the first call of a process may take on top of it; default 10s"`
	Workers int      `yaml:"workers,omitempty" json:"workers,omitempty" jsonschema:"processes at once; default a lane each"`
	Retries *int     `yaml:"retries,omitempty" json:"retries,omitempty" jsonschema:"fresh processes that are asked after an exit or a reply that is none; default 1"`
	Limits  Limits   `yaml:"limits,omitempty" json:"limits,omitzero" jsonschema:"what a process and all that it starts may use (Linux)"`
}

// Limits bound a program; 0 is no limit.
type Limits struct {
	CPUSeconds     float64 `yaml:"cpu_seconds,omitempty" json:"cpu_seconds,omitempty" jsonschema:"CPU time of a call, of all processes together"`
	MemoryMB       int     `yaml:"memory_mb,omitempty" json:"memory_mb,omitempty" jsonschema:"resident memory of all processes together, in MiB"`
	Processes      int     `yaml:"processes,omitempty" json:"processes,omitempty" jsonschema:"processes, the program included"`
	AddressSpaceMB int     `yaml:"address_space_mb,omitempty" json:"address_space_mb,omitempty" jsonschema:"address space of each process, in MiB; Node, Go and Java reserve far more than they use"`
	FileMB         int     `yaml:"file_mb,omitempty" json:"file_mb,omitempty" jsonschema:"one written file, in MiB"`
	OpenFiles      int     `yaml:"open_files,omitempty" json:"open_files,omitempty" jsonschema:"open files of each process"`
}

// data checks the keys that only some problems have.
func (v *validator) data(s *Spec) {
	d := s.Data
	if s.Kind == KindPolicySlot {
		return
	}
	if d.Problem == "" {
		v.report("$.data.problem", "data.problem is missing: 'adrun schema' lists the problems")
		return
	}
	files := d.Problem == Table || d.Problem == Command
	for _, k := range []struct {
		key string
		set bool
		of  []string
	}{
		{"path", d.Path != "", []string{Table}},
		{"signature", d.Signature != "", []string{Table, Command}},
		{"tasks", d.Tasks != "", []string{Command}},
		{"stochastic", d.Stochastic, []string{Command}},
		{"command", d.Command != nil, []string{Command}},
		{"env", d.Env != nil, []string{Command}},
		{"timeout", d.Timeout != "", []string{Command}},
		{"startup", d.Startup != "", []string{Command}},
		{"workers", d.Workers != 0, []string{Command}},
		{"retries", d.Retries != nil, []string{Command}},
		{"limits", d.Limits != Limits{}, []string{Command}},
	} {
		if k.set && !slices.Contains(k.of, d.Problem) {
			v.report("$.data."+k.key, "only %s has this key, %s has not", strings.Join(k.of, " and "), d.Problem)
		}
	}
	if files && d.Seeds != "" {
		v.report("$.data.seeds", "%s has no seeds: its tasks are in a file", d.Problem)
	}
	if d.Problem == Table && d.Path == "" {
		v.report("$.data", "data.path is missing: the CSV file of the decisions")
	}
	if d.Problem == Command {
		v.command(s)
	}
}

// command checks what the problem of that name needs.
func (v *validator) command(s *Spec) {
	if s.Data.Tasks == "" {
		v.report("$.data", "data.tasks is missing: a file with a JSON object on each line, which has an id")
	}
	if len(s.Data.Settings) > 0 {
		v.report("$.data.settings", "command has no settings: what the evaluator is to know stands in its tasks, arguments and env")
	}
	v.program("$.data", s.Data.Program)
	if s.Kind != KindRule {
		return
	}
	if s.Data.Signature == "" {
		v.report("$.data", "data.signature is missing: what the rule that the command scores is a function of")
	}
	if s.Start == "" {
		v.report("$", "start is missing: the rule to begin with, such as \"rule priority(weight) { return weight }\"")
	}
}

// program checks a program at a path of the spec.
func (v *validator) program(path string, p Program) {
	if len(p.Command) == 0 || p.Command[0] == "" {
		v.report(path, "%s.command is missing: a program and its arguments, such as [python3, evaluator.py]", strings.TrimPrefix(path, "$."))
	}
	v.duration(path+".timeout", p.Timeout)
	v.duration(path+".startup", p.Startup)
	v.within(path+".workers", float64(p.Workers), 0, 4096)
	if p.Retries != nil {
		v.within(path+".retries", float64(*p.Retries), 0, 100)
	}
	for _, e := range p.Env {
		if name, _, _ := strings.Cut(e, "="); name == "" {
			v.report(path+".env", "%q is neither NAME nor NAME=value", e)
		}
	}
	l := p.Limits
	v.within(path+".limits.cpu_seconds", l.CPUSeconds, 0, 1e9)
	v.within(path+".limits.memory_mb", float64(l.MemoryMB), 0, 1e9)
	v.within(path+".limits.processes", float64(l.Processes), 0, 1e6)
	v.within(path+".limits.address_space_mb", float64(l.AddressSpaceMB), 0, 1e9)
	v.within(path+".limits.file_mb", float64(l.FileMB), 0, 1e9)
	v.within(path+".limits.open_files", float64(l.OpenFiles), 0, 1e9)
}

func (v *validator) duration(path, text string) {
	if _, err := Duration(text); err != nil {
		v.report(path, "%v", err)
	}
}

// Duration reads a time of a spec; "" is 0.
func Duration(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is no time above 0, such as 500ms, 5s or 2m", text)
	}
	return d, nil
}
