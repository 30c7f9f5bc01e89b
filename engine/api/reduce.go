package api

import (
	"context"
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// traced is a trace being made smaller, with what is known about the answer of each call that asks for one.
type traced struct {
	calls  []solvers.Call
	expect []smtlib.Answer // by call
}

// Reduce makes the trace of a case smaller while fails holds of it: it leaves calls out (delta debugging, Zeller and
// Hildebrandt, "Simplifying and isolating failure-inducing input", 2002) together with those that depend on them, then
// makes terms smaller, then numbers. The result declares nothing that it does not use. It returns the smallest case
// found, at once when ctx is done. The case must have a LiveTrace.
func Reduce(ctx context.Context, c *testcase.Case, fails func(*testcase.Case) bool) *testcase.Case {
	r := &reducer{ctx: ctx, orig: c, a: c.Script.Arena, fails: fails}
	start := traced{}
	check := 0
	for _, call := range c.LiveTrace().Calls {
		want := smtlib.None
		if call.Kind == solvers.CallCommand && call.Instance == 0 && call.Command.Kind.IsCheck() {
			want = c.ExpectAt(check)
			check++
		}
		start.calls, start.expect = append(start.calls, call), append(start.expect, want)
	}
	r.best, r.result = start, c
	for r.more() {
		before := r.tests
		size := weigh(r.a, r.best.calls)
		r.unmade()
		r.ddmin()
		r.unused()
		r.terms()
		r.numbers()
		if weigh(r.a, r.best.calls) >= size || r.tests == before {
			break
		}
	}
	return r.result
}

type reducer struct {
	ctx    context.Context
	orig   *testcase.Case
	a      *smt.Arena
	fails  func(*testcase.Case) bool
	best   traced
	result *testcase.Case
	tests  int
}

func (r *reducer) more() bool { return r.ctx.Err() == nil }

// weigh is the size of calls: what the reduction makes smaller.
func weigh(a *smt.Arena, calls []solvers.Call) int {
	n := 0
	for i := range calls {
		n += 10 + calls[i].Command.N
		for _, t := range terms(&calls[i]) {
			n += a.Size(t)
		}
	}
	return n
}

// try tests a candidate after mending it; a smaller one that fails is kept.
func (r *reducer) try(calls []solvers.Call, expect []smtlib.Answer) bool {
	if !r.more() {
		return false
	}
	t := mend(r.a, traced{calls, expect})
	if len(t.calls) == 0 || weigh(r.a, t.calls) >= weigh(r.a, r.best.calls) {
		return false
	}
	trace := &solvers.Trace{Arena: r.a, Calls: t.calls, Notes: r.orig.LiveTrace().Notes}
	c := testcase.FromTrace(r.orig.Script.Name, trace)
	c.Witness, c.Origin = r.orig.Witness, r.orig.Origin
	for i := range t.calls {
		if x := &t.calls[i]; x.Kind == solvers.CallCommand && x.Instance == 0 && x.Command.Kind.IsCheck() {
			c.Expect = append(c.Expect, t.expect[i])
		}
	}
	if len(r.orig.Expect) == 0 {
		c.Expect = nil
	}
	r.tests++
	if !r.fails(c) {
		return false
	}
	r.best, r.result = t, c
	return true
}

// without returns the best trace without some calls.
func (r *reducer) without(drop func(i int) bool) ([]solvers.Call, []smtlib.Answer) {
	var calls []solvers.Call
	var expect []smtlib.Answer
	for i := range r.best.calls {
		if !drop(i) {
			calls, expect = append(calls, r.best.calls[i]), append(expect, r.best.expect[i])
		}
	}
	return calls, expect
}

// unmade leaves out all calls that make sorts and terms ahead of their use.
func (r *reducer) unmade() {
	r.try(r.without(func(i int) bool {
		k := r.best.calls[i].Kind
		return k == solvers.CallMakeSort || k == solvers.CallMakeTerm
	}))
}

// ddmin leaves out ever smaller runs of calls, from the end.
func (r *reducer) ddmin() {
	for size := len(r.best.calls) / 2; size >= 1 && r.more(); {
		cut := false
		for at := len(r.best.calls) - size; at > -size && r.more(); at -= size {
			lo, hi := max(at, 0), min(at+size, len(r.best.calls))
			if lo >= hi {
				continue
			}
			if r.try(r.without(func(i int) bool { return i >= lo && i < hi })) {
				cut = true
			}
		}
		if !cut || size > len(r.best.calls) {
			size /= 2
		}
	}
}

// unused leaves out declarations of what no later call mentions.
func (r *reducer) unused() {
	used := map[smt.Symbol]bool{}
	drop := map[int]bool{}
	for i := len(r.best.calls) - 1; i >= 0; i-- { // what is declared is used later only
		c := &r.best.calls[i]
		roots := slices.Clone(terms(c))
		if c.Kind == solvers.CallCommand {
			if fs := c.Command.Symbols; len(fs) > 0 && !slices.ContainsFunc(fs, func(f smt.Symbol) bool { return used[f] }) {
				drop[i] = true
				continue
			}
			for _, f := range c.Command.Symbols {
				if body := r.a.SymbolInfo(f).Body; body != 0 {
					roots = append(roots, body)
				}
			}
		}
		for _, f := range r.a.Symbols(roots...) {
			used[f] = true
		}
	}
	r.try(r.without(func(i int) bool { return drop[i] }))
}

// terms replaces the terms of calls, and their subterms, by their own parts and by truth values and zeros.
func (r *reducer) terms() {
	for i := 0; i < len(r.best.calls) && r.more(); i++ {
		for k := 0; i < len(r.best.calls) && k < len(terms(&r.best.calls[i])) && r.more(); k++ {
			for again := true; again && r.more() && i < len(r.best.calls) && k < len(terms(&r.best.calls[i])); {
				again = r.simpler(i, k)
			}
		}
	}
}

// simpler makes one step with term k of call i.
func (r *reducer) simpler(i, k int) bool {
	whole := terms(&r.best.calls[i])[k]
	var parts []smt.Term
	r.a.PostOrder([]smt.Term{whole}, func(t smt.Term) { parts = append(parts, t) })
	slices.Reverse(parts) // from the root
	for _, t := range parts {
		if r.a.Op(t) == smt.OpCase || r.a.Op(t) == smt.OpVar {
			continue
		}
		for _, s := range r.smaller(t) {
			out, err := r.a.Subst(whole, map[smt.Term]smt.Term{t: s})
			if err != nil || out == whole {
				continue
			}
			calls, expect := slices.Clone(r.best.calls), r.best.expect
			calls[i] = withTerm(calls[i], k, out)
			if r.try(calls, expect) {
				return true
			}
		}
	}
	return false
}

// smaller lists what a term can be replaced by: a simple value, then its own parts of the same sort.
func (r *reducer) smaller(t smt.Term) []smt.Term {
	a := r.a
	var out []smt.Term
	if !a.IsLiteral(t) {
		switch s := a.Sort(t); a.SortKind(s) {
		case smt.KindBool:
			out = append(out, a.True(), a.False())
		case smt.KindBitVec:
			out = append(out, a.BVUint(a.Width(s), 0))
		case smt.KindInt:
			out = append(out, a.Int64(0))
		case smt.KindReal:
			out = append(out, a.RealInt(0))
		case smt.KindString:
			out = append(out, a.Str(nil))
		}
	}
	var within []smt.Term
	a.PostOrder([]smt.Term{t}, func(x smt.Term) {
		if a.Sort(x) == a.Sort(t) && x != t && !a.Op(x).IsBinder() && len(a.FreeVars(x)) == 0 {
			within = append(within, x)
		}
	})
	return append(out, within[:min(len(within), 12)]...) // the leaves come first
}

// numbers makes the numbers of levels smaller.
func (r *reducer) numbers() {
	for i := 0; i < len(r.best.calls) && r.more(); i++ {
		if c := r.best.calls[i]; c.Kind == solvers.CallCommand && c.Command.N > 1 {
			calls := slices.Clone(r.best.calls)
			calls[i].Command.N = 1
			r.try(calls, r.best.expect)
		}
	}
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

// withTerm returns the call with another term number k.
func withTerm(c solvers.Call, k int, t smt.Term) solvers.Call {
	switch c.Kind {
	case solvers.CallMakeTerm:
		c.Term = t
	case solvers.CallCustom:
		c.Args = slices.Clone(c.Args)
		c.Args[k] = t
	default:
		c.Command.Terms = slices.Clone(c.Command.Terms)
		c.Command.Terms[k] = t
		c.Command.Named = nil
	}
	return c
}

// mend leaves out calls that mention what is not declared (any more) and pops of levels that are not there.
func mend(a *smt.Arena, t traced) traced {
	var out traced
	declared := map[smt.Symbol]int{} // by level
	level := 0
	for i := range t.calls {
		c := t.calls[i]
		if c.Instance == 0 && c.Kind == solvers.CallCommand {
			switch c.Command.Kind {
			case smtlib.CmdPush:
				level += c.Command.N
			case smtlib.CmdPop:
				if c.Command.N = min(c.Command.N, level); c.Command.N == 0 {
					continue
				}
				level -= c.Command.N
				forgetAbove(declared, level)
			case smtlib.CmdReset, smtlib.CmdResetAssertions:
				level = 0
				clear(declared)
			}
		}
		if !known(a, declared, &c) {
			continue
		}
		for _, f := range c.Command.Symbols {
			declared[f] = level
		}
		for _, f := range c.Command.Named {
			declared[f] = level
		}
		for _, s := range c.Command.Sorts {
			if dt := a.Datatype(s); dt != nil {
				for _, k := range dt.Constructors {
					declared[k.Symbol] = level
					for _, f := range k.Selectors {
						declared[f] = level
					}
				}
			}
		}
		out.calls, out.expect = append(out.calls, c), append(out.expect, t.expect[i])
	}
	return out
}

func forgetAbove(declared map[smt.Symbol]int, level int) {
	for f, l := range declared {
		if l > level {
			delete(declared, f)
		}
	}
}

// known reports whether everything that a call mentions is declared.
func known(a *smt.Arena, declared map[smt.Symbol]int, c *solvers.Call) bool {
	roots := slices.Clone(terms(c))
	if c.Command.Kind == smtlib.CmdDefineFun || c.Command.Kind == smtlib.CmdDefineConst {
		roots = append(roots, a.SymbolInfo(c.Command.Symbols[0]).Body)
	}
	for _, f := range a.Symbols(roots...) {
		if _, ok := declared[f]; !ok {
			return false
		}
	}
	return true
}
