// Package meaning knows which options and commands of solvers change the meaning of a problem. Answers to a changed problem must not
// be judged by the SMT-LIB standard. The table was found by testing z3 4.8.12 and 5.4.1, cvc5 1.0.3 and 1.3.2, and
// yices 2.6.5, option by option.
package meaning

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Touched is the set of language parts whose meaning an option changes.
type Touched uint16

// The parts of SMT-LIB whose meaning options change.
const (
	Strings          Touched = 1 << iota // which characters there are
	DivisionOfBits                       // bvudiv, bvurem, bvsdiv, bvsrem and bvsmod by zero
	Division                             // div, mod and / by zero
	FloatConversions                     // of numbers that the target does not have
	BitsAndIntegers                      // conversions between bit vectors and integers
	Reals                                // all that is of sort Real
	Transcendental                       // sin, exp and the like
	Arrays                               // equality of arrays
	Datatypes                            // which values there are
	Functions                            // recursive ones, and functions as values
	Quantifiers
	Answers // any answer may be another one
	Models  // the output of a model is cut, rounded or left out

	nothing Touched = 0
)

// option is a row of the table.
type option struct {
	name    string // without regard to case, - for _
	touches Touched
	changes func(value string) bool // whether a value changes the meaning
	solver  string                  // that has it
}

func is(values ...string) func(string) bool {
	return func(value string) bool { return slices.Contains(values, value) }
}

func isNot(values ...string) func(string) bool {
	return func(value string) bool { return !slices.Contains(values, value) }
}

func always(string) bool { return true }

// options is the table. A solver ignores a value that it does not know or reports an error; either way the value
// changes nothing.
var options = []option{
	{name: "encoding", touches: Strings, changes: is("ascii", "bmp"), solver: "z3"}, // characters end at 255, at 65535
	{name: "unicode", touches: Strings, changes: is("false"), solver: "z3"},         // before 4.8.13: at 255
	{name: "rewriter.hi-div0", touches: DivisionOfBits, changes: is("false"), solver: "z3"},
	{name: "rewriter.hi-fp-unspecified", touches: FloatConversions, changes: is("true"), solver: "z3"},
	{name: "smt.string-solver", touches: Strings, changes: is("none", "empty"), solver: "z3"},
	{name: "smt.bv.enable-int2bv", touches: BitsAndIntegers, changes: is("false"), solver: "z3"},
	{name: "smt.array.extensional", touches: Arrays, changes: is("false"), solver: "z3"},
	{name: "smt.array.weak", touches: Arrays, changes: is("true"), solver: "z3"},
	{name: "smt.arith.nl.transcendental", touches: Transcendental, changes: is("false"), solver: "z3"},
	{name: "tactic.default-tactic", touches: Answers, changes: isNot(""), solver: "z3"}, // a tactic may have any of these parameters
	{name: "pp.decimal", touches: Models, changes: is("true"), solver: "z3"},
	{name: "pp.bounded", touches: Models, changes: is("true"), solver: "z3"},
	{name: "pp.max-num-lines", touches: Models, changes: always, solver: "z3"},
	{name: "pp.max-width", touches: Models, changes: always, solver: "z3"},
	{name: "model.partial", touches: Models, changes: is("true"), solver: "z3"},
	{name: "model.user-functions", touches: Models, changes: is("false"), solver: "z3"},
	{name: "smt.candidate-models", touches: Models, changes: is("true"), solver: "z3"},
	{name: "strings-alpha-card", touches: Strings, changes: isNot("196608"), solver: "cvc5"},
	{name: "solve-real-as-int", touches: Reals, changes: is("true"), solver: "cvc5"},
	{name: "arith-no-partial-fun", touches: Division, changes: is("true"), solver: "cvc5"},
	{name: "dt-cyclic", touches: Datatypes, changes: is("false"), solver: "cvc5"},
	{name: "cdt-bisimilar", touches: Datatypes, changes: is("false"), solver: "cvc5"},
	{name: "fmf-mbqi", touches: Quantifiers, changes: is("trust"), solver: "cvc5"},
	{name: "fmf-fun", touches: Quantifiers | Functions, changes: is("true"), solver: "cvc5"},
	{name: "fmf-fun-rlv", touches: Quantifiers | Functions, changes: is("true"), solver: "cvc5"},
	{name: "uf-ho-ext", touches: Functions | Models, changes: is("false"), solver: "cvc5"},
	{name: "fresh-declarations", touches: Answers, changes: is("false"), solver: "cvc5"}, // a symbol declared again is the same one
	{name: "global-negate", touches: Answers, changes: is("true"), solver: "cvc5"},
	{name: "expr-depth", touches: Models, changes: isNot("-1"), solver: "cvc5"},
	{name: "strings-model-max-len", touches: Models, changes: always, solver: "cvc5"},
	{name: "model-cores", touches: Models, changes: isNot("none"), solver: "cvc5"},
	{name: "abstract-values", touches: Models, changes: is("true"), solver: "cvc5"},
	{name: "default-function-value-mode", touches: Models, changes: is("hole"), solver: "cvc5"},
	{name: "assign-function-values", touches: Models, changes: is("false"), solver: "cvc5"},
	{name: "yices-mcsat-nra-bound", touches: Answers, changes: is("true"), solver: "yices2"},
}

// canonical returns an option's name in the form in which solvers compare names: z3 takes REWRITER.HI-DIV0 for
// :rewriter.hi_div0.
func canonical(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimLeft(name, ":-")), "_", "-")
}

// row returns the table row of an option, or nil if there is none. Parameters of a tactic may leave out their module.
func row(name string, ofTactic bool) *option {
	name = canonical(name)
	for i := range options {
		o := &options[i]
		if o.name == name || ofTactic && strings.HasSuffix(o.name, "."+name) {
			return o
		}
	}
	return nil
}

// blocking are commands of cvc5 that add an assertion of the solver's own: the present model is no model from there on.
var blocking = []string{"block-model", "block-model-values"}

// Has reports whether the option with this name changes the meaning of a problem for some value.
func Has(name string) bool { return row(name, false) != nil }

// Of returns the parts of SMT-LIB whose meaning an option with this value changes; the value may be quoted.
func Of(name, value string) Touched {
	o := row(name, false)
	if o == nil || !o.changes(plain(value)) {
		return nothing
	}
	return o.touches
}

// plain returns a value without the quotes that z3 allows around it.
func plain(value string) string {
	if n := len(value); n >= 2 && (value[0] == '"' && value[n-1] == '"' || value[0] == '|' && value[n-1] == '|') {
		return value[1 : n-1]
	}
	return value
}

// Changes collects the options and commands of a script, and the options of a run, that change its meaning.
type Changes struct{ list []change }

type change struct {
	text    string // the option as it was set, or the command
	touches Touched
}

// Add adds an option. It has no effect if the option is not in the table or if its value leaves the meaning unchanged.
func (c *Changes) Add(name, value string) {
	if t := Of(name, value); t != nothing {
		c.add("option :"+strings.TrimLeft(name, ":-")+" "+value, t)
	}
}

func (c *Changes) add(text string, t Touched) {
	if !slices.ContainsFunc(c.list, func(x change) bool { return x.text == text }) {
		c.list = append(c.list, change{text, t})
	}
}

// addParameters adds the parameters that a command's text passes to tactics, as in (using-params simplify :hi_div0
// false).
func (c *Changes) addParameters(text string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("() \t\r\n", r) })
	for i := 0; i+1 < len(words); i++ {
		if !strings.HasPrefix(words[i], ":") {
			continue
		}
		if o := row(words[i], true); o != nil && o.changes(plain(words[i+1])) {
			c.add("option "+words[i]+" "+words[i+1], o.touches)
		}
	}
}

// AddArgument adds an option of a command line, such as --strings-alpha-card=3 or rewriter.hi_div0=false.
func (c *Changes) AddArgument(arg string) {
	name, value, ok := strings.Cut(arg, "=")
	if !ok {
		name, value = arg, "true"
		if no, negated := strings.CutPrefix(arg, "--no-"); negated {
			name, value = no, "false"
		}
	}
	c.Add(name, value)
}

// AddCommands adds the options that commands set, and the commands that add assertions of the solver's own. An option
// takes effect where it is set, but here it counts for all commands: solvers keep options across pop, and z3 also across
// reset.
func (c *Changes) AddCommands(commands []smtlib.Command) {
	for i := range commands {
		switch x := &commands[i]; x.Kind {
		case smtlib.CmdSetOption:
			c.Add(x.Name, x.Text)
		case smtlib.CmdCheckSatUsing, smtlib.CmdSimplify, smtlib.CmdOther:
			if slices.Contains(blocking, x.Name) {
				c.add("command "+x.Name, Answers|Models)
			}
			if strings.Contains(x.Text, ":") {
				c.addParameters(x.Text)
			}
		}
	}
}

// OfScript returns the changes that the options of a script make.
func OfScript(s *smtlib.Script) *Changes {
	c := &Changes{}
	c.AddCommands(s.Commands)
	return c
}

// None reports whether the standard meaning applies everywhere.
func (c *Changes) None() bool { return len(c.list) == 0 }

// Why names the option or the command that changes the meaning of the answer for these assertions, or of their values under a model.
// It returns "" if there is none.
func (c *Changes) Why(a *smt.Arena, terms []smt.Term) string {
	if c.None() {
		return ""
	}
	touched := Answers
	bodies := map[smt.Symbol]bool{}
	for len(terms) > 0 {
		var next []smt.Term
		a.PostOrder(terms, func(t smt.Term) {
			touched |= touchedBy(a, t)
			if f := a.SymbolOf(t); f != 0 && a.SymbolInfo(f).Body != 0 && !bodies[f] {
				bodies[f] = true
				next = append(next, a.SymbolInfo(f).Body)
			}
		})
		terms = next
	}
	for _, x := range c.list {
		if x.touches&touched != nothing {
			return fmt.Sprintf("the %s gives this another meaning", x.text)
		}
	}
	return ""
}

// WhyModel is Why for the values that a solver prints.
func (c *Changes) WhyModel(a *smt.Arena, terms []smt.Term) string {
	for _, x := range c.list {
		if x.touches&Models != nothing {
			return fmt.Sprintf("the %s changes what is printed of models", x.text)
		}
	}
	return c.Why(a, terms)
}

// operators maps each operator to the options' effects on it; the sorts of terms are handled separately.
var operators = func() map[smt.Op]Touched {
	names := map[string]Touched{}
	add := func(t Touched, list string) {
		for name := range strings.FieldsSeq(list) {
			names[name] = t
		}
	}
	add(DivisionOfBits, "bvudiv bvurem bvsdiv bvsrem bvsmod")
	add(Division, "div mod / rem divisible")
	add(FloatConversions, "fp.to_ubv fp.to_sbv fp.to_real fp.to_ieee_bv fp.to_ubv_I fp.to_sbv_I")
	add(BitsAndIntegers, "bv2nat bv2int ubv_to_int sbv_to_int int2bv nat2bv int_to_bv")
	add(Transcendental, "exp sin cos tan csc sec cot arcsin arccos arctan arccsc arcsec arccot asin acos atan sinh cosh tanh asinh acosh atanh sqrt real.pi pi euler")
	out := map[smt.Op]Touched{smt.OpForall: Quantifiers, smt.OpExists: Quantifiers, smt.OpLambda: Functions}
	for _, info := range smt.Ops() {
		if t := names[info.Name]; t != nothing {
			out[info.Op] |= t
		}
	}
	return out
}()

// touchedBy returns which changes of meaning affect a term itself, without its subterms.
func touchedBy(a *smt.Arena, t smt.Term) Touched {
	touched := operators[a.Op(t)]
	if a.Op(t).IsBinder() {
		for _, x := range a.BoundVars(t) {
			touched |= ofSort(a, a.Sort(x))
		}
	}
	if f := a.SymbolOf(t); f != 0 && len(a.SymbolInfo(f).Params) > 0 {
		touched |= Functions
	}
	return touched | ofSort(a, a.Sort(t))
}

func ofSort(a *smt.Arena, s smt.Sort) Touched {
	touched := nothing
	switch a.SortKind(s) {
	case smt.KindString, smt.KindRegLan, smt.KindSeq:
		touched = Strings
	case smt.KindReal:
		touched = Reals
	case smt.KindArray:
		touched = Arrays
	case smt.KindDatatype:
		touched = Datatypes
	case smt.KindFunc:
		touched = Functions
	}
	for _, x := range a.SortArgs(s) {
		touched |= ofSort(a, x)
	}
	return touched
}
