package scope

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Declared is what some commands have declared: the sorts, constants and functions that there are now, with the number of the
// assertion level of each. The zero value is that before the first command.
type Declared struct {
	// Global says that declarations outlive their level. An option of the commands sets it.
	Global bool

	sorts map[smt.SortSymbol]int
	funs  map[smt.Symbol]int
	level int
}

// Level is how many assertion levels are open.
func (d *Declared) Level() int { return d.level }

// Sort reports whether a sort is declared.
func (d *Declared) Sort(s smt.SortSymbol) bool {
	_, ok := d.sorts[s]
	return ok
}

// Symbol reports whether a function is declared, a constructor or selector with its datatype.
func (d *Declared) Symbol(a *smt.Arena, f smt.Symbol) bool {
	if _, ok := d.funs[f]; ok {
		return true
	}
	of := a.SymbolInfo(f).Datatype
	return of != 0 && d.Sort(of)
}

// declarationLevel is the level that what is declared now belongs to.
func (d *Declared) declarationLevel() int {
	if d.Global {
		return 0
	}
	return d.level
}

// Note takes a command into account.
func (d *Declared) Note(c *smtlib.Command) {
	if d.sorts == nil {
		d.sorts, d.funs = map[smt.SortSymbol]int{}, map[smt.Symbol]int{}
	}
	level := d.declarationLevel()
	for _, s := range c.Sorts {
		d.sorts[s] = level
	}
	for _, f := range c.Symbols {
		d.funs[f] = level
	}
	for _, f := range c.Named {
		d.funs[f] = level
	}
	switch c.Kind {
	case smtlib.CmdPush:
		d.level += c.N
	case smtlib.CmdPop:
		d.level = max(0, d.level-c.N)
		d.forget()
	case smtlib.CmdResetAssertions:
		d.level = -1
		if d.Global {
			d.level = 0
		}
		d.forget()
		d.level = 0
	case smtlib.CmdReset:
		*d = Declared{}
	case smtlib.CmdSetOption:
		if isGlobal(c) {
			d.Global = c.Text == "true"
		}
	}
}

// forget drops what belongs to levels that are closed.
func (d *Declared) forget() {
	for s, n := range d.sorts {
		if n > d.level {
			delete(d.sorts, s)
		}
	}
	for f, n := range d.funs {
		if n > d.level {
			delete(d.funs, f)
		}
	}
}

// Missing returns the commands that declare and define what the terms are made of and is not declared, in an order in which
// a solver takes them.
func (d *Declared) Missing(a *smt.Arena, ts []smt.Term) []smtlib.Command {
	return Missing(a, ts, Told{
		Sort:   d.Sort,
		Symbol: func(f smt.Symbol) bool { _, ok := d.funs[f]; return ok },
	})
}
