package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/expression"
)

// PlacesOfSorts are the places in which a kind of solver may lack sorts that it has elsewhere.
var PlacesOfSorts = []string{"array-index", "array-element", "seq-element", "set-element", "bag-element", "fun-domain", "fun-codomain", "datatype-field", "sort-param", "const", "var", "get-value"}

// Features are what a kind of solver may lack that is neither an operator nor a sort, an option or a call.
var Features = []string{"assumption term", "named term", "echo quotes", "linear arithmetic", "match rest"}

// Lack is one thing that a kind of solver does not take. Its parts are the parameters of solver.lacks, whose documentation says
// what they are.
type Lack struct {
	lackOfOperator
	lackOfSort
	lackOfCalls
	lackOfTheories

	Feature string
	lackingSolvers
}

// lackOfOperator is an operator, of which one of the others may say which uses are meant.
type lackOfOperator struct {
	Operator, Argument, Signature, Index string
	ManyArguments                        bool
}

// lackOfSort is a kind of sorts, everywhere or in a place, or are formats of floating-point numbers.
type lackOfSort struct{ Sort, Place, FpFormat string }

// lackOfCalls are calls and options, and two of them that exclude each other.
type lackOfCalls struct {
	Action, Option string
	Conflict       []string
}

// lackOfTheories are theories, alone or together, and logics.
type lackOfTheories struct {
	Theory, Logic   string
	LogicAll        []string
	BitVectorArrays string
	Always, Once    string
}

// lackingSolvers bounds the solvers that lack it.
type lackingSolvers struct {
	Before, Since string
	OverText      bool
	Configuration string
}

// Mistake is what is wrong with a Lack. Field is the address of the field that it is about; nil: of none.
type Mistake struct {
	Field any
	Text  string
}

func (m *Mistake) Error() string { return m.Text }

func mistake(field any, format string, args ...any) *Mistake {
	return &Mistake{field, fmt.Sprintf(format, args...)}
}

// thing is one of those that a Lack can be about.
type thing struct {
	name  string
	field any
	text  string // what follows the name in the line; empty: it is not meant
}

func (l *Lack) things() []thing {
	return []thing{
		{"operator", &l.Operator, l.Operator}, {"theory", &l.Theory, l.Theory}, {"sort", &l.Sort, l.Sort}, {"fp_format", &l.FpFormat, l.FpFormat},
		{"action", &l.Action, l.Action}, {"option", &l.Option, l.Option}, {"conflict", &l.Conflict, strings.Join(l.Conflict, " ")}, {"logic", &l.Logic, l.Logic},
		{"logic_all", &l.LogicAll, strings.Join(l.LogicAll, "+")}, {"bit_vector_arrays", &l.BitVectorArrays, l.BitVectorArrays},
		{"always", &l.Always, l.Always}, {"once", &l.Once, l.Once}, {"feature", &l.Feature, l.Feature},
	}
}

// Line returns the line of a profile that says it. The error is a *Mistake.
func (l *Lack) Line() (string, error) {
	given := slices.DeleteFunc(l.things(), func(t thing) bool { return t.text == "" })
	switch {
	case len(given) == 0:
		return "", mistake(nil, "say what it lacks, such as operator, theory, sort, action or option")
	case len(given) > 1:
		return "", mistake(given[1].field, "%s and %s are two things, and one call says one: write a call for each", given[0].name, given[1].name)
	case len(l.Conflict) == 1 || len(l.Conflict) > 2:
		return "", mistake(&l.Conflict, "got %d names, want two", len(l.Conflict))
	}
	// The words of a line are those of profiles of former releases, which go on working.
	line := strings.ReplaceAll(given[0].name, "_", "-") + " " + given[0].text
	if l.Feature != "" {
		line = l.Feature
	}
	var err *Mistake
	if line, err = l.usesOfOperator(line); err != nil {
		return "", err
	}
	if l.Place != "" {
		if l.Sort == "" {
			return "", mistake(&l.Place, "it goes with sort")
		}
		line = l.Place + " " + l.Sort
	}
	for _, text := range []*string{&l.Operator, &l.Theory, &l.Action, &l.Option, &l.Logic, &l.BitVectorArrays, &l.Always, &l.Once, &l.Before, &l.Since, &l.Configuration} {
		if err := oneWord(text, *text); err != nil {
			return "", err
		}
	}
	for _, list := range []*[]string{&l.Conflict, &l.LogicAll} {
		for _, name := range *list {
			if err := oneWord(list, name); err != nil {
				return "", err
			}
		}
	}
	if l.Before != "" {
		line += " before " + l.Before
	}
	if l.Since != "" {
		line += " since " + l.Since
	}
	if l.OverText {
		line += " over text"
	}
	if l.Configuration != "" {
		line = l.Configuration + ": " + line
	}
	return line, nil
}

// oneWord returns what is wrong with a name that has a blank: a rule is a line of words, and the blank would make another rule of it.
func oneWord(field any, name string) error {
	if strings.ContainsAny(name, " \t\n") {
		return mistake(field, "%q has a blank; want one name", name)
	}
	return nil
}

// usesOfOperator returns the line for what is said of the uses of an operator; line if nothing is.
func (l *Lack) usesOfOperator(line string) (string, *Mistake) {
	said := false
	for _, part := range []struct {
		field any
		given bool
		line  string
	}{
		{&l.Argument, l.Argument != "", "argument " + l.Operator + " " + l.Argument}, {&l.Signature, l.Signature != "", "signature " + l.Operator + " " + l.Signature},
		{&l.Index, l.Index != "", "index " + l.Operator + " " + l.Index}, {&l.ManyArguments, l.ManyArguments, "nary " + l.Operator},
	} {
		if !part.given {
			continue
		}
		if l.Operator == "" || said {
			return "", mistake(part.field, "it goes with operator, and with one of argument, signature, index and many_arguments")
		}
		said, line = true, part.line
	}
	return line, nil
}

// callOfLack returns the call of solver.lacks for a line of api_exclude; "" if it is none.
func callOfLack(line, configuration string) string {
	call := expression.NewCall("solver.lacks")
	// From the end: what qualifies a rule is written behind what it says.
	rest, overText := strings.CutSuffix(line, " over text")
	rest, since, _ := strings.Cut(rest, " since ")
	rest, limit, _ := strings.Cut(rest, " before ")
	what, of, _ := strings.Cut(rest, " ")
	operator, more, _ := strings.Cut(of, " ")
	switch {
	case slices.Contains(Features, rest):
		call.Text("feature", rest)
	case slices.Contains(PlacesOfSorts, what):
		call.Text("sort", of).Text("place", what)
	case what == "nary":
		call.Text("operator", of).Flag("many_arguments", true)
	case what == "argument" || what == "index" || what == "signature":
		call.Text("operator", operator).Text(what, more)
	case what == "conflict":
		call.List("conflict", strings.Fields(of))
	case what == "logic-all":
		call.List("logic_all", strings.Split(of, "+"))
	case slices.Contains([]string{"operator", "theory", "sort", "fp-format", "action", "option", "logic", "bit-vector-arrays", "always", "once"}, what) && of != "":
		call.Text(strings.ReplaceAll(what, "-", "_"), of)
	default:
		return ""
	}
	if limit != "" {
		call.Text("before", limit)
	}
	if since != "" {
		call.Text("since", since)
	}
	call.Flag("over_text", overText)
	if configuration != "" {
		call.Text("configuration", configuration)
	}
	return call.String()
}
