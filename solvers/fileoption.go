package solvers

import (
	"path"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/solvers/confine"
)

// fileOptions are the names of options of any solver that name a file to read or write, or make the solver write one under
// a name of its own; * stands for any text. What a profile adds is in its FileOptions.
var fileOptions = []string{
	"in", "out", "err", "*.out", "*output-channel", // redirect standard streams
	"*-file", "*-file-*", "*.file", "*-files", "*2files", "file-*",
	"trace", "*-log", "*.log", "log", "log-to-*", "*dump-to*", "*dump-benchmarks", "write-*", "replay-log*",
}

// outputOptions are those of fileOptions that take replies away from smtlark: no solver can be used with them.
var outputOptions = []string{"out", "err", "*output-channel"}

// canonicalOption is an option's name as solvers compare names: z3 takes Trace_File_Name for :trace-file-name.
func canonicalOption(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimLeft(name, ":-")), "_", "-")
}

func matchesOption(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, name)
		return ok
	})
}

// HoldsBack reports whether an option must not be given to any solver, by its name without regard to its spelling: one that
// has to do with files (unless the user wants solvers unprotected), or that takes the replies away.
func HoldsBack(option string) bool {
	name := canonicalOption(option)
	if confine.Current() == confine.None {
		return matchesOption(outputOptions, name)
	}
	return matchesOption(fileOptions, name)
}

// HoldsBack is the function HoldsBack, for this solver.
func (p *Profile) HoldsBack(option string) bool {
	return HoldsBack(option) || confine.Current() != confine.None && matchesOption(p.FileOptions, canonicalOption(option))
}

// HoldsBackArgument returns the name of the option of HoldsBack that a command line argument sets, "" if there is none. The
// beginning of a long option's name, which many programs take for the whole, counts as the option.
func (p *Profile) HoldsBackArgument(arg string) string {
	name := arg
	if i := strings.IndexAny(name, "=:"); i > 0 {
		name = name[:i]
	}
	name = canonicalOption(name)
	if name == "" {
		return ""
	}
	if p.HoldsBack(name) {
		return name
	}
	if confine.Current() == confine.None || !strings.HasPrefix(arg, "--") || len(name) < 2 {
		return ""
	}
	for _, full := range slices.Concat(fileOptions, p.FileOptions, []string{"regular-output-channel", "diagnostic-output-channel"}) {
		if !strings.Contains(full, "*") && strings.HasPrefix(full, name) {
			return full
		}
	}
	return ""
}

// HoldsBackCommand reports whether a command must not be sent: a set-option whose option HoldsBack.
func (p *Profile) HoldsBackCommand(text string) bool {
	rest, ok := strings.CutPrefix(afterBlanks(strings.TrimPrefix(afterBlanks(text), "(")), "set-option")
	if !ok {
		return false
	}
	rest = afterBlanks(rest)
	end := strings.IndexAny(rest, " \t\r\n();\"|")
	if end < 0 {
		end = len(rest)
	}
	return p.HoldsBack(rest[:end])
}

// afterBlanks returns text without the blanks and comments at its beginning.
func afterBlanks(text string) string {
	for {
		text = strings.TrimLeft(text, " \t\r\n\f\v")
		if !strings.HasPrefix(text, ";") {
			return text
		}
		_, text, _ = strings.Cut(text, "\n")
	}
}
