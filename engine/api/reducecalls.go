package api

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/smtlib/scope"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// plain tries to do without what only traces have: at first all of it.
func (r *reducer) plain() {
	seedless := func(c *solvers.Call) bool { c.Seed = 0; return true }
	bare := func(c *solvers.Call) bool { c.Seed, c.When = 0, smtlib.None; return true }
	one := func(c *solvers.Call) bool { return c.Kind == solvers.CallCommand && c.Instance == 0 }
	made := func(c *solvers.Call) bool { return c.Kind != solvers.CallMakeSort && c.Kind != solvers.CallMakeTerm }
	for _, keeps := range []func(c *solvers.Call) bool{
		func(c *solvers.Call) bool { return one(c) && bare(c) },
		func(c *solvers.Call) bool { return one(c) && seedless(c) },
		func(c *solvers.Call) bool { return made(c) && seedless(c) },
		one,
		made,
		func(c *solvers.Call) bool { return c.Instance == 0 },
		func(c *solvers.Call) bool { return made(c) && c.Instance == 0 },
	} {
		if r.try(keeps) {
			if isScript(traceOf(r.best)) {
				return
			}
		}
	}
}

// seeds puts 0 in the place of the seeds that do not matter, and leaves out conditions.
func (r *reducer) seeds() {
	set := func(at func(i int) bool, change func(c *solvers.Call)) bool {
		i := -1
		return r.try(func(c *solvers.Call) bool {
			if i++; at(i) {
				change(c)
			}
			return true
		})
	}
	for _, p := range []struct {
		has    func(c *solvers.Call) bool
		change func(c *solvers.Call)
	}{
		{func(c *solvers.Call) bool { return c.When != smtlib.None }, func(c *solvers.Call) { c.When = smtlib.None }},
		{func(c *solvers.Call) bool { return c.Seed != 0 }, func(c *solvers.Call) { c.Seed = 0 }},
	} {
		calls := traceOf(r.best).Calls
		var list []int
		for i := range calls {
			if p.has(&calls[i]) {
				list = append(list, i)
			}
		}
		// Halves of halves: most of them do not matter.
		for queue := [][]int{list}; len(queue) > 0 && r.more(); queue = queue[1:] {
			part := queue[0]
			if len(part) == 0 || set(func(i int) bool { return slices.Contains(part, i) }, p.change) || len(part) == 1 {
				continue
			}
			queue = append(queue, part[:len(part)/2], part[len(part)/2:])
		}
	}
}

// calls leaves out calls one at a time, from the end, with those that depend on them, until none can go.
func (r *reducer) calls() {
	for again := true; again && r.more(); {
		again = false
		for at := len(traceOf(r.best).Calls) - 1; at >= 0 && r.more(); at-- {
			at = min(at, len(traceOf(r.best).Calls)-1)
			i := -1
			if r.try(func(*solvers.Call) bool { i++; return i != at }) {
				again = true
			}
		}
		for at := 0; at < len(traceOf(r.best).Calls) && r.more(); at++ {
			var change func(c *solvers.Call)
			switch c := traceOf(r.best).Calls[at]; {
			case c.Kind == solvers.CallCommand && c.Command.N > 1:
				change = func(c *solvers.Call) { c.Command.N-- }
			case len(*list(&c)) > 1: // those that are parts of others weigh nothing
				r.fewerTerms(at)
				continue
			case c.Kind == solvers.CallMakeTerm:
				r.lessMade(at, c.Term)
				continue
			case c.Kind == solvers.CallCommand && c.Command.Kind == smtlib.CmdAssert: // it may be about the term only
				change = making(c.Command.Terms[0])
			case c.Kind == solvers.CallCommand && (c.Command.Kind == smtlib.CmdDefineFun || c.Command.Kind == smtlib.CmdDefineConst):
				change = making(traceOf(r.best).Arena.SymbolInfo(c.Command.Symbols[0]).Body)
			default:
				continue
			}
			r.changed(at, change)
		}
	}
}

// changed asks about the calls with one of them changed.
func (r *reducer) changed(at int, change func(c *solvers.Call)) bool {
	i := -1
	return r.try(func(c *solvers.Call) bool {
		if i++; i == at {
			change(c)
		}
		return true
	})
}

// list is the list of terms of a call whose length is free.
func list(c *solvers.Call) *[]smt.Term {
	if c.Kind == solvers.CallTransfer {
		return &c.Args
	}
	return &c.Command.Terms
}

// making changes a command into a call that makes a term.
func making(t smt.Term) func(*solvers.Call) {
	return func(c *solvers.Call) { c.Kind, c.Term, c.Command = solvers.CallMakeTerm, t, smtlib.Command{} }
}

// lessMade replaces a call that makes a term by one that makes its sort only, or an argument.
func (r *reducer) lessMade(at int, t smt.Term) {
	a := traceOf(r.best).Arena
	if r.changed(at, func(c *solvers.Call) { c.Kind, c.Sort, c.Term = solvers.CallMakeSort, a.Sort(t), 0 }) {
		return
	}
	for _, x := range a.CopyArgs(t) {
		if r.changed(at, func(c *solvers.Call) { c.Term = x }) {
			r.lessMade(at, x)
			return
		}
	}
}

// fewerTerms leaves out terms of a list.
func (r *reducer) fewerTerms(at int) {
	length := func() int { return len(*list(&traceOf(r.best).Calls[at])) }
	for k := length() - 1; k >= 0 && length() > 1; k-- {
		r.changed(at, func(c *solvers.Call) {
			ts := list(c)
			*ts = slices.Delete(slices.Clone(*ts), k, k+1)
		})
	}
}

// try asks about the calls that keeps keeps, which may change them, without those that would lack something.
func (r *reducer) try(keeps func(c *solvers.Call) bool) bool {
	if !r.more() {
		return false
	}
	old := traceOf(r.best)
	t := &solvers.Trace{Arena: old.Arena, Notes: old.Notes}
	known := &testcase.Case{Witness: r.best.Witness}
	check := 0
	var expect []smtlib.Answer
	for i := range old.Calls {
		c := old.Calls[i]
		want := smtlib.None
		if isCheck(&c) {
			want = r.best.ExpectAt(check)
			check++
		}
		if keeps(&c) {
			t.Calls, expect = append(t.Calls, c), append(expect, want)
		}
	}
	t.Calls, expect = mend(t.Arena, t.Calls, expect)
	if len(t.Calls) == 0 {
		return false
	}
	for i := range t.Calls {
		if isCheck(&t.Calls[i]) {
			known.Expect = append(known.Expect, expect[i])
		}
	}
	if len(r.best.Expect) == 0 {
		known.Expect = nil
	}
	c := caseOf(r.best, t, known)
	if reduce.Key(c) == reduce.Key(r.best) || !r.truth.Keeps(c.Script, c.Expect, c.Witness) {
		return false
	}
	return r.ask(c)
}

func isCheck(c *solvers.Call) bool {
	return c.Kind == solvers.CallCommand && c.Instance == 0 && c.Command.Kind.IsCheck()
}

// terms are the terms that a call is about.
func terms(c *solvers.Call) []smt.Term {
	switch c.Kind {
	case solvers.CallMakeTerm:
		return []smt.Term{c.Term}
	case solvers.CallCustom:
		return c.Args
	}
	return c.Command.Terms
}

// mend leaves out calls of solver 0 that mention what is not declared (any more), and pops of levels that are not there.
func mend(a *smt.Arena, calls []solvers.Call, expect []smtlib.Answer) (out []solvers.Call, answers []smtlib.Answer) {
	var declared scope.Declared
	for i := range calls {
		c := calls[i]
		if c.Instance == 0 {
			if c.Kind == solvers.CallCommand && c.Command.Kind == smtlib.CmdPop {
				if c.Command.N = min(c.Command.N, declared.Level()); c.Command.N == 0 {
					continue
				}
			}
			if !known(a, &declared, &c) {
				continue
			}
			declared.Note(&c.Command)
		}
		out, answers = append(out, c), append(answers, expect[i])
	}
	return out, answers
}

// known reports whether everything that a call mentions is declared.
func known(a *smt.Arena, declared *scope.Declared, c *solvers.Call) bool {
	roots := slices.Clone(terms(c))
	if c.Command.Kind == smtlib.CmdDefineFun || c.Command.Kind == smtlib.CmdDefineConst {
		roots = append(roots, a.SymbolInfo(c.Command.Symbols[0]).Body)
	}
	return !slices.ContainsFunc(a.Symbols(roots...), func(f smt.Symbol) bool { return !declared.Symbol(a, f) })
}

// withTerms writes a command beyond SMT-LIB, which says its terms in its text, with other terms; false for other commands.
func withTerms(a *smt.Arena, c *smtlib.Command, terms []smt.Term) (string, bool) {
	if c.Kind != smtlib.CmdOther || len(c.Terms) == 0 || len(terms) != len(c.Terms) {
		return "", false
	}
	exprs, err := smtlib.ParseSExprs(c.Text)
	if err != nil || len(exprs) != 1 || !exprs[0].IsList() {
		return "", false
	}
	words := make([]string, len(exprs[0].List))
	for i := range exprs[0].List {
		words[i] = exprs[0].List[i].String()
	}
	// From the end: a name that the command gives stands before the terms.
	at := len(words)
	for i := len(terms) - 1; i >= 0; i-- {
		old := smtlib.TermText(a, c.Terms[i])
		for at--; at > 0 && words[at] != old; at-- {
		}
		if at <= 0 {
			return "", false
		}
		words[at] = smtlib.TermText(a, terms[i])
	}
	return "(" + strings.Join(words, " ") + ")", true
}
