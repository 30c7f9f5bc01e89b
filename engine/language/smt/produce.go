package smt

// Production is one way to apply an operator of the table: the sorts of its arguments and that of its result.
type Production struct {
	Op     Op
	Args   []Sort
	Result Sort
	sig    *Signature
	known  uint32  // numerals that the sorts determine
	nums   []int64 // all up to the last one known
}

// SortSet is a set of sorts of one arena in the order in which they were added.
type SortSet struct {
	List []Sort
	has  map[Sort]bool
}

// Add puts a sort into the set.
func (s *SortSet) Add(x Sort) {
	if !s.has[x] {
		if s.has == nil {
			s.has = map[Sort]bool{}
		}
		s.has[x] = true
		s.List = append(s.List, x)
	}
}

// Has reports whether the sort is in the set.
func (s *SortSet) Has(x Sort) bool { return s.has[x] }

// maxProductions bounds the productions of one signature; only seeds with very many sorts have more.
const maxProductions = 512

// Productions appends every way to apply an operator, with as few arguments as it takes, such that the sorts of its
// arguments and of its result are in the set.
func (a *typer) Productions(dst []Production, op Op, sorts *SortSet) []Production {
	info := &opTable[op]
	for i := range info.sigs {
		p := producer{a: a, op: op, s: &info.sigs[i], sorts: sorts, limit: len(dst) + maxProductions, out: dst}
		p.run()
		dst = p.out
	}
	return dst
}

type producer struct {
	a     *typer
	op    Op
	s     *Signature
	sorts *SortSet
	b     Bindings
	args  []Sort
	limit int
	out   []Production
}

// run matches the result first where its pattern tells the numerals, else the arguments first.
func (p *producer) run() {
	if p.s.Result.fix != 0 {
		if p.sorts.Has(p.s.Result.fix) {
			p.next(p.s.Result.fix)
		}
		return
	}
	if p.s.Result.kind == KindBitVec && !p.s.Result.nums[0].isOneLetter() {
		p.next(0)
		return
	}
	for _, r := range p.sorts.List {
		p.b.reset()
		if p.s.Result.matchSort(&p.a.symbolTable, r, &p.b) && !p.b.unknown {
			p.next(r)
		}
	}
}

// next chooses the sort of the next argument; the result is 0 while it is undetermined.
func (p *producer) next(result Sort) {
	i := len(p.args)
	if len(p.out) >= p.limit {
		return
	}
	if i == len(p.s.Args) {
		p.emit(result)
		return
	}
	saved := p.b
	pat := &p.s.Args[i]
	try := func(x Sort) {
		if pat.matchSort(&p.a.symbolTable, x, &p.b) && !p.b.unknown {
			p.args = append(p.args, x)
			p.next(result)
			p.args = p.args[:i]
		}
		p.b = saved
	}
	if x, known := p.bound(pat); known {
		if p.sorts.Has(x) {
			try(x)
		}
		return
	}
	for _, x := range p.sorts.List {
		if k := p.a.sorts[x].kind; pat.kind == KindInvalid || pat.kind == k {
			try(x)
		}
	}
}

// bound returns the sort of a pattern whose variables are bound, or 0 if the arena has no such sort. known is false
// while variables are unbound.
func (p *producer) bound(pat *Pattern) (s Sort, known bool) {
	switch {
	case pat.fix != 0:
		return pat.fix, true
	case pat.kind == KindInvalid, pat.kind == KindFiniteField:
		if p.b.sortSet&(1<<pat.v) == 0 {
			return 0, false
		}
		return p.b.sorts[pat.v], true
	case pat.kind == KindBitVec:
		w, ok := pat.nums[0].valueUnder(&p.b)
		if !ok {
			return 0, false
		}
		return p.a.knownBV(w), true
	case pat.kind == KindFloat:
		_, ok1 := pat.nums[0].valueUnder(&p.b)
		_, ok2 := pat.nums[1].valueUnder(&p.b)
		if !ok1 || !ok2 {
			return 0, false
		}
	default:
		for i := range pat.sub {
			if _, known := p.bound(&pat.sub[i]); !known {
				return 0, false
			}
		}
	}
	return pat.buildSort(&p.a.symbolTable, &p.b), true
}

// emit adds productions for the arguments chosen.
func (p *producer) emit(result Sort) {
	if result != 0 {
		p.add(result)
		return
	}
	if w, ok := p.s.Result.nums[0].valueUnder(&p.b); ok {
		if r := p.a.knownBV(w); r != 0 && p.sorts.Has(r) {
			p.add(r)
		}
		return
	}
	saved := p.b
	for _, r := range p.sorts.List {
		if w := p.a.Width(r); w > 0 && p.solve(int64(w)) {
			p.add(r)
		}
		p.b = saved
	}
}

// solve binds the only unbound numeral so that the result has width w. With two unbound numerals (extract) it only
// checks that w is possible.
func (p *producer) solve(w int64) bool {
	open, v := 0, byte(0)
	for _, t := range p.s.Result.nums[0].terms {
		for _, x := range t.vars {
			if p.b.numSet&(1<<x) == 0 {
				open, v = open+1, x
			}
		}
	}
	if open != 1 {
		m := int64(0)
		for _, x := range p.args {
			m = max(m, int64(p.a.Width(x)))
		}
		return w <= m
	}
	p.b.numSet |= 1 << v
	p.b.nums[v] = 0
	at0, _ := p.s.Result.nums[0].valueUnder(&p.b)
	p.b.nums[v] = 1
	at1, _ := p.s.Result.nums[0].valueUnder(&p.b)
	if at1 == at0 || (w-at0)%(at1-at0) != 0 || (w-at0)/(at1-at0) < 0 {
		return false
	}
	p.b.nums[v] = (w - at0) / (at1 - at0)
	return holds(p.s.conds, &p.b)
}

// holds reports whether no condition whose numerals are known is false.
func holds(conds []cond, b *Bindings) bool {
	for _, c := range conds {
		lo, ok1 := c.lo.valueUnder(b)
		hi, ok2 := c.hi.valueUnder(b)
		if ok1 && ok2 && lo > hi {
			return false
		}
	}
	return true
}

func (p *producer) add(result Sort) {
	n := 0
	for v := range p.b.nums {
		if p.b.numSet&(1<<v) != 0 {
			n = v + 1
		}
	}
	p.out = append(p.out, Production{
		Op: p.op, Args: append([]Sort(nil), p.args...), Result: result, sig: p.s,
		known: p.b.numSet, nums: append([]int64(nil), p.b.nums[:n]...),
	})
}

// smallIndex bounds indices that no width bounds, such as that of re.^.
const smallIndex = 4

// Draw returns the indices for a production of the arena: those that the sorts determine, and others at random, where
// draw(n) returns a number from 0 to n-1. ok is false when none that fits was drawn.
func (p *Production) Draw(a *Arena, draw func(n int) int) (idx []Index, ok bool) {
	if len(p.sig.Indices) == 0 {
		return nil, true
	}
	b := &a.bindings
	width := int64(0)
	for _, s := range p.Args {
		width = max(width, int64(a.Width(s)))
	}
	const tries = 8
	for try := range tries {
		b.reset()
		b.numSet = p.known
		copy(b.nums[:], p.nums)
		for k, letter := range p.sig.Indices {
			v := letter - 'a'
			if b.numSet&(1<<v) != 0 {
				continue
			}
			bound := int64(smallIndex) + 1
			if width > 0 {
				bound = width
			}
			n := int64(draw(int(bound)))
			if try == tries-1 {
				n = 1 // fits every operator but bit2bool on one bit
			}
			b.nums[v], b.numSet = n, b.numSet|1<<v
			if k == 0 && len(p.sig.Indices) == 2 && p.sig.Result.kind == KindBitVec { // extract: the high bit follows from the low one
				low := p.sig.Indices[1] - 'a'
				r := int64(a.Width(p.Result))
				b.nums[low] = int64(draw(int(width - r + 1)))
				b.nums[v], b.numSet = b.nums[low]+r-1, b.numSet|1<<low
			}
		}
		if len(p.sig.Indices) == 2 && p.sig.Result.kind == KindRegLan { // a loop from many to few is the empty language
			i, j := p.sig.Indices[0]-'a', p.sig.Indices[1]-'a'
			b.nums[i], b.nums[j] = min(b.nums[i], b.nums[j]), max(b.nums[i], b.nums[j])
		}
		if !holds(p.sig.conds, b) {
			continue
		}
		for _, letter := range p.sig.Indices {
			idx = append(idx, a.NumIndex(uint64(b.nums[letter-'a'])))
		}
		return idx, true
	}
	return nil, false
}
