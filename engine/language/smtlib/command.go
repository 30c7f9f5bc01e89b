package smtlib

import "github.com/smtlark/smtlark/engine/language/smt"

// Kind says which command a Command is.
type Kind uint8

// The commands of SMT-LIB 2.7 (section 4.2), and those of z3 and cvc5 that carry terms or answer like check-sat.
// CmdOther is any other command, kept as text.
const (
	CmdOther Kind = iota
	CmdSetLogic
	CmdSetOption
	CmdSetInfo
	CmdDeclareConst
	CmdDeclareFun
	CmdDeclareSort
	CmdDeclareSortParameter
	CmdDeclareDatatype
	CmdDeclareDatatypes
	CmdDefineConst
	CmdDefineFun
	CmdDefineFunRec
	CmdDefineFunsRec
	CmdDefineSort
	CmdAssert
	CmdCheckSat
	CmdCheckSatAssuming
	CmdCheckSatUsing
	CmdPush
	CmdPop
	CmdReset
	CmdResetAssertions
	CmdGetModel
	CmdGetValue
	CmdGetUnsatCore
	CmdGetUnsatAssumptions
	CmdGetProof
	CmdGetAssertions
	CmdGetAssignment
	CmdGetInfo
	CmdGetOption
	CmdEcho
	CmdExit
	CmdSimplify
	numKinds
)

var kindNames = [numKinds]string{
	CmdOther: "", CmdSetLogic: "set-logic", CmdSetOption: "set-option", CmdSetInfo: "set-info",
	CmdDeclareConst: "declare-const", CmdDeclareFun: "declare-fun", CmdDeclareSort: "declare-sort",
	CmdDeclareSortParameter: "declare-sort-parameter", CmdDeclareDatatype: "declare-datatype",
	CmdDeclareDatatypes: "declare-datatypes", CmdDefineConst: "define-const", CmdDefineFun: "define-fun",
	CmdDefineFunRec: "define-fun-rec", CmdDefineFunsRec: "define-funs-rec", CmdDefineSort: "define-sort",
	CmdAssert: "assert", CmdCheckSat: "check-sat", CmdCheckSatAssuming: "check-sat-assuming",
	CmdCheckSatUsing: "check-sat-using", CmdPush: "push", CmdPop: "pop", CmdReset: "reset",
	CmdResetAssertions: "reset-assertions", CmdGetModel: "get-model", CmdGetValue: "get-value",
	CmdGetUnsatCore: "get-unsat-core", CmdGetUnsatAssumptions: "get-unsat-assumptions", CmdGetProof: "get-proof",
	CmdGetAssertions: "get-assertions", CmdGetAssignment: "get-assignment", CmdGetInfo: "get-info",
	CmdGetOption: "get-option", CmdEcho: "echo", CmdExit: "exit", CmdSimplify: "simplify",
}

// String returns the command's name; it is empty for CmdOther.
func (k Kind) String() string { return kindNames[k] }

// IsCheck reports whether the command answers sat, unsat or unknown.
func (k Kind) IsCheck() bool {
	return k == CmdCheckSat || k == CmdCheckSatAssuming || k == CmdCheckSatUsing
}

// IsSetting reports whether the command sets the logic, an option or information.
func (k Kind) IsSetting() bool { return k == CmdSetLogic || k == CmdSetOption || k == CmdSetInfo }

// IsDeclaration reports whether the command declares or defines names.
func (k Kind) IsDeclaration() bool { return k >= CmdDeclareConst && k <= CmdDefineSort }

// IsDefinition reports whether the command defines functions by bodies.
func (k Kind) IsDefinition() bool { return k >= CmdDefineConst && k <= CmdDefineFunsRec }

// IsRecursive reports whether the bodies of a definition may use the functions that it defines.
func (k Kind) IsRecursive() bool { return k == CmdDefineFunRec || k == CmdDefineFunsRec }

// Command is one command of a script. Which fields count depends on the kind:
//
//	set-logic                     Text: the logic
//	set-option, set-info          Name: the keyword with its colon; Text: the value as written
//	get-info, get-option          Name
//	declare-const, declare-fun    Symbols[0]
//	define-const, -fun, -fun-rec  Symbols[0], whose SymbolInfo has the body
//	define-funs-rec               Symbols
//	declare-sort                  Sorts[0]
//	declare-datatype(s)           Sorts
//	declare-sort-parameter        Name
//	define-sort                   Name, Params (sort parameters) and Sort: a macro, expanded wherever it is used
//	assert, simplify              Terms[0]
//	check-sat-assuming, get-value Terms
//	check-sat-using               Text: the tactic
//	push, pop                     N: the number of levels
//	echo                          Text: the string as written, with its quotes
//	other                         Name: the command's name; Text: the whole command, with a Hole for each of Terms
//
// Named has the symbols that :named introduced inside the command.
type Command struct {
	Kind    Kind
	Sort    smt.Sort
	N       int
	Pos     Pos
	Name    string
	Text    string
	Terms   []smt.Term
	Symbols []smt.Symbol
	Sorts   []smt.SortSymbol
	Params  []smt.Sort
	Named   []smt.Symbol

	memo *memo // see Remember
}

// Hole stands for a term in the text of a command beyond SMT-LIB. Printing puts the Terms of the command into its holes,
// in their order.
const Hole = "\x00"

// CommandName returns the name of the command, such as "assert", even if SMT-LIB does not have it.
func (c *Command) CommandName() string {
	if name := c.Kind.String(); name != "" {
		return name
	}
	return c.Name
}

// AssertCommand returns (assert t).
func AssertCommand(t smt.Term) Command { return Command{Kind: CmdAssert, Terms: []smt.Term{t}} }

// DeclareCommand returns the declaration of a function symbol: declare-const for a constant, else declare-fun.
func DeclareCommand(a *smt.Arena, f smt.Symbol) Command {
	kind := CmdDeclareFun
	if len(a.SymbolInfo(f).Params) == 0 {
		kind = CmdDeclareConst
	}
	return Command{Kind: kind, Symbols: []smt.Symbol{f}}
}

// DefineCommand returns the definition of a function, or of several that call each other.
func DefineCommand(a *smt.Arena, fs ...smt.Symbol) Command {
	kind := CmdDefineFun
	switch {
	case len(fs) > 1:
		kind = CmdDefineFunsRec
	case a.SymbolInfo(fs[0]).Recursive:
		kind = CmdDefineFunRec
	}
	return Command{Kind: kind, Symbols: fs}
}

// CheckCommand returns check-sat, or check-sat-assuming where there are assumptions.
func CheckCommand(assumptions []smt.Term) Command {
	if len(assumptions) == 0 {
		return Command{Kind: CmdCheckSat}
	}
	return Command{Kind: CmdCheckSatAssuming, Terms: assumptions}
}
