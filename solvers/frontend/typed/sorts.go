package typed

import (
	"context"
	"fmt"
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Bool is a formula.
type Bool struct{ node }

// And returns the conjunction of x and y.
func (x Bool) And(y Bool) Bool { return Bool{apply(smt.OpAnd, nil, x, y)} }

// Or returns the disjunction of x and y.
func (x Bool) Or(y Bool) Bool { return Bool{apply(smt.OpOr, nil, x, y)} }

// Xor is true if exactly one of them is.
func (x Bool) Xor(y Bool) Bool { return Bool{apply(smt.OpXor, nil, x, y)} }

// Implies returns x => y.
func (x Bool) Implies(y Bool) Bool { return Bool{apply(smt.OpImplies, nil, x, y)} }

// Not is true if x is not.
func (x Bool) Not() Bool { return Bool{apply(smt.OpNot, nil, x)} }

// Value returns the value in the model behind the latest answer; so do the methods of other types.
func (x Bool) Value(ctx context.Context) (bool, error) {
	v, err := x.valueOf(ctx)
	if err != nil {
		return false, err
	}
	b, ok := v.Bool()
	return b, x.known(ok)
}

// known is the error of a value that is not known.
func (m node) known(ok bool) error {
	if !ok {
		return fmt.Errorf("the value of %s is not known", m)
	}
	return nil
}

// Int is an integer.
type Int struct{ node }

// Add returns x + y.
func (x Int) Add(y Int) Int { return Int{apply(smt.OpAdd, nil, x, y)} }

// Sub returns x - y.
func (x Int) Sub(y Int) Int { return Int{apply(smt.OpSub, nil, x, y)} }

// Mul returns x * y.
func (x Int) Mul(y Int) Int { return Int{apply(smt.OpMul, nil, x, y)} }

// Div returns the quotient as SMT-LIB defines div, such that the remainder is never negative.
func (x Int) Div(y Int) Int { return Int{apply(smt.OpIntDiv, nil, x, y)} }

// Mod returns the remainder of Div.
func (x Int) Mod(y Int) Int { return Int{apply(smt.OpMod, nil, x, y)} }

// Neg returns -x.
func (x Int) Neg() Int { return Int{apply(smt.OpSub, nil, x)} }

// Less says that x < y.
func (x Int) Less(y Int) Bool { return Bool{apply(smt.OpLt, nil, x, y)} }

// LessEqual says that x <= y.
func (x Int) LessEqual(y Int) Bool { return Bool{apply(smt.OpLe, nil, x, y)} }

// ToReal returns x as a real number.
func (x Int) ToReal() Real { return Real{apply(smt.OpToReal, nil, x)} }

// Value returns the value in the model behind the latest answer.
func (x Int) Value(ctx context.Context) (*big.Int, error) {
	v, err := x.valueOf(ctx)
	if err != nil {
		return nil, err
	}
	n, ok := v.Int()
	return n, x.known(ok)
}

// Real is a real number.
type Real struct{ node }

// Add returns x + y.
func (x Real) Add(y Real) Real { return Real{apply(smt.OpAdd, nil, x, y)} }

// Sub returns x - y.
func (x Real) Sub(y Real) Real { return Real{apply(smt.OpSub, nil, x, y)} }

// Mul returns x * y.
func (x Real) Mul(y Real) Real { return Real{apply(smt.OpMul, nil, x, y)} }

// Div returns x / y.
func (x Real) Div(y Real) Real { return Real{apply(smt.OpDiv, nil, x, y)} }

// Neg returns -x.
func (x Real) Neg() Real { return Real{apply(smt.OpSub, nil, x)} }

// Less says that x < y.
func (x Real) Less(y Real) Bool { return Bool{apply(smt.OpLt, nil, x, y)} }

// LessEqual says that x <= y.
func (x Real) LessEqual(y Real) Bool { return Bool{apply(smt.OpLe, nil, x, y)} }

// Floor returns the greatest integer that is not greater than x.
func (x Real) Floor() Int { return Int{apply(smt.OpToInt, nil, x)} }

// Value returns the value in the model behind the latest answer. It returns an error for an irrational number.
func (x Real) Value(ctx context.Context) (*big.Rat, error) {
	v, err := x.valueOf(ctx)
	if err != nil {
		return nil, err
	}
	r, ok := v.Rat()
	return r, x.known(ok)
}

// Text is a string of Unicode characters up to 0x2FFFF.
type Text struct{ node }

// Concat returns x followed by y.
func (x Text) Concat(y Text) Text { return Text{apply(smt.OpStrConcat, nil, x, y)} }

// Length returns the number of characters.
func (x Text) Length() Int { return Int{apply(smt.OpStrLen, nil, x)} }

// Contains says that y is a part of x.
func (x Text) Contains(y Text) Bool { return Bool{apply(smt.OpStrContains, nil, x, y)} }

// HasPrefix says that x begins with y.
func (x Text) HasPrefix(y Text) Bool { return Bool{apply(smt.OpStrPrefixOf, nil, y, x)} }

// HasSuffix says that x ends with y.
func (x Text) HasSuffix(y Text) Bool { return Bool{apply(smt.OpStrSuffixOf, nil, y, x)} }

// Substring returns a number of characters from a position on, or fewer if the string ends before.
func (x Text) Substring(from, count Int) Text {
	return Text{apply(smt.OpStrSubstr, nil, x, from, count)}
}

// Value returns the value in the model behind the latest answer.
func (x Text) Value(ctx context.Context) (string, error) {
	v, err := x.valueOf(ctx)
	if err != nil {
		return "", err
	}
	s, ok := v.Runes()
	return string(s), x.known(ok)
}
