package termread

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
)

// Reader reads terms, sorts and their parts. It is reused for many texts to keep its memory. The meanings of names stay
// between texts until they are undone.
type Reader struct {
	identifierReader
	// Named gathers the symbols that :named introduced.
	Named []smt.Symbol

	frames []frame
	subterms
	pend []NameID // names of let variables and parameters, until all may be bound
	keys []attr
}

// New returns a reader whose names are looked up among words, see Scopes.Word.
func New(words map[string]uint8) *Reader {
	r := &Reader{}
	r.names = newNameTable(words)
	return r
}

// Start makes the reader ready for the texts of an arena. Nothing must be bound.
func (r *Reader) Start(a *smt.Arena) {
	r.Arena = a
	r.parse++
	r.Dialect, r.Remarks = Dialect{}, Remarks{}
	r.GlobalDeclarations, r.forgotten, r.inside = false, 0, false
}

// Finish undoes all bindings and releases the arena. It reports whether the reader is worth keeping, which is not the
// case when it has grown large.
func (r *Reader) Finish() bool {
	const keep = 1 << 22
	if cap(r.Src) > keep || r.names.bytes > keep || cap(r.frames) > keep/64 {
		return false
	}
	r.Clear()
	r.UndoVars(0)
	r.Abandon()
	clear(r.macros)
	r.macros, r.Arena, r.Err, r.Remarks, r.expanded = r.macros[:0], nil, nil, Remarks{}, 0
	return true
}

// Abandon gives up the terms that were being read when an error was met.
func (r *Reader) Abandon() {
	r.vals, r.offs, r.frames, r.idx, r.pend, r.keys = r.vals[:0], r.offs[:0], r.frames[:0], r.idx[:0], r.pend[:0], r.keys[:0]
	r.doubts, r.expected = r.doubts[:0], 0
}

// Body reads the body of the definition of a name, in which the name itself should not occur.
func (r *Reader) Body(of NameID, result smt.Sort) (smt.Term, bool) {
	r.defining, r.inside = of, true
	t, ok := r.TermAt(result)
	r.inside = false
	return t, ok
}

// Parameters reads the variables of a definition, ((x S) …), and binds their names until UndoVars.
func (r *Reader) Parameters() ([]smt.Term, bool) {
	base := int32(len(r.vals))
	if !r.sortedVars("a definition") {
		return nil, false
	}
	vars := append([]smt.Term(nil), r.vals[base:]...)
	r.drop(base)
	return vars, true
}

// subterms are those of the open constructs that have been read, with their places.
type subterms struct {
	vals []smt.Term
	offs []uint32
}

// value adds a subterm to the innermost frame.
func (s *subterms) value(t smt.Term, off int) {
	s.vals = append(s.vals, t)
	s.offs = append(s.offs, uint32(off))
}

// drop removes the values from base on.
func (s *subterms) drop(base int32) { s.vals, s.offs = s.vals[:base], s.offs[:base] }

// frame is an open construct of the term reader. Its subterms lie on Reader.vals from base on.
type frame struct {
	kind uint8
	head uint8    // of an application
	op   smt.Op   // opHead, asOpHead; the quantifier of a binder
	id   NameID   // the name of a head
	sym  uint32   // smt.Symbol of a head
	sort smt.Sort // of a head with `as`
	base int32
	idx  int32 // into Reader.idx: the head's indices
	mark int32 // into Scopes.locals, or Reader.pend while let variables gather
	keys int32 // into Reader.keys: the attributes of an annotation
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

// Term reads one term, of any depth: open constructs lie on Reader.frames, not on the machine's stack. It calls Next
// itself.
func (r *Reader) Term() (smt.Term, bool) {
	base := len(r.frames)
	for {
		var t smt.Term
		off := 0
		switch r.Next() {
		case sexpr.Symbol, sexpr.Bar:
			off = r.Pos
			id, ok := r.Symbol("a term")
			if !ok {
				return 0, false
			}
			n := &r.names.ents[id]
			if n.local != 0 {
				t = n.local
			} else if n.fun != 0 && r.binds[n.fun-1].term != 0 {
				t = r.binds[n.fun-1].term
			} else if t = r.constant(off, id); t == 0 {
				return 0, false
			}
		case sexpr.Open:
			off = r.Pos
			r.Pos++
			var ok bool
			if t, ok = r.open(off); !ok {
				return 0, false
			}
			if t == 0 {
				continue
			}
		case sexpr.Close:
			if len(r.frames) == base {
				return 0, r.Unexpected("a term")
			}
			off = int(r.frames[len(r.frames)-1].off)
			r.Pos++
			var ok bool
			if t, ok = r.closeFrame(); !ok {
				return 0, false
			}
			if t == 0 {
				continue
			}
		default:
			// The error is the open parenthesis, so the message gives its position and not the end of the file.
			if r.AtEnd() && len(r.frames) > base {
				return 0, r.Fail(int(r.frames[len(r.frames)-1].off), "this ( has no )")
			}
			off = r.Pos
			if id, ok := r.bareName(); ok {
				t = r.constant(off, id)
			} else {
				t = r.literal()
			}
			if t == 0 {
				return 0, false
			}
		}
		t, ok := r.deliver(t, off, base)
		if !ok {
			return 0, false
		}
		if t != 0 {
			return r.settled(t)
		}
	}
}

// TermAt reads a term that must have the given sort, which resolves ambiguous terms in it.
func (r *Reader) TermAt(sort smt.Sort) (smt.Term, bool) {
	r.expected = sort
	return r.Term()
}

// deliver hands a finished term to the innermost open construct, which may finish that in turn. It returns the term
// itself if there is none, and 0 if more has to be read.
func (r *Reader) deliver(t smt.Term, off, base int) (smt.Term, bool) {
	for {
		if len(r.frames) == base {
			return t, true
		}
		f := &r.frames[len(r.frames)-1]
		var ok bool
		switch f.kind {
		case frApp, frPattern:
			r.value(t, off)
			return 0, true
		case frLet:
			return 0, r.letBound(f, t)
		case frLetBody:
			if !r.Closing("`)` of let") {
				return 0, false
			}
			if int(f.base) < len(r.vals) {
				values := r.vals[f.base:] // the last one is the constant of the first name
				t = r.Arena.ExchangeNames(t, slices.Concat(values[len(values)-1:], values[:len(values)-1]))
				r.drop(f.base)
			}
			r.leave(f)
		case frBinder:
			if t, ok = r.binderDone(f, t, off); !ok {
				return 0, false
			}
		case frAnnot:
			r.value(t, off)
			if t, ok = r.attributes(f); !ok {
				return 0, false
			}
		case frNoPattern:
			r.value(t, off)
			r.frames = r.frames[:len(r.frames)-1]
			if t, ok = r.attributes(&r.frames[len(r.frames)-1]); !ok {
				return 0, false
			}
		case frMatch:
			r.value(t, off)
			return 0, r.matchCase(f)
		case frCase:
			if t, ok = r.caseDone(f, t, off); !ok {
				return 0, false
			}
		}
		if t == 0 {
			return 0, true
		}
		off = int(r.frames[:len(r.frames)+1][len(r.frames)].off) // of the frame that was just left
	}
}

// leave ends the innermost frame with its variables.
func (r *Reader) leave(f *frame) {
	r.UndoVars(int(f.mark))
	r.frames = r.frames[:len(r.frames)-1]
}

// open reads the text after an opening parenthesis. It returns a term that is already complete, such as (_ bv5 8), or
// pushes a frame and returns 0.
func (r *Reader) open(off int) (smt.Term, bool) {
	switch r.Next() {
	case sexpr.Symbol, sexpr.Bar:
		hoff := r.Pos
		id, ok := r.Symbol("an operator")
		if !ok {
			return 0, false
		}
		n := &r.names.ents[id]
		word := n.special
		if word != spNone && (r.Src[hoff] == '|' || (n.fun != 0 || n.local != 0) && young(word)) {
			word = spNone
		}
		switch word {
		case spChoice, spComprehension:
			return 0, r.openOwnBinder(off, id)
		case spNone, spTrue, spFalse, spAt, spPar:
			r.push(frame{kind: frApp, head: nameHead, id: id, off: uint32(off), hoff: uint32(hoff)})
			return 0, true
		case spLet:
			return 0, r.openLet(off)
		case spForall:
			return 0, r.openBinder(off, smt.OpForall)
		case spExists:
			return 0, r.openBinder(off, smt.OpExists)
		case spLambda:
			return 0, r.openBinder(off, smt.OpLambda)
		case spAnnot:
			r.push(frame{kind: frAnnot, off: uint32(off), keys: int32(len(r.keys))})
			return 0, true
		case spMatch:
			r.push(frame{kind: frMatch, off: uint32(off), hoff: uint32(hoff)})
			return 0, true
		}
		r.Pos = hoff
		return r.qualified(off)
	case sexpr.Open:
		return 0, r.openCompound(off)
	}
	return 0, r.Unexpected("an operator")
}

// push opens a frame with no subterms yet.
func (r *Reader) push(f frame) {
	f.base, f.idx = int32(len(r.vals)), int32(len(r.idx))
	r.frames = append(r.frames, f)
}

// closeFrame handles the closing parenthesis of an application or of a list of patterns.
func (r *Reader) closeFrame() (smt.Term, bool) {
	f := &r.frames[len(r.frames)-1]
	switch f.kind {
	case frApp:
		t, ok := r.apply(f)
		if !ok {
			return 0, false
		}
		r.drop(f.base)
		r.idx = r.idx[:f.idx]
		r.frames = r.frames[:len(r.frames)-1]
		return t, true
	case frPattern:
		if int(f.base) == len(r.vals) {
			r.Pos--
			return 0, r.Unexpected("a term")
		}
		r.keys[len(r.keys)-1].terms = int32(len(r.vals)) - f.base
		r.frames = r.frames[:len(r.frames)-1]
		return r.attributes(&r.frames[len(r.frames)-1])
	}
	r.Pos--
	return 0, r.Unexpected("a term")
}

// openLet reads up to the first term to be bound: (let ((x.
func (r *Reader) openLet(off int) bool {
	if !r.Opening("the `(` of a list of bindings") {
		return false
	}
	r.push(frame{kind: frLet, off: uint32(off), mark: int32(len(r.pend))})
	return r.letNext(&r.frames[len(r.frames)-1])
}

// letNext reads the name of the next binding, or ends the list and binds all its names at once.
func (r *Reader) letNext(f *frame) bool {
	switch r.Next() {
	case sexpr.Open:
		r.Pos++
		r.Next()
		id, ok := r.Symbol("the name of a let variable")
		if !ok {
			return false
		}
		r.pend = append(r.pend, id)
		return true
	case sexpr.Close:
		r.Pos++
		ids := r.pend[f.mark:]
		mark := len(r.locals)
		exchange := r.exchangesNames(ids, r.vals[f.base:])
		for i, id := range ids {
			r.BindVar(id, r.vals[int(f.base)+i])
		}
		if !exchange {
			r.drop(f.base)
		}
		r.pend = r.pend[:f.mark]
		f.kind, f.mark = frLetBody, int32(mark)
		return true
	}
	return r.Unexpected("a binding (name term) or the `)` of the list")
}

// exchangesNames reports whether a let rotates the names of constants, so that each gets the name of the one before it.
// Any other let is expanded, but a solver that mishandles these names may handle others correctly.
func (r *Reader) exchangesNames(ids []NameID, values []smt.Term) bool {
	if len(ids) < 2 || r.Arena.Op(values[0]) != smt.OpApply {
		return false
	}
	for i, id := range ids {
		n := &r.names.ents[id]
		x := values[(i+len(values)-1)%len(values)]
		if n.local != 0 || n.fun == 0 || r.Arena.Op(x) != smt.OpApply || r.Arena.NumArgs(x) > 0 {
			return false
		}
		f := r.Arena.SymbolOf(x)
		if f != smt.Symbol(r.binds[n.fun-1].sym) || r.Arena.SymbolInfo(f).Kind != smt.SymDeclared {
			return false
		}
	}
	return true
}

func (r *Reader) letBound(f *frame, t smt.Term) bool {
	r.value(t, 0)
	return r.Closing("the `)` of a binding") && r.letNext(f)
}

// openBinder reads the variables of forall, exists or lambda and binds them.
func (r *Reader) openBinder(off int, op smt.Op) bool {
	f := frame{kind: frBinder, op: op, off: uint32(off), mark: int32(len(r.locals))}
	r.push(f)
	return r.sortedVars(op.String())
}

// sortedVars reads ((x S) …), leaves the variables on r.vals and binds their names.
func (r *Reader) sortedVars(what string) bool {
	if !r.Opening("the `(` of the variables of " + what) {
		return false
	}
	from := len(r.vals)
	first := len(r.pend)
	for r.Next() != sexpr.Close {
		if !r.Opening("a variable (name sort) or the `)` of the list") {
			return false
		}
		r.Next()
		off := r.Pos
		id, ok := r.Symbol("the name of a variable")
		if !ok {
			return false
		}
		r.Next()
		s, ok := r.Sort()
		if !ok || !r.Closing("`)` of a variable") {
			return false
		}
		r.pend = append(r.pend, id)
		r.value(r.Arena.Var(r.names.ents[id].text, s), off)
	}
	r.Pos++
	for i, id := range r.pend[first:] {
		r.BindVar(id, r.vals[from+i])
	}
	r.pend = r.pend[:first]
	return true
}

// openOwnBinder is openBinder for a binder that only some solvers have.
func (r *Reader) openOwnBinder(off int, id NameID) bool {
	r.push(frame{kind: frBinder, op: smt.OpOpaque, id: id, off: uint32(off), mark: int32(len(r.locals))})
	ok := r.sortedVars(r.names.ents[id].text)
	f := &r.frames[len(r.frames)-1]
	f.keys = int32(len(r.vals)) - f.base // the variables
	return ok
}

// ownBinderDone takes the body of a binder of openOwnBinder, of which set.comprehension has two.
func (r *Reader) ownBinderDone(f *frame, body smt.Term, off int) (smt.Term, bool) {
	n := &r.names.ents[f.id]
	if n.special == spComprehension && len(r.vals) == int(f.base+f.keys) {
		r.value(body, off)
		return 0, true
	}
	if !r.Closing("`)` of " + n.text) {
		return 0, false
	}
	vars := append([]smt.Term(nil), r.vals[f.base:f.base+f.keys]...)
	var t smt.Term
	var err error
	if n.special == spComprehension {
		t, err = r.Arena.Comprehension(n.text, vars, r.vals[f.base+f.keys], body)
	} else {
		t, err = r.Arena.Choice(n.text, vars, body)
	}
	if err != nil {
		return 0, r.Fail(int(f.off), err.Error())
	}
	r.drop(f.base)
	r.leave(f)
	return t, true
}

// distinctVars returns the variables of a binder. z3 and cvc5 allow several variables with the same name; the last
// hides the others, so only the last is kept. A lambda needs all of them, so the hidden ones get unused names.
func (r *Reader) distinctVars(vars []smt.Term, op smt.Op) []smt.Term {
	if !r.hasTwice(vars) {
		return vars
	}
	last := make(map[smt.Index]int, len(vars))
	for i, v := range vars {
		last[r.Arena.Indices(v)[0]] = i
	}
	var out []smt.Term
	for i, v := range vars {
		switch {
		case last[r.Arena.Indices(v)[0]] == i:
			out = append(out, v)
		case op == smt.OpLambda:
			out = append(out, r.Arena.Var(r.unusedName(), r.Arena.Sort(v)))
		}
	}
	return out
}

// hasTwice reports whether two variables have one name.
func (r *Reader) hasTwice(vars []smt.Term) bool {
	const few = 16 // compared faster than put into a map
	if len(vars) <= few {
		for i, v := range vars {
			for _, w := range vars[:i] {
				if r.Arena.Indices(v)[0] == r.Arena.Indices(w)[0] {
					return true
				}
			}
		}
		return false
	}
	names := make(map[smt.Index]bool, len(vars))
	for _, v := range vars {
		names[r.Arena.Indices(v)[0]] = true
	}
	return len(names) < len(vars)
}

func (r *Reader) binderDone(f *frame, body smt.Term, off int) (smt.Term, bool) {
	if f.op == smt.OpOpaque {
		return r.ownBinderDone(f, body, off)
	}
	if !r.Closing("`)` of " + f.op.String()) {
		return 0, false
	}
	vars := r.distinctVars(r.vals[f.base:], f.op)
	var t smt.Term
	var err error
	switch {
	case len(vars) == 0 && f.op != smt.OpLambda:
		r.Illegal(int(f.off), f.op.String()+" binds no variable")
		t = body
	case f.op == smt.OpLambda:
		t, err = r.Arena.Lambda(vars, body, !r.HigherOrder)
	default:
		t, err = r.Arena.Quant(f.op, vars, body)
	}
	if err != nil {
		at := int(f.off)
		if e, ok := err.(*smt.SortError); ok && e.Arg == len(vars)+1 {
			at = off
		}
		return 0, r.Fail(at, err.Error())
	}
	r.drop(f.base)
	r.leave(f)
	return t, true
}
