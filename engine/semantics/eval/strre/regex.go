package strre

import (
	"fmt"
	"math"
)

// Regex is a regular expression of one Builder. Expressions that the builder
// simplifies to the same form are the same Regex.
type Regex uint32

// The expressions that every Builder has.
const (
	None    Regex = iota // re.none, the empty language
	Epsilon              // (str.to_re "")
	All                  // re.all
	AllChar              // re.allchar
	fixed
)

type kind uint8

const (
	kNone kind = iota
	kEpsilon
	kAll
	kSet        // one character; spans x..x+y
	kConcat     // x then y
	kUnion      // kids x..x+y, sorted
	kInter      // kids x..x+y, sorted
	kComplement // of x
	kStar       // of x
	kLoop       // x repeated as bounds y say
)

// infinite stands for an unbounded length.
const infinite = math.MaxUint64

type node struct {
	kind     kind
	nullable bool // has the empty string
	// plain says that no complement or intersection occurs: then the language of any node except None is nonempty, and
	// minLen is exact.
	plain  bool
	spine  uint8 // number of parts of a concatenation along y, at most 255
	depth  uint32
	x, y   uint32
	minLen uint64 // no member is shorter; saturating
	maxLen uint64 // no member is longer; infinite if not known
}

type bounds struct{ lo, hi uint64 }

// noUpper stands for the missing upper bound of a loop.
const noUpper = math.MaxUint64

// Builder makes regular expressions and decides membership by derivatives
// (Brzozowski, "Derivatives of Regular Expressions", 1964; character classes as
// in Owens, Reppy and Turon, "Regular-expression derivatives re-examined", 2009).
// Expressions are hash-consed and derivatives are remembered, so further
// questions about the same expressions are cheap. It is not safe for concurrent
// use.
type Builder struct {
	// Budget is the number of new expressions that one question (Match, Empty and
	// so on) may make before it gives up with errTooLarge. Zero means defaultBudget.
	Budget int

	deriver
}

// nodeTable holds expressions, each once.
type nodeTable struct {
	nodes  []node
	spans  []span
	kids   []Regex
	loops  []bounds
	table  []uint32 // open addressing over nodes, 0 = free
	stale  bool     // there are sets that classes of characters do not know yet
	tooBig bool     // an expression was beyond the limits; every answer is errTooLarge
}

// Limits of a Builder.
const (
	// defaultBudget is the Budget of a Builder that sets none.
	defaultBudget = 100_000
	// maxDepth bounds the nesting, so that recursion stays small.
	maxDepth = 1 << 19
	// maxKids bounds the operands of all unions and intersections together. Those of 100,000 expressions can have
	// billions of operands.
	maxKids = 1 << 21
	// wideKids is the number of operands above which a nested union or
	// intersection is not flattened, and wideSpans that of spans above which a set
	// is not joined further: chains of binary operators stay linear in size.
	wideKids  = 64
	wideSpans = 256
	// longSpine is the number of parts up to which concatenations are re-associated.
	longSpine = 16
)

// NewBuilder returns an empty builder.
func NewBuilder() *Builder {
	b := &Builder{}
	b.table = make([]uint32, 256)
	b.memo.slots = make([]memoSlot, 512)
	b.Reset()
	return b
}

// Reset forgets all expressions but keeps the memory. Every Regex but the
// constants becomes invalid.
func (b *Builder) Reset() {
	b.nodes = append(b.nodes[:0],
		node{kind: kNone, plain: true, depth: 1, minLen: infinite},
		node{kind: kEpsilon, nullable: true, plain: true, depth: 1},
		node{kind: kAll, nullable: true, plain: true, depth: 1, maxLen: infinite},
		node{kind: kSet, plain: true, depth: 1, y: 1, minLen: 1, maxLen: 1})
	b.spans = append(b.spans[:0], span{0, maxChar})
	b.kids, b.loops = b.kids[:0], b.loops[:0]
	clear(b.table)
	b.memo.reset()
	b.chars = [128]Regex{}
	b.tooBig = false
	b.breaks = append(b.breaks[:0], 0)
	b.asciiBreak = [128]rune{}
	b.stale, b.broken = false, len(b.spans)
	b.insert(b.hashSpans(b.spans), AllChar)
}

// Len returns the number of expressions held.
func (b *nodeTable) Len() int { return len(b.nodes) }

// Nullable reports whether the empty string is in the language of r.
func (b *nodeTable) Nullable(r Regex) bool { return b.nodes[r].nullable }

func (b *nodeTable) setOf(r Regex) []span {
	n := &b.nodes[r]
	return b.spans[n.x : n.x+n.y]
}

func (b *nodeTable) kidsOf(r Regex) []Regex {
	n := &b.nodes[r]
	return b.kids[n.x : n.x+n.y]
}

func (b *nodeTable) boundsOf(r Regex) bounds { return b.loops[b.nodes[r].y] }

func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

func (b *nodeTable) hashSpans(s []span) uint64 {
	h := uint64(kSet)
	for _, p := range s {
		h = mix(h, uint64(p.lo)<<32|uint64(p.hi))
	}
	return h
}

// insert puts a new node into the table, which grows at half load.
func (b *nodeTable) insert(h uint64, r Regex) {
	if 2*len(b.nodes) > len(b.table) {
		old := b.table
		b.table = make([]uint32, 2*len(old))
		for _, o := range old {
			if o != 0 {
				b.place(b.hash(Regex(o)), Regex(o))
			}
		}
	}
	b.place(h, r)
}

func (b *nodeTable) place(h uint64, r Regex) {
	mask := uint64(len(b.table) - 1)
	i := h & mask
	for b.table[i] != 0 {
		i = (i + 1) & mask
	}
	b.table[i] = uint32(r)
}

// hash is the hash under which a node was inserted.
func (b *nodeTable) hash(r Regex) uint64 {
	n := &b.nodes[r]
	switch n.kind {
	case kSet:
		return b.hashSpans(b.setOf(r))
	case kUnion, kInter:
		return hashKids(n.kind, b.kidsOf(r))
	case kLoop:
		return hashLoop(n.x, b.boundsOf(r))
	}
	return hashPair(n.kind, n.x, n.y)
}

func hashPair(k kind, x, y uint32) uint64 { return mix(uint64(k), uint64(x)<<32|uint64(y)) }

func hashKids(k kind, kids []Regex) uint64 {
	h := uint64(k)
	for _, kid := range kids {
		h = mix(h, uint64(kid))
	}
	return h
}

func hashLoop(x uint32, b bounds) uint64 {
	return mix(mix(mix(uint64(kLoop), uint64(x)), b.lo), b.hi)
}

// add appends a node, or records that it is nested too deeply.
func (b *nodeTable) add(h uint64, n node) Regex {
	if n.depth > maxDepth {
		b.tooBig = true
		return None
	}
	r := Regex(len(b.nodes))
	b.nodes = append(b.nodes, n)
	b.insert(h, r)
	return r
}

// set interns a set of characters; spans are normalised and may be scratch memory.
func (b *nodeTable) set(s []span) Regex {
	if len(s) == 0 {
		return None
	}
	h := b.hashSpans(s)
	mask := uint64(len(b.table) - 1)
	for i := h & mask; b.table[i] != 0; i = (i + 1) & mask {
		r := Regex(b.table[i])
		if b.nodes[r].kind == kSet && equalSlices(b.setOf(r), s) {
			return r
		}
	}
	n := node{kind: kSet, plain: true, depth: 1, x: uint32(len(b.spans)), y: uint32(len(s)), minLen: 1, maxLen: 1}
	b.spans = append(b.spans, s...)
	return b.add(h, n)
}

func equalSlices[T comparable](a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// pair interns a concatenation, complement or star (y is 0 for the last two).
func (b *nodeTable) pair(n node) Regex {
	h := hashPair(n.kind, n.x, n.y)
	mask := uint64(len(b.table) - 1)
	for i := h & mask; b.table[i] != 0; i = (i + 1) & mask {
		o := &b.nodes[b.table[i]]
		if o.kind == n.kind && o.x == n.x && o.y == n.y {
			return Regex(b.table[i])
		}
	}
	return b.add(h, n)
}

// many interns a union or intersection; kids are sorted and may be scratch memory.
func (b *nodeTable) many(n node, kids []Regex) Regex {
	h := hashKids(n.kind, kids)
	mask := uint64(len(b.table) - 1)
	for i := h & mask; b.table[i] != 0; i = (i + 1) & mask {
		r := Regex(b.table[i])
		if b.nodes[r].kind == n.kind && equalSlices(b.kidsOf(r), kids) {
			return r
		}
	}
	if len(b.kids)+len(kids) > maxKids { // unions that have more operands with each derivative
		b.tooBig = true
		return None
	}
	n.x, n.y = uint32(len(b.kids)), uint32(len(kids))
	b.kids = append(b.kids, kids...)
	return b.add(h, n)
}

// loop interns a counted loop.
func (b *nodeTable) loop(n node, c bounds) Regex {
	h := hashLoop(n.x, c)
	mask := uint64(len(b.table) - 1)
	for i := h & mask; b.table[i] != 0; i = (i + 1) & mask {
		r := Regex(b.table[i])
		if o := &b.nodes[r]; o.kind == kLoop && o.x == n.x && b.loops[o.y] == c {
			return r
		}
	}
	n.y = uint32(len(b.loops))
	b.loops = append(b.loops, c)
	return b.add(h, n)
}

func (b *Builder) budget() int {
	if b.Budget > 0 {
		return b.Budget
	}
	return defaultBudget
}

// limit returns the number of expressions at which a question about r that starts now gives up. One derivative of r can
// need a few new expressions at each level.
func (b *Builder) limit(r Regex) int { return len(b.nodes) + b.budget() + 8*int(b.nodes[r].depth) }

func (b *Builder) check(limit int, what string) error {
	if b.tooBig {
		return fmt.Errorf("%s: %w: a regular expression is nested more than %d deep", what, errTooLarge, maxDepth)
	}
	if len(b.nodes) > limit {
		return fmt.Errorf("%s: %w: more than %d derivatives", what, errTooLarge, b.budget())
	}
	return nil
}
