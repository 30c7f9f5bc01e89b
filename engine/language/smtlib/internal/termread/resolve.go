package termread

import (
	"errors"
	"math/big"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// resolver finds what names stand for and applies it: the user's symbols first, then the operator table.
type resolver struct {
	sortReader
	doubts   []doubt  // ambiguous constants of the term that is being read
	expected smt.Sort // what the place of the term wants; 0 if that is open
	defining NameID   // whose body is read
	inside   bool     // the body of a define-fun, of the name defining
}

// doubt is a term whose sort nothing tells where it stands, with the error that it is if nothing further out does.
type doubt struct {
	term smt.Term
	off  int
	err  error
}

// doubtful takes a term that is ambiguous by itself; its sort may follow from where it stands.
func (r *resolver) doubtful(t smt.Term, off int, err error) smt.Term {
	r.doubts = append(r.doubts, doubt{t, off, err})
	return t
}

// settled ends a term whose place may want a sort. It reports an error where something in it has stayed ambiguous.
func (r *resolver) settled(t smt.Term) (smt.Term, bool) {
	want, doubts := r.expected, r.doubts
	r.expected, r.doubts = 0, r.doubts[:0]
	if len(doubts) == 0 {
		return t, true
	}
	if want != 0 {
		t = r.Arena.AtSort(t, want)
	}
	left := map[smt.Term]bool{}
	r.Arena.PostOrder([]smt.Term{t}, func(x smt.Term) {
		if r.Arena.IsAmbiguous(x) {
			left[x] = true
		}
	})
	for _, d := range doubts {
		if left[d.term] {
			return 0, r.Fail(d.off, d.err.Error())
		}
	}
	return t, true
}

// maxOverloads bounds how many functions of one name are tried for an application.
const maxOverloads = 256

// constant resolves a symbol that stands alone. It returns 0, with the error set, if that is wrong.
func (r *resolver) constant(off int, id NameID) smt.Term {
	n := &r.names.ents[id]
	if n.fun != 0 {
		t := r.userConstant(off, n)
		return t
	}
	switch n.special {
	case spTrue:
		return r.Arena.True()
	case spFalse:
		return r.Arena.False()
	}
	if n.op != 0 {
		t, err := r.Arena.App(n.op, nil)
		if err != nil {
			if t, ok := r.Arena.AmbiguousConstant(n.op); ok {
				return r.doubtful(t, off, err)
			}
			r.Fail(off, err.Error())
			return 0
		}
		return t
	}
	if n.special != spNone {
		r.Fail(off, "the reserved word "+n.text+" is no term")
		return 0
	}
	if len(n.text) > 1 && n.text[0] == '.' && strings.Trim(n.text[1:], "0123456789") == "" {
		r.Fail(off, "`"+n.text+"` is no number: a decimal has digits before its dot, as 0"+n.text)
		return 0
	}
	if t := r.signed(n.text); t != 0 {
		return t
	}
	// The solvers' own constants have dotted names, as sep.nil; anything else that nobody declared is a slip.
	if !r.Lenient && !strings.Contains(n.text, ".") {
		r.Fail(off, "unknown constant "+smt.QuoteSymbol(n.text)+": neither declared nor an operator")
		return 0
	}
	r.Note(off, "unknown constant "+n.text)
	return r.Arena.Opaque(n.text, nil, smt.SortUnknown)
}

// signed reads what z3 and cvc5 take for a number where no symbol has its name, such as -3 and -1.5; 0 if it is none.
func (r *resolver) signed(text string) smt.Term {
	if len(text) < 2 || len(text) > maxDigits || text[0] != '-' {
		return 0
	}
	x, real, ok := rational(text[1:])
	if !ok {
		return 0
	}
	return r.numberTerm(x.Neg(x), real)
}

// userConstant resolves a declared or defined name that stands alone; where functions of the same name hide it, it
// is the last constant of that name.
func (r *resolver) userConstant(off int, n *name) smt.Term {
	var first error
	for b := n.fun; b != 0; {
		bd := &r.binds[b-1]
		t, err := r.Arena.Apply(smt.Symbol(bd.sym))
		if err == nil {
			if !r.Unstable {
				r.binds[n.fun-1].term = t
			}
			return t
		}
		if t, ok := r.Arena.Ambiguous(smt.Symbol(bd.sym)); ok {
			return r.doubtful(t, off, err)
		}
		if first == nil {
			first = err
		}
		b = bd.prev
	}
	if t := r.functionValue(smt.Symbol(r.binds[n.fun-1].sym)); t != 0 { // SMT-LIB 2.7: a value like any other
		return t
	}
	r.Fail(off, first.Error())
	return 0
}

// applyName applies what a plain name stands for: the user's symbols first, then the operator table.
func (r *resolver) applyName(id NameID, at int, args []smt.Term) (smt.Term, error) {
	n := &r.names.ents[id]
	if n.local != 0 {
		return r.applyTo(n.local, args)
	}
	var first error
	for b, tries := n.fun, 0; b != 0 && tries < maxOverloads; tries++ {
		bd := &r.binds[b-1]
		if len(r.doubts) > 0 {
			r.Arena.SettleArgs(smt.Symbol(bd.sym), 0, args)
		}
		t, err := r.Arena.ApplyCoerce(smt.Symbol(bd.sym), args)
		if err == nil {
			return t, nil
		}
		if t, ok := r.Arena.Ambiguous(smt.Symbol(bd.sym), args...); ok {
			return r.doubtful(t, at, err), nil
		}
		if arrays, ok := r.asArrays(args); ok {
			if t, err := r.Arena.ApplyCoerce(smt.Symbol(bd.sym), arrays); err == nil {
				return t, nil
			}
		}
		if n := len(r.Arena.SymbolInfo(smt.Symbol(bd.sym)).Params); n > 0 && n < len(args) { // what it gives is applied to the rest
			if fn, err := r.Arena.ApplyCoerce(smt.Symbol(bd.sym), args[:n]); err == nil && r.isFunction(r.Arena.Sort(fn)) {
				return r.applyTo(fn, args[n:])
			}
		}
		if first == nil {
			first = err
			if fn := r.appliedValue(smt.Symbol(bd.sym), len(args)); fn != 0 {
				return r.applyTo(fn, args)
			}
		}
		b = bd.prev
	}
	// Behind the functions of the script: it may declare a name that is an operator elsewhere.
	if n.op != 0 {
		if len(r.doubts) > 0 {
			r.Arena.SettleOperands(n.op, nil, args)
		}
		t, err := r.Arena.AppCoerce(n.op, nil, args)
		if err == nil {
			return t, nil
		}
		if t, ok := r.otherReading(n.op, args); ok {
			return t, nil
		}
		if first == nil {
			first = err
		}
	}
	if first != nil {
		return 0, first
	}
	if n.special == spAt && len(args) > 1 {
		return r.applyTo(args[0], args[1:])
	}
	if ctor := r.tester(n.text); ctor != 0 && len(args) == 1 {
		return r.Arena.Is(ctor, args[0])
	}
	if n.special != spNone {
		return 0, errors.New("the reserved word " + n.text + " is no operator")
	}
	if r.inside && id == r.defining {
		r.Illegal(at, smt.QuoteSymbol(n.text)+" is used in its own definition; define-fun-rec allows that")
	}
	// No error: a solver may know an extension that the table lacks, and gets it as it is written.
	r.Note(at, "unknown operator "+n.text)
	return r.Arena.Opaque(n.text, nil, smt.SortUnknown, args...), nil
}

// sequenceOps are the operators over sequences that cvc5 writes as those over strings, too.
var sequenceOps = map[smt.Op]smt.Op{
	smt.OpStrLen: smt.OpSeqLen, smt.OpStrConcat: smt.OpSeqConcat, smt.OpStrAt: smt.OpSeqAt, smt.OpStrSubstr: smt.OpSeqExtract,
	smt.OpStrContains: smt.OpSeqContains, smt.OpStrIndexOf: smt.OpSeqIndexOf, smt.OpStrReplace: smt.OpSeqReplace,
	smt.OpStrReplaceAll: smt.OpSeqReplaceAll, smt.OpStrPrefixOf: smt.OpSeqPrefixOf, smt.OpStrSuffixOf: smt.OpSeqSuffixOf,
	smt.OpStrRev: smt.OpSeqRev, smt.OpStrUpdate: smt.OpSeqUpdate,
}

// stringOps are the operators over strings that z3 writes as those over sequences, too: its strings are sequences of characters.
var stringOps = func() map[smt.Op]smt.Op {
	m := make(map[smt.Op]smt.Op, len(sequenceOps))
	for str, seq := range sequenceOps {
		m[seq] = str
	}
	return m
}()

// otherReading returns what solvers take an operator for where its arguments do not fit: operators over strings of sequences, and those of arrays with
// several indices.
func (r *resolver) otherReading(op smt.Op, args []smt.Term) (smt.Term, bool) {
	if len(args) == 0 {
		return 0, false
	}
	first := r.Arena.SortKind(r.Arena.Sort(args[0]))
	if seq := sequenceOps[op]; seq != 0 && first == smt.KindSeq {
		t, err := r.Arena.AppCoerce(seq, nil, args)
		return t, err == nil
	}
	if str := stringOps[op]; str != 0 && first == smt.KindString {
		t, err := r.Arena.AppCoerce(str, nil, args)
		return t, err == nil
	}
	if first == smt.KindString && strings.HasPrefix(op.String(), "seq.") {
		if t := r.Arena.Opaque(op.String(), nil, smt.SortUnknown, args...); r.Arena.Sort(t) != smt.SortUnknown {
			return t, true
		}
	}
	if len(args) == 1 {
		if t := r.single(op, args[0]); t != 0 {
			return t, true
		}
	}
	if rounded, ok := r.rounded(op, args); ok {
		t, err := r.Arena.App(op, nil, rounded...)
		return t, err == nil
	}
	if first == smt.KindFunc && op == smt.OpSelect && len(args) > 1 && r.Arena.Op(args[0]) != smt.OpLambda { // in z3 a function is an array
		if f := r.Arena.SymbolOf(args[0]); r.Arena.Op(args[0]) == smt.OpFunction && len(r.Arena.SymbolInfo(f).Params) == len(args)-1 {
			t, err := r.Arena.ApplyCoerce(f, args[1:])
			return t, err == nil
		}
		t, err := r.applyTo(args[0], args[1:])
		return t, err == nil
	}
	if arrays, ok := r.asArrays(args); ok {
		if t, err := r.Arena.AppCoerce(op, nil, arrays); err == nil {
			return t, true
		}
		args = arrays
	}
	if r.Arena.SortKind(r.Arena.Sort(args[0])) != smt.KindArray {
		return 0, false
	}
	switch {
	case op == smt.OpSelect && len(args) > 2:
		t, err := r.applyTo(args[0], args[1:])
		return t, err == nil
	case op == smt.OpStore && len(args) > 3:
		return r.storeAt(args[0], args[1:len(args)-1], args[len(args)-1])
	}
	return 0, false
}

// single returns what z3 takes an operator of one argument for where the standard wants two, 0 for others: a chain of one comparison holds, and an
// associative operator gives its argument. cvc5 takes none of them, but like z3 a real number under to_real.
func (r *resolver) single(op smt.Op, x smt.Term) smt.Term {
	switch op {
	case smt.OpXor, smt.OpDiv, smt.OpIntDiv, smt.OpBVAdd, smt.OpBVMul, smt.OpBVAnd, smt.OpBVOr, smt.OpBVXor, smt.OpConcat:
		if r.Arena.Fits(op, nil, x, x) != 0 {
			return x
		}
	case smt.OpDistinct, smt.OpLe, smt.OpLt, smt.OpGe, smt.OpGt:
		if r.Arena.Fits(op, nil, x, x) != 0 {
			return r.Arena.True()
		}
	case smt.OpToReal:
		if r.Arena.Sort(x) == smt.SortReal {
			return x
		}
	}
	return 0
}

// rounded returns the operands of div, mod and rem where some are real numbers, which z3 rounds down; ok is false where none is.
func (r *resolver) rounded(op smt.Op, args []smt.Term) (out []smt.Term, ok bool) {
	if op != smt.OpIntDiv && op != smt.OpMod && op != smt.OpRem {
		return nil, false
	}
	for i, x := range args {
		if r.Arena.Sort(x) == smt.SortReal {
			if out == nil {
				out = append(out, args...)
			}
			out[i] = r.Arena.MustApp(smt.OpToInt, x)
		}
	}
	return out, out != nil
}

// maxScale bounds the power of two that a literal is multiplied with.
const maxScale = 1 << 14

// floatOf returns what z3 takes to_fp of three arguments for: a rounding mode with a real number and the power of two that it is multiplied with,
// in either order, or the three parts of the number; 0 for anything else. A power that is no literal leaves a term without a value.
func (r *resolver) floatOf(idx []smt.Index, args []smt.Term) smt.Term {
	if r.Arena.SortKind(r.Arena.Sort(args[0])) == smt.KindBitVec {
		t, err := r.Arena.App(smt.OpFP, nil, args...)
		if err != nil {
			return 0
		}
		if same, err := r.Arena.App(smt.OpToFP, idx, r.Arena.MustApp(smt.OpConcat, args...)); err != nil || r.Arena.Sort(same) != r.Arena.Sort(t) {
			return 0
		}
		return t
	}
	number, power := args[1], args[2]
	if r.Arena.Sort(number) == smt.SortInt {
		number, power = power, number
	}
	if r.Arena.Sort(args[0]) != smt.SortRoundingMode || r.Arena.Sort(number) != smt.SortReal || r.Arena.Sort(power) != smt.SortInt {
		return 0
	}
	plain, err := r.Arena.App(smt.OpToFP, idx, args[0], number)
	if err != nil {
		return 0
	}
	n, ok := r.integer(power)
	if !ok || n.CmpAbs(big.NewInt(maxScale)) > 0 {
		name := smt.OpToFP.String()
		r.Note(r.Pos, "unknown power of two of "+name)
		return r.Arena.Opaque(name, idx, r.Arena.Sort(plain), args...)
	}
	scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(new(big.Int).Abs(n).Uint64())))
	if n.Sign() < 0 {
		scale.Inv(scale)
	}
	if x, ok := r.Arena.RatOf(number); ok {
		number = r.Arena.RealVal(scale.Mul(scale, x))
	} else if n.Sign() != 0 {
		number = r.Arena.MustApp(smt.OpMul, r.Arena.RealVal(scale), number)
	}
	t, err := r.Arena.App(smt.OpToFP, idx, args[0], number)
	if err != nil {
		return 0
	}
	return t
}

// integer returns the value of an integer literal with its sign.
func (r *resolver) integer(t smt.Term) (*big.Int, bool) {
	if r.Arena.Op(t) == smt.OpSub && r.Arena.NumArgs(t) == 1 {
		n, ok := r.Arena.IntOf(r.Arena.Arg(t, 0))
		if !ok {
			return nil, false
		}
		return new(big.Int).Neg(n), true
	}
	return r.Arena.IntOf(t)
}

// asArrays returns arguments with lambdas that are functions as z3 reads them, as arrays; ok is false where there are none.
func (r *resolver) asArrays(args []smt.Term) (out []smt.Term, ok bool) {
	for i, x := range args {
		if y := r.AsArray(x); y != x {
			if out == nil {
				out = append(out, args...)
			}
			out[i] = y
		}
	}
	return out, out != nil
}

// AsArray returns the array that a lambda or the name of a function stands for in z3, and any other term as it is.
func (r *resolver) AsArray(t smt.Term) smt.Term {
	if r.Arena.SortKind(r.Arena.Sort(t)) != smt.KindFunc {
		return t
	}
	switch r.Arena.Op(t) {
	case smt.OpFunction:
		f := r.Arena.SymbolOf(t)
		info := r.Arena.SymbolInfo(f)
		if array, err := r.Arena.Function(f, r.Arena.Array(info.Params[0], info.Result)); err == nil {
			return array
		}
		return t
	case smt.OpLambda:
	default:
		return t
	}
	if array, err := r.Arena.Lambda(r.Arena.BoundVars(t), r.Arena.Body(t), true); err == nil {
		return array
	}
	return t
}

// storeAt stores into an array of arrays.
func (r *resolver) storeAt(array smt.Term, indices []smt.Term, x smt.Term) (smt.Term, bool) {
	if len(indices) > 1 {
		inner, err := r.Arena.AppCoerce(smt.OpSelect, nil, []smt.Term{array, indices[0]})
		if err != nil {
			return 0, false
		}
		var ok bool
		if x, ok = r.storeAt(inner, indices[1:], x); !ok {
			return 0, false
		}
	}
	t, err := r.Arena.AppCoerce(smt.OpStore, nil, []smt.Term{array, indices[0], x})
	return t, err == nil
}

// appliedValue returns a symbol as the value that is applied to n arguments where its rank does not fit them: a constant that
// is a function or an array, or a function of which not all arguments are given; 0 if it is neither.
func (r *resolver) appliedValue(f smt.Symbol, n int) smt.Term {
	info := r.Arena.SymbolInfo(f)
	if len(info.Params) == 0 && r.isFunction(info.Result) {
		c, err := r.Arena.Apply(f)
		if err != nil {
			return 0
		}
		return c
	}
	if r.HigherOrder && n < len(info.Params) {
		return r.functionValue(f)
	}
	return 0
}

// functionValue returns a function symbol as a value of its function sort; 0 if it is none of one rank.
func (r *resolver) functionValue(f smt.Symbol) smt.Term {
	t, err := r.Arena.Function(f, r.Arena.FuncSort(f))
	if err != nil {
		return 0
	}
	return t
}

// asArray returns (_ as-array f) for a function of the name that has one parameter; 0 if there is none.
func (r *resolver) asArray(idx []smt.Index) smt.Term {
	if len(idx) != 1 {
		return 0
	}
	name, _ := r.Arena.IndexName(idx[0])
	for b := r.names.ents[r.Intern(name)].fun; b != 0; b = r.binds[b-1].prev {
		f := smt.Symbol(r.binds[b-1].sym)
		if info := r.Arena.SymbolInfo(f); len(info.Params) == 1 {
			if t, err := r.Arena.Function(f, r.Arena.Array(info.Params[0], info.Result)); err == nil {
				return t
			}
		}
	}
	return 0
}

// mapped returns ((_ map f) arrays) for a function of the name that fits; 0 if there is none.
func (r *resolver) mapped(idx []smt.Index, arrays []smt.Term) smt.Term {
	if len(idx) != 1 {
		return 0
	}
	name, _ := r.Arena.IndexName(idx[0])
	for b := r.names.ents[r.Intern(name)].fun; b != 0; b = r.binds[b-1].prev {
		if t, err := r.Arena.MapArrays(smt.Symbol(r.binds[b-1].sym), arrays...); err == nil {
			return t
		}
	}
	return 0
}

// tester returns the constructor of z3's older tester is-constructor, or 0.
func (r *resolver) tester(name string) smt.Symbol {
	if rest, ok := strings.CutPrefix(name, "is-"); ok {
		return r.userSymbol(r.Intern(rest), smt.SymConstructor)
	}
	return 0
}

// userSymbol returns the innermost symbol of a name that is of the kind, or 0.
func (r *resolver) userSymbol(id NameID, kind smt.SymbolKind) smt.Symbol {
	for b := r.names.ents[id].fun; b != 0; b = r.binds[b-1].prev {
		if bd := &r.binds[b-1]; r.Arena.SymbolInfo(smt.Symbol(bd.sym)).Kind == kind {
			return smt.Symbol(bd.sym)
		}
	}
	return 0
}

func (r *resolver) isFunction(s smt.Sort) bool {
	k := r.Arena.SortKind(s)
	return k == smt.KindFunc || k == smt.KindArray
}

// applyTo applies a term of a function sort, one argument at a time, as cvc5's @ does; an array is selected from, as
// z3 does.
func (r *resolver) applyTo(fn smt.Term, args []smt.Term) (smt.Term, error) {
	for i, x := range args {
		s := r.Arena.Sort(fn)
		sorts := r.Arena.SortArgs(s)
		switch r.Arena.SortKind(s) {
		case smt.KindArray:
			t, err := r.Arena.AppCoerce(smt.OpSelect, nil, []smt.Term{fn, x})
			if err != nil {
				return 0, err
			}
			fn = t
		case smt.KindFunc, smt.KindUnknown:
			if len(sorts) > 0 && r.Arena.Sort(x) == smt.SortInt && sorts[0] == smt.SortReal {
				x = r.Arena.ToReal(x)
			}
			t, err := r.Arena.HOApply(fn, x)
			if err != nil {
				var se *smt.SortError
				if errors.As(err, &se) { // its place is that of the argument
					se.Arg = i + 1
				}
				return 0, err
			}
			fn = t
		default:
			return 0, errors.New("a term of sort " + r.Arena.SortString(s) + " cannot be applied: " + r.Arena.Brief(fn))
		}
	}
	return fn, nil
}

// constructorFor finds the constructor of that name in the datatype, which may be unknown.
func (r *resolver) constructorFor(id NameID, sort smt.Sort) smt.Symbol {
	want := r.Arena.SortSymbolOf(sort)
	for b := r.names.ents[id].fun; b != 0; b = r.binds[b-1].prev {
		bd := &r.binds[b-1]
		if i := r.Arena.SymbolInfo(smt.Symbol(bd.sym)); i.Kind == smt.SymConstructor && (want == 0 || i.Datatype == want) {
			return smt.Symbol(bd.sym)
		}
	}
	return 0
}
