package termread

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
)

// attributes reads the attributes of an annotation whose term is on r.vals; it returns 0 if terms inside an attribute
// have to be read first.
func (r *Reader) attributes(f *frame) (smt.Term, bool) {
	for {
		switch r.Next() {
		case sexpr.Close:
			r.Pos++
			return r.annotated(f)
		case sexpr.Colon:
		default:
			return 0, r.Unexpected("a keyword such as :named, or `)`")
		}
		key := r.Keyword()
		r.keys = append(r.keys, attr{keyword: key})
		switch key {
		case ":pattern":
			if !r.Opening("the `(` of a pattern") {
				return 0, false
			}
			r.push(frame{kind: frPattern, off: uint32(r.Pos - 1)})
			return 0, true
		case ":no-pattern":
			r.keys[len(r.keys)-1].terms = 1
			r.push(frame{kind: frNoPattern, off: uint32(r.Pos)})
			return 0, true
		case ":named":
			r.Next()
			off := r.Pos
			n, ok := r.Symbol("a name")
			if !ok {
				return 0, false
			}
			r.keys[len(r.keys)-1].value = smt.QuoteSymbol(r.names.ents[n].text)
			t := r.vals[f.base]
			if r.names.ents[n].local != 0 {
				return 0, r.Fail(off, "the name "+r.names.ents[n].text+" is a variable here")
			}
			r.checkNamed(n, off, t)
			sym := r.Arena.Name(r.names.ents[n].text, t)
			r.Named = append(r.Named, sym)
			// The name can be used from here on, also in the rest of this term.
			r.bind(n, bindSymbol, uint32(sym))
		default:
			if c := r.Next(); c != sexpr.Colon && c != sexpr.Close {
				from := r.Pos
				if !r.Skip() {
					return 0, false
				}
				r.keys[len(r.keys)-1].value = sexpr.OneLine(string(r.Src[from:r.Pos]))
			}
		}
	}
}

// annotated builds the annotated term once its attributes are read.
func (r *Reader) annotated(f *frame) (smt.Term, bool) {
	t := r.vals[f.base]
	rest := r.vals[f.base+1:]
	if keys := r.keys[f.keys:]; len(keys) > 0 {
		attrs := make([]smt.Attr, len(keys))
		for i, k := range keys {
			attrs[i] = smt.Attr{Keyword: k.keyword, Value: k.value, Terms: rest[:k.terms:k.terms]}
			rest = rest[k.terms:]
		}
		t = r.Arena.Annotate(t, attrs)
	}
	r.keys = r.keys[:f.keys]
	r.drop(f.base)
	r.frames = r.frames[:len(r.frames)-1]
	return t, true
}
