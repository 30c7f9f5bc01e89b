package reduce

import (
	"github.com/smtlark/smtlark/engine/reduce/commands"
	"github.com/smtlark/smtlark/engine/reduce/names"
	"github.com/smtlark/smtlark/engine/reduce/script"
	"github.com/smtlark/smtlark/engine/reduce/sorts"
	"github.com/smtlark/smtlark/engine/reduce/terms"
)

// allPasses in their default order: what removes most for one test comes first.
var allPasses = []*pass{
	{name: "declarations", commands: true, run: commands.DropDeclarations, doc: "drop unused declarations and definitions; later candidates have none"},
	{name: "asserts", commands: true, run: commands.DropAsserts, doc: "drop assertions, by delta debugging"},
	{name: "scopes", commands: true, run: commands.DropScopes, doc: "drop push and pop, with the commands between them or around them"},
	{name: "commands", commands: true, run: commands.DropCommands, doc: "drop check-sats, get-commands, resets and unknown commands"},
	{name: "options", commands: true, run: commands.DropOptions, doc: "drop set-option, set-info and set-logic"},
	{name: "setting", commands: true, run: commands.SmallerSettings, doc: "move values of options towards their defaults, or 0"},
	{name: "text", commands: true, run: commands.Reprint, doc: "of a file whose own text matters: print commands normally instead of with their own text, drop comments"},
	{name: "checks", commands: true, run: commands.SimplifyCommands, doc: "turn check-sat-using and check-sat-assuming into check-sat; shorten lists of terms"},
	{name: "expressions", commands: true, run: commands.ShortenExpressions, doc: "of commands that cannot be read: drop elements of lists, replace lists by parts of them, by true, false or 0"},
	{name: "descendant", run: terms.ByDescendant, doc: "replace a large assertion by a part of it"},
	{name: "constant", run: terms.ByConstant, doc: "replace terms by constants of their sort"},
	{name: "child", run: terms.ByChild, doc: "replace terms by their nearest subterms of the same sort"},
	{name: "join", run: commands.JoinAsserts, doc: "merge assertions, or arguments of and, or, that relate terms of one sort into one relation"},
	{name: "argument", run: terms.DropArguments, doc: "drop arguments where any number is allowed, by delta debugging"},
	{name: "value", run: terms.ByValue, doc: "replace terms by their values under the witness"},
	{name: "fold", run: terms.Fold, doc: "replace terms of literals by their values"},
	{name: "simplify", run: terms.Simplify, doc: "rewrite terms to lighter ones with the same meaning: negations, neutral arguments, nested operators, extensions, bridges between Bool and other sorts"},
	{name: "quantifier", run: terms.Instantiate, doc: "instantiate quantifiers, drop bound variables"},
	{name: "variable", run: terms.ByVariable, doc: "replace terms by variables of their sort, variables by fewer ones"},
	{name: "definition", run: terms.Inline, doc: "replace uses of definitions by their bodies"},
	{name: "undefine", run: terms.Undefine, doc: "turn definitions into declarations, recursive ones one function at a time"},
	{name: "equality", run: terms.Eliminate, doc: "drop an assertion (= x t) and replace x by t"},
	{name: "annotation", run: terms.DropAnnotations, doc: "drop annotations: names, patterns"},
	{name: "literal", run: terms.ShrinkLiterals, doc: "make numbers, bit vectors and strings smaller"},
	{name: "width", run: sorts.Narrower, doc: "make bit vectors narrower, all widths at once or one at a time"},
	{name: "format", run: sorts.ShorterFloats, doc: "make floating-point formats shorter"},
	{name: "parameter", run: sorts.FewerParams, doc: "drop parameters of functions with the arguments for them"},
	{name: "datatype", run: sorts.SmallerDatatypes, doc: "drop datatypes of a group, constructors and fields"},
	{name: "sort", run: sorts.PlainSorts, doc: "replace declared sorts and datatypes by Int or Bool"},
	{name: "operator", run: terms.ByOperator, doc: "replace operators by simpler ones of the same rank, rounding modes by RNE"},
	{name: "index", run: terms.SmallerIndices, doc: "make indices of operators smaller: loops of regexes, rotations, bit positions"},
	{name: "predicate", traces: true, run: terms.Predicate, doc: "of traces: replace relations by predicates of one argument"},
	{name: "merge", traces: true, run: terms.Merge, doc: "of traces: replace terms by other terms of the same sort"},
	{name: "assume", commands: true, traces: true, run: commands.Assume, doc: "of traces: make check-sat-assuming of an assertion and a check-sat"},
	{name: "fresh", run: terms.ByFresh, doc: "replace heavy terms by new constants"},
	{name: "overflow", traces: true, last: true, optional: true, run: terms.Overflow, doc: "of traces: replace relations of bit vectors by overflow predicates of one term"},
	{name: "logic", last: true, run: commands.SmallerLogic, doc: "give a logic with fewer theories"},
	{name: "names", last: true, run: names.ShortNames, doc: "give functions, variables, sorts and constructors short names"},
	{name: "order", last: true, run: terms.Order, doc: "put the arguments of commutative operators in one order"},
}

// pass is one way to make the case smaller.
type pass struct {
	name     string
	doc      string
	commands bool // works on commands, not on terms
	last     bool // cosmetic: run once when all others are done
	traces   bool // does nothing unless calls count
	optional bool // not among the default passes
	run      func(*script.Search)
}

// PassInfo describes a pass.
type PassInfo struct {
	Name, Doc string
	// Terms reports that the pass replaces terms, as opposed to removing or renaming commands and names.
	Terms bool
}

// Passes lists all passes in their default order.
func Passes() []PassInfo {
	out := make([]PassInfo, len(allPasses))
	for i, p := range allPasses {
		out[i] = PassInfo{Name: p.name, Doc: p.doc, Terms: !p.commands && !p.last && !p.traces}
	}
	return out
}

// PassNames lists the names of all passes in their default order.
func PassNames() []string {
	var out []string
	for _, p := range allPasses {
		out = append(out, p.name)
	}
	return out
}

// defaultPasses lists the passes that Run uses when it is not told which.
func defaultPasses() []string {
	var out []string
	for _, p := range allPasses {
		if !p.optional {
			out = append(out, p.name)
		}
	}
	return out
}

func passByName(name string) *pass {
	for _, p := range allPasses {
		if p.name == name {
			return p
		}
	}
	return nil
}
