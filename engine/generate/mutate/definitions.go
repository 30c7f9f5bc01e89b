package mutate

import (
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// root is a term of a script that is mutated: an asserted term, or the body of a defined function.
type root struct {
	cmd  int        // number of the command
	sym  smt.Symbol // the function; 0 for an assertion
	rank int32      // of a definition: its place among them, from 1; functions of one command share it
	// group has the functions of a recursive definition.
	group []smt.Symbol
	// nested says that a recursive call depends on the value of another one.
	nested bool
	// hides says that a parameter has the name of a symbol, so terms from elsewhere may not be put into the body.
	hides bool
}

// definesFunctions reports whether a command defines functions.
func definesFunctions(c *smtlib.Command) bool {
	switch c.Kind {
	case smtlib.CmdDefineConst, smtlib.CmdDefineFun, smtlib.CmdDefineFunRec, smtlib.CmdDefineFunsRec:
		return true
	}
	return false
}

// definitionsLast moves definitions behind the other declarations, on which alone they depend, if those come first in
// the script anyway: then a body may use whatever is declared.
func definitionsLast(cmds []smtlib.Command) []smtlib.Command {
	end, seen, move := 0, false, false
	for i := range cmds {
		c := &cmds[i]
		if c.Kind.IsDeclaration() {
			end = i + 1
			move = move || seen && !definesFunctions(c)
			seen = seen || definesFunctions(c)
		}
	}
	if !move {
		return cmds
	}
	out := make([]smtlib.Command, 0, len(cmds))
	var defs []smtlib.Command
	for _, c := range cmds[:end] {
		if definesFunctions(&c) {
			defs = append(defs, c)
		} else {
			out = append(out, c)
		}
	}
	return append(append(out, defs...), cmds[end:]...)
}

// addUsedDefinitions adds the bodies of the functions that the assertions use, in the order of their commands.
// Definitions come before the first assertion.
func (x *Subject) addUsedDefinitions() {
	used := x.usedDefinitions()
	if len(used) == 0 {
		return
	}
	a := x.a
	x.rank, x.defined = map[smt.Term]int32{}, map[smt.Symbol]int32{}
	names := map[string]bool{}
	for i := range x.cmds {
		for _, f := range x.cmds[i].Symbols {
			names[a.SymbolName(f)] = true
		}
	}
	n := int32(0)
	for i := range x.cmds {
		c := &x.cmds[i]
		if !definesFunctions(c) {
			continue
		}
		n++
		for _, f := range c.Symbols {
			x.defined[f] = n
			info := a.SymbolInfo(f)
			if !used[f] || info.Body == 0 {
				continue
			}
			r := root{cmd: i, sym: f, rank: n}
			if info.Recursive {
				r.group = c.Symbols
				r.nested = nestedCalls(a, info.Body, r.group)
			}
			for _, v := range info.Vars {
				r.hides = r.hides || names[a.VarName(v)]
			}
			x.roots, x.terms = append(x.roots, r), append(x.terms, info.Body)
		}
	}
}

// usedDefinitions returns the defined functions that the assertions use, also by way of each other.
func (x *Subject) usedDefinitions() map[smt.Symbol]bool {
	a := x.a
	any := false
	for i := range x.cmds {
		any = any || definesFunctions(&x.cmds[i])
	}
	if !any {
		return nil
	}
	used := map[smt.Symbol]bool{}
	pending := slices.Clone(x.terms)
	for len(pending) > 0 {
		syms := a.Symbols(pending...)
		pending = pending[:0]
		for _, f := range syms {
			if info := a.SymbolInfo(f); info.Kind == smt.SymDefined && !used[f] {
				used[f] = true
				pending = append(pending, info.Body)
			}
		}
	}
	return used
}

// noteRank notes which definitions a term depends on: the last of them.
func (x *Subject) noteRank(t smt.Term) {
	if x.defined == nil {
		return
	}
	n := x.defined[x.a.SymbolOf(t)]
	for _, c := range x.a.Args(t) {
		n = max(n, x.rank[c])
	}
	if n > 0 {
		x.rank[t] = n
	}
}

// nestedCalls reports whether a recursive call in a body depends on the value of another one: it is an argument of it,
// or decides whether it takes place.
func nestedCalls(a *smt.Arena, body smt.Term, group []smt.Symbol) bool {
	nested := false
	a.PostOrder([]smt.Term{body}, func(t smt.Term) {
		switch op := a.Op(t); {
		case op == smt.OpApply && containsItem(group, a.SymbolOf(t)):
			nested = nested || slices.ContainsFunc(a.Args(t), func(x smt.Term) bool { return callsAny(a, x, group) })
		case op == smt.OpIte || op == smt.OpMatch:
			nested = nested || callsAny(a, a.Arg(t, 0), group)
		}
	})
	return nested
}

// callsAny reports whether a term applies one of the functions.
func callsAny(a *smt.Arena, t smt.Term, group []smt.Symbol) bool {
	return slices.ContainsFunc(a.Symbols(t), func(f smt.Symbol) bool { return containsItem(group, f) })
}

// allowsAnyTerm reports whether the spot may get any other term without recursive calls: a recursive definition that
// defines a function must not become one that does not, for solvers need not agree on those. So the terms that decide
// about recursive calls stay as they are, and so do the arguments of the calls.
func (e *edit) allowsAnyTerm() bool {
	r := &e.x.roots[e.root]
	if r.group == nil {
		return true
	}
	if r.nested {
		return false
	}
	a := e.x.a
	for _, f := range e.frames {
		decides := a.Op(f.t).IsBinder() || isConnective(a, f.t)
		switch op := a.Op(f.t); {
		case op == smt.OpApply && containsItem(r.group, a.SymbolOf(f.t)):
			return false
		case op == smt.OpIte || op == smt.OpMatch:
			decides = f.arg == 0
		}
		if !decides {
			continue
		}
		for i, x := range a.Args(f.t) {
			if i != f.arg && callsAny(a, x, r.group) {
				return false
			}
		}
	}
	return true
}

// allowsOtherHead reports whether the head at the spot may become another one that takes the same arguments, as far as
// recursion goes: not if it decides about recursive calls.
func (e *edit) allowsOtherHead() bool {
	r := &e.x.roots[e.root]
	if r.group == nil {
		return true
	}
	a := e.x.a
	op := a.Op(e.at)
	decides := isConnective(a, e.at) || op.IsBinder() || op == smt.OpIte || op == smt.OpMatch
	return e.allowsAnyTerm() && !(decides && callsAny(a, e.at, r.group))
}

// redefineFunctions returns the commands with new bodies for some functions. The given bodies use the original
// functions. In the result, every use of a changed function refers to the new one, which has the same name.
func redefineFunctions(a *smt.Arena, cmds []smtlib.Command, bodies map[smt.Symbol]smt.Term) ([]smtlib.Command, error) {
	to := map[smt.Symbol]smt.Symbol{}
	rename := func(t smt.Term) (smt.Term, error) {
		if len(to) == 0 {
			return t, nil
		}
		return a.Map(t, func(t smt.Term) (smt.Term, error) {
			if g := to[a.SymbolOf(t)]; g != 0 && a.Op(t) == smt.OpApply {
				return a.Apply(g, a.CopyArgs(t)...)
			}
			return t, nil
		})
	}
	out := slices.Clone(cmds)
	for i := range out {
		c := &out[i]
		var err error
		switch {
		case definesFunctions(c):
			err = redefineCommand(a, c, bodies, to, rename)
		case len(c.Terms) > 0 && len(to) > 0:
			c.Terms = slices.Clone(c.Terms)
			for k, t := range c.Terms {
				if c.Terms[k], err = rename(t); err != nil {
					break
				}
			}
		}
		if err != nil {
			return nil, fmt.Errorf("mutate: changing a definition: %w", err)
		}
	}
	return out, nil
}

// redefineCommand makes a command define new functions if any of its functions, or a function that they use, has
// changed.
func redefineCommand(a *smt.Arena, c *smtlib.Command, bodies map[smt.Symbol]smt.Term, to map[smt.Symbol]smt.Symbol, rename func(smt.Term) (smt.Term, error)) error {
	news := make([]smt.Term, len(c.Symbols))
	same := true
	// Recursive functions with the same key and name are the same function. The bodies in the key keep functions of
	// different mutants apart.
	key := "changed"
	for k, f := range c.Symbols {
		was := a.SymbolInfo(f).Body
		body, ok := bodies[f]
		if !ok {
			body = was
		}
		var err error
		if news[k], err = rename(body); err != nil {
			return err
		}
		same = same && news[k] == was
		key += fmt.Sprintf(" %d %d", f, news[k])
	}
	// Nothing changes, so the symbols stay, and so do the texts that are remembered for the command.
	if same {
		return nil
	}
	syms := make([]smt.Symbol, len(c.Symbols))
	for k, f := range c.Symbols {
		info := *a.SymbolInfo(f)
		if info.Recursive {
			syms[k] = a.DeclareRecursive(fmt.Sprintf("%s/%d", key, k), info.Name, info.Vars, info.Result)
			continue
		}
		var err error
		if syms[k], err = a.Define(info.Name, info.Vars, info.Result, news[k]); err != nil {
			return err
		}
	}
	for k, f := range c.Symbols {
		to[f] = syms[k]
	}
	// Bodies last: they call the new functions, each other among them.
	for k, f := range syms {
		if !a.SymbolInfo(f).Recursive {
			continue
		}
		body, err := rename(news[k])
		if err != nil {
			return err
		}
		if err := a.DefineRecursive(f, body); err != nil {
			return err
		}
	}
	c.Symbols = syms
	return nil
}
