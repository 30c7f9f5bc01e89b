package termread

import (
	"encoding/binary"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Scopes resolve the names of a script: functions, sorts and bound variables, and the levels of push and pop that take
// them back.
type Scopes struct {
	// GlobalDeclarations is the option of that name: pop removes no declarations.
	GlobalDeclarations bool

	names     nameTable
	binds     []binding
	locals    []localVar
	macros    []macro
	levels    smt.Levels // above numbers of binds
	forgotten int        // the bindings below may be declared again: reset-assertions forgot them
}

// macro is a define-sort.
type macro struct {
	params []smt.Sort
	body   smt.Sort
}

// Intern returns the number of a name.
func (s *Scopes) Intern(name string) NameID {
	return s.names.get([]byte(name), hashBytes([]byte(name)))
}

// Name returns the name with the number.
func (s *Scopes) Name(id NameID) string { return s.names.ents[id].text }

// Word returns the number that the owner of the table gave to a word, or 0 for other names.
func (s *Scopes) Word(id NameID) uint8 { return s.names.ents[id].word }

// The kinds of bindings.
const (
	bindSymbol    uint8 = iota // a function symbol; more of the same name may lie below it
	bindSortSym                // a declared sort or datatype
	bindSortMacro              // define-sort
	bindSortFixed              // a sort parameter
)

// binding is the global meaning of a name. Bindings lie on a stack that is also the log for undoing them. Variables
// have a stack of their own, because :named inside a binder binds a name that outlives the binder.
type binding struct {
	name NameID
	kind uint8
	prev int32    // the binding of the same name and kind of name before
	term smt.Term // of a constant, once it is known
	sym  uint32   // smt.Symbol, smt.SortSymbol, smt.Sort or the index of a macro
}

// localVar is a bound variable, with the previous meaning of its name.
type localVar struct {
	name NameID
	prev smt.Term
}

// BindVar makes a name stand for a term until UndoVars.
func (s *Scopes) BindVar(id NameID, t smt.Term) {
	n := &s.names.ents[id]
	s.locals = append(s.locals, localVar{id, n.local})
	n.local = t
}

// UndoVars takes back the variables above the mark.
func (s *Scopes) UndoVars(mark int) {
	for i := len(s.locals) - 1; i >= mark; i-- {
		s.names.ents[s.locals[i].name].local = s.locals[i].prev
	}
	s.locals = s.locals[:mark]
}

// bind makes a name stand for something until Undo.
func (s *Scopes) bind(id NameID, kind uint8, sym uint32) {
	n := &s.names.ents[id]
	slot := &n.fun
	if kind >= bindSortSym {
		slot = &n.sort
	}
	s.binds = append(s.binds, binding{name: id, kind: kind, prev: *slot, sym: sym})
	*slot = int32(len(s.binds))
}

// Undo takes back all bindings above the mark.
func (s *Scopes) Undo(mark int) {
	for i := len(s.binds) - 1; i >= mark; i-- {
		b := &s.binds[i]
		n := &s.names.ents[b.name]
		if b.kind >= bindSortSym {
			n.sort = b.prev
		} else {
			n.fun = b.prev
		}
	}
	s.binds = s.binds[:mark]
	s.forgotten = min(s.forgotten, mark)
}

// BindSymbol makes a name stand for a function symbol, unless that is already the innermost one of the name.
func (s *Scopes) BindSymbol(id NameID, f smt.Symbol) {
	if b := s.names.ents[id].fun; b != 0 && s.binds[b-1].sym == uint32(f) {
		return
	}
	s.bind(id, bindSymbol, uint32(f))
}

// BindAgain makes a name stand for a function symbol even if it does so already.
func (s *Scopes) BindAgain(id NameID, f smt.Symbol) { s.bind(id, bindSymbol, uint32(f)) }

// BindSort makes a name stand for a declared sort or datatype.
func (s *Scopes) BindSort(id NameID, sort smt.SortSymbol) { s.bind(id, bindSortSym, uint32(sort)) }

// BindFixedSort makes a name stand for one sort, such as a sort parameter.
func (s *Scopes) BindFixedSort(id NameID, sort smt.Sort) { s.bind(id, bindSortFixed, uint32(sort)) }

// BindMacro makes a name stand for a sort with parameters (define-sort).
func (s *Scopes) BindMacro(id NameID, params []smt.Sort, body smt.Sort) {
	s.macros = append(s.macros, macro{params, body})
	s.bind(id, bindSortMacro, uint32(len(s.macros)-1))
}

// HasFunction reports whether a name stands for a function or constant.
func (s *Scopes) HasFunction(id NameID) bool { return s.names.ents[id].fun != 0 }

// Bound returns how many global bindings there are, for Undo.
func (s *Scopes) Bound() int { return len(s.binds) }

// Vars returns how many variables are bound, for UndoVars.
func (s *Scopes) Vars() int { return len(s.locals) }

// Levels returns how many levels there are to pop.
func (s *Scopes) Levels() int { return s.levels.Open() }

// Push begins n levels.
func (s *Scopes) Push(n int) { s.levels.Push(n, len(s.binds)) }

// Pop ends n levels, if that many are open.
func (s *Scopes) Pop(n int) {
	if mark, ok := s.levels.Pop(n); ok && !s.GlobalDeclarations {
		s.Undo(mark)
	}
}

// Forget ends all levels. Declarations stay and may be repeated (reset-assertions).
func (s *Scopes) Forget() {
	s.levels.Clear()
	s.forgotten = len(s.binds)
}

// Clear ends all levels and takes back everything but variables.
func (s *Scopes) Clear() {
	s.Undo(0)
	s.levels.Clear()
}

// AppendSortKey appends a key for the current meaning of a sort name. It appends nothing for a standard sort.
func (s *Scopes) AppendSortKey(key []byte, id NameID) []byte {
	b := s.names.ents[id].sort
	if b == 0 {
		return key
	}
	bd := &s.binds[b-1]
	key = append(key, bd.kind)
	if bd.kind != bindSortMacro {
		return binary.AppendUvarint(key, uint64(bd.sym))
	}
	m := &s.macros[bd.sym]
	key = binary.AppendUvarint(key, uint64(m.body))
	for _, x := range m.params {
		key = binary.AppendUvarint(key, uint64(x))
	}
	return key
}
