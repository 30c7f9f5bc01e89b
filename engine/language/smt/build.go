package smt

import (
	"errors"
	"fmt"
	"math"
)

// SortError reports that an operator cannot be applied to the given arguments.
type SortError struct {
	Op   string // the operator as SMT-LIB spells it
	Arg  int    // the argument at fault, counted from 1; 0 if it is not one argument
	Want string
	Got  string
	Term string // the argument at fault, cut short
}

// Error names operator, position, the sort wanted and the sort given.
func (e *SortError) Error() string {
	if e.Arg == 0 {
		return fmt.Sprintf("%s: %s, given %s", e.Op, e.Want, e.Got)
	}
	return fmt.Sprintf("%s: argument %d has sort %s, expected %s: %s", e.Op, e.Arg, e.Got, e.Want, e.Term)
}

// builder makes terms by applying operators and symbols.
type builder struct{ typer }

// App applies an operator of the table. The error is a *SortError.
func (a *builder) App(op Op, idx []Index, args ...Term) (Term, error) {
	if op.Structural() || op >= NumOps {
		return 0, &SortError{Op: op.String(), Want: "not an operator of the table", Got: "App"}
	}
	if op.isQualified() {
		return 0, &SortError{Op: op.String(), Want: "needs its sort as in (as " + op.String() + " SORT)", Got: "none"}
	}
	t, h := a.lookUpNode(op, 0, idx, args)
	if t != 0 {
		return t, nil
	}
	sort, err := a.typeOf(op, idx, args)
	if err != nil {
		return 0, err
	}
	return a.insertNode(h, op, sort, idx, args), nil
}

// AppAs applies a qualified operator, such as ((as const (Array Int Int)) 0) or (as seq.empty (Seq Int)).
func (a *builder) AppAs(op Op, sort Sort, idx []Index, args ...Term) (Term, error) {
	if op >= NumOps || !opTable[op].Qualified {
		return 0, &SortError{Op: op.String(), Want: "takes no sort with `as`", Got: a.SortString(sort)}
	}
	s := &opTable[op].sigs[0]
	b := &a.bindings
	b.reset()
	if !s.Result.matchSort(&a.symbolTable, sort, b) {
		return 0, &SortError{Op: op.String(), Want: "has sort " + s.Result.describeUnder(&a.symbolTable, b), Got: a.SortString(sort)}
	}
	if len(args) != len(s.Args) {
		return 0, &SortError{Op: op.String(), Want: "takes " + countOf(len(s.Args), "argument", "arguments"), Got: fmt.Sprint(len(args))}
	}
	for i := range args {
		if !s.Args[i].matchSort(&a.symbolTable, a.Sort(args[i]), b) {
			return 0, a.argError(op, args, i, s.Args[i].describeUnder(&a.symbolTable, b))
		}
	}
	return a.internNode(op, sort, idx, args), nil
}

func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n) + " " + many
}

// AppNamed applies an operator by name and turns Int arguments into Real ones where solvers do: next to a Real
// argument of an arithmetic operator, of =, distinct and ite, and under /. One-argument forms of and, or, + and *
// are their argument.
func (a *builder) AppNamed(name string, idx []Index, args []Term) (Term, error) {
	op, ok := opsByName[name]
	if !ok {
		return 0, &SortError{Op: name, Want: "not an operator of the table", Got: "AppNamed"}
	}
	return a.AppCoerce(op, idx, args)
}

// AppCoerce is AppNamed for an operator that was looked up.
func (a *builder) AppCoerce(op Op, idx []Index, args []Term) (Term, error) {
	if op == OpReLoop && len(idx) == 0 {
		op = OpReLoopArgs
	}
	if len(args) == 1 && (op == OpAnd || op == OpOr || op == OpAdd || op == OpMul) {
		return args[0], a.checkSingle(op, args)
	}
	if opTable[op].coerce || op == OpEq || op == OpDistinct || op == OpIte {
		ints, reals := 0, 0
		for _, x := range args {
			switch a.nodes[x].sort {
			case SortInt:
				ints++
			case SortReal:
				reals++
			}
		}
		if ints > 0 && (reals > 0 || op == OpDiv) {
			return a.App(op, idx, a.allToReal(args)...)
		}
	}
	t, err := a.App(op, idx, args...)
	if err == nil {
		return t, nil
	}
	// Elsewhere, as in (store a i 1), z3 turns an Int argument into the Real one that is wanted.
	for conv := args; ; {
		var e *SortError
		if !errors.As(err, &e) || e.Arg == 0 || e.Got != "Int" || e.Want != "Real" {
			return 0, err
		}
		conv = append([]Term(nil), conv...)
		conv[e.Arg-1] = a.ToReal(conv[e.Arg-1])
		if t, err = a.App(op, idx, conv...); err == nil {
			return t, nil
		}
	}
}

// allToReal is ToReal for several terms.
func (a *builder) allToReal(ts []Term) []Term {
	out := make([]Term, len(ts))
	for i, x := range ts {
		out[i] = a.ToReal(x)
	}
	return out
}

// ToReal turns an Int term into the Real term of the same value; any other term stays.
func (a *builder) ToReal(t Term) Term {
	if a.Sort(t) != SortInt {
		return t
	}
	switch a.Op(t) {
	case OpIntLit:
		n, _ := a.IntOf(t)
		return a.RealVal(ratOf(n))
	case OpSub:
		if a.NumArgs(t) == 1 && a.Op(a.Arg(t, 0)) == OpIntLit {
			return a.MustApp(OpSub, a.ToReal(a.Arg(t, 0)))
		}
	}
	return a.MustApp(OpToReal, t)
}

// MustApp applies an operator without indices where the caller knows that the sorts fit; it panics otherwise.
func (a *builder) MustApp(op Op, args ...Term) Term {
	t, err := a.App(op, nil, args...)
	if err != nil {
		panic(err)
	}
	return t
}

// Not negates a Bool term.
func (a *builder) Not(t Term) Term { return a.MustApp(OpNot, t) }

// And is the conjunction of Bool terms: true for none, the term itself for one.
func (a *builder) And(ts ...Term) Term {
	switch len(ts) {
	case 0:
		return a.trueTerm
	case 1:
		return ts[0]
	}
	return a.MustApp(OpAnd, ts...)
}

// Or is the disjunction of Bool terms: false for none, the term itself for one.
func (a *builder) Or(ts ...Term) Term {
	switch len(ts) {
	case 0:
		return a.falseTerm
	case 1:
		return ts[0]
	}
	return a.MustApp(OpOr, ts...)
}

// Eq is the equality of two terms of one sort; it panics if their sorts differ.
func (a *builder) Eq(s, t Term) Term { return a.MustApp(OpEq, s, t) }

// Apply applies a declared or defined function, a constructor or a selector; a constant has no arguments. Where a
// constructor of a parametric datatype leaves its sort open, use ApplyAs.
func (a *builder) Apply(f Symbol, args ...Term) (Term, error) {
	info := &a.symbols[f]
	if len(args) != len(info.Params) {
		return 0, &SortError{Op: info.Name, Want: "takes " + countOf(len(info.Params), "argument", "arguments"), Got: fmt.Sprint(len(args))}
	}
	if info.polymorphic {
		return a.applyPoly(f, 0, args)
	}
	idx := [1]Index{Index(f)}
	t, h := a.lookUpNode(OpApply, info.Result, idx[:], args)
	if t != 0 {
		return t, nil
	}
	for i, x := range args {
		if s := a.nodes[x].sort; s != info.Params[i] && s != SortUnknown && info.Params[i] != SortUnknown {
			return 0, &SortError{Op: info.Name, Arg: i + 1, Want: a.SortString(info.Params[i]), Got: a.SortString(s), Term: a.Brief(x)}
		}
	}
	return a.insertNode(h, OpApply, info.Result, idx[:], args), nil
}

// ApplyAs applies a constructor of a parametric datatype at the given result sort, as in (as nil (List Int)).
func (a *builder) ApplyAs(f Symbol, sort Sort, args ...Term) (Term, error) {
	info := &a.symbols[f]
	if len(args) != len(info.Params) {
		return 0, &SortError{Op: info.Name, Want: "takes " + countOf(len(info.Params), "argument", "arguments"), Got: fmt.Sprint(len(args))}
	}
	return a.applyPoly(f, sort, args)
}

func (a *builder) applyPoly(f Symbol, sort Sort, args []Term) (Term, error) {
	info := a.symbols[f]
	m := map[Sort]Sort{}
	if sort != 0 && !a.UnifySort(info.Result, sort, m) {
		return 0, &SortError{Op: info.Name, Want: "has sort " + a.SortString(info.Result), Got: a.SortString(sort)}
	}
	unknown := false
	for i, x := range args {
		unknown = unknown || a.Sort(x) == SortUnknown
		if !a.UnifySort(info.Params[i], a.Sort(x), m) {
			return 0, &SortError{Op: info.Name, Arg: i + 1, Want: a.SortString(a.SubstSort(info.Params[i], m)), Got: a.SortString(a.Sort(x)), Term: a.Brief(x)}
		}
	}
	r := a.SubstSort(info.Result, m)
	if !a.coversParams(info.Result, m) {
		if !unknown {
			return 0, &SortError{Op: info.Name, Want: "needs its sort as in (as " + QuoteSymbol(info.Name) + " SORT)", Got: "none"}
		}
		r = SortUnknown
	}
	if err := a.CheckSize(r); err != nil {
		return 0, fmt.Errorf("%s: %w", info.Name, err)
	}
	return a.internNode(OpApply, r, []Index{Index(f)}, args), nil
}

// ApplyCoerce is Apply, with Int arguments turned into Real ones where the function wants that.
func (a *builder) ApplyCoerce(f Symbol, args []Term) (Term, error) {
	t, err := a.Apply(f, args...)
	if err == nil || len(args) != len(a.symbols[f].Params) {
		return t, err
	}
	conv := make([]Term, len(args))
	for i, x := range args {
		conv[i] = x
		if a.symbols[f].Params[i] == SortReal {
			conv[i] = a.ToReal(x)
		}
	}
	if t, err2 := a.Apply(f, conv...); err2 == nil {
		return t, nil
	}
	return 0, err
}

// Const returns the term of a symbol without parameters; it panics if the symbol has any.
func (a *builder) Const(f Symbol) Term {
	t, err := a.Apply(f)
	if err != nil {
		panic(err)
	}
	return t
}

// Is returns ((_ is c) t), the tester of a constructor.
func (a *builder) Is(ctor Symbol, t Term) (Term, error) {
	if err := a.wantDatatype("is", ctor, t); err != nil {
		return 0, err
	}
	return a.internNode(OpIs, SortBool, []Index{Index(ctor)}, []Term{t}), nil
}

// Update returns ((_ update s) t v): t with the field of selector s replaced, if t is of the selector's
// constructor.
func (a *builder) Update(sel Symbol, t, v Term) (Term, error) {
	if err := a.wantDatatype("update", sel, t); err != nil {
		return 0, err
	}
	m := map[Sort]Sort{}
	a.UnifySort(a.symbols[sel].Params[0], a.Sort(t), m)
	if want := a.SubstSort(a.symbols[sel].Result, m); a.Sort(v) != want && a.Sort(v) != SortUnknown {
		return 0, &SortError{Op: "update", Arg: 2, Want: a.SortString(want), Got: a.SortString(a.Sort(v)), Term: a.Brief(v)}
	}
	return a.internNode(OpUpdate, a.Sort(t), []Index{Index(sel)}, []Term{t, v}), nil
}

func (a *builder) wantDatatype(op string, sym Symbol, t Term) error {
	info := &a.symbols[sym]
	if info.Datatype == 0 || op == "is" && info.Kind != SymConstructor || op == "update" && info.Kind != SymSelector {
		return &SortError{Op: op, Want: "its index must be a constructor (is) or a selector (update)", Got: info.Name}
	}
	if s := a.Sort(t); a.sorts[s].sym != info.Datatype && s != SortUnknown {
		return &SortError{Op: op, Arg: 1, Want: a.sortSyms[info.Datatype].name, Got: a.SortString(s), Term: a.Brief(t)}
	}
	return nil
}

// Opaque applies a head that the operator table does not know, so that it survives from input to output. Its sort is
// SortUnknown if neither the text nor extensionSort determines it.
func (a *builder) Opaque(head string, idx []Index, sort Sort, args ...Term) Term {
	if sort == SortUnknown {
		sort = a.extensionSort(head, a.indexNumbers(idx), a.sortsOf(args))
	}
	all := append([]Index{a.NameIndex(head)}, idx...)
	return a.internNode(OpOpaque, sort, all, args)
}

// IsQualified reports whether an opaque application was written with its sort because nothing else determines it.
func (a *builder) IsQualified(t Term) bool {
	s := a.Sort(t)
	head, idx := a.OpaqueHead(t)
	return s != SortUnknown && s != a.extensionSort(head, a.indexNumbers(idx), a.sortsOf(a.Args(t)))
}

// indexNumbers returns indices as numbers. A name becomes a number beyond the size of any tuple.
func (a *builder) indexNumbers(idx []Index) []uint64 {
	out := make([]uint64, len(idx))
	for i, x := range idx {
		var ok bool
		if out[i], ok = a.IndexUint(x); !ok {
			out[i] = math.MaxUint64
		}
	}
	return out
}

// OpaqueHead returns the head and the indices of an opaque application.
func (a *reader) OpaqueHead(t Term) (string, []Index) {
	idx := a.Indices(t)
	name, _ := a.IndexName(idx[0])
	return name, idx[1:]
}

// SymbolOf returns the user symbol of an OpApply, OpIs, OpUpdate, OpFunction or OpMapArrays term, and of an OpCase with
// a constructor; 0 for any other.
func (a *reader) SymbolOf(t Term) Symbol {
	n := &a.nodes[t]
	switch n.op {
	case OpApply, OpIs, OpUpdate, OpCase, OpFunction, OpMapArrays:
		if n.nidx > 0 {
			return Symbol(a.slab[n.off])
		}
	}
	return 0
}
