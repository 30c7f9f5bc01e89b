package api

import (
	"slices"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/solvers"
)

// plain tries to remove features that only traces have, at first all of them at once.
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
		if r.Offer(r.with(func(_ int, c *solvers.Call) bool { return keeps(c) })) && isScript(traceOf(r.Current())) {
			return
		}
	}
}

// seeds leaves out conditions, and puts 0 in the place of the seeds that do not matter: most of them do not.
func (r *reducer) seeds() {
	for _, p := range []struct {
		has    func(c *solvers.Call) bool
		change func(c *solvers.Call)
	}{
		{func(c *solvers.Call) bool { return c.When != smtlib.None }, func(c *solvers.Call) { c.When = smtlib.None }},
		{func(c *solvers.Call) bool { return c.Seed != 0 }, func(c *solvers.Call) { c.Seed = 0 }},
	} {
		calls := traceOf(r.Current()).Calls
		var list []int
		for i := range calls {
			if p.has(&calls[i]) {
				list = append(list, i)
			}
		}
		r.Sweep(len(list), func(at driver.Span) driver.Proposal[testcase.Case] {
			return driver.Proposal[testcase.Case]{Make: r.with(func(i int, c *solvers.Call) bool {
				if slices.Contains(list[at.From:at.To], i) {
					p.change(c)
				}
				return true
			})}
		}, nil)
	}
}

// calls leaves out calls one at a time, from the end, with those that depend on them, until none can go.
func (r *reducer) calls() {
	for again := true; again && !r.Stopped(); {
		again = r.dropCalls()
		for at := 0; at < len(traceOf(r.Current()).Calls) && !r.Stopped(); at++ {
			var change func(c *solvers.Call)
			switch c := traceOf(r.Current()).Calls[at]; {
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
			case c.Kind == solvers.CallCommand && (c.Command.Kind == smtlib.CmdDefineFun ||
				c.Command.Kind == smtlib.CmdDefineConst):
				change = making(traceOf(r.Current()).Arena.SymbolInfo(c.Command.Symbols[0]).Body)
			default:
				continue
			}
			r.Offer(r.changed(at, change))
		}
	}
}

// dropCalls leaves out single calls, the last one first.
func (r *reducer) dropCalls() (any bool) {
	for at := len(traceOf(r.Current()).Calls) - 1; at >= 0; {
		next := at
		k := r.First(func() (p driver.Proposal[testcase.Case], ok bool) {
			gone := next
			next--
			p.Make = r.with(func(i int, _ *solvers.Call) bool { return i != gone })
			return p, gone >= 0
		})
		if k < 0 {
			break
		}
		any = true
		at = min(at-k-1, len(traceOf(r.Current()).Calls)-1)
	}
	return any
}

// changed returns a function that makes the case with one of the calls changed.
func (r *reducer) changed(at int, change func(c *solvers.Call)) func() *testcase.Case {
	return r.with(func(i int, c *solvers.Call) bool {
		if i == at {
			change(c)
		}
		return true
	})
}

// list returns the list of terms of a call that may have any length.
func list(c *solvers.Call) *[]smt.Term {
	if c.Kind == solvers.CallTransfer {
		return &c.Args
	}
	return &c.Command.Terms
}

// making returns a function that changes a command into a call that makes a term.
func making(t smt.Term) func(*solvers.Call) {
	return func(c *solvers.Call) { c.Kind, c.Term, c.Command = solvers.CallMakeTerm, t, smtlib.Command{} }
}

// lessMade replaces a call that makes a term by one that makes its sort only, or an argument.
func (r *reducer) lessMade(at int, t smt.Term) {
	a := traceOf(r.Current()).Arena
	args := a.CopyArgs(t)
	list := []driver.Proposal[testcase.Case]{{Make: r.changed(at, func(c *solvers.Call) {
		c.Kind, c.Sort, c.Term = solvers.CallMakeSort, a.Sort(t), 0
	})}}
	for _, x := range args {
		list = append(list, driver.Proposal[testcase.Case]{Make: r.changed(at, func(c *solvers.Call) { c.Term = x })})
	}
	if k := r.FirstOf(list); k > 0 {
		r.lessMade(at, args[k-1])
	}
}

// fewerTerms leaves out terms of a list.
func (r *reducer) fewerTerms(at int) {
	length := func() int { return len(*list(&traceOf(r.Current()).Calls[at])) }
	for k := length() - 1; k >= 0 && length() > 1; k-- {
		r.Offer(r.changed(at, func(c *solvers.Call) {
			ts := list(c)
			*ts = slices.Delete(slices.Clone(*ts), k, k+1)
		}))
	}
}

// with returns a function that makes the case of the calls for which keeps returns true; keeps may change them. Calls
// that would lack something are left out.
func (r *reducer) with(keeps func(i int, c *solvers.Call) bool) func() *testcase.Case {
	return func() *testcase.Case {
		best := r.Current()
		old := traceOf(best)
		t := &solvers.Trace{Arena: old.Arena, Notes: old.Notes}
		check := 0
		var expect []smtlib.Answer
		for i := range old.Calls {
			c := old.Calls[i]
			want := smtlib.None
			if isCheck(&c) {
				want = best.ExpectAt(check)
				check++
			}
			if keeps(i, &c) {
				t.Calls, expect = append(t.Calls, c), append(expect, want)
			}
		}
		t.Calls, expect = mend(t.Arena, t.Calls, expect)
		if len(t.Calls) == 0 {
			return nil
		}
		known := &testcase.Case{Witness: best.Witness}
		for i := range t.Calls {
			if isCheck(&t.Calls[i]) && len(best.Expect) > 0 {
				known.Expect = append(known.Expect, expect[i])
			}
		}
		return caseOf(best, t, known)
	}
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

// mend leaves out calls of solver 0 that mention undeclared names, and pops of levels that are not there.
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
