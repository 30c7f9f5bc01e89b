package termread

import (
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
)

// matchCase reads the beginning of the next case of a match up to its term, or ends the list of cases. The scrutinee
// and the finished cases lie on r.vals.
func (r *Reader) matchCase(f *frame) bool {
	if int(f.base)+1 == len(r.vals) && !r.Opening("the `(` of the cases of match") {
		return false
	}
	return r.nextCase(f)
}

func (r *Reader) nextCase(f *frame) bool {
	if r.Next() != sexpr.Open {
		return r.Unexpected("a case (pattern term)")
	}
	off := r.Pos
	r.Pos++
	c := frame{kind: frCase, off: uint32(off), mark: int32(len(r.locals))}
	scrutinee := r.vals[f.base]
	r.push(c)
	return r.pattern(&r.frames[len(r.frames)-1], scrutinee)
}

// pattern reads a pattern and binds its variables, which go to r.vals.
func (r *Reader) pattern(f *frame, scrutinee smt.Term) bool {
	sort := r.Arena.Sort(scrutinee)
	switch r.Next() {
	case sexpr.Symbol, sexpr.Bar:
		off := r.Pos
		id, ok := r.Symbol("a pattern")
		if !ok {
			return false
		}
		f.hoff = uint32(off)
		// Only the name distinguishes a constructor without fields from a variable that matches everything.
		if c := r.constructorFor(id, sort); c != 0 {
			f.sym = uint32(c)
			return true
		}
		r.patternVar(id, off, sort)
		return true
	case sexpr.Open:
		r.Pos++
	default:
		return r.Unexpected("a pattern")
	}
	r.Next()
	f.hoff = uint32(r.Pos)
	id, ok := r.Symbol("a constructor")
	if !ok {
		return false
	}
	c := r.constructorFor(id, sort)
	if c == 0 {
		return r.Fail(int(f.hoff), "match: "+smt.QuoteSymbol(r.names.ents[id].text)+" is no constructor of "+r.Arena.SortString(sort))
	}
	f.sym = uint32(c)
	_, actual := r.Arena.DatatypeOf(sort)
	for i := 0; r.Next() != sexpr.Close; i++ {
		off := r.Pos
		id, ok := r.Symbol("a variable of a pattern")
		if !ok {
			return false
		}
		s := smt.SortUnknown
		if params := r.Arena.SymbolInfo(c).Params; i < len(params) {
			s = r.Arena.SubstSort(params[i], actual)
		}
		r.patternVar(id, off, s)
	}
	r.Pos++
	return true
}

// patternVar binds a variable of a pattern. The wildcard _ becomes a variable with an unused name.
func (r *Reader) patternVar(id NameID, off int, sort smt.Sort) {
	if r.names.ents[id].special == spUnderscore {
		id = r.Intern(r.unusedName())
	}
	v := r.Arena.Var(r.names.ents[id].text, sort)
	r.value(v, off)
	r.BindVar(id, v)
}

// caseDone builds a case whose term has been read; after the last one it builds the match.
func (r *Reader) caseDone(f *frame, body smt.Term, off int) (smt.Term, bool) {
	if !r.Closing("`)` of a case") {
		return 0, false
	}
	c, err := r.Arena.Case(smt.Symbol(f.sym), r.vals[f.base:], body)
	if err != nil {
		return 0, r.Fail(int(f.hoff), err.Error())
	}
	r.drop(f.base)
	r.leave(f)
	r.value(c, off)
	m := &r.frames[len(r.frames)-1]
	switch r.Next() {
	case sexpr.Open:
		return 0, r.nextCase(m)
	case sexpr.Close:
		r.Pos++
	default:
		return 0, r.Unexpected("a case (pattern term) or `)`")
	}
	if !r.Closing("`)` of match") {
		return 0, false
	}
	if len(r.doubts) > 0 {
		r.Arena.SettleCases(r.vals[m.base+1:])
	}
	t, err := r.Arena.Match(r.vals[m.base], r.vals[m.base+1:])
	if err != nil {
		return 0, r.failApp(m, err)
	}
	r.drop(m.base)
	r.frames = r.frames[:len(r.frames)-1]
	return t, true
}

// unusedName returns a name that is not in use here.
func (r *Reader) unusedName() string {
	for i := 1; ; i++ {
		name := "_!" + strconv.Itoa(i)
		if n := &r.names.ents[r.Intern(name)]; n.fun == 0 && n.local == 0 {
			return name
		}
	}
}
