package smt

import "math"

// SMT-LIB 2.7, section 3.6.4: a constant that can have several sorts, such as nil of any list, is written with its
// sort. z3 prints its models without it, and cvc5 accepts seq.empty, set.empty and bag.empty without it if the context
// determines the sort. Such a term has the unknown sort until it is resolved, by AtSort if the expected sort is known
// and by the Settle functions from the other arguments.

// Ambiguous applies a constructor of a parametric datatype whose arguments leave the sort open, such as none and (left
// 1). ok is false if the arguments do not fit or determine the sort.
func (a *Arena) Ambiguous(f Symbol, args ...Term) (t Term, ok bool) {
	info := &a.symbols[f]
	if info.Kind != SymConstructor || !info.polymorphic || len(args) != len(info.Params) {
		return 0, false
	}
	m := map[Sort]Sort{}
	for i, x := range args {
		if !a.UnifySort(info.Params[i], a.Sort(x), m) {
			return 0, false
		}
	}
	if a.coversParams(info.Result, m) {
		return 0, false
	}
	return a.internNode(OpApply, SortUnknown, []Index{Index(f)}, args), true
}

// AmbiguousConstant returns a constant that is written with its sort, such as seq.empty, without it; ok is false for
// other operators.
func (a *Arena) AmbiguousConstant(op Op) (t Term, ok bool) {
	if !op.isQualified() || len(opTable[op].sigs[0].Args) > 0 || len(opTable[op].sigs[0].Indices) > 0 {
		return 0, false
	}
	return a.internNode(op, SortUnknown, nil, nil), true
}

// IsAmbiguous reports whether a term is an application that needs a sort which is not known.
func (a *Arena) IsAmbiguous(t Term) bool {
	if a.Sort(t) != SortUnknown {
		return false
	}
	op := a.Op(t)
	return op.isQualified() || op == OpApply && a.symbols[a.SymbolOf(t)].polymorphic
}

// maxAmbiguous bounds how deep ambiguous terms are resolved below a term with a known sort. Solvers print values, which
// are flat.
const maxAmbiguous = 1 << 12

// AtSort returns a term with the sort that its context expects, which resolves ambiguous terms in it. Other terms stay
// as they are.
func (a *Arena) AtSort(t Term, sort Sort) Term { return a.atSort(t, sort, maxAmbiguous) }

func (a *Arena) atSort(t Term, sort Sort, depth int) Term {
	if a.Sort(t) != SortUnknown || sort == SortUnknown || sort == 0 || a.sorts[sort].params || depth == 0 {
		return t
	}
	args := a.CopyArgs(t)
	var out Term
	var err error
	switch op := a.Op(t); {
	case op == OpApply:
		f := a.SymbolOf(t)
		if !a.symbols[f].polymorphic {
			return t
		}
		a.settleArgs(f, sort, args, depth-1)
		out, err = a.ApplyAs(f, sort, args...)
	case op.isQualified():
		a.settleAs(op, sort, args, depth-1)
		out, err = a.AppAs(op, sort, a.Indices(t), args...)
	case !op.Structural():
		a.settleOperands(op, sort, a.Indices(t), args, depth-1)
		out, err = a.App(op, a.Indices(t), args...)
	case op == OpCase:
		body := len(args) - 1
		out, err = a.Case(a.SymbolOf(t), args[:body], a.atSort(args[body], sort, depth-1))
	case op == OpMatch:
		for i := 1; i < len(args); i++ {
			args[i] = a.atSort(args[i], sort, depth-1)
		}
		out, err = a.Match(args[0], args[1:])
	default:
		return t
	}
	if err != nil {
		return t
	}
	return out
}

// SettleCases resolves the sorts of ambiguous cases of a match from the other cases. It changes the slice.
func (a *Arena) SettleCases(cases []Term) {
	for _, c := range cases {
		if sort := a.Sort(c); sort != SortUnknown {
			for i := range cases {
				cases[i] = a.AtSort(cases[i], sort)
			}
			return
		}
	}
}

// SettleArgs resolves the sorts of ambiguous arguments of a function from its parameters, the other arguments and its
// sort, if that is not 0. It changes the slice. If the arguments do not fit, all stay as they are.
func (a *Arena) SettleArgs(f Symbol, sort Sort, args []Term) {
	a.settleArgs(f, sort, args, maxAmbiguous)
}

func (a *Arena) settleArgs(f Symbol, sort Sort, args []Term, depth int) {
	info := &a.symbols[f]
	m := map[Sort]Sort{}
	if len(args) != len(info.Params) || sort != 0 && !a.UnifySort(info.Result, sort, m) {
		return
	}
	params := info.Params
	for i, x := range args {
		if !a.UnifySort(params[i], a.Sort(x), m) {
			return
		}
	}
	a.place(args, depth, func(i int) Sort { return a.SubstSort(params[i], m) })
}

// place gives arguments the sorts that their positions require.
func (a *Arena) place(args []Term, depth int, sortOf func(i int) Sort) {
	sorts := make([]Sort, len(args)) // sorts of all arguments first: terms below an argument bind other parameters
	for i := range args {
		sorts[i] = sortOf(i)
	}
	for i, x := range args {
		args[i] = a.atSort(x, sorts[i], depth)
	}
}

// SettleOperands is SettleArgs for an operator of the table.
func (a *Arena) SettleOperands(op Op, idx []Index, args []Term) {
	a.settleOperands(op, SortUnknown, idx, args, maxAmbiguous)
}

func (a *Arena) settleOperands(op Op, sort Sort, idx []Index, args []Term, depth int) {
	info := &opTable[op]
	for i := range info.sigs {
		s := &info.sigs[i]
		if r, _, _ := a.try(info, s, idx, args, math.MaxInt); r == 0 {
			continue
		}
		if !s.Result.matchSort(&a.symbolTable, sort, &a.bindings) {
			continue
		}
		a.place(args, depth, func(j int) Sort {
			return s.Args[s.argFor(j, len(args))].buildSort(&a.symbolTable, &a.bindings)
		})
		return
	}
}

// SettleAs is SettleArgs for an operator that is written with its sort.
func (a *Arena) SettleAs(op Op, sort Sort, args []Term) { a.settleAs(op, sort, args, maxAmbiguous) }

func (a *Arena) settleAs(op Op, sort Sort, args []Term, depth int) {
	s := &opTable[op].sigs[0]
	b := &a.bindings
	b.reset()
	if len(args) != len(s.Args) || !s.Result.matchSort(&a.symbolTable, sort, b) {
		return
	}
	a.place(args, depth, func(i int) Sort { return s.Args[i].buildSort(&a.symbolTable, b) })
}
