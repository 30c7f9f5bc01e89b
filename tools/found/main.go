// Command found keeps docs/found: mistakes of released solvers that smtlark found, one of each cause, with the cases
// that show them.
//
//	go run ./tools/found add FOLDER SOLVER...   take in the finding in a folder that smtlark bisect was asked about, if
//	                                            bin/smtlark check shows it with the solvers: the one that is wrong, and
//	                                            one that is asked about its reply, if that is needed
//	go run ./tools/found                        write docs/found.md anew
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	"github.com/smtlark/smtlark/solvers"
)

const (
	into  = "docs/found"
	index = "index.json"
)

// exitFindings is the exit code of smtlark check that says that something is wrong.
const exitFindings = 10

// newest are the newest releases that can be had by name, at the date.
var newest = map[string]string{
	"z3": "5.4.1", "cvc5": "1.4.2", "bitwuzla": "0.10.0", "yices2": "2.6.5", "boolector": "3.2.4", "princess": "2026-05-20",
	"smtinterpol": "2.5-1388-ga5a4ab0c", "opensmt": "build-8c7983860c91", "golem": "0.9.1",
}

// Cause is a row of the page: a mistake of a solver.
type Cause struct {
	Number int `json:"number"`
	// Solvers are named as smtlark check takes them: the one that is wrong, and one that is asked about its reply.
	Solvers   []string `json:"solvers"`
	Kind      string   `json:"kind"` // of the verdict
	What      string   `json:"what"`
	Judge     string   `json:"judge"`            // who says so
	Releases  []string `json:"releases"`         // that show it, the newest first
	Others    []string `json:"others,omitempty"` // that were asked and do not
	Logic     string   `json:"logic,omitempty"`
	Bytes     int      `json:"bytes"`
	Technique string   `json:"technique"`
	CPU       int      `json:"cpu"` // seconds of the campaign until it was found
	Severity  string   `json:"severity"`
	Upstream  string   `json:"upstream,omitempty"` // an address, where it is known there
}

// File is the name of the case.
func (c *Cause) File() string { return fmt.Sprintf("%03d.smt2", c.Number) }

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "found:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	causes, err := read()
	if err != nil {
		return err
	}
	switch {
	case len(args) > 2 && args[0] == "add":
		if causes, err = add(causes, args[1], args[2:]); err != nil {
			return err
		}
	case len(args) > 0:
		return fmt.Errorf("want nothing, or add FOLDER SOLVER [REFEREE]")
	}
	return os.WriteFile(into+".md", []byte(page(causes)), 0o644)
}

func read() (causes []Cause, err error) {
	text, err := os.ReadFile(filepath.Join(into, index))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &causes)
	return causes, err
}

// add takes in a finding: its smallest case, with the right answer as its :status, and the report for the tracker.
func add(causes []Cause, dir string, asked []string) ([]Cause, error) {
	r, err := folder.ReadRecord(dir)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "min.smt2"))
	if os.IsNotExist(err) {
		text, err = os.ReadFile(filepath.Join(dir, "case.smt2"))
	}
	if err != nil {
		return nil, err
	}
	cpu, err := cpuUntil(r)
	if err != nil {
		return nil, err
	}
	c := Cause{
		Number: 1, Solvers: asked, Kind: r.Verdict.Kind, What: what(r), Judge: judge(r), Logic: r.Logic, Bytes: len(text),
		Technique: r.Case.Origin.Technique, CPU: cpu, Severity: r.Severity.String(), Upstream: r.Reported,
	}
	c.Releases, c.Others = releases(r)
	if n := len(causes); n > 0 {
		c.Number = causes[n-1].Number + 1
	}
	if r.Verdict.Want != smtlib.None && r.Verdict.Kind != oracle.KindCrash && !strings.Contains(string(text), "set-info :status") {
		text = fmt.Appendf(nil, "(set-info :status %s)\n%s", r.Verdict.Want, text)
	}
	report, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		return nil, err
	}
	upper, _, _ := strings.Cut(string(report), "\n---\n")
	if err := os.MkdirAll(into, 0o755); err != nil {
		return nil, err
	}
	file := filepath.Join(into, c.File())
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return nil, err
	}
	if err := c.shows(); err != nil {
		return nil, errors.Join(err, os.Remove(file))
	}
	if err := os.WriteFile(strings.TrimSuffix(file, ".smt2")+".md", []byte(withoutMachine(upper)), 0o644); err != nil {
		return nil, err
	}
	causes = append(causes, c)
	list, err := json.MarshalIndent(causes, "", "  ")
	if err != nil {
		return nil, err
	}
	return causes, os.WriteFile(filepath.Join(into, index), append(list, '\n'), 0o644)
}

// arguments are those of smtlark that show the mistake, from the root of the project.
func (c *Cause) arguments() []string {
	args := []string{"check", filepath.Join(into, c.File())}
	for _, name := range c.Solvers {
		args = append(args, "--solver", name)
	}
	return args
}

// shows fails where the command of the page does not show the mistake.
func (c *Cause) shows() error {
	cmd := exec.Command("bin/smtlark", c.arguments()...)
	output, err := cmd.CombinedOutput()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok && failed.ExitCode() == exitFindings {
		return nil
	}
	return fmt.Errorf("%s does not show it (%v):\n%s", cmd, err, output)
}

// cpuUntil returns the CPU seconds of all processes of the campaign until it had the finding, as if it had used them
// evenly.
func cpuUntil(r *folder.Record) (int, error) {
	runs, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(r.Path)), "runs", "*", "[0-9]*", "stats.json"))
	if err != nil {
		return 0, err
	}
	if len(runs) == 0 {
		return 0, fmt.Errorf("%s: no runs/*/*/stats.json beside its findings", r.Path)
	}
	text, err := os.ReadFile(runs[0])
	if err != nil {
		return 0, err
	}
	var s metrics.Stats
	if err := json.Unmarshal(text, &s); err != nil {
		return 0, fmt.Errorf("%s: %w", runs[0], err)
	}
	return int(math.Ceil(r.Elapsed * s.CPU.Total / s.Elapsed)), nil
}

// releases are the versions of the solver that were asked: those that show the mistake, and those that do not. A
// version that rejects the case says nothing.
func releases(r *folder.Record) (bad, good []string) {
	for _, c := range r.Checks {
		switch {
		case c.Kind != r.SolverKind():
		case c.Hits > 0:
			bad = append(bad, c.Version)
		// Without a check-sat there are no answers to tell.
		case c.Outcome == "", strings.HasPrefix(c.Outcome, "sat"), strings.HasPrefix(c.Outcome, "unsat"), strings.HasPrefix(c.Outcome, "unknown"):
			good = append(good, c.Version)
		}
	}
	if len(bad) == 0 {
		bad = r.Versions
	}
	newestFirst := func(a, b string) int { return -solvers.CompareVersions(a, b) }
	slices.SortFunc(bad, newestFirst)
	slices.SortFunc(good, newestFirst)
	return slices.Compact(bad), slices.Compact(good)
}

// judge says who found out that the solver is wrong.
func judge(r *folder.Record) string {
	_, err := os.Stat(filepath.Join(r.Path, "model.smt2"))
	switch {
	case r.Verdict.Kind == oracle.KindCrash:
		return "it dies"
	case r.Verdict.Kind == oracle.KindInvalidReply, r.Verdict.Oracle == oracle.KnownValue().Name():
		return "what must hold of the reply, evaluated"
	case r.Verdict.Kind == oracle.KindInvalidModel, r.Verdict.Kind == oracle.KindInvalidValue:
		return "its own model, evaluated"
	case err == nil && r.Verdict.Want == smtlib.Sat:
		return "an assignment, evaluated"
	}
	return "other solvers"
}

// what says in one line what is wrong: the headline without the solver. People may say it better in the index.
func what(r *folder.Record) string {
	if r.Verdict.Kind == oracle.KindCrash {
		text, _, _ := strings.Cut(r.Verdict.Message, " in thread ")
		return "dies: " + text
	}
	_, text, _ := strings.Cut(r.Headline(), ": ")
	return strings.TrimSuffix(text, " ("+r.Logic+")")
}

var (
	paths  = regexp.MustCompile(`(^|[^\w.)])/[\w./+-]*/([\w.+-]+)`) // absolute: SAT/UNSAT/Unknown and ./src/a.cpp stay
	system = regexp.MustCompile(`(linux/\w+), [^\n]*`)
)

// withoutMachine leaves out of a report what belongs to the machine that made it.
func withoutMachine(report string) string {
	report = system.ReplaceAllString(report, "$1")
	var lines []string
	for line := range strings.Lines(report) {
		if !strings.Contains(line, "https://") {
			line = paths.ReplaceAllString(line, "$1$2")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}

const head = `# Found

Mistakes of released solvers that smtlark found, one row a cause. The first table has those of the newest releases that can be had by name, as of November
2026; the second one those that newer releases have mended. The command below the tables shows a row with the release that it names, if that is
installed: ` + "`smtlark solvers --fetch .solvers`" + ` and ` + "`smtlark solvers --fetch z3@4.12.2`" + ` install most of them ([installing](install.md)). Exit code 10 means that it does.

- **judged by**: who says that the solver is wrong. A solver that dies says so itself. An assignment or a model is evaluated exactly by smtlark.
- **CPU s**: seconds of CPU time of all processes of the campaign until it had found the case, on one of two cores of a virtual machine.
- **bytes**: of the smallest case. The number at the left leads to the page for the tracker of the solver.
- **shown by**: releases that show it, in ranges of those that were asked.

` + "`go run ./tools/found add FOLDER SOLVER`" + ` takes in a finding, ` + "`go test ./cmd/smtlark -run Found`" + ` runs the commands whose release is installed.
`

const columns = `
| | solver | what is wrong | logic | bytes | technique | CPU s | severity | judged by | shown by | upstream |
|---|---|---|---|---|---|---|---|---|---|---|
`

// page writes the tables, the solvers in alphabetical order, and the commands.
func page(causes []Cause) string {
	causes = slices.Clone(causes)
	slices.SortStableFunc(causes, func(a, b Cause) int { return strings.Compare(a.Solvers[0], b.Solvers[0]) })
	var b strings.Builder
	b.WriteString(head)
	for _, mended := range []bool{false, true} {
		title := map[bool]string{false: "Newest releases", true: "Older releases"}[mended]
		fmt.Fprintf(&b, "\n## %s\n%s", title, columns)
		for i := range causes {
			if c := &causes[i]; c.isMended() == mended {
				c.writeRow(&b)
			}
		}
	}
	b.WriteString("\n## Commands\n\n")
	for i := range causes {
		c := &causes[i]
		b.WriteString("    smtlark")
		for _, arg := range c.arguments() {
			if strings.Contains(arg, " ") {
				arg = strconv.Quote(arg)
			}
			b.WriteString(" " + arg)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// isMended reports whether the newest release does not show the mistake.
func (c *Cause) isMended() bool {
	name, _, _ := strings.Cut(c.Solvers[0], " ")
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "lib"), "-")
	return !slices.Contains(c.Releases, newest[name])
}

func (c *Cause) writeRow(w io.Writer) {
	number := strings.TrimSuffix(c.File(), ".smt2")
	fmt.Fprintf(w, "| [%s](found/%s.md) | %s | %s | %s | [%d](found/%s) | %s | %d | %s | %s | %s | %s |\n", number, number, c.Solvers[0],
		strings.ReplaceAll(c.What, "|", "\\|"), c.Logic, c.Bytes, c.File(), c.Technique, c.CPU, c.Severity, c.Judge, c.shownBy(), c.Upstream)
}

// shownBy tells the releases that show the mistake as ranges in which all that were asked show it, and after each the
// release that mended it.
func (c *Cause) shownBy() string {
	var ranges []string
	for _, r := range solvers.VersionRanges(c.Releases, c.Others) {
		text := r.String()
		if r.Next != "" {
			text += " (mended in " + r.Next + ")"
		}
		ranges = append(ranges, text)
	}
	return strings.Join(ranges, ", ")
}
