package fusion

import (
	"github.com/smtlark/smtlark/engine/language/template"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/fusion/operator"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// textOp makes an operator of texts over x, y, w and z, whose sorts have no letters.
func textOp(t testing.TB, name string, sorts []string, result, apply string, inverse ...string) *operator.Operator {
	t.Helper()
	o := &operator.Operator{Name: name, Theory: result, Unproven: true}
	for _, s := range sorts {
		p, err := smt.ParsePattern(s)
		require.NoError(t, err)
		o.Args = append(o.Args, p)
	}
	var err error
	o.Result, err = smt.ParsePattern(result)
	require.NoError(t, err)
	require.NoError(t, o.Check())
	o.Make = func(_ any, a *smt.Arena, args []smt.Sort, result smt.Sort, _ []*big.Int) (*operator.Definition, error) {
		sc := smtlib.NewScope(a)
		defer sc.Close()
		m := map[smt.Term]smt.Term{}
		for i, s := range args {
			v := a.Var([]string{"x", "y", "w"}[i], s)
			sc.BindVar(v)
			m[v] = a.Const(a.Declare(template.ArgName(i), nil, s))
		}
		z := a.Var("z", result)
		sc.BindVar(z)
		m[z] = a.Const(a.Declare(template.ResultName, nil, result))
		read := func(text string) smt.Term {
			if text == "" {
				return 0
			}
			u, err := sc.Term(text)
			require.NoError(t, err)
			u, err = a.Subst(u, m)
			require.NoError(t, err)
			return u
		}
		d := &operator.Definition{Arena: a, Apply: read(apply)}
		for _, x := range inverse {
			d.Inverse = append(d.Inverse, read(x))
		}
		return d, nil
	}
	return o
}

// testOps are some operators with right inverses.
func testOps(t testing.TB) []*operator.Operator {
	return []*operator.Operator{
		textOp(t, "int.add", []string{"Int", "Int"}, "Int", "(+ x y)", "(- z y)", "(- z x)"),
		textOp(t, "int.neg", []string{"Int"}, "Int", "(- x)", "(- z)"),
		textOp(t, "int.mul", []string{"Int", "Int"}, "Int", "(* x y)", "(ite (= y 0) x (div z y))", "(ite (= x 0) y (div z x))"),
		textOp(t, "real.add", []string{"Real", "Real"}, "Real", "(+ x y)", "(- z y)", "(- z x)"),
		textOp(t, "real.mul", []string{"Real", "Real"}, "Real", "(* x y)", "(ite (= y 0.0) x (/ z y))", "(ite (= x 0.0) y (/ z x))"),
		textOp(t, "real.of_int", []string{"Int"}, "Real", "(to_real x)", "(to_int z)"),
		textOp(t, "bool.xor", []string{"Bool", "Bool"}, "Bool", "(xor x y)", "(xor z y)", "(xor z x)"),
		textOp(t, "any.ite", []string{"Bool", "A", "A"}, "A", "(ite x y w)", "(ite (= y w) x (= z y))", "(ite x z y)", "(ite x w z)"),
		textOp(t, "any.equal", []string{"A", "A"}, "Bool", "(= x y)", "(ite z y x)", "(ite z x y)"),
		textOp(t, "bv.add", []string{"BV(m)", "BV(m)"}, "BV(m)", "(bvadd x y)", "(bvsub z y)", "(bvsub z x)"),
		textOp(t, "array.store", []string{"Array(A,B)", "A", "B"}, "Array(A,B)", "(store x y w)", "(store z y (select x y))", "", "(select z y)"),
		textOp(t, "str.append", []string{"String", "String"}, "String", "(str.++ x y)", "(str.substr z 0 (str.len x))", "(str.substr z (str.len x) (str.len y))"),
	}
}

func testTable(t testing.TB) *Table {
	t.Helper()
	table, err := NewTable(nil, testOps(t))
	require.NoError(t, err)
	return table
}

// only is the table of one operator.
func only(t testing.TB, o *operator.Operator) *Table {
	t.Helper()
	table, err := NewTable(nil, []*operator.Operator{o})
	require.NoError(t, err)
	return table
}
