// Package rule has the elements of the lists of rules in profiles, such as api_exclude: features that a kind of solver
// lacks, and features beyond SMT-LIB. Functions of campaign files make them: solver.lacks(operator = "bvnego", before =
// "4.13").
package rule

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/expression"
)

// Element is an element of such a list. String is its text for people, Call the call of a campaign file that makes it.
type Element interface {
	fmt.Stringer
	Call() string
}

// Setting is an option with its value: the name without colon or dashes, the value as text ("true", "17").
type Setting struct{ Name, Value string }

// Pair is "NAME=VALUE".
func (s Setting) Pair() string { return s.Name + "=" + s.Value }

// OptionKind says which values an option has.
type OptionKind string

// The kinds of options.
const (
	Bool OptionKind = "bool"
	Int  OptionKind = "int"
	List OptionKind = "list"
)

// OptionSpec describes an option that API fuzzing may set.
type OptionSpec struct {
	Name   string
	Kind   OptionKind
	Lo, Hi int64    // bounds of an Int
	Values []string // of a List
	Expert bool     // its developers call it one for experts
	With   Setting  // set along with it, where that is not set yet; the zero value for most options
}

// String returns "NAME bool", "NAME int LO HI" or "NAME list A,B", followed by the setting that it needs.
func (o OptionSpec) String() string {
	text := o.Name + " " + string(o.Kind)
	switch o.Kind {
	case Int:
		text += fmt.Sprintf(" %d %d", o.Lo, o.Hi)
	case List:
		text += " " + strings.Join(o.Values, ",")
	}
	if o.With.Name != "" {
		text += " with " + o.With.Pair()
	}
	if o.Expert {
		text += " expert"
	}
	return text
}

// Call implements Element.
func (o OptionSpec) Call() string {
	call := expression.NewCall("solver.option").Text("", o.Name)
	switch o.Kind {
	case Int:
		call.Set("between", between(o.Lo, o.Hi))
	case List:
		call.List("values", o.Values)
	}
	if o.With.Name != "" {
		call.Set("along", expression.Dict(o.With.Name, o.With.Value))
	}
	return call.Flag("expert", o.Expert).String()
}

// Settings returns values of the option worth asking about: all of a List, the ends of a range.
func (o OptionSpec) Settings() (out []Setting) {
	switch o.Kind {
	case Bool:
		return []Setting{{o.Name, "true"}, {o.Name, "false"}}
	case List:
		for _, v := range o.Values {
			out = append(out, Setting{o.Name, v})
		}
		return out
	}
	out = []Setting{{o.Name, strconv.FormatInt(o.Lo, 10)}}
	if o.Hi > o.Lo {
		out = append(out, Setting{o.Name, strconv.FormatInt(o.Hi, 10)})
	}
	return out
}

// Limit is an option that bounds one check-sat, can be set at any time, to a number from Lo to Hi, and is lifted by 0.
type Limit struct {
	Name   string
	Lo, Hi int64
}

// String returns "NAME LO HI".
func (l Limit) String() string { return fmt.Sprintf("%s %d %d", l.Name, l.Lo, l.Hi) }

// Call implements Element.
func (l Limit) Call() string {
	return expression.NewCall("solver.limit").Text("", l.Name).Set("between", between(l.Lo, l.Hi)).String()
}

func between(lo, hi int64) string { return fmt.Sprintf("(%d, %d)", lo, hi) }

// TheoryConflict is two or more theories that are not taken together.
type TheoryConflict []string

// String returns the theories with a blank between them.
func (c TheoryConflict) String() string { return strings.Join(c, " ") }

// Call implements Element.
func (c TheoryConflict) Call() string {
	call := expression.NewCall("solver.conflict")
	for _, theory := range c {
		call.Text("", theory)
	}
	return call.String()
}

// OperatorSpec is an operator beyond the operator table. A sort of Args is SMT-LIB's, or a word for a kind of sorts
// such as BitVec; Result is a sort.
type OperatorSpec struct {
	Name   string
	Args   []string
	Result string
}

// String returns "NAME (ARGUMENT ...) RESULT".
func (o OperatorSpec) String() string {
	return fmt.Sprintf("%s (%s) %s", o.Name, strings.Join(o.Args, " "), o.Result)
}

// Call implements Element.
func (o OperatorSpec) Call() string {
	return expression.NewCall("solver.operator").Text("", o.Name).List("args", o.Args).Text("result", o.Result).String()
}

// SpecialValue is a special value: its sort, and the value as SMT-LIB writes it.
type SpecialValue struct{ Sort, Text string }

// String returns "SORT TEXT".
func (v SpecialValue) String() string { return v.Sort + " " + v.Text }

// Call implements Element.
func (v SpecialValue) Call() string {
	return expression.NewCall("solver.value").Text("", v.Sort).Text("", v.Text).String()
}

// Contract is an operator that a solver accepts for more sorts than its documentation says. Kinds are the kinds of
// sorts that its arguments have there.
type Contract struct {
	Operator string
	Kinds    []string
}

// String returns "OPERATOR: KIND ...".
func (c Contract) String() string { return c.Operator + ": " + strings.Join(c.Kinds, " ") }

// Call implements Element.
func (c Contract) Call() string {
	return expression.NewCall("solver.contract").Text("", c.Operator).List("", c.Kinds).String()
}

// Configuration is a configuration beside the default one that a solver's developers support, and the arguments that
// put the solver into it.
type Configuration struct {
	Name string
	Args []string
}

// String returns "NAME: ARGUMENT ...".
func (c Configuration) String() string { return c.Name + ": " + strings.Join(c.Args, " ") }

// Call implements Element.
func (c Configuration) Call() string {
	return expression.NewCall("solver.configuration").Text("", c.Name).List("", c.Args).String()
}

// Options returns the arguments of the configuration as options, for those who cannot be given arguments; ok is false
// if one is none of the form --NAME=VALUE.
func (c Configuration) Options() (options []Setting, ok bool) {
	for _, a := range c.Args {
		name, value, found := strings.Cut(strings.TrimPrefix(a, "--"), "=")
		if !found {
			return nil, false
		}
		options = append(options, Setting{Name: name, Value: value})
	}
	return options, true
}
