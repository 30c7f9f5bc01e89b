package smtlib_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// readStream lists the results of a stream: texts, and errors with their place.
func readStream(s *smtlib.Stream) (out []string) {
	for {
		text, at, err := s.Next()
		var e *smtlib.Error
		switch {
		case err == nil:
			out = append(out, fmt.Sprintf("%d:%d %s", at.Line, at.Col, text))
		case errors.As(err, &e):
			out = append(out, fmt.Sprintf("%d:%d! %s", e.Line, e.Col, e.Msg))
		default:
			return append(out, err.Error())
		}
	}
}

// TestStreamCutsCommands: the same, however the text comes in pieces.
func TestStreamCutsCommands(t *testing.T) {
	text := "(a)  (b \"x)\"\"(\" |(|) ; (comment\n  foo)(c\n ; )\n) 12(d) (e (f"
	want := []string{"1:1 (a)", "1:6 (b \"x)\"\"(\" |(|)", `2:3! expected a command, found "foo"`, `2:6! expected a command, found ")"`,
		"2:7 (c\n ; )\n)", `4:3! expected a command, found "12"`, "4:5 (d)", "4:9! this ( has no )", "EOF"}
	require.Equal(t, want, readStream(smtlib.NewStream(strings.NewReader(text), 1<<20)))
	require.Equal(t, want, readStream(smtlib.NewStream(iotest.OneByteReader(strings.NewReader(text)), 1<<20)))
	require.Equal(t, want, readStream(smtlib.NewStream(iotest.DataErrReader(strings.NewReader(text)), 1<<20)))
}

// TestStreamBackslashBeforeBar: solvers do not agree on where such a symbol ends, so it is an error before anything
// else has come, and the next line begins anew.
func TestStreamBackslashBeforeBar(t *testing.T) {
	text := "(a |\\|a\\|\\|| b) (c)\n(d |\\x| \"\\|\") (e\n |f\\|) )\n(g)"
	want := []string{"1:1! a quoted symbol has no backslash before a bar: solvers do not agree on where it ends", "2:1 (d |\\x| \"\\|\")",
		"2:15! a quoted symbol has no backslash before a bar: solvers do not agree on where it ends", "4:1 (g)", "EOF"}
	require.Equal(t, want, readStream(smtlib.NewStream(strings.NewReader(text), 1<<20)))
	require.Equal(t, want, readStream(smtlib.NewStream(iotest.OneByteReader(strings.NewReader(text)), 1<<20)))
	require.Equal(t, "1:1! this command has more than 3 bytes", readStream(smtlib.NewStream(iotest.OneByteReader(strings.NewReader(text)), 3))[0])
	in, out := io.Pipe()
	defer in.Close()
	go fmt.Fprint(out, "(declare-fun |\\|a\\|\\|| () Bool)")
	require.NotPanics(t, func() { _, _, err := smtlib.NewStream(in, 1<<20).Next(); require.ErrorContains(t, err, "backslash") })
}

// TestStreamAnswersAtOnce: a command is there before the next one is written.
func TestStreamAnswersAtOnce(t *testing.T) {
	in, out := io.Pipe()
	defer in.Close()
	s := smtlib.NewStream(in, 1<<20)
	for i := range 3 {
		go fmt.Fprintf(out, "(check %d)", i)
		text, _, err := s.Next()
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("(check %d)", i), string(text))
	}
}

// TestStreamBounds checks that a command that is too long is skipped and the next one is read.
func TestStreamBounds(t *testing.T) {
	long := "(assert " + strings.Repeat("(", 20000) + strings.Repeat(")", 20000) + ")"
	got := readStream(smtlib.NewStream(strings.NewReader(long+"\n(check-sat)"), 9000))
	require.Equal(t, []string{"1:1! this command has more than 9000 bytes", "2:1 (check-sat)", "EOF"}, got)
}

// refused are commands that a scope refuses, with the place and part of the message. The scope knows x and p, at level
// 1.
var refused = []struct{ text, want string }{
	{"(assert (> y 0))", "5:12: unknown constant y"},
	{"(declare-const x Int)", "5:16: x is already declared"},
	{"(assert (! p :named x2) 1)", "5:25: expected `)` of assert"},
	{"(pop 1 1)", "5:8: expected `)` of pop"},
	{"(pop 2)", "5:6: pop of 2 levels where there are 1"},
	{"(push 1 1)", "expected `)` of push"},
	{"(reset 1)", "expected `)` of reset"},
	{"(reset-assertions 1)", "expected `)` of reset-assertions"},
	{"(set-logic QF_LRA)", "set a second time"},
	{"(declare-datatypes ((A 0)(B 0)) (((c (s A)))((d))))", "not well-founded"},
	{"(define-funs-rec ((f ((y Int)) Int)) (true))", "sort"},
	{"(assert (forall ((x Int)) (and p (> z 0))))", "unknown constant z"},
	{"(assert\n  (and p 3))", "6:"},
	{"(check-sat) (check-sat)", "the end of the command"},
}

// TestScopeRefusesWithoutTrace checks that a rejected command does not change the scope, whatever was rejected before
// it.
func TestScopeRefusesWithoutTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := smt.NewArena()
		sc := smtlib.NewScope(a)
		defer sc.Close()
		read := func(text string) (smtlib.Command, error) {
			c, _, err := sc.Command([]byte(text), smtlib.Pos{Line: 5, Col: 1})
			return c, err
		}
		for _, text := range []string{"(set-logic QF_UFLIA)", "(declare-const p Bool)", "(push 1)", "(declare-const x Int)"} {
			_, err := read(text)
			require.NoError(t, err)
		}
		for _, r := range rapid.SliceOfN(rapid.SampledFrom(refused), 1, 6).Draw(t, "refused") {
			_, err := read(r.text)
			require.ErrorContains(t, err, r.want, r.text)
		}
		c, err := read("(assert (! (and p (> x 1)) :named x2))")
		require.NoError(t, err)
		require.Equal(t, "(and p (> x 1))", smtlib.TermText(a, a.Arg(c.Terms[0], 0)))
		_, err = read("(pop 1)")
		require.NoError(t, err)
		_, err = read("(assert (= x 1))")
		require.ErrorContains(t, err, "unknown constant x")
		_, err = read("(assert p)")
		require.NoError(t, err)
		_, err = read("(reset-assertions)")
		require.NoError(t, err)
		_, err = read("(assert p)")
		require.ErrorContains(t, err, "unknown constant p")
	})
}
