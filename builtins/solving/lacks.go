package solving

import (
	"errors"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	rules "github.com/smtlark/smtlark/solvers/rule"
)

// lacksArgs are the arguments of solver.lacks.
type lacksArgs struct {
	_               registry.KeywordOnly
	Operator        string   `default:"\"\"" doc:"an operator by its SMT-LIB name"`
	Argument        string   `default:"\"\"" doc:"with operator: only for arguments of this kind of sorts, such as Array or ->"`
	Signature       string   `default:"\"\"" doc:"with operator: only with this signature, written as in help(operator)"`
	Index           string   `type:"\"zero\" | \"beyond\" | None" default:"None" doc:"with operator: only with the index 0, or only with an index beyond the width (for re.range: strings that are no range of Latin-1 characters)"`
	ManyArguments   bool     `default:"False" doc:"with operator: only with more than two arguments"`
	Theory          string   `default:"\"\"" doc:"a theory"`
	Sort            string   `default:"\"\"" doc:"a kind of sorts: Array, BitVec, FiniteField, user sort, -> ..."`
	Place           string   `type:"{places} | None" default:"None" doc:"with sort: only in this place. With sort-param, any and tester are sorts, too"`
	FpFormat        string   `type:"\"other\" | \"rare\" | \"wide-exponent\" | None" default:"None" doc:"floating-point formats: those beyond IEEE 754, all but Float32 and Float64, or those with more bits of exponent than of significand"`
	Action          string   `default:"\"\"" doc:"a call, such as get-proof"`
	Option          string   `default:"\"\"" doc:"an option"`
	Conflict        []string `default:"[]" doc:"two options, or an option and a call: the second is not accepted after the first"`
	Logic           string   `default:"\"\"" doc:"the name of a logic"`
	LogicAll        []string `default:"[]" doc:"theories whose combination it accepts only in the logic ALL; const: constant arrays"`
	BitVectorArrays string   `default:"\"\"" doc:"arrays whose indices or elements are no bit vectors, in the logic of this name"`
	Always          string   `default:"\"\"" doc:"walks without this theory"`
	Once            string   `default:"\"\"" doc:"more than one check-sat with this theory"`
	Feature         string   `type:"{features} | None" default:"None" doc:"assumptions that are no literals; names of assertions; texts with quotes; linear arithmetic: all other arithmetic; a case for all other constructors in match; scripts without set-logic; names that are free again when their level is popped"`
	Before          string   `default:"\"\"" doc:"only versions before this one lack it"`
	Since           string   `default:"\"\"" doc:"only this version and later ones lack it"`
	OverText        bool     `default:"False" doc:"only programs lack it, not C libraries"`
	Configuration   string   `default:"\"\"" doc:"for configuration_exclude: the configuration that lacks it"`
}

var lacksBuiltin = registry.Builtin{
	Name: "lacks", Doc: "A feature that a kind of solver does not support, so that API fuzzing leaves it out: for api_exclude, api_avoid and configuration_exclude of its profile. One feature per call; argument, signature, index and many_arguments go with operator, and place goes with sort.",
	Words: map[string]string{"places": literals(rules.PlacesOfSorts), "features": literals(rules.Features)},
	Ret:   "solver_rule", Example: `solver.lacks(operator = "bvnego", before = "4.13").line  # -> "operator bvnego before 4.13"
solver.lacks(sort = "Array", place = "array-index").line  # -> "array-index Array"
solver.lacks(sort = "Array", operator = "ite")  # error: operator and sort are two things
solver.lacks()  # error: say what it lacks`,
	Do: registry.Into(newLack),
}

// thing is one of the subjects that solver.lacks can have.
type thing struct {
	name  string
	field any
	kind  rules.Topic
	of    string // "": it is not meant
}

// things returns the possible subjects, each with its parameter.
func (a *lacksArgs) things() []thing {
	return []thing{
		{"operator", &a.Operator, rules.Operator, a.Operator}, {"theory", &a.Theory, rules.Theory, a.Theory}, {"sort", &a.Sort, rules.Sort, a.Sort},
		{"fp_format", &a.FpFormat, rules.FpFormat, a.FpFormat}, {"action", &a.Action, rules.Action, a.Action}, {"option", &a.Option, rules.Option, a.Option},
		{"conflict", &a.Conflict, rules.Conflict, strings.Join(a.Conflict, " ")}, {"logic", &a.Logic, rules.Logic, a.Logic},
		{"logic_all", &a.LogicAll, rules.LogicAll, strings.Join(a.LogicAll, "+")},
		{"bit_vector_arrays", &a.BitVectorArrays, rules.BitVectorArrays, a.BitVectorArrays},
		{"always", &a.Always, rules.Always, a.Always}, {"once", &a.Once, rules.Once, a.Once}, {"feature", &a.Feature, rules.Feature, a.Feature},
	}
}

// newLack makes the rule that the arguments say.
func newLack(c *registry.Call, a *lacksArgs) (starlark.Value, error) {
	var said []thing
	for _, t := range a.things() {
		if t.of != "" {
			said = append(said, t)
		}
	}
	switch {
	case len(said) == 0:
		return nil, errors.New("say what it lacks, such as operator, theory, sort, action or option")
	case len(said) > 1:
		return nil, c.Errorf(said[1].field, "%s and %s are two things, and one call says one: write a call for each", said[0].name, said[1].name)
	case len(a.Conflict) == 1 || len(a.Conflict) > 2:
		return nil, c.Errorf(&a.Conflict, "got %d names, want two", len(a.Conflict))
	case a.Place != "" && a.Sort == "":
		return nil, c.Errorf(&a.Place, "it goes with sort")
	}
	lack := said[0].kind.With(said[0].of, a.Place)
	if len(a.Conflict) == 2 {
		lack = rules.Conflict.With(a.Conflict[0], a.Conflict[1])
	}
	lack, err := a.useOfOperator(c, lack)
	if err != nil {
		return nil, err
	}
	if err := a.checkWords(c); err != nil {
		return nil, err
	}
	of := rules.Bounds{Before: a.Before, Since: a.Since, OverText: a.OverText}
	return &RuleValue{Element: rules.VersionedLack{Lack: lack, Bounds: of, Configuration: a.Configuration}}, nil
}

// useOfOperator returns the lack of some uses of an operator; lack where nothing is said of uses.
func (a *lacksArgs) useOfOperator(c *registry.Call, lack rules.Lack) (rules.Lack, error) {
	said := false
	for _, use := range []struct {
		field any
		given bool
		lack  rules.Lack
	}{
		{&a.Argument, a.Argument != "", rules.Argument.With(a.Operator, a.Argument)},
		{&a.Signature, a.Signature != "", rules.Signature.With(a.Operator, a.Signature)},
		{&a.Index, a.Index != "", rules.Index.With(a.Operator, a.Index)},
		{&a.ManyArguments, a.ManyArguments, rules.ManyArguments.Of(a.Operator)},
	} {
		if !use.given {
			continue
		}
		if a.Operator == "" || said {
			return lack, c.Errorf(use.field, "it goes with operator, and with one of argument, signature, index and many_arguments")
		}
		said, lack = true, use.lack
	}
	return lack, nil
}

// checkWords rejects names with blanks: a rule is a line of words in a profile, and a blank would turn it into another
// rule.
func (a *lacksArgs) checkWords(c *registry.Call) error {
	for _, text := range []*string{
		&a.Operator, &a.Theory, &a.Action, &a.Option, &a.Logic, &a.BitVectorArrays, &a.Always, &a.Once, &a.Before, &a.Since, &a.Configuration,
	} {
		if err := oneWord(c, text, *text); err != nil {
			return err
		}
	}
	for _, list := range []*[]string{&a.Conflict, &a.LogicAll} {
		for _, name := range *list {
			if err := oneWord(c, list, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func oneWord(c *registry.Call, field any, name string) error {
	if strings.ContainsAny(name, " \t\n") {
		return c.Errorf(field, "%q has a blank; want one name", name)
	}
	return nil
}
