package strre

import "slices"

// memo remembers derivatives: (expression, representative) to expression.
type memo struct {
	slots []memoSlot
	used  int
}

type memoSlot struct {
	key   uint64 // 0 = free
	value Regex
}

func memoKey(r Regex, c rune) uint64 { return uint64(r)<<18 | uint64(c) }

func (m *memo) reset() {
	clear(m.slots)
	m.used = 0
}

func (m *memo) get(key uint64) (Regex, bool) {
	mask := uint64(len(m.slots) - 1)
	for i := mix(0, key) & mask; m.slots[i].key != 0; i = (i + 1) & mask {
		if m.slots[i].key == key {
			return m.slots[i].value, true
		}
	}
	return None, false
}

func (m *memo) put(key uint64, value Regex) {
	if 2*m.used >= len(m.slots) {
		old := m.slots
		m.slots = make([]memoSlot, 2*len(old))
		m.used = 0
		for _, s := range old {
			if s.key != 0 {
				m.put(s.key, s.value)
			}
		}
	}
	mask := uint64(len(m.slots) - 1)
	i := mix(0, key) & mask
	for m.slots[i].key != 0 {
		i = (i + 1) & mask
	}
	m.slots[i] = memoSlot{key, value}
	m.used++
}

// deriver computes derivatives, one for each class of characters.
type deriver struct {
	constructor
	memo memo

	// Character classes: breaks are the sorted first characters of classes, over
	// all sets of this builder; the representative of a character is the largest
	// break not above it.
	breaks     []rune
	asciiBreak [128]rune
	broken     int // spans already in breaks
}

// representative returns the first character of the class of c: each set of this builder contains both or neither.
// Remembered derivatives stay correct when classes are split later, because they are derivatives by the character
// itself.
func (b *deriver) representative(c rune) rune {
	if b.stale {
		b.refreshBreaks()
	}
	if c < 128 {
		return b.asciiBreak[c]
	}
	i, found := slices.BinarySearch(b.breaks, c)
	if !found {
		i--
	}
	return b.breaks[i]
}

// refreshBreaks adds the bounds of the sets made since the last time.
func (b *deriver) refreshBreaks() {
	for _, s := range b.spans[b.broken:] {
		b.breaks = append(b.breaks, s.lo)
		if s.hi < maxChar {
			b.breaks = append(b.breaks, s.hi+1)
		}
	}
	b.broken = len(b.spans)
	slices.Sort(b.breaks)
	b.breaks = slices.Compact(b.breaks)
	at := 0
	for c := range b.asciiBreak {
		for at+1 < len(b.breaks) && b.breaks[at+1] <= rune(c) {
			at++
		}
		b.asciiBreak[c] = b.breaks[at]
	}
	b.stale = false
}

// derive returns the derivative of r by c: the strings w with cw in r.
func (b *deriver) derive(r Regex, c rune) Regex {
	n := b.nodes[r]
	switch n.kind {
	case kNone, kEpsilon:
		return None
	case kAll:
		return All
	case kSet:
		if containsChar(b.setOf(r), c) {
			return Epsilon
		}
		return None
	case kConcat:
		if h := &b.nodes[n.x]; h.kind == kSet {
			if containsChar(b.spans[h.x:h.x+h.y], c) {
				return Regex(n.y)
			}
			return None
		}
	}
	key := memoKey(r, c)
	if d, ok := b.memo.get(key); ok {
		return d
	}
	var d Regex
	switch n.kind {
	case kConcat:
		d = b.deriveConcat(r, c)
	case kUnion, kInter:
		d = b.deriveMany(r, c)
	case kComplement:
		d = b.Complement(b.derive(Regex(n.x), c))
	case kStar:
		d = b.concat(b.derive(Regex(n.x), c), r)
	case kLoop:
		d = b.deriveLoop(r, c)
	}
	b.memo.put(key, d)
	return d
}

// deriveConcat walks along the parts as long as they have the empty string.
func (b *deriver) deriveConcat(r Regex, c rune) Regex {
	var buffer [8]Regex
	parts := buffer[:0]
	for {
		n := b.nodes[r]
		if n.kind != kConcat {
			parts = append(parts, b.derive(r, c))
			break
		}
		if d := b.derive(Regex(n.x), c); d != None {
			parts = append(parts, b.concat(d, Regex(n.y)))
		}
		if !b.nodes[n.x].nullable {
			break
		}
		r = Regex(n.y)
	}
	return b.Union(parts...)
}

func (b *deriver) deriveMany(r Regex, c rune) Regex {
	n := b.nodes[r]
	var buffer [16]Regex
	parts := buffer[:0]
	for i := range n.y {
		d := b.derive(b.kids[n.x+i], c)
		if d == None && n.kind == kInter {
			return None
		}
		parts = append(parts, d)
	}
	if n.kind == kInter {
		return b.Inter(parts...)
	}
	return b.Union(parts...)
}

// deriveLoop holds also if the body has the empty string, as the lower bound is
// then 0 and shorter repetitions are part of longer ones.
func (b *deriver) deriveLoop(r Regex, c rune) Regex {
	n := b.nodes[r]
	d := b.derive(Regex(n.x), c)
	if d == None {
		return None
	}
	bound := b.loops[n.y]
	if bound.lo > 0 {
		bound.lo--
	}
	if bound.hi != noUpper {
		bound.hi--
	}
	return b.concat(d, b.repeat(Regex(n.x), bound))
}

// Match is (str.in_re s r).
func (b *Builder) Match(r Regex, s []rune) (bool, error) {
	limit := b.limit(r)
	for i, c := range s {
		switch n := &b.nodes[r]; {
		case r == All && !b.tooBig:
			return true, nil
		case n.minLen > uint64(len(s)-i), n.maxLen < uint64(len(s)-i):
			return false, b.check(limit, "str.in_re")
		}
		r = b.derive(r, b.representative(c))
		if err := b.check(limit, "str.in_re"); err != nil {
			return false, err
		}
	}
	return b.nodes[r].nullable, b.check(limit, "str.in_re")
}
