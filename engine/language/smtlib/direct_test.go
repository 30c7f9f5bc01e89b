package smtlib

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/language/smt"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

// TestDirectWritesWhatTermWrites compares the two ways of printing on random terms of all operators and on sums with
// much and little sharing, around the size from which on large terms are written in another way.
func TestDirectWritesWhatTermWrites(t *testing.T) {
	var direct, term Printer
	same := func(t *rapid.T, a *smt.Arena, x smt.Term) {
		for _, unshared := range []bool{false, true} {
			term.Unshared, direct.Unshared = unshared, unshared
			require.Equal(t, string(term.Term(nil, a, x)), string(direct.Direct([]byte("before"), a, x)[len("before"):]))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m := newMaker(t, rapid.Uint64().Draw(t, "seed"))
		ops := smt.Ops()
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			x, ok := m.operator(ops[m.r.IntN(len(ops))])
			if m.r.IntN(4) == 0 {
				x, ok = m.structure()
			}
			if ok {
				m.pool = append(m.pool, x)
				same(t, m.a, x)
			}
		}
		sums := []smt.Term{m.a.Const(m.a.Declare("n", nil, smt.SortInt)), m.a.Int64(7), m.a.Int64(-3), m.a.Int64(12345), m.a.Int64(-99999)}
		for range rapid.IntRange(1, 45).Draw(t, "sums") {
			recent := sums[max(0, len(sums)-6):]
			if m.r.IntN(3) == 0 {
				recent = sums[:5]
			}
			op := []smt.Op{smt.OpAdd, smt.OpSub, smt.OpMul}[m.r.IntN(3)]
			x := m.a.MustApp(op, recent[m.r.IntN(len(recent))], sums[m.r.IntN(len(sums))])
			if m.r.IntN(4) == 0 {
				x = m.a.MustApp(smt.OpSub, x)
			}
			sums = append(sums, x)
			same(t, m.a, x)
		}
		same(t, m.a, m.a.MustApp(smt.OpAdd, sums...))
	})
}
