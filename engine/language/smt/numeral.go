package smt

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Numeral is a numeral of a pattern: a polynomial over small letters, or a power of two with something added, as a
// bound of indices may be.
type Numeral struct {
	text  string
	terms []numeralTerm // their sum
	power bool          // 2 to the power of the first term's letter, and the rest of the terms
}

type numeralTerm struct {
	coef int64
	vars []byte // from 0 for a
}

func constantNumeral(n int) Numeral {
	return Numeral{text: strconv.Itoa(n), terms: []numeralTerm{{coef: int64(n)}}}
}

// String returns the numeral as it was written.
func (n *Numeral) String() string { return n.text }

// ParseNumeral reads a sum such as m+n, m-1, 8 or 2^m-1.
func ParseNumeral(text string) (Numeral, error) { return (&patternReader{}).readNumeral(text) }

// readNumeral reads a numeral. Without products, a match can bind every letter that stands alone.
func (r *patternReader) readNumeral(text string) (Numeral, error) {
	n := Numeral{text: text}
	bad := fmt.Errorf("%q is no sum of numbers and small letters", text)
	rest := text
	if after, ok := strings.CutPrefix(rest, "2^"); ok && after != "" && isNumeralLetter(after[0]) {
		n.power, rest = true, after[1:]
		n.terms = append(n.terms, numeralTerm{coef: 1, vars: []byte{after[0] - 'a'}})
	} else if rest == "" {
		return n, bad
	}
	for rest != "" {
		sign := int64(1)
		for rest != "" && (rest[0] == '+' || rest[0] == '-') {
			if sign = 1; rest[0] == '-' {
				sign = -1
			}
			rest = rest[1:]
		}
		if rest == "" {
			break
		}
		end := strings.IndexAny(rest, "+-")
		if end < 0 {
			end = len(rest)
		}
		t := numeralTerm{coef: sign}
		factors := strings.Split(rest[:end], "*")
		for _, f := range factors {
			if k, err := strconv.ParseInt(f, 10, 32); err == nil {
				t.coef *= k
			} else if len(f) == 1 && isNumeralLetter(f[0]) {
				t.vars = append(t.vars, f[0]-'a')
			} else {
				return n, bad
			}
		}
		// matchNumber solves patterns of scripts for their letters, and can do so for sums alone.
		if !r.table && (len(factors) > 1 || len(t.vars) > 0 && (sign < 0 || n.power)) {
			return n, bad
		}
		n.terms = append(n.terms, t)
		rest = rest[end:]
	}
	return n, nil
}

func isNumeralLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// eachLetter calls f for each letter.
func (n *Numeral) eachLetter(f func(letter byte)) {
	for _, t := range n.terms {
		for _, v := range t.vars {
			f('a' + v)
		}
	}
}

// Value computes the numeral; ok is false if a letter is unbound or if the numeral is a power.
func (n *Numeral) Value(b *Bindings) (sum int64, ok bool) { return n.valueUnder(b) }

func (n *Numeral) valueUnder(b *Bindings) (sum int64, ok bool) {
	for i := range n.terms {
		t := &n.terms[i]
		p := t.coef
		for _, v := range t.vars {
			if b.numSet&(1<<v) == 0 {
				return 0, false
			}
			p *= b.nums[v]
		}
		sum += p
	}
	return sum, !n.power
}

// Big is Value for powers, too.
func (n *Numeral) Big(b *Bindings) (*big.Int, bool) {
	if !n.power {
		sum, ok := n.valueUnder(b)
		return big.NewInt(sum), ok
	}
	exponent := n.terms[0].vars[0]
	if b.numSet&(1<<exponent) == 0 || b.nums[exponent] > 4096 {
		return nil, false
	}
	rest := Numeral{terms: n.terms[1:]}
	sum, ok := rest.valueUnder(b)
	power := new(big.Int).Lsh(big.NewInt(1), uint(b.nums[exponent]))
	return power.Add(power, big.NewInt(sum)), ok
}

// isOneLetter reports whether the numeral is one letter.
func (n *Numeral) isOneLetter() bool {
	return len(n.terms) == 1 && n.terms[0].coef == 1 && len(n.terms[0].vars) == 1 && !n.power
}

// matchNumber binds the only unbound letter so that the numeral equals want; letters stand for numbers from 1. If
// several letters are unbound, it matches only after a sort that is not known.
func (n *Numeral) matchNumber(b *Bindings, want int64) bool {
	if n.isOneLetter() { // most are
		v := n.terms[0].vars[0]
		if b.numSet&(1<<v) != 0 {
			return b.nums[v] == want
		}
		b.bindNum(v, want)
		return want > 0
	}
	if n.power {
		return false
	}
	open := -1
	for i := range n.terms {
		t := &n.terms[i]
		p, here := t.coef, -1
		for _, v := range t.vars {
			switch {
			case b.numSet&(1<<v) != 0:
				p *= b.nums[v]
			case here >= 0:
				return b.unknown
			default:
				here = int(v)
			}
		}
		switch {
		case here < 0:
			want -= p
		case open >= 0 || p != 1:
			return b.unknown
		default:
			open = here
		}
	}
	if open < 0 {
		return want == 0
	}
	if want < 1 {
		return false
	}
	b.bindNum(byte(open), want)
	return true
}
