package smt

import (
	"fmt"
	"strings"
)

// Assoc says how an operator with a binary signature takes more arguments (SMT-LIB 2.7, section 3.7.1).
type Assoc uint8

// The attributes of the standard's theory declarations.
const (
	AssocNone Assoc = iota
	AssocLeft
	AssocRight
	AssocChain
	AssocPairwise
)

var assocNames = [...]string{AssocNone: "", AssocLeft: ":left-assoc", AssocRight: ":right-assoc", AssocChain: ":chainable", AssocPairwise: ":pairwise"}

// String returns the attribute as theory declarations write it.
func (x Assoc) String() string { return assocNames[x] }

// row is a row of the operator table as it is written down.
//
// A signature reads "[indices] arguments -> result where conditions". Small letters are numerals, capital ones
// sorts; BV(m), FP(e,s), Array(A,B), Seq(A), Set(A), Bag(A), FF(p) are sorts over them; an argument with three dots
// may be repeated. Alternatives are separated by " | ".
type row struct {
	op     Op
	name   string
	theory string
	sigs   string
	assoc  Assoc
	by     string // solvers that have it, where the standard does not
	flags  string // comm, coerce, as, model, hidden
	alias  string // other spellings
	wire   string // the spelling that old and new solvers take, where that is not the name
	via    string // an equal term over another operator, with x and y for the arguments
	doc    string
}

// OpInfo describes a row of the operator table.
type OpInfo struct {
	Op         Op
	Name       string
	Aliases    []string // other spellings that the parser takes for it
	Wire       string   // the spelling to give to solvers: the name, or an older one that more versions know
	Theory     string
	Signatures []string // as written in the table
	Assoc      Assoc
	// Solvers that have the operator; empty if the standard has it.
	Solvers     []string
	Commutative bool
	// Qualified operators are written (as name sort).
	Qualified bool
	// ModelOnly operators appear in the output of solvers and must not be sent to them.
	ModelOnly bool
	// Via is a term over the arguments x and y that always has the same value. It is set if the operator is another one
	// with its arguments swapped or its result negated, or written as bits; otherwise it is "". Solvers rewrite the one
	// to the other.
	Via string
	Doc string

	coerce  bool
	sibling Op
	sigs    []Signature
}

var (
	opTable     [NumOps]OpInfo
	opsByName   = map[string]Op{}
	opQualified [NumOps]bool
)

// structuralNames are for error texts.
var structuralNames = map[Op]string{
	OpIntLit: "numeral", OpRealLit: "decimal", OpBVLit: "bit-vector literal", OpStringLit: "string literal",
	OpFFLit: "finite field literal", OpApply: "application", OpVar: "variable", OpForall: "forall", OpExists: "exists",
	OpLambda: "lambda", OpMatch: "match", OpCase: "match case", OpIs: "is", OpUpdate: "update", OpAnnot: "!", OpOpaque: "unknown operator",
	OpHOApply: "@", OpFunction: "function", OpMapArrays: "map",
}

func init() {
	for op, name := range structuralNames {
		opTable[op] = OpInfo{Op: op, Name: name}
	}
	for _, op := range []Op{OpBVLit, OpFFLit, OpApply, OpVar, OpOpaque, OpLambda, OpFunction} {
		opQualified[op] = true
	}
	read := map[string]Signature{} // most operators share theirs with others
	for _, t := range [][]row{tableCore, tableBv, tableFp, tableData, tableStrings} {
		for _, r := range t {
			addRow(r, read)
		}
	}
	for op := range opTable { // the whole table is there now
		opTable[op].sibling = siblingOf(Op(op))
	}
}

// addRow adds an operator to the table. The map read caches signatures that were parsed before.
func addRow(r row, read map[string]Signature) {
	info := OpInfo{Op: r.op, Name: r.name, Aliases: strings.Fields(r.alias), Theory: r.theory, Assoc: r.assoc,
		Solvers: strings.Fields(r.by), Doc: r.doc, Via: r.via, Wire: r.wire}
	if info.Wire == "" {
		info.Wire = r.name
	}
	hidden := false
	for _, f := range strings.Fields(r.flags) {
		switch f {
		case "comm":
			info.Commutative = true
		case "coerce":
			info.coerce = true
		case "as":
			info.Qualified = true
			opQualified[r.op] = true
		case "model":
			info.ModelOnly = true
		case "hidden":
			hidden = true
		default:
			panic("operator table: flag " + f)
		}
	}
	for _, text := range strings.Split(r.sigs, " | ") {
		info.Signatures = append(info.Signatures, text)
		signature, known := read[text]
		if !known {
			signature = parseSignature(text)
			read[text] = signature
		}
		info.sigs = append(info.sigs, signature)
	}
	opTable[r.op] = info
	if hidden {
		return
	}
	for _, name := range append([]string{r.name}, info.Aliases...) {
		if _, dup := opsByName[name]; dup {
			panic("operator table: two rows named " + name)
		}
		opsByName[name] = r.op
	}
}

// Sibling returns the operator to which op is rewritten, that of Info.Via, or op itself if there is none.
func (op Op) Sibling() Op { return opTable[op].sibling }

// siblingOf finds the operator in Info.Via.
func siblingOf(op Op) Op {
	for _, name := range strings.FieldsFunc(opTable[op].Via, func(r rune) bool { return strings.ContainsRune("() ", r) }) {
		if base, ok := opsByName[name]; ok && base != OpNot && base != OpBVNot && base != OpIte {
			return base
		}
	}
	return op
}

// Signature returns signature number n of Signatures in parsed form.
func (i *OpInfo) Signature(n int) *Signature { return &i.sigs[n] }

func (op Op) isQualified() bool { return opQualified[op] }

// Info returns the operator's row of the table. It must not be modified.
func (op Op) Info() *OpInfo { return &opTable[op] }

// String returns the operator's name as SMT-LIB spells it.
func (op Op) String() string {
	if op >= NumOps {
		return fmt.Sprintf("Op(%d)", uint16(op))
	}
	return opTable[op].Name
}

// Structural reports whether the head is not a row of the operator table.
func (op Op) Structural() bool { return op < firstTableOp }

// IsBinder reports whether the head binds variables: forall, exists, lambda or a match case.
func (op Op) IsBinder() bool {
	return op == OpForall || op == OpExists || op == OpLambda || op == OpCase
}

// Standard reports whether SMT-LIB 2.7 has the operator.
func (i *OpInfo) Standard() bool { return len(i.Solvers) == 0 }

// SupportedBy reports whether the solver has the operator, as far as the table knows: the standard's operators are
// taken for granted where the solver has the theory.
func (i *OpInfo) SupportedBy(solver string) bool {
	if len(i.Solvers) == 0 {
		return true
	}
	for _, s := range i.Solvers {
		if s == solver {
			return true
		}
	}
	return false
}

// LookupOp finds an operator by name or by another spelling of it. The old spelling (re.loop r i j) is not found:
// AppNamed knows it by its arguments.
func LookupOp(name string) (Op, bool) {
	op, ok := opsByName[name]
	return op, ok
}

// Ops lists the operator table in its order.
func Ops() []*OpInfo {
	var all []*OpInfo
	for op := firstTableOp; op < NumOps; op++ {
		all = append(all, &opTable[op])
	}
	return all
}
