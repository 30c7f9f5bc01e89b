package scope

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// WithAsserts returns a script with the logic, options and declarations of another one, these assertions and one
// check-sat. The declarations are those that are active at its last check-sat, and whatever else the assertions need. A
// :status is left out, for it was said of other assertions.
//
// Terms that :named gives a name keep it only as whole assertions; elsewhere the name is replaced by its term, for it
// could come before the place that introduces it, or that place twice.
func WithAsserts(s *smtlib.Script, ts []smt.Term) *smtlib.Script {
	cmds := make([]smtlib.Command, 0, len(s.Commands)+len(ts)+1)
	named := false
	for i, keep := range active(s, ts) {
		if keep {
			cmds = append(cmds, s.Commands[i])
		}
		named = named || len(s.Commands[i].Named) > 0
	}
	terms := slices.Clone(ts)
	var u *unnamer
	if named {
		u = &unnamer{a: s.Arena, names: map[string]bool{}, done: map[smt.Symbol]smt.Term{}}
	}
	for i, t := range terms {
		c := smtlib.Command{Kind: smtlib.CmdAssert}
		if u != nil {
			terms[i], c.Named = u.assertion(t)
		}
		c.Terms = terms[i : i+1 : i+1]
		cmds = append(cmds, c)
	}
	return s.WithCommands(append(cmds, smtlib.Command{Kind: smtlib.CmdCheckSat}))
}

// active returns for every command whether it belongs to a script over these terms without pushes and pops.
func active(s *smtlib.Script, ts []smt.Term) []bool {
	keep := make([]bool, len(s.Commands))
	last := s.CheckSats() - 1
	var order smt.Stack[int]
	plain, global, n := true, false, 0
	for i := range s.Commands {
		c := &s.Commands[i]
		switch {
		case c.Kind == smtlib.CmdSetInfo && c.Name == ":status":
		case c.Kind.IsSetting(), c.Kind.IsDeclaration(),
			c.Kind == smtlib.CmdOther && strings.HasPrefix(c.Name, "declare-"):
			global = global || c.Kind == smtlib.CmdSetOption && c.Name == ":global-declarations" && c.Text == "true"
			order.Add(i)
		case c.Kind == smtlib.CmdPush:
			order.Push(c.N)
		case c.Kind == smtlib.CmdPop:
			plain = false
			if gone, _ := order.Pop(c.N); global {
				order.Add(gone...)
			}
		case c.Kind == smtlib.CmdReset:
			plain, global = false, false
			order.Clear()
		case c.Kind.IsCheck():
			// After pops and resets only what is in force at this check; where there are none, any declaration will do.
			if n == last && !plain {
				addUsed(s, ts, order.Items(), keep)
				return keep
			}
			n++
		}
	}
	for _, i := range order.Items() {
		keep[i] = true
	}
	if !plain {
		addUsed(s, ts, order.Items(), keep)
	}
	return keep
}

// addUsed keeps the commands in order, and those that declare the symbols and sorts that the terms use and the commands
// in order do not declare.
func addUsed(s *smtlib.Script, ts []smt.Term, order []int, keep []bool) {
	have := map[smt.Symbol]bool{}
	haveSort := map[smt.SortSymbol]bool{}
	add := func(i int) {
		keep[i] = true
		for _, f := range s.Commands[i].Symbols {
			have[f] = true
		}
		for _, x := range s.Commands[i].Sorts {
			haveSort[x] = true
		}
	}
	for _, i := range order {
		add(i)
	}
	used := UsesOf(s.Arena, ts...)
	defer used.Free()
	for i := len(s.Commands) - 1; i >= 0; i-- { // from the end, for a definition needs the declarations before it
		c := &s.Commands[i]
		if keep[i] || !c.Kind.IsDeclaration() {
			continue
		}
		wanted := c.Kind == smtlib.CmdDeclareSortParameter
		for _, f := range c.Symbols {
			wanted = wanted || used.Symbols[f] && !have[f]
		}
		for _, x := range c.Sorts {
			wanted = wanted || used.Sorts[x] && !haveSort[x]
		}
		if wanted {
			add(i)
			for _, f := range c.Symbols {
				if info := s.Arena.SymbolInfo(f); info.Body != 0 {
					used.Term(info.Body)
				}
			}
		}
	}
}

// unnamer takes :named out of terms.
type unnamer struct {
	a     *smt.Arena
	names map[string]bool // given to whole assertions so far
	done  map[smt.Symbol]smt.Term
}

// assertion keeps the name of the assertion itself, if no other assertion has it, and removes all other names.
func (u *unnamer) assertion(t smt.Term) (smt.Term, []smt.Symbol) {
	a := u.a
	attrs := a.Annotations(t)
	i := slices.IndexFunc(attrs, func(x smt.Attr) bool { return x.Keyword == ":named" && !u.names[x.Value] })
	if i < 0 {
		return u.plain(t), nil
	}
	u.names[attrs[i].Value] = true
	inner := u.plain(a.Arg(t, 0))
	name := strings.TrimSuffix(strings.TrimPrefix(attrs[i].Value, "|"), "|")
	return a.Annotate(inner, attrs[i:i+1]), []smt.Symbol{a.Name(name, inner)}
}

// plain replaces names by their terms and drops :named.
func (u *unnamer) plain(t smt.Term) smt.Term {
	a := u.a
	r, err := a.Map(t, func(x smt.Term) (smt.Term, error) {
		switch a.Op(x) {
		case smt.OpApply:
			f := a.SymbolOf(x)
			info := a.SymbolInfo(f)
			if info.Kind != smt.SymNamed {
				return x, nil
			}
			if u.done[f] == 0 {
				u.done[f] = u.plain(info.Body)
			}
			return u.done[f], nil
		case smt.OpAnnot:
			attrs := a.Annotations(x)
			n := len(attrs)
			attrs = slices.DeleteFunc(attrs, func(y smt.Attr) bool { return y.Keyword == ":named" })
			if len(attrs) == 0 {
				return a.Arg(x, 0), nil
			}
			if len(attrs) < n {
				return a.Annotate(a.Arg(x, 0), attrs), nil
			}
		}
		return x, nil
	})
	if err != nil {
		return t // the names have the sorts of their terms, so this cannot be
	}
	return r
}
