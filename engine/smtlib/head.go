package smtlib

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
)

// The kinds of heads of applications.
const (
	nameHead   uint8 = iota // whatever the name stands for
	opHead                  // an indexed operator
	asOpHead                // an operator with its sort, as (as const (Array Int Int))
	asSymHead               // a constructor or function with its result sort
	isHead                  // (_ is c)
	updateHead              // (_ update s)
	opaqueHead              // nothing known
	valueHead               // the first subterm is a function or an array
)

// maxOverloads bounds how many functions of one name are tried for an application.
const maxOverloads = 256

// constant resolves a symbol that stands alone. It returns 0, with the error set, if that is wrong.
func (p *parser) constant(off int, id nameID) smt.Term {
	n := &p.names.ents[id]
	if n.fun != 0 {
		t := p.userConstant(off, n)
		return t
	}
	switch n.special {
	case spTrue:
		return p.a.True()
	case spFalse:
		return p.a.False()
	}
	if n.op != 0 {
		t, err := p.a.App(n.op, nil)
		if err != nil {
			p.fail(off, err.Error())
			return 0
		}
		return t
	}
	if n.special != spNone {
		p.fail(off, "the reserved word "+n.text+" is no term")
		return 0
	}
	if len(n.text) > 1 && n.text[0] == '.' && strings.Trim(n.text[1:], "0123456789") == "" {
		p.fail(off, "`"+n.text+"` is no number: a decimal has digits before its dot, as 0"+n.text)
		return 0
	}
	// The solvers' own constants have dotted names, as sep.nil; anything else that nobody declared is a slip.
	if !p.lenient && !strings.Contains(n.text, ".") {
		p.fail(off, "unknown constant "+smt.QuoteSymbol(n.text)+": neither declared nor an operator")
		return 0
	}
	p.note(off, "unknown constant "+n.text)
	return p.a.Opaque(n.text, nil, smt.SortUnknown)
}

// userConstant resolves a declared or defined name that stands alone; where functions of the same name hide it, it
// is the last constant of that name.
func (p *parser) userConstant(off int, n *name) smt.Term {
	var first error
	for b := n.fun; b != 0; {
		bd := &p.binds[b-1]
		t, err := p.a.Apply(smt.Symbol(bd.sym))
		if err == nil {
			if !p.noCache {
				p.binds[n.fun-1].term = t
			}
			return t
		}
		if first == nil {
			first = err
		}
		b = bd.prev
	}
	if p.higherOrder {
		if t := p.functionValue(smt.Symbol(p.binds[n.fun-1].sym)); t != 0 {
			return t
		}
	}
	p.fail(off, first.Error())
	return 0
}

// failApp sets the error of an application, at the argument at fault where there is one.
func (p *parser) failApp(f *frame, err error) bool {
	off := int(f.hoff)
	var se *smt.SortError
	if errors.As(err, &se) && se.Arg > 0 && int(f.base)+se.Arg-1 < len(p.offs) {
		off = int(p.offs[int(f.base)+se.Arg-1])
	}
	return p.fail(off, err.Error())
}

// apply builds the application whose subterms have all been read.
func (p *parser) apply(f *frame) (smt.Term, bool) {
	args, idx := p.vals[f.base:], p.idx[f.idx:]
	if len(args) == 0 && f.head != valueHead {
		return 0, p.fail(int(f.hoff), "an application without arguments")
	}
	var t smt.Term
	var err error
	switch f.head {
	case nameHead:
		return p.applyName(f, args)
	case opHead:
		t, err = p.a.AppCoerce(f.op, idx, args)
	case asOpHead:
		t, err = p.a.AppAs(f.op, f.sort, idx, args...)
		if err != nil && f.op == smt.OpConstArray && p.a.SortKind(f.sort) == smt.KindArray && p.a.SortArgs(f.sort)[1] == smt.SortReal && len(args) == 1 {
			if t2, err2 := p.a.AppAs(f.op, f.sort, idx, p.a.ToReal(args[0])); err2 == nil {
				t, err = t2, nil
			}
		}
	case asSymHead:
		t, err = p.a.ApplyAs(smt.Symbol(f.sym), f.sort, args...)
	case isHead:
		if len(args) != 1 {
			return 0, p.fail(int(f.hoff), fmt.Sprintf("is: takes 1 argument, given %d", len(args)))
		}
		t, err = p.a.Is(smt.Symbol(f.sym), args[0])
	case updateHead:
		if len(args) != 2 {
			return 0, p.fail(int(f.hoff), fmt.Sprintf("update: takes 2 arguments, given %d", len(args)))
		}
		t, err = p.a.Update(smt.Symbol(f.sym), args[0], args[1])
	case opaqueHead:
		switch p.names.ents[f.id].text {
		case "as-array":
			if fn := p.asArray(idx); fn != 0 {
				return p.applyTo(f, fn, args)
			}
		case "map":
			if t := p.mapped(idx, args); t != 0 {
				return t, true
			}
		}
		t = p.a.Opaque(p.names.ents[f.id].text, idx, f.sort, args...)
	case valueHead:
		return p.applyValue(f, args)
	}
	if err != nil {
		return 0, p.failApp(f, err)
	}
	return t, true
}

// applyName applies what a plain name stands for: the user's symbols first, then the operator table.
func (p *parser) applyName(f *frame, args []smt.Term) (smt.Term, bool) {
	n := &p.names.ents[f.id]
	if n.local != 0 {
		return p.applyTo(f, n.local, args)
	}
	var first error
	for b, tries := n.fun, 0; b != 0 && tries < maxOverloads; tries++ {
		bd := &p.binds[b-1]
		t, err := p.a.ApplyCoerce(smt.Symbol(bd.sym), args)
		if err == nil {
			return t, true
		}
		if first == nil {
			first = err
			if f0 := p.a.SymbolInfo(smt.Symbol(bd.sym)); len(f0.Params) == 0 && p.isFunction(f0.Result) {
				c, err := p.a.Apply(smt.Symbol(bd.sym))
				if err == nil {
					return p.applyTo(f, c, args)
				}
			} else if p.higherOrder && len(args) < len(f0.Params) {
				if c := p.functionValue(smt.Symbol(bd.sym)); c != 0 {
					return p.applyTo(f, c, args)
				}
			}
		}
		b = bd.prev
	}
	if n.op != 0 {
		t, err := p.a.AppCoerce(n.op, nil, args)
		if err == nil {
			return t, true
		}
		if first == nil {
			first = err
		}
	}
	if first != nil {
		return 0, p.failApp(f, first)
	}
	if n.special == spAt && len(args) > 1 {
		return p.applyTo(f, args[0], args[1:])
	}
	if ctor := p.tester(n.text); ctor != 0 && len(args) == 1 {
		t, err := p.a.Is(ctor, args[0])
		if err != nil {
			return 0, p.failApp(f, err)
		}
		return t, true
	}
	if n.special != spNone {
		return 0, p.fail(int(f.hoff), "the reserved word "+n.text+" is no operator")
	}
	if p.inside && f.id == p.defining {
		p.illegal(int(f.hoff), smt.QuoteSymbol(n.text)+" is used in its own definition; define-fun-rec allows that")
	}
	p.note(int(f.hoff), "unknown operator "+n.text)
	return p.a.Opaque(n.text, nil, smt.SortUnknown, args...), true
}

// functionValue returns a function symbol as a value of its function sort; 0 if it is none of one rank.
func (p *parser) functionValue(f smt.Symbol) smt.Term {
	t, err := p.a.Function(f, p.a.FuncSort(f))
	if err != nil {
		return 0
	}
	return t
}

// asArray returns (_ as-array f) for a function of the name that has one parameter; 0 if there is none.
func (p *parser) asArray(idx []smt.Index) smt.Term {
	if len(idx) != 1 {
		return 0
	}
	name, _ := p.a.IndexName(idx[0])
	for b := p.names.ents[p.intern(name)].fun; b != 0; b = p.binds[b-1].prev {
		f := smt.Symbol(p.binds[b-1].sym)
		if info := p.a.SymbolInfo(f); len(info.Params) == 1 {
			if t, err := p.a.Function(f, p.a.Array(info.Params[0], info.Result)); err == nil {
				return t
			}
		}
	}
	return 0
}

// mapped returns ((_ map f) arrays) for a function of the name that fits; 0 if there is none.
func (p *parser) mapped(idx []smt.Index, arrays []smt.Term) smt.Term {
	if len(idx) != 1 {
		return 0
	}
	name, _ := p.a.IndexName(idx[0])
	for b := p.names.ents[p.intern(name)].fun; b != 0; b = p.binds[b-1].prev {
		if t, err := p.a.MapArrays(smt.Symbol(p.binds[b-1].sym), arrays...); err == nil {
			return t
		}
	}
	return 0
}

// tester returns the constructor of z3's older tester is-constructor, or 0.
func (p *parser) tester(name string) smt.Symbol {
	if rest, ok := strings.CutPrefix(name, "is-"); ok {
		return p.userSymbol(p.intern(rest), smt.SymConstructor)
	}
	return 0
}

// userSymbol returns the innermost symbol of a name that is of the kind, or 0.
func (p *parser) userSymbol(id nameID, kind smt.SymbolKind) smt.Symbol {
	for b := p.names.ents[id].fun; b != 0; b = p.binds[b-1].prev {
		if bd := &p.binds[b-1]; p.a.SymbolInfo(smt.Symbol(bd.sym)).Kind == kind {
			return smt.Symbol(bd.sym)
		}
	}
	return 0
}

func (p *parser) isFunction(s smt.Sort) bool {
	k := p.a.SortKind(s)
	return k == smt.KindFunc || k == smt.KindArray
}

// applyValue applies the first subterm to the others.
func (p *parser) applyValue(f *frame, args []smt.Term) (smt.Term, bool) {
	if len(args) < 2 {
		return 0, p.fail(int(f.off), "an application without arguments")
	}
	return p.applyTo(f, args[0], args[1:])
}

// applyTo applies a term of a function sort, one argument at a time, as cvc5's @ does; an array is selected from, as
// z3 does.
func (p *parser) applyTo(f *frame, fn smt.Term, args []smt.Term) (smt.Term, bool) {
	for i, x := range args {
		s := p.a.Sort(fn)
		sorts := p.a.SortArgs(s)
		switch p.a.SortKind(s) {
		case smt.KindArray:
			t, err := p.a.AppCoerce(smt.OpSelect, nil, []smt.Term{fn, x})
			if err != nil {
				return 0, p.failApp(f, err)
			}
			fn = t
		case smt.KindFunc, smt.KindUnknown:
			if len(sorts) > 0 && p.a.Sort(x) == smt.SortInt && sorts[0] == smt.SortReal {
				x = p.a.ToReal(x)
			}
			t, err := p.a.HOApply(fn, x)
			if err != nil {
				var se *smt.SortError
				if errors.As(err, &se) { // its place is that of the argument
					se.Arg = i + 1
				}
				return 0, p.failApp(f, err)
			}
			fn = t
		default:
			return 0, p.fail(int(f.hoff), "a term of sort "+p.a.SortString(s)+" cannot be applied: "+p.a.Brief(fn))
		}
	}
	return fn, true
}

// openCompound reads a head that is itself in parentheses; off is the place of the application.
func (p *parser) openCompound(off int) bool {
	hoff := p.pos
	p.pos++
	if c := p.next(); c == clSymbol {
		id, ok := p.symbol("an operator")
		if !ok {
			return false
		}
		switch p.names.ents[id].special {
		case spUnderscore:
			return p.indexedHead(off, hoff)
		case spAs:
			return p.asHead(off, hoff)
		}
	}
	p.pos = hoff
	p.push(frame{kind: frApp, head: valueHead, off: uint32(off), hoff: uint32(hoff)})
	return true
}

// indices reads indices up to the closing parenthesis onto p.idx.
func (p *parser) indices() bool {
	for from := len(p.idx); ; {
		switch p.next() {
		case clClose:
			if len(p.idx) == from {
				return p.unexpected("an index")
			}
			p.pos++
			return true
		case clDigit:
			n, ok := p.numeral("a numeral")
			if !ok {
				return false
			}
			p.idx = append(p.idx, p.a.BigIndex(n))
		case clHash:
			e := p.wordEnd(p.pos)
			p.idx = append(p.idx, p.a.NameIndex(string(p.src[p.pos:e])))
			p.pos = e
		case clSymbol, clBar:
			id, ok := p.symbol("an index")
			if !ok {
				return false
			}
			p.idx = append(p.idx, p.a.NameIndex(p.names.ents[id].text))
		case clOpen:
			// z3 prints (_ is (cons (T (List T)) (List T))): the first symbol is what counts.
			from := p.pos
			e, ok := p.sexpr()
			if !ok {
				return false
			}
			if e.Head() == "" {
				return p.fail(from, "expected an index: a numeral or a symbol")
			}
			p.idx = append(p.idx, p.a.NameIndex(e.Head()))
		default:
			return p.unexpected("an index or `)`")
		}
	}
}

// indexedHead reads (_ name indices) behind the underscore and opens its application.
func (p *parser) indexedHead(off, hoff int) bool {
	p.next()
	noff := p.pos
	id, ok := p.symbol("the name of an indexed operator")
	if !ok {
		return false
	}
	f := frame{kind: frApp, id: id, off: uint32(off), hoff: uint32(noff)}
	f.base, f.idx = int32(len(p.vals)), int32(len(p.idx))
	if !p.indices() {
		return false
	}
	n := p.names.ents[id]
	idx := p.idx[f.idx:]
	switch {
	case n.text == "is" && len(idx) == 1, n.text == "update" && len(idx) == 1:
		kind, want := smt.SymConstructor, "constructor"
		f.head = isHead
		if n.text == "update" {
			kind, want, f.head = smt.SymSelector, "selector", updateHead
		}
		name, _ := p.a.IndexName(idx[0])
		f.sym = uint32(p.userSymbol(p.intern(name), kind))
		if f.sym == 0 {
			return p.fail(noff, n.text+": "+smt.QuoteSymbol(name)+" is no "+want)
		}
		p.idx = p.idx[:f.idx]
	case n.op != 0:
		f.head, f.op = opHead, n.op
	default:
		f.head, f.sort = opaqueHead, smt.SortUnknown
		p.note(noff, "unknown indexed operator "+n.text)
	}
	p.frames = append(p.frames, f)
	return true
}

// asHead reads (as name sort) behind `as` and opens its application.
func (p *parser) asHead(off, hoff int) bool {
	f := frame{kind: frApp, off: uint32(off), hoff: uint32(hoff)}
	f.base, f.idx = int32(len(p.vals)), int32(len(p.idx))
	id, s, ok := p.asIdentifier()
	if !ok {
		return false
	}
	f.id, f.sort = id, s
	n := &p.names.ents[id]
	f.head = opaqueHead
	if n.fun != 0 {
		for b := n.fun; b != 0; b = p.binds[b-1].prev {
			sym := smt.Symbol(p.binds[b-1].sym)
			if p.a.UnifySort(p.a.SymbolInfo(sym).Result, s, map[smt.Sort]smt.Sort{}) {
				f.head, f.sym = asSymHead, uint32(sym)
				break
			}
		}
		if f.head != asSymHead {
			return p.fail(hoff, "no symbol "+smt.QuoteSymbol(n.text)+" has sort "+p.a.SortString(s))
		}
	} else if n.op != 0 {
		f.head, f.op = opHead, n.op
		if n.op.Info().Qualified {
			f.head = asOpHead
		}
	} else {
		p.note(hoff, "unknown operator "+n.text)
	}
	p.frames = append(p.frames, f)
	return true
}

// asIdentifier reads `identifier sort)` behind `as`; indices go to p.idx.
func (p *parser) asIdentifier() (id nameID, s smt.Sort, ok bool) {
	if p.next() == clOpen {
		p.pos++
		p.next()
		if id, ok = p.symbol("_"); !ok {
			return 0, 0, false
		}
		if p.names.ents[id].special != spUnderscore {
			return 0, 0, p.fail(p.pos, "expected an identifier behind as")
		}
		p.next()
		if id, ok = p.symbol("the name of an indexed operator"); !ok || !p.indices() {
			return 0, 0, false
		}
	} else if id, ok = p.symbol("an identifier"); !ok {
		return 0, 0, false
	}
	p.next()
	if s, ok = p.sort(); !ok {
		return 0, 0, false
	}
	return id, s, p.closing("`)` of as")
}

// qualified reads (_ name indices) or (as name sort) as a term; p is at the word behind the parenthesis.
func (p *parser) qualified(off int) (smt.Term, bool) {
	word, _ := p.symbol("_ or as")
	base := int32(len(p.idx))
	defer func() { p.idx = p.idx[:base] }()
	if p.names.ents[word].special == spAs {
		return p.asTerm(off)
	}
	p.next()
	noff := p.pos
	id, ok := p.symbol("the name of an indexed identifier")
	if !ok || !p.indices() {
		return 0, false
	}
	idx := p.idx[base:]
	n := p.names.ents[id]
	if n.op != 0 {
		t, err := p.a.App(n.op, idx)
		if err != nil {
			return 0, p.fail(noff, err.Error())
		}
		return t, true
	}
	if strings.HasPrefix(n.text, "bv") && allDigits([]byte(n.text[2:])) && len(idx) == 1 {
		w, ok := p.a.IndexUint(idx[0])
		if !ok || w < 1 || w > smt.MaxWidth {
			return 0, p.fail(noff, "the width of a bit vector goes from 1 to "+fmt.Sprint(smt.MaxWidth))
		}
		v := parseDecimal([]byte(n.text[2:]))
		if v.BitLen() > int(w) {
			p.note(noff, "the value of this bit vector is taken modulo 2^"+fmt.Sprint(w))
		}
		return p.a.BV(int(w), v), true
	}
	if n.text == "char" && len(idx) == 1 {
		if r, ok := p.char(idx[0]); ok {
			return p.a.Str([]rune{r}), true
		}
		return 0, p.fail(noff, "char: takes a hexadecimal literal from #x0 to #x2FFFF")
	}
	if n.text == "as-array" {
		if t := p.asArray(idx); t != 0 {
			return t, true
		}
	}
	p.note(noff, "unknown indexed identifier "+n.text)
	return p.a.Opaque(n.text, idx, smt.SortUnknown), true
}

func (p *parser) char(i smt.Index) (rune, bool) {
	s, ok := p.a.IndexName(i)
	if !ok || !strings.HasPrefix(s, "#x") || len(s) > 10 {
		return 0, false
	}
	n, ok := new(big.Int).SetString(s[2:], 16)
	if !ok || n.Sign() < 0 || n.Int64() > maxChar {
		return 0, false
	}
	return rune(n.Int64()), true
}

// asTerm reads the rest of (as identifier sort) as a term.
func (p *parser) asTerm(off int) (smt.Term, bool) {
	base := len(p.idx)
	p.next()
	noff := p.pos
	id, s, ok := p.asIdentifier()
	if !ok {
		return 0, false
	}
	n := p.names.ents[id]
	if n.local != 0 {
		if got := p.a.Sort(n.local); got != s && got != smt.SortUnknown {
			return 0, p.fail(noff, n.text+" has sort "+p.a.SortString(got)+", not "+p.a.SortString(s))
		}
		return n.local, true
	}
	var first error
	for b := n.fun; b != 0; {
		bd := &p.binds[b-1]
		t, err := p.a.ApplyAs(smt.Symbol(bd.sym), s)
		if err == nil {
			return t, true
		}
		if first == nil {
			first = err
		}
		b = bd.prev
	}
	if first != nil {
		return 0, p.fail(noff, first.Error())
	}
	if n.op != 0 {
		var t smt.Term
		var err error
		if n.op.Info().Qualified {
			t, err = p.a.AppAs(n.op, s, p.idx[base:])
		} else if t, err = p.a.App(n.op, p.idx[base:]); err == nil && p.a.Sort(t) != s {
			err = fmt.Errorf("%s has sort %s, not %s", n.text, p.a.SortString(p.a.Sort(t)), p.a.SortString(s))
		}
		if err != nil {
			return 0, p.fail(noff, err.Error())
		}
		return t, true
	}
	if v, ok := strings.CutPrefix(n.text, "ff"); ok && p.a.SortKind(s) == smt.KindFiniteField {
		if allDigits([]byte(strings.TrimPrefix(v, "-"))) {
			k, _ := new(big.Int).SetString(v, 10)
			return p.a.FFVal(s, k), true
		}
	}
	p.note(noff, "unknown constant "+n.text)
	return p.a.Opaque(n.text, p.idx[base:], s), true
}
