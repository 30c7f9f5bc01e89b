package fusion

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
)

// Pattern is a sort with variables: capital letters stand for sorts, small ones for numbers. It is written as in the
// operator table: Int, BV(m), BV(m+n), FP(e,s), Array(A,B), Seq(A), A. Data(A,B) is any datatype that has a constructor with
// fields of these sorts, which may be the datatype itself.
type Pattern struct {
	kind   smt.SortKind // KindInvalid: a sort variable
	letter byte         // of a sort variable, from 0
	nums   [2]expr
	sub    []Pattern
	text   string
}

// String returns the pattern as it was written.
func (p *Pattern) String() string { return p.text }

// expr is a sum of numbers and variables, or a power of two minus one (only as a bound of an index).
type expr struct {
	c    int64
	vars []byte // each counted once
	pow  bool   // 2^vars[0] + c
}

// Bindings are what the letters of an operator's patterns stand for.
type Bindings struct {
	nums    [26]int64
	numSet  uint32
	sorts   [26]smt.Sort
	sortSet uint32

	data smt.Sort   // what Data(...) stands for
	ctor smt.Symbol // and its constructor
	pick int        // chooses among several constructors
}

func (b *Bindings) bindNum(v byte, n int64) {
	b.nums[v] = n
	b.numSet |= 1 << v
}

func (b *Bindings) hasNum(v byte) bool { return b.numSet&(1<<v) != 0 }

func (b *Bindings) bindSort(v byte, s smt.Sort) {
	b.sorts[v] = s
	b.sortSet |= 1 << v
}

func (b *Bindings) hasSort(v byte) bool { return b.sortSet&(1<<v) != 0 }

var patternNames = map[string]smt.SortKind{
	"Bool": smt.KindBool, "Int": smt.KindInt, "Real": smt.KindReal, "String": smt.KindString, "RoundingMode": smt.KindRoundingMode,
	"RegLan": smt.KindRegLan, "BV": smt.KindBitVec, "FP": smt.KindFloat, "Array": smt.KindArray, "Seq": smt.KindSeq, "Data": smt.KindDatatype, "Set": smt.KindSet, "Bag": smt.KindBag,
}

// ParsePattern reads a pattern.
func ParsePattern(text string) (Pattern, error) {
	p, rest, err := parsePattern(strings.ReplaceAll(text, " ", ""))
	if err == nil && rest != "" {
		err = fmt.Errorf("unexpected %q", rest)
	}
	if err != nil {
		return Pattern{}, fmt.Errorf("sort %q: %w (want a sort as in Int, BV(m), FP(e,s), Array(A,B), Seq(A) or A)", text, err)
	}
	return p, nil
}

func parsePattern(text string) (p Pattern, rest string, err error) {
	n := strings.IndexAny(text, "(),")
	if n < 0 {
		n = len(text)
	}
	name := text[:n]
	p.text, rest = name, text[n:]
	if len(name) == 1 && name[0] >= 'A' && name[0] <= 'Z' {
		p.letter = name[0] - 'A'
		return p, rest, nil
	}
	p.kind = patternNames[name]
	want := map[smt.SortKind]int{smt.KindBitVec: 1, smt.KindFloat: 2, smt.KindArray: 2, smt.KindSeq: 1, smt.KindSet: 1, smt.KindBag: 1, smt.KindDatatype: 1}[p.kind]
	if p.kind == smt.KindInvalid {
		return p, rest, fmt.Errorf("there is no sort %q", name)
	}
	if want == 0 {
		return p, rest, nil
	}
	open := rest
	if p.kind == smt.KindDatatype {
		want = 1 + strings.Count(rest[:strings.IndexByte(rest+")", ')')], ",")
	}
	for i := range want {
		sep := byte(',')
		if i == 0 {
			sep = '('
		}
		if rest == "" || rest[0] != sep {
			return p, rest, fmt.Errorf("%s takes %d arguments", name, want)
		}
		rest = rest[1:]
		if p.kind == smt.KindBitVec || p.kind == smt.KindFloat {
			k := strings.IndexAny(rest, ",)")
			if k < 0 {
				return p, rest, fmt.Errorf("a bracket is missing")
			}
			if p.nums[i], err = parseExpr(rest[:k]); err != nil {
				return p, rest, err
			}
			rest = rest[k:]
			continue
		}
		var sub Pattern
		if sub, rest, err = parsePattern(rest); err != nil {
			return p, rest, err
		}
		p.sub = append(p.sub, sub)
	}
	if rest == "" || rest[0] != ')' {
		return p, rest, fmt.Errorf("%s takes %d arguments", name, want)
	}
	rest = rest[1:]
	p.text = name + open[:len(open)-len(rest)]
	return p, rest, nil
}

// parseExpr reads a sum such as m+n, m-1, 8 or 2^m-1.
func parseExpr(text string) (expr, error) {
	var e expr
	sign := int64(1)
	bad := fmt.Errorf("%q is no sum of numbers and small letters", text)
	if text == "" {
		return e, bad
	}
	rest := text
	if after, ok := strings.CutPrefix(rest, "2^"); ok && after != "" && after[0] >= 'a' && after[0] <= 'z' {
		e.pow, e.vars, rest = true, []byte{after[0] - 'a'}, after[1:]
	}
	for rest != "" {
		switch rest[0] {
		case '+', '-':
			sign = 1
			if rest[0] == '-' {
				sign = -1
			}
			rest = rest[1:]
			continue
		}
		end := strings.IndexAny(rest, "+-")
		if end < 0 {
			end = len(rest)
		}
		word := rest[:end]
		if n, err := strconv.ParseInt(word, 10, 32); err == nil {
			e.c += sign * n
		} else if len(word) == 1 && word[0] >= 'a' && word[0] <= 'z' && sign == 1 && !e.pow {
			e.vars = append(e.vars, word[0]-'a')
		} else {
			return e, bad
		}
		rest = rest[end:]
	}
	return e, nil
}

// value computes the expression; ok is false if a variable is not bound.
func (e *expr) value(b *Bindings) (n int64, ok bool) {
	n = e.c
	for _, v := range e.vars {
		if !b.hasNum(v) {
			return 0, false
		}
		n += b.nums[v]
	}
	return n, !e.pow
}

// big is value for bounds of indices.
func (e *expr) big(b *Bindings) (*big.Int, bool) {
	if !e.pow {
		n, ok := e.value(b)
		return big.NewInt(n), ok
	}
	if !b.hasNum(e.vars[0]) || b.nums[e.vars[0]] > 4096 {
		return nil, false
	}
	n := new(big.Int).Lsh(big.NewInt(1), uint(b.nums[e.vars[0]]))
	return n.Add(n, big.NewInt(e.c)), true
}

// match binds the one variable that is open so that the expression is n. Several open ones are not bound: false.
func (e *expr) match(b *Bindings, n int64) bool {
	if e.pow {
		return false
	}
	n -= e.c
	open := -1
	for _, v := range e.vars {
		switch {
		case b.hasNum(v):
			n -= b.nums[v]
		case open >= 0:
			return false
		default:
			open = int(v)
		}
	}
	if open < 0 {
		return n == 0
	}
	if n < 1 {
		return false
	}
	b.bindNum(byte(open), n)
	return true
}

// Match binds the variables of the pattern so that it is s.
func (p *Pattern) Match(a *smt.Arena, s smt.Sort, b *Bindings) bool {
	kind := a.SortKind(s)
	if p.kind == smt.KindInvalid {
		if kind == smt.KindUnknown || kind == smt.KindRegLan || kind == smt.KindFunc {
			return false
		}
		if b.hasSort(p.letter) {
			return b.sorts[p.letter] == s
		}
		b.bindSort(p.letter, s)
		return true
	}
	if kind != p.kind {
		return false
	}
	switch kind {
	case smt.KindBitVec:
		return p.nums[0].match(b, int64(a.Width(s)))
	case smt.KindFloat:
		eb, sb := a.FloatFormat(s)
		return p.nums[0].match(b, int64(eb)) && p.nums[1].match(b, int64(sb))
	case smt.KindDatatype:
		return p.matchData(a, s, b)
	}
	for i := range p.sub {
		if !p.sub[i].Match(a, a.SortArgs(s)[i], b) {
			return false
		}
	}
	return true
}

// Build returns the sort that the pattern stands for; 0 if a variable is open or there is no such sort.
func (p *Pattern) Build(a *smt.Arena, b *Bindings) smt.Sort {
	switch p.kind {
	case smt.KindInvalid:
		if !b.hasSort(p.letter) {
			return 0
		}
		return b.sorts[p.letter]
	case smt.KindBool, smt.KindInt, smt.KindReal, smt.KindString, smt.KindRegLan, smt.KindRoundingMode:
		return smt.Sort(p.kind)
	case smt.KindBitVec:
		w, ok := p.nums[0].value(b)
		if !ok || w < 1 || w > smt.MaxWidth {
			return 0
		}
		return a.BitVec(int(w))
	case smt.KindFloat:
		eb, ok1 := p.nums[0].value(b)
		sb, ok2 := p.nums[1].value(b)
		if !ok1 || !ok2 || eb < 2 || sb < 2 {
			return 0
		}
		return a.Float(int(eb), int(sb))
	case smt.KindDatatype:
		return b.data
	}
	var subs [2]smt.Sort
	for i := range p.sub {
		if subs[i] = p.sub[i].Build(a, b); subs[i] == 0 {
			return 0
		}
	}
	switch p.kind {
	case smt.KindArray:
		return a.Array(subs[0], subs[1])
	case smt.KindSeq:
		return a.Seq(subs[0])
	case smt.KindSet:
		return a.Set(subs[0])
	default:
		return a.Bag(subs[0])
	}
}

// letters calls f for each variable of the pattern.
func (p *Pattern) letters(num, sort func(v byte)) {
	if p.kind == smt.KindInvalid {
		sort(p.letter)
	}
	for i := range p.nums {
		for _, v := range p.nums[i].vars {
			num(v)
		}
	}
	for i := range p.sub {
		p.sub[i].letters(num, sort)
	}
}

// patternOf turns a sort of a template's arena back into a pattern: declared sorts of one letter are variables.
func patternOf(a *smt.Arena, s smt.Sort) (Pattern, error) {
	p := Pattern{kind: a.SortKind(s), text: a.SortString(s)}
	switch p.kind {
	case smt.KindBool, smt.KindInt, smt.KindReal, smt.KindString, smt.KindRegLan, smt.KindRoundingMode:
	case smt.KindBitVec:
		p.nums[0].c = int64(a.Width(s))
	case smt.KindFloat:
		eb, sb := a.FloatFormat(s)
		p.nums[0].c, p.nums[1].c = int64(eb), int64(sb)
	case smt.KindArray, smt.KindSeq, smt.KindSet, smt.KindBag:
		for _, x := range a.SortArgs(s) {
			sub, err := patternOf(a, x)
			if err != nil {
				return p, err
			}
			p.sub = append(p.sub, sub)
		}
	case smt.KindDatatype: // the one of the operator
	case smt.KindUser:
		name, _ := a.SortSymbolName(a.SortSymbolOf(s))
		if len(name) != 1 || name[0] < 'A' || name[0] > 'Z' {
			return p, fmt.Errorf("the sort %s cannot occur in an operator: use a capital letter for any sort", name)
		}
		p.kind, p.letter = smt.KindInvalid, name[0]-'A'
	default:
		return p, fmt.Errorf("the sort %s cannot occur in an operator", p.text)
	}
	return p, nil
}

// SortPattern returns the pattern that is one sort.
func SortPattern(a *smt.Arena, s smt.Sort) (Pattern, error) { return patternOf(a, s) }
