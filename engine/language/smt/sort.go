package smt

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Sort names a sort of one Arena; 0 is no sort.
type Sort uint32

// SortSymbol names a declared sort constructor or datatype of one Arena; 0 is none.
type SortSymbol uint32

// The parameterless standard sorts are the same in every arena. SortUnknown is the sort of an application whose
// head is not known; it fits everywhere.
const (
	SortBool Sort = iota + 1
	SortInt
	SortReal
	SortString
	SortRegLan
	SortRoundingMode
	SortUnknown
)

// SortKind is the constructor of a sort.
type SortKind uint8

// The kinds of sorts. KindBitVec has the index width; KindFloat the indices exponent and significand width, the
// latter with the hidden bit; KindFiniteField the modulus. KindUser and KindDatatype carry a SortSymbol.
const (
	KindInvalid SortKind = iota
	KindBool
	KindInt
	KindReal
	KindString
	KindRegLan
	KindRoundingMode
	KindUnknown
	KindBitVec
	KindFloat
	KindArray
	KindSeq
	KindSet
	KindBag
	KindFiniteField
	KindFunc
	KindTuple
	KindNullable
	KindUser
	KindDatatype
	KindParam
)

var sortKindNames = [...]string{
	KindInvalid: "invalid", KindBool: "Bool", KindInt: "Int", KindReal: "Real", KindString: "String",
	KindRegLan: "RegLan", KindRoundingMode: "RoundingMode", KindUnknown: "?", KindBitVec: "BitVec",
	KindFloat: "FloatingPoint", KindArray: "Array", KindSeq: "Seq", KindSet: "Set", KindBag: "Bag",
	KindFiniteField: "FiniteField", KindFunc: "->", KindTuple: "Tuple", KindNullable: "Nullable", KindUser: "user sort",
	KindDatatype: "datatype", KindParam: "sort parameter",
}

// String returns the kind's name in SMT-LIB, or a word for it.
func (k SortKind) String() string { return sortKindNames[k] }

type sortNode struct {
	kind   SortKind
	params bool // mentions a sort parameter
	size   int  // see SortSize
	sym    SortSymbol
	i, j   uint32
	mod    *big.Int
	name   string // of a sort parameter
	args   []Sort
	key    string
}

type sortSymbol struct {
	name  string
	arity int
	dt    *Datatype // nil for a sort that declare-sort declared
	key   string
}

// MaxWidth bounds the width of bit vectors and floating-point formats: beyond it, values are too large to handle.
const MaxWidth = 1 << 24

// maxSortSize bounds the SortSize of sorts that are read or made. Sorts are shared, but their text is not: with sixty
// two-line definitions, the text of a sort no longer fits into any memory.
const maxSortSize = 1 << 16

// sortTable holds sorts and sort symbols, each once.
type sortTable struct {
	sorts    []sortNode
	sortIDs  map[string]Sort
	bvSorts  []Sort // by width, for the most frequent sort constructor
	sortSyms []sortSymbol
	key      []byte // scratch for map keys
}

func (a *sortTable) initSorts() {
	a.sorts = make([]sortNode, 1)
	for k := KindBool; k <= KindUnknown; k++ {
		a.newSort(sortNode{kind: k})
	}
}

func (a *sortTable) newSort(n sortNode) Sort {
	b := append(a.key[:0], byte(n.kind))
	b = binary.AppendUvarint(b, uint64(n.sym))
	b = binary.AppendUvarint(b, uint64(n.i))
	b = binary.AppendUvarint(b, uint64(n.j))
	n.size = 1
	for _, s := range n.args {
		b = binary.AppendUvarint(b, uint64(s))
		n.params = n.params || a.sorts[s].params
		n.size = min(n.size+a.sorts[s].size, math.MaxInt/2)
	}
	b = append(b, n.name...)
	if n.mod != nil {
		b = append(b, n.mod.Bytes()...)
	}
	a.key = b
	if id, ok := a.sortIDs[string(b)]; ok {
		return id
	}
	n.key = string(b)
	id := Sort(len(a.sorts))
	a.sorts = append(a.sorts, n)
	a.sortIDs[n.key] = id
	return id
}

func (a *sortTable) releaseSorts(m Mark) {
	for _, n := range a.sorts[m.sorts:] {
		delete(a.sortIDs, n.key)
		if n.kind == KindBitVec && int(n.i) < len(a.bvSorts) {
			a.bvSorts[n.i] = 0
		}
	}
	clear(a.sorts[m.sorts:])
	a.sorts = a.sorts[:m.sorts]
	for i := m.sortSyms; i < len(a.sortSyms); i++ {
		delete(a.sortIDs, a.sortSyms[i].key)
	}
	clear(a.sortSyms[m.sortSyms:])
	a.sortSyms = a.sortSyms[:m.sortSyms]
}

// BitVec returns the sort (_ BitVec w), w from 1 to MaxWidth.
func (a *sortTable) BitVec(w int) Sort {
	if w < len(a.bvSorts) && w > 0 && a.bvSorts[w] != 0 {
		return a.bvSorts[w]
	}
	if w < 1 || w > MaxWidth {
		return 0
	}
	s := a.newSort(sortNode{kind: KindBitVec, i: uint32(w)})
	if w < 4096 {
		for len(a.bvSorts) <= w {
			a.bvSorts = append(a.bvSorts, 0)
		}
		a.bvSorts[w] = s
	}
	return s
}

// Float returns the sort (_ FloatingPoint eb sb), where sb counts the hidden bit; both at least 2. It is 0 outside
// the range.
func (a *sortTable) Float(eb, sb int) Sort {
	if eb < 2 || sb < 2 || eb > MaxWidth || sb > MaxWidth {
		return 0
	}
	return a.newSort(sortNode{kind: KindFloat, i: uint32(eb), j: uint32(sb)})
}

// Array returns the sort (Array index element).
func (a *sortTable) Array(index, element Sort) Sort {
	return a.newSort(sortNode{kind: KindArray, args: []Sort{index, element}})
}

// Seq returns the sort (Seq element) of z3 and cvc5.
func (a *sortTable) Seq(element Sort) Sort {
	if n := &a.sorts[element]; n.kind == KindUnknown && n.name != "" { // of characters
		return SortString
	}
	return a.newSort(sortNode{kind: KindSeq, args: []Sort{element}})
}

// Unicode returns z3's sort of characters, whose sequences are the strings. Its terms have no values here.
func (a *sortTable) Unicode() Sort { return a.newSort(sortNode{kind: KindUnknown, name: "Unicode"}) }

// Set returns the sort (Set element) of cvc5.
func (a *sortTable) Set(element Sort) Sort {
	return a.newSort(sortNode{kind: KindSet, args: []Sort{element}})
}

// Bag returns the sort (Bag element) of cvc5.
func (a *sortTable) Bag(element Sort) Sort {
	return a.newSort(sortNode{kind: KindBag, args: []Sort{element}})
}

// Tuple returns the sort (Tuple s1 ... sn) of cvc5.
func (a *sortTable) Tuple(elements ...Sort) Sort {
	return a.newSort(sortNode{kind: KindTuple, args: append([]Sort(nil), elements...)})
}

// FiniteField returns the sort (_ FiniteField p) of cvc5, p at least 2.
func (a *sortTable) FiniteField(p *big.Int) Sort {
	if p.Cmp(big.NewInt(2)) < 0 {
		return 0
	}
	return a.newSort(sortNode{kind: KindFiniteField, mod: new(big.Int).Set(p)})
}

// Func returns the sort (-> s1 ... sn) of SMT-LIB 2.7; the last is the codomain.
func (a *sortTable) Func(sorts ...Sort) Sort {
	args := append([]Sort(nil), sorts...)
	if last := &a.sorts[args[len(args)-1]]; last.kind == KindFunc { // (-> A (-> B C)) is (-> A B C)
		args = append(args[:len(args)-1], last.args...)
	}
	return a.newSort(sortNode{kind: KindFunc, args: args})
}

// SortParam returns the sort parameter of that name, as in (par (X) ...).
func (a *sortTable) SortParam(name string) Sort {
	return a.newSort(sortNode{kind: KindParam, name: name, params: true})
}

// DeclareSort returns the sort symbol of that name and arity, as declare-sort makes it; the same pair gives the
// same symbol.
func (a *sortTable) DeclareSort(name string, arity int) SortSymbol {
	b := append(append(a.key[:0], 0xFF), name...)
	b = binary.AppendUvarint(append(b, 0), uint64(arity))
	a.key = b
	if id, ok := a.sortIDs[string(b)]; ok {
		return SortSymbol(id)
	}
	return a.addSortSymbol(sortSymbol{name: name, arity: arity, key: string(b)})
}

func (a *sortTable) addSortSymbol(s sortSymbol) SortSymbol {
	id := SortSymbol(len(a.sortSyms))
	a.sortSyms = append(a.sortSyms, s)
	a.sortIDs[s.key] = Sort(id)
	return id
}

// Nullable returns cvc5's (Nullable s): null, or some element of s.
func (a *sortTable) Nullable(s Sort) Sort {
	return a.newSort(sortNode{kind: KindNullable, args: []Sort{s}})
}

// SortApp applies a sort symbol. It is an error if the number of arguments is not the arity.
func (a *sortTable) SortApp(sym SortSymbol, args ...Sort) (Sort, error) {
	s := &a.sortSyms[sym]
	if len(args) != s.arity {
		return 0, fmt.Errorf("sort %s takes %s, given %d", s.name, countOf(s.arity, "argument", "arguments"), len(args))
	}
	kind := KindUser
	if s.dt != nil {
		kind = KindDatatype
	}
	return a.newSort(sortNode{kind: kind, sym: sym, args: append([]Sort(nil), args...)}), nil
}

// SortKind returns the constructor of the sort.
func (a *sortTable) SortKind(s Sort) SortKind { return a.sorts[s].kind }

// SortArgs returns the argument sorts: index and element of an array, domain and codomain of a function, …
func (a *sortTable) SortArgs(s Sort) []Sort { return a.sorts[s].args }

// Width returns the width of a bit-vector sort, and 0 for any other.
func (a *sortTable) Width(s Sort) int {
	if a.sorts[s].kind != KindBitVec {
		return 0
	}
	return int(a.sorts[s].i)
}

// FloatFormat returns exponent and significand width of a floating-point sort, and zeros for any other.
func (a *sortTable) FloatFormat(s Sort) (eb, sb int) {
	if a.sorts[s].kind != KindFloat {
		return 0, 0
	}
	return int(a.sorts[s].i), int(a.sorts[s].j)
}

// Modulus returns the modulus of a finite field sort, and nil for any other.
func (a *sortTable) Modulus(s Sort) *big.Int { return a.sorts[s].mod }

// SortSymbolOf returns the sort symbol of a user sort or datatype, and 0 for any other.
func (a *sortTable) SortSymbolOf(s Sort) SortSymbol { return a.sorts[s].sym }

// SortSymbolName returns the name and the arity of a sort symbol.
func (a *sortTable) SortSymbolName(s SortSymbol) (name string, arity int) {
	return a.sortSyms[s].name, a.sortSyms[s].arity
}

// HasParams reports whether the sort mentions a sort parameter.
func (a *sortTable) HasParams(s Sort) bool { return a.sorts[s].params }

// SortString returns the sort as SMT-LIB writes it.
func (a *sortTable) SortString(s Sort) string { return string(a.AppendSort(nil, s)) }

// AppendSort appends the sort as SMT-LIB writes it.
func (a *sortTable) AppendSort(b []byte, s Sort) []byte {
	if int(s) >= len(a.sorts) || s == 0 {
		return append(b, "<no sort>"...)
	}
	n := &a.sorts[s]
	switch n.kind {
	case KindBitVec:
		b = append(b, "(_ BitVec "...)
		return append(strconv.AppendUint(b, uint64(n.i), 10), ')')
	case KindFloat:
		b = append(b, "(_ FloatingPoint "...)
		b = append(strconv.AppendUint(b, uint64(n.i), 10), ' ')
		return append(strconv.AppendUint(b, uint64(n.j), 10), ')')
	case KindFiniteField:
		b = append(b, "(_ FiniteField "...)
		return append(n.mod.Append(b, 10), ')')
	case KindParam:
		return append(b, QuoteSymbol(n.name)...)
	}
	name := n.kind.String()
	if n.kind == KindUnknown && n.name != "" {
		name = n.name
	}
	if n.sym != 0 {
		name = QuoteSymbol(a.sortSyms[n.sym].name)
	}
	if len(n.args) == 0 {
		if n.kind == KindTuple {
			return append(b, "UnitTuple"...)
		}
		return append(b, name...)
	}
	b = append(append(b, '('), name...)
	for _, x := range n.args {
		b = a.AppendSort(append(b, ' '), x)
	}
	return append(b, ')')
}

// SortSize returns the number of sorts in a sort as it is written, including itself and repeated ones.
func (a *sortTable) SortSize(s Sort) int { return a.sorts[s].size }

// CheckSize returns an error for a sort of more than maxSortSize parts.
func (a *sortTable) CheckSize(s Sort) error {
	if size := a.sorts[s].size; size > maxSortSize {
		return fmt.Errorf("written out, the sort has %d parts; at most %d are taken", size, maxSortSize)
	}
	return nil
}

// SubstSort replaces the sort parameters in s according to m; a parameter that m lacks stays.
func (a *sortTable) SubstSort(s Sort, m map[Sort]Sort) Sort {
	n := a.sorts[s]
	if !n.params {
		return s
	}
	if n.kind == KindParam {
		if to, ok := m[s]; ok {
			return to
		}
		return s
	}
	args := make([]Sort, len(n.args))
	for i, x := range n.args {
		if i > 0 && x == n.args[i-1] { // as in sorts that are large only when they are written
			args[i] = args[i-1]
			continue
		}
		args[i] = a.SubstSort(x, m)
	}
	switch n.kind { // those that are other sorts for some arguments: flat functions, and String
	case KindFunc:
		return a.Func(args...)
	case KindSeq:
		return a.Seq(args[0])
	}
	return a.newSort(sortNode{kind: n.kind, sym: n.sym, i: n.i, j: n.j, mod: n.mod, args: args})
}

// UnifySort extends m so that SubstSort(pattern, m) is s, and reports whether that is possible.
func (a *sortTable) UnifySort(pattern, s Sort, m map[Sort]Sort) bool {
	if s == SortUnknown || pattern == SortUnknown {
		return true
	}
	p := a.sorts[pattern]
	if !p.params {
		return pattern == s
	}
	if p.kind == KindParam {
		if have, ok := m[pattern]; ok {
			return have == s
		}
		m[pattern] = s
		return true
	}
	n := a.sorts[s]
	if p.kind != n.kind || p.sym != n.sym || p.i != n.i || p.j != n.j || len(p.args) != len(n.args) {
		return false
	}
	for i := range p.args {
		if !a.UnifySort(p.args[i], n.args[i], m) {
			return false
		}
	}
	return true
}

// SimpleSymbol reports whether s can be written without bars (SMT-LIB 2.7, section 3.1).
func SimpleSymbol(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("~!@$%^&*_-+=<>.?/", c) >= 0) {
			return false
		}
	}
	return !reserved[s]
}

// reserved words of SMT-LIB 2.7, section 3.1; command names need no quoting as symbols in any solver we know, but
// the standard reserves them.
var reserved = map[string]bool{
	"!": true, "_": true, "as": true, "exists": true, "forall": true, "let": true, "lambda": true, "match": true, "par": true,
	"BINARY": true, "DECIMAL": true, "HEXADECIMAL": true, "NUMERAL": true, "STRING": true,
}

// QuoteSymbol returns the symbol as SMT-LIB writes it: in bars where it needs them. A name with a bar cannot be written
// in SMT-LIB at all; the bar becomes an underscore. A backslash, which the standard forbids too, stays: z3 takes it.
func QuoteSymbol(s string) string {
	if SimpleSymbol(s) {
		return s
	}
	return "|" + strings.ReplaceAll(s, "|", "_") + "|"
}

// knownBV returns the bit-vector sort of a width if the arena has it already, else 0.
func (a *sortTable) knownBV(w int64) Sort {
	if w < 1 || w >= int64(len(a.bvSorts)) {
		return 0
	}
	return a.bvSorts[w]
}
