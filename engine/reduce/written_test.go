package reduce_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce"
)

// TestTextThatMattersStays reduces files whose property is one of their text, which is lost where they are printed
// anew.
func TestTextThatMattersStays(t *testing.T) {
	sum := "(+ x 1 2 3 4 5 6 7 8 9)"
	text := `; nothing
(set-logic QF_LIA)
(set-info :source |
  a person|)
(declare-const x Int) ; a number
(declare-const y Int)
(assert (and (< ` + sum + ` y) (< 0 ` + sum + `) (distinct ` + sum + ` 7)))
(assert (<   y 3)) ; here
(assert (! (> y
  1) :named n))
(check-sat)
`
	for _, k := range []struct {
		name, want string
		holds      func(text string) bool
	}{
		{"all the way", "(declare-const y Int)\n(assert (<   y 3)) ; here\n(check-sat)\n", has("<   y", "here", "check-sat")},
		{"without the comment", "(declare-const y Int)\n(assert (<   y 3))\n", has("<   y")},
		{"partly: one assertion as it is written, another one changed", "(declare-const y Int)\n(assert (<   y 3))\n(assert true)\n(check-sat)\n", func(text string) bool {
			return has("<   y", "check-sat")(text) && strings.Count(text, "(assert") >= 2
		}},
		{"terms are repeated", "(declare-const x Int)\n(assert (= " + sum + " " + sum + " " + sum + "))\n",
			func(text string) bool {
				return strings.Count(text, sum) >= 3 && strings.Contains(text, "declare-const x")
			}},
	} {
		t.Run(k.name, func(t *testing.T) {
			s, err := smtlib.Parse("test.smt2", []byte(text), smt.NewArena())
			require.NoError(t, err)
			require.False(t, k.holds(s.Text()), "else there is nothing to test")
			s = s.AsWritten([]byte(text))
			require.True(t, k.holds(s.Text()))
			r, err := reduce.Run(context.Background(), &testcase.Case{Script: s}, func(c *testcase.Case) bool {
				return k.holds(string(c.Text()))
			}, reduce.Options{Laws: laws})
			require.NoError(t, err)
			require.Equal(t, k.want, string(r.Case.Text()))
		})
	}
}
