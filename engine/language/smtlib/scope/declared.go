package scope

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Declared follows the commands of a script and tracks the sorts, constants and functions that are declared now. The
// zero value is the state before the first command.
type Declared struct {
	// Global says that declarations outlive their level. An option of the commands sets it.
	Global bool

	sorts map[smt.SortSymbol]bool
	funs  map[smt.Symbol]bool
	stack smt.Stack[name] // names that go out of scope with their level
}

// name is the name of a sort or of a function.
type name struct {
	sort smt.SortSymbol
	fun  smt.Symbol
}

// Level returns the number of open assertion levels.
func (d *Declared) Level() int { return d.stack.Levels() }

// declarationLevel returns the level to which a name declared now belongs.
func (d *Declared) declarationLevel() int {
	if d.Global {
		return 0
	}
	return d.Level()
}

// Sort reports whether a sort is declared.
func (d *Declared) Sort(s smt.SortSymbol) bool { return d.sorts[s] }

// Symbol reports whether a function is declared. A constructor or selector is declared with its datatype.
func (d *Declared) Symbol(a *smt.Arena, f smt.Symbol) bool {
	if d.funs[f] {
		return true
	}
	of := a.SymbolInfo(f).Datatype
	return of != 0 && d.Sort(of)
}

// declare takes a name into account.
func (d *Declared) declare(x name) {
	if d.sorts == nil {
		d.sorts, d.funs = map[smt.SortSymbol]bool{}, map[smt.Symbol]bool{}
	}
	if x.sort != 0 {
		d.sorts[x.sort] = true
	} else {
		d.funs[x.fun] = true
	}
	if !d.Global {
		d.stack.Add(x)
	}
}

// Note takes a command into account. It ignores a pop of more levels than are open.
func (d *Declared) Note(c *smtlib.Command) {
	for _, s := range c.Sorts {
		d.declare(name{sort: s})
	}
	for _, f := range c.Symbols {
		d.declare(name{fun: f})
	}
	for _, f := range c.Named {
		d.declare(name{fun: f})
	}
	switch c.Kind {
	case smtlib.CmdPush:
		d.stack.Push(c.N)
	case smtlib.CmdPop:
		d.pop(c.N)
	case smtlib.CmdResetAssertions:
		if d.Global {
			d.pop(d.Level())
		} else {
			*d = Declared{}
		}
	case smtlib.CmdReset:
		*d = Declared{}
	case smtlib.CmdSetOption:
		if isGlobal(c) {
			d.Global = c.Text == "true"
		}
	}
}

// pop closes levels and removes the declarations made in them.
func (d *Declared) pop(n int) {
	gone, _ := d.stack.Pop(n)
	for _, x := range gone {
		if x.sort != 0 {
			delete(d.sorts, x.sort)
		} else {
			delete(d.funs, x.fun)
		}
	}
}

// Missing returns the commands that declare and define the undeclared symbols and sorts of the terms, in an order that
// a solver accepts.
func (d *Declared) Missing(a *smt.Arena, ts []smt.Term) []smtlib.Command {
	return Missing(a, ts, Told{
		Sort:   d.Sort,
		Symbol: func(f smt.Symbol) bool { return d.funs[f] },
	})
}
