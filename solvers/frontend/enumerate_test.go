package frontend_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
)

// table is a solver for constants of sort Bool, which tries all values.
type table struct {
	a         *smt.Arena
	constants []smt.Symbol
	asserted  [][]smt.Term // by level
	found     *eval.Evaluator
	needed    []smt.Term // of the assumptions, where it tells
	tells     bool
	checks    int
	undecided func(assumptions []smt.Term) bool
	deaf      bool // ignores assertions above level 0
}

func (s *table) Arena() *smt.Arena { return s.a }

func (s *table) Call(_ context.Context, c *solvers.Call) (r solvers.Reply, err error) {
	switch command := &c.Command; command.Kind {
	case smtlib.CmdDeclareConst:
		s.constants = append(s.constants, command.Symbols[0])
	case smtlib.CmdPush:
		s.asserted = append(s.asserted, make([][]smt.Term, command.N)...)
	case smtlib.CmdPop:
		s.asserted = s.asserted[:len(s.asserted)-command.N]
	case smtlib.CmdAssert:
		if top := len(s.asserted) - 1; top == 0 || !s.deaf {
			s.asserted[top] = append(s.asserted[top], command.Terms[0])
		}
	case smtlib.CmdCheckSat, smtlib.CmdCheckSatAssuming:
		r.Answer = s.check(command.Terms)
	case smtlib.CmdGetValue:
		return solvers.ReplyOfValues(s.a, command.Terms, s.values(command.Terms)), nil
	case smtlib.CmdGetUnsatAssumptions:
		if !s.tells {
			return r, solvers.ErrUnsupported("get-unsat-assumptions")
		}
		r.Terms = s.needed
	}
	return r, nil
}

func (s *table) check(assumptions []smt.Term) smtlib.Answer {
	s.checks++
	if s.undecided != nil && s.undecided(assumptions) {
		return smtlib.Unknown
	}
	if s.isSat(assumptions) {
		return smtlib.Sat
	}
	s.needed = slices.Clone(assumptions)
	for _, t := range assumptions { // every other one that can go goes
		less := slices.DeleteFunc(slices.Clone(s.needed), func(x smt.Term) bool { return x == t })
		if s.tells && len(s.needed)%2 == 0 && !s.isSat(less) {
			s.needed = less
		}
	}
	return smtlib.Unsat
}

func (s *table) isSat(assumptions []smt.Term) bool {
	all := slices.Concat(append(slices.Clone(s.asserted), assumptions)...)
	for bits := range 1 << len(s.constants) {
		m := model.New(s.a)
		for i, f := range s.constants {
			m.Set(f, value.Bool(bits>>i&1 == 1))
		}
		if s.found = eval.New(s.a, m); s.found.AllTrue(all) == value.True {
			return true
		}
	}
	return false
}

func (s *table) values(ts []smt.Term) (out []string) {
	for _, t := range ts {
		out = append(out, fmt.Sprint(s.found.Truth(t) == value.True))
	}
	return out
}

// problem is constants and formulas over them.
func problem(t *rapid.T) (s *table, scope *smtlib.Script, constants, formulas []smt.Term) {
	s = &table{a: smt.NewArena(), asserted: [][]smt.Term{nil}, tells: rapid.Bool().Draw(t, "tells")}
	scope = &smtlib.Script{Arena: s.a}
	for i := range 4 {
		f := s.a.Declare(fmt.Sprint("p", i), nil, smt.SortBool)
		s.constants = append(s.constants, f)
		scope.Commands = append(scope.Commands, smtlib.DeclareCommand(s.a, f))
		constants = append(constants, s.a.Const(f))
	}
	literal := rapid.Custom(func(t *rapid.T) smt.Term {
		x := rapid.SampledFrom(constants).Draw(t, "constant")
		if rapid.Bool().Draw(t, "negative") {
			return s.a.Not(x)
		}
		return x
	})
	for range rapid.IntRange(1, 4).Draw(t, "formulas") {
		formulas = append(formulas, s.a.Or(rapid.SliceOfN(literal, 2, 2).Draw(t, "clause")...))
	}
	return s, scope, constants, formulas
}

// TestModels: all values come, each once, and no others.
func TestModels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, scope, constants, formulas := problem(t)
		for _, f := range formulas {
			require.NoError(t, solvers.Tell(t.Context(), s, smtlib.AssertCommand(f)))
		}
		terms := constants[:rapid.IntRange(1, 4).Draw(t, "terms")]
		want := map[string]bool{}
		for bits := range 1 << len(s.constants) {
			m := model.New(s.a)
			for i, f := range s.constants {
				m.Set(f, value.Bool(bits>>i&1 == 1))
			}
			if eval.New(s.a, m).AllTrue(formulas) == value.True {
				want[fmt.Sprintf("%04b", bits&(1<<len(terms)-1))] = true
			}
		}
		got := map[string]bool{}
		collect := func(values []value.TermValue) error {
			bits := 0
			for i, x := range values {
				require.Equal(t, terms[i], x.Term)
				if x.Value.IsTrue() {
					bits |= 1 << i
				}
			}
			key := fmt.Sprintf("%04b", bits)
			require.False(t, got[key])
			got[key] = true
			return nil
		}
		complete, err := frontend.Models(t.Context(), s, scope, terms, 0, collect)
		require.NoError(t, err)
		require.True(t, complete)
		require.Equal(t, want, got)
		require.Len(t, s.asserted, 1)
		require.Equal(t, formulas, s.asserted[0])
		if len(want) > 1 {
			clear(got)
			complete, err = frontend.Models(t.Context(), s, scope, terms, 1, collect)
			require.NoError(t, err)
			require.False(t, complete)
			require.Len(t, got, 1)
			s.deaf = true
			_, err = frontend.Models(t.Context(), s, scope, terms, 0, func([]value.TermValue) error { return nil })
			require.ErrorContains(t, err, "gives these values twice")
		}
	})
}

// TestCore: what comes has no model, and has one when any formula is left out.
func TestCore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _, _, formulas := problem(t)
		formulas = append(formulas, s.a.Not(formulas[0])) // there is something to find
		satisfiable := func(ts []smt.Term) bool {
			other := &table{a: s.a, constants: s.constants[:4], asserted: [][]smt.Term{nil}}
			return other.isSat(ts)
		}
		core, minimal, err := frontend.Core(t.Context(), s, formulas)
		require.NoError(t, err)
		require.True(t, minimal)
		require.False(t, satisfiable(core))
		for i := range core {
			require.True(t, satisfiable(slices.Delete(slices.Clone(core), i, i+1)), "%d can be left out", i)
		}
		require.LessOrEqual(t, s.checks, len(formulas)+2)
	})
}

// TestUndecided checks that undecided questions are reported as such, without invented results.
func TestUndecided(t *testing.T) {
	a := smt.NewArena()
	p := a.Declare("p", nil, smt.SortBool)
	s := &table{a: a, constants: []smt.Symbol{p}, asserted: [][]smt.Term{nil}, undecided: func(assumptions []smt.Term) bool { return len(assumptions) < 2 }}
	scope := &smtlib.Script{Arena: a, Commands: []smtlib.Command{smtlib.DeclareCommand(a, p)}}
	_, err := frontend.Models(t.Context(), s, scope, []smt.Term{a.Const(p)}, 0, nil)
	require.ErrorContains(t, err, "does not decide whether there is another model, after 0")
	_, err = frontend.Models(t.Context(), s, scope, nil, 0, nil)
	require.ErrorContains(t, err, "name terms")
	core, minimal, err := frontend.Core(t.Context(), s, []smt.Term{a.Const(p), a.Not(a.Const(p))})
	require.NoError(t, err)
	require.False(t, minimal)
	require.Len(t, core, 2)
	s = &table{a: a, constants: []smt.Symbol{p}, asserted: [][]smt.Term{nil}}
	core, minimal, err = frontend.Core(t.Context(), s, []smt.Term{a.Const(p), a.Const(p)})
	require.NoError(t, err)
	require.True(t, minimal)
	require.Empty(t, core)
}
