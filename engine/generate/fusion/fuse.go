package fusion

import (
	"errors"
	"github.com/smtlark/smtlark/engine/language/template"
	"slices"
	"sync"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// How says how the parts of a joint script are put together.
type How struct {
	// Answer is the desired answer of the case: Sat needs a part that is satisfiable, Unsat one that is unsatisfiable;
	// None takes parts of which nothing is known.
	Answer smtlib.Answer
	// Share is the probability that an occurrence of a fused variable is replaced. At least one of each is.
	Share float64
	// Verify has the sat case evaluated in the models of its parts, if all have one.
	Verify bool
}

// ErrWitness says that the models of the parts and the values of the fusion variables do not satisfy the fused script.
// Then a model, a status or a rule is wrong, or the models need different interpretations of values that the standard
// leaves open. Such a case is not used.
var ErrWitness = errors.New("the witness of the fused script does not hold")

// errCase says that a joint script has become a case already.
var errCase = errors.New("a joint script becomes one case")

// ErrParts says that no part has the answer that is asked for.
var ErrParts = errors.New("no part has the answer asked for")

// Case returns the fused script with its known answer:
//
//   - Sat, all parts sat: the conjunction of the parts, where z stays free;
//   - Sat, some parts sat: their disjunction;
//   - Unsat, all parts unsat: the disjunction of the parts and the equations z = f;
//   - Unsat, some parts unsat: their conjunction and the equations;
//   - None: the conjunction or the disjunction, with or without the equations.
//
// A sat case has a witness if all its parts have models and it was verified. Without one, the answer is unknown if
// several parts have an operator with a value that the standard leaves open, since the parts may need different values.
//
// If the first part keeps its checks (Part.Checks), each check has the same answer as there, regardless of How.Answer.
func (j *Joint) Case(r *rng.Source, how How) (*testcase.Case, error) {
	if j.cmds == nil {
		return nil, errCase
	}
	if j.steps != nil {
		return j.incrementalCase(r, how)
	}
	all, some := true, false
	for _, p := range j.parts {
		all = all && p.answer == how.Answer
		some = some || p.answer == how.Answer
	}
	if how.Answer.Decided() && !some {
		return nil, ErrParts
	}
	if err := j.replaceOccurrences(r, how.Share); err != nil {
		return nil, err
	}
	and := all == (how.Answer == smtlib.Sat)
	equations := how.Answer == smtlib.Unsat
	if !how.Answer.Decided() {
		and, equations = r.Bool(), r.Bool()
	}
	asserts := j.combineParts(and)
	if equations {
		asserts = append(asserts, j.fusionEquations(r)...)
	}
	c := &testcase.Case{Script: j.fusedScript(asserts, []smtlib.Command{{Kind: smtlib.CmdCheckSat}})}
	switch how.Answer {
	case smtlib.Unsat:
		c.Expect = []smtlib.Answer{smtlib.Unsat}
	case smtlib.Sat:
		return c, j.completeSat(c, asserts, and, how.Verify)
	}
	return c, nil
}

// completeSat completes a case that is sat by construction.
func (j *Joint) completeSat(c *testcase.Case, asserts []smt.Term, and, verify bool) error {
	known := !and || !j.sharesOpenOperator()
	for _, f := range j.fused {
		known = known && f.Proven
	}
	if verify && j.modeled && j.model != nil {
		w, result := j.extendWitness(asserts)
		switch result {
		case value.False:
			return ErrWitness
		case value.True:
			c.Witness, known = w, true
		}
	}
	if known {
		c.Expect = []smtlib.Answer{smtlib.Sat}
	}
	return nil
}

// sharesOpenOperator reports whether more than one part may depend on values that the standard leaves open for the same
// operator.
func (j *Joint) sharesOpenOperator() bool {
	seen := map[smt.Op]bool{}
	for _, p := range j.parts {
		for op := range p.open {
			if seen[op] {
				return true
			}
			seen[op] = true
		}
	}
	return false
}

// replaceOccurrences replaces occurrences of fused variables in all parts.
func (j *Joint) replaceOccurrences(r *rng.Source, share float64) error {
	w := rewriters.Get().(*rewriter)
	defer rewriters.Put(w)
	for _, p := range j.parts {
		if len(p.inverse) == 0 {
			continue
		}
		// In the order in which they occur, whatever function replaced which first.
		slices.SortFunc(p.inverse, func(x, y replacement) int { return slices.Index(p.consts, x.x) - slices.Index(p.consts, y.x) })
		for i := range p.inverse {
			p.inverse[i].forced = r.Intn(p.inverse[i].left)
		}
		w.rewritePart(j.arena, p, r, share)
	}
	return nil
}

// rewriter replaces occurrences in one part. An occurrence is an argument of one of the part's different terms, or an
// assertion.
type rewriter struct {
	done []smt.Term // the rewritten terms of the part
	args []smt.Term
}

// rewriters are kept for their memory.
var rewriters = sync.Pool{New: func() any { return new(rewriter) }}

// nextOccurrence returns the replacement for the next occurrence of a constant.
func (p *joined) nextOccurrence(x smt.Term, r *rng.Source, share float64) smt.Term {
	for i := range p.inverse {
		if v := &p.inverse[i]; v.x == x {
			v.left--
			if v.left == v.forced || r.Chance(share) {
				return v.inverse
			}
			break
		}
	}
	return x
}

// rewritePart goes through the part's terms. The results for the terms below a term are known before the term itself is
// visited, so leftovers of earlier parts in done are never read. A fused constant becomes 0, since each occurrence is
// decided anew.
func (w *rewriter) rewritePart(a *smt.Arena, p *joined, r *rng.Source, share float64) {
	if n := a.Len(); len(w.done) < n {
		w.done = make([]smt.Term, n+n/2)
	}
	done := w.done
terms:
	for _, t := range p.order {
		done[t] = t
		op, args := a.Look(t)
		if len(args) == 0 && op == smt.OpApply {
			for i := range p.inverse {
				if p.inverse[i].x == t {
					done[t] = 0
				}
			}
			continue
		}
		for _, x := range args {
			if done[x] != x {
				w.rebuildTerm(a, p, t, r, share)
				continue terms
			}
		}
	}
	out := make([]smt.Term, len(p.asserts))
	for i, t := range p.asserts {
		if out[i] = done[t]; out[i] == 0 {
			out[i] = p.nextOccurrence(t, r, share)
		}
	}
	p.asserts = out
}

// rebuildTerm computes the new form of a term if some of its arguments are fused constants or have changed.
func (w *rewriter) rebuildTerm(a *smt.Arena, p *joined, t smt.Term, r *rng.Source, share float64) {
	from, to := replaceableArgs(a, t)
	bound := 0
	if from > 0 {
		bound = len(a.BoundVars(t))
	}
	changed := false
	args := w.args[:0]
	for i, x := range a.Args(t) {
		y := w.done[x]
		switch {
		case i < bound:
			y = x
		case y == 0 && from <= i && i < to:
			y = p.nextOccurrence(x, r, share)
		case y == 0:
			y = x
		}
		changed = changed || y != x
		args = append(args, y)
	}
	w.args = args
	if changed {
		w.done[t] = a.With(t, args) // an inverse has the sort of the term it replaces
	}
}

// combineParts returns the assertions of all parts, or one that is their disjunction.
func (j *Joint) combineParts(and bool) []smt.Term {
	var out []smt.Term
	for _, p := range j.parts {
		if and {
			out = append(out, p.asserts...)
		} else {
			out = append(out, j.arena.And(p.asserts...))
		}
	}
	if and {
		return out
	}
	return []smt.Term{j.arena.Or(out...)}
}

// fusionEquations returns z = f with the conditions on fresh functions for every fused function, and for some of them
// that the variables are their inverses, which follows.
func (j *Joint) fusionEquations(r *rng.Source) []smt.Term {
	var out []smt.Term
	for _, f := range j.fused {
		out = append(append(out, j.arena.Eq(f.Z, f.F)), f.Side...)
		if r.Intn(3) == 0 || !f.Proven {
			for i, x := range f.Inputs {
				out = append(out, j.arena.Eq(x, f.Inverse[i]))
			}
		}
	}
	return out
}

// fusedScript returns the fused script: options, logic, declarations, the assertions, and the commands behind them.
func (j *Joint) fusedScript(asserts []smt.Term, body []smtlib.Command) *smtlib.Script {
	a := j.arena
	need := j.need
	cmds := j.cmds // with capacity for the commands appended below
	j.cmds = nil
	for _, f := range j.fused {
		need |= f.Needs | logic.OfTerms(a, append(f.Inverse[:len(f.Inverse):len(f.Inverse)], f.F))
		for _, c := range f.Consts {
			cmds = append(cmds, smtlib.DeclareCommand(a, c))
		}
		for _, c := range f.Fresh {
			cmds = append(cmds, smtlib.DeclareCommand(a, c))
		}
		cmds = append(cmds, smtlib.DeclareCommand(a, a.SymbolOf(f.Z)))
	}
	said := j.parts[0].said // whose assertions come first, if they are not alternatives
	for i := range asserts {
		if i < len(said) && said[i].Terms[0] == asserts[i] {
			cmds = append(cmds, said[i])
			continue
		}
		cmds = append(cmds, smtlib.Command{Kind: smtlib.CmdAssert, Terms: asserts[i : i+1 : i+1]})
	}
	cmds = append(cmds, body...)
	place := len(j.head)
	if name := logic.FitFirst(j.logics, need|j.decl); name != "" {
		cmds[place].Text = name
	} else {
		cmds = slices.Delete(cmds, place, place+1)
	}
	return &smtlib.Script{Arena: a, Commands: cmds}
}

// witnessSteps and witnessInstances limit the evaluation of a fused script; beyond them the result is unknown.
const (
	witnessSteps     = 1 << 18
	witnessInstances = 1 << 12
)

// extendWitness extends the models of the parts to the functions' constants, fresh functions and results, and evaluates
// the assertions in it.
func (j *Joint) extendWitness(asserts []smt.Term) (*model.Model, value.Truth) {
	a := j.arena
	m := j.model
	ev := eval.New(a, m)
	ev.Limits.Steps, ev.Limits.Instances = witnessSteps, witnessInstances
	ev.SetCompletion(true)
	r := rng.New(uint64(len(asserts))*31 + uint64(len(j.fused)))
	gen := search.NewGenerator(a, m, r)
	for _, f := range j.fused {
		for _, c := range f.Consts {
			v := gen.Value(a.SymbolInfo(c).Result)
			if !v.IsValue() {
				return nil, value.Unknown
			}
			m.Set(c, v)
		}
	}
	for _, f := range j.fused {
		if !j.interpretFresh(ev, f.Tree) {
			return nil, value.Unknown
		}
		ev.Reset(m)
		v, err := ev.Eval(f.F)
		if err != nil {
			return nil, value.Unknown
		}
		m.Set(a.SymbolOf(f.Z), v)
	}
	ev.Reset(m)
	return m, eval.CheckTerms(ev, asserts).Result
}

// interpretFresh gives the fresh functions of a tree their one place each: the result any value, and the inverses the
// values of the arguments there.
func (j *Joint) interpretFresh(ev *eval.Evaluator, root *Node) bool {
	if root == nil || len(root.Args) == 0 {
		return true
	}
	// From the leaves up: the place at which a function is interpreted is the values of the arguments.
	for _, x := range root.Args {
		if !j.interpretFresh(ev, x) {
			return false
		}
	}
	if len(root.fresh) == 0 {
		return true
	}
	a, m := j.arena, ev.Model()
	// The function of the result is the root of the operator's term; the inverses follow from the side conditions,
	// whose left sides apply them.
	ev.Reset(m)
	place := func(t smt.Term, v value.Value) bool {
		f := a.SymbolOf(t)
		fn := model.NewFunc(a.SymbolInfo(f).Params, v)
		var args []value.Value
		for _, x := range a.CopyArgs(t) {
			w, err := ev.Eval(x)
			if err != nil {
				return false
			}
			args = append(args, w)
		}
		fn.Set(args, v)
		m.SetFunc(f, fn)
		ev.Reset(m)
		return true
	}
	if a.SymbolOf(root.Term) != root.fresh[0] || !place(root.Term, ev.Domains().Default(a.Sort(root.Term))) {
		return false
	}
	var b template.Builder
	b.Arena = a
	args := make([]smt.Term, len(root.Args))
	for i, x := range root.Args {
		args[i] = x.Term
	}
	for i, x := range root.Args {
		if root.Rule.Inverse[i] == nil || !x.inputs {
			continue
		}
		back, err := b.Build(root.Rule.Inverse[i], args, root.Term, root.fresh, root.b)
		if err != nil {
			return false
		}
		v, err := ev.Eval(x.Term)
		if err != nil || a.SymbolOf(back) == 0 || !place(back, v) {
			return false
		}
	}
	return true
}
