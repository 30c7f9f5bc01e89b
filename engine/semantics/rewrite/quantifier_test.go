package rewrite

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/engine/semantics/law"
)

// quantified are laws of quantifiers: one that drops them, one that moves what does not have their variables out, one
// that puts a term for a variable, one that joins two, one that changes the order of two.
func quantified(t *testing.T) []*law.Law {
	quant := func(a *smt.Arena, op smt.Op, v, body smt.Term) smt.Term {
		x, err := a.Quant(op, []smt.Term{v}, body)
		require.NoError(t, err)
		return x
	}
	vars := []string{"Vars(V)", "Bool(V)", "Bool"}
	return []*law.Law{
		aLaw(t, "drop", nil, []string{"Vars(V)", "Bool"}, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
			return quant(a, smt.OpForall, x[0], x[1]), x[1], 0
		}),
		aLaw(t, "out", nil, vars, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
			return a.MustApp(smt.OpOr, quant(a, smt.OpForall, x[0], x[1]), x[2]), quant(a, smt.OpForall, x[0], a.MustApp(smt.OpOr, x[1], x[2])), 0
		}),
		aLaw(t, "point", nil, []string{"Vars(V)", "Bool(V)", "V"}, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
			to, err := a.Subst(x[1], map[smt.Term]smt.Term{x[0]: x[2]})
			require.NoError(t, err)
			return quant(a, smt.OpExists, x[0], a.MustApp(smt.OpAnd, a.Eq(x[0], x[2]), x[1])), to, 0
		}),
		aLaw(t, "join", nil, []string{"Vars(V)", "Bool(V)", "Bool(V)"}, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
			return a.MustApp(smt.OpAnd, quant(a, smt.OpForall, x[0], x[1]), quant(a, smt.OpForall, x[0], x[2])), quant(a, smt.OpForall, x[0], a.MustApp(smt.OpAnd, x[1], x[2])), 0
		}),
		aLaw(t, "swap", nil, []string{"Vars(V)", "Vars(W)", "Bool(V,W)"}, func(a *smt.Arena, x []smt.Term, _ []uint64) (smt.Term, smt.Term, smt.Term) {
			return quant(a, smt.OpForall, x[0], quant(a, smt.OpForall, x[1], x[2])), quant(a, smt.OpForall, x[1], quant(a, smt.OpForall, x[0], x[2])), 0
		}),
	}
}

// TestQuantifiersSimplified checks that lighter terms are used if no variable is captured and none leaves the scope of
// its quantifier.
func TestQuantifiersSimplified(t *testing.T) {
	rules, err := Compile(nil, quantified(t))
	require.NoError(t, err)
	names, err := rules.Names()
	require.NoError(t, err)
	require.Equal(t, []string{"drop", "join"}, names)
	for from, to := range map[string]string{
		"(forall ((x Int)(y Bool)) p)":                                        "p",
		"(forall ((x Int)) (exists ((y Int)) (< x y)))":                       "(forall ((x Int)) (exists ((y Int)) (< x y)))",
		"(exists ((x Int)) (forall ((y Int)) (= x 0)))":                       "(exists ((x Int)) (= x 0))",
		"(forall ((x Int)) (forall ((x Int)) (= x 0)))":                       "(forall ((x Int)) (= x 0))",
		"(and (forall ((x Int)) (< x k)) (forall ((x Int)) (< k x)))":         "(forall ((x Int)) (and (< x k) (< k x)))",
		"(and (forall ((x Int)) (< x k)) (forall ((y Int)) (< k y)))":         "(and (forall ((x Int)) (< x k)) (forall ((y Int)) (< k y)))",
		"(and (forall ((x Int)(y Int)) (< x y)) (forall ((x Int)) (< k x)))":  "(and (forall ((x Int) (y Int)) (< x y)) (forall ((x Int)) (< k x)))",
		"(forall ((x Int)) (and (= x k) (forall ((x Bool)) (or x (= k 1)))))": "(forall ((x Int)) (and (= x k) (forall ((x Bool)) (or x (= k 1)))))",
		"(forall ((x Int)) (and (= x k) (forall ((y Bool)) (or p (= k x)))))": "(forall ((x Int)) (and (= x k) (or p (= k x))))",
	} {
		a := smt.NewArena()
		script, err := smtlib.Parse("test", []byte("(declare-const p Bool)(declare-const k Int)(assert "+from+")"), a)
		require.NoError(t, err)
		require.Equal(t, to, smtlib.TermText(a, New(a, rules).Term(script.Asserts()[0])), from)
	}
}

// TestQuantifiersStepped: steps in both directions, with variables that have the same names inside and outside, leave
// the values of formulas as they are.
func TestQuantifiersStepped(t *testing.T) {
	rules, err := Compile(nil, quantified(t))
	require.NoError(t, err)
	taken := map[string]bool{}
	for _, text := range []string{
		"(forall ((x (_ BitVec 1))) (or (= x k) (forall ((y (_ BitVec 1))) (or (= x y) (= y k)))))",
		"(exists ((x (_ BitVec 1))) (and (= x (bvnot k)) (forall ((x (_ BitVec 1))) (or p (= x k)))))",
		"(exists ((x (_ BitVec 1))) (and (= x k) (forall ((k (_ BitVec 1))) (forall ((y Bool)) (or y (= x k))))))",
		"(and (forall ((x (_ BitVec 1))) (or p (= x k))) (forall ((x (_ BitVec 1))) (forall ((x Bool)) (or x (not p)))))",
	} {
		a := smt.NewArena()
		script, err := smtlib.Parse("test", []byte("(declare-const p Bool)(declare-const k (_ BitVec 1))(assert "+text+")"), a)
		require.NoError(t, err)
		root := script.Asserts()[0]
		k, p := a.Const(script.Commands[1].Symbols[0]), a.Const(script.Commands[0].Symbols[0])
		r := rng.New(1)
		step := NewStepper(a, rules)
		for range 400 {
			var spots []smt.Term
			a.PostOrder([]smt.Term{root}, func(x smt.Term) {
				if a.Op(x) != smt.OpVar {
					spots = append(spots, x)
				}
			})
			at := spots[r.Intn(len(spots))]
			free := a.FreeVars(at)
			to, name := step.Step(at, Same, r, func(s smt.Sort) smt.Term {
				for _, v := range free {
					if a.Sort(v) == s && r.Bool() {
						return v
					}
				}
				switch s {
				case smt.SortBool:
					return p
				case a.Sort(k):
					return k
				}
				return 0
			})
			if to == 0 {
				continue
			}
			out, err := a.Map(root, func(x smt.Term) (smt.Term, error) {
				if x == at {
					return to, nil
				}
				return x, nil
			})
			require.NoError(t, err)
			require.Empty(t, a.FreeVars(out), "%s by %s: %s", smtlib.TermText(a, root), name, smtlib.TermText(a, out))
			for n := range 4 {
				m := model.New(a)
				ev := eval.New(a, m)
				m.Set(a.SymbolOf(p), value.Bool(n&1 == 1))
				v, err := ev.Eval(a.BVUint(1, uint64(n>>1)))
				require.NoError(t, err)
				m.Set(a.SymbolOf(k), v)
				ev.Reset(m)
				require.Equal(t, ev.Truth(root), ev.Truth(out), "%s by %s: %s", smtlib.TermText(a, root), name, smtlib.TermText(a, out))
			}
			taken[name] = true
			if a.Size(out) < 24 {
				root = out
			} else {
				root = script.Asserts()[0]
			}
		}
	}
	require.Len(t, taken, 5, "%v", taken)
}
