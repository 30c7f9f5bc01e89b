package learn

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/language/meaning"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/confine"
	"github.com/smtlark/smtlark/solvers/rule"
)

// DeclaredOption is an option that a solver declares.
type DeclaredOption struct {
	Name    string
	Values  []string // values worth trying, in SMT-LIB syntax; for a number, a few around its default
	Default string   // "": it is not told
	Expert  bool     // the solver says that it is for experts
	// Needs is a setting without which the option has no effect, according to its description; zero for most options.
	Needs rule.Setting
}

// IsBool reports whether the option is a switch.
func (o *DeclaredOption) IsBool() bool {
	return len(o.Values) > 0 && (o.Values[0] == "true" || o.Values[0] == "false")
}

// Spec returns the option as API fuzzing sets it.
func (o *DeclaredOption) Spec() rule.OptionSpec {
	spec := rule.OptionSpec{Name: o.Name, Kind: rule.List, Values: o.Values, With: o.Needs, Expert: o.Expert}
	if o.IsBool() {
		spec.Kind = rule.Bool
		spec.Values = nil
	}
	return spec
}

// Others returns the values except for the default.
func (o *DeclaredOption) Others() []string {
	return slices.DeleteFunc(slices.Clone(o.Values), func(v string) bool { return v == o.Default })
}

// flags has, by kind of solver, the argument that lists its options. Other solvers may list some in their help, and
// name some in replies.
var flags = map[string]string{"z3": "-pd", "cvc5": "--help", "cvc4": "--help", "bitwuzla": "--help",
	"boolector": "--help"}

// ListsInKnownWords reports whether the options of a solver are all known from its list.
func ListsInKnownWords(s *solvers.Solver) bool { return flags[s.Profile.Name] != "" }

// AskForOptions are commands that may make a solver without a known list reply with names of options: some list all
// options in the error for an unknown one.
var AskForOptions = []string{"(get-option)", "(get-info :options)", "(set-option :smtlark-no-such-option true)"}

var (
	keywordSaid = pattern.Lazy(`:([a-z][\w.-]*)`)
	lineSaid    = pattern.Lazy(`(?m)^\s+([a-zA-Z_][\w.-]*) \(`)
)

// OptionsListed returns the names of the options that some solvers list, one a line, when they do not know one.
func OptionsListed(text string) []string { return firstGroups(lineSaid(), text) }

func firstGroups(re *regexp.Regexp, text string) (out []string) {
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// OptionsSaid returns the options that a solver names in its replies to AskForOptions. Their types are not known, so
// each option gets values of which most options accept one.
func OptionsSaid(text string) []DeclaredOption {
	var names []string
	for _, name := range append(firstGroups(keywordSaid(), text), OptionsListed(text)...) {
		if name != "options" && !strings.HasPrefix(name, "smtlark") && !isMeddling(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var out []DeclaredOption
	for _, name := range slices.Compact(names) {
		out = append(out, DeclaredOption{Name: name, Values: append([]string{"true", "false"}, around("")...)})
	}
	return withoutChanges(out)
}

// patience is the time limit for a solver's answer.
const patience = 10 * time.Second

// ListsOptions reports whether a solver can be asked for its options: a program.
func ListsOptions(s *solvers.Solver) bool { return s.Library == "" && len(s.Exec) > 0 }

// DeclaredOptions asks a solver for its options, and asks again for the values of some of them.
func DeclaredOptions(ctx context.Context, s *solvers.Solver) ([]DeclaredOption, error) {
	if !ListsOptions(s) {
		return nil, fmt.Errorf("%s lists no options", s.Name)
	}
	flag, known := flags[s.Profile.Name]
	if !known {
		flag = "--help"
	}
	text, err := ask(ctx, s, flag)
	if err != nil {
		return nil, fmt.Errorf("asking %s for its options: %w", s.Name, err)
	}
	if !known {
		return withoutChanges(readHelp(shortNames().ReplaceAllString(text, ""), true)), nil
	}
	if s.Profile.Name == "z3" {
		return withoutChanges(readParameters(text)), nil
	}
	list := readHelp(text, false)
	for i := range list {
		if o := &list[i]; len(o.Values) == 1 && o.Values[0] == unknownModes {
			more, err := ask(ctx, s, "--"+o.Name+"=help")
			if err != nil {
				return nil, fmt.Errorf("asking %s for the values of %s: %w", s.Name, o.Name, err)
			}
			o.Values, o.Default = readModes(more)
		}
	}
	return withoutChanges(list), nil
}

// withoutChanges removes values that change the meaning of a problem, and options that have no value besides the
// default.
func withoutChanges(list []DeclaredOption) []DeclaredOption {
	for i := range list {
		o := &list[i]
		if meaning.Has(o.Name) {
			o.Values = slices.DeleteFunc(o.Values, func(v string) bool { return meaning.Of(o.Name, v) != 0 })
			if len(o.Others()) == 0 {
				o.Values = nil
			}
		}
	}
	return slices.DeleteFunc(list, func(o DeclaredOption) bool { return len(o.Values) == 0 })
}

func ask(ctx context.Context, s *solvers.Solver, flag string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	words := append(slices.Clone(s.Exec), flag)
	var text strings.Builder
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := confine.Run(cmd); err != nil && text.Len() == 0 {
		return "", err
	}
	return text.String(), nil
}

// modules lists the modules of z3 parameters that affect how it decides formulas.
var modules = []string{
	"smt", "sat", "rewriter", "nlsat", "pi", "solver", "combined_solver", "lp", "sls", "nnf", "tactic", "ackermannization",
	"model_evaluator", "algebraic", "factor",
}

var (
	parameterLine = pattern.Lazy(`^ +([a-zA-Z][\w.-]*) \((bool|unsigned int|int|double|symbol)\) ?(.*)$`)
	defaultText   = pattern.Lazy(`\(default: ([^()]*)\)\s*$`)
	numbered      = pattern.Lazy(`\b(\d+) ?(?:-|=|for|\() ?([^,]*)`)
	quoted        = pattern.Lazy(`'([\w-]+)'( \([^)]*\))?`)
	between       = pattern.Lazy(`,| or `)
	parenthesised = pattern.Lazy(`\([^()]*\)`)
	requires      = pattern.Lazy(`requires ([\w.]+)=(\w+)`)
	lastWord      = pattern.Lazy(`([a-z][\w-]*)\s*$`)
)

// readParameters reads what z3 prints: "    name (type) description (default: value)" below "[module] m".
func readParameters(text string) (out []DeclaredOption) {
	module := ""
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "[module]" {
			module = strings.TrimSuffix(words[1], ",")
			continue
		}
		m := parameterLine().FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil || !slices.Contains(modules, module) || isMeddling(m[1]) {
			continue
		}
		o := DeclaredOption{Name: module + "." + m[1]}
		description := m[3]
		if d := defaultText().FindStringSubmatch(description); d != nil {
			o.Default = d[1]
			description = strings.TrimSuffix(description, d[0])
		}
		switch m[2] {
		case "bool":
			o.Values = []string{"true", "false"}
		case "symbol":
			o.Values = namedIn(description, o.Default)
		case "double":
			o.Values = []string{"0.0", "0.5", "1.0", "10.0"}
		default:
			if o.Values = numberedIn(description); o.Values == nil {
				o.Values = around(o.Default)
			}
		}
		if need := requires().FindStringSubmatch(description); need != nil {
			o.Needs = rule.Setting{Name: need[1], Value: need[2]}
		}
		if len(o.Values) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// disabling has words in the description of a value which say that the value leaves problems undecided on purpose, or
// is only for other formulas.
var disabling = []string{"no solver", "no-op", " only", "dump", "print"}

func isDisabling(text string) bool {
	return slices.ContainsFunc(disabling, func(w string) bool { return strings.Contains(text, w) })
}

// numberedIn returns the numbers that a description gives a meaning, "0 - eager, 1 - lazy"; nil for fewer than two.
func numberedIn(description string) (out []string) {
	all := numbered().FindAllStringSubmatch(description, -1)
	if len(all) < 2 {
		return nil
	}
	for _, m := range all {
		if !isDisabling(m[2]) && !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}

// namedIn returns the values that a description names: in quotation marks, or divided by commas with the default
// among them.
func namedIn(description, standard string) (out []string) {
	if all := quoted().FindAllStringSubmatch(description, -1); len(all) > 1 {
		for _, m := range all {
			if !isDisabling(m[2]) && !slices.Contains(out, m[1]) {
				out = append(out, m[1])
			}
		}
		return out
	}
	for _, part := range between().Split(parenthesised().ReplaceAllString(description, ""), -1) {
		if m := lastWord().FindStringSubmatch(part); m != nil && !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	if !slices.Contains(out, standard) || isDisabling(description) {
		return nil
	}
	return out
}

// around returns numbers worth trying for an option with the given default.
func around(standard string) []string {
	out := []string{"0", "1", "2", "10"}
	if n, err := strconv.ParseInt(standard, 10, 64); err == nil && n > 4 && n < 1<<20 {
		for _, more := range []int64{n / 2, n, 2 * n} {
			if text := strconv.FormatInt(more, 10); !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// unknownModes stands for values that the solver lists only on request.
const unknownModes = "MODE"

var (
	shortNames = pattern.Lazy(` \[-\w\]`)
	optionName = pattern.Lazy(`--([a-zA-Z][\w-]*)(?:(?:=| )<?(\w+)>?)?`)
	choices    = pattern.Lazy(`\{([^{}]*)\}`)
	standardIn = pattern.Lazy(`\[([\w-]+)\]`)
	modeLine   = pattern.Lazy(`(?m)^\+ ([\w-]+)( \(default\))?`)
)

// readHelp reads "--name", "--name=N", "--name <n>" and the like, with the text behind it and in the following lines:
// "[*]", "[true]" or "[false]" behind a switch, values in braces, a default in brackets, who it is for. If bare is set,
// an option without a value is a switch, too.
func readHelp(text string, bare bool) (out []DeclaredOption) {
	block := ""
	end := func() {
		if o, ok := readBlock(block, bare); ok && !slices.ContainsFunc(out, func(x DeclaredOption) bool {
			return x.Name == o.Name
		}) {
			out = append(out, o)
		}
		block = ""
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
			end()
		case strings.HasPrefix(trimmed, "-") && !(strings.HasPrefix(trimmed, "--") && strings.HasSuffix(strings.TrimSpace(block), ",")): // a name may stand in a line of its own
			end()
			block = trimmed + " "
		case block != "":
			block += trimmed + " "
		}
	}
	end()
	return out
}

func readBlock(block string, bare bool) (o DeclaredOption, ok bool) {
	m := optionName().FindStringSubmatch(block)
	if m == nil || isMeddling(m[1]) {
		return o, false
	}
	o.Name, o.Expert = m[1], strings.Contains(block, "EXPERTS")
	if d := standardIn().FindAllStringSubmatch(block, -1); d != nil {
		o.Default = d[len(d)-1][1]
	}
	listed := choices().FindStringSubmatch(block)
	switch kind := m[2]; {
	case listed != nil && kind != "":
		for v := range strings.SplitSeq(listed[1], ",") {
			o.Values = append(o.Values, strings.TrimSpace(v))
		}
	case strings.Contains(block, "=help"):
		o.Values = []string{unknownModes}
	case strings.Contains(block, "[*]"), o.Default == "true", o.Default == "false":
		o.Values = []string{"true", "false"}
	case kind == "" && (o.Default == "0" || o.Default == "1"):
		o.Values = []string{"0", "1"}
	case kind == "N" || kind == "n" || bare && slices.Contains(numbers, strings.ToLower(kind)):
		o.Values = around(o.Default)
	case kind == "P":
		o.Values = []string{"0.0", "0.5", "1.0"}
	case bare && kind == "":
		o.Values, o.Default = []string{"true", "false"}, "false"
	}
	return o, len(o.Values) > 0
}

// numbers are the words in help texts that stand for a numeric value.
var numbers = []string{"num", "number", "int", "integer", "seed", "level", "count"}

// readModes reads the values that "--name=help" lists, and which is the default.
func readModes(text string) (values []string, standard string) {
	for _, m := range modeLine().FindAllStringSubmatch(text, -1) {
		values = append(values, m[1])
		if m[2] != "" {
			standard = m[1]
		}
	}
	return values, standard
}

// meddling has words in names of options that change the question, the output or the limits. Options that change the
// meaning of a problem are in package meaning.
var meddling = []string{
	"?", "=", "<", "dump", "trace", "log", "file", "proof", "prf", "core", "valid", "model", "verb", "stat", "dimacs",
	"drat", "print", "debug", "check", "produce",
	"incremental", "interactive", "only", "partial", "sygus", "synth", "limit", "timeout", "memory",
	"help", "copyright", "version", "show", "quiet", "force", "strict", "abduct", "interpol", "output", "assign", "assum",
	"unsat", "learn", "parse", "input",
	"abort", "enum", "ho-", "sep-", "ignore", "local_search", "lookahead", "threads", "lang", "write", "safe",
	"filesystem", "early-exit", "segv", "difficulty",
	"solution", "unsound", "int_blast", "as-bv", "int-as", "no-", "aiger", "cnf", "letify", "slice", "underflow",
	"cardinality", "pb.", "fmf-fun",
	"expr-depth", "dag-thresh", "-exp", "dbg", "format", "rweight", "profile", "cleanup", "exit", "portfolio", "partition",
	"parsing", "btor", "smt1", "smt2",
}

// meddlers has complete names of such options.
var meddlers = []string{"hex", "dec", "bin", "time"}

// isMeddling reports whether the name of an option suggests that it changes the question, the output or the limits.
func isMeddling(name string) bool {
	return slices.Contains(meddlers, name) || slices.ContainsFunc(meddling, func(w string) bool {
		return strings.Contains(name, w)
	})
}
