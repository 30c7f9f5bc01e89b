package smtlib

import (
	"github.com/smtlark/smtlark/engine/smt"
)

// frame is an open construct of the term reader. Its subterms lie on parser.vals from base on.
type frame struct {
	kind uint8
	head uint8    // of an application
	op   smt.Op   // opHead, asOpHead; the quantifier of a binder
	id   nameID   // the name of a head
	sym  uint32   // smt.Symbol of a head
	sort smt.Sort // of a head with `as`
	base int32
	idx  int32 // into parser.idx: the head's indices
	mark int32 // into parser.locals, or parser.pend while let variables gather
	keys int32 // into parser.keys: the attributes of an annotation
	off  uint32
	hoff uint32 // of the head
}

// The kinds of frames.
const (
	frApp uint8 = iota
	frLet
	frLetBody
	frBinder
	frAnnot
	frPattern
	frNoPattern
	frMatch
	frCase
)

// attr is an attribute of an annotation that is being read.
type attr struct {
	keyword, value string
	terms          int32
}

// term reads one term, of any depth: open constructs lie on parser.frames, not on the machine's stack. It calls
// next by itself.
func (p *parser) term() (smt.Term, bool) {
	base := len(p.frames)
	for {
		var t smt.Term
		off := 0
		switch p.next() {
		case clSymbol, clBar:
			off = p.pos
			id, ok := p.symbol("a term")
			if !ok {
				return 0, false
			}
			n := &p.names.ents[id]
			if n.local != 0 {
				t = n.local
			} else if n.fun != 0 && p.binds[n.fun-1].term != 0 {
				t = p.binds[n.fun-1].term
			} else if t = p.constant(off, id); t == 0 {
				return 0, false
			}
		case clOpen:
			off = p.pos
			p.pos++
			var ok bool
			if t, ok = p.open(off); !ok {
				return 0, false
			}
			if t == 0 {
				continue
			}
		case clClose:
			if len(p.frames) == base {
				return 0, p.unexpected("a term")
			}
			off = int(p.frames[len(p.frames)-1].off)
			p.pos++
			var ok bool
			if t, ok = p.closeFrame(); !ok {
				return 0, false
			}
			if t == 0 {
				continue
			}
		default:
			if p.atEnd() && len(p.frames) > base {
				return 0, p.fail(int(p.frames[len(p.frames)-1].off), "this ( has no )")
			}
			off = p.pos
			if t = p.literal(); t == 0 {
				return 0, false
			}
		}
		t, ok := p.deliver(t, off, base)
		if !ok {
			return 0, false
		}
		if t != 0 {
			return t, true
		}
	}
}

// deliver hands a finished term to the innermost open construct, which may finish that in turn. It returns the term
// itself if there is none, and 0 if more has to be read.
func (p *parser) deliver(t smt.Term, off, base int) (smt.Term, bool) {
	for {
		if len(p.frames) == base {
			return t, true
		}
		f := &p.frames[len(p.frames)-1]
		var ok bool
		switch f.kind {
		case frApp, frPattern:
			p.value(t, off)
			return 0, true
		case frLet:
			return 0, p.letBound(f, t)
		case frLetBody:
			if !p.closing("`)` of let") {
				return 0, false
			}
			p.leave(f)
		case frBinder:
			if t, ok = p.binderDone(f, t, off); !ok {
				return 0, false
			}
		case frAnnot:
			p.value(t, off)
			if t, ok = p.attributes(f); !ok {
				return 0, false
			}
		case frNoPattern:
			p.value(t, off)
			p.frames = p.frames[:len(p.frames)-1]
			if t, ok = p.attributes(&p.frames[len(p.frames)-1]); !ok {
				return 0, false
			}
		case frMatch:
			p.value(t, off)
			return 0, p.matchCase(f)
		case frCase:
			if t, ok = p.caseDone(f, t, off); !ok {
				return 0, false
			}
		}
		if t == 0 {
			return 0, true
		}
		off = int(p.frames[:len(p.frames)+1][len(p.frames)].off) // of the frame that was just left
	}
}

// value pushes a subterm of the innermost frame, with its place.
func (p *parser) value(t smt.Term, off int) {
	p.vals = append(p.vals, t)
	p.offs = append(p.offs, uint32(off))
}

// drop takes back the values from base on.
func (p *parser) drop(base int32) { p.vals, p.offs = p.vals[:base], p.offs[:base] }

// closing passes a closing parenthesis.
func (p *parser) closing(what string) bool {
	if p.next() != clClose {
		return p.unexpected(what)
	}
	p.pos++
	return true
}

// opening passes an opening parenthesis.
func (p *parser) opening(what string) bool {
	if p.next() != clOpen {
		return p.unexpected(what)
	}
	p.pos++
	return true
}

// leave ends the innermost frame with its variables.
func (p *parser) leave(f *frame) {
	p.undoVars(int(f.mark))
	p.frames = p.frames[:len(p.frames)-1]
}

// open reads what follows an opening parenthesis. It returns a term that is already complete, as (_ bv5 8), or
// pushes a frame and returns 0.
func (p *parser) open(off int) (smt.Term, bool) {
	switch p.next() {
	case clSymbol, clBar:
		hoff := p.pos
		id, ok := p.symbol("an operator")
		if !ok {
			return 0, false
		}
		n := &p.names.ents[id]
		word := n.special
		if word != spNone && (p.src[hoff] == '|' || (n.fun != 0 || n.local != 0) && young(word)) {
			word = spNone
		}
		switch word {
		case spNone, spTrue, spFalse, spAt, spPar:
			p.push(frame{kind: frApp, head: nameHead, id: id, off: uint32(off), hoff: uint32(hoff)})
			return 0, true
		case spLet:
			return 0, p.openLet(off)
		case spForall:
			return 0, p.openBinder(off, smt.OpForall)
		case spExists:
			return 0, p.openBinder(off, smt.OpExists)
		case spLambda:
			return 0, p.openBinder(off, smt.OpLambda)
		case spAnnot:
			p.push(frame{kind: frAnnot, off: uint32(off), keys: int32(len(p.keys))})
			return 0, true
		case spMatch:
			p.push(frame{kind: frMatch, off: uint32(off), hoff: uint32(hoff)})
			return 0, true
		}
		p.pos = hoff
		return p.qualified(off)
	case clOpen:
		return 0, p.openCompound(off)
	}
	return 0, p.unexpected("an operator")
}

// push opens a frame with no subterms yet.
func (p *parser) push(f frame) {
	f.base, f.idx = int32(len(p.vals)), int32(len(p.idx))
	p.frames = append(p.frames, f)
}

// closeFrame handles the closing parenthesis of an application or of a list of patterns.
func (p *parser) closeFrame() (smt.Term, bool) {
	f := &p.frames[len(p.frames)-1]
	switch f.kind {
	case frApp:
		t, ok := p.apply(f)
		if !ok {
			return 0, false
		}
		p.drop(f.base)
		p.idx = p.idx[:f.idx]
		p.frames = p.frames[:len(p.frames)-1]
		return t, true
	case frPattern:
		if int(f.base) == len(p.vals) {
			p.pos--
			return 0, p.unexpected("a term")
		}
		p.keys[len(p.keys)-1].terms = int32(len(p.vals)) - f.base
		p.frames = p.frames[:len(p.frames)-1]
		return p.attributes(&p.frames[len(p.frames)-1])
	}
	p.pos--
	return 0, p.unexpected("a term")
}

// openLet reads up to the first term to be bound: (let ((x.
func (p *parser) openLet(off int) bool {
	if !p.opening("the `(` of a list of bindings") {
		return false
	}
	p.push(frame{kind: frLet, off: uint32(off), mark: int32(len(p.pend))})
	return p.letNext(&p.frames[len(p.frames)-1])
}

// letNext reads the name of the next binding, or ends the list and binds all its names at once.
func (p *parser) letNext(f *frame) bool {
	switch p.next() {
	case clOpen:
		p.pos++
		p.next()
		id, ok := p.symbol("the name of a let variable")
		if !ok {
			return false
		}
		p.pend = append(p.pend, id)
		return true
	case clClose:
		p.pos++
		ids := p.pend[f.mark:]
		mark := len(p.locals)
		for i, id := range ids {
			p.bindVar(id, p.vals[int(f.base)+i])
		}
		p.pend = p.pend[:f.mark]
		p.drop(f.base)
		f.kind, f.mark = frLetBody, int32(mark)
		return true
	}
	return p.unexpected("a binding (name term) or the `)` of the list")
}

func (p *parser) letBound(f *frame, t smt.Term) bool {
	p.value(t, 0)
	return p.closing("the `)` of a binding") && p.letNext(f)
}

// openBinder reads the variables of forall, exists or lambda and binds them.
func (p *parser) openBinder(off int, op smt.Op) bool {
	f := frame{kind: frBinder, op: op, off: uint32(off), mark: int32(len(p.locals))}
	p.push(f)
	return p.sortedVars(op.String())
}

// sortedVars reads ((x S) …), leaves the variables on p.vals and binds their names.
func (p *parser) sortedVars(what string) bool {
	if !p.opening("the `(` of the variables of " + what) {
		return false
	}
	from := len(p.vals)
	first := len(p.pend)
	for p.next() != clClose {
		if !p.opening("a variable (name sort) or the `)` of the list") {
			return false
		}
		p.next()
		off := p.pos
		id, ok := p.symbol("the name of a variable")
		if !ok {
			return false
		}
		p.next()
		s, ok := p.sort()
		if !ok || !p.closing("`)` of a variable") {
			return false
		}
		p.pend = append(p.pend, id)
		p.value(p.a.Var(p.names.ents[id].text, s), off)
	}
	p.pos++
	for i, id := range p.pend[first:] {
		p.bindVar(id, p.vals[from+i])
	}
	p.pend = p.pend[:first]
	return true
}

func (p *parser) binderDone(f *frame, body smt.Term, off int) (smt.Term, bool) {
	if !p.closing("`)` of " + f.op.String()) {
		return 0, false
	}
	vars := p.vals[f.base:]
	var t smt.Term
	var err error
	switch {
	case len(vars) == 0 && f.op != smt.OpLambda:
		p.illegal(int(f.off), f.op.String()+" binds no variable")
		t = body
	case f.op == smt.OpLambda:
		t, err = p.a.Lambda(vars, body, !p.higherOrder)
	default:
		t, err = p.a.Quant(f.op, vars, body)
	}
	if err != nil {
		at := int(f.off)
		if e, ok := err.(*smt.SortError); ok && e.Arg == len(vars)+1 {
			at = off
		}
		return 0, p.fail(at, err.Error())
	}
	p.drop(f.base)
	p.leave(f)
	return t, true
}
