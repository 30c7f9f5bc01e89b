package smtlib

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/smtlark/smtlark/engine/smt"
)

// declareFun reads the rest of declare-fun and declare-const.
func (p *parser) declareFun(c *Command) bool {
	p.next()
	off := p.pos
	id, ok := p.userName("the name of a function")
	if !ok {
		return false
	}
	params := p.params[:0]
	if c.Kind == CmdDeclareFun {
		if !p.opening("the `(` of the argument sorts") {
			return false
		}
		for p.next() != clClose {
			s, ok := p.sort()
			if !ok {
				return false
			}
			params = append(params, s)
		}
		p.pos++
		p.params = params
	}
	p.next()
	result, ok := p.sort()
	if !ok {
		return false
	}
	// A function from a map sort to nothing is a constant of that sort.
	f := p.a.Declare(p.names.ents[id].text, params, result)
	if p.names.ents[id].fun != 0 {
		p.declares(id, off, params, result)
	}
	p.bindSymbol(id, f)
	c.Symbols = []smt.Symbol{f}
	return true
}

// userName reads a name to be declared; next has been called.
func (p *parser) userName(what string) (nameID, bool) {
	off := p.pos
	id, ok := p.symbol(what)
	if !ok {
		return 0, false
	}
	if n := &p.names.ents[id]; n.special != spNone && p.src[off] != '|' && !young(n.special) {
		return 0, p.fail(off, "the reserved word "+n.text+" cannot be declared")
	}
	return id, true
}

// bindSymbol makes a symbol visible, unless it is already the innermost one of its name.
func (p *parser) bindSymbol(id nameID, f smt.Symbol) {
	if b := p.names.ents[id].fun; b != 0 && p.binds[b-1].sym == uint32(f) {
		return
	}
	p.bind(id, bindSymbol, uint32(f))
}

// defineFun reads the rest of define-fun and define-const.
func (p *parser) defineFun(c *Command) bool {
	p.next()
	at := p.pos
	id, ok := p.userName("the name of a function")
	if !ok {
		return false
	}
	vars, result, mark, ok := p.signature(c.Kind != CmdDefineConst)
	if !ok {
		return false
	}
	p.next()
	off := p.pos
	p.defining, p.inside = id, true
	body, ok := p.term()
	p.inside = false
	if !ok {
		return false
	}
	p.undoVars(mark)
	if p.names.ents[id].fun != 0 {
		p.declares(id, at, p.sortsOf(vars), result)
	}
	if result == smt.SortReal {
		body = p.a.ToReal(body)
	}
	f, err := p.a.Define(p.names.ents[id].text, vars, result, body)
	if err != nil {
		return p.fail(off, err.Error())
	}
	p.bindSymbol(id, f)
	c.Symbols = []smt.Symbol{f}
	return true
}

// signature reads the variables and the result sort of a definition. The variables are bound; undoVars with the mark
// takes that back.
func (p *parser) signature(withVars bool) (vars []smt.Term, result smt.Sort, mark int, ok bool) {
	mark = len(p.locals)
	base := int32(len(p.vals))
	if withVars {
		if !p.sortedVars("a definition") {
			return nil, 0, mark, false
		}
		if n := len(p.vals) - int(base); n > 0 {
			vars = append(make([]smt.Term, 0, n), p.vals[base:]...)
			p.drop(base)
		}
	}
	if off, dup := p.duplicate(vars); dup {
		return nil, 0, mark, p.fail(p.pos, "the variable "+p.a.VarName(vars[off])+" is there twice")
	}
	p.next()
	result, ok = p.sort()
	return vars, result, mark, ok
}

func (p *parser) duplicate(vars []smt.Term) (int, bool) {
	if len(vars) < 2 {
		return 0, false
	}
	seen := make(map[smt.Index]bool, len(vars))
	for i, v := range vars {
		x := p.a.Indices(v)[0]
		if seen[x] {
			return i, true
		}
		seen[x] = true
	}
	return 0, false
}

// recFun is one function of define-fun-rec or define-funs-rec.
type recFun struct {
	id     nameID
	vars   []smt.Term
	result smt.Sort
	body   int // where its body begins
	off    int // where its name stands
}

// defineRec reads the rest of define-fun-rec and define-funs-rec. The bodies are read twice: first over plain
// declarations of the functions, which tells whether the arena has the same definitions already, then over the
// functions themselves.
func (p *parser) defineRec(c *Command) bool {
	funs, ok := p.recSignatures(c.Kind == CmdDefineFunsRec)
	if !ok {
		return false
	}
	scope := len(p.binds)
	for _, f := range funs {
		p.bind(f.id, bindSymbol, uint32(p.a.Declare(p.names.ents[f.id].text, p.sortsOf(f.vars), f.result)))
	}
	key := []byte{byte(len(funs))}
	end := 0
	for i := range funs {
		body, ok := p.recBody(&funs[i])
		if !ok {
			return false
		}
		end = p.pos
		key = binary.AppendUvarint(key, uint64(p.a.Declare(p.names.ents[funs[i].id].text, p.sortsOf(funs[i].vars), funs[i].result)))
		key = binary.AppendUvarint(key, uint64(body))
	}
	p.undo(scope)
	// The arena's number for the long key stands for it in the keys of the functions.
	group := fmt.Sprintf("%d/", p.a.NameIndex("definitions "+string(key)))
	for i, f := range funs {
		p.declares(f.id, f.off, p.sortsOf(f.vars), f.result)
		sym := p.a.DeclareRecursive(group+strconv.Itoa(i), p.names.ents[f.id].text, f.vars, f.result)
		p.bind(f.id, bindSymbol, uint32(sym))
		c.Symbols = append(c.Symbols, sym)
	}
	p.allNamed = nil
	for i := range funs {
		body, ok := p.recBody(&funs[i])
		if !ok {
			return false
		}
		if err := p.a.DefineRecursive(c.Symbols[i], body); err != nil {
			return p.fail(funs[i].body, err.Error())
		}
	}
	p.pos = end
	return c.Kind != CmdDefineFunsRec || p.closing("`)` of the bodies")
}

// recSignatures reads what stands before the bodies and finds where each body begins.
func (p *parser) recSignatures(many bool) ([]recFun, bool) {
	one := func() (f recFun, ok bool) {
		p.next()
		f.off = p.pos
		if f.id, ok = p.userName("the name of a function"); !ok {
			return f, false
		}
		var mark int
		f.vars, f.result, mark, ok = p.signature(true)
		p.undoVars(mark)
		return f, ok
	}
	if !many {
		f, ok := one()
		if !ok {
			return nil, false
		}
		p.next()
		f.body = p.pos
		return []recFun{f}, true
	}
	if !p.opening("the `(` of the functions") {
		return nil, false
	}
	var funs []recFun
	for p.next() != clClose {
		if !p.opening("a function (name variables sort)") {
			return nil, false
		}
		f, ok := one()
		if !ok || !p.closing("`)` of a function") {
			return nil, false
		}
		funs = append(funs, f)
	}
	p.pos++
	if len(funs) == 0 {
		return nil, p.fail(p.pos-1, "define-funs-rec without a function")
	}
	if !p.opening("the `(` of the bodies") {
		return nil, false
	}
	for i := range funs {
		if p.next() == clClose {
			return nil, p.unexpected("a body for " + p.names.ents[funs[i].id].text)
		}
		funs[i].body = p.pos
		if !p.skip() {
			return nil, false
		}
	}
	return funs, true
}

// recBody reads the body of a function with its variables bound.
func (p *parser) recBody(f *recFun) (smt.Term, bool) {
	mark := len(p.locals)
	for _, v := range f.vars {
		p.bindVar(p.intern(p.a.VarName(v)), v)
	}
	p.pos = f.body
	t, ok := p.term()
	if !ok {
		return 0, false
	}
	if f.result == smt.SortReal {
		t = p.a.ToReal(t)
	}
	p.undoVars(mark)
	return t, true
}

func (p *parser) sortsOf(vars []smt.Term) []smt.Sort {
	var s []smt.Sort
	for _, v := range vars {
		s = append(s, p.a.Sort(v))
	}
	return s
}

// sortCommand reads the rest of declare-sort, declare-sort-parameter and define-sort.
func (p *parser) sortCommand(c *Command) bool {
	p.next()
	at := p.pos
	id, ok := p.userName("the name of a sort")
	if !ok {
		return false
	}
	name := p.names.ents[id].text
	switch c.Kind {
	case CmdDeclareSortParameter:
		c.Name = name
		p.bind(id, bindSortFixed, uint32(p.a.SortParam(name)))
		return true
	case CmdDeclareSort:
		arity := 0
		if p.next() != clClose { // z3 lets the arity be left out
			off := p.pos
			n, ok := p.numeral("the arity")
			if !ok {
				return false
			}
			if !n.IsInt64() || n.Int64() > 1000 {
				return p.fail(off, "an arity above 1000")
			}
			arity = int(n.Int64())
		}
		p.declaresSort(id, at)
		sym := p.a.DeclareSort(name, arity)
		p.bind(id, bindSortSym, uint32(sym))
		c.Sorts = []smt.SortSymbol{sym}
		return true
	}
	c.Name = name
	if !p.opening("the `(` of the parameters") {
		return false
	}
	mark := len(p.binds)
	for p.next() != clClose {
		pid, ok := p.symbol("a sort parameter")
		if !ok {
			return false
		}
		s := p.a.SortParam(p.names.ents[pid].text)
		c.Params = append(c.Params, s)
		p.bind(pid, bindSortFixed, uint32(s))
	}
	p.pos++
	p.next()
	if c.Sort, ok = p.sort(); !ok {
		return false
	}
	p.undo(mark)
	p.declaresSort(id, at)
	p.macros = append(p.macros, macro{c.Params, c.Sort})
	p.bind(id, bindSortMacro, uint32(len(p.macros)-1))
	return true
}
