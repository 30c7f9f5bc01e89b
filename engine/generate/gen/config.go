package gen

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Config configures a Gen. The zero value is filled by Fill.
type Config struct {
	// Theories are names of the operator table, or of Theories; empty: all that the rules allow.
	Theories []string
	// Quantifiers, Linear: forall and exists; no products and quotients of terms that are not literals.
	Quantifiers, Linear bool
	// Boundaries says that the caller chooses arguments at the boundaries of an operator's domain. So no such term is
	// left out as rarely informative.
	Boundaries bool
	// HigherOrder: functions as values, partial application and lambdas, as far as the targets have them (HigherOrder and
	// ArrayFunctions).
	HigherOrder bool
	MaxWidth    int // of bit vectors
	MaxDepth    int // of terms, 0: no bound
	MaxArgs     int // of operators that take any number
	Rules       Exclusions
	Extra       []Extra
	// Values and Sorts are special values and sorts beyond those of the package.
	Values []SpecialValue
	Sorts  []Weighted
	// Weights of operators by name; 0 leaves an operator out, 1 is usual.
	Weights map[string]float64
}

// Extra is an operator that the operator table lacks. Its semantics are not known, so no formula with it has a known
// truth.
type Extra struct {
	rule.OperatorSpec
	Weight float64
}

// SpecialValue is a special value. If smtlark does not know it, such as a constant of one solver, its value is unknown.
type SpecialValue struct {
	rule.SpecialValue
	Weight float64
}

// Weighted is a text with a weight: 1 is usual.
type Weighted struct {
	Text   string
	Weight float64
}

// Exclusions list the features that some target of a campaign does not accept.
type Exclusions struct {
	Kinds    []string // of solvers, such as z3: operators beyond the standard must be known to all of them
	Theories []string // that all take; nil: any
	Logics   []string // the only ones that all know; nil: any
	// Exclude lists the operators, sorts and logics that at least one of them lacks; lacks of walks (rule.Lack.AboutWalks)
	// are no part of it.
	Exclude   []rule.Lack
	Conflicts []rule.TheoryConflict
}

// ConstantArrays is the name of the operator of constant arrays, which are no part of the standard. It stands for them
// in rules about features that are lacking outside of the logic ALL (rule.LogicAll).
const ConstantArrays = "const"

// IsOtherArray reports whether a sort is an array whose indices or elements are no bit vectors.
func IsOtherArray(a *smt.Arena, s smt.Sort) bool {
	return a.SortKind(s) == smt.KindArray && slices.ContainsFunc(a.SortArgs(s), func(p smt.Sort) bool { return a.SortKind(p) != smt.KindBitVec })
}

// ForLogic leaves out the sorts, and constant arrays, that the targets do not take in a logic.
func (g *Gen) ForLogic(name string) {
	g.everyLogic = name == "ALL"
	if name != "ALL" && g.Cfg.Rules.Lacks(rule.LogicAll.Of(ConstantArrays)) {
		g.without[ConstantArrays] = true
		g.names = nil
	}
	if !g.Cfg.Rules.Lacks(rule.BitVectorArrays.Of(name)) {
		return
	}
	g.Cfg.Rules.Exclude = slices.Clip(g.Cfg.Rules.Exclude)
	for kind := range logic.TheoryOf {
		if kind != smt.KindBitVec {
			index, element := rule.Sort.With(kind.String(), "array-index"), rule.Sort.With(kind.String(), "array-element")
			g.Cfg.Rules.Exclude = append(g.Cfg.Rules.Exclude, index, element)
		}
	}
	slices.SortFunc(g.Cfg.Rules.Exclude, rule.Lack.Compare)
}

// short are the names of theories for people, and those of the table that they stand for.
var short = map[string][]string{
	"Core": {"Core"}, "BV": {"FixedSizeBitVectors", "BitVectorExtensions"}, "Array": {"ArraysEx"}, "Arrays": {"ArraysEx"}, "UF": {"UF"},
	"Int": {"Ints", "Arith"}, "Real": {"Reals", "Arith"}, "FP": {"FloatingPoint", "FloatingPointExtensions"},
	"String": {"Strings", "StringExtensions"}, "Seq": {"Sequences"}, "Set": {"Sets"}, "Bag": {"Bags"}, "FF": {"FiniteFields"},
	"DT": {"Datatypes"}, "Quant": {"Quantifiers"}, "Transcendental": {"Transcendental"}, "HO": {HigherOrder, ArrayFunctions},
}

// The theories of functions as values, which have no operators in the table. HigherOrder is SMT-LIB 2.7's and cvc5's:
// sorts (-> A B), function symbols and lambdas as values of them, (@ f x). ArrayFunctions is z3's: lambdas that are
// arrays, (_ as-array f) and (_ map f).
const (
	HigherOrder    = logic.TheoryHigherOrder
	ArrayFunctions = "ArrayFunctions"
)

// TheoryNames are the short names of theories, sorted.
func TheoryNames() []string {
	var out []string
	for n := range short {
		if n != "Arrays" && n != "Core" && n != "Quant" && n != "HO" {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// expandTheories turns names into the set of the table's theories.
func expandTheories(names []string) (map[string]bool, error) {
	out := map[string]bool{"Core": true}
	for _, n := range names {
		if long, ok := short[n]; ok {
			for _, l := range long {
				out[l] = true
			}
			continue
		}
		if !slices.Contains(TableTheories(), n) {
			return nil, fmt.Errorf("%q is no theory; there are %s", n, strings.Join(TheoryNames(), ", "))
		}
		out[n] = true
	}
	return out, nil
}

// MainTheory is the theory of the table that a name for people stands for; where there are several, the one that the
// others extend.
func MainTheory(name string) (string, error) {
	if _, err := expandTheories([]string{name}); err != nil {
		return "", err
	}
	if long, ok := short[name]; ok {
		return long[0], nil
	}
	return name, nil
}

// TableTheories are the theories of the operator table, and those without operators.
func TableTheories() []string { return tableTheories() }

var tableTheories = sync.OnceValue(func() []string {
	out := []string{"UF", "Datatypes", "Quantifiers", HigherOrder, ArrayFunctions}
	for _, op := range smt.Ops() {
		if !slices.Contains(out, op.Theory) {
			out = append(out, op.Theory)
		}
	}
	return slices.Clip(out)
})

// seldom are theories that are taken only when they are asked for: hardly a solver decides them.
var seldom = map[string]bool{"Transcendental": true, HigherOrder: true, ArrayFunctions: true}

// Fill sets defaults and checks names. It returns the theories that remain.
func (c *Config) Fill() (map[string]bool, error) {
	if c.MaxWidth == 0 {
		c.MaxWidth = 64
	}
	if c.MaxArgs == 0 {
		c.MaxArgs = 4
	}
	on := map[string]bool{}
	var err error
	if len(c.Theories) > 0 {
		if on, err = expandTheories(c.Theories); err != nil {
			return nil, err
		}
	} else {
		for _, t := range TableTheories() {
			on[t] = !seldom[t] && t != "Quantifiers"
		}
	}
	if c.Quantifiers {
		on["Quantifiers"] = true
	}
	if c.HigherOrder {
		on[HigherOrder], on[ArrayFunctions] = true, true
		on["ArraysEx"] = on["ArraysEx"] || c.arrayFunctions() // the functions are arrays there
	}
	if c.Rules.Theories != nil {
		for t := range on {
			on[t] = on[t] && slices.Contains(c.Rules.Theories, t)
		}
	}
	for _, l := range c.Rules.Exclude {
		if l.Kind == rule.Theory {
			on[l.Of] = false
		}
	}
	on["Core"] = true
	if on["Strings"] || on["Sequences"] || on["Sets"] || on["Bags"] {
		on["Ints"] = c.Rules.Theories == nil || slices.Contains(c.Rules.Theories, "Ints") // lengths
	}
	on["Reals_Ints"] = on["Reals"] && on["Ints"]
	on[ArrayFunctions] = on[ArrayFunctions] && c.arrayFunctions() && on["ArraysEx"]
	for t := range on {
		if !on[t] {
			delete(on, t)
		}
	}
	return on, nil
}

// arrayFunctions reports whether the targets have them: they are no part of the standard.
func (c *Config) arrayFunctions() bool { return slices.Contains(c.Rules.Theories, ArrayFunctions) }

// Lacks reports whether one of the targets lacks something.
func (r *Exclusions) Lacks(l rule.Lack) bool { return slices.Contains(r.Exclude, l) }

// Always reports whether every walk must have a theory.
func (r *Exclusions) Always(theory string) bool { return r.Lacks(rule.Always.Of(theory)) }

// Once reports whether a case with some theories has one check-sat, without assumptions and levels, and nothing else is
// asked in it.
func (r *Exclusions) Once(on map[string]bool) bool {
	return slices.ContainsFunc(r.Exclude, func(l rule.Lack) bool { return l.Kind == rule.Once && on[l.Of] })
}

// excludes reports whether a rule forbids the sort in a place.
func (r *Exclusions) excludes(a *smt.Arena, place string, s smt.Sort) bool {
	kind := a.SortKind(s).String()
	return r.Lacks(rule.Sort.With(kind, place)) || r.Lacks(rule.Sort.Of(kind))
}

// Together combines the rules of several targets: it allows only features that all accept.
func Together(rules ...Exclusions) Exclusions {
	var out Exclusions
	for i, r := range rules {
		for _, k := range r.Kinds {
			if !slices.Contains(out.Kinds, k) {
				out.Kinds = append(out.Kinds, k)
			}
		}
		for _, e := range r.Exclude {
			if !slices.Contains(out.Exclude, e) {
				out.Exclude = append(out.Exclude, e)
			}
		}
		out.Conflicts = append(out.Conflicts, r.Conflicts...)
		if out.Logics == nil {
			out.Logics = slices.Clone(r.Logics)
		} else if r.Logics != nil {
			out.Logics = slices.DeleteFunc(out.Logics, func(l string) bool { return !slices.Contains(r.Logics, l) })
		}
		switch {
		case i == 0 || out.Theories == nil:
			out.Theories = slices.Clone(r.Theories)
		case r.Theories != nil:
			out.Theories = slices.DeleteFunc(out.Theories, func(t string) bool { return !slices.Contains(r.Theories, t) })
		}
	}
	return out
}

// Logic returns the name of the logic of these theories, ALL where there is none.
func Logic(on map[string]bool, linear bool) string {
	f := logic.Linear
	if !linear {
		f |= logic.Nonlinear
	}
	for theory, is := range on {
		if needs, ok := logic.Theory(theory); ok && is {
			f |= needs
		}
	}
	return f.String()
}
