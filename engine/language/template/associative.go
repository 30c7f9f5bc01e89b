package template

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// neutral maps each associative operator to a function that makes its neutral element. The function is nil if there is
// no neutral element, or none that the sort alone determines.
var neutral = map[smt.Op]func(a *smt.Arena, s smt.Sort) (smt.Term, error){
	smt.OpAnd: func(a *smt.Arena, _ smt.Sort) (smt.Term, error) { return a.True(), nil },
	smt.OpOr:  func(a *smt.Arena, _ smt.Sort) (smt.Term, error) { return a.False(), nil },
	smt.OpXor: func(a *smt.Arena, _ smt.Sort) (smt.Term, error) { return a.False(), nil },
	smt.OpAdd: func(a *smt.Arena, s smt.Sort) (smt.Term, error) { return number(a, s, 0), nil },
	smt.OpMul: func(a *smt.Arena, s smt.Sort) (smt.Term, error) { return number(a, s, 1), nil },

	smt.OpBVAdd: func(a *smt.Arena, s smt.Sort) (smt.Term, error) { return a.BVUint(a.Width(s), 0), nil },
	smt.OpBVMul: func(a *smt.Arena, s smt.Sort) (smt.Term, error) { return a.BVUint(a.Width(s), 1), nil },
	smt.OpBVOr:  func(a *smt.Arena, s smt.Sort) (smt.Term, error) { return a.BVUint(a.Width(s), 0), nil },
	smt.OpBVXor: func(a *smt.Arena, s smt.Sort) (smt.Term, error) { return a.BVUint(a.Width(s), 0), nil },
	smt.OpBVAnd: func(a *smt.Arena, s smt.Sort) (smt.Term, error) {
		ones := new(big.Int).Lsh(big.NewInt(1), uint(a.Width(s)))
		return a.BV(a.Width(s), ones.Sub(ones, big.NewInt(1))), nil
	},

	smt.OpStrConcat: func(a *smt.Arena, _ smt.Sort) (smt.Term, error) { return a.Str(nil), nil },
	smt.OpReConcat:  func(a *smt.Arena, _ smt.Sort) (smt.Term, error) { return a.App(smt.OpStrToRe, nil, a.Str(nil)) },
	smt.OpReUnion:   func(a *smt.Arena, _ smt.Sort) (smt.Term, error) { return a.App(smt.OpReNone, nil) },
	smt.OpReInter:   func(a *smt.Arena, _ smt.Sort) (smt.Term, error) { return a.App(smt.OpReAll, nil) },

	smt.OpSeqConcat: func(a *smt.Arena, s smt.Sort) (smt.Term, error) { return a.AppAs(smt.OpSeqEmpty, s, nil) },
	smt.OpSetUnion:  func(a *smt.Arena, s smt.Sort) (smt.Term, error) { return a.AppAs(smt.OpSetEmpty, s, nil) },
	smt.OpFFAdd:     func(a *smt.Arena, s smt.Sort) (smt.Term, error) { return a.FFVal(s, new(big.Int)), nil },
	smt.OpFFMul:     func(a *smt.Arena, s smt.Sort) (smt.Term, error) { return a.FFVal(s, big.NewInt(1)), nil },
	smt.OpSetInter:  nil,
	smt.OpConcat:    nil,
}

func number(a *smt.Arena, s smt.Sort, n int64) smt.Term {
	if s == smt.SortReal {
		return a.RealInt(n)
	}
	return a.Int64(n)
}

// Associative reports whether an operator is associative, so that any adjacent arguments may be grouped.
func Associative(op smt.Op) bool {
	_, ok := neutral[op]
	return ok
}

// neutralElement returns the neutral element of an associative operator, or ErrNone if there is none.
func neutralElement(a *smt.Arena, op smt.Op, s smt.Sort) (smt.Term, error) {
	if make := neutral[op]; make != nil {
		return make(a, s)
	}
	return 0, ErrNone
}
