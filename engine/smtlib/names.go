package smtlib

import "github.com/smtlark/smtlark/engine/smt"

// nameID names an entry of a name table.
type nameID uint32

// Reserved words that begin terms, and names that the parser treats by itself.
const (
	spNone uint8 = iota
	spLet
	spForall
	spExists
	spLambda
	spAnnot
	spMatch
	spAs
	spUnderscore
	spPar
	spTrue
	spFalse
	spAt // application of a function value in cvc5
)

var specials = map[string]uint8{
	"let": spLet, "forall": spForall, "exists": spExists, "lambda": spLambda, "!": spAnnot, "match": spMatch,
	"as": spAs, "_": spUnderscore, "par": spPar, "true": spTrue, "false": spFalse, "@": spAt,
}

// young reports whether a reserved word is one only since SMT-LIB 2.6 or 2.7. Older scripts declare symbols of that
// name, and solvers let them.
func young(special uint8) bool {
	return special == spLambda || special == spMatch || special == spPar || special == spAt
}

// KindOf returns the kind of a command by its name, CmdOther for a name that is none of them.
func KindOf(name string) Kind { return commandKinds[name] }

var commandKinds = func() map[string]Kind {
	m := map[string]Kind{"declare-codatatype": CmdDeclareDatatype, "declare-codatatypes": CmdDeclareDatatypes}
	for k := CmdOther + 1; k < numKinds; k++ {
		m[k.String()] = k
	}
	return m
}()

// name is a symbol that occurred in a text, with what it stands for at the moment.
type name struct {
	text    string
	hash    uint32
	op      smt.Op
	special uint8
	cmd     Kind
	local   smt.Term // of a let or bound variable; 0 for none
	fun     int32    // one more than the place of its binding as a function or constant; 0 for none
	sort    int32    // the same for sorts
	lit     smt.Term
	litGen  uint32 // the parse that lit belongs to
}

// nameTable interns symbols. It outlives a parse: names and what the operator table says of them stay.
type nameTable struct {
	ents  []name
	tab   []uint32 // open addressing, power of two; one more than the index into ents
	bytes int
}

const (
	hashSeed  = 2166136261
	hashPrime = 16777619
)

func hashBytes(s []byte) uint32 {
	h := uint32(hashSeed)
	for _, c := range s {
		h = (h ^ uint32(c)) * hashPrime
	}
	return h
}

func newNameTable() nameTable { return nameTable{tab: make([]uint32, 2048)} }

// get returns the entry for a text with that hash, made if it is new.
func (t *nameTable) get(text []byte, h uint32) nameID {
	mask := uint32(len(t.tab) - 1)
	i := (h ^ h>>15) & mask
	for ; t.tab[i] != 0; i = (i + 1) & mask {
		if e := &t.ents[t.tab[i]-1]; e.hash == h && e.text == string(text) {
			return nameID(t.tab[i] - 1)
		}
	}
	n := name{text: string(text), hash: h}
	n.op, _ = smt.LookupOp(n.text)
	n.special, n.cmd = specials[n.text], commandKinds[n.text]
	id := nameID(len(t.ents))
	t.ents = append(t.ents, n)
	t.bytes += len(text)
	t.tab[i] = uint32(id) + 1
	if len(t.ents)*2 > len(t.tab) {
		t.grow()
	}
	return id
}

func (t *nameTable) grow() {
	t.tab = make([]uint32, 2*len(t.tab))
	mask := uint32(len(t.tab) - 1)
	for id := range t.ents {
		h := t.ents[id].hash
		i := (h ^ h>>15) & mask
		for t.tab[i] != 0 {
			i = (i + 1) & mask
		}
		t.tab[i] = uint32(id) + 1
	}
}

// The kinds of bindings.
const (
	bindSymbol    uint8 = iota // a function symbol; more of the same name may lie below it
	bindSortSym                // a declared sort or datatype
	bindSortMacro              // define-sort
	bindSortFixed              // a sort parameter
)

// binding is what a name stands for globally. Bindings lie on a stack that is also the log for undoing them. Variables
// have a stack of their own, for :named inside a binder binds a name that stays.
type binding struct {
	name nameID
	kind uint8
	prev int32    // the binding of the same name and kind of name before
	term smt.Term // of a constant, once it is known
	sym  uint32   // smt.Symbol, smt.SortSymbol, smt.Sort or the index of a macro
}

// localVar is a variable that was bound, with what its name was before.
type localVar struct {
	name nameID
	prev smt.Term
}

// bindVar makes a name stand for a term until undoVars.
func (p *parser) bindVar(id nameID, t smt.Term) {
	n := &p.names.ents[id]
	p.locals = append(p.locals, localVar{id, n.local})
	n.local = t
}

// undoVars takes back the variables above the mark.
func (p *parser) undoVars(mark int) {
	for i := len(p.locals) - 1; i >= mark; i-- {
		p.names.ents[p.locals[i].name].local = p.locals[i].prev
	}
	p.locals = p.locals[:mark]
}

// bind makes a name stand for something until undo.
func (p *parser) bind(id nameID, kind uint8, sym uint32) {
	n := &p.names.ents[id]
	slot := &n.fun
	if kind >= bindSortSym {
		slot = &n.sort
	}
	p.binds = append(p.binds, binding{name: id, kind: kind, prev: *slot, sym: sym})
	*slot = int32(len(p.binds))
}

// undo takes back all bindings above the mark.
func (p *parser) undo(mark int) {
	for i := len(p.binds) - 1; i >= mark; i-- {
		b := &p.binds[i]
		n := &p.names.ents[b.name]
		if b.kind >= bindSortSym {
			n.sort = b.prev
		} else {
			n.fun = b.prev
		}
	}
	p.binds = p.binds[:mark]
	p.again = min(p.again, mark)
}

// intern returns the entry for a name given as a string.
func (p *parser) intern(s string) nameID { return p.names.get([]byte(s), hashBytes([]byte(s))) }

// symbol reads a symbol, simple or quoted; next has been called.
func (p *parser) symbol(what string) (nameID, bool) {
	src, i := p.src, p.pos
	switch class[src[i]] {
	case clSymbol:
		h := uint32(hashSeed)
		for inSymbol[src[i]] {
			h = (h ^ uint32(src[i])) * hashPrime
			i++
		}
		id := p.names.get(src[p.pos:i], h)
		p.pos = i
		return id, true
	case clBar:
		e := p.quotedEnd(i)
		if e < 0 {
			return 0, p.fail(i, "quoted symbol without closing |")
		}
		body := src[i+1 : e-1]
		p.pos = e
		return p.names.get(body, hashBytes(body)), true
	}
	return 0, p.unexpected(what)
}
