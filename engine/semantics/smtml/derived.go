package smtml

import (
	"math/big"
	"sync"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// derivation is an operator that corresponds to several SMT-LIB operators.
type derivation struct {
	nargs int
	build func(b *builder, args []smt.Term) smt.Term
}

// derived returns the derivations by name.
var derived = sync.OnceValue(func() map[string]derivation {
	out := map[string]derivation{
		"int.rem": {2, (*builder).remainder}, "int.rem_s": {2, (*builder).remainder},
		"real.abs":     {1, (*builder).absolute},
		"real.min":     {2, func(b *builder, x []smt.Term) smt.Term { return b.ite(b.app(smt.OpLe, x[0], x[1]), x[0], x[1]) }},
		"real.max":     {2, func(b *builder, x []smt.Term) smt.Term { return b.ite(b.app(smt.OpLe, x[0], x[1]), x[1], x[0]) }},
		"f32.ne":       {2, (*builder).floatsDiffer},
		"f64.ne":       {2, (*builder).floatsDiffer},
		"i32.wrap_i64": {1, func(b *builder, x []smt.Term) smt.Term { return b.bits(x[0], 31, 0) }},
	}
	for prefix, width := range map[string]int{"i32.": 32, "i64.": 64} {
		zero, one := func(b *builder) smt.Term { return b.a.BVUint(width, 0) }, func(b *builder) smt.Term { return b.a.BVUint(width, 1) }
		out[prefix+"to_bool"] = derivation{1, func(b *builder, x []smt.Term) smt.Term { return b.app(smt.OpDistinct, x[0], zero(b)) }}
		out[prefix+"of_bool"] = derivation{1, func(b *builder, x []smt.Term) smt.Term { return b.ite(x[0], one(b), zero(b)) }}
		out[prefix+"clz"] = derivation{1, func(b *builder, x []smt.Term) smt.Term { return b.leadingZeros(x[0], width) }}
	}
	return out
})

// builder applies operators and keeps the first error.
type builder struct {
	a   *smt.Arena
	err error
}

// app applies an operator; after an error it returns any of its arguments.
func (b *builder) app(op smt.Op, args ...smt.Term) smt.Term { return b.indexed(op, nil, args...) }

func (b *builder) indexed(op smt.Op, index []uint64, args ...smt.Term) smt.Term {
	if b.err != nil {
		return args[0]
	}
	var indices []smt.Index
	for _, n := range index {
		indices = append(indices, b.a.NumIndex(n))
	}
	t, err := b.a.App(op, indices, args...)
	if err != nil {
		b.err = err
		return args[0]
	}
	return t
}

func (b *builder) ite(condition, x, y smt.Term) smt.Term { return b.app(smt.OpIte, condition, x, y) }

// bits extracts bits from a vector; from a literal it computes them directly.
func (b *builder) bits(t smt.Term, high, low int) smt.Term {
	if n, ok := b.a.BVOf(t); ok && high < b.a.Width(b.a.Sort(t)) {
		part := new(big.Int).Rsh(n, uint(low))
		return b.a.BV(high-low+1, part.And(part, value.Ones(high-low+1)))
	}
	return b.indexed(smt.OpExtract, []uint64{uint64(high), uint64(low)}, t)
}

// remainder is rem of Z3, which Smt.ml asks for: mod with the sign of the divisor turned around.
func (b *builder) remainder(x []smt.Term) smt.Term {
	mod := b.app(smt.OpMod, x...)
	if n, ok := b.a.IntOf(x[1]); ok && n.Sign() > 0 {
		return mod
	}
	return b.ite(b.app(smt.OpGe, x[1], b.a.Int64(0)), mod, b.app(smt.OpSub, mod))
}

func (b *builder) absolute(x []smt.Term) smt.Term {
	return b.ite(b.app(smt.OpGe, x[0], b.a.RealInt(0)), x[0], b.app(smt.OpSub, x[0]))
}

func (b *builder) floatsDiffer(x []smt.Term) smt.Term {
	return b.app(smt.OpNot, b.app(smt.OpFPEq, x...))
}

// leadingZeros tests the bits from the lowest one up: the highest set bit decides.
func (b *builder) leadingZeros(t smt.Term, width int) smt.Term {
	out, set := b.a.BVUint(width, uint64(width)), b.a.BVUint(1, 1)
	for i := range width {
		out = b.ite(b.app(smt.OpEq, b.bits(t, i, i), set), b.a.BVUint(width, uint64(width-1-i)), out)
	}
	return out
}
