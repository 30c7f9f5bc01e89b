package eval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// higherModel interprets p as (lambda (x y) (and (= x 1) (= y 2))), and f as 9 everywhere but at 5, where it is 1.
func higherModel(t *testing.T, s *smtlib.Script) *model.Model {
	a := s.Arena
	m := model.New(a)
	for _, c := range s.Declarations() {
		for _, f := range c.Symbols {
			switch info := a.SymbolInfo(f); info.Name {
			case "p":
				inner, ok := a.Applied(info.Result)
				require.True(t, ok)
				ev := eval.New(a, m)
				off := ev.Domains().Default(inner)
				on := value.OfTable(inner, off.AsTable().Put(value.Int64(2), value.Bool(true)))
				m.Set(f, value.OfTable(info.Result, ev.Domains().Default(info.Result).AsTable().Put(value.Int64(1), on)))
			case "f":
				fn := model.NewFunc(info.Params, value.Int64(9))
				fn.Set([]value.Value{value.Int64(5)}, value.Int64(1))
				m.SetFunc(f, fn)
			case "g":
				fn := model.NewFunc(info.Params, value.Int64(0))
				key := eval.New(a, m).Domains().Default(info.Params[0])
				fn.Set([]value.Value{value.OfTable(info.Params[0], value.NewTable(key.AsTable().Domain(), value.Int64(9)).Put(value.Int64(5), value.Int64(1)))}, value.Int64(7))
				m.SetFunc(f, fn)
			}
		}
	}
	return m
}

func TestFunctionValues(t *testing.T) {
	s := parseScript(t, `(set-logic HO_ALL)(declare-const p (-> Int Int Bool))(declare-fun f (Int) Int)(declare-fun g ((-> Int Int)) Int)
(define-fun inc ((n Int)) Int (+ n 1))(define-fun sum ((n Int) (k Int)) Int (+ n k))(declare-const open (-> Int Int))
(define-fun both ((c Bool) (d Bool)) Bool (and c d))`)
	m := higherModel(t, s)
	for _, c := range []struct{ term, want string }{
		{"(p 1 2)", "true"},
		{"(p 2 2)", "false"},
		{"(@ p 1)", "(lambda ((i!0 Int)) (ite (= i!0 2) true false))"},
		{"p", "(lambda ((i!0 Int) (i!1 Int)) (ite (= i!0 1) (ite (= i!1 2) true false) false))"},
		{"(= (p 1) (p 2))", "false"},
		{"(= (p 3) (p 2))", "true"},
		{"(= (@ p 1) (lambda ((y Int)) (= y 2)))", "true"},
		{"(= p (lambda ((x Int) (y Int)) (and (= x 1) (= y 2))))", "true"},
		{"(= p (lambda ((x Int) (y Int)) (and (= x 2) (= y 1))))", "false"},
		{"f", "(lambda ((i!0 Int)) (ite (= i!0 5) 1 9))"},
		{"(g f)", "7"},
		{"(g (lambda ((x Int)) (ite (= x 5) 1 9)))", "7"},
		{"(g (lambda ((x Int)) 9))", "0"},
		{"(g inc)", "unknown: g: the model's table does not list these arguments"},
		{"(= inc f)", "false"},
		{"(= inc (lambda ((x Int)) (+ 1 x)))", "unknown: =: values of sort (-> Int Int) that cannot be compared"},
		{"(@ inc 3)", "4"},
		{"(@ (sum 3) 4)", "7"},
		{"((sum 3) 4)", "7"},
		{"(distinct (sum 0) (sum 1))", "true"},
		{"(@ (lambda ((x Int) (y Int)) (- x y)) 5 3)", "2"},
		{"(@ (lambda ((h (-> Int Int))) (h (h 1))) inc)", "3"},
		{"(= both (lambda ((x Bool) (y Bool)) (not (or (not x) (not y)))))", "true"},
		{"(= (both true) (lambda ((y Bool)) y))", "true"},
		{"(exists ((h (-> Bool Bool))) (and (h false) (not (h true))))", "true"},
		{"(forall ((h (-> Bool Bool)) (x Bool)) (= (h x) (h (h (h x)))))", "true"},
		{"(open 1)", "unknown: open: the model gives no value"},
	} {
		t.Run(c.term, func(t *testing.T) { require.Equal(t, c.want, evalText(t, s.Arena, m, s, c.term)) })
	}
}

func TestArraysOfFunctions(t *testing.T) {
	s := parseScript(t, `(set-logic ALL)(declare-fun f (Int) Int)(define-fun sum ((n Int) (k Int)) Int (+ n k))(declare-fun undefined (Int) Int)(declare-const w (Array Int Int))`)
	m := higherModel(t, s)
	for _, c := range []struct{ term, want string }{
		{"(_ as-array f)", "(store ((as const (Array Int Int)) 9) 5 1)"},
		{"(select (_ as-array f) 5)", "1"},
		{"((_ as-array f) 4)", "9"},
		{"((_ map f) (_ as-array f))", "((as const (Array Int Int)) 9)"},
		{"((_ map sum) (_ as-array f) (store ((as const (Array Int Int)) 3) 6 4))", "(store (store ((as const (Array Int Int)) 12) 5 4) 6 13)"},
		{"(select ((_ map sum) (_ as-array f) (lambda ((i Int)) i)) 5)", "6"},
		{"(select ((_ map f) (lambda ((i Int)) (+ i 1))) 4)", "1"},
		{"(= (lambda ((p Bool)) (lambda ((z Int)) z)) (lambda ((p Bool)) w))", "unknown: =: values of sort (Array Bool (Array Int Int)) that cannot be compared"},
		{"(= (lambda ((p Int)) (lambda ((z Int)) z)) (lambda ((p Int)) w))", "unknown: =: values of sort (Array Int (Array Int Int)) that cannot be compared"},
		{"((_ map undefined) (_ as-array f))", "unknown: undefined: the model gives no interpretation of the function"},
		{"(select (lambda ((i Int)) (select (_ as-array f) (+ i 1))) 4)", "1"},
	} {
		t.Run(c.term, func(t *testing.T) { require.Equal(t, c.want, evalText(t, s.Arena, m, s, c.term)) })
	}
}

// The text of Text and the term of ToTerm both denote the given function.
func TestFunctionText(t *testing.T) {
	s := parseScript(t, `(set-logic HO_ALL)(declare-const a (-> Int Bool Int))(declare-const b (-> (-> Bool Bool) (_ BitVec 2)))(declare-const c (-> (_ BitVec 1) (Array Int Bool)))`)
	ar := s.Arena
	g := search.NewGenerator(ar, model.New(ar), rng.New(5))
	tables := 0
	for range 60 {
		for _, c := range s.Declarations() {
			v := g.Value(ar.SymbolInfo(c.Symbols[0]).Result)
			require.True(t, v.IsValue())
			if _, entries, ok := v.Table(); ok && len(entries) > 0 {
				tables++
			}
			term, err := smtlib.ParseTerm(ar, s, v.Text(ar))
			require.NoError(t, err, v.Text(ar))
			other, err := value.ToTerm(ar, v)
			require.NoError(t, err)
			for _, x := range []smt.Term{term, other} {
				require.Equal(t, ar.Sort(x), v.Sort())
				w, err := eval.New(ar, nil).Eval(x)
				require.NoError(t, err)
				require.Equal(t, value.True, eval.New(ar, nil).Equal(v, w), "%s\n%s", v.Text(ar), w.Text(ar))
			}
		}
	}
	require.Greater(t, tables, 50)
}

// cvc5's model of a constant of a function sort is a definition with parameters.
func TestFunctionReply(t *testing.T) {
	s := parseScript(t, `(set-logic HO_ALL)(declare-const p (-> Int Int Bool))(declare-fun g ((-> Int Int)) Int)`)
	m, err := modelreader.Parse(s, `((define-fun p ((_x Int) (_y Int)) Bool (= _x _y))(define-fun g ((_x (-> Int Int))) Int (ite (= _x (lambda ((y Int)) 3)) 1 2)))`)
	require.NoError(t, err)
	for term, want := range map[string]string{"(p 1 1)": "true", "(@ p 2 1)": "false", "(g (lambda ((z Int)) 3))": "1", "(g (lambda ((z Int)) 4))": "2"} {
		require.Equal(t, want, evalText(t, s.Arena, m, s, term), term)
	}
}
