package linear

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

const declarations = "(declare-const x Int)(declare-const y Int)(declare-const z Int)(declare-const u Real)(declare-const v Real)(declare-const p Bool)(declare-fun f (Int) Int)"

func formulas(t require.TestingT, texts ...string) (*smt.Arena, []smt.Term) {
	a := smt.NewArena()
	s, err := smtlib.Parse("test", []byte(declarations+"(assert "+strings.Join(texts, ")(assert ")+")(check-sat)"), a)
	require.NoError(t, err, texts)
	return a, s.Asserts()
}

func TestConflict(t *testing.T) {
	for _, c := range []struct {
		core int // the formulas of the conflict; 0: there is none
		text string
	}{
		{1, "(= (+ x 1) (+ x 2))"},
		{1, "(distinct (* 2 x) (+ x x))"},
		{1, "(not (<= (- x y) (+ (- y) x)))"},
		{1, "(= (+ (* 2 x) (* 4 y)) 3)"}, // even and odd
		{0, "(= (+ (* 2 x) (* 4 y)) 6)"},
		{0, "(distinct (+ (* 2 x) (* 4 y)) 3)"},
		{1, "(< (- x y) (+ (- y) x))"},
		{1, "(! (<= (+ (f x) 1) (f x)) :named n)"},
		{0, "(= (* x y) (+ 1 (* y x)))"}, // two unknowns
		{1, "(= (+ 1 (* x y)) (* x y))"},
		{0, "(= (* 2.0 u) 3.0)"}, // reals have halves
		{1, "(= (to_real x) (+ (to_real x) 0.5))"},
		{1, "(= (ite p x y) (+ 1 (ite p x y)))"},
		{0, "(= p (not p))"}, // no numbers
		{1, "(= x (+ x 1) y)"},
		{0, "(not (= x (+ x 1) y))"},
		{1, "(= (* 3 (- 2) x) (+ (* (- 6) x) (- 1)))"},
		{2, "(< x y) | (< y x) | (< x z)"},
		{3, "(<= x y) | (<= y z) | (< z x)"},
		{2, "(< x y) | (< y (+ x 1))"}, // no integer is between
		{0, "(< u v) | (< v (+ u 1.0))"},
		{2, "(< u v) | (not (< u v))"},
		{2, "(<= u v) | (not (<= u v)) | (= u 1.0)"},
		{0, "(<= u v) | (<= v u)"},
		{2, "(>= (* 2 x) 3) | (<= (* 2 x) 3)"}, // at least 4 and at most 2
		{3, "(= (+ x y) 10) | (= (- x y) 2) | (distinct x 6) | (> y 5)"},
		{0, "(= (+ x y) 10) | (= (- x y) 2) | (= x 6)"},
		{0, "(= (+ x y) 3) | (= x y)"}, // it takes a half, which is not looked for
		{0, "(or (< x x) p)"},
	} {
		texts := strings.Split(c.text, " | ")
		a, ts := formulas(t, texts...)
		require.Len(t, NewRefuter(a).Conflict(ts), c.core, c.text)
	}
}

// A tower of sums, whose text is exponential, is read in no time; one with more and more unknowns is given up, and what
// comes after it is read.
func TestConflictOfTowers(t *testing.T) {
	end := strings.Repeat(")", 201)
	tower, wide := "(let ((a0 x)) ", "(let ((a0 (f 0))) "
	for i := range 200 {
		tower += fmt.Sprintf("(let ((a%d (+ a%d a%d))) ", i+1, i, i)
		wide += fmt.Sprintf("(let ((a%d (+ a%d (f %d)))) ", i+1, i, i+1)
	}
	a, ts := formulas(t, tower+"(= a200 (+ 1 a200))"+end, wide+"(= a200 (+ 1 a200))"+end, "(= x (+ x 1))")
	r := NewRefuter(a)
	require.Equal(t, ts[:1], r.Conflict(ts[:1]))
	require.Nil(t, r.Conflict(ts[1:2]), "too many coefficients")
	require.Equal(t, ts[2:], r.Conflict(ts[2:]))
}

// No values that are drawn make all formulas of a conflict true.
func TestConflictAgreesWithTheEvaluator(t *testing.T) {
	conflicts := 0
	rapid.Check(t, func(t *rapid.T) {
		var term func(depth int) string
		term = func(depth int) string {
			switch k := rapid.IntRange(0, 6).Draw(t, "kind"); {
			case depth == 0 && k < 3, k == 0:
				return fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "literal"))
			case depth == 0, k < 3:
				return rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "constant")
			case k == 3:
				return "(- " + term(depth-1) + ")"
			default:
				op := rapid.SampledFrom([]string{"+", "-", "*"}).Draw(t, "operator")
				return "(" + op + " " + term(depth-1) + " " + term(depth-1) + ")"
			}
		}
		var texts []string
		for range rapid.IntRange(1, 5).Draw(t, "formulas") {
			op := rapid.SampledFrom([]string{"=", "distinct", "<=", "<", ">=", ">"}).Draw(t, "comparison")
			text := "(" + op + " " + term(2) + " " + term(2) + ")"
			if rapid.Bool().Draw(t, "negated") {
				text = "(not " + text + ")"
			}
			texts = append(texts, text)
		}
		a, ts := formulas(t, texts...)
		core := NewRefuter(a).Conflict(ts)
		if core == nil {
			return
		}
		conflicts++
		for range 30 {
			m := model.New(a)
			for _, t := range core {
				for _, f := range a.Symbols(t) {
					if _, ok := m.Value(f); !ok {
						m.Set(f, value.Int64(0))
					}
				}
			}
			for _, f := range m.Symbols() {
				m.Set(f, value.Int64(rapid.Int64Range(-6, 6).Draw(t, "value")))
			}
			all := value.True
			for _, c := range core {
				if eval.New(a, m).Truth(c) != value.True {
					all = value.False
				}
			}
			require.Equal(t, value.False, all, texts)
		}
	})
	require.Positive(t, conflicts)
}

// A problem that has values is never refuted: they are drawn first, and the formulas are those that hold of them.
func TestWhatHoldsIsNeverRefuted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var texts []string
		at := map[string]int{"x": 0, "y": 0, "z": 0}
		for _, name := range []string{"x", "y", "z"} {
			at[name] = rapid.IntRange(-20, 20).Draw(t, name)
		}
		for range rapid.IntRange(1, 8).Draw(t, "formulas") {
			sum, text := 0, "(+ 0"
			for _, name := range []string{"x", "y", "z"} {
				c := rapid.IntRange(-4, 4).Draw(t, "coefficient")
				sum += c * at[name]
				text += fmt.Sprintf(" (* (- %d) %s)", -c, name)
				if c > 0 {
					text = strings.Replace(text, fmt.Sprintf("(- %d)", -c), fmt.Sprint(c), 1)
				}
			}
			bound := rapid.IntRange(-100, 100).Draw(t, "bound")
			literal := fmt.Sprint(bound)
			if bound < 0 {
				literal = fmt.Sprintf("(- %d)", -bound)
			}
			op := "="
			switch {
			case sum < bound:
				op = rapid.SampledFrom([]string{"<", "<=", "distinct"}).Draw(t, "less")
			case sum > bound:
				op = rapid.SampledFrom([]string{">", ">=", "distinct"}).Draw(t, "more")
			}
			texts = append(texts, "("+op+" "+text+") "+literal+")")
		}
		a, ts := formulas(t, texts...)
		require.Nil(t, NewRefuter(a).Conflict(ts), texts)
	})
}
