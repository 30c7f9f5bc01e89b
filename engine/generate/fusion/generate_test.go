package fusion

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/generate/fusion/operator"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

func inputsOf(a *smt.Arena, sorts ...smt.Sort) []smt.Term {
	var out []smt.Term
	for i, s := range sorts {
		out = append(out, a.Const(a.Declare(string(rune('p'+i)), nil, s)))
	}
	return out
}

// Where z = f holds, every inverse gives its input: for generated functions of any size, sorts and number of inputs.
func TestInversesGiveInputsBack(t *testing.T) {
	table := testTable(t)
	rapid.Check(t, func(r *rapid.T) {
		a := smt.NewArena()
		var sorts []smt.Sort
		pool := []smt.Sort{smt.SortInt, smt.SortReal, smt.SortBool, smt.SortString, a.BitVec(3), a.Array(smt.SortInt, smt.SortBool)}
		first := rapid.SampledFrom(pool).Draw(r, "sort")
		for range rapid.IntRange(1, 5).Draw(r, "inputs") {
			if rapid.IntRange(0, 3).Draw(r, "mixed") == 0 {
				sorts = append(sorts, rapid.SampledFrom(pool).Draw(r, "sort"))
			} else {
				sorts = append(sorts, first)
			}
		}
		src := rng.New(rapid.Uint64().Draw(r, "seed"))
		size := rapid.IntRange(3, 60).Draw(r, "size")
		inputs := inputsOf(a, sorts...)
		f, err := table.Generate(&Env{Arena: a, Rng: src, Name: Names("smt2"), Literal: 0.7}, inputs, Size{Nodes: size})
		if err == ErrNoFunction {
			return
		}
		require.NoError(r, err)
		require.Len(r, f.Inverse, len(inputs))
		for range 8 {
			m := model.New(a)
			g := search.NewGenerator(a, m, src)
			for _, x := range append(inputs[:len(inputs):len(inputs)], consts(a, f)...) {
				m.Set(a.SymbolOf(x), g.Value(a.Sort(x)))
			}
			ev := eval.New(a, m)
			z, err := ev.Eval(f.F)
			require.NoError(r, err)
			m.Set(a.SymbolOf(f.Z), z)
			ev.Reset(m)
			for i, x := range inputs {
				require.Equal(r, value.True, ev.Truth(a.Eq(x, f.Inverse[i])), "%s", m.Text())
			}
		}
	})
}

// Functions for YinYang have one constant at most and the sort of their inputs, and its configuration has no let.
func TestPlainFunctions(t *testing.T) {
	table, err := NewTable(nil, []*operator.Operator{
		textOp(t, "int.add", []string{"Int", "Int"}, "Int", "(+ x y)", "(- z y)", "(- z x)"),
		textOp(t, "int.positive", []string{"Int"}, "Bool", "(> x 0)", ""),
		textOp(t, "int.real", []string{"Int"}, "Real", "(to_real x)", "(to_int z)"),
		textOp(t, "real.add", []string{"Real", "Real"}, "Real", "(+ x y)", "(- z y)", "(- z x)"),
		textOp(t, "code", []string{"Int"}, "String", "(str.from_int x)", "(ite (< x 0) x (str.to_int z))"),
	})
	require.NoError(t, err)
	require.EqualValues(t, 1, table.steps[smt.KindInt][smt.KindReal])
	require.EqualValues(t, unreachable, table.steps[smt.KindReal][smt.KindInt])
	require.EqualValues(t, unreachable, table.steps[smt.KindInt][smt.KindBool], "what loses its argument does not lead there")
	made, all := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		all++
		a := smt.NewArena()
		inputs := inputsOf(a, smt.SortInt, smt.SortInt)
		env := &Env{Arena: a, Rng: rng.New(rapid.Uint64().Draw(r, "seed")), Name: Names("yinyang"), Literal: 0.3}
		env.MakePlain(inputs)
		f, err := table.Generate(env, inputs, Size{Nodes: rapid.IntRange(3, 60).Draw(r, "size")})
		if err == ErrNoFunction { // few operators have few ways back to Int
			return
		}
		require.NoError(r, err)
		made++
		require.Equal(r, smt.SortInt, a.Sort(f.Z))
		require.LessOrEqual(r, len(f.Consts), 1)
		var w FunctionWriter
		text, err := w.Append(nil, f, "yinyang", "")
		require.NoError(r, err)
		require.NotContains(r, string(text), "(let ")
		if len(f.Consts) == 1 {
			require.Contains(r, string(text), "(declare-const c Int)")
		}
	})
	require.Greater(t, 2*made, all)
}

func consts(a *smt.Arena, f *Function) []smt.Term {
	var out []smt.Term
	for _, c := range f.Consts {
		out = append(out, a.Const(c))
	}
	return out
}

func TestArityTree(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		size := Size{Nodes: rapid.IntRange(0, 200).Draw(r, "nodes"), Leaves: rapid.IntRange(0, 20).Draw(r, "leaves")}
		arities := rapid.SampledFrom([][]int{{1, 2, 3, 4}, {2}, {1, 2}, {1, 3}, {2, 4}, {1, 2, 6}}).Draw(r, "arities")
		inputs := rapid.IntRange(1, 12).Draw(r, "inputs")
		table := &Table{arities: arities}
		if arities[0] == 1 {
			table.unary = 1
		}
		tree := arityTree(nil, rng.New(rapid.Uint64().Draw(r, "seed")), size, inputs, table)
		open, leaves := 1, 0
		for i, k := range tree {
			require.Positive(r, open, "the tree ends at %d of %v", i, tree)
			open += k - 1
			if k == 0 {
				leaves++
			} else {
				require.Contains(r, arities, k)
			}
		}
		require.Zero(r, open, "%v", tree)
		require.GreaterOrEqual(r, leaves, max(inputs, size.Leaves))
		require.GreaterOrEqual(r, len(tree), size.Nodes-2)
		require.LessOrEqual(r, len(tree), max(size.Nodes-2, 2*max(inputs, size.Leaves)+2)+6)
	})
}

// Text grows with the size of a function, not with the number of its paths.
func TestLinearSize(t *testing.T) {
	table := only(t, textOp(t, "any.max", []string{"Int", "Int"}, "Int", "(ite (<= x y) y x)", "(ite (<= x y) x z)", "(ite (<= x y) z y)"))
	bytes := func(size int) int {
		a := smt.NewArena()
		f, err := table.Generate(&Env{Arena: a, Rng: rng.New(3), Name: Names("smt2"), Literal: 1}, inputsOf(a, smt.SortInt, smt.SortInt), Size{Nodes: size})
		require.NoError(t, err)
		text, err := f.Text("yinyang", "f")
		require.NoError(t, err)
		return len(text)
	}
	small, large := bytes(52), bytes(802)
	require.Less(t, large, 40*small)
}

// A function that is written in YinYang's format is read back as the same function.
func TestConfigRoundTrip(t *testing.T) {
	table := testTable(t)
	for seed := range uint64(50) {
		a := smt.NewArena()
		f, err := table.Generate(&Env{Arena: a, Rng: rng.New(seed), Name: Names("smt2"), Literal: 0.3}, inputsOf(a, smt.SortInt, smt.SortInt), Size{Nodes: 12})
		require.NoError(t, err)
		text, err := f.Text("yinyang", "f")
		require.NoError(t, err)
		b := smt.NewArena()
		fs, err := ReadConfig(b, "; a comment\n"+text)
		require.NoError(t, err, text)
		again, err := fs[0].Text("yinyang", "f")
		require.NoError(t, err)
		require.Equal(t, text, again)
		for _, format := range Formats {
			out, err := f.Text(format, "gen.f")
			if format == "star" && err != nil {
				require.ErrorContains(t, err, "more than 6 arguments")
				continue
			}
			require.NoError(t, err)
			require.NotEmpty(t, out)
		}
	}
	_, err := ReadConfig(smt.NewArena(), "#begin\n(declare-const x Int)\n(declare-const z Int)\n(assert (= z x))\n#end")
	require.ErrorContains(t, err, "the function at line 1: there is no equation for z or for x")
	_, err = ReadConfig(smt.NewArena(), "#begin\n(declare-const x Int")
	require.ErrorContains(t, err, "no #end")
}

// A wrong inverse is refused before its first use, with values that show it.
func TestWrongInverseIsRefused(t *testing.T) {
	_, err := NewTable(nil, []*operator.Operator{textOp(t, "int.bad", []string{"Int", "Int"}, "Int", "(* x y)", "(ite (= y 0) 0 (div z y))", "")})
	var refuted *operator.RefutedError
	require.ErrorAs(t, err, &refuted)
	require.Contains(t, err.Error(), "inverse 1 is wrong")
	require.Contains(t, refuted.Counterexample, "x2 = 0")
	_, err = NewTable(nil, []*operator.Operator{textOp(t, "bv.bad", []string{"BV(m)", "BV(m)"}, "BV(m)", "(bvand x y)", "z", "")})
	require.ErrorAs(t, err, &refuted)
}

func TestObligations(t *testing.T) {
	o := textOp(t, "bv.add", []string{"BV(m)", "BV(m)"}, "BV(m)", "(bvadd x y)", "(bvsub z y)", "(bvsub z x)")
	rules, at, err := o.Rules(nil)
	require.NoError(t, err)
	require.Greater(t, len(rules), 5)
	for i, r := range rules {
		obligations, err := r.Obligations(at[i])
		require.NoError(t, err)
		require.Len(t, obligations, 2)
		for _, x := range obligations {
			out := x.Test(1<<12, 1)
			require.Empty(t, out.Refuted)
			if strings.HasPrefix(r.Numbers, "m=4") {
				require.True(t, out.Exhaustive)
				require.Equal(t, 256, out.Values)
			}
		}
	}
}
