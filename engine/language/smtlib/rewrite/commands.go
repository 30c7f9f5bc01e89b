package rewrite

import (
	"slices"
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Commands applies the rewriter to commands. If carriers is set, commands of unknown kind declare the names in them.
// changed is false if nothing differs or a replacement cannot be made (see Term).
func (w *Rewriter) Commands(old []smtlib.Command, carriers bool) (cmds []smtlib.Command, changed bool) {
	cmds = slices.Clone(old)
	for i := range cmds {
		c := &cmds[i]
		switch {
		case c.Kind.IsDefinition() && len(c.Symbols) == 1 && c.Symbols[0] == w.Drop:
			changed = true // the caller puts a declaration here
			continue
		case c.Kind.IsDefinition():
			did, err := w.redefine(c)
			if err != nil {
				return nil, false
			}
			changed = changed || did
		case c.Kind == smtlib.CmdDeclareConst || c.Kind == smtlib.CmdDeclareFun || c.Kind == smtlib.CmdOther && carriers:
			changed = w.redeclare(c) || changed
		}
		if len(c.Terms) == 0 {
			continue
		}
		terms := slices.Clone(c.Terms)
		same := true
		for k, t := range terms {
			to, err := w.Term(t)
			if err != nil {
				return nil, false
			}
			terms[k] = to
			same = same && to == t
		}
		if !same {
			c.Terms = terms
			changed = true
		}
	}
	return cmds, changed
}

// redeclare renames the symbols that a command declares.
func (w *Rewriter) redeclare(c *smtlib.Command) (changed bool) {
	for i, f := range c.Symbols {
		name, ok := w.Names[f]
		if !ok {
			continue
		}
		if !changed {
			c.Symbols = slices.Clone(c.Symbols)
			changed = true
		}
		info := *w.a.SymbolInfo(f)
		c.Symbols[i] = w.a.Declare(name, info.Params, info.Result)
		w.Symbols[f] = c.Symbols[i]
	}
	return changed
}

// newName returns the name and the parameters that a definition gets.
func (w *Rewriter) newName(f smt.Symbol) (name string, vars []smt.Term, changed bool) {
	info := w.a.SymbolInfo(f)
	name, vars = info.Name, info.Vars
	if n, ok := w.Names[f]; ok {
		name, changed = n, true
	}
	for i, v := range vars {
		if to := w.Vars[v]; to != 0 {
			if !changed || &vars[0] == &info.Vars[0] {
				vars = slices.Clone(vars)
			}
			vars[i], changed = to, true
		}
	}
	return name, vars, changed
}

// redefine rewrites the bodies of a definition. A symbol is identified by its body, so a changed definition is a new
// symbol, which replaces the old one from here on.
func (w *Rewriter) redefine(c *smtlib.Command) (changed bool, err error) {
	if c.Kind.IsRecursive() {
		return w.redefineRecursive(c)
	}
	info := *w.a.SymbolInfo(c.Symbols[0])
	if info.Body == 0 {
		return false, nil
	}
	name, vars, renamed := w.newName(c.Symbols[0])
	body, err := w.Term(info.Body)
	if err != nil || body == info.Body && !renamed {
		return false, err
	}
	f, err := w.a.Define(name, vars, info.Result, body)
	if err != nil {
		return false, err
	}
	w.Symbols[c.Symbols[0]] = f
	c.Symbols = []smt.Symbol{f}
	return true, nil
}

// redefineRecursive makes new symbols first, since their bodies use them.
func (w *Rewriter) redefineRecursive(c *smtlib.Command) (changed bool, err error) {
	touched := slices.Contains(c.Symbols, w.Drop)
	for _, f := range c.Symbols {
		_, _, renamed := w.newName(f)
		touched = touched || renamed
		w.a.PostOrder([]smt.Term{w.a.SymbolInfo(f).Body}, func(t smt.Term) {
			_, edited := w.Replaced[t]
			_, renamed := w.Symbols[w.a.SymbolOf(t)]
			touched = touched || edited || renamed || w.Vars[t] != 0
			if w.namedBody(t) != 0 {
				to, err := w.Term(t)
				touched = touched || err == nil && to != t
			}
		})
	}
	if !touched {
		return false, nil
	}
	c.Symbols = slices.DeleteFunc(slices.Clone(c.Symbols), func(f smt.Symbol) bool { return f == w.Drop })
	symbols := make([]smt.Symbol, len(c.Symbols))
	for i, f := range c.Symbols {
		name, vars, _ := w.newName(f)
		w.recursions++
		symbols[i] = w.a.DeclareRecursive("reduce "+strconv.Itoa(w.recursions), name, vars, w.a.SymbolInfo(f).Result)
		w.Symbols[f] = symbols[i]
	}
	for i, f := range c.Symbols {
		body, err := w.Term(w.a.SymbolInfo(f).Body)
		if err != nil {
			return false, err
		}
		if err := w.a.DefineRecursive(symbols[i], body); err != nil {
			return false, err
		}
	}
	c.Symbols = symbols
	return true, nil
}

// Roots returns the terms of all commands, and the bodies of definitions.
func Roots(a *smt.Arena, cmds []smtlib.Command) []smt.Term {
	var roots []smt.Term
	for i := range cmds {
		c := &cmds[i]
		roots = append(roots, c.Terms...)
		if c.Kind.IsDefinition() {
			for _, f := range c.Symbols {
				if b := a.SymbolInfo(f).Body; b != 0 {
					roots = append(roots, b)
				}
			}
		}
	}
	return roots
}
