package termread

import (
	"errors"
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
)

// The kinds of heads of applications.
const (
	nameHead   uint8 = iota // any name; its meaning is looked up
	opHead                  // an indexed operator
	asOpHead                // an operator with its sort, as (as const (Array Int Int))
	asSymHead               // a constructor or function with its result sort
	isHead                  // (_ is c)
	updateHead              // (_ update s)
	opaqueHead              // nothing known
	valueHead               // the first subterm is a function or an array
)

// failApp sets the error of an application, at the argument at fault where there is one.
func (r *Reader) failApp(f *frame, err error) bool {
	off := int(f.hoff)
	var se *smt.SortError
	if errors.As(err, &se) && se.Arg > 0 && int(f.base)+se.Arg-1 < len(r.offs) {
		off = int(r.offs[int(f.base)+se.Arg-1])
	}
	return r.Fail(off, err.Error())
}

// apply builds the application whose subterms have all been read.
func (r *Reader) apply(f *frame) (smt.Term, bool) {
	args, idx := r.vals[f.base:], r.idx[f.idx:]
	if len(args) == 0 && f.head != valueHead {
		return 0, r.Fail(int(f.hoff), "an application without arguments")
	}
	var t smt.Term
	var err error
	switch f.head {
	case nameHead:
		t, err = r.applyName(f.id, int(f.hoff), args)
	case opHead:
		if len(r.doubts) > 0 {
			r.Arena.SettleOperands(f.op, idx, args)
		}
		if t, err = r.Arena.AppCoerce(f.op, idx, args); err != nil && f.op == smt.OpToFP && len(args) == 3 {
			if other := r.floatOf(idx, args); other != 0 {
				t, err = other, nil
			}
		}
	case asOpHead:
		if len(r.doubts) > 0 {
			r.Arena.SettleAs(f.op, f.sort, args)
		}
		t, err = r.Arena.AppAs(f.op, f.sort, idx, args...)
		// Solvers take an integer for a real element here: ((as const (Array X Real)) 0).
		if err != nil && f.op == smt.OpConstArray && r.Arena.SortKind(f.sort) == smt.KindArray && r.Arena.SortArgs(f.sort)[1] == smt.SortReal && len(args) == 1 {
			if t2, err2 := r.Arena.AppAs(f.op, f.sort, idx, r.Arena.ToReal(args[0])); err2 == nil {
				t, err = t2, nil
			}
		}
	case asSymHead:
		if len(r.doubts) > 0 {
			r.Arena.SettleArgs(smt.Symbol(f.sym), f.sort, args)
		}
		t, err = r.Arena.ApplyAs(smt.Symbol(f.sym), f.sort, args...)
	case isHead:
		if len(args) != 1 {
			return 0, r.Fail(int(f.hoff), fmt.Sprintf("is: takes 1 argument, given %d", len(args)))
		}
		t, err = r.Arena.Is(smt.Symbol(f.sym), args[0])
	case updateHead:
		if len(args) != 2 {
			return 0, r.Fail(int(f.hoff), fmt.Sprintf("update: takes 2 arguments, given %d", len(args)))
		}
		t, err = r.Arena.Update(smt.Symbol(f.sym), args[0], args[1])
	case opaqueHead:
		switch r.names.ents[f.id].text {
		case "as-array":
			if fn := r.asArray(idx); fn != 0 {
				if t, err = r.applyTo(fn, args); err != nil {
					return 0, r.failApp(f, err)
				}
				return t, true
			}
		case "map":
			if t := r.mapped(idx, args); t != 0 {
				return t, true
			}
		}
		t = r.Arena.Opaque(r.names.ents[f.id].text, idx, f.sort, args...)
	case valueHead:
		if len(args) < 2 {
			return 0, r.Fail(int(f.off), "an application without arguments")
		}
		t, err = r.applyTo(args[0], args[1:])
	}
	if err != nil {
		return 0, r.failApp(f, err)
	}
	return t, true
}

// openCompound reads a head that is itself in parentheses; off is the place of the application.
func (r *Reader) openCompound(off int) bool {
	hoff := r.Pos
	r.Pos++
	if c := r.Next(); c == sexpr.Symbol {
		id, ok := r.Symbol("an operator")
		if !ok {
			return false
		}
		switch r.names.ents[id].special {
		case spUnderscore:
			return r.indexedHead(off, hoff)
		case spAs:
			return r.asHead(off, hoff)
		}
	}
	r.Pos = hoff
	r.push(frame{kind: frApp, head: valueHead, off: uint32(off), hoff: uint32(hoff)})
	return true
}

// indexedHead reads (_ name indices) behind the underscore and opens its application.
func (r *Reader) indexedHead(off, hoff int) bool {
	r.Next()
	noff := r.Pos
	id, ok := r.Symbol("the name of an indexed operator")
	if !ok {
		return false
	}
	f := frame{kind: frApp, id: id, off: uint32(off), hoff: uint32(noff)}
	f.base, f.idx = int32(len(r.vals)), int32(len(r.idx))
	if !r.indices() {
		return false
	}
	n := r.names.ents[id]
	idx := r.idx[f.idx:]
	switch {
	case n.text == "is" && len(idx) == 1, n.text == "update" && len(idx) == 1:
		kind, want := smt.SymConstructor, "constructor"
		f.head = isHead
		if n.text == "update" {
			kind, want, f.head = smt.SymSelector, "selector", updateHead
		}
		name, _ := r.Arena.IndexName(idx[0])
		f.sym = uint32(r.userSymbol(r.Intern(name), kind))
		if f.sym == 0 {
			return r.Fail(noff, n.text+": "+smt.QuoteSymbol(name)+" is no "+want)
		}
		r.idx = r.idx[:f.idx]
	case n.op != 0:
		f.head, f.op = opHead, n.op
	default:
		f.head, f.sort = opaqueHead, smt.SortUnknown
		r.Note(noff, "unknown indexed operator "+n.text)
	}
	r.frames = append(r.frames, f)
	return true
}

// asHead reads (as name sort) behind `as` and opens its application.
func (r *Reader) asHead(off, hoff int) bool {
	f := frame{kind: frApp, off: uint32(off), hoff: uint32(hoff)}
	f.base, f.idx = int32(len(r.vals)), int32(len(r.idx))
	id, s, ok := r.asIdentifier()
	if !ok {
		return false
	}
	f.id, f.sort = id, s
	n := &r.names.ents[id]
	f.head = opaqueHead
	if n.fun != 0 {
		for b := n.fun; b != 0; b = r.binds[b-1].prev {
			sym := smt.Symbol(r.binds[b-1].sym)
			if r.Arena.UnifySort(r.Arena.SymbolInfo(sym).Result, s, map[smt.Sort]smt.Sort{}) {
				f.head, f.sym = asSymHead, uint32(sym)
				break
			}
		}
		if f.head != asSymHead {
			return r.Fail(hoff, "no symbol "+smt.QuoteSymbol(n.text)+" has sort "+r.Arena.SortString(s))
		}
	} else if n.op != 0 {
		f.head, f.op = opHead, n.op
		if n.op.Info().Qualified {
			f.head = asOpHead
		}
	} else {
		r.Note(hoff, "unknown operator "+n.text)
	}
	r.frames = append(r.frames, f)
	return true
}
