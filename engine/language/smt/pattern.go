package smt

import (
	"fmt"
	"math/big"
	"strings"
)

// Pattern is a sort with variables: capital letters stand for sorts, small ones for numerals. It is written as in the
// operator table: Int, BV(m), BV(m+n), FP(e,s), Array(A,B), Seq(A), A. Data(A,B) is any datatype that has a constructor
// with fields of these sorts, which may be the datatype itself.
type Pattern struct {
	kind   SortKind   // KindInvalid: the sort variable v
	fix    Sort       // a sort without variables
	v      byte       // number of the sort variable, from 0 for A
	nums   [2]Numeral // of BV and FP
	sub    []Pattern
	values bool // no unknown sort, and variables stand only for sorts that constants can have
	text   string
}

// String returns the pattern as it was written.
func (p *Pattern) String() string { return p.text }

// Kind returns the kind of the sorts of the pattern; KindInvalid for a variable.
func (p *Pattern) Kind() SortKind { return p.kind }

// Fixed returns the sort of a pattern that is one of the sorts without arguments, else 0.
func (p *Pattern) Fixed() Sort { return p.fix }

// Numeral returns the width of a bit vector (0), or the widths of the exponent (0) and of the significand (1) of a
// float.
func (p *Pattern) Numeral(i int) *Numeral { return &p.nums[i] }

// Parts returns the patterns of the argument sorts.
func (p *Pattern) Parts() []Pattern { return p.sub }

// IsVariable reports whether the pattern stands for a whole sort: a capital letter, or a finite field of the operator
// table.
func (p *Pattern) IsVariable() bool {
	return p.kind == KindInvalid || p.kind == KindFiniteField && !p.values
}

// Variable returns the letter of a pattern for which IsVariable holds.
func (p *Pattern) Variable() byte { return 'A' + p.v }

// Variables calls numeral and sort for the letters of the pattern, for each place where one is.
func (p *Pattern) Variables(numeral, sort func(letter byte)) {
	if p.IsVariable() {
		sort(p.Variable())
	}
	for i := range p.nums {
		p.nums[i].eachLetter(numeral)
	}
	for i := range p.sub {
		p.sub[i].Variables(numeral, sort)
	}
}

// Bindings assign sorts and numbers to the letters of patterns.
type Bindings struct {
	nums    [26]int64
	numSet  uint32
	sorts   [26]Sort
	sortSet uint32
	unknown bool // an argument of unknown sort left variables open

	Data        Sort   // the sort that Data(...) stands for
	Constructor Symbol // and its constructor; 0 while it is open
	Choice      int    // chooses among several constructors that fit
}

func (b *Bindings) reset() { b.numSet, b.sortSet, b.unknown = 0, 0, false }

// Reset unbinds all variables, and makes Data choose the constructor with number choice.
func (b *Bindings) Reset(choice int) {
	b.reset()
	b.Data, b.Constructor, b.Choice = 0, 0, choice
}

// Number returns the number that a small letter stands for; while it is unbound, ok is false and n is 0.
func (b *Bindings) Number(letter byte) (n int64, ok bool) {
	if b.numSet&(1<<(letter-'a')) == 0 {
		return 0, false
	}
	return b.nums[letter-'a'], true
}

// BindNumber lets a small letter stand for a number.
func (b *Bindings) BindNumber(letter byte, n int64) { b.bindNum(letter-'a', n) }

func (b *Bindings) bindNum(v byte, n int64) {
	b.nums[v] = n
	b.numSet |= 1 << v
}

// SortOf returns the sort that a capital letter stands for, or 0 while it is unbound.
func (b *Bindings) SortOf(letter byte) Sort {
	if b.sortSet&(1<<(letter-'A')) == 0 {
		return 0
	}
	return b.sorts[letter-'A']
}

// BindSort lets a capital letter stand for a sort.
func (b *Bindings) BindSort(letter byte, s Sort) {
	b.sorts[letter-'A'] = s
	b.sortSet |= 1 << (letter - 'A')
}

// Numbers returns the bindings of the small letters alone, which are valid for all arenas.
func (b *Bindings) Numbers() Bindings { return Bindings{nums: b.nums, numSet: b.numSet} }

// Match binds the variables of the pattern so that it is s. If it returns false, some variables may be bound.
func (p *Pattern) Match(a *Arena, s Sort, b *Bindings) bool { return p.matchSort(&a.symbolTable, s, b) }

func (p *Pattern) matchSort(a *symbolTable, s Sort, b *Bindings) bool {
	if p.fix != 0 && p.fix == s {
		return true
	}
	// The unknown sort may be the right one; to refuse it would refuse scripts that solvers take.
	if s == SortUnknown && !p.values {
		b.unknown = true
		return true
	}
	if p.fix != 0 {
		return false
	}
	n := &a.sorts[s]
	if p.IsVariable() {
		// Patterns of scripts stand for sorts of values, which are none of the last three.
		if p.kind == KindFiniteField && n.kind != KindFiniteField || p.values && (n.kind == KindUnknown || n.kind == KindRegLan || n.kind == KindFunc) {
			return false
		}
		if b.sortSet&(1<<p.v) != 0 {
			return b.sorts[p.v] == s
		}
		b.sorts[p.v] = s
		b.sortSet |= 1 << p.v
		return true
	}
	if n.kind != p.kind {
		return false
	}
	switch n.kind {
	case KindBitVec:
		return p.nums[0].matchNumber(b, int64(n.i))
	case KindFloat:
		return p.nums[0].matchNumber(b, int64(n.i)) && p.nums[1].matchNumber(b, int64(n.j))
	case KindFiniteField:
		return n.mod.IsInt64() && p.nums[0].matchNumber(b, n.mod.Int64())
	case KindDatatype:
		return p.matchData(a, s, b)
	}
	if len(p.sub) != len(n.args) {
		return false
	}
	for i := range p.sub {
		if !p.sub[i].matchSort(a, n.args[i], b) {
			return false
		}
	}
	return true
}

// matchData binds the pattern to a datatype: to one of the constructors that fit.
func (p *Pattern) matchData(a *symbolTable, s Sort, b *Bindings) bool {
	if b.Constructor != 0 {
		return b.Data == s
	}
	dt, args := a.DatatypeOf(s)
	fits := func(k *Constructor, b *Bindings) bool {
		if len(k.Selectors) != len(p.sub) {
			return false
		}
		for i, sel := range k.Selectors {
			if !p.sub[i].matchSort(a, a.SubstSort(a.SymbolInfo(sel).Result, args), b) {
				return false
			}
		}
		return true
	}
	n := len(dt.Constructors)
	for i := range n {
		k := &dt.Constructors[(i+b.Choice)%n]
		try := *b
		if fits(k, &try) {
			*b = try
			b.Data, b.Constructor = s, k.Symbol
			return true
		}
	}
	return false
}

// Build returns the sort that the pattern stands for: 0 if it cannot exist (a width out of range) or if variables are
// open.
func (p *Pattern) Build(a *Arena, b *Bindings) Sort {
	if s := p.buildSort(&a.symbolTable, b); s != SortUnknown {
		return s
	}
	return 0
}

// buildSort is Build, but returns SortUnknown if variables are unbound.
func (p *Pattern) buildSort(a *symbolTable, b *Bindings) Sort {
	if p.fix != 0 {
		return p.fix
	}
	if p.IsVariable() {
		// A later argument may bind the letter. This differs from a sort that cannot exist, which is 0.
		if b.sortSet&(1<<p.v) == 0 {
			return SortUnknown
		}
		return b.sorts[p.v]
	}
	switch p.kind {
	case KindFiniteField:
		n, ok := p.nums[0].valueUnder(b)
		if !ok {
			return SortUnknown
		}
		return a.FiniteField(big.NewInt(n))
	case KindBitVec:
		w, ok := p.nums[0].valueUnder(b)
		if !ok {
			return SortUnknown
		}
		if w < 1 || w > MaxWidth {
			return 0
		}
		return a.BitVec(int(w))
	case KindFloat:
		eb, ok1 := p.nums[0].valueUnder(b)
		sb, ok2 := p.nums[1].valueUnder(b)
		if !ok1 || !ok2 {
			return SortUnknown
		}
		// One beyond the bound is refused like any other number beyond it, and fits an int on all machines.
		return a.Float(int(min(eb, MaxWidth+1)), int(min(sb, MaxWidth+1)))
	case KindDatatype:
		return b.Data
	}
	var args [2]Sort
	for i := range p.sub {
		s := p.sub[i].buildSort(a, b)
		if s == 0 || s == SortUnknown {
			return s
		}
		args[i] = s
	}
	if p.kind == KindSeq {
		return a.Seq(args[0])
	}
	return a.newSort(sortNode{kind: p.kind, args: append([]Sort(nil), args[:len(p.sub)]...)})
}

// describeUnder writes a pattern for an error text, with bound variables replaced by their values.
func (p *Pattern) describeUnder(a *symbolTable, b *Bindings) string {
	switch p.kind {
	case KindInvalid:
		if b.sortSet&(1<<p.v) != 0 {
			return a.SortString(b.sorts[p.v])
		}
		return "any sort"
	case KindFiniteField:
		if b.sortSet&(1<<p.v) != 0 {
			return a.SortString(b.sorts[p.v])
		}
		return "a finite field"
	case KindBitVec:
		if w, ok := p.nums[0].valueUnder(b); ok {
			return fmt.Sprintf("(_ BitVec %d)", w)
		}
		return "a bit vector"
	case KindFloat:
		eb, ok1 := p.nums[0].valueUnder(b)
		sb, ok2 := p.nums[1].valueUnder(b)
		if ok1 && ok2 {
			return fmt.Sprintf("(_ FloatingPoint %d %d)", eb, sb)
		}
		return "a floating-point number"
	}
	if p.fix != 0 {
		return a.SortString(p.fix)
	}
	parts := []string{p.kind.String()}
	for i := range p.sub {
		parts = append(parts, p.sub[i].describeUnder(a, b))
	}
	return "(" + strings.Join(parts, " ") + ")"
}
