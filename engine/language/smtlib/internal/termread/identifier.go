package termread

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
)

// identifierReader reads identifiers with indices and sorts, (_ name indices) and (as name sort).
type identifierReader struct {
	resolver
	idx []smt.Index // gathered so far
}

// indices reads indices up to the closing parenthesis onto r.idx.
func (r *identifierReader) indices() bool {
	for from := len(r.idx); ; {
		switch r.Next() {
		case sexpr.Close:
			if len(r.idx) == from {
				return r.Unexpected("an index")
			}
			r.Pos++
			return true
		case sexpr.Digit:
			n, ok := r.Numeral("a numeral")
			if !ok {
				return false
			}
			r.idx = append(r.idx, r.Arena.BigIndex(n))
		case sexpr.Hash:
			e := r.WordEnd(r.Pos)
			r.idx = append(r.idx, r.Arena.NameIndex(string(r.Src[r.Pos:e])))
			r.Pos = e
		case sexpr.Symbol, sexpr.Bar:
			id, ok := r.Symbol("an index")
			if !ok {
				return false
			}
			r.idx = append(r.idx, r.Arena.NameIndex(r.names.ents[id].text))
		case sexpr.Open:
			// z3 prints (_ is (cons (T (List T)) (List T))): only the first symbol counts.
			from := r.Pos
			e, ok := r.Expr()
			if !ok {
				return false
			}
			if e.Head() == "" {
				return r.Fail(from, "expected an index: a numeral or a symbol")
			}
			r.idx = append(r.idx, r.Arena.NameIndex(e.Head()))
		default:
			return r.Unexpected("an index or `)`")
		}
	}
}

// asIdentifier reads `identifier sort)` behind `as`; indices go to r.idx.
func (r *identifierReader) asIdentifier() (id NameID, s smt.Sort, ok bool) {
	if r.Next() == sexpr.Open {
		r.Pos++
		r.Next()
		if id, ok = r.Symbol("_"); !ok {
			return 0, 0, false
		}
		if r.names.ents[id].special != spUnderscore {
			return 0, 0, r.Fail(r.Pos, "expected an identifier behind as")
		}
		r.Next()
		if id, ok = r.Symbol("the name of an indexed operator"); !ok || !r.indices() {
			return 0, 0, false
		}
	} else if id, ok = r.Symbol("an identifier"); !ok {
		return 0, 0, false
	}
	r.Next()
	if s, ok = r.Sort(); !ok {
		return 0, 0, false
	}
	return id, s, r.Closing("`)` of as")
}

// qualified reads (_ name indices) or (as name sort) as a term; the word behind the parenthesis comes next.
func (r *identifierReader) qualified(off int) (smt.Term, bool) {
	word, _ := r.Symbol("_ or as")
	base := int32(len(r.idx))
	defer func() { r.idx = r.idx[:base] }()
	if r.names.ents[word].special == spAs {
		return r.asTerm(off)
	}
	r.Next()
	noff := r.Pos
	id, ok := r.Symbol("the name of an indexed identifier")
	if !ok || !r.indices() {
		return 0, false
	}
	idx := r.idx[base:]
	n := r.names.ents[id]
	if n.op != 0 {
		t, err := r.Arena.App(n.op, idx)
		if err != nil {
			return 0, r.Fail(noff, err.Error())
		}
		return t, true
	}
	if strings.HasPrefix(n.text, "bv") && allDigits([]byte(n.text[2:])) && len(idx) == 1 {
		w, ok := r.Arena.IndexUint(idx[0])
		if !ok || w < 1 || w > smt.MaxWidth {
			return 0, r.Fail(noff, "the width of a bit vector goes from 1 to "+fmt.Sprint(smt.MaxWidth))
		}
		v := parseDecimal([]byte(n.text[2:]))
		if v.BitLen() > int(w) {
			r.Note(noff, "the value of this bit vector is taken modulo 2^"+fmt.Sprint(w))
		}
		return r.Arena.BV(int(w), v), true
	}
	if n.text == "char" && len(idx) == 1 {
		if c, ok := r.char(idx[0]); ok {
			return r.Arena.Str([]rune{c}), true
		}
		return 0, r.Fail(noff, "char: takes a hexadecimal literal from #x0 to #x2FFFF")
	}
	if n.text == "as-array" {
		if t := r.asArray(idx); t != 0 {
			return t, true
		}
	}
	// No error: a solver may know an extension that the table lacks, and gets it as it is written.
	r.Note(noff, "unknown indexed identifier "+n.text)
	return r.Arena.Opaque(n.text, idx, smt.SortUnknown), true
}

func (r *identifierReader) char(i smt.Index) (rune, bool) {
	s, ok := r.Arena.IndexName(i)
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
func (r *identifierReader) asTerm(off int) (smt.Term, bool) {
	base := len(r.idx)
	r.Next()
	noff := r.Pos
	id, s, ok := r.asIdentifier()
	if !ok {
		return 0, false
	}
	n := r.names.ents[id]
	if n.local != 0 {
		if got := r.Arena.Sort(n.local); got != s && got != smt.SortUnknown {
			return 0, r.Fail(noff, n.text+" has sort "+r.Arena.SortString(got)+", not "+r.Arena.SortString(s))
		}
		return n.local, true
	}
	var first error
	// A name may be overloaded; here the sort says which function is meant.
	for b := n.fun; b != 0; {
		bd := &r.binds[b-1]
		t, err := r.Arena.ApplyAs(smt.Symbol(bd.sym), s)
		if err == nil {
			return t, true
		}
		if first == nil {
			first = err
		}
		b = bd.prev
	}
	if first != nil {
		return 0, r.Fail(noff, first.Error())
	}
	if n.op != 0 {
		if n.op == smt.OpSeqEmpty && s == smt.SortString { // z3's strings are sequences
			return r.Arena.Str(nil), true
		}
		var t smt.Term
		var err error
		if n.op.Info().Qualified {
			t, err = r.Arena.AppAs(n.op, s, r.idx[base:])
		} else if t, err = r.Arena.App(n.op, r.idx[base:]); err == nil && r.Arena.Sort(t) != s {
			err = fmt.Errorf("%s has sort %s, not %s", n.text, r.Arena.SortString(r.Arena.Sort(t)), r.Arena.SortString(s))
		}
		if err != nil {
			return 0, r.Fail(noff, err.Error())
		}
		return t, true
	}
	if v, ok := strings.CutPrefix(n.text, "ff"); ok && r.Arena.SortKind(s) == smt.KindFiniteField {
		if allDigits([]byte(strings.TrimPrefix(v, "-"))) {
			k, _ := new(big.Int).SetString(v, 10)
			return r.Arena.FFVal(s, k), true
		}
	}
	// No error: a solver may know an extension that the table lacks, and gets it as it is written.
	r.Note(noff, "unknown constant "+n.text)
	return r.Arena.Opaque(n.text, r.idx[base:], s), true
}
