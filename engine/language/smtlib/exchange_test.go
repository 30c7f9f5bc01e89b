package smtlib_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// A let that swaps the names of constants is read by its meaning and printed unchanged.
func TestNamesThatAreExchanged(t *testing.T) {
	const declarations = "(declare-const x Int)\n(declare-const |y z| Int)\n(declare-const z Int)\n"
	for text, kept := range map[string]bool{
		"(let ((x |y z|) (|y z| x)) (< x |y z|))":                                          true,
		"(let ((x z) (z |y z|) (|y z| x)) (< x |y z| z))":                                  true,
		"(let ((x |y z|) (|y z| x)) (let ((?1 (+ x (* 2 |y z|) 1))) (= ?1 (* ?1 ?1))))":    true,
		"(let ((x |y z|) (|y z| x)) (! (< x |y z|) :named n))":                             true,
		"(let ((x |y z|) (|y z| z)) (< x |y z|))":                                          false, // no exchange
		"(let ((x |y z|)) (< x |y z|))":                                                    false,
		"(let ((x |y z|) (|y z| x)) (forall ((q Int)) (< x q |y z|)))":                     false, // may capture
		"(not (let ((x |y z|) (|y z| x)) (< x |y z|)))":                                    false, // below another term
		"(let ((x z)) (let ((x |y z|) (|y z| x)) (< x |y z|)))":                            false, // of another let's name
		"(let ((x |y z|) (|y z| x)) (let ((z x) (|y z| z)) (< z (+ |y z| 1) (* 2 z) 30)))": false, // prints without the inner one
	} {
		a := smt.NewArena()
		script, err := smtlib.Parse("", []byte(declarations+"(assert "+text+")\n(check-sat)\n"), a)
		require.NoError(t, err, text)
		printed := smtlib.TermText(a, script.Asserts()[0])
		if kept {
			require.Equal(t, text, printed)
		} else {
			require.NotEqual(t, text, printed)
		}
		again, err := smtlib.Parse("", []byte(declarations+"(assert "+printed+")\n"), a)
		require.NoError(t, err, printed)
		if kept {
			require.Equal(t, script.Asserts(), again.Asserts())
		}
		for n := range int64(20) {
			m := model.New(a)
			for i := range script.Commands {
				for k, f := range script.Commands[i].Symbols {
					m.Set(f, value.Int64((n*int64(7*i+k+1))%5))
				}
			}
			want, _ := eval.New(a, m).Holds(script.Asserts()[0])
			got, _ := eval.New(a, m).Holds(again.Asserts()[0])
			require.Equal(t, want, got, text)
		}
	}
}
