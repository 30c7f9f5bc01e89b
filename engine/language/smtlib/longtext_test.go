package smtlib_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// TestLongTexts checks that a text long enough to preallocate memory is read as its parts are, and that a parser whose
// commands were taken away reads the next text.
func TestLongTexts(t *testing.T) {
	var text strings.Builder
	text.WriteString("(set-logic QF_LIA)\n(declare-const x Int)\n")
	for n := 0; text.Len() < 5<<20; n++ {
		fmt.Fprintf(&text, "(assert (or (< x %d) (= (* %d x) (+ x %d %d))))\n", n, n%97, n, n%13)
	}
	text.WriteString("(check-sat)\n")
	a := smt.NewArena()
	before := a.Len()
	script, err := smtlib.Parse("long", []byte(text.String()), a)
	require.NoError(t, err)
	require.Equal(t, text.String(), script.Text())
	made := a.Len() - before
	again, err := smtlib.Parse("again", []byte(text.String()), a)
	require.NoError(t, err)
	require.Equal(t, len(script.Commands), len(again.Commands))
	require.Equal(t, made, a.Len()-before, "terms of the second text are those of the first")
	for i := range script.Commands {
		require.Equal(t, script.Commands[i].Terms, again.Commands[i].Terms)
	}
	room := append(make([]byte, 0, text.Len()+1), text.String()...)
	owned, err := smtlib.ParseOwned("owned", room, a)
	require.NoError(t, err)
	require.Equal(t, script.Commands, owned.Commands)
	require.Equal(t, text.String(), string(room), "only what lies behind the end of the text is written to")
	exact, err := smtlib.ParseOwned("exact", room[:len(room):len(room)], a)
	require.NoError(t, err)
	require.Equal(t, script.Commands, exact.Commands)
	short, err := smtlib.ParseOwned("short", []byte("(check-sat)"), a)
	require.NoError(t, err)
	require.Len(t, short.Commands, 1)
}
