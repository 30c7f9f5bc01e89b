package weight

import (
	"math/big"
	gobits "math/bits"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Measure weighs commands.
type Measure struct {
	Arena *smt.Arena
	// Calls says that the commands stand for the calls of a trace, of which there shall be few: terms and sorts are calls,
	// too.
	Calls bool
	// Setting, if set, tells the known facts about an option of the solver, by its name without a colon.
	Setting func(name string) (KnownOption, bool)
}

// The weights of a case's parts. A term counts once however often it occurs, as it is printed once under let; a
// constant of a sort's simplest value is lighter than a variable, a variable lighter than any application.
const (
	command  = 8
	literal  = 1
	symbol   = 2
	apply    = 3
	argument = 1
)

// Node is the weight of one term without its arguments.
func Node(a *smt.Arena, t smt.Term) int {
	switch op := a.Op(t); {
	case op == smt.OpTrue || op == smt.OpFalse:
		return literal
	case op == smt.OpIntLit:
		n, _ := a.IntOf(t)
		return literal + bits(n)
	case op == smt.OpFFLit:
		n, _ := a.FFOf(t)
		return literal + bits(n)
	case op == smt.OpRealLit:
		r, _ := a.RatOf(t)
		// A denominator of one is not written.
		return literal + bits(r.Num()) + bits(r.Denom()) - bits(big.NewInt(1))
	case op == smt.OpBVLit:
		n, _ := a.BVOf(t)
		ones := 0
		for _, w := range n.Bits() {
			for ; w != 0; w &= w - 1 {
				ones++
			}
		}
		return literal + ones
	case op == smt.OpStringLit:
		s, _ := a.StrOf(t)
		w := literal
		for _, r := range s {
			w += Rune(r)
		}
		return w
	case op == smt.OpVar:
		return symbol + weightOfSort(a, a.Sort(t))
	case a.NumArgs(t) == 0 && op == smt.OpApply:
		return symbol
	case a.NumArgs(t) == 0:
		return literal + levels[op]
	}
	w := apply + argument*a.NumArgs(t)
	if !a.Op(t).Structural() {
		w += levels[a.Op(t)]
		for _, i := range a.Indices(t) {
			if n, ok := a.IndexUint(i); ok {
				w += gobits.Len64(n)
			}
		}
	}
	return w
}

// weightOfSort is the weight of a sort where a symbol or variable is declared with it: narrow bit vectors and short
// formats are the lightest of their kind, and what has no parts is lighter than what has some.
func weightOfSort(a *smt.Arena, s smt.Sort) int {
	switch a.SortKind(s) {
	case smt.KindBool, smt.KindInt:
		return 0
	case smt.KindBitVec:
		return a.Width(s) / 2
	case smt.KindFloat:
		eb, sb := a.FloatFormat(s)
		return (eb + sb) / 2
	}
	w := 1
	for _, x := range a.SortArgs(s) {
		w += 1 + weightOfSort(a, x)
	}
	return w
}

// Rune makes plain letters the lightest, so that escapes are reduced to them.
func Rune(r rune) int {
	switch {
	case r == 'a':
		return 1
	case r > ' ' && r < 0x7F && r != '"' && r != '\\':
		return 2
	}
	return 3
}

func bits(n *big.Int) int { return n.BitLen() }

// Commands is the weight of commands.
func (m *Measure) Commands(cmds []smtlib.Command) int {
	a := m.Arena
	w := 0
	var roots []smt.Term
	for i := range cmds {
		c := &cmds[i]
		w += command
		roots = append(roots, c.Terms...)
		for _, f := range c.Symbols {
			info := a.SymbolInfo(f)
			w += symbol + len(info.Params) + weightOfSort(a, info.Result)
			for _, p := range info.Params {
				w += weightOfSort(a, p)
			}
			if c.Kind != smtlib.CmdDeclareConst && c.Kind != smtlib.CmdDeclareFun && info.Body != 0 {
				w++ // a definition that could as well be a declaration
				if c.Kind.IsRecursive() {
					w += command
				}
				roots = append(roots, info.Body)
			}
		}
		for _, d := range c.Sorts {
			w += symbol
			if dt := a.Datatype(d); dt != nil {
				for _, k := range dt.Constructors {
					w += symbol + symbol*len(k.Selectors)
					for _, p := range a.SymbolInfo(k.Symbol).Params {
						w += weightOfSort(a, p)
					}
				}
			}
		}
		if c.Kind == smtlib.CmdPush || c.Kind == smtlib.CmdPop {
			w += c.N
		}
		if c.Kind == smtlib.CmdSetOption {
			known, ok := m.SettingOf(c)
			w += Distance(known, ok, c.Text)
		}
		if c.Kind == smtlib.CmdOther {
			if m.Calls {
				w += len(c.Text) / 8
			} else {
				w += len(c.Text)
			}
		}
	}
	a.PostOrder(roots, func(t smt.Term) { w += Node(a, t) })
	if m.Calls {
		w += m.calls(cmds, roots)
	}
	return w
}

// Trees returns a function for the weight of a term as a tree, at most a million.
func Trees(a *smt.Arena) func(smt.Term) int {
	return trees(a, func(t smt.Term) int { return Node(a, t) })
}

// Nodes returns a function for the number of nodes of a term as a tree, at most a million.
func Nodes(a *smt.Arena) func(smt.Term) int {
	return trees(a, func(smt.Term) int { return 1 })
}

func trees(a *smt.Arena, node func(smt.Term) int) func(smt.Term) int {
	known := map[smt.Term]int{}
	return func(root smt.Term) int {
		if w, ok := known[root]; ok {
			return w
		}
		a.PostOrder([]smt.Term{root}, func(t smt.Term) {
			if _, ok := known[t]; ok {
				return
			}
			w := node(t)
			for _, x := range a.Args(t) {
				w = min(w+known[x], 1<<20)
			}
			known[t] = w
		})
		return known[root]
	}
}

// Below is the weight of a term and all terms below it, each counted once.
func Below(a *smt.Arena, root smt.Term) (w int) {
	a.PostOrder([]smt.Term{root}, func(t smt.Term) { w += Node(a, t) })
	return w
}
