package scope

import (
	"slices"
	"sort"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Prune drops the declarations and definitions that nothing uses. Declarations come before their uses, so one pass from
// the end suffices.
func Prune(a *smt.Arena, cmds []smtlib.Command, expect []smtlib.Answer) ([]smtlib.Command, []smtlib.Answer) {
	u := UsesOf(a)
	defer u.Free()
	keep := make([]bool, len(cmds))
	dropped := false
	for i := len(cmds) - 1; i >= 0; i-- {
		c := &cmds[i]
		keep[i] = !c.Kind.IsDeclaration() || u.Wants(c)
		if keep[i] {
			u.Command(c)
		}
		dropped = dropped || !keep[i]
	}
	if !dropped {
		return cmds, expect
	}
	return Selected(cmds, expect, keep)
}

// Selected returns the commands to keep.
func Selected(cmds []smtlib.Command, expect []smtlib.Answer, keep []bool) ([]smtlib.Command, []smtlib.Answer) {
	n := 0
	for _, k := range keep {
		if k {
			n++
		}
	}
	// Allocate the exact size: a search through a large script keeps many of these slices.
	c, e := make([]smtlib.Command, 0, n), make([]smtlib.Answer, 0, n)
	for i := range cmds {
		if keep[i] {
			c = append(c, cmds[i])
			e = append(e, expect[i])
		}
	}
	return c, e
}

// IllScoped returns the number of the first command of a script that is out of place: a pop without its push, or a
// command that uses something not declared there; -1 if there is none.
func IllScoped(s *smtlib.Script) int {
	global := GlobalDeclarations(s.Commands)
	if WellScoped(s.Arena, s.Commands, global) {
		return -1
	}
	return sort.Search(len(s.Commands)-1, func(n int) bool { return !WellScoped(s.Arena, s.Commands[:n+1], global) })
}

// GlobalDeclarations reports whether commands say that declarations outlive the level they are made in.
func GlobalDeclarations(cmds []smtlib.Command) bool {
	return slices.ContainsFunc(cmds, func(c smtlib.Command) bool { return isGlobal(&c) && c.Text == "true" })
}

func isGlobal(c *smtlib.Command) bool {
	return c.Kind == smtlib.CmdSetOption && c.Name == ":global-declarations"
}

// WellScoped reports whether each pop has its push, and everything is declared where it is used, and once. global says
// that declarations outlive their level, whatever the commands say.
func WellScoped(a *smt.Arena, cmds []smtlib.Command, global bool) bool {
	k := &checker{a: a, declared: Declared{Global: global}, names: map[string]int{}, named: map[string]bool{}, uses: UsesOf(a)}
	defer func() { k.uses.Free() }()
	for i := range cmds {
		if !k.takes(&cmds[i]) {
			return false
		}
		k.declared.Global = global
	}
	return true
}

// checker checks commands in order for whether each is well scoped.
type checker struct {
	a        *smt.Arena
	declared Declared
	names    map[string]int  // of functions, with the level they are declared in
	named    map[string]bool // names that (! t :named n) gave
	uses     *Uses           // visits each term once: its symbols were in scope at that time
}

// takes reports whether a command is well scoped, and updates the state for the next one.
func (k *checker) takes(c *smtlib.Command) bool {
	switch c.Kind {
	case smtlib.CmdPop:
		if c.N > k.declared.Level() {
			return false
		}
		fallthrough
	case smtlib.CmdPush, smtlib.CmdReset, smtlib.CmdResetAssertions:
		k.enter(c)
	}
	if c.Kind.IsRecursive() && !k.declare(c) {
		return false
	}
	symbols, sorts := len(k.uses.metSymbols), len(k.uses.metSorts)
	k.uses.Command(c)
	k.collectNamed(c)
	if !k.inScope(c, k.uses.metSymbols[symbols:], k.uses.metSorts[sorts:]) {
		return false
	}
	return !c.Kind.IsDeclaration() || c.Kind.IsRecursive() || k.declare(c)
}

// enter changes the level as a push, a pop or a reset does.
func (k *checker) enter(c *smtlib.Command) {
	k.declared.Note(c)
	if c.Kind == smtlib.CmdPush || c.Kind == smtlib.CmdPop && k.declared.Global {
		return
	}
	for name, level := range k.names {
		if level > k.declared.Level() || c.Kind == smtlib.CmdReset || c.Kind == smtlib.CmdResetAssertions && !k.declared.Global {
			delete(k.names, name)
		}
	}
	k.uses.Free() // symbols may have gone out of scope
	k.uses = UsesOf(k.a)
}

// declare brings the declarations of a command into scope. It returns false if a name is taken in the same scope.
// SMT-LIB 2.7 allows no overloading of user symbols (section 4.2.3); shadowing in an inner level is left to the solver,
// so it is refused too.
func (k *checker) declare(c *smtlib.Command) bool {
	add := func(f smt.Symbol) bool {
		name := k.a.SymbolName(f)
		if _, taken := k.names[name]; taken {
			return false
		}
		k.names[name] = k.declared.declarationLevel()
		return true
	}
	for _, f := range c.Symbols {
		if !add(f) {
			return false
		}
	}
	for _, d := range c.Sorts {
		dt := k.a.Datatype(d)
		if dt == nil {
			continue
		}
		for _, x := range dt.Constructors {
			if !add(x.Symbol) {
				return false
			}
			for _, f := range x.Selectors {
				if !add(f) {
					return false
				}
			}
		}
	}
	k.declared.Note(c)
	return true
}

// collectNamed notes the names that (! t :named n) gives in a command.
func (k *checker) collectNamed(c *smtlib.Command) {
	if c.Kind != smtlib.CmdAssert {
		return
	}
	k.a.PostOrder(c.Terms, func(t smt.Term) {
		if k.a.Op(t) != smt.OpAnnot {
			return
		}
		for _, x := range k.a.Annotations(t) {
			if x.Keyword == ":named" {
				k.named[strings.Trim(x.Value, "|")] = true
			}
		}
	})
}

// inScope reports whether the symbols and sorts that a command is the first to use are in scope. Earlier ones were
// checked when they were first used, and enter, which removes declarations, has all of them checked again. To check all
// of them for each command would take time quadratic in the length of the script.
func (k *checker) inScope(c *smtlib.Command, symbols []smt.Symbol, sorts []smt.SortSymbol) bool {
	for _, f := range symbols {
		if k.a.SymbolInfo(f).Kind == smt.SymNamed {
			if !k.named[k.a.SymbolName(f)] {
				return false
			}
			continue
		}
		if !k.declared.Symbol(k.a, f) {
			return false
		}
	}
	for _, d := range sorts { // datatypes may refer to themselves
		if !k.declared.Sort(d) && !slices.Contains(c.Sorts, d) {
			return false
		}
	}
	return true
}
