package smt_test

import (
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/smt"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	engine "github.com/smtlark/smtlark/engine/language/smt"
)

// numerals instantiate the letters of signatures so that every signature of the table has a meaning.
var numerals = map[string]int{"e": 5, "s": 11, "e+s": 16, "x": 4, "y": 8, "m": 16, "n": 12, "i": 3, "j": 1, "k": 2, "1": 1}

// argSort returns the sort that an argument of a signature stands for.
func argSort(t *testing.T, a *engine.Arena, p string) engine.Sort {
	p = strings.TrimSuffix(p, "...")
	switch p {
	case "Bool":
		return engine.SortBool
	case "Int":
		return engine.SortInt
	case "Real":
		return engine.SortReal
	case "String":
		return engine.SortString
	case "RegLan":
		return engine.SortRegLan
	case "RoundingMode":
		return engine.SortRoundingMode
	case "A":
		return engine.SortInt
	case "B":
		return engine.SortReal
	}
	name, args, ok := strings.Cut(strings.TrimSuffix(p, ")"), "(")
	require.True(t, ok, p)
	num := func(s string) int {
		n, ok := numerals[s]
		require.True(t, ok, "%s in %s", s, p)
		return n
	}
	parts := strings.Split(args, ",")
	switch name {
	case "BV":
		return a.BitVec(num(parts[0]))
	case "FP":
		return a.Float(num(parts[0]), num(parts[1]))
	case "Array":
		return a.Array(argSort(t, a, parts[0]), argSort(t, a, parts[1]))
	case "Seq":
		return a.Seq(argSort(t, a, parts[0]))
	case "Set":
		return a.Set(argSort(t, a, parts[0]))
	case "Bag":
		return a.Bag(argSort(t, a, parts[0]))
	case "FF":
		return a.FiniteField(big.NewInt(7))
	}
	t.Fatalf("signature %s", p)
	return 0
}

// TestEveryOperatorIsAFunction applies the function of every row of the operator table, in every signature, and expects
// a term with that operator.
func TestEveryOperatorIsAFunction(t *testing.T) {
	mod := testRegistry(t).Predeclared()["smt"].(starlark.HasAttrs)
	th := &starlark.Thread{Name: "test"}
	for _, info := range engine.Ops() {
		name := smt.FunctionName(info.Op)
		f, err := mod.Attr(name)
		require.NoError(t, err, "%s", info.Name)
		for _, sig := range info.Signatures {
			t.Run(name+"/"+sig, func(t *testing.T) {
				st := workspace.NewStore(engine.NewArena(), "test")
				got := f
				if _, constant := f.(value.Term); !constant {
					var args starlark.Tuple
					left, right, _ := strings.Cut(strings.Split(sig, " where ")[0], "->")
					if info.Qualified {
						args = append(args, value.NewSort(st, argSort(t, st.Arena, strings.TrimSpace(right))))
					}
					if left = strings.TrimSpace(left); strings.HasPrefix(left, "[") {
						idx, rest, _ := strings.Cut(left[1:], "]")
						for _, l := range strings.Fields(idx) {
							args = append(args, starlark.MakeInt(numerals[l]))
						}
						left = rest
					}
					for i, p := range strings.Fields(left) {
						c := st.Arena.Declare("c"+strconv.Itoa(i), nil, argSort(t, st.Arena, p))
						args = append(args, value.NewTerm(st, st.Arena.Const(c)))
					}
					got, err = starlark.Call(th, f, args, nil)
					require.NoError(t, err)
				}
				term := got.(value.Term)
				id, err := term.ID()
				require.NoError(t, err)
				require.Equal(t, info.Op, term.Store().Arena.Op(id))
			})
		}
	}
}
