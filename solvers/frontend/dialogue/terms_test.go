package dialogue_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/cache"
	"github.com/smtlark/smtlark/solvers/frontend/dialogue"
)

// TestTermsAreDropped checks that over many questions the terms of popped levels are dropped, and that all replies stay
// right: values, cores, and redeclared symbols with new numbers.
func TestTermsAreDropped(t *testing.T) {
	const rounds, sums = 400, 60
	var text, want strings.Builder
	text.WriteString("(set-option :produce-unsat-cores true)(declare-const x Int)(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(assert (! (< 0 x 1000000) :named bounds))\n(push 1)\n")
	for i := range rounds {
		fmt.Fprintf(&text, "(push 1)(declare-sort S%d 0)(declare-const y Int)(declare-const l L)(declare-fun f (S%d) Int)\n", i, i)
		for k := range sums {
			fmt.Fprintf(&text, "(assert (> (+ x y %d) (* 2 y)))", 1000*i+k+1)
		}
		fmt.Fprintf(&text, "(assert (! (= y %d) :named same))(assert (! (= x y) :named other))(check-sat)(get-value ((+ x y)))", i+1)
		fmt.Fprintf(&want, "sat\n(((+ x y) %d))\n", 2*i+2)
		fmt.Fprintf(&text, "(push 1)(assert (! (> x %d) :named more))(check-sat)(get-unsat-core)(pop 2)\n", i+1)
		want.WriteString("unsat\n(same other more)\n")
	}
	text.WriteString("(pop 1)(assert (! (= x 7) :named seven))(check-sat)(get-value (x))(get-assertions)")
	want.WriteString("sat\n((x 7))\n((! (< 0 x 1000000) :named bounds)\n (! (= x 7) :named seven))\n")
	for _, mode := range []frontend.Mode{frontend.Incremental, frontend.Cached} {
		known, err := cache.Open(cache.Storage{})
		require.NoError(t, err)
		a := smt.NewArena()
		s, err := frontend.New(a, targetsOf(t, "z3"), frontend.Options{Mode: mode, Cache: known})
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, dialogue.New(s, strings.NewReader(text.String()), &out).Run(context.Background()))
		require.Equal(t, want.String(), out.String(), mode)
		require.Less(t, a.Len(), 50_000, mode)
		require.Less(t, a.NumSymbols(), 8_000, mode)
		require.Zero(t, s.Stats()[0].Replaced, mode)
		require.NoError(t, s.Close())
	}
	require.Empty(t, childrenOf(t))
}

// TestTermsOfQuestionsAreDropped: a client that never pops, and asks of ever new terms on one level, has none of them
// kept; options that it sets in between keep none either. Its latest answer stays until the next question.
func TestTermsOfQuestionsAreDropped(t *testing.T) {
	const rounds, sums = 300, 100
	var text, want strings.Builder
	text.WriteString("(declare-const x Int)(assert (= x 3))(check-sat)\n")
	want.WriteString("sat\n")
	for i := range rounds {
		text.WriteString("(set-option :smt.random_seed 7)(check-sat-assuming ((< x 4)))(get-value (")
		want.WriteString("sat\n(")
		for k := range sums {
			n := sums*i + k
			fmt.Fprintf(&text, "(+ x (* %d x)) ", n)
			separator := " "
			if k == 0 {
				separator = ""
			}
			fmt.Fprintf(&want, "%s((+ x (* %d x)) %d)", separator, n, 3*n+3)
		}
		text.WriteString("))\n")
		want.WriteString(")\n")
	}
	text.WriteString("(check-sat-assuming ((> x 4)))(get-unsat-assumptions)")
	want.WriteString("unsat\n((> x 4))\n")
	for _, mode := range []frontend.Mode{frontend.Incremental, frontend.Cached} {
		a := smt.NewArena()
		s, err := frontend.New(a, targetsOf(t, "z3"), frontend.Options{Mode: mode})
		require.NoError(t, err)
		var out bytes.Buffer
		in := "(set-option :produce-unsat-assumptions true)" + text.String()
		require.NoError(t, dialogue.New(s, strings.NewReader(in), &out).Run(context.Background()))
		require.Equal(t, want.String(), out.String(), mode)
		require.Less(t, a.Len(), 40_000, mode)
		require.NoError(t, s.Close())
	}
	require.Empty(t, childrenOf(t))
}
