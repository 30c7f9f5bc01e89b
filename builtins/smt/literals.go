package smt

import (
	"fmt"
	"math/big"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/language/smt"
)

func literals() []registry.Builtin {
	return []registry.Builtin{
		{Name: "int", Group: "Literals", Doc: "The Int literal of a number.", Ret: "term",
			Example: "smt.int(-5)  # -> (- 5)", Do: registry.Into(func(c *registry.Call, a *smtIntArgs) (starlark.Value, error) {
				st := store(c)
				return value.NewTerm(st, st.Arena.IntVal(a.Value)), nil
			})},
		{Name: "real", Group: "Literals", Doc: "The Real literal of a number: an int, a text such as \"0.1\" or \"1/3\" (exact), or numerator and denominator.",
			Ret:     "term",
			Example: "smt.real(\"0.1\")  # -> 0.1\nsmt.real(1, 3)  # -> (/ 1.0 3.0)", Do: registry.Into(realLit)},
		{Name: "bv", Group: "Literals", Doc: "The bit-vector literal of a number; a negative one stands for its two's complement.",
			Ret:     "term",
			Example: "smt.bv(-1, 8)  # -> #xff\nsmt.bv(256, 8)  # error: 256 does not fit 8 bits", Do: registry.Into(func(c *registry.Call, a *smtBvArgs) (starlark.Value, error) {
				s, err := bitVecSort(c, &a.Width)
				if err != nil {
					return nil, err
				}
				return lift(c, &a.Value, s)
			})},
		{Name: "str", Group: "Literals", Doc: "The String literal of a text. Code points above U+2FFFF do not exist in SMT-LIB.",
			Ret: "term", Example: "smt.str(\"a\\\"b\")  # -> \"a\"\"b\"",
			Do: registry.Into(func(c *registry.Call, a *smtStrArgs) (starlark.Value, error) {
				return lift(c, &a.Value, smt.SortString)
			})},
		{Name: "bool", Group: "Literals", Doc: "The term true or false.", Ret: "term",
			Example: "smt.bool(1 > 2)  # -> false", Do: registry.Into(func(c *registry.Call, a *smtBoolArgs) (starlark.Value, error) { return lift(c, &a.Value, smt.SortBool) })},
		{Name: "ff", Group: "Literals", Doc: "The literal of a finite field for a number modulo its size.",
			Ret: "term", Example: "smt.ff(9, smt.FiniteField(7)).value  # -> 2",
			Do: registry.Into(func(c *registry.Call, a *smtFfArgs) (starlark.Value, error) {
				st := store(c)
				s, err := a.Field.In(st)
				if err != nil {
					return nil, err
				}
				if st.Arena.SortKind(s) != smt.KindFiniteField {
					return nil, c.Errorf(&a.Field, "%s is no finite field", st.Arena.SortString(s))
				}
				return value.NewTerm(st, st.Arena.FFVal(s, a.Value)), nil
			})},
		{Name: "fp_bits", Group: "Literals", Doc: "The floating-point number of a format whose IEEE 754 bits are given as a number.",
			Ret:     "term",
			Example: "smt.fp_bits(0x3F800000, 8, 24)  # -> (fp #b0 #x7f #b00000000000000000000000)", Do: registry.Into(fpBits)},
	}
}

// lift returns the literal of argument i in a sort of the scratch store.
func lift(c *registry.Call, field any, s smt.Sort) (starlark.Value, error) {
	st := store(c)
	t, err := value.Lift(st, c.Given(field), s)
	if err != nil {
		return nil, c.Errorf(field, "%v", err)
	}
	return value.NewTerm(st, t), nil
}

// bitVecSort is the sort of a width.
func bitVecSort(c *registry.Call, width *int) (smt.Sort, error) {
	s := store(c).Arena.BitVec(*width)
	if s == 0 {
		return 0, c.Errorf(width, "%d is not between 1 and %d", *width, smt.MaxWidth)
	}
	return s, nil
}

// maxExponent bounds the exponent of a decimal text, which costs memory in proportion.
const maxExponent = 4096

// realLitArgs are the arguments of smt.real.
type realLitArgs struct {
	Value       starlark.Value `type:"bigint | str"`
	Denominator *big.Int       `type:"bigint" default:"1"`
}

func realLit(c *registry.Call, a *realLitArgs) (starlark.Value, error) {
	st := store(c)
	r := new(big.Rat)
	switch v := a.Value.(type) {
	case starlark.Int:
		r.SetInt(v.BigInt())
	case starlark.String:
		text := string(v)
		if _, exp, ok := strings.Cut(strings.ToLower(text), "e"); ok {
			n, ok := new(big.Int).SetString(strings.TrimPrefix(exp, "+"), 10)
			if !ok || n.CmpAbs(big.NewInt(maxExponent)) > 0 {
				return nil, c.Errorf(&a.Value, "the exponent of %q is not between -%d and %d", text, maxExponent, maxExponent)
			}
		}
		if _, ok := r.SetString(text); !ok || strings.HasPrefix(text, "0x") {
			return nil, c.Errorf(&a.Value, "%q is no number; write \"0.1\" or \"1/3\"", text)
		}
	}
	d := a.Denominator
	if d.Sign() == 0 {
		return nil, c.Errorf(&a.Denominator, "it is 0")
	}
	r.Quo(r, new(big.Rat).SetInt(d))
	return value.NewTerm(st, st.Arena.RealVal(r)), nil
}

// fpBitsArgs are the arguments of smt.fp_bits.
type fpBitsArgs struct {
	Bits   *big.Int `type:"bigint"`
	Eb, Sb int
}

func fpBits(c *registry.Call, given *fpBitsArgs) (starlark.Value, error) {
	a := store(c).Arena
	eb, sb := given.Eb, given.Sb
	if a.Float(eb, sb) == 0 {
		return nil, c.Errorf(&given.Eb, "there is no format (%d, %d)", eb, sb)
	}
	n := given.Bits
	if n.Sign() < 0 || n.BitLen() > eb+sb {
		return nil, c.Errorf(&given.Bits, "%s does not fit %d bits", n, eb+sb)
	}
	t, err := a.App(smt.OpFP, nil, a.BVUint(1, uint64(n.Bit(eb+sb-1))), a.BV(eb, low(new(big.Int).Rsh(n, uint(sb-1)), eb)), a.BV(sb-1, low(n, sb-1)))
	if err != nil {
		return nil, fmt.Errorf("fp: %w", err)
	}
	return value.NewTerm(store(c), t), nil
}

// low returns the lowest bits of a number.
func low(n *big.Int, width int) *big.Int {
	mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), big.NewInt(1))
	return mask.And(mask, n)
}

// smtFfArgs are the arguments of smt.ff.
type smtFfArgs struct {
	Value *big.Int `type:"bigint"`
	Field value.Sort
}

// smtBoolArgs are the arguments of smt.bool.
type smtBoolArgs struct{ Value bool }

// smtStrArgs are the arguments of smt.str.
type smtStrArgs struct{ Value string }

// smtBvArgs are the arguments of smt.bv.
type smtBvArgs struct {
	Value *big.Int `type:"bigint"`
	Width int      `doc:"in bits"`
}

// smtIntArgs are the arguments of smt.int.
type smtIntArgs struct {
	Value *big.Int `type:"bigint"`
}
