package smt

import (
	"math/big"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/language/smt"
)

func sorts() []registry.Builtin {
	base := func(name string, s smt.Sort, doc string) registry.Builtin {
		return registry.Builtin{Name: name, Group: "Sorts", Doc: doc, Ret: "sort", Value: value.BaseSort(s)}
	}
	over := func(name, doc, example string, params []registry.Param, f func(st *value.TermStore, args []smt.Sort) smt.Sort) registry.Builtin {
		return registry.Builtin{Name: name, Group: "Sorts", Doc: doc, Example: example, Params: params, Ret: "sort",
			Fn: func(c *registry.Call) (starlark.Value, error) {
				st := store(c)
				var args []smt.Sort
				for _, v := range c.Values() {
					s, err := v.(value.Sort).In(st)
					if err != nil {
						return nil, err
					}
					args = append(args, s)
				}
				s := f(st, args)
				if err := st.Arena.CheckSize(s); err != nil {
					return nil, err
				}
				return value.NewSort(st, s), nil
			}}
	}
	sort := func(names ...string) []registry.Param {
		var out []registry.Param
		for _, n := range names {
			out = append(out, registry.Param{Name: n, Type: "sort"})
		}
		return out
	}
	return []registry.Builtin{
		base("Bool", smt.SortBool, "The sort of truth values."),
		base("Int", smt.SortInt, "The sort of integers."),
		base("Real", smt.SortReal, "The sort of real numbers."),
		base("String", smt.SortString, "The sort of strings of Unicode code points."),
		base("RegLan", smt.SortRegLan, "The sort of regular languages."),
		base("RoundingMode", smt.SortRoundingMode, "The sort of rounding modes."),
		{Name: "BitVec", Group: "Sorts", Doc: "The sort (_ BitVec width).", Ret: "sort", Example: "smt.BitVec(8)  # -> (_ BitVec 8)",
			Do: registry.Into(bitVec)},
		{Name: "Float", Group: "Sorts", Doc: "The sort (_ FloatingPoint eb sb).", Ret: "sort", Example: "smt.Float(8, 24)  # -> (_ FloatingPoint 8 24)",
			Do: registry.Into(func(c *registry.Call, a *smtFloatArgs) (starlark.Value, error) {
				st := store(c)
				s := st.Arena.Float(a.Eb, a.Sb)
				if s == 0 {
					return nil, c.Errorf(&a.Eb, "there is no format (%d, %d); both widths are at least 2", a.Eb, a.Sb)
				}
				return value.NewSort(st, s), nil
			})},
		{Name: "FiniteField", Group: "Sorts", Doc: "The sort (_ FiniteField p) of cvc5.", Ret: "sort", Example: "smt.FiniteField(7)  # -> (_ FiniteField 7)",
			Do: registry.Into(func(c *registry.Call, a *smtFiniteFieldArgs) (starlark.Value, error) {
				st, p := store(c), a.P
				if p.Cmp(big.NewInt(2)) < 0 || p.BitLen() <= 4096 && !p.ProbablyPrime(20) {
					return nil, c.Errorf(&a.P, "%s is no prime", p)
				}
				return value.NewSort(st, st.Arena.FiniteField(p)), nil
			})},
		over("Array", "The sort (Array index element).", "smt.Array(smt.Int, smt.Bool)  # -> (Array Int Bool)", sort("index", "element"),
			func(st *value.TermStore, s []smt.Sort) smt.Sort { return st.Arena.Array(s[0], s[1]) }),
		over("Seq", "The sort (Seq element) of z3 and cvc5.", "smt.Seq(smt.Int)  # -> (Seq Int)", sort("element"),
			func(st *value.TermStore, s []smt.Sort) smt.Sort { return st.Arena.Seq(s[0]) }),
		over("Set", "The sort (Set element) of cvc5.", "smt.Set(smt.Int)  # -> (Set Int)", sort("element"),
			func(st *value.TermStore, s []smt.Sort) smt.Sort { return st.Arena.Set(s[0]) }),
		over("Bag", "The sort (Bag element) of cvc5.", "smt.Bag(smt.Int)  # -> (Bag Int)", sort("element"),
			func(st *value.TermStore, s []smt.Sort) smt.Sort { return st.Arena.Bag(s[0]) }),
		over("Func", "The sort (-> s1 … sn) of functions of SMT-LIB 2.7; the last is the result.", "smt.Func(smt.Int, smt.Bool)  # -> (-> Int Bool)", sort("first", "*rest"),
			func(st *value.TermStore, s []smt.Sort) smt.Sort { return st.Arena.Func(s...) }),
		{Name: "Sort", Group: "Sorts", Doc: "The sort that a text names, or the uninterpreted sort of that name: a case that uses it declares it.", Ret: "sort",
			Example: "smt.Sort(\"(Array Int (_ BitVec 8))\")  # -> (Array Int (_ BitVec 8))\nsmt.Sort(\"U\")  # -> U",
			Do:      registry.Into(parseSort)},
	}
}

// bitVecArgs are the arguments of smt.BitVec.
type bitVecArgs struct {
	Width int `doc:"in bits, at least 1"`
}

func bitVec(c *registry.Call, a *bitVecArgs) (starlark.Value, error) {
	s, err := bitVecSort(c, &a.Width)
	if err != nil {
		return nil, err
	}
	return value.NewSort(store(c), s), nil
}

// smtFiniteFieldArgs are the arguments of smt.FiniteField.
type smtFiniteFieldArgs struct {
	P *big.Int `type:"bigint" doc:"a prime"`
}

// smtFloatArgs are the arguments of smt.Float.
type smtFloatArgs struct {
	Eb int `doc:"exponent width, at least 2"`
	Sb int `doc:"significand width with the hidden bit, at least 2"`
}
