package oracle

import (
	"fmt"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
)

// KindRunaway is a target that runs out of time or memory with a check that needs next to none.
const KindRunaway = "runaway"

// RunawayLimits are the limits of a check that needs next to nothing: some two hundred times the start of the slowest
// solver.
var RunawayLimits = solvers.Limits{Wall: 40 * time.Second, CPU: 4 * time.Second}

// RunawayReplayLimits are the limits of replays. The same instructions take twice the CPU time beside a busy core, and
// a reduction ends with a case that barely exceeds the limits. A case that needs more than RunawayLimits there needs
// more than RunawayReplayLimits on an idle machine.
var RunawayReplayLimits = solvers.Limits{Wall: RunawayLimits.Wall / 2, CPU: RunawayLimits.CPU / 2}

// Bounds of a check that needs next to no effort: its terms, and the gates of a circuit of them.
const (
	maxPlainTerms = 1200
	maxPlainGates = 40_000
	maxPlainWidth = 16 // of a product, a quotient or a number that is calculated with
)

// Runaway reports targets that run out of time or memory with a check whose answer is plain: each constant is asserted
// to have a value, the values decide the assertions, and a circuit of them is small. The solver is asked about the
// check alone, in a new process, without options and with RunawayLimits; only where it does not end then there is a
// verdict. Parts of the assertions that may take effort, such as products of wide vectors, are left out of that
// question.
func Runaway(ask AskFunc) Oracle { return &runaway{ask, RunawayLimits} }

// RunawayAgain is Runaway with RunawayReplayLimits.
func RunawayAgain(ask AskFunc) Oracle { return &runaway{ask, RunawayReplayLimits} }

type runaway struct {
	ask AskFunc
	lim solvers.Limits
}

func (*runaway) Name() string { return KindRunaway }

func (o *runaway) Judge(c *testcase.Case, runs []*solvers.Run) []Verdict {
	return EachKind(runs, func(r *solvers.Run) *Verdict {
		if r.Class != solvers.Timeout && r.Class != solvers.OutOfMemory {
			return nil
		}
		check := slices.Index(r.Answers, smtlib.None)
		if check < 0 {
			return nil
		}
		parts := plainParts(c.Script.Arena, c.Script.AssertsAt(check))
		if len(parts) == 0 {
			return nil
		}
		script := scope.WithAsserts(c.Script, parts)
		script = script.WithCommands(slices.DeleteFunc(slices.Clone(script.Commands), func(c smtlib.Command) bool { return c.Kind == smtlib.CmdSetOption }))
		want := plainAnswer(script)
		if want == smtlib.None {
			return nil
		}
		asked := string(script.Text())
		again := o.ask(r.Target, solvers.FromScript(script), o.lim)
		if again == nil || again.Answer() != smtlib.None {
			return nil
		}
		what := "memory"
		switch again.Class {
		case solvers.OutOfMemory:
		case solvers.Timeout:
			if again.CPU < o.lim.CPU/2 { // the machine was busy with other work
				return nil
			}
			what = "time"
		default:
			return nil
		}
		return &Verdict{Oracle: o.Name(), Kind: KindRunaway, Check: check, Asked: asked,
			Summary: "runs out of time or memory with a check that needs next to none",
			Detail:  fmt.Sprintf("the answer is %s; it ran out of %s after %.1f s of CPU time, asked about this alone:\n%s", want, what, again.CPU.Seconds(), asked)}
	})
}

// plainAnswer returns the answer to a script with one check that needs next to no effort; smtlib.None where it may need
// some.
func plainAnswer(s *smtlib.Script) smtlib.Answer {
	asserts := s.Asserts()
	if !hasSmallCircuit(s.Arena, asserts) {
		return smtlib.None
	}
	switch eval.New(s.Arena, forcedValues(s.Arena, asserts)).AllTrue(asserts) {
	case value.True:
		return smtlib.Sat
	case value.False:
		return smtlib.Unsat
	}
	return smtlib.None
}

// plainParts returns some assertions without their parts that are not plain. Parts are those of a conjunction, of a
// disjunction, or of a negated conjunction. Of the remaining ones it takes the first that are plain together. It
// returns nil if these only say which values constants have.
func plainParts(a *smt.Arena, asserts []smt.Term) []smt.Term {
	if hasSmallCircuit(a, asserts) {
		return asserts
	}
	var out []smt.Term
	count, gates, computes := 0, 0, false
	for todo := slices.Clone(asserts); len(todo) > 0; {
		t := todo[0]
		todo = todo[1:]
		switch {
		case a.Op(t) == smt.OpAnd:
			todo = append(a.CopyArgs(t), todo...)
			continue
		case a.Op(t) == smt.OpOr:
			t = a.Or(alonePlain(a, a.CopyArgs(t))...)
		case a.Op(t) == smt.OpNot && a.Op(a.Arg(t, 0)) == smt.OpAnd:
			t = a.Not(a.And(alonePlain(a, a.CopyArgs(a.Arg(t, 0)))...))
		}
		n, g, small := countGates(a, []smt.Term{t})
		if small && count+n <= maxPlainTerms && gates+g <= maxPlainGates {
			out, count, gates = append(out, t), count+n, gates+g
			computes = computes || n > 3 // an equation of a constant has three terms
		}
	}
	if !computes {
		return nil
	}
	return out
}

func alonePlain(a *smt.Arena, terms []smt.Term) []smt.Term {
	return slices.DeleteFunc(terms, func(t smt.Term) bool { return !hasSmallCircuit(a, []smt.Term{t}) })
}

// hasSmallCircuit reports whether a circuit of some terms is small: of truth values, bit vectors, small floating-point
// numbers, arrays and functions of these.
func hasSmallCircuit(a *smt.Arena, terms []smt.Term) bool {
	count, gates, small := countGates(a, terms)
	return small && count <= maxPlainTerms && gates <= maxPlainGates
}

// countGates counts some terms and estimates the number of gates of a circuit for them; small is false if these numbers
// say little about the effort that the terms take.
func countGates(a *smt.Arena, terms []smt.Term) (count, gates int, small bool) {
	small = true
	roots := slices.Clone(terms)
	a.PostOrder(terms, func(t smt.Term) { // bodies of functions, which apply no others
		if a.Op(t) != smt.OpApply {
			return
		}
		if f := a.SymbolInfo(a.SymbolOf(t)); f.Body != 0 {
			roots, small = append(roots, f.Body), small && !f.Recursive
			a.PostOrder([]smt.Term{f.Body}, func(t smt.Term) {
				small = small && (a.Op(t) != smt.OpApply || a.SymbolInfo(a.SymbolOf(t)).Body == 0)
			})
		}
	})
	a.PostOrder(roots, func(t smt.Term) {
		count++
		width, ok := plainWidth(a, a.Sort(t))
		for _, x := range a.Args(t) {
			w, _ := plainWidth(a, a.Sort(x))
			width = max(width, w)
		}
		n := width * max(1, a.NumArgs(t))
		switch op := a.Op(t); {
		case op == smt.OpApply, op == smt.OpAnnot, op == smt.OpVar, a.IsLiteral(t), op == smt.OpFP:
		case op.Structural():
			ok = false
		case op == smt.OpDistinct:
			// A pair of arguments each: quadratic.
			n *= a.NumArgs(t)
		case op == smt.OpFPRem:
			ok = false
		case op.Info().Theory == "FloatingPoint" || op.Info().Theory == "FloatingPointExtensions":
			ok, n = ok && width <= maxPlainWidth, n*width
		case op.Info().Theory == "FixedSizeBitVectors" || op.Info().Theory == "BitVectorExtensions":
			switch op {
			case smt.OpBVMul, smt.OpBVUdiv, smt.OpBVUrem, smt.OpBVSdiv, smt.OpBVSrem, smt.OpBVSmod, smt.OpBVUmulo, smt.OpBVSmulo:
				ok, n = ok && width <= maxPlainWidth, n*width
			}
		case op.Info().Theory != "Core" && op.Info().Theory != "ArraysEx":
			ok = false
		}
		gates, small = gates+n, small && ok
	})
	return count, gates, small
}

// plainWidth returns how many bits a value of a sort has; false where it may have any number.
func plainWidth(a *smt.Arena, s smt.Sort) (bits int, ok bool) {
	switch a.SortKind(s) {
	case smt.KindBool, smt.KindRoundingMode:
		return 1, true
	case smt.KindBitVec:
		return a.Width(s), true
	case smt.KindFloat:
		e, significand := a.FloatFormat(s)
		return e + significand, true
	case smt.KindArray:
		for _, part := range a.SortArgs(s) {
			w, ok := plainWidth(a, part)
			if !ok {
				return 0, false
			}
			bits += w
		}
		return bits, true
	}
	return 0, false
}
