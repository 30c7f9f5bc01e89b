package cache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/frontend/cache"
)

const trivial = `(declare-const x Int)(declare-const y Int)(assert (< x y))(assert (> (+ x y) 3))(assert (not (= x 7)))`

// BenchmarkLook is what an answer costs that is known: of the same session, from a model of an earlier query, and of
// another session, whose client knows nothing of the terms and has the normal form and the model read from text.
func BenchmarkLook(b *testing.B) {
	c := open(b, cache.Storage{})
	s, m := parse(b, trivial, "(define-fun x () Int 2)(define-fun y () Int 4)")
	q := &cache.Question{Asserts: s.Asserts()}
	client := c.Client(s.Arena)
	client.Keep(q, smtlib.Sat, m, nil)
	b.Run("same session", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, ok := client.Look(q)
			require.True(b, ok)
		}
	})
	b.Run("earlier model", func(b *testing.B) {
		x := s.Asserts()[0]
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			part := &cache.Question{Asserts: []smt.Term{x, s.Arena.MustApp(smt.OpLt, s.Arena.Arg(x, 0), s.Arena.Int64(int64(i+10)))}}
			b.StartTimer()
			_, ok := client.Look(part)
			require.True(b, ok)
		}
	})
	b.Run("other session", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, ok := c.Client(s.Arena).Look(q)
			require.True(b, ok)
		}
	})
}
