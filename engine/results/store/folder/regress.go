package folder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// Layouts are the regression suites that a finding can be written for. Each has its solver's format for the expected
// output of a test.
var Layouts = []string{"bitwuzla", "cvc5", "yices2", "z3"}

// Regression is a test that was written of a finding.
type Regression struct {
	Files []string
	// Unknown is the number of check-sats whose right answer is unknown; if it is not 0, the test has no expected
	// output.
	Unknown int
}

// WriteRegression writes the smallest case of a finding into a folder, as a test for the regression suite of a solver.
// It sets :status before each check-sat whose right answer is known, and writes the expected output in that suite's
// format. It writes nothing for a finding that no SMT-LIB text can show.
func WriteRegression(dir, layout string, f *finding.Finding) (*Regression, error) {
	wire, runs, check := f.Case, f.Confirm, f.Verdict.Check
	if f.Min != nil {
		wire, runs = f.Min, f.MinRuns
		if f.MinCheck != nil {
			check = *f.MinCheck
		}
	}
	if wire == nil || wire.Trace != "" && onlyCalls(f) {
		return nil, nil
	}
	c, err := wire.Case(nil)
	if err != nil {
		return nil, err
	}
	answers := rightAnswers(f, c, runs, check)
	out := &Regression{}
	var commands []smtlib.Command
	var lines strings.Builder
	next := 0
	for i := range c.Script.Commands {
		command := &c.Script.Commands[i]
		if command.Kind == smtlib.CmdSetInfo && command.Name == ":status" {
			continue // this status may be wrong
		}
		if command.Kind.IsCheck() {
			if a := answers[next]; a.Decided() {
				commands = append(commands, smtlib.Command{Kind: smtlib.CmdSetInfo, Name: ":status", Text: a.String()})
				fmt.Fprintf(&lines, "%v\n", a)
			} else {
				out.Unknown++
			}
			next++
		}
		commands = append(commands, *command)
	}
	text := c.Script.WithCommands(commands).Text()
	options := testOptions(f, runs)
	base := filepath.Join(dir, filepath.Base(f.Dir))
	expected := map[string]string{}
	head := ""
	switch layout {
	case "cvc5": // test/regress/README.md
		if len(options) > 0 {
			head = "; COMMAND-LINE: " + strings.Join(options, " ") + "\n"
		}
		for line := range strings.Lines(lines.String()) {
			head += "; EXPECT: " + line
		}
	case "z3": // z3test/scripts/test_benchmarks.py
		expected[".expected.out"] = lines.String()
	case "yices2": // tests/regress/README
		expected[".smt2.gold"] = lines.String()
		if len(options) > 0 {
			expected[".smt2.options"] = strings.Join(options, " ") + "\n"
		}
	}
	if out.Unknown > 0 {
		head = ""
		delete(expected, ".expected.out")
		delete(expected, ".smt2.gold")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	expected[".smt2"] = head + text
	for _, end := range []string{".smt2", ".expected.out", ".smt2.gold", ".smt2.options"} {
		if content, ok := expected[end]; ok {
			if err := os.WriteFile(base+end, []byte(content), 0o644); err != nil {
				return nil, err
			}
			out.Files = append(out.Files, base+end)
		}
	}
	return out, nil
}

// rightAnswers returns the right answers to the check-sats of a case, None where unknown. An answer is sat if a search
// finds a model; else it is the verdict's Want, the expected answer of the case (a reduction preserves it at the
// check-sat of the verdict only), or the answer of all other targets that decided the check.
func rightAnswers(f *finding.Finding, c *testcase.Case, runs []finding.Run, check int) []smtlib.Answer {
	answers := make([]smtlib.Answer, c.Script.CheckSats())
	for i := range answers {
		_, r := search.GuidedModel(scope.WithAsserts(c.Script, c.Script.AssertsAt(i)), rng.New(1), searchSteps)
		switch {
		case r == value.True:
			answers[i] = smtlib.Sat
		case i == check && f.Verdict.Want.Decided():
			answers[i] = f.Verdict.Want
		case i < len(c.Expect) && c.Expect[i].Decided() && (f.Min == nil || i == check):
			answers[i] = c.Expect[i]
		default:
			answers[i] = agreedAnswer(f, runs, i)
		}
	}
	return answers
}

// searchSteps bounds the search for a model of a check-sat.
const searchSteps = 1000

// agreedAnswer returns the common answer to a check-sat of all targets that the verdict does not blame and that decided
// it; None where they differ.
func agreedAnswer(f *finding.Finding, runs []finding.Run, check int) smtlib.Answer {
	agreed := smtlib.None
	for i := range runs {
		r := &runs[i]
		if slices.Contains(f.Verdict.Targets, r.Target) || check >= len(r.Answers) {
			continue
		}
		a, _ := smtlib.ParseAnswer(r.Answers[check])
		switch {
		case !a.Decided():
		case agreed == smtlib.None:
			agreed = a
		case agreed != a:
			return smtlib.None
		}
	}
	return agreed
}

// testOptions are the options on the command line of the solver that is wrong, without those that every test has.
func testOptions(f *finding.Finding, runs []finding.Run) (options []string) {
	for i := range runs {
		r := &runs[i]
		if r.Target != firstOrEmpty(f.Verdict.Targets) || len(r.Argv) == 0 {
			continue
		}
		for _, a := range r.Argv[1:] {
			if strings.HasPrefix(a, "-") && !slices.Contains([]string{"-q", "--lang=smt2", "-smt2", "-in", "-I", "-B"}, a) {
				options = append(options, a)
			}
		}
		return options
	}
	return nil
}
