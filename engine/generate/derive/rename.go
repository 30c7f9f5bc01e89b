package derive

import (
	"fmt"
	"maps"
	"slices"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/rewrite"
)

// Rename returns c with other names for constants and functions that its script declares or defines; names maps old
// names to new ones. Known answers and the witness stay. It returns an error if the script has no such constant or
// function, or if something else has the new name.
func Rename(c *testcase.Case, names map[string]string) (*testcase.Case, error) {
	a := c.Script.Arena
	symbols := map[smt.Symbol]string{}
	found := map[string]bool{}
	taken := map[string]bool{}
	for i := range c.Script.Commands {
		x := &c.Script.Commands[i]
		for _, f := range x.Symbols {
			old := a.SymbolName(f)
			if name, ok := names[old]; ok {
				symbols[f] = name
				found[old] = true
			} else {
				taken[old] = true
			}
		}
		for _, d := range x.Sorts {
			for _, name := range a.DeclaredNames(d) {
				taken[name] = true
			}
		}
		for _, n := range x.Named {
			taken[a.SymbolName(n)] = true
		}
	}
	for _, old := range slices.Sorted(maps.Keys(names)) {
		name := names[old]
		_, isOperator := smt.LookupOp(name)
		switch {
		case !found[old]:
			return nil, fmt.Errorf("the case declares and defines no constant or function named %q", old)
		case taken[name]:
			return nil, fmt.Errorf("%q cannot become %q: the case has something of that name", old, name)
		case isOperator:
			return nil, fmt.Errorf("%q cannot become %q: that is an operator of a theory", old, name)
		}
		taken[name] = true // for the others
	}
	var w rewrite.Rewriter
	w.Reset(a, nil)
	w.Names = symbols
	cmds, changed := w.Commands(c.Script.Commands, false)
	if !changed {
		return c, nil
	}
	witness := c.Witness
	if witness != nil {
		witness = witness.Renamed(w.Symbols)
	}
	return c.With(c.Script.WithCommands(cmds), c.Expect, witness), nil
}
