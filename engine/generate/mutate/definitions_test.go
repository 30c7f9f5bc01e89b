package mutate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/generate/mutate"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

// scriptsOf makes many mutants with one operator changed and returns their different texts, without declarations.
func scriptsOf(t testing.TB, text, classes string) []string {
	x := subject(t, text)
	r := rng.New(1)
	c := operators(t, classes)
	var out []string
	for range 200 {
		m, err := x.MutateOperators(r, c, 1, false)
		require.NoError(t, err)
		if m == nil {
			continue
		}
		_, err = smtlib.Parse("mutant", []byte(m.Script.Text()), smt.NewArena())
		require.NoError(t, err, m.Script.Text())
		var lines []string
		for line := range strings.Lines(m.Script.Text()) {
			if !strings.HasPrefix(line, "(declare") && !strings.HasPrefix(line, "(check") {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
		if s := strings.Join(lines, " "); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

func TestOperatorsInDefinitions(t *testing.T) {
	for _, c := range []struct {
		name, script, classes string
		want                  []string
	}{
		{"a function that is used", "(define-fun f ((x Int)) Int (+ x 1))(declare-const y Int)(assert (< (f y) 3))", "+,-",
			[]string{"(define-fun f ((x Int)) Int (- x 1)) (assert (< (f y) 3))"}},
		{"one that is not", "(define-fun f ((x Int)) Int (+ x 1))(declare-const y Int)(assert (< y 3))", "+,-", nil},
		{"one that another one uses", "(define-fun f () Int (+ 2 1))(define-fun g ((x Int)) Bool (= x f))(assert (g 3))", "+,-",
			[]string{"(define-fun f () Int (- 2 1)) (define-fun g ((x Int)) Bool (= x f)) (assert (g 3))"}},
		{"under let and quantifiers", "(define-fun f ((v (_ BitVec 4))) Bool (forall ((w (_ BitVec 4))) (let ((z (bvadd w v))) (= z w))))(assert (f #x1))", "bvadd,bvmul",
			[]string{"(define-fun f ((v (_ BitVec 4))) Bool (forall ((w (_ BitVec 4))) (= (bvmul w v) w))) (assert (f #x1))"}},
		{"recursion, but not what it depends on", "(define-fun-rec f ((n Int)) Int (ite (<= n (- 9 9)) (- 1) (- n (f (- n 1)))))(assert (= (f 3) 6))", "+,-",
			[]string{"(define-fun-rec f ((n Int)) Int (ite (<= n (- 9 9)) (- 1) (+ n (f (- n 1))))) (assert (= (f 3) 6))"}},
		{"of a group", "(define-funs-rec ((e ((n Int)) Bool) (o ((n Int)) Bool)) ((or (<= n 0) (o (- n 1))) (ite (<= n 1) (<= n 2) (e (- n 1)))))(assert (e 4))", "<=,<",
			[]string{"(define-funs-rec ((e ((n Int)) Bool) (o ((n Int)) Bool)) ((or (<= n 0) (o (- n 1))) (ite (<= n 1) (< n 2) (e (- n 1))))) (assert (e 4))"}},
		{"nested calls", "(define-fun-rec f ((n Int)) Int (ite (> n 100) (- n 10) (f (f (+ n 11)))))(assert (= (f 3) 91))", "+,-", nil},
		{"names of terms", "(declare-const p Bool)(declare-const q Bool)(assert (! (or p q) :named n))(define-fun f () Bool (and n p))(assert f)", "and,xor",
			[]string{"(define-fun f () Bool (xor (or p q) p)) (assert (or p q)) (assert f)"}},
		{"a name that is declared twice", "(push 1)(define-fun f () Int (+ 1 2))(assert (< f 3))(pop 1)(define-fun f () Int (+ 2 2))(assert (< f 4))", "+,-",
			[]string{"(define-fun f () Int (- 2 2)) (assert (< f 4))"}}, // of which only the last check-sat is left
	} {
		require.Equal(t, c.want, scriptsOf(t, c.script+"(check-sat)", c.classes), c.name)
	}
}

const defined = `(set-logic ALL)(declare-const y Int)(define-fun a ((x Int)) Int (+ x y))(declare-const z Int)(declare-fun g (Int Int) Int)
	(define-fun b ((x Int) (p Bool)) Int (ite p (a x) (g z (* 2 x))))
	(define-fun c ((y Bool)) Bool (and y (< (b 1 y) 3)))
	(define-fun-rec sum ((n Int)) Int (ite (<= n 0) (+ z 1) (+ n (sum (- n 1)))))
	(define-funs-rec ((even ((n Int)) Bool) (odd ((n Int)) Bool)) ((ite (<= n 0) true (odd (- n 1))) (ite (<= n 0) false (even (- n 1)))))
	(assert (c (forall ((q Int)) (< (b q true) (sum 4)))))(assert (even (a 5)))(check-sat)`

// TestMutatedDefinitionsAreWellFormed reads mutants back: a body uses only its parameters and earlier definitions.
func TestMutatedDefinitionsAreWellFormed(t *testing.T) {
	x := subject(t, defined)
	changed := 0
	rapid.Check(t, func(t *rapid.T) {
		r := rng.New(rapid.Uint64().Draw(t, "seed"))
		times := rapid.IntRange(1, 12).Draw(t, "times")
		var m *mutate.Mutant
		var err error
		if rapid.Bool().Draw(t, "generate") {
			m, err = x.Generate(r, anySigs, times, 3, false)
		} else {
			m, err = x.MutateOperators(r, anyOps, times, false)
		}
		require.NoError(t, err)
		require.NotNil(t, m)
		text := m.Script.Text()
		_, err = smtlib.Parse("mutant", []byte(text), smt.NewArena())
		require.NoError(t, err, text)
		for line := range strings.Lines(text) { // the condition that ends the recursion stays
			if strings.HasPrefix(line, "(define-fun-rec") && strings.Contains(line, "(sum (") {
				require.Contains(t, line, "(<= n 0)")
			}
		}
		if !strings.Contains(text, "(define-fun a ((x Int)) Int (+ x y))") {
			changed++
		}
	})
	require.Positive(t, changed)
}

// TestMutatedDefinitionsMeanWhatTheySay evaluates a mutant and its text: that of a definition is the one its uses have.
func TestMutatedDefinitionsMeanWhatTheySay(t *testing.T) {
	x := subject(t, `(declare-const y Int)(define-fun a ((x Int)) Int (+ x y))(declare-const z Int)
		(define-fun b ((x Int) (p Bool)) Int (ite p (a x) (- z (* 2 x))))
		(define-fun-rec sum ((n Int)) Int (ite (<= n 0) (+ z 1) (+ n (sum (- n 1)))))
		(define-funs-rec ((even ((n Int)) Bool) (odd ((n Int)) Bool)) ((ite (<= n 0) true (odd (- n 1))) (ite (<= n 0) false (even (- n 1)))))
		(assert (< (b y (even 3)) (sum 4)))(assert (=> (odd 3) (distinct (sum 3) (sum 2) (a 1))))(check-sat)`)
	answers := map[value.Truth]int{}
	for seed := range uint64(100) {
		m, err := x.MutateOperators(rng.New(seed), anyOps, 3, true)
		require.NoError(t, err)
		back := parse(t, m.Script.Text())
		for i := range 4 {
			text := fmt.Sprintf("((define-fun y () Int %d)(define-fun z () Int %d))", i, 5-2*i)
			here, err := modelreader.Parse(m.Script, text)
			require.NoError(t, err)
			there, err := modelreader.Parse(back, text)
			require.NoError(t, err)
			is := eval.CheckModel(m.Script, here).Result
			require.Equal(t, eval.CheckModel(back, there).Result, is, m.Script.Text())
			answers[is]++
		}
	}
	require.Greater(t, answers[value.False], 50, "%v", answers)
	require.Greater(t, answers[value.True], 50, "%v", answers)
}
