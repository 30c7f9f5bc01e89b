package reduce_test

import (
	"context"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/stdlib"
)

// seeds calls f with each bundled seed, parsed.
func seeds(t *testing.T, f func(name, text string, c *testcase.Case)) {
	files, err := fs.Glob(stdlib.FS(), "seeds/*.smt2")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		text, err := fs.ReadFile(stdlib.FS(), name)
		require.NoError(t, err)
		f(name, string(text), parse(t, string(text)))
	}
}

// ops returns the operators that occur in a script.
func ops(s *smtlib.Script) map[smt.Op]bool {
	out := map[smt.Op]bool{}
	var roots []smt.Term
	for i := range s.Commands {
		roots = append(roots, s.Commands[i].Terms...)
		for _, f := range s.Commands[i].Symbols {
			if b := s.Arena.SymbolInfo(f).Body; b != 0 {
				roots = append(roots, b)
			}
		}
	}
	s.Arena.PostOrder(roots, func(t smt.Term) { out[s.Arena.Op(t)] = true })
	return out
}

// For every operator that has to stay, of any theory: every candidate is read back as it was printed, and the result
// still has the operator and is small.
func TestEveryOperatorOfEverySeed(t *testing.T) {
	tests, reductions, bytes := 0, 0, 0
	done := map[smt.Op]int{}
	seeds(t, func(name, text string, c *testcase.Case) {
		for op := smt.Op(1); int(op) < 400; op++ {
			if !ops(c.Script)[op] || done[op] >= 3 || op == smt.OpCase {
				continue
			}
			done[op]++
			own := parse(t, text)
			seen := map[string]bool{}
			r, err := reduce.Run(context.Background(), own, func(c *testcase.Case) bool {
				text := string(c.Text())
				require.False(t, seen[text], "asked twice")
				seen[text] = true
				again, err := smtlib.Parse("candidate", []byte(text), smt.NewArena())
				require.NoError(t, err, "%s, keeping %s:\n%s", name, op, text)
				require.Equal(t, text, again.Text(), "%s, keeping %s", name, op)
				return ops(c.Script)[op]
			}, reduce.Options{Laws: laws})
			require.NoError(t, err)
			require.True(t, ops(r.Case.Script)[op])
			require.True(t, r.Stats.Done)
			require.LessOrEqual(t, r.Stats.After, r.Stats.Before)
			require.LessOrEqual(t, len(r.Case.Text()), len(own.Text()))
			tests, reductions, bytes = tests+r.Stats.Tests, reductions+1, bytes+len(r.Case.Text())
			require.Less(t, len(r.Case.Text()), 400, "%s, keeping %s:\n%s", name, op, r.Case.Text())
		}
	})
	t.Logf("%d reductions, %d tests each, %d bytes left each", reductions, tests/reductions, bytes/reductions)
}

// A case with a witness keeps it: every candidate's assertions hold in it.
func TestWitnessOfEverySeed(t *testing.T) {
	kept := 0
	seeds(t, func(name, text string, c *testcase.Case) {
		if c.Script.CheckSats() != 1 {
			return
		}
		m := search.RandomModel(c.Script, rng.New(1))
		ev := eval.New(c.Script.Arena, m)
		var parts []smt.Term
		for _, x := range c.Script.Asserts() { // as in STORM, false assertions are negated
			value, known := ev.Holds(x)
			switch {
			case known && value:
				parts = append(parts, x)
			case known:
				parts = append(parts, c.Script.Arena.Not(x))
			}
		}
		if len(parts) == 0 {
			return
		}
		kept++
		own := &testcase.Case{Script: scope.WithAsserts(c.Script, parts), Expect: []smtlib.Answer{smtlib.Sat}, Witness: m}
		size := c.Script.Arena.Size(parts...)
		holds := func(c *testcase.Case) bool {
			ev := eval.New(c.Script.Arena, c.Witness)
			for _, x := range c.Script.Asserts() {
				if value, known := ev.Holds(x); !known || !value {
					return false
				}
			}
			return true
		}
		r, err := reduce.Run(context.Background(), own, func(c *testcase.Case) bool {
			require.True(t, holds(c), "%s: %s", name, c.Text())
			if c.Script.CheckSats() == 0 {
				return false
			}
			require.Equal(t, []smtlib.Answer{smtlib.Sat}, c.Expect)
			return c.Script.Arena.Size(c.Script.Asserts()...) >= min(size, 6)
		}, reduce.Options{Laws: laws})
		require.NoError(t, err)
		require.True(t, holds(r.Case), name)
		again, err := (r.Case.Wire()).Case(nil)
		require.NoError(t, err)
		require.True(t, holds(again), "the witness survives renaming and printing: %s\n%s", r.Case.Text(), r.Case.Witness.Text())
	})
	require.Greater(t, kept, 30)
}
