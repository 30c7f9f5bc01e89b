package smt

import "fmt"

// Applied returns the sort of the result of applying a value of an array or function sort to one index or argument: of
// (Array I E) that is E, of (-> S1 ... Sn R) it is (-> S2 ... Sn R), or R where n is 1. ok is false for all other
// sorts.
func (a *sortTable) Applied(s Sort) (r Sort, ok bool) {
	args := a.SortArgs(s)
	switch a.SortKind(s) {
	case KindArray:
		return args[1], true
	case KindFunc:
		if len(args) == 2 {
			return args[1], true
		}
		return a.Func(args[1:]...), true
	}
	return 0, false
}

// HOApply returns (@ f x), which applies a term of a function sort to its first argument (the partial application of
// SMT-LIB's higher-order logic; cvc5's kind HO_APPLY). A term of unknown sort can be applied to anything.
func (a *builder) HOApply(f, x Term) (Term, error) {
	s := a.Sort(f)
	if s == SortUnknown {
		return a.internNode(OpHOApply, SortUnknown, nil, []Term{f, x}), nil
	}
	if a.SortKind(s) != KindFunc {
		return 0, &SortError{Op: "@", Arg: 1, Want: "a function", Got: a.SortString(s), Term: a.Brief(f)}
	}
	if got, want := a.Sort(x), a.SortArgs(s)[0]; got != want && got != SortUnknown {
		return 0, &SortError{Op: "@", Arg: 2, Want: a.SortString(want), Got: a.SortString(got), Term: a.Brief(x)}
	}
	r, _ := a.Applied(s)
	return a.internNode(OpHOApply, r, nil, []Term{f, x}), nil
}

// FuncSort returns the function sort of a symbol's rank; 0 if it has no parameters, or sort parameters.
func (a *symbolTable) FuncSort(f Symbol) Sort {
	info := &a.symbols[f]
	if len(info.Params) == 0 || info.polymorphic {
		return 0
	}
	return a.Func(append(append(make([]Sort, 0, len(info.Params)+1), info.Params...), info.Result)...)
}

// Function returns a function symbol as a value: of its function sort, as SMT-LIB 2.7 and cvc5 write it by the symbol
// itself, or of the array sort over its only parameter, as z3 writes it (_ as-array f).
func (a *builder) Function(f Symbol, sort Sort) (Term, error) {
	info := &a.symbols[f]
	fits := false
	switch args := a.SortArgs(sort); a.SortKind(sort) {
	case KindFunc:
		fits = sort == a.FuncSort(f)
	case KindArray:
		fits = len(info.Params) == 1 && !info.polymorphic && info.Params[0] == args[0] && info.Result == args[1]
	}
	if !fits {
		return 0, &SortError{Op: a.symbols[f].Name, Want: "has a rank of sort " + a.SortString(sort), Got: "another one"}
	}
	return a.internNode(OpFunction, sort, []Index{Index(f)}, nil), nil
}

// MapArrays returns ((_ map f) a1 ... an) of z3: the array whose element at each index is f applied to the arrays'
// elements there.
func (a *builder) MapArrays(f Symbol, arrays ...Term) (Term, error) {
	info := &a.symbols[f]
	if info.polymorphic || len(info.Params) == 0 || len(arrays) != len(info.Params) {
		return 0, &SortError{Op: "map", Want: "takes " + countOf(len(info.Params), "argument", "arguments"), Got: fmt.Sprint(len(arrays))}
	}
	index := Sort(0)
	for i, t := range arrays {
		s := a.Sort(t)
		args := a.SortArgs(s)
		if a.SortKind(s) != KindArray || index != 0 && args[0] != index || args[1] != info.Params[i] {
			return 0, &SortError{Op: "map", Arg: i + 1, Want: "an array of elements of sort " + a.SortString(info.Params[i]), Got: a.SortString(s), Term: a.Brief(t)}
		}
		index = args[0]
	}
	result := info.Result
	return a.internNode(OpMapArrays, a.Array(index, result), []Index{Index(f)}, arrays), nil
}
