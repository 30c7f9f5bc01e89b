package termread

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
)

// literal reads a literal; Next has been called. It returns 0, with the error set, if there is none.
func (r *atomReader) literal() smt.Term {
	off := r.Pos
	switch sexpr.Class[r.Src[off]] {
	case sexpr.Digit:
		e := r.WordEnd(off)
		text := r.Src[off:e]
		r.Pos = e
		return r.number(off, text)
	case sexpr.Hash:
		e := r.WordEnd(off)
		text := r.Src[off:e]
		r.Pos = e
		return r.hash(off, text)
	case sexpr.Quote:
		e := r.StringEnd(off)
		if e < 0 {
			r.Fail(off, `string without closing "`)
			return 0
		}
		r.Pos = e
		if e-off > maxString {
			r.Fail(off, "a string literal of more than "+strconv.Itoa(maxString)+" bytes")
			return 0
		}
		runes, err := decodeString(r.Src[off+1 : e-1])
		if err >= 0 {
			r.Fail(off+1+err, "this escape names no character of SMT-LIB: code points go up to 2FFFF")
			return 0
		}
		return r.Arena.Str(runes)
	}
	r.Unexpected("a term")
	return 0
}

const (
	maxDigits = 100000  // of a number: arithmetic on longer ones takes minutes
	maxString = 1 << 25 // bytes of a string literal: each takes four times as much, and values of terms as much again
)

// number reads a NUMERAL or a DECIMAL.
func (r *atomReader) number(off int, text []byte) smt.Term {
	// 18 digits fit an int64, and most numbers have fewer.
	if len(text) <= 18 {
		n := int64(0)
		for _, c := range text {
			if c < '0' || c > '9' {
				n = -1
				break
			}
			n = n*10 + int64(c-'0')
		}
		if n >= 0 {
			if r.RealNumerals {
				return r.Arena.RealInt(n)
			}
			return r.Arena.Int64(n)
		}
	}
	if len(text) > maxDigits {
		r.Fail(off, "a number of more than "+strconv.Itoa(maxDigits)+" digits")
		return 0
	}
	// Long numerals and decimals are converted once per parse.
	id := r.names.get(text, hashBytes(text))
	if e := &r.names.ents[id]; e.litGen == r.parse && e.lit != 0 && !r.Unstable {
		return e.lit
	}
	x, real, ok := rational(string(text))
	if !ok {
		r.Fail(off, "`"+string(text)+"` is no number")
		return 0
	}
	t := r.numberTerm(x, real)
	r.names.ents[id].lit, r.names.ents[id].litGen = t, r.parse
	return t
}

// numberTerm returns the term of a number that is written without its sort.
func (r *atomReader) numberTerm(x *big.Rat, real bool) smt.Term {
	if real || r.RealNumerals {
		return r.Arena.RealVal(x)
	}
	return r.Arena.IntVal(x.Num())
}

// rational reads a NUMERAL, a DECIMAL, or a fraction as cvc5 takes it, such as 1/3, and tells whether it is more than a
// NUMERAL.
func rational(text string) (x *big.Rat, real, ok bool) {
	at := strings.IndexAny(text, "./")
	if at < 0 {
		if !allDigits([]byte(text)) {
			return nil, false, false
		}
		return new(big.Rat).SetInt(parseDecimal([]byte(text))), false, true
	}
	whole, part := []byte(text[:at]), []byte(text[at+1:])
	if !allDigits(whole) || !allDigits(part) && (text[at] != '.' || len(part) > 0) { // z3 takes 12. for 12.0
		return nil, false, false
	}
	if text[at] == '.' {
		den := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(part))), nil)
		return new(big.Rat).SetFrac(parseDecimal(append(whole, part...)), den), true, true
	}
	den := parseDecimal(part)
	if den.Sign() == 0 {
		return nil, false, false
	}
	return new(big.Rat).SetFrac(parseDecimal(whole), den), true, true
}

// parseDecimal reads decimal digits; long ones by halves, for big.Int's own reader takes quadratic time.
func parseDecimal(s []byte) *big.Int {
	if len(s) <= 4096 {
		n, _ := new(big.Int).SetString(string(s), 10)
		return n
	}
	low := len(s) / 2
	n := parseDecimal(s[:len(s)-low])
	n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(low)), nil))
	return n.Add(n, parseDecimal(s[len(s)-low:]))
}

// hash reads #b…, #x… and cvc5's #fVALUEmMODULUS.
func (r *atomReader) hash(off int, text []byte) smt.Term {
	if len(text) > 2 && (text[1] == 'b' || text[1] == 'x') {
		base, bits := 2, 1
		if text[1] == 'x' {
			base, bits = 16, 4
		}
		digits := text[2:]
		width := len(digits) * bits
		if width > smt.MaxWidth {
			r.Fail(off, "this bit vector is wider than "+strconv.Itoa(smt.MaxWidth))
			return 0
		}
		if width <= 64 {
			v, ok := uint64(0), true
			for _, c := range digits {
				d := hexDigit(c)
				ok = ok && d < base
				v = v<<bits | uint64(d&15)
			}
			if ok {
				return r.Arena.BVUint(width, v)
			}
		} else if v, ok := new(big.Int).SetString(string(digits), base); ok && v.Sign() >= 0 && digits[0] != '+' && digits[0] != '-' {
			return r.Arena.BV(width, v)
		}
	}
	if t := r.fieldLiteral(text); t != 0 {
		return t
	}
	r.Fail(off, "`"+string(text)+"` is no literal; #b takes binary and #x hexadecimal digits")
	return 0
}

// fieldLiteral reads #f5m11 of cvc5, the element 5 of the field with 11 elements; 0 if it is something else.
func (r *atomReader) fieldLiteral(text []byte) smt.Term {
	if len(text) < 5 || text[1] != 'f' {
		return 0
	}
	for i := 2; i < len(text); i++ {
		if text[i] != 'm' {
			continue
		}
		v, ok1 := new(big.Int).SetString(string(text[2:i]), 10)
		m, ok2 := new(big.Int).SetString(string(text[i+1:]), 10)
		if ok1 && ok2 {
			if s := r.Arena.FiniteField(m); s != 0 {
				return r.Arena.FFVal(s, v)
			}
		}
		return 0
	}
	return 0
}

// hexDigit returns the value of a hexadecimal digit, and 255 for another byte.
func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return 255
}

const maxChar = 0x2FFFF

// decodeString decodes what stands between the quotes of a string literal: a doubled quote, and the escapes of the
// theory of strings, \ud₃d₂d₁d₀ and \u{d…} with one to five digits. Anything else stands for itself. A byte beyond
// ASCII, which the theory does not have, is the character with that code, as in z3. bad is the place of an escape
// beyond the last character, or -1.
func decodeString(s []byte) (out []rune, bad int) {
	out = make([]rune, 0, len(s))
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"':
			i += 2
		case c == '\\' && i+1 < len(s) && s[i+1] == 'u':
			if r, n := escape(s[i:]); n > 0 {
				if r > maxChar {
					return nil, i
				}
				out = append(out, r)
				i += n
				continue
			}
			i++
		default:
			i++
		}
		out = append(out, rune(c))
	}
	return out, -1
}

// escape reads the escape at the beginning of s; n is its length, or 0 if there is none.
func escape(s []byte) (r rune, n int) {
	if len(s) > 2 && s[2] == '{' {
		for i := 3; i < len(s) && i < 9; i++ {
			if s[i] == '}' && i > 3 {
				return r, i + 1
			}
			d := hexDigit(s[i])
			if d > 15 {
				return 0, 0
			}
			r = r<<4 | rune(d)
		}
		return 0, 0
	}
	if len(s) < 6 {
		return 0, 0
	}
	for _, c := range s[2:6] {
		d := hexDigit(c)
		if d > 15 {
			return 0, 0
		}
		r = r<<4 | rune(d)
	}
	return r, 6
}
