package solvers

import (
	"path"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/confine"
)

// fileOptions are the names of options of any solver that name a file to read or write, or make the solver write one
// under a name of its own; * stands for any text. Profiles add further ones in FileOptions.
var fileOptions = []string{
	"in", "out", "err", "*.out", "*output-channel", // redirect standard streams
	"*-file", "*-file-*", "*.file", "*-files", "*2files", "file-*",
	"trace", "*-log", "*.log", "log", "log-to-*", "*dump-to*", "*dump-benchmarks", "write-*", "replay-log*", "file",
	"partitions-out",
}

// outputOptions are those of fileOptions that redirect replies away from smtlark, which makes the solver unusable.
var outputOptions = []string{"out", "err", "*output-channel"}

// canonicalOption returns an option's name in the form in which solvers compare names: z3 reads Trace_File_Name as
// :trace-file-name.
func canonicalOption(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimLeft(name, ":-")), "_", "-")
}

func matchesOption(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, name)
		return ok
	})
}

// HoldsBack reports whether an option must not be given to any solver, because it concerns files (unless the user wants
// solvers unprotected) or redirects the replies. The spelling of its name does not matter.
func HoldsBack(option string) bool {
	name := canonicalOption(option)
	if confine.Current() == confine.None {
		return matchesOption(outputOptions, name)
	}
	return matchesOption(fileOptions, name)
}

// HoldsBack is like the function HoldsBack, and includes the FileOptions of this solver.
func (s *OptionSyntax) HoldsBack(option string) bool {
	return HoldsBack(option) || confine.Current() != confine.None && matchesOption(s.FileOptions, canonicalOption(option))
}

// HoldsBackArgument returns the name of the option that a command line argument sets and that HoldsBack reports; "" if
// there is none. A prefix of a long option's name counts as the option, since many programs accept it. An argument that
// is a path rather than an option would make the solver read another file, and is returned as it is.
func (s *OptionSyntax) HoldsBackArgument(arg string) string {
	if confine.Current() != confine.None && strings.Contains(arg, "/") && !strings.HasPrefix(arg, "-") &&
		!strings.Contains(arg, "=") {
		return arg
	}
	name := arg
	if i := strings.IndexAny(name, "=:"); i > 0 {
		name = name[:i]
	}
	name = canonicalOption(name)
	if name == "" {
		return ""
	}
	if s.HoldsBack(name) {
		return name
	}
	if confine.Current() == confine.None || !strings.HasPrefix(arg, "--") || len(name) < 2 {
		return ""
	}
	for _, full := range slices.Concat(fileOptions, s.FileOptions, []string{"regular-output-channel",
		"diagnostic-output-channel"}) {
		if !strings.Contains(full, "*") && strings.HasPrefix(full, name) {
			return full
		}
	}
	return ""
}

// HoldsBackCommand reports whether a command must not be sent: a set-option whose option HoldsBack, or a command
// beyond SMT-LIB that is given such an option, as z3's (apply (using-params sat :drat.file FILE)).
func (s *OptionSyntax) HoldsBackCommand(text string) bool {
	name, rest := cutName(text)
	switch {
	case name == "set-option":
		keyword, _ := word(afterBlanks(rest))
		return s.HoldsBack(keyword)
	case takesOptions(name):
		const ambiguous = `\|` // in a quoted symbol: z3 does not end the symbol at this bar
		return strings.Contains(rest, ambiguous) || slices.ContainsFunc(keywords(rest), s.HoldsBack)
	}
	return false
}

// takesOptions reports whether a command may have options among its arguments. Commands of SMT-LIB have none; their
// attributes and symbols may look like options.
func takesOptions(name string) bool {
	kind := smtlib.KindOf(name)
	return kind == smtlib.CmdOther || kind == smtlib.CmdCheckSatUsing || kind == smtlib.CmdSimplify
}

// WithoutFiles returns the query with harmless commands in place of those that HoldsBackCommand reports; the query
// itself if it has none. The replies keep their places. set-option commands stay here: they are left out when the query
// is sent.
func (q *Query) WithoutFiles(p *Profile) *Query {
	var out *Query
	for i := range q.Commands {
		c := &q.Commands[i]
		if !takesOptions(CommandName(c.Text)) || !p.HoldsBackCommand(c.Text) {
			continue
		}
		if out == nil {
			harmless := *q
			harmless.Commands = slices.Clone(q.Commands)
			out = &harmless
		}
		switch c.Reply {
		case AnswerReply:
			out.Commands[i].Text = "(check-sat)"
		case ValueReply:
			out.Commands[i].Text = `(echo "left out: it names a file")`
		default:
			out.Commands[i].Text = "(set-info :notes \"left out: it names a file\")"
		}
	}
	if out == nil {
		return q
	}
	return out
}

// TextWithoutFiles returns the text of a script without the commands that HoldsBackCommand names; z3's (check-sat-using
// TACTIC) becomes (check-sat). A text whose last command does not end is returned as it is. If solvers disagree about
// where a command ends, the returned text ends before that command.
func (s *OptionSyntax) TextWithoutFiles(text string) string {
	var b strings.Builder
	changed := false
	for rest := text; ; {
		command := afterBlanks(rest)
		n := smtlib.SExprEnd([]byte(command))
		if n < 0 { // text that looks like part of a symbol here may be a command to the solver
			return b.String()
		}
		if n == 0 || command[0] != '(' {
			if !changed {
				return text
			}
			b.WriteString(rest)
			return b.String()
		}
		b.WriteString(rest[:len(rest)-len(command)])
		rest = command[n:]
		switch command = command[:n]; {
		case !s.HoldsBackCommand(command):
			b.WriteString(command)
			continue
		case CommandName(command) == smtlib.CmdCheckSatUsing.String():
			b.WriteString("(check-sat)")
		}
		changed = true
	}
}

// CommandName returns the name of a command, which may be written as a quoted symbol; "" if it has none.
func CommandName(text string) string {
	name, _ := cutName(text)
	return name
}

// cutName parts a command after its name.
func cutName(text string) (name, rest string) {
	text = afterBlanks(strings.TrimPrefix(afterBlanks(text), "("))
	if quoted, ok := strings.CutPrefix(text, "|"); ok {
		name, rest, _ = strings.Cut(quoted, "|")
		return name, rest
	}
	return word(text)
}

// word parts a text after the word at its beginning.
func word(text string) (first, rest string) {
	end := strings.IndexAny(text, " \t\r\n\f\v();\"|")
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

// keywords returns the words of a text that begin with a colon, outside of strings, quoted symbols and comments.
func keywords(text string) (list []string) {
	for text != "" {
		switch c := text[0]; {
		case c == '"' || c == '|':
			_, text, _ = strings.Cut(text[1:], string(c))
		case c == ';':
			_, text, _ = strings.Cut(text, "\n")
		case c == '(' || c == ')' || strings.IndexByte(" \t\r\n\f\v", c) >= 0:
			text = text[1:]
		default:
			var w string
			if w, text = word(text); strings.HasPrefix(w, ":") {
				list = append(list, w)
			}
		}
	}
	return list
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
