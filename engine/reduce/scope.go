package reduce

import (
	"sort"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// defines reports whether a command defines functions by bodies.
func defines(c *smtlib.Command) bool {
	switch c.Kind {
	case smtlib.CmdDefineConst, smtlib.CmdDefineFun, smtlib.CmdDefineFunRec, smtlib.CmdDefineFunsRec:
		return true
	}
	return false
}

// isRecursive reports whether the bodies of a definition may use what it defines.
func isRecursive(c *smtlib.Command) bool {
	return c.Kind == smtlib.CmdDefineFunRec || c.Kind == smtlib.CmdDefineFunsRec
}

// uses collects what commands need to be declared.
type uses struct {
	a     *smt.Arena
	seen  *smt.Stamps
	syms  map[smt.Symbol]bool
	sorts map[smt.SortSymbol]bool
	known map[smt.Sort]bool
	words map[string]bool // of commands kept as text
}

func newUses(a *smt.Arena) *uses {
	return &uses{a: a, seen: a.Stamps(), syms: map[smt.Symbol]bool{}, sorts: map[smt.SortSymbol]bool{},
		known: map[smt.Sort]bool{}, words: map[string]bool{}}
}

func (u *uses) free() { u.seen.Free() }

// term notes what a term and all below it use.
func (u *uses) term(root smt.Term) {
	if u.seen.Has(root) {
		return
	}
	stack := []smt.Term{root}
	u.seen.Add(root)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		u.sort(u.a.Sort(t))
		if f := u.a.SymbolOf(t); f != 0 {
			u.symbol(f)
		}
		for _, x := range u.a.Args(t) {
			if u.seen.Add(x) {
				stack = append(stack, x)
			}
		}
	}
}

func (u *uses) symbol(f smt.Symbol) {
	if u.syms[f] {
		return
	}
	u.syms[f] = true
	info := u.a.SymbolInfo(f)
	for _, s := range info.Params {
		u.sort(s)
	}
	u.sort(info.Result)
	if info.Datatype != 0 {
		u.sorts[info.Datatype] = true
	}
}

func (u *uses) sort(s smt.Sort) {
	if s == 0 || u.known[s] {
		return
	}
	u.known[s] = true
	if sym := u.a.SortSymbolOf(s); sym != 0 {
		u.sorts[sym] = true
	}
	for _, x := range u.a.SortArgs(s) {
		u.sort(x)
	}
}

// text notes the names in a command that is kept as text.
func (u *uses) text(s string) {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("() \t\r\n|\"", r) }) {
		u.words[w] = true
	}
}

// command notes what a command uses beyond what it declares.
func (u *uses) command(c *smtlib.Command) {
	for _, t := range c.Terms {
		u.term(t)
	}
	switch {
	case c.Kind == smtlib.CmdOther || c.Kind == smtlib.CmdCheckSatUsing:
		u.text(c.Text)
	case c.Kind == smtlib.CmdDefineSort:
		u.sort(c.Sort)
	}
	for _, f := range c.Symbols {
		info := u.a.SymbolInfo(f)
		for _, s := range info.Params {
			u.sort(s)
		}
		u.sort(info.Result)
		if defines(c) && info.Body != 0 {
			u.term(info.Body)
		}
	}
	for _, d := range c.Sorts {
		dt := u.a.Datatype(d)
		if dt == nil {
			continue
		}
		for _, k := range dt.Constructors {
			for _, s := range u.a.SymbolInfo(k.Symbol).Params {
				u.sort(s)
			}
		}
	}
}

// wants reports whether something uses what a declaration declares.
func (u *uses) wants(c *smtlib.Command) bool {
	switch {
	case c.Kind == smtlib.CmdDefineSort:
		return len(u.words) > 0 // expanded wherever a term used it
	case c.Kind == smtlib.CmdDeclareSortParameter:
		return true
	}
	for _, f := range c.Symbols {
		if u.syms[f] || u.words[u.a.SymbolName(f)] {
			return true
		}
	}
	for _, d := range c.Sorts {
		if name, _ := u.a.SortSymbolName(d); u.sorts[d] || u.words[name] {
			return true
		}
		if dt := u.a.Datatype(d); dt != nil {
			for _, k := range dt.Constructors {
				if u.words[k.Name] {
					return true
				}
			}
		}
	}
	return false
}

// pruneUnused drops the declarations and definitions that nothing uses. Declarations come before their uses, so one
// look from the end on suffices.
func pruneUnused(a *smt.Arena, cmds []smtlib.Command, expect []smtlib.Answer) ([]smtlib.Command, []smtlib.Answer) {
	u := newUses(a)
	defer u.free()
	keep := make([]bool, len(cmds))
	dropped := false
	for i := len(cmds) - 1; i >= 0; i-- {
		c := &cmds[i]
		keep[i] = !c.Kind.IsDeclaration() || u.wants(c)
		if keep[i] {
			u.command(c)
		}
		dropped = dropped || !keep[i]
	}
	if !dropped {
		return cmds, expect
	}
	return selected(cmds, expect, keep)
}

// selected returns the commands to keep.
func selected(cmds []smtlib.Command, expect []smtlib.Answer, keep []bool) ([]smtlib.Command, []smtlib.Answer) {
	var c []smtlib.Command
	var e []smtlib.Answer
	for i := range cmds {
		if keep[i] {
			c = append(c, cmds[i])
			e = append(e, expect[i])
		}
	}
	return c, e
}

// level is what one assertion level declares.
type level struct {
	syms  map[smt.Symbol]bool
	sorts map[smt.SortSymbol]bool
	funs  map[string]int // functions by name: their number
}

func newLevel() *level {
	return &level{map[smt.Symbol]bool{}, map[smt.SortSymbol]bool{}, map[string]int{}}
}

// IllScoped returns the number of the first command of a script that is out of place: a pop without its push, or one with
// something that is not declared there; -1 if there is none.
func IllScoped(s *smtlib.Script) int {
	global := false
	for i := range s.Commands {
		c := &s.Commands[i]
		global = global || c.Kind == smtlib.CmdSetOption && c.Name == ":global-declarations" && c.Text == "true"
	}
	if wellScoped(s.Arena, s.Commands, global) {
		return -1
	}
	return sort.Search(len(s.Commands)-1, func(n int) bool { return !wellScoped(s.Arena, s.Commands[:n+1], global) })
}

// wellScoped reports whether each pop has its push, and everything is declared where it is used, and once.
func wellScoped(a *smt.Arena, cmds []smtlib.Command, global bool) bool {
	levels := []*level{newLevel()}
	named := map[string]bool{}
	u := newUses(a) // sees each term once: what it needs was in scope then, see needsAgain
	defer func() { u.free() }()
	for i := range cmds {
		c := &cmds[i]
		switch c.Kind {
		case smtlib.CmdPush:
			for range c.N {
				levels = append(levels, newLevel())
			}
		case smtlib.CmdPop:
			if c.N >= len(levels) {
				return false
			}
			top := levels[len(levels)-c.N:]
			levels = levels[:len(levels)-c.N]
			if global {
				for _, l := range top {
					merge(levels[0], l)
				}
				break
			}
			u.free() // what was in scope may no longer be
			u = newUses(a)
		case smtlib.CmdReset, smtlib.CmdResetAssertions:
			old := levels
			levels = []*level{newLevel()}
			if global && c.Kind == smtlib.CmdResetAssertions {
				for _, l := range old {
					merge(levels[0], l)
				}
			}
			u.free()
			u = newUses(a)
		}
		if isRecursive(c) && !declare(a, c, levels) {
			return false
		}
		before := [2]int{len(u.syms), len(u.sorts)}
		u.command(c)
		collectNamed(a, c, named)
		if (len(u.syms) != before[0] || len(u.sorts) != before[1]) && !declared(a, u, c, levels, named) {
			return false
		}
		if c.Kind.IsDeclaration() && !isRecursive(c) && !declare(a, c, levels) {
			return false
		}
	}
	return true
}

func merge(to, from *level) {
	for f := range from.syms {
		to.syms[f] = true
	}
	for d := range from.sorts {
		to.sorts[d] = true
	}
	for n, k := range from.funs {
		to.funs[n] += k
	}
}

// declare puts what a command declares into scope; false if a name is taken in the same scope. SMT-LIB 2.7 allows no
// overloading of user symbols (section 4.2.3); shadowing in an inner level is left to the solver, so it is refused too.
func declare(a *smt.Arena, c *smtlib.Command, levels []*level) bool {
	top := levels[len(levels)-1]
	add := func(f smt.Symbol) bool {
		name := a.SymbolName(f)
		for _, l := range levels {
			if l.funs[name] > 0 {
				return false
			}
		}
		top.syms[f] = true
		top.funs[name]++
		return true
	}
	for _, f := range c.Symbols {
		if !add(f) {
			return false
		}
	}
	for _, d := range c.Sorts {
		top.sorts[d] = true
		dt := a.Datatype(d)
		if dt == nil {
			continue
		}
		for _, k := range dt.Constructors {
			if !add(k.Symbol) {
				return false
			}
			for _, f := range k.Selectors {
				if !add(f) {
					return false
				}
			}
		}
	}
	return true
}

// collectNamed notes the names that (! t :named n) gives in a command.
func collectNamed(a *smt.Arena, c *smtlib.Command, named map[string]bool) {
	if c.Kind != smtlib.CmdAssert {
		return
	}
	a.PostOrder(c.Terms, func(t smt.Term) {
		if a.Op(t) != smt.OpAnnot {
			return
		}
		for _, x := range a.Annotations(t) {
			if x.Keyword == ":named" {
				named[strings.Trim(x.Value, "|")] = true
			}
		}
	})
}

// declared reports whether everything used so far is in scope.
func declared(a *smt.Arena, u *uses, c *smtlib.Command, levels []*level, named map[string]bool) bool {
	inScope := func(f smt.Symbol) bool {
		for _, l := range levels {
			if l.syms[f] {
				return true
			}
		}
		return false
	}
	for f := range u.syms {
		if a.SymbolInfo(f).Kind == smt.SymNamed {
			if !named[a.SymbolName(f)] {
				return false
			}
			continue
		}
		if !inScope(f) {
			return false
		}
	}
	for d := range u.sorts {
		ok := false
		for _, l := range levels {
			ok = ok || l.sorts[d]
		}
		for _, own := range c.Sorts { // datatypes may refer to themselves
			ok = ok || own == d
		}
		if !ok {
			return false
		}
	}
	return true
}
