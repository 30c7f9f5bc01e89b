package smtlib

import (
	"github.com/smtlark/smtlark/engine/smt"
)

// attributes reads the attributes of an annotation whose term is on p.vals; it returns 0 if terms inside an attribute
// have to be read first.
func (p *parser) attributes(f *frame) (smt.Term, bool) {
	for {
		switch p.next() {
		case clClose:
			p.pos++
			return p.annotated(f)
		case clColon:
		default:
			return 0, p.unexpected("a keyword such as :named, or `)`")
		}
		e := p.wordEnd(p.pos)
		id := p.names.get(p.src[p.pos:e], hashBytes(p.src[p.pos:e]))
		key := p.names.ents[id].text
		p.pos = e
		p.keys = append(p.keys, attr{keyword: key})
		switch key {
		case ":pattern":
			if !p.opening("the `(` of a pattern") {
				return 0, false
			}
			p.push(frame{kind: frPattern, off: uint32(p.pos - 1)})
			return 0, true
		case ":no-pattern":
			p.keys[len(p.keys)-1].terms = 1
			p.push(frame{kind: frNoPattern, off: uint32(p.pos)})
			return 0, true
		case ":named":
			p.next()
			off := p.pos
			n, ok := p.symbol("a name")
			if !ok {
				return 0, false
			}
			p.keys[len(p.keys)-1].value = smt.QuoteSymbol(p.names.ents[n].text)
			t := p.vals[f.base]
			if p.names.ents[n].local != 0 {
				return 0, p.fail(off, "the name "+p.names.ents[n].text+" is a variable here")
			}
			p.namesTerm(n, off, t)
			sym := p.a.Name(p.names.ents[n].text, t)
			p.allNamed = append(p.allNamed, sym)
			p.bind(n, bindSymbol, uint32(sym))
		default:
			if c := p.next(); c != clColon && c != clClose {
				from := p.pos
				if !p.skip() {
					return 0, false
				}
				p.keys[len(p.keys)-1].value = oneLine(string(p.src[from:p.pos]))
			}
		}
	}
}

// annotated builds the annotated term once its attributes are read.
func (p *parser) annotated(f *frame) (smt.Term, bool) {
	t := p.vals[f.base]
	rest := p.vals[f.base+1:]
	if keys := p.keys[f.keys:]; len(keys) > 0 {
		attrs := make([]smt.Attr, len(keys))
		for i, k := range keys {
			attrs[i] = smt.Attr{Keyword: k.keyword, Value: k.value, Terms: rest[:k.terms:k.terms]}
			rest = rest[k.terms:]
		}
		t = p.a.Annotate(t, attrs)
	}
	p.keys = p.keys[:f.keys]
	p.drop(f.base)
	p.frames = p.frames[:len(p.frames)-1]
	return t, true
}
