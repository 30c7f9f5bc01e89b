package smt

import "fmt"

// Copier copies sorts and terms from one arena to another. Its hooks map declared sorts and symbols; everything else
// stays the same. It only reads the arena that it copies from, without that arena's scratch memory.
type Copier struct {
	From, To *Arena
	// SortSymbol and Symbol map a declared sort or a symbol of From to one of the same rank in To. They are called once
	// for each sort or symbol that is not bound, and may use the copier. If they are nil, all must be bound.
	SortSymbol func(SortSymbol) (SortSymbol, error)
	Symbol     func(Symbol) (Symbol, error)

	sorts    memo[Sort]
	sortSyms memo[SortSymbol]
	syms     memo[Symbol]
	pool     memo[Index] // entries of the pool of From, by number
	terms    memo[Term]

	args  []Term
	idx   []Index
	stack []copyFrame
}

// memo maps numbers of one arena to those of another: a list where most of them are copied, a map where few are.
type memo[K ~uint32] struct {
	list []K
	few  map[K]K
}

func (m *memo[K]) reset(n int, dense bool) {
	m.few = nil
	if !dense {
		m.list, m.few = m.list[:0], map[K]K{}
		return
	}
	if cap(m.list) < n {
		m.list = make([]K, n+n/4)
	}
	m.list = m.list[:n]
	clear(m.list)
}

func (m *memo[K]) get(k K) K {
	if int(k) < len(m.list) {
		return m.list[k]
	}
	return m.few[k]
}

func (m *memo[K]) set(k, v K) {
	if m.few != nil {
		m.few[k] = v
		return
	}
	for int(k) >= len(m.list) {
		m.list = append(m.list, 0)
	}
	m.list[k] = v
}

// denseTerms is the number of terms up to which a list of all of them costs less than a map of some.
const denseTerms = 1 << 10

// NewCopier returns a copier. If whole is set, most terms of from will be copied.
func NewCopier(from, to *Arena, whole bool) *Copier {
	c := &Copier{}
	c.Reset(from, to, whole)
	return c
}

// Reset prepares the copier for these arenas, as NewCopier does, but reuses its memory.
func (c *Copier) Reset(from, to *Arena, whole bool) {
	c.From, c.To, c.SortSymbol, c.Symbol = from, to, nil, nil
	dense := whole || from.Len() <= denseTerms
	c.sorts.reset(len(from.sorts), dense)
	c.sortSyms.reset(len(from.sortSyms), dense)
	c.syms.reset(len(from.symbols), dense)
	c.pool.reset(len(from.pool), dense)
	c.terms.reset(len(from.nodes), dense)
}

// BindSortSymbol sets the copy of a declared sort.
func (c *Copier) BindSortSymbol(s, to SortSymbol) { c.sortSyms.set(s, to) }

// BindSymbol sets the copy of a symbol.
func (c *Copier) BindSymbol(f, to Symbol) { c.syms.set(f, to) }

// BindTerm sets the copy of a term; sorts must agree.
func (c *Copier) BindTerm(t, to Term) { c.terms.set(t, to) }

// SortSymbolNow returns the copy of a declared sort; 0 if the sort was neither bound nor copied.
func (c *Copier) SortSymbolNow(s SortSymbol) SortSymbol { return c.sortSyms.get(s) }

// SymbolNow returns the copy of a symbol; 0 if the symbol was neither bound nor copied.
func (c *Copier) SymbolNow(f Symbol) Symbol { return c.syms.get(f) }

// TermNow returns the copy of a term; 0 if it was not copied.
func (c *Copier) TermNow(t Term) Term { return c.terms.get(t) }

// SortsNow calls f with the sorts that were copied and their copies, in no order.
func (c *Copier) SortsNow(f func(s, to Sort)) {
	for s, to := range c.sorts.list {
		if to != 0 {
			f(Sort(s), to)
		}
	}
	for s, to := range c.sorts.few {
		f(s, to)
	}
}

// Sort copies a sort.
func (c *Copier) Sort(s Sort) (Sort, error) {
	if s <= SortUnknown {
		return s, nil
	}
	if r := c.sorts.get(s); r != 0 {
		return r, nil
	}
	n := c.From.sorts[s]
	args := make([]Sort, len(n.args))
	for i, x := range n.args {
		var err error
		if args[i], err = c.Sort(x); err != nil {
			return 0, err
		}
	}
	n.args, n.params = args, false // newSort finds out
	if n.sym != 0 {
		sym, err := c.sortSymbol(n.sym)
		if err != nil {
			return 0, err
		}
		r, err := c.To.SortApp(sym, args...)
		if err == nil {
			c.sorts.set(s, r)
		}
		return r, err
	}
	r := Sort(0)
	if n.kind == KindBitVec {
		r = c.To.BitVec(int(n.i)) // which keeps an index of its own
	} else {
		n.params = n.kind == KindParam
		r = c.To.newSort(n)
	}
	c.sorts.set(s, r)
	return r, nil
}

// Sorts copies several sorts; nil for none.
func (c *Copier) Sorts(list []Sort) ([]Sort, error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := make([]Sort, len(list))
	for i, s := range list {
		var err error
		if out[i], err = c.Sort(s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *Copier) sortSymbol(s SortSymbol) (SortSymbol, error) {
	if r := c.sortSyms.get(s); r != 0 {
		return r, nil
	}
	if c.SortSymbol == nil {
		return 0, fmt.Errorf("the sort %s is not declared", QuoteSymbol(c.From.sortSyms[s].name))
	}
	r, err := c.SortSymbol(s)
	if err == nil {
		c.sortSyms.set(s, r)
	}
	return r, err
}

func (c *Copier) symbolImage(f Symbol) (Symbol, error) {
	if r := c.syms.get(f); r != 0 {
		return r, nil
	}
	if c.Symbol == nil {
		return 0, fmt.Errorf("%s is not declared", c.From.SymbolName(f))
	}
	r, err := c.Symbol(f)
	if err == nil {
		c.syms.set(f, r)
	}
	return r, err
}

type copyFrame struct {
	t       Term
	next, n uint32
}

// Term copies a term and the terms below it.
func (c *Copier) Term(root Term) (Term, error) {
	if t := c.terms.get(root); t != 0 {
		return t, nil
	}
	a := c.From
	base := len(c.stack) // a hook may have called
	defer func() { c.stack = c.stack[:base] }()
	c.stack = append(c.stack, copyFrame{t: root, n: a.nodes[root].n})
	for len(c.stack) > base {
		f := &c.stack[len(c.stack)-1]
		if f.next < f.n {
			n := &a.nodes[f.t]
			x := Term(a.slab[n.off+uint32(n.nidx)+f.next])
			f.next++
			if c.terms.get(x) == 0 {
				if k := a.nodes[x].n; k > 0 {
					c.stack = append(c.stack, copyFrame{t: x, n: k})
				} else if err := c.copyNode(x); err != nil {
					return 0, err
				}
			}
			continue
		}
		t := f.t
		c.stack = c.stack[:len(c.stack)-1]
		if c.terms.get(t) != 0 {
			continue
		}
		if err := c.copyNode(t); err != nil {
			return 0, err
		}
	}
	return c.terms.get(root), nil
}

// copyNode copies a term whose arguments are copied.
func (c *Copier) copyNode(t Term) error {
	r, err := c.nodeImage(t)
	if err == nil {
		c.terms.set(t, r)
	}
	return err
}

// nodeImage makes the image of a term. It maps sort and symbol first, because their hooks may use the copier and
// overwrite its scratch memory.
func (c *Copier) nodeImage(t Term) (Term, error) {
	a, to := c.From, c.To
	n := a.nodes[t]
	sort, err := c.Sort(n.sort)
	if err != nil {
		return 0, err
	}
	f := Symbol(0)
	if s := a.SymbolOf(t); s != 0 {
		if f, err = c.symbolImage(s); err != nil {
			return 0, err
		}
	}
	args, idx := c.args[:0], c.idx[:0]
	slab := a.slab[n.off : n.off+uint32(n.nidx)+n.n]
	for _, x := range slab[n.nidx:] {
		args = append(args, c.terms.get(Term(x)))
	}
	c.args = args
	if f != 0 {
		return c.applySymbolic(n.op, f, sort, args)
	}
	for _, i := range slab[:n.nidx] {
		idx = append(idx, c.indexImage(Index(i)))
	}
	c.idx = idx
	// Renaming all sorts keeps a term well-sorted.
	return to.internNode(n.op, sort, idx, args), nil
}

// applySymbolic applies a symbol that a hook returned and checks its rank.
func (c *Copier) applySymbolic(op Op, f Symbol, sort Sort, args []Term) (t Term, err error) {
	to := c.To
	switch op {
	case OpIs:
		t, err = to.Is(f, args[0])
	case OpUpdate:
		t, err = to.Update(f, args[0], args[1])
	case OpMapArrays:
		t, err = to.MapArrays(f, args...)
	case OpFunction:
		t, err = to.Function(f, sort)
	case OpCase:
		t, err = to.Case(f, args[:len(args)-1], args[len(args)-1])
	default:
		if to.symbols[f].Kind == SymConstructor {
			t, err = to.ApplyAs(f, sort, args...)
		} else {
			t, err = to.Apply(f, args...)
		}
	}
	if err == nil && to.Sort(t) != sort {
		err = &SortError{Op: to.symbols[f].Name, Want: "has sort " + to.SortString(sort), Got: to.SortString(to.Sort(t))}
	}
	return t, err
}

// indexImage copies an index. It looks up pool entries by their keys.
func (c *Copier) indexImage(i Index) Index {
	if i&pooled == 0 {
		return i
	}
	k := i &^ pooled
	if r := c.pool.get(k); r != 0 {
		return r
	}
	e := &c.From.pool[k]
	r := c.To.poolCopy(e)
	c.pool.set(k, r)
	return r
}
