package solvers

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/solvers/rule"
)

// OptionSyntax says how options and limits are spelt, which commands must precede a case, and which options name files.
type OptionSyntax struct {
	OptionFormat  string   `star:"option_format" doc:"how an option given in a campaign file is passed: text with {name} and {value}; a command if it starts with (, else an argument"`
	OptionProbe   string   `star:"option_probe" doc:"an argument with {name} and {value} that tests, before a campaign, whether the solver knows an option: for solvers that ignore unknown options in scripts; empty: option_format is used"`
	TimeLimit     string   `star:"time_limit" doc:"how to write its own time limit for one check-sat, with {ms}: a command or an argument"`
	ResourceLimit string   `star:"resource_limit" doc:"how to write its deterministic resource limit for one check-sat, with {n}: a command or an argument"`
	Preamble      []string `star:"preamble" doc:"commands sent before every case"`
	ModelOptions  []string `star:"model_options" doc:"commands before a case that asks for a model"`
	NoModelsOf    []string `star:"no_models_of" doc:"kinds of sorts, such as Array, for whose constants it gives no model: smtlark does not ask for one then"`
	CoreOptions   []string `star:"core_options" doc:"commands before a case that asks for an unsat core"`
	FileOptions   []string `star:"file_options" doc:"options that name files or write them, beyond those that smtlark knows (out, trace, *-file, ...), with * for any text: left out of cases, refused in campaign files"`
}

// fillDefaults sets empty fields to the values for a solver that follows the standard.
func (s *OptionSyntax) fillDefaults() {
	s.OptionFormat = cmp.Or(s.OptionFormat, "(set-option :{name} {value})")
	if s.ModelOptions == nil {
		s.ModelOptions = []string{"(set-option :produce-models true)"}
	}
	if s.CoreOptions == nil {
		s.CoreOptions = []string{"(set-option :produce-unsat-cores true)"}
	}
}

func (s *OptionSyntax) check() error {
	for _, c := range []struct{ field, value, hole string }{
		{"option_format", s.OptionFormat, "{name}"}, {"option_probe", s.OptionProbe, "{name}"},
		{"time_limit", s.TimeLimit, "{ms}"}, {"resource_limit", s.ResourceLimit, "{n}"},
	} {
		if c.value != "" && !strings.Contains(c.value, c.hole) {
			return fieldError(c.field, "%q does not contain %s", c.value, c.hole)
		}
	}
	return nil
}

// OptionText spells an option for this kind of solver; isCommand tells an SMT-LIB command from an argument.
func (s *OptionSyntax) OptionText(o rule.Setting) (text string, isCommand bool) {
	return spellOption(s.OptionFormat, "{name}", o.Name, "{value}", o.Value)
}

// OptionProbeText spells the argument that tests whether the solver knows an option; "" if the option itself is used
// for the test.
func (s *OptionSyntax) OptionProbeText(o rule.Setting) string {
	text, _ := spellOption(s.OptionProbe, "{name}", o.Name, "{value}", o.Value)
	return text
}

// TimeLimitText spells the solver's own limit for one check-sat; "" when its profile gives none.
func (s *OptionSyntax) TimeLimitText(d time.Duration) (text string, isCommand bool) {
	return spellOption(s.TimeLimit, "{ms}", strconv.FormatInt(max(1, d.Milliseconds()), 10))
}

// ResourceLimitText spells the solver's deterministic resource limit for one check-sat, in the solver's own unit; ""
// when its profile gives none.
func (s *OptionSyntax) ResourceLimitText(n uint64) (text string, isCommand bool) {
	return spellOption(s.ResourceLimit, "{n}", strconv.FormatUint(n, 10))
}

func spellOption(format string, oldnew ...string) (string, bool) {
	return strings.NewReplacer(oldnew...).Replace(format), strings.HasPrefix(format, "(")
}

// BeginsOption reports whether a word of a command line begins an option: it has a dash, or sets a parameter, as z3's
// sat.random_seed=42 does. Other words are values of the option before them, or files.
func BeginsOption(word string) bool {
	parameter, _, sets := strings.Cut(word, "=")
	return strings.HasPrefix(word, "-") || sets && !strings.Contains(parameter, "/")
}

// SplitOptions divides the words of a command line into options, each with the values after it.
func SplitOptions(words []string) (options [][]string) {
	for i, word := range words {
		if i == 0 || BeginsOption(word) {
			options = append(options, nil)
		}
		last := len(options) - 1
		options[last] = append(options[last], word)
	}
	return options
}
