package eval_test

import (
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// regionWriter writes bodies of quantifiers that regions.go may decide.
type regionWriter struct {
	r      *rng.Source
	vars   []string
	keys   []string // literals
	orders []string // comparisons of the sort
}

func (g *regionWriter) pick(list []string) string { return list[g.r.Intn(len(list))] }

// term writes a term of the quantified sort S.
func (g *regionWriter) term(depth int) string {
	switch n := g.r.Intn(10); {
	case n < 5:
		return g.pick(g.vars)
	case n < 7 || depth == 0:
		return g.pick(g.keys)
	case n == 7:
		return "(select a " + g.term(depth-1) + ")"
	}
	return "(f " + g.term(depth-1) + ")"
}

func (g *regionWriter) body(depth int) string {
	if depth == 0 || g.r.Intn(6) == 0 {
		switch g.r.Intn(6) {
		case 0:
			return fmt.Sprintf("(p %s %s)", g.term(1), g.term(1))
		case 1:
			return fmt.Sprintf("(distinct %s %s %s)", g.term(1), g.term(0), g.term(0))
		}
		return fmt.Sprintf("(%s %s %s)", g.pick(g.orders), g.term(1), g.term(1))
	}
	switch g.r.Intn(5) {
	case 0:
		return "(not " + g.body(depth-1) + ")"
	case 1:
		return fmt.Sprintf("(=> %s %s)", g.body(depth-1), g.body(depth-1))
	case 2:
		return fmt.Sprintf("(ite %s %s %s)", g.body(depth-1), g.body(depth-1), g.body(depth-1))
	}
	return fmt.Sprintf("(%s %s %s)", [...]string{"and", "or"}[g.r.Intn(2)], g.body(depth-1), g.body(depth-1))
}

// TestRegionsByForce compares quantifiers over infinite and huge sorts, in random models, with a window of values wide
// enough to have a copy of every instance: the literals and entries of the model, and around each more values than
// there are variables.
func TestRegionsByForce(t *testing.T) {
	wide := func(n int64) string { // of 70 bits, also from the top down
		return fmt.Sprintf("(_ bv%v 70)", new(big.Int).And(big.NewInt(n), value.Ones(70)))
	}
	for _, c := range []struct {
		sort   string
		text   func(n int64) string
		orders string
		step   int64 // between keys
		window int64 // beyond the least and the greatest key
	}{
		{"Int", func(n int64) string { return signed(n, "") }, "= < <= > >= distinct", 1, 5},
		{"Int", func(n int64) string { return signed(n, "") }, "= < <= > >=", 5, 5},
		{"Real", func(n int64) string { return "(/ " + signed(n, ".0") + " 8.0)" }, "= < <= > >= distinct", 5, 5},
		{"(_ BitVec 70)", wide, "= bvult bvule bvugt bvuge distinct", 1, 5},
		{"String", func(n int64) string { return fmt.Sprintf(`"s%d"`, n+100) }, "= distinct", 1, 5},
		{"(Seq Int)", func(n int64) string { return "(seq.unit " + signed(n, "") + ")" }, "= distinct", 1, 5},
		{"(Array Int Bool)", func(n int64) string { return "(store ((as const (Array Int Bool)) false) " + signed(n, "") + " true)" }, "= distinct", 1, 5},
	} {
		t.Run(fmt.Sprint(c.sort, c.step), func(t *testing.T) {
			r := rng.New(1)
			array := fmt.Sprintf("(Array %s %s)", c.sort, c.sort)
			decided, count := 0, scaled(60)
			for range count {
				a := smt.NewArena()
				script, err := smtlib.Parse("", []byte(strings.ReplaceAll("(declare-fun f (S) S)(declare-fun p (S S) Bool)(declare-const a (Array S S))", "S", c.sort)), a)
				require.NoError(t, err)
				g := &regionWriter{r: r, orders: strings.Fields(c.orders)}
				key := func() string { return c.text(int64(r.Intn(6)-2) * c.step) }
				for range 3 {
					g.keys = append(g.keys, key())
				}
				n := 1 + r.Intn(3)
				decls, q := "", [...]string{"forall", "exists"}[r.Intn(2)]
				for i := range n {
					g.vars = append(g.vars, fmt.Sprint("x", i))
					decls += fmt.Sprintf("(x%d %s)", i, c.sort)
				}
				model := table2(r, "f", c.sort, c.sort, 1, key, key) +
					table2(r, "p", c.sort, "Bool", 2, key, func() string { return fmt.Sprint(r.Bool()) }) +
					"(define-fun a () " + array + fmt.Sprintf(" (store (store ((as const %s) %s) %s %s) %s %s))", array, key(), key(), key(), key(), key())
				m, err := modelreader.Parse(script, "("+model+")")
				require.NoError(t, err, model)
				text := fmt.Sprintf("(%s (%s) %s)", q, decls, g.body(3))
				term, err := smtlib.ParseTerm(a, script, text)
				require.NoError(t, err, text)
				got := eval.New(a, m).Truth(term)
				if got == value.Unknown {
					continue
				}
				decided++
				var window []value.Value
				for i := -2*c.step - c.window; i <= 3*c.step+c.window; i++ {
					x, err := smtlib.ParseTerm(a, script, c.text(i))
					require.NoError(t, err)
					v, err := eval.New(a, m).Eval(x)
					require.NoError(t, err)
					window = append(window, v)
				}
				require.Equal(t, byForce(t, a, m, term, window), got, "%s\n%s", text, m.Text())
			}
			t.Logf("%d of %d decided", decided, count)
			require.Greater(t, decided, count/4)
		})
	}
}

// byForce decides a quantifier by all instances from the window.
func byForce(t *testing.T, a *smt.Arena, m *model.Model, term smt.Term, window []value.Value) value.Truth {
	forall := a.Op(term) == smt.OpForall
	vars := append([]smt.Term(nil), a.BoundVars(term)...)
	ev := eval.New(a, m)
	vals := make([]value.Value, len(vars))
	var try func(i int) bool // whether some instance decides
	try = func(i int) bool {
		if i == len(vals) {
			v, err := ev.EvalWith(a.Body(term), vars, vals)
			require.NoError(t, err)
			b, ok := v.Bool()
			require.True(t, ok)
			return b != forall
		}
		for _, v := range window {
			vals[i] = v
			if try(i + 1) {
				return true
			}
		}
		return false
	}
	return value.TruthOf(try(0) != forall)
}

func signed(n int64, suffix string) string {
	if n < 0 {
		return fmt.Sprintf("(- %d%s)", -n, suffix)
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

// table2 writes a definition of a function as a solver prints it: a chain of ites over its parameters.
func table2(r *rng.Source, name, sort, result string, arity int, key, value func() string) string {
	params, body := "", value()
	for i := range arity {
		params += fmt.Sprintf("(y%d %s)", i, sort)
	}
	for range r.Intn(4) {
		cond := ""
		for i := range arity {
			cond += fmt.Sprintf(" (= y%d %s)", i, key())
		}
		body = fmt.Sprintf("(ite (and true%s) %s %s)", cond, value(), body)
	}
	return fmt.Sprintf("(define-fun %s (%s) %s %s)", name, params, result, body)
}

// scaled is n, or more of it where deep tests are asked for.
func scaled(n int) int {
	if os.Getenv("SMTLARK_DEEP") != "" {
		return 50 * n
	}
	return n
}
