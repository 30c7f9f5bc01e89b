package smt

import (
	"fmt"
	"strconv"
	"strings"
)

// sig is a signature of the operator table, ready for matching.
type sig struct {
	text   string
	idx    []byte // variables of the indices
	args   []pattern
	repeat int // the argument that may be repeated, or -1
	result pattern
	conds  []cond
}

// pattern matches a sort and builds one.
type pattern struct {
	kind SortKind // KindInvalid: a sort variable
	fix  Sort     // a sort without variables
	v    byte     // number of a sort variable
	a, b expr     // numerals of BV, FP and FF
	sub  []pattern
}

// expr is a polynomial over numeral variables: the sum of its terms.
type expr []exprTerm

type exprTerm struct {
	coef int64
	vars []byte
}

type cond struct{ lo, hi expr } // lo <= hi

// bindings are the variables of one match; letters count from a and A.
type bindings struct {
	nums    [26]int64
	numSet  uint32
	sorts   [8]Sort
	sortSet uint32
	unknown bool // an argument of unknown sort left variables open
}

func (b *bindings) reset() { b.numSet, b.sortSet, b.unknown = 0, 0, false }

func parseSig(text string) sig {
	s := sig{text: text, repeat: -1}
	rest, where, _ := strings.Cut(text, " where ")
	left, right, ok := strings.Cut(rest, "->")
	if !ok {
		panic("operator table: no arrow in " + text)
	}
	left = strings.TrimSpace(left)
	if strings.HasPrefix(left, "[") {
		idx, after, _ := strings.Cut(left[1:], "]")
		for _, v := range strings.Fields(idx) {
			s.idx = append(s.idx, v[0]-'a')
		}
		left = after
	}
	for i, f := range strings.Fields(left) {
		if strings.HasSuffix(f, "...") {
			f, s.repeat = f[:len(f)-3], i
		}
		s.args = append(s.args, parsePattern(f))
	}
	s.result = parsePattern(strings.TrimSpace(right))
	for _, c := range strings.Fields(where) {
		if lo, hi, ok := strings.Cut(c, "<="); ok {
			s.conds = append(s.conds, cond{parseExpr(lo), parseExpr(hi)})
		} else if lo, hi, ok := strings.Cut(c, "<"); ok {
			s.conds = append(s.conds, cond{append(parseExpr(lo), exprTerm{coef: 1}), parseExpr(hi)})
		} else {
			panic("operator table: condition " + c)
		}
	}
	return s
}

var fixedPatterns = map[string]Sort{"Bool": SortBool, "Int": SortInt, "Real": SortReal, "String": SortString,
	"RegLan": SortRegLan, "RoundingMode": SortRoundingMode}

func parsePattern(f string) pattern {
	if s, ok := fixedPatterns[f]; ok {
		return pattern{kind: SortKind(s), fix: s}
	}
	if len(f) == 1 && f[0] >= 'A' && f[0] <= 'H' {
		return pattern{v: f[0] - 'A'}
	}
	name, args, ok := strings.Cut(strings.TrimSuffix(f, ")"), "(")
	if !ok {
		panic("operator table: sort " + f)
	}
	parts := strings.Split(args, ",")
	switch name {
	case "BV":
		return pattern{kind: KindBitVec, a: parseExpr(parts[0])}
	case "FP":
		return pattern{kind: KindFloat, a: parseExpr(parts[0]), b: parseExpr(parts[1])}
	case "FF": // the modulus may be large: the whole sort is the variable H
		return pattern{kind: KindFiniteField, v: 'H' - 'A'}
	}
	kinds := map[string]SortKind{"Array": KindArray, "Seq": KindSeq, "Set": KindSet, "Bag": KindBag}
	p := pattern{kind: kinds[name]}
	if p.kind == KindInvalid {
		panic("operator table: sort " + f)
	}
	for _, x := range parts {
		p.sub = append(p.sub, parsePattern(x))
	}
	return p
}

func parseExpr(s string) expr {
	var e expr
	for s != "" {
		sign := int64(1)
		if s[0] == '+' || s[0] == '-' {
			if s[0] == '-' {
				sign = -1
			}
			s = s[1:]
		}
		end := strings.IndexAny(s, "+-")
		if end < 0 {
			end = len(s)
		}
		t := exprTerm{coef: sign}
		for _, f := range strings.Split(s[:end], "*") {
			if n, err := strconv.Atoi(f); err == nil {
				t.coef *= int64(n)
			} else {
				t.vars = append(t.vars, f[0]-'a')
			}
		}
		e = append(e, t)
		s = s[end:]
	}
	return e
}

// eval computes the expression; ok is false if a variable is not bound.
func (e expr) eval(b *bindings) (sum int64, ok bool) {
	for _, t := range e {
		p := t.coef
		for _, v := range t.vars {
			if b.numSet&(1<<v) == 0 {
				return 0, false
			}
			p *= b.nums[v]
		}
		sum += p
	}
	return sum, true
}

// matchNum matches a numeral: an open variable, with or without a constant added, is bound by it.
func (e expr) matchNum(b *bindings, n int64) bool {
	if v, ok := e.eval(b); ok {
		return v == n
	}
	if len(e) == 0 || len(e[0].vars) != 1 || e[0].coef != 1 {
		return b.unknown
	}
	for _, t := range e[1:] {
		if len(t.vars) != 0 {
			return b.unknown
		}
		n -= t.coef
	}
	b.nums[e[0].vars[0]] = n
	b.numSet |= 1 << e[0].vars[0]
	return true
}

func (a *Arena) matchSort(p *pattern, s Sort, b *bindings) bool {
	if p.fix != 0 && p.fix == s {
		return true
	}
	if s == SortUnknown {
		b.unknown = true
		return true
	}
	if p.fix != 0 {
		return false
	}
	if p.kind == KindInvalid || p.kind == KindFiniteField {
		if p.kind == KindFiniteField && a.sorts[s].kind != KindFiniteField {
			return false
		}
		if b.sortSet&(1<<p.v) != 0 {
			return b.sorts[p.v] == s
		}
		b.sorts[p.v] = s
		b.sortSet |= 1 << p.v
		return true
	}
	n := &a.sorts[s]
	if n.kind != p.kind {
		return false
	}
	switch n.kind {
	case KindBitVec:
		return p.a.matchNum(b, int64(n.i))
	case KindFloat:
		return p.a.matchNum(b, int64(n.i)) && p.b.matchNum(b, int64(n.j))
	}
	if len(p.sub) != len(n.args) {
		return false
	}
	for i := range p.sub {
		if !a.matchSort(&p.sub[i], n.args[i], b) {
			return false
		}
	}
	return true
}

// buildSort makes the sort of a pattern whose variables are bound; 0 if it cannot exist (a width out of range),
// SortUnknown if variables are open.
func (a *Arena) buildSort(p *pattern, b *bindings) Sort {
	if p.fix != 0 {
		return p.fix
	}
	switch p.kind {
	case KindInvalid, KindFiniteField:
		if b.sortSet&(1<<p.v) == 0 {
			return SortUnknown
		}
		return b.sorts[p.v]
	case KindBitVec:
		w, ok := p.a.eval(b)
		if !ok {
			return SortUnknown
		}
		if w < 1 || w > MaxWidth {
			return 0
		}
		return a.BitVec(int(w))
	case KindFloat:
		eb, ok1 := p.a.eval(b)
		sb, ok2 := p.b.eval(b)
		if !ok1 || !ok2 {
			return SortUnknown
		}
		return a.Float(int(min(eb, MaxWidth+1)), int(min(sb, MaxWidth+1)))
	}
	var args [2]Sort
	for i := range p.sub {
		s := a.buildSort(&p.sub[i], b)
		if s == 0 || s == SortUnknown {
			return s
		}
		args[i] = s
	}
	return a.newSort(sortNode{kind: p.kind, args: append([]Sort(nil), args[:len(p.sub)]...)})
}

// describe writes a pattern for an error text, with what is bound so far put in.
func (a *Arena) describe(p *pattern, b *bindings) string {
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
		if w, ok := p.a.eval(b); ok {
			return fmt.Sprintf("(_ BitVec %d)", w)
		}
		return "a bit vector"
	case KindFloat:
		eb, ok1 := p.a.eval(b)
		sb, ok2 := p.b.eval(b)
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
		parts = append(parts, a.describe(&p.sub[i], b))
	}
	return "(" + strings.Join(parts, " ") + ")"
}
