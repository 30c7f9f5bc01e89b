package smt

import (
	"math/big"
	"strconv"
	"strings"
)

// Decimal writes a rational that is not negative and has finitely many decimals as SMT-LIB's DECIMAL.
func Decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String() + ".0"
	}
	digits, _ := r.FloatPrec()
	s := r.FloatString(digits)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// AppendBV writes a bit-vector literal: hexadecimal where the width is a multiple of four, else binary.
func AppendBV(b []byte, width int, v *big.Int) []byte {
	base, digits, prefix := 2, width, "#b"
	if width%4 == 0 {
		base, digits, prefix = 16, width/4, "#x"
	}
	b = append(b, prefix...)
	if v.IsUint64() {
		return appendPadded(b, strconv.AppendUint(nil, v.Uint64(), base), digits)
	}
	return appendPadded(b, v.Append(nil, base), digits)
}

func appendPadded(b, text []byte, digits int) []byte {
	for i := len(text); i < digits; i++ {
		b = append(b, '0')
	}
	return append(b, text...)
}

// AppendString writes a string literal (SMT-LIB 2.7, section 3.1 and the theory of strings): printable ASCII as it
// is, a quote doubled, anything else as \u{…}; so is a backslash that would begin an escape.
func AppendString(b []byte, s []rune) []byte {
	b = append(b, '"')
	for i, r := range s {
		switch {
		case r == '"':
			b = append(b, `""`...)
		case r == '\\' && i+1 < len(s) && s[i+1] == 'u', r < 0x20, r > 0x7E:
			b = append(b, `\u{`...)
			b = append(strconv.AppendInt(b, int64(r), 16), '}')
		default:
			b = append(b, byte(r))
		}
	}
	return append(b, '"')
}
