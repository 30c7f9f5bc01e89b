package folder

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/solvers"
)

// command makes one run of a finding again with the files of the finding's folder: repro.sh executes it and README.md
// shows it.
type command struct {
	target  finding.Target
	run     finding.Run
	library string   // of a native run; "" where a program is started
	args    []string // between the program and the file; of a native run, options of the library for smtlark
	input   string   // the file's name in the folder
	stdin   bool     // it is given as standard input
	text    string   // what is in the file; "" for one that the folder has anyway
}

// showingCommands returns the runs that show a finding: first that of the target that is wrong, then that of the target
// that it contradicts, or, where only an oracle of the campaign file can tell, those of all other targets. Targets
// without a run that was started are left out.
func showingCommands(f *finding.Finding) []*command {
	v := &f.Verdict
	runs := shownRuns(f)
	var out []*command
	add := func(name string) bool {
		if slices.ContainsFunc(out, func(c *command) bool { return c.target.Name == name }) {
			return false
		}
		t, known := targetNamed(f, name)
		i := slices.IndexFunc(runs, func(r finding.Run) bool { return r.Target == name && len(r.Argv) > 0 })
		if !known || i < 0 {
			return false
		}
		out = append(out, commandOf(f, t, runs[i], len(out)+1))
		return true
	}
	addFirst := func(names []string) { _ = slices.IndexFunc(names, add) }
	addFirst(v.Targets)
	switch {
	case v.Kind == oracle.KindDisagreement && len(out) > 0:
		addFirst(v.Against)
	case byOracle(f):
		for _, t := range rankedPrograms(f) {
			add(t.Name)
		}
	}
	return out
}

// shownRuns returns the runs of the smallest case, or the latest in which the finding showed.
func shownRuns(f *finding.Finding) []finding.Run {
	switch {
	case f.Min != nil && len(f.MinRuns) > 0:
		return f.MinRuns
	case len(f.Confirm) > 0 && (f.Hits > 0 || len(f.Runs) == 0):
		return f.Confirm
	}
	return f.Runs
}

// commandOf returns the command of a run; number distinguishes the inputs of several commands.
func commandOf(f *finding.Finding, t finding.Target, r finding.Run, number int) *command {
	c := &command{target: targetOfRun(t, &r), run: r}
	asked := askedFile(f)
	if kind := len(r.Argv) - 2; r.Mode == string(solvers.Native) && kind > 0 { // smtlark native [-o NAME=VALUE]... KIND LIBRARY
		c.library, c.input = r.Argv[kind+1], cmp.Or(asked, inputFile(f))
		c.args = r.Argv[slices.Index(r.Argv[:kind], "native")+1 : kind]
		return c
	}
	c.stdin = r.Mode != string(solvers.Fresh)
	if c.args = r.Argv[min(len(r.Argv), 1):]; !c.stdin && len(c.args) > 0 { // the last one is the file that smtlark wrote
		c.args = c.args[:len(c.args)-1]
	}
	if asked != "" {
		c.input = asked
		return c
	}
	text, plain := c.inputGiven(f)
	if plain {
		c.input = smallestFile(f)
		return c
	}
	c.input, c.text = "input.smt2", finding.EndedLine(text)
	if number > 1 {
		c.input = fmt.Sprintf("input-%d.smt2", number)
	}
	return c
}

// targetOfRun returns a target as the solver that a run is of: of a target that is made of several solvers, one of
// them.
func targetOfRun(t finding.Target, r *finding.Run) finding.Target {
	if t.Path == "" && len(r.Argv) > 0 {
		t.Path, t.Kind, t.Version = r.Argv[0], strings.TrimSuffix(r.Solver, "-"+r.Version), r.Version
	}
	return t
}

// wrongTarget returns the target that is wrong: of one that is made of several solvers, that whose run shows it.
func wrongTarget(f *finding.Finding) (finding.Target, bool) {
	t, ok := targetNamed(f, firstOrEmpty(f.Verdict.Targets))
	runs := shownRuns(f)
	if i := slices.IndexFunc(runs, func(r finding.Run) bool { return r.Target == t.Name }); ok && i >= 0 {
		t = targetOfRun(t, &runs[i])
	}
	return t, ok
}

// shellLine returns the command for a shell whose working folder is that of the finding, with a program in the place of
// the solver's path.
func (c *command) shellLine(program string) string {
	words := make([]string, 0, len(c.args)+len(c.target.Env)+3)
	for _, e := range c.target.Env {
		name, value, _ := strings.Cut(e, "=")
		words = append(words, name+"="+ShellWord(value))
	}
	words = append(append(words, program), shellWords(c.args)...)
	if c.stdin {
		words = append(words, "<")
	}
	return strings.Join(append(words, c.input), " ")
}

// nativeLine returns the command of a C library for a shell whose working folder is that of the finding; smtlark and
// library are words of that shell.
func (c *command) nativeLine(smtlark, library string) string {
	words := append([]string{smtlark, "native"}, shellWords(c.args)...)
	return strings.Join(append(words, ShellWord(c.target.Kind), library, c.input), " ")
}

func shellWords(args []string) []string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = ShellWord(a)
	}
	return words
}

// shownLine returns the command as a page shows it, to be pasted into a shell in the folder of the finding: with the
// full path of the solver, or of smtlark and the library.
func (c *command) shownLine() string {
	if c.library != "" {
		return c.nativeLine(ShellWord(c.run.Argv[0]), ShellWord(c.library))
	}
	return c.shellLine(ShellWord(c.target.Path))
}

// engineOracles are the oracles built into smtlark: their verdict follows from the case and the runs of the targets.
var engineOracles = []string{
	oracle.Crash().Name(), oracle.KnownAnswer().Name(), oracle.KnownValue().Name(), oracle.Disagreement().Name(), oracle.Model().Name(), oracle.Values(nil, 1).Name(), oracle.Runaway(nil).Name(),
	oracle.Cores(nil, 1).Name(), claim.StatementsName, oracle.Expectations().Name(), oracle.Metamorphic("", nil).Name(),
}

// byOracle reports whether only an oracle of the campaign file can tell whether a finding shows.
func byOracle(f *finding.Finding) bool { return !slices.Contains(engineOracles, f.Verdict.Oracle) }
