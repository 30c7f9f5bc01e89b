package termread

import (
	"errors"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// resolver looks names up and applies their meaning to arguments: the user's symbols first, then the operator table.
type resolver struct {
	sortReader
	doubts   []doubt  // ambiguous constants of the term that is being read
	expected smt.Sort // the sort required at the place of the term; 0 if any
	defining NameID   // whose body is read
	inside   bool     // the body of a define-fun, of the name defining
}

// doubt is a term whose sort is not determined yet, with the error to report if the enclosing terms do not determine it
// either.
type doubt struct {
	term smt.Term
	off  int
	err  error
}

// doubtful takes a term that is ambiguous by itself; its sort may follow from its context.
func (r *resolver) doubtful(t smt.Term, off int, err error) smt.Term {
	r.doubts = append(r.doubts, doubt{t, off, err})
	return t
}

// settled finishes a term whose context may have determined its sort. It reports an error if something in it is still
// ambiguous.
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
	// The solvers' own constants have dotted names, as sep.nil; any other undeclared name is a mistake.
	if !r.Lenient && !strings.Contains(n.text, ".") {
		r.Fail(off, "unknown constant "+smt.QuoteSymbol(n.text)+": neither declared nor an operator")
		return 0
	}
	r.Note(off, "unknown constant "+n.text)
	return r.Arena.Opaque(n.text, nil, smt.SortUnknown)
}

// signed reads a name that z3 and cvc5 treat as a number if no symbol has it, such as -3 and -1.5. It returns 0 if the
// name is no number.
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

// applyName applies a plain name to arguments. It looks the name up among the user's symbols first, then in the
// operator table.
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
	// After the functions of the script, because it may declare a name that is an operator elsewhere.
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

// sequenceOps are the operators over sequences that cvc5 also writes with the names of string operators.
var sequenceOps = map[smt.Op]smt.Op{
	smt.OpStrLen: smt.OpSeqLen, smt.OpStrConcat: smt.OpSeqConcat, smt.OpStrAt: smt.OpSeqAt, smt.OpStrSubstr: smt.OpSeqExtract,
	smt.OpStrContains: smt.OpSeqContains, smt.OpStrIndexOf: smt.OpSeqIndexOf, smt.OpStrReplace: smt.OpSeqReplace,
	smt.OpStrReplaceAll: smt.OpSeqReplaceAll, smt.OpStrPrefixOf: smt.OpSeqPrefixOf, smt.OpStrSuffixOf: smt.OpSeqSuffixOf,
	smt.OpStrRev: smt.OpSeqRev, smt.OpStrUpdate: smt.OpSeqUpdate,
}

// stringOps are the operators over strings that z3 also writes with the names of sequence operators: its strings are
// sequences of characters.
var stringOps = func() map[smt.Op]smt.Op {
	m := make(map[smt.Op]smt.Op, len(sequenceOps))
	for str, seq := range sequenceOps {
		m[seq] = str
	}
	return m
}()

// appliedValue returns a symbol as a value to apply to n arguments that do not fit its rank: a constant of a function
// or array sort, or a partially applied function. It returns 0 if the symbol is neither.
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

// functionValue returns a function symbol as a value of its function sort; 0 if it is not a function with a fixed rank.
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

// applyTo applies a term of a function sort, one argument at a time, as cvc5's @ does; for an array it uses select, as
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
