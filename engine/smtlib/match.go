package smtlib

import (
	"strconv"

	"github.com/smtlark/smtlark/engine/smt"
)

// matchCase reads the beginning of the next case of a match up to its term, or ends the list of cases. The scrutinee
// and the finished cases lie on p.vals.
func (p *parser) matchCase(f *frame) bool {
	if int(f.base)+1 == len(p.vals) && !p.opening("the `(` of the cases of match") {
		return false
	}
	return p.nextCase(f)
}

func (p *parser) nextCase(f *frame) bool {
	if p.next() != clOpen {
		return p.unexpected("a case (pattern term)")
	}
	off := p.pos
	p.pos++
	c := frame{kind: frCase, off: uint32(off), mark: int32(len(p.locals))}
	scrutinee := p.vals[f.base]
	p.push(c)
	return p.pattern(&p.frames[len(p.frames)-1], scrutinee)
}

// pattern reads a pattern and binds its variables, which go to p.vals.
func (p *parser) pattern(f *frame, scrutinee smt.Term) bool {
	sort := p.a.Sort(scrutinee)
	switch p.next() {
	case clSymbol, clBar:
		off := p.pos
		id, ok := p.symbol("a pattern")
		if !ok {
			return false
		}
		f.hoff = uint32(off)
		if c := p.constructorFor(id, sort); c != 0 {
			f.sym = uint32(c)
			return true
		}
		p.patternVar(id, off, sort)
		return true
	case clOpen:
		p.pos++
	default:
		return p.unexpected("a pattern")
	}
	p.next()
	f.hoff = uint32(p.pos)
	id, ok := p.symbol("a constructor")
	if !ok {
		return false
	}
	c := p.constructorFor(id, sort)
	if c == 0 {
		return p.fail(int(f.hoff), "match: "+smt.QuoteSymbol(p.names.ents[id].text)+" is no constructor of "+p.a.SortString(sort))
	}
	f.sym = uint32(c)
	_, actual := p.a.DatatypeOf(sort)
	for i := 0; p.next() != clClose; i++ {
		off := p.pos
		id, ok := p.symbol("a variable of a pattern")
		if !ok {
			return false
		}
		s := smt.SortUnknown
		if params := p.a.SymbolInfo(c).Params; i < len(params) {
			s = p.a.SubstSort(params[i], actual)
		}
		p.patternVar(id, off, s)
	}
	p.pos++
	return true
}

// constructorFor finds the constructor of that name in the datatype, which may be unknown.
func (p *parser) constructorFor(id nameID, sort smt.Sort) smt.Symbol {
	want := p.a.SortSymbolOf(sort)
	for b := p.names.ents[id].fun; b != 0; b = p.binds[b-1].prev {
		bd := &p.binds[b-1]
		if i := p.a.SymbolInfo(smt.Symbol(bd.sym)); i.Kind == smt.SymConstructor && (want == 0 || i.Datatype == want) {
			return smt.Symbol(bd.sym)
		}
	}
	return 0
}

// patternVar binds a variable of a pattern. The wildcard _ becomes a variable with a name that nothing has.
func (p *parser) patternVar(id nameID, off int, sort smt.Sort) {
	if p.names.ents[id].special == spUnderscore {
		for i := 1; ; i++ {
			if id = p.intern("_!" + strconv.Itoa(i)); p.names.ents[id].fun == 0 && p.names.ents[id].local == 0 {
				break
			}
		}
	}
	v := p.a.Var(p.names.ents[id].text, sort)
	p.value(v, off)
	p.bindVar(id, v)
}

// caseDone builds a case whose term has been read; after the last one it builds the match.
func (p *parser) caseDone(f *frame, body smt.Term, off int) (smt.Term, bool) {
	if !p.closing("`)` of a case") {
		return 0, false
	}
	c, err := p.a.Case(smt.Symbol(f.sym), p.vals[f.base:], body)
	if err != nil {
		return 0, p.fail(int(f.hoff), err.Error())
	}
	p.drop(f.base)
	p.leave(f)
	p.value(c, off)
	m := &p.frames[len(p.frames)-1]
	switch p.next() {
	case clOpen:
		return 0, p.nextCase(m)
	case clClose:
		p.pos++
	default:
		return 0, p.unexpected("a case (pattern term) or `)`")
	}
	if !p.closing("`)` of match") {
		return 0, false
	}
	t, err := p.a.Match(p.vals[m.base], p.vals[m.base+1:])
	if err != nil {
		return 0, p.failApp(m, err)
	}
	p.drop(m.base)
	p.frames = p.frames[:len(p.frames)-1]
	return t, true
}
