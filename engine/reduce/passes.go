package reduce

// allPasses in their default order: what removes most for one test comes first.
var allPasses = []*pass{
	{name: "declarations", commands: true, run: (*session).dropDeclarations, doc: "drop declarations and definitions that nothing uses; later candidates have none"},
	{name: "asserts", commands: true, run: (*session).dropAsserts, doc: "drop assertions, by delta debugging"},
	{name: "scopes", commands: true, run: (*session).dropScopes, doc: "drop push and pop, with what is between them or around it"},
	{name: "commands", commands: true, run: (*session).dropCommands, doc: "drop check-sats, get-commands, resets and unknown commands"},
	{name: "options", commands: true, run: (*session).dropOptions, doc: "drop set-option, set-info and set-logic"},
	{name: "checks", commands: true, run: (*session).simplifyCommands, doc: "turn check-sat-using and check-sat-assuming into check-sat; shorten lists of terms"},
	{name: "descendant", run: (*session).byDescendant, doc: "replace a large assertion by a part of it"},
	{name: "constant", run: (*session).byConstant, doc: "replace terms by constants of their sort"},
	{name: "child", run: (*session).byChild, doc: "replace terms by what is nearest below them of their sort"},
	{name: "argument", run: (*session).dropArguments, doc: "drop arguments where any number is allowed, by delta debugging"},
	{name: "value", run: (*session).byValue, doc: "replace terms by their values under the witness"},
	{name: "quantifier", run: (*session).instantiate, doc: "instantiate quantifiers, drop bound variables"},
	{name: "variable", run: (*session).byVariable, doc: "replace terms by variables of their sort, variables by fewer ones"},
	{name: "definition", run: (*session).inline, doc: "replace uses of definitions by their bodies"},
	{name: "annotation", run: (*session).dropAnnotations, doc: "drop annotations: names, patterns"},
	{name: "literal", run: (*session).shrinkLiterals, doc: "make numbers, bit vectors and strings smaller"},
	{name: "names", last: true, run: (*session).shortNames, doc: "give functions and variables short names"},
}
