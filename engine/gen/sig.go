package gen

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/smt"
)

// signature is an alternative of an operator, read from the operator table's text.
type signature struct {
	text   string // in the operator table
	idx    []byte // letters of the indices
	args   []shape
	repeat int // the argument that may be repeated, or -1
	result shape
	conds  []string
}

// shape is a sort with variables.
type shape struct {
	kind smt.SortKind // KindInvalid: the sort variable v
	fix  smt.Sort
	v    byte // 'A'...
	a, b string
	sub  []shape
}

var fixed = map[string]smt.Sort{"Bool": smt.SortBool, "Int": smt.SortInt, "Real": smt.SortReal, "String": smt.SortString,
	"RegLan": smt.SortRegLan, "RoundingMode": smt.SortRoundingMode}

var shapeKinds = map[string]smt.SortKind{"BV": smt.KindBitVec, "FP": smt.KindFloat, "FF": smt.KindFiniteField, "Array": smt.KindArray,
	"Seq": smt.KindSeq, "Set": smt.KindSet, "Bag": smt.KindBag}

func readShape(text string) shape {
	if s, ok := fixed[text]; ok {
		return shape{fix: s}
	}
	if len(text) == 1 {
		return shape{v: text[0]}
	}
	name, inner, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	k, ok := shapeKinds[name]
	if !ok {
		panic("gen: the operator table has the unknown sort " + text)
	}
	parts := strings.Split(inner, ",")
	s := shape{kind: k}
	switch k {
	case smt.KindBitVec:
		s.a = parts[0]
	case smt.KindFloat:
		s.a, s.b = parts[0], parts[1]
	case smt.KindFiniteField:
		s.v = 'H'
	default:
		for _, p := range parts {
			s.sub = append(s.sub, readShape(p))
		}
	}
	return s
}

func readSignature(text string) signature {
	s := signature{text: text, repeat: -1}
	rest, where, _ := strings.Cut(text, " where ")
	left, right, _ := strings.Cut(rest, "->")
	left = strings.TrimSpace(left)
	if strings.HasPrefix(left, "[") {
		idx, after, _ := strings.Cut(left[1:], "]")
		for _, v := range strings.Fields(idx) {
			s.idx = append(s.idx, v[0])
		}
		left = after
	}
	for i, f := range strings.Fields(left) {
		if strings.HasSuffix(f, "...") {
			f, s.repeat = strings.TrimSuffix(f, "..."), i
		}
		s.args = append(s.args, readShape(f))
	}
	s.result = readShape(strings.TrimSpace(right))
	s.conds = strings.Fields(where)
	return s
}

// signatures are those of all operators.
var signatures = sync.OnceValue(func() map[smt.Op][]signature {
	m := map[smt.Op][]signature{}
	for _, op := range smt.Ops() {
		for _, text := range op.Signatures {
			m[op.Op] = append(m[op.Op], readSignature(text))
		}
	}
	return m
})

// binding is what the variables of a signature stand for.
type binding struct {
	nums  map[byte]int
	sorts map[byte]smt.Sort
}

func newBinding() *binding { return &binding{nums: map[byte]int{}, sorts: map[byte]smt.Sort{}} }

// number computes a sum of products of numeral variables; ok is false if one is open.
func (b *binding) number(text string) (n int, ok bool) {
	if len(text) == 1 && (text[0] < '0' || text[0] > '9') { // most are
		n, ok = b.nums[text[0]]
		return n, ok
	}
	for _, t := range strings.Split(strings.ReplaceAll(text, "-", "+-"), "+") {
		if t == "" {
			continue
		}
		p := 1
		if t[0] == '-' {
			p, t = -1, t[1:]
		}
		for _, f := range strings.Split(t, "*") {
			if v, err := strconv.Atoi(f); err == nil {
				p *= v
				continue
			}
			v, bound := b.nums[f[0]]
			if !bound {
				return 0, false
			}
			p *= v
		}
		n += p
	}
	return n, true
}

// matchNumber matches a numeral; a single open variable, perhaps with a number added, is bound by it.
func (b *binding) matchNumber(text string, n int) bool {
	if v, ok := b.number(text); ok {
		return v == n
	}
	name, add, _ := strings.Cut(text, "+")
	if len(name) != 1 {
		return false
	}
	if add != "" {
		k, err := strconv.Atoi(add)
		if err != nil {
			return false
		}
		n -= k
	}
	b.nums[name[0]] = n
	return true
}

// build makes the sort of a shape; 0 if variables are open or there is no such sort.
func (b *binding) build(a *smt.Arena, s *shape) smt.Sort {
	switch {
	case s.fix != 0:
		return s.fix
	case s.kind == smt.KindInvalid || s.kind == smt.KindFiniteField:
		return b.sorts[s.v]
	case s.kind == smt.KindBitVec:
		w, ok := b.number(s.a)
		if !ok || w < 1 || w > smt.MaxWidth {
			return 0
		}
		return a.BitVec(w)
	case s.kind == smt.KindFloat:
		e, ok1 := b.number(s.a)
		m, ok2 := b.number(s.b)
		if !ok1 || !ok2 || e < 2 || m < 2 {
			return 0
		}
		return a.Float(e, m)
	}
	args := make([]smt.Sort, len(s.sub))
	for i := range s.sub {
		if args[i] = b.build(a, &s.sub[i]); args[i] == 0 {
			return 0
		}
	}
	switch s.kind {
	case smt.KindArray:
		return a.Array(args[0], args[1])
	case smt.KindSeq:
		return a.Seq(args[0])
	case smt.KindSet:
		return a.Set(args[0])
	case smt.KindBag:
		return a.Bag(args[0])
	}
	panic(fmt.Sprintf("gen: sort kind %v in the operator table", s.kind))
}

// match binds the variables of a shape so that it is the sort. On false the binding is spoilt.
func (b *binding) match(a *smt.Arena, s *shape, sort smt.Sort) bool {
	if s.fix != 0 {
		return s.fix == sort
	}
	if s.kind == smt.KindInvalid || s.kind == smt.KindFiniteField {
		if s.kind == smt.KindFiniteField && a.SortKind(sort) != smt.KindFiniteField {
			return false
		}
		if have, ok := b.sorts[s.v]; ok {
			return have == sort
		}
		b.sorts[s.v] = sort
		return true
	}
	if a.SortKind(sort) != s.kind {
		return false
	}
	switch s.kind {
	case smt.KindBitVec:
		return b.matchNumber(s.a, a.Width(sort))
	case smt.KindFloat:
		e, m := a.FloatFormat(sort)
		return b.matchNumber(s.a, e) && b.matchNumber(s.b, m)
	}
	for i, x := range a.SortArgs(sort) {
		if !b.match(a, &s.sub[i], x) {
			return false
		}
	}
	return true
}

// fits reports whether a sort can match a shape, and binds nothing.
func (b *binding) fits(a *smt.Arena, s *shape, sort smt.Sort) bool {
	switch {
	case s.fix != 0:
		return s.fix == sort
	case s.kind == smt.KindInvalid:
		have, ok := b.sorts[s.v]
		return !ok || have == sort
	case a.SortKind(sort) != s.kind:
		return false
	case s.kind == smt.KindBitVec && len(s.a) == 1:
		n, ok := b.number(s.a)
		return !ok || n == a.Width(sort)
	}
	return b.clone().match(a, s, sort)
}

// clone copies a binding.
func (b *binding) clone() *binding {
	c := newBinding()
	for k, v := range b.nums {
		c.nums[k] = v
	}
	for k, v := range b.sorts {
		c.sorts[k] = v
	}
	return c
}

// mentions reports whether a fixed sort or a kind occurs in a shape.
func (s *shape) mentions(visit func(fix smt.Sort, kind smt.SortKind)) {
	if s.fix != 0 {
		visit(s.fix, smt.KindInvalid)
	} else if s.kind != smt.KindInvalid {
		visit(0, s.kind)
	}
	for i := range s.sub {
		s.sub[i].mentions(visit)
	}
}
