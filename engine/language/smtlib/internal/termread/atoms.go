package termread

import (
	"math/big"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
)

// atomReader reads single tokens: symbols, numerals and literals.
type atomReader struct {
	sexpr.Lexer
	Scopes
	Dialect
	Remarks
	Arena *smt.Arena
	parse uint32 // number of the parse, for which terms of literals are remembered
}

// Dialect chooses how to read a text.
type Dialect struct {
	RealNumerals bool // numerals are of sort Real
	HigherOrder  bool // functions are values
	Lenient      bool // an unknown constant is an opaque term, no error
	Unstable     bool // terms may be released between two texts, so none is remembered
}

// SetLogic derives from the name of a logic how numerals are read: as Real where the logic has Reals without Ints
// (SMT-LIB 2.7, theory Reals).
func (d *Dialect) SetLogic(l string) {
	has := func(parts ...string) bool {
		for _, x := range parts {
			if strings.Contains(l, x) {
				return true
			}
		}
		return false
	}
	d.RealNumerals = has("LRA", "NRA", "RDL") && !has("LIA", "NIA", "IDL", "IRA")
	d.HigherOrder = d.HigherOrder || strings.HasPrefix(l, "HO_")
}

// Remarks are notes about a text beside errors.
type Remarks struct {
	Notes []Note // unknown commands and heads that were kept as text, each once
	wrong []Note // errors that no solver accepts
	noted map[string]bool
}

// Note is a remark about a place in a text.
type Note struct {
	Pos sexpr.Pos
	Msg string
}

// Note records a remark, but each one only once per script.
func (r *atomReader) Note(off int, msg string) {
	if r.noted[msg] {
		return
	}
	if r.noted == nil {
		r.noted = map[string]bool{}
	}
	r.noted[msg] = true
	r.Notes = append(r.Notes, Note{r.Position(off), msg})
}

// Symbol reads a symbol, simple or quoted; Next has been called.
func (r *atomReader) Symbol(what string) (NameID, bool) {
	src, i := r.Src, r.Pos
	switch sexpr.Class[src[i]] {
	case sexpr.Symbol:
		h := uint32(hashSeed)
		for sexpr.InSymbol[src[i]] {
			h = (h ^ uint32(src[i])) * hashPrime
			i++
		}
		id := r.names.get(src[r.Pos:i], h)
		r.Pos = i
		return id, true
	case sexpr.Bar:
		e := r.QuotedEnd(i)
		if e < 0 {
			return 0, false
		}
		body := src[i+1 : e-1]
		r.Pos = e
		return r.names.get(body, hashBytes(body)), true
	}
	return 0, r.Unexpected(what)
}

// bareName reads a declared name that begins with a digit and lacks the bars it needs: Yices omits them in replies. If
// there is no such name, ok is false and nothing is read.
func (r *atomReader) bareName() (id NameID, ok bool) {
	if !r.Lenient || sexpr.Class[r.Src[r.Pos]] != sexpr.Digit {
		return 0, false
	}
	end := r.WordEnd(r.Pos)
	word := r.Src[r.Pos:end]
	if allDigits(word) {
		return 0, false
	}
	if id = r.names.get(word, hashBytes(word)); r.names.ents[id].fun == 0 {
		return 0, false
	}
	r.Pos = end
	return id, true
}

// NewName reads a name to be declared; Next has been called.
func (r *atomReader) NewName(what string) (NameID, bool) {
	off := r.Pos
	id, ok := r.Symbol(what)
	if !ok {
		return 0, false
	}
	if n := &r.names.ents[id]; n.special != spNone && r.Src[off] != '|' && !young(n.special) {
		return 0, r.Fail(off, "the reserved word "+n.text+" cannot be declared")
	}
	return id, true
}

// Keyword reads a keyword, with its colon; Next has been called and stands at one.
func (r *atomReader) Keyword() string {
	word := r.Src[r.Pos:r.WordEnd(r.Pos)]
	r.Pos += len(word)
	return r.names.ents[r.names.get(word, hashBytes(word))].text
}

// Numeral reads a NUMERAL; Next has been called.
func (r *atomReader) Numeral(what string) (*big.Int, bool) {
	if sexpr.Class[r.Src[r.Pos]] == sexpr.Digit {
		e := r.WordEnd(r.Pos)
		text := r.Src[r.Pos:e]
		if allDigits(text) {
			r.Pos = e
			n, _ := new(big.Int).SetString(string(text), 10)
			return n, true
		}
	}
	return nil, r.Unexpected(what)
}

func allDigits(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}
