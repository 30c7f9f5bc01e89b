package logic

import "github.com/smtlark/smtlark/engine/language/smt"

// OfSort returns the features that a sort needs.
func OfSort(a *smt.Arena, s smt.Sort) Features {
	f := ofKind[a.SortKind(s)]
	for _, x := range a.SortArgs(s) {
		f |= OfSort(a, x)
	}
	return f
}

// ofKind maps each sort kind to the features that it needs.
var ofKind = func() (f [smt.KindParam + 1]Features) {
	for k := range f {
		f[k] = Other
	}
	f[smt.KindBool] = 0
	f[smt.KindInt] = Ints
	f[smt.KindReal] = Reals
	f[smt.KindString] = Strings
	f[smt.KindRegLan] = Strings
	f[smt.KindRoundingMode] = FloatingPoint
	f[smt.KindFloat] = FloatingPoint
	f[smt.KindBitVec] = BitVectors
	f[smt.KindArray] = Arrays
	f[smt.KindUser] = Functions
	f[smt.KindDatatype] = Datatypes
	f[smt.KindFiniteField] = FiniteFields
	f[smt.KindSet] = Sets
	return f
}()

// OfTerms returns the features that terms need, without looking into definitions.
func OfTerms(a *smt.Arena, terms []smt.Term) (f Features) {
	a.PostOrder(terms, func(t smt.Term) { f |= OfNode(a, t) })
	return f
}

// OfDeclared returns the features needed by the symbols and sorts that a command declares or defines.
func OfDeclared(a *smt.Arena, symbols []smt.Symbol, sorts []smt.SortSymbol) (f Features) {
	for _, s := range symbols {
		info := a.SymbolInfo(s)
		f |= OfSort(a, info.Result)
		for _, p := range info.Params {
			f |= OfSort(a, p)
		}
		if info.Kind == smt.SymDeclared && len(info.Params) > 0 {
			f |= Functions
		}
		if info.Body != 0 {
			f |= OfTerms(a, []smt.Term{info.Body})
		}
	}
	for _, s := range sorts {
		if f |= Functions; a.Datatype(s) != nil {
			f |= Datatypes
		}
	}
	return f
}

// OfNode returns the features that the head of a term and the term's sort need.
func OfNode(a *smt.Arena, t smt.Term) Features {
	op := a.Op(t)
	if op == smt.OpBVLit {
		return 0 // QF_FP has literals of bit vectors, too, from which values are made; who does something else with them needs the theory
	}
	f := OfSort(a, a.Sort(t)) | OfOperator(a, t)
	if a.NumArgs(t) > 0 && op != smt.OpFP && op != smt.OpToFP && a.Op(a.Arg(t, 0)) == smt.OpBVLit {
		f |= BitVectors // also where neither the result nor another argument is a bit vector, as in (bvult #b0 #b1)
	}
	return f
}

// OfOperator returns the features that the head of a term needs beyond those that the sorts of the term and of its
// arguments need.
func OfOperator(a *smt.Arena, t smt.Term) Features {
	op := a.Op(t)
	switch op {
	case smt.OpApply:
		if a.NumArgs(t) > 0 && a.SymbolInfo(a.SymbolOf(t)).Kind == smt.SymDeclared {
			return Functions
		}
	case smt.OpForall, smt.OpExists:
		return Quantifiers
	case smt.OpLambda, smt.OpMatch, smt.OpOpaque, smt.OpHOApply, smt.OpFunction, smt.OpMapArrays:
		return Other
	case smt.OpMul:
		variables := 0
		for _, x := range a.Args(t) {
			if !isNumber(a, x) {
				variables++
			}
		}
		if variables > 1 {
			return Linear | Nonlinear
		}
		return Linear
	case smt.OpDiv, smt.OpIntDiv, smt.OpMod, smt.OpRem:
		for _, x := range a.Args(t)[1:] {
			// Division by zero is an unknown function of the dividend, which linear logics do not have.
			if !isNumber(a, x) || maybeZero(a, x) {
				return Linear | Nonlinear
			}
		}
		return Linear
	case smt.OpAdd, smt.OpAbs, smt.OpDivisible:
		return Linear
	case smt.OpToReal, smt.OpToInt, smt.OpIsInt:
		return Ints | Reals | Linear
	case smt.OpIntLit:
		if n, _ := a.IntOf(t); n.Sign() < 0 {
			return Order // it is written with a minus
		}
	case smt.OpSub:
		if a.NumArgs(t) == 1 && !isNumber(a, t) || a.NumArgs(t) > 2 {
			return Order | Linear
		}
		return Order
	case smt.OpLe, smt.OpLt, smt.OpGe, smt.OpGt:
		if !isDifference(a, t) {
			return Order | Linear
		}
		return Order
	case smt.OpEq, smt.OpDistinct:
		if s := a.Sort(a.Arg(t, 0)); (s == smt.SortInt || s == smt.SortReal) && !isDifference(a, t) {
			return Linear
		}
	case smt.OpUbvToInt, smt.OpSbvToInt, smt.OpIntToBV, smt.OpFPToReal:
		return Conversions
	case smt.OpPow:
		return Other
	case smt.OpToFP:
		if a.NumArgs(t) == 2 && a.Sort(a.Arg(t, 1)) == smt.SortReal {
			return Conversions
		}
	default:
		if op > smt.OpOpaque && !op.Structural() && len(op.Info().Solvers) > 0 {
			return Other
		}
	}
	return 0
}

// isDifference reports whether a relation of numbers is an atom of difference logic: it
// relates variables and numbers, or a difference of two variables and a number.
func isDifference(a *smt.Arena, t smt.Term) bool {
	args := a.Args(t)
	for i, x := range args {
		if a.Op(x) == smt.OpSub && a.NumArgs(x) == 2 {
			if len(args) != 2 || !isNumber(a, args[1-i]) || !isAtomic(a, a.Arg(x, 0)) || !isAtomic(a, a.Arg(x, 1)) {
				return false
			}
			continue
		}
		if !isAtomic(a, x) {
			return false
		}
	}
	return true
}

// isAtomic reports whether a term of arithmetic is a number, or a variable for arithmetic,
// such as a constant, an application or the length of a string.
func isAtomic(a *smt.Arena, t smt.Term) bool {
	switch a.Op(t) {
	case smt.OpAdd, smt.OpSub, smt.OpMul, smt.OpDiv, smt.OpIntDiv, smt.OpMod, smt.OpRem, smt.OpAbs, smt.OpToReal, smt.OpToInt:
		return isNumber(a, t)
	case smt.OpIte: // difference logics have none, and Yices takes none there
		return false
	}
	return true
}

// isNumber reports whether solvers of linear arithmetic see a number in the term: a literal, a negated one, or a
// quotient of such (SMT-LIB's definition of a coefficient, and (- (- 2)), which z3, cvc5 and Yices take). z3 treats
// other computable terms, such as a quotient of a quotient or a sum of literals, as variables.
func isNumber(a *smt.Arena, t smt.Term) bool {
	switch a.Op(t) {
	case smt.OpIntLit, smt.OpRealLit:
		return true
	case smt.OpToReal:
		return a.Op(a.Arg(t, 0)) == smt.OpIntLit
	case smt.OpSub:
		return a.NumArgs(t) == 1 && isNumber(a, a.Arg(t, 0))
	case smt.OpDiv:
		return a.NumArgs(t) == 2 && isSignedLiteral(a, a.Arg(t, 0)) && isSignedLiteral(a, a.Arg(t, 1)) && !maybeZero(a, a.Arg(t, 1))
	}
	return false
}

// isSignedLiteral reports whether a term is a number and no quotient.
func isSignedLiteral(a *smt.Arena, t smt.Term) bool {
	for a.Op(t) == smt.OpSub && a.NumArgs(t) == 1 {
		t = a.Arg(t, 0)
	}
	return a.Op(t) != smt.OpDiv && isNumber(a, t)
}

// maybeZero reports whether a term may be 0: it is a literal 0, or not just a number.
func maybeZero(a *smt.Arena, t smt.Term) bool {
	for a.Op(t) == smt.OpSub && a.NumArgs(t) == 1 {
		t = a.Arg(t, 0)
	}
	if a.Op(t) == smt.OpDiv && isNumber(a, t) {
		t = a.Arg(t, 0)
		for a.Op(t) == smt.OpSub && a.NumArgs(t) == 1 {
			t = a.Arg(t, 0)
		}
	}
	if n, ok := a.IntOf(t); ok {
		return n.Sign() == 0
	}
	if r, ok := a.RatOf(t); ok {
		return r.Sign() == 0
	}
	return true
}
