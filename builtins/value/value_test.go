package value_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/corpus"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers/learn"
)

func parse(t *testing.T, name, text string) *value.Case {
	c, err := value.ParseCase(name, []byte(text))
	require.NoError(t, err)
	return c
}

func attr(t *testing.T, v starlark.HasAttrs, name string) starlark.Value {
	x, err := v.Attr(name)
	require.NoError(t, err)
	return x
}

// TestTermsEndWithTheirCase checks that what was made for a case is gone, with a clear message, when the next begins.
func TestTermsEndWithTheirCase(t *testing.T) {
	s := value.NewSession()
	seed, err := s.Seed(corpus.Text{Label: "seed", Text: "(declare-const x Int)(assert (> x 1))(check-sat)"})
	require.NoError(t, err)
	x := attr(t, seed, "constants").(starlark.Tuple)[0].(value.Term)
	sum, err := starlark.Binary(syntax.PLUS, x, starlark.MakeInt(41))
	require.NoError(t, err)
	c := seed.WithAsserts([]smt.Term{seed.Store().Arena.Eq(mustID(t, sum), mustID(t, x))}, smtlib.None, nil)
	m := seed.RandomModel(rng.New(1))
	require.Equal(t, "(+ x 41)", sum.String())

	s.Begin()
	_, err = sum.(value.Term).ID()
	require.ErrorContains(t, err, "belongs to an earlier case made from seed")
	_, err = sum.(value.Term).Attr("op")
	require.ErrorContains(t, err, "belongs to an earlier case")
	_, err = c.Case()
	require.ErrorContains(t, err, "belongs to an earlier case")
	_, err = m.TruthOf(x)
	require.ErrorContains(t, err, "belongs to an earlier case")
	_, err = x.ID()
	require.NoError(t, err, "terms of the seed stay")
	_, err = seed.Case()
	require.NoError(t, err)
}

// TestPermanentAnalyses checks that what is computed about a seed in the middle of a case is right in the next one.
func TestPermanentAnalyses(t *testing.T) {
	s := value.NewSession()
	src := corpus.Text{Label: "seed", Text: "(declare-const x Int)(declare-const u (_ BitVec 9))(assert (! (or (> x 1) (bvult u (bvadd u u))) :named n))(check-sat)"}
	var first string
	for i := range 4 {
		seed, err := s.Seed(src)
		require.NoError(t, err)
		if i == 0 { // the arena is not clean when fragments and values are first asked for
			seed.Store().Arena.Int64(1 << 40)
		}
		frags, err := seed.Fragments()
		require.NoError(t, err)
		m := seed.Assignment(7)
		text := ""
		for _, f := range frags {
			v, err := m.TruthOf(seed.Store().Term(f.Term))
			require.NoError(t, err)
			text += fmt.Sprint(smtlib.TermText(seed.Store().Arena, f.Term), " ", v, "\n")
		}
		if i == 0 {
			first = text
		}
		require.Equal(t, first, text, "case %d", i)
		s.Begin()
	}
	require.Equal(t, 3, strings.Count(first, "\n"))
}

// TestAdopt brings terms of every kind from one arena to another and back.
func TestAdopt(t *testing.T) {
	const decls = `(declare-sort U 1)(declare-datatypes ((L 1)) ((par (X) ((nil) (cons (hd X) (tl (L X)))))))(declare-const l (L Int))(declare-const x Int)
(declare-fun f (Int (U Bool)) Real)(declare-const u (U Bool))(declare-const a (Array Int (_ BitVec 7)))(declare-const s String)(declare-const g (_ FloatingPoint 5 11))
(define-fun twice ((n Int)) Int (+ n n))`
	asserts := []string{
		"(forall ((i Int) (j Real)) (=> (> j (f i u)) (exists ((i Int)) (= i (twice x)))))",
		"(= l (cons (- 3) (as nil (L Int))))", "((_ is cons) l)", "(= ((_ update hd) l 7) (tl l))",
		"(= (match l ((nil 0) ((cons h t) (+ h x)))) 4)",
		"(= (select (store a 1 #b0000001) x) ((_ extract 6 0) #xff))", "(= a ((as const (Array Int (_ BitVec 7))) #b1111111))",
		"(str.in_re s (re.++ (re.range \"a\" \"z\") ((_ re.loop 1 3) (str.to_re \"\\u{1F600}\"))))",
		"(fp.lt (fp.add RNE g (_ +oo 5 11)) ((_ to_fp 5 11) RTZ 0.125))", "(! (> x 1) :pattern ((twice x)))",
		"((_ divisible 12345678901234567890) x)", "(= (/ 1.0 3.0) 0.5)",
	}
	src := decls
	for _, a := range asserts {
		src += "(assert " + a + ")\n"
	}
	from := parse(t, "from", src)
	to := parse(t, "to", decls+"(assert true)")
	ts, err := from.Asserts()
	require.NoError(t, err)
	for i, id := range ts {
		over, err := to.Store().Import(from.Store(), id)
		require.NoError(t, err, asserts[i])
		want := smtlib.TermText(from.Store().Arena, id)
		require.Equal(t, want, smtlib.TermText(to.Store().Arena, over))
		back, err := from.Store().Import(to.Store(), over)
		require.NoError(t, err)
		require.Equal(t, want, smtlib.TermText(from.Store().Arena, back))
	}
}

// TestCorpusSkipsBrokenSeeds picks from seeds some of which cannot be read.
func TestCorpusSkipsBrokenSeeds(t *testing.T) {
	seeds := []corpus.Seed{
		corpus.Text{Label: "a.smt2", Text: "(assert true)"},
		corpus.Text{Label: "b.smt2", Text: "(set-logic QF_LIA)\n(assert (> y 1))"},
		corpus.Text{Label: "c.smt2", Text: "(assert false)"},
		corpus.Text{Label: "d.smt2", Text: "(assert"},
	}
	c := value.NewCorpus("test", seeds)
	s := value.NewSession()
	r := rng.New(1)
	got := map[string]int{}
	for range 200 {
		k, err := c.Pick(s, r)
		require.NoError(t, err)
		got[k.String()]++
	}
	require.Len(t, got, 2)
	broken := s.Broken()
	require.Len(t, broken, 2)
	require.Equal(t, "b.smt2", broken[0].File)
	require.Contains(t, broken[0].Error, "b.smt2:2:12: ")
	check := c.Check(1 << 20)
	require.Equal(t, 2, check.Count)
	require.Equal(t, broken, check.Broken)
	require.Equal(t, 4, c.Check(0).Count, "nothing is read without a budget")

	none := value.NewCorpus("test", seeds[1:2])
	_, err := none.Pick(s, r)
	require.ErrorContains(t, err, "could not be read")
	require.ErrorContains(t, err, "b.smt2:2:12")
}

func mustID(t *testing.T, v starlark.Value) smt.Term {
	id, err := v.(value.Term).ID()
	require.NoError(t, err)
	return id
}

// TestOnce: what one process has found, others take over, and an error is not remembered.
func TestOnce(t *testing.T) {
	dir := t.TempDir()
	found := 0
	find := func(err error) func() (string, error) {
		return func() (string, error) { found++; return fmt.Sprint("found ", found), err }
	}
	_, err := learn.NewCache(dir).Once("key", find(fmt.Errorf("gone")))
	require.ErrorContains(t, err, "gone")
	for range 2 {
		text, err := learn.NewCache(dir).Once("key", find(nil))
		require.NoError(t, err)
		require.Equal(t, "found 2", text)
	}
	text, err := (*learn.Cache)(nil).Once("key", find(nil))
	require.NoError(t, err)
	require.Equal(t, "found 3", text, "no folder, nothing remembered")
}
