package reduce

// allPasses in their default order: those that remove most per test come first.
var allPasses = []*pass{
	{name: "declarations", commands: true, run: dropDeclarations, doc: "drop unused declarations and definitions; later candidates have none"},
	{name: "asserts", commands: true, run: dropAsserts, doc: "drop assertions, by delta debugging"},
	{name: "scopes", commands: true, run: dropScopes, doc: "drop push and pop, with the commands between them or around them"},
	{name: "commands", commands: true, run: dropCommands, doc: "drop check-sats, get-commands, resets and unknown commands"},
	{name: "options", commands: true, run: dropOptions, doc: "drop set-option, set-info and set-logic"},
	{name: "setting", commands: true, run: smallerSettings, doc: "move values of options towards their defaults, or 0"},
	{name: "text", commands: true, run: reprint, doc: "of a file whose own text matters: print commands normally instead of with their own text, drop comments"},
	{name: "checks", commands: true, run: simplifyCommands, doc: "turn check-sat-using and check-sat-assuming into check-sat; shorten lists of terms"},
	{name: "expressions", commands: true, run: shortenExpressions, doc: "of commands that cannot be read: drop elements of lists, replace lists by parts of them, by true, false or 0"},
	{name: "descendant", run: replaceByDescendant, doc: "replace a large assertion by a part of it"},
	{name: "constant", run: replaceByConstant, doc: "replace terms by constants of their sort"},
	{name: "child", run: replaceByChild, doc: "replace terms by their nearest subterms of the same sort"},
	{name: "join", run: joinAsserts, doc: "merge assertions, or arguments of and, or, that relate terms of one sort into one relation"},
	{name: "argument", run: dropArguments, doc: "drop arguments where any number is allowed, by delta debugging"},
	{name: "value", run: replaceByValue, doc: "replace terms by their values under the witness"},
	{name: "fold", run: foldTerms, doc: "replace terms of literals by their values"},
	{name: "simplify", run: simplifyTerms, doc: "rewrite terms to lighter ones with the same meaning: negations, neutral arguments, nested operators, extensions, bridges between Bool and other sorts"},
	{name: "quantifier", run: instantiateQuantifiers, doc: "instantiate quantifiers, drop bound variables"},
	{name: "variable", run: replaceByVariable, doc: "replace terms by variables of their sort, variables by fewer ones"},
	{name: "definition", run: inlineDefinitions, doc: "replace uses of definitions by their bodies"},
	{name: "undefine", run: undefine, doc: "turn definitions into declarations, recursive ones one function at a time"},
	{name: "equality", run: eliminateEqualities, doc: "drop an assertion (= x t) and replace x by t"},
	{name: "annotation", run: dropAnnotations, doc: "drop annotations: names, patterns"},
	{name: "literal", run: shrinkLiterals, doc: "make numbers, bit vectors and strings smaller"},
	{name: "width", run: narrowBitVectors, doc: "make bit vectors narrower, all widths at once or one at a time"},
	{name: "format", run: shortenFloats, doc: "make floating-point formats shorter"},
	{name: "parameter", run: fewerParameters, doc: "drop parameters of functions with the arguments for them"},
	{name: "datatype", run: smallerDatatypes, doc: "drop datatypes of a group, constructors and fields"},
	{name: "sort", run: plainSorts, doc: "replace declared sorts and datatypes by Int or Bool"},
	{name: "operator", run: replaceOperators, doc: "replace operators by simpler ones of the same rank, rounding modes by RNE"},
	{name: "index", run: smallerIndices, doc: "make indices of operators smaller: loops of regexes, rotations, bit positions"},
	{name: "predicate", traces: true, run: unaryPredicates, doc: "of traces: replace relations by predicates of one argument"},
	{name: "merge", traces: true, run: mergeTerms, doc: "of traces: replace terms by other terms of the same sort"},
	{name: "assume", commands: true, traces: true, run: assumeLastAssert, doc: "of traces: make check-sat-assuming of an assertion and a check-sat"},
	{name: "fresh", run: replaceByFresh, doc: "replace heavy terms by new constants"},
	{name: "overflow", traces: true, last: true, optional: true, run: overflowPredicates, doc: "of traces: replace relations of bit vectors by overflow predicates of one term"},
	{name: "logic", last: true, run: smallerLogic, doc: "give a logic with fewer theories"},
	{name: "names", last: true, run: shortNames, doc: "give functions, variables, sorts and constructors short names"},
	{name: "order", last: true, run: orderArguments, doc: "put the arguments of commutative operators in one order"},
}

// pass is one way to make the case smaller.
type pass struct {
	name     string
	doc      string
	commands bool // works on commands, not on terms
	last     bool // cosmetic: run once when all others are done
	traces   bool // does nothing unless calls count
	optional bool // not among the default passes
	run      func(*search)
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
