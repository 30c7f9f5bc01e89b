package typed

import (
	"fmt"
	"math/big"
)

// Truth returns true or false as a formula.
func (c *Context) Truth(b bool) Bool { return Bool{node{in: c, term: c.arena.BoolVal(b)}} }

// Integer returns a number as an expression.
func (c *Context) Integer(n int64) Int { return Int{node{in: c, term: c.arena.Int64(n)}} }

// BigInteger returns a number of any size as an expression.
func (c *Context) BigInteger(n *big.Int) Int { return Int{node{in: c, term: c.arena.IntVal(n)}} }

// Rational returns a number as an expression.
func (c *Context) Rational(r *big.Rat) Real { return Real{node{in: c, term: c.arena.RealVal(r)}} }

// Literal returns a string as an expression.
func (c *Context) Literal(text string) Text {
	for _, r := range text {
		if r > 0x2FFFF {
			return Text{node{in: c, err: fmt.Errorf("%q has a character beyond those of SMT-LIB, which end at U+2FFFF", text)}}
		}
	}
	return Text{node{in: c, term: c.arena.Str([]rune(text))}}
}

// Bits returns a number modulo 2^width as a bit vector.
func (c *Context) Bits(width int, n *big.Int) BitVec {
	if err := checkWidth(width); err != nil {
		return BitVec{node{in: c, err: err}}
	}
	return BitVec{node{in: c, term: c.arena.BV(width, n)}}
}
