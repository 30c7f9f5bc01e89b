package smtlib

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/termread"
)

// declareFun reads the rest of declare-fun and declare-const.
func (p *parser) declareFun(c *Command) bool {
	p.Next()
	off := p.Pos
	id, ok := p.NewName("the name of a function")
	if !ok {
		return false
	}
	params := p.params[:0]
	if c.Kind == CmdDeclareFun {
		if !p.Opening("the `(` of the argument sorts") {
			return false
		}
		for p.Next() != sexpr.Close {
			s, ok := p.Sort()
			if !ok {
				return false
			}
			params = append(params, s)
		}
		p.Pos++
		p.params = params
	}
	p.Next()
	result, ok := p.Sort()
	if !ok {
		return false
	}
	// A function from a map sort to nothing is a constant of that sort.
	f := p.Arena.Declare(p.Name(id), params, result)
	if p.HasFunction(id) {
		p.CheckNew(id, off, params, result)
	}
	p.BindSymbol(id, f)
	c.Symbols = []smt.Symbol{f}
	return true
}

// defineFun reads the rest of define-fun and define-const.
func (p *parser) defineFun(c *Command) bool {
	p.Next()
	at := p.Pos
	id, ok := p.NewName("the name of a function")
	if !ok {
		return false
	}
	vars, result, mark, ok := p.signature(c.Kind != CmdDefineConst)
	if !ok {
		return false
	}
	p.Next()
	off := p.Pos
	body, ok := p.Body(id, result)
	if !ok {
		return false
	}
	p.UndoVars(mark)
	if p.HasFunction(id) {
		p.CheckNew(id, at, p.sortsOf(vars), result)
	}
	switch {
	case result == smt.SortReal:
		body = p.Arena.ToReal(body)
	case p.Arena.SortKind(result) == smt.KindArray:
		body = p.AsArray(body)
	}
	f, err := p.Arena.Define(p.Name(id), vars, result, body)
	if err != nil {
		return p.Fail(off, err.Error())
	}
	p.BindSymbol(id, f)
	c.Symbols = []smt.Symbol{f}
	return true
}

// signature reads the variables and the result sort of a definition. The variables are bound until undoVars is called
// with the mark.
func (p *parser) signature(withVars bool) (vars []smt.Term, result smt.Sort, mark int, ok bool) {
	mark = p.Vars()
	if withVars {
		if vars, ok = p.Parameters(); !ok {
			return nil, 0, mark, false
		}
	}
	if off, dup := p.duplicate(vars); dup {
		return nil, 0, mark, p.Fail(p.Pos, "the variable "+p.Arena.VarName(vars[off])+" is there twice")
	}
	p.Next()
	result, ok = p.Sort()
	return vars, result, mark, ok
}

func (p *parser) duplicate(vars []smt.Term) (int, bool) {
	if len(vars) < 2 {
		return 0, false
	}
	seen := make(map[smt.Index]bool, len(vars))
	for i, v := range vars {
		x := p.Arena.Indices(v)[0]
		if seen[x] {
			return i, true
		}
		seen[x] = true
	}
	return 0, false
}

// recFun is one function of define-fun-rec or define-funs-rec.
type recFun struct {
	id     termread.NameID
	vars   []smt.Term
	result smt.Sort
	body   int // where its body begins
	off    int // where its name stands
}

// defineRec reads the rest of define-fun-rec and define-funs-rec. The bodies are read twice: first over plain
// declarations of the functions, which shows whether the arena has the same definitions already, then over the
// functions themselves.
func (p *parser) defineRec(c *Command) bool {
	funs, ok := p.recSignatures(c.Kind == CmdDefineFunsRec)
	if !ok {
		return false
	}
	scope := p.Bound()
	for _, f := range funs {
		// Bodies are read twice: over provisional symbols, to know whether the arena has these very definitions, and then
		// over the real ones.
		p.BindAgain(f.id, p.Arena.Declare(p.Name(f.id), p.sortsOf(f.vars), f.result))
	}
	key := []byte{byte(len(funs))}
	end := 0
	for i := range funs {
		body, ok := p.recBody(&funs[i])
		if !ok {
			return false
		}
		end = p.Pos
		key = binary.AppendUvarint(key, uint64(p.Arena.Declare(p.Name(funs[i].id), p.sortsOf(funs[i].vars), funs[i].result)))
		key = binary.AppendUvarint(key, uint64(body))
	}
	p.Undo(scope)
	// The keys of the functions contain the arena's number for the long key instead of the key itself.
	group := fmt.Sprintf("%d/", p.Arena.NameIndex("definitions "+string(key)))
	for i, f := range funs {
		p.CheckNew(f.id, f.off, p.sortsOf(f.vars), f.result)
		sym := p.Arena.DeclareRecursive(group+strconv.Itoa(i), p.Name(f.id), f.vars, f.result)
		p.BindAgain(f.id, sym)
		c.Symbols = append(c.Symbols, sym)
	}
	p.Named = nil
	for i := range funs {
		body, ok := p.recBody(&funs[i])
		if !ok {
			return false
		}
		if err := p.Arena.DefineRecursive(c.Symbols[i], body); err != nil {
			return p.Fail(funs[i].body, err.Error())
		}
	}
	p.Pos = end
	return c.Kind != CmdDefineFunsRec || p.Closing("`)` of the bodies")
}

// recSignatures reads the signatures before the bodies and finds where each body begins.
func (p *parser) recSignatures(many bool) ([]recFun, bool) {
	one := func() (f recFun, ok bool) {
		p.Next()
		f.off = p.Pos
		if f.id, ok = p.NewName("the name of a function"); !ok {
			return f, false
		}
		var mark int
		f.vars, f.result, mark, ok = p.signature(true)
		// The bodies come behind all signatures: each binds its variables again.
		p.UndoVars(mark)
		return f, ok
	}
	if !many {
		f, ok := one()
		if !ok {
			return nil, false
		}
		p.Next()
		f.body = p.Pos
		return []recFun{f}, true
	}
	if !p.Opening("the `(` of the functions") {
		return nil, false
	}
	var funs []recFun
	for p.Next() != sexpr.Close {
		if !p.Opening("a function (name variables sort)") {
			return nil, false
		}
		f, ok := one()
		if !ok || !p.Closing("`)` of a function") {
			return nil, false
		}
		funs = append(funs, f)
	}
	p.Pos++
	if len(funs) == 0 {
		return nil, p.Fail(p.Pos-1, "define-funs-rec without a function")
	}
	if !p.Opening("the `(` of the bodies") {
		return nil, false
	}
	for i := range funs {
		if p.Next() == sexpr.Close {
			return nil, p.Unexpected("a body for " + p.Name(funs[i].id))
		}
		funs[i].body = p.Pos
		// Read later, when all functions of the group are bound.
		if !p.Skip() {
			return nil, false
		}
	}
	return funs, true
}

// recBody reads the body of a function with its variables bound.
func (p *parser) recBody(f *recFun) (smt.Term, bool) {
	mark := p.Vars()
	for _, v := range f.vars {
		p.BindVar(p.Intern(p.Arena.VarName(v)), v)
	}
	p.Pos = f.body
	t, ok := p.TermAt(f.result)
	if !ok {
		return 0, false
	}
	if f.result == smt.SortReal {
		t = p.Arena.ToReal(t)
	}
	p.UndoVars(mark)
	return t, true
}

func (p *parser) sortsOf(vars []smt.Term) []smt.Sort {
	var s []smt.Sort
	for _, v := range vars {
		s = append(s, p.Arena.Sort(v))
	}
	return s
}

// sortCommand reads the rest of declare-sort, declare-sort-parameter and define-sort.
func (p *parser) sortCommand(c *Command) bool {
	p.Next()
	at := p.Pos
	id, ok := p.NewName("the name of a sort")
	if !ok {
		return false
	}
	name := p.Name(id)
	switch c.Kind {
	case CmdDeclareSortParameter:
		c.Name = name
		p.BindFixedSort(id, p.Arena.SortParam(name))
		return true
	case CmdDeclareSort:
		arity := 0
		if p.Next() != sexpr.Close { // z3 lets the arity be left out
			off := p.Pos
			n, ok := p.Numeral("the arity")
			if !ok {
				return false
			}
			if !n.IsInt64() || n.Int64() > 1000 {
				return p.Fail(off, "an arity above 1000")
			}
			arity = int(n.Int64())
		}
		p.CheckNewSort(id, at)
		sym := p.Arena.DeclareSort(name, arity)
		p.BindSort(id, sym)
		c.Sorts = []smt.SortSymbol{sym}
		return true
	}
	c.Name = name
	if !p.Opening("the `(` of the parameters") {
		return false
	}
	mark := p.Bound()
	for p.Next() != sexpr.Close {
		pid, ok := p.Symbol("a sort parameter")
		if !ok {
			return false
		}
		s := p.Arena.SortParam(p.Name(pid))
		c.Params = append(c.Params, s)
		p.BindFixedSort(pid, s)
	}
	p.Pos++
	p.Next()
	if c.Sort, ok = p.Sort(); !ok {
		return false
	}
	p.Undo(mark)
	p.CheckNewSort(id, at)
	// Bound only now: a definition of a sort cannot use itself.
	p.BindMacro(id, c.Params, c.Sort)
	return true
}
