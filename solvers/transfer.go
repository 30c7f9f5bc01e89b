package solvers

import (
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// Transferrer is a session that takes terms over from another one by a function of its library, such as Z3_translate, or
// because both share the library's terms. The terms are of the arena that both sessions have, and what they are made of
// was declared to the session before (Known.Missing). The session keeps the objects as if it had made them itself.
//
// from may be of any kind: what a session cannot take over it makes anew, so that a transfer means the same for all.
type Transferrer interface {
	Transfer(from Session, ts []smt.Term) error
}

// Transfer takes terms over from one session to another: it declares what the receiver lacks, and then asks it to take
// the terms over, or to make them where it has no way of its own. Over text that is all there is to a transfer: the
// declarations are sent, and the terms come when they are used. known is what the receiver was told so far, and learns
// what is declared now.
func Transfer(from, to Session, ts []smt.Term, known *Known) error {
	missing := known.Missing(to.Arena(), ts)
	for i := range missing {
		if err := Do(to, &missing[i]); err != nil {
			return err
		}
		known.Note(&missing[i])
	}
	return TakeOver(from, to, ts)
}

// TakeOver is the second part of Transfer: the receiver has all declarations.
func TakeOver(from, to Session, ts []smt.Term) error {
	switch x := to.(type) {
	case Transferrer:
		return x.Transfer(from, ts)
	case TermMaker:
		for _, t := range ts {
			if err := x.MakeTerm(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// Known is what a solver was told: the sorts, constants and functions that it has now, with the number of the assertion
// level of each. The zero value is that of a new solver.
type Known struct {
	sorts  map[smt.SortSymbol]int
	funs   map[smt.Symbol]int
	level  int
	global bool // declarations outlive their level
}

// Note takes a command that the solver has accepted into account.
func (k *Known) Note(c *smtlib.Command) {
	if k.sorts == nil {
		k.sorts, k.funs = map[smt.SortSymbol]int{}, map[smt.Symbol]int{}
	}
	level := k.level
	if k.global {
		level = 0
	}
	for _, s := range c.Sorts {
		k.sorts[s] = level
	}
	for _, f := range slices.Concat(c.Symbols, c.Named) {
		k.funs[f] = level
	}
	switch c.Kind {
	case smtlib.CmdPush:
		k.level += c.N
	case smtlib.CmdPop:
		k.level = max(0, k.level-c.N)
		k.forget()
	case smtlib.CmdResetAssertions:
		k.level = -1
		if k.global {
			k.level = 0
		}
		k.forget()
		k.level = 0
	case smtlib.CmdReset:
		*k = Known{}
	case smtlib.CmdSetOption:
		if c.Name == ":global-declarations" {
			k.global = c.Text == "true"
		}
	}
}

// forget drops what belongs to levels that are closed.
func (k *Known) forget() {
	for s, n := range k.sorts {
		if n > k.level {
			delete(k.sorts, s)
		}
	}
	for f, n := range k.funs {
		if n > k.level {
			delete(k.funs, f)
		}
	}
}

// Missing returns the commands that declare and define what the terms are made of and the solver was not told, in an order
// in which it takes them.
func (k *Known) Missing(a *smt.Arena, ts []smt.Term) []smtlib.Command {
	return smtlib.Missing(a, ts, smtlib.Told{
		Sort:   func(s smt.SortSymbol) bool { _, ok := k.sorts[s]; return ok },
		Symbol: func(f smt.Symbol) bool { _, ok := k.funs[f]; return ok },
	})
}
