package strre

import (
	"math/bits"
	"slices"
)

// constructor makes expressions in a normal form.
type constructor struct {
	nodeTable
	chars [128]Regex

	scratchKids  []Regex
	scratchSpans []span
}

// Str is (str.to_re s).
func (b *constructor) Str(s []rune) Regex {
	r := Epsilon
	for i := len(s) - 1; i >= 0; i-- {
		r = b.concat(b.char(s[i]), r)
	}
	return r
}

func (b *constructor) char(c rune) Regex {
	if c < 128 && b.chars[c] != 0 {
		return b.chars[c]
	}
	r := b.base(span{c, c})
	if c < 128 {
		b.chars[c] = r
	}
	return r
}

// Range is (re.range lo hi): the characters from lo to hi if both are strings of
// one character, else the empty language.
func (b *constructor) Range(lo, hi []rune) Regex {
	if len(lo) != 1 || len(hi) != 1 || lo[0] > hi[0] {
		return None
	}
	return b.base(span{lo[0], hi[0]})
}

// base interns a set that the user wrote. All other sets are built from such sets, so only these split character
// classes.
func (b *constructor) base(s span) Regex {
	before := len(b.spans)
	r := b.set([]span{s})
	b.stale = b.stale || len(b.spans) > before
	return r
}

// Concat is re.++.
func (b *constructor) Concat(parts ...Regex) Regex {
	r := Epsilon
	for i := len(parts) - 1; i >= 0; i-- {
		r = b.concat(parts[i], r)
	}
	return r
}

func (b *constructor) concat(x, y Regex) Regex {
	switch {
	case x == None || y == None:
		return None
	case x == Epsilon:
		return y
	case y == Epsilon:
		return x
	case x == All && b.nodes[y].nullable, y == All && b.nodes[x].nullable:
		return All
	}
	nx, ny := &b.nodes[x], &b.nodes[y]
	if nx.kind == kStar && (x == y || ny.kind == kConcat && Regex(ny.x) == x) { // r* r* = r*
		return y
	}
	if x == All && ny.kind == kConcat && Regex(ny.x) == All {
		return y
	}
	if nx.kind == kConcat && nx.spine <= longSpine {
		head, tail := Regex(nx.x), Regex(nx.y)
		return b.concat(head, b.concat(tail, y))
	}
	n := node{
		kind: kConcat, nullable: nx.nullable && ny.nullable, plain: nx.plain && ny.plain,
		depth: max(nx.depth+1, ny.depth), x: uint32(x), y: uint32(y),
		minLen: addLength(nx.minLen, ny.minLen), maxLen: addLength(nx.maxLen, ny.maxLen),
	}
	n.spine = 2
	if ny.kind == kConcat {
		n.spine = uint8(min(int(ny.spine)+1, 255))
	}
	return b.pair(n)
}

func addLength(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return infinite
	}
	return sum
}

func mulLength(a, n uint64) uint64 {
	hi, lo := bits.Mul64(a, n)
	if hi != 0 {
		return infinite
	}
	return lo
}

// Union is re.union.
func (b *constructor) Union(parts ...Regex) Regex {
	switch len(parts) {
	case 0:
		return None
	case 1:
		return parts[0]
	}
	kids := b.flatten(kUnion, parts)
	spans := b.scratchSpans[:0]
	sets, nullable, epsilon := 0, false, false
	out := kids[:0]
	for _, k := range kids {
		n := &b.nodes[k]
		switch {
		case k == All:
			return All
		case k == None:
		case k == Epsilon:
			epsilon = true
		case n.kind == kSet && n.y <= wideSpans:
			// Sets are joined, because derivatives are computed for each class of characters, and one set has fewer
			// classes than many. Wide sets are not joined, so that long chains of unions stay linear.
			sets++
			spans = append(spans, b.setOf(k)...)
			out = append(out, k)
		default:
			nullable = nullable || n.nullable
			out = append(out, k)
		}
	}
	if sets > 1 {
		spans = normaliseSpans(spans)
		joined := b.set(spans)
		out = slices.DeleteFunc(out, func(k Regex) bool {
			n := &b.nodes[k]
			return n.kind == kSet && n.y <= wideSpans && k != joined
		})
		out = append(out, joined)
	}
	b.scratchSpans = spans[:0]
	// Where another operand has the empty word already, adding it would make a second expression for one language.
	if epsilon && !nullable {
		out = append(out, Epsilon)
	}
	return b.finish(kUnion, out)
}

// Inter is re.inter.
func (b *constructor) Inter(parts ...Regex) Regex {
	switch len(parts) {
	case 0:
		return All
	case 1:
		return parts[0]
	}
	kids := b.flatten(kInter, parts)
	var set []span
	sets, empty := 0, false
	out := kids[:0]
	for _, k := range kids {
		n := &b.nodes[k]
		switch {
		case k == None:
			return None
		case k == All:
		case k == Epsilon:
			empty = true
		case n.kind == kSet:
			if sets++; sets == 1 {
				set = slices.Clone(b.setOf(k))
			} else {
				set = intersectSpans(nil, set, b.setOf(k))
			}
		default:
			out = append(out, k)
		}
	}
	// An intersection with the empty word contains at most the empty word.
	if empty {
		if sets > 0 || slices.ContainsFunc(out, func(k Regex) bool { return !b.nodes[k].nullable }) {
			return None
		}
		return Epsilon
	}
	if sets > 0 {
		// A complement of a set removes characters from the set.
		out = slices.DeleteFunc(out, func(k Regex) bool {
			n := &b.nodes[k]
			if n.kind != kComplement || b.nodes[n.x].kind != kSet {
				return false
			}
			set = intersectSpans(nil, set, complementSpans(nil, b.setOf(Regex(n.x))))
			return true
		})
		if len(set) == 0 {
			return None
		}
		out = append(out, b.set(set))
	}
	return b.finish(kInter, out)
}

// flatten returns the operands, and those of nested unions (intersections), in
// scratch memory, which the next call reuses.
func (b *constructor) flatten(k kind, parts []Regex) []Regex {
	kids := b.scratchKids[:0]
	for _, p := range parts {
		if n := &b.nodes[p]; n.kind == k && n.y <= wideKids {
			kids = append(kids, b.kidsOf(p)...)
		} else {
			kids = append(kids, p)
		}
	}
	b.scratchKids = kids
	return kids
}

// finish interns a union or intersection of the given operands, which are in
// scratch memory and may hold duplicates.
func (b *constructor) finish(k kind, kids []Regex) Regex {
	slices.Sort(kids)
	kids = slices.Compact(kids)
	unit, zero := None, All
	if k == kInter {
		unit, zero = All, None
	}
	switch len(kids) {
	case 0:
		return unit
	case 1:
		return kids[0]
	}
	n := node{kind: k, plain: k == kUnion, nullable: k == kInter}
	if k == kUnion {
		n.minLen = infinite
	} else {
		n.maxLen = infinite
	}
	for _, kid := range kids {
		o := &b.nodes[kid]
		n.depth = max(n.depth, o.depth+1)
		if o.kind == kComplement && slices.Contains(kids, Regex(o.x)) {
			return zero
		}
		if k == kUnion {
			n.plain = n.plain && o.plain
			n.nullable = n.nullable || o.nullable
			n.minLen, n.maxLen = min(n.minLen, o.minLen), max(n.maxLen, o.maxLen)
		} else {
			n.nullable = n.nullable && o.nullable
			n.minLen, n.maxLen = max(n.minLen, o.minLen), min(n.maxLen, o.maxLen)
		}
	}
	if n.minLen > n.maxLen {
		return None
	}
	return b.many(n, kids)
}

// Complement is re.comp.
func (b *constructor) Complement(x Regex) Regex {
	switch x {
	case None:
		return All
	case All:
		return None
	}
	n := &b.nodes[x]
	if n.kind == kComplement {
		return Regex(n.x)
	}
	c := node{kind: kComplement, nullable: !n.nullable, depth: n.depth + 1, x: uint32(x), maxLen: infinite}
	if n.nullable {
		c.minLen = 1
	}
	return b.pair(c)
}

// Diff is re.diff of two operands.
func (b *constructor) Diff(x, y Regex) Regex { return b.Inter(x, b.Complement(y)) }

// Star is re.*.
func (b *constructor) Star(x Regex) Regex {
	switch x {
	case None, Epsilon:
		return Epsilon
	case AllChar, All:
		return All
	}
	n := &b.nodes[x]
	switch n.kind {
	case kStar:
		return x
	case kLoop:
		if c := b.boundsOf(x); c.lo <= 1 { // (r{0,j})* = (r{1,j})* = r*
			return b.Star(Regex(n.x))
		}
	case kUnion:
		if kids := b.kidsOf(x); kids[0] == Epsilon { // (r | "")* = r*
			return b.Star(b.Union(slices.Clone(kids[1:])...))
		}
	}
	return b.pair(node{kind: kStar, nullable: true, plain: n.plain, depth: n.depth + 1, x: uint32(x), maxLen: infinite})
}

// Plus is re.+.
func (b *constructor) Plus(x Regex) Regex { return b.repeat(x, bounds{1, noUpper}) }

// Opt is re.opt.
func (b *constructor) Opt(x Regex) Regex { return b.Union(Epsilon, x) }

// Power is ((_ re.^ n) x).
func (b *constructor) Power(x Regex, n uint64) Regex { return b.Loop(x, n, n) }

// Loop is ((_ re.loop lo hi) x), the empty language if lo > hi.
func (b *constructor) Loop(x Regex, lo, hi uint64) Regex {
	if lo > hi {
		return None
	}
	if hi == noUpper { // not to be taken for no bound
		b.tooBig = true
	}
	return b.repeat(x, bounds{lo, hi})
}

// AtLeast is z3's ((_ re.loop lo) x): lo or more times.
func (b *constructor) AtLeast(x Regex, lo uint64) Regex { return b.repeat(x, bounds{lo, noUpper}) }

// repeat keeps counted loops symbolic. If x has the empty string, the lower bound
// means nothing: r{i,j} = r{0,j}.
func (b *constructor) repeat(x Regex, c bounds) Regex {
	n := &b.nodes[x]
	if n.nullable {
		c.lo = 0
	}
	switch {
	case c.hi == 0 || x == Epsilon:
		return Epsilon
	case x == None:
		if c.lo == 0 {
			return Epsilon
		}
		return None
	case c.lo == 0 && c.hi == noUpper, n.kind == kStar, x == All:
		return b.Star(x)
	case c == bounds{1, 1}:
		return x
	case c == bounds{0, 1}:
		return b.Opt(x)
	}
	m := node{
		kind: kLoop, nullable: c.lo == 0, plain: n.plain, depth: n.depth + 1, x: uint32(x),
		minLen: mulLength(n.minLen, c.lo), maxLen: infinite,
	}
	if c.hi != noUpper && n.maxLen != infinite {
		m.maxLen = mulLength(n.maxLen, c.hi)
	}
	return b.loop(m, c)
}
