package smt

import (
	"math/big"
	"slices"
)

// Term names a term of one Arena; 0 is no term.
type Term uint32

// node is 16 bytes without pointers, so the garbage collector never looks into an arena's terms. Its indices
// and then its arguments lie in Arena.slab from off on.
type node struct {
	op   Op
	nidx uint16
	sort Sort
	off  uint32
	n    uint32
}

// Arena owns sorts, symbols and terms. The zero value is not usable: call NewArena.
type Arena struct {
	nodes []node
	slab  []uint32
	table []uint64 // open addressing, linear probing: upper half hash, lower half term

	sorts    []sortNode
	sortIDs  map[string]Sort
	bvSorts  []Sort // by width, for the most frequent sort constructor
	sortSyms []sortSymbol

	symbols   []SymbolInfo
	symbolIDs map[string]Symbol

	pool    []poolEntry
	poolIDs map[string]uint32
	dtKeys  map[string][]SortSymbol
	dtOrder []string

	key      []byte // scratch for map keys
	bindings Bindings
	stampers []*Stamps
	epoch    uint64

	trueTerm, falseTerm Term
}

// NewArena returns an arena that holds the parameterless standard sorts and the two truth values.
func NewArena() *Arena {
	a := &Arena{
		nodes:     make([]node, 1, 256),
		slab:      make([]uint32, 0, 1024),
		table:     make([]uint64, 512),
		sortIDs:   make(map[string]Sort),
		symbolIDs: make(map[string]Symbol),
		poolIDs:   make(map[string]uint32),
		dtKeys:    make(map[string][]SortSymbol),
		symbols:   make([]SymbolInfo, 1),
		sortSyms:  make([]sortSymbol, 1),
	}
	a.initSorts()
	a.trueTerm = a.intern(OpTrue, SortBool, nil, nil)
	a.falseTerm = a.intern(OpFalse, SortBool, nil, nil)
	return a
}

// Mark is a state of an arena to which Release goes back.
type Mark struct {
	nodes, slab, sorts, sortSyms, symbols, pool, dts int
}

// Mark remembers how far the arena is filled now.
func (a *Arena) Mark() Mark {
	return Mark{len(a.nodes), len(a.slab), len(a.sorts), len(a.sortSyms), len(a.symbols), len(a.pool), len(a.dtOrder)}
}

// Release drops every term, sort and symbol made after the mark, in time linear in their number. What was made
// before stays valid. Marks are released last in, first out.
func (a *Arena) Release(m Mark) {
	// Linear probing with insertion in id order means that the newest entry is never inside another's probe
	// sequence, so emptying slots from the newest on restores the table exactly.
	mask := uint64(len(a.table) - 1)
	for id := len(a.nodes) - 1; id >= m.nodes; id-- {
		n := &a.nodes[id]
		h := a.hashNode(n)
		for i := h & mask; ; i = (i + 1) & mask {
			if uint32(a.table[i]) == uint32(id) {
				a.table[i] = 0
				break
			}
		}
	}
	a.nodes = a.nodes[:m.nodes]
	a.slab = a.slab[:m.slab]
	a.releaseSorts(m)
	for i := m.symbols; i < len(a.symbols); i++ {
		if k := a.symbols[i].key; k != "" {
			delete(a.symbolIDs, k)
		}
	}
	clear(a.symbols[m.symbols:])
	a.symbols = a.symbols[:m.symbols]
	for _, e := range a.pool[m.pool:] {
		delete(a.poolIDs, e.key)
	}
	clear(a.pool[m.pool:])
	a.pool = a.pool[:m.pool]
	a.epoch++
}

// Epoch counts the Releases of the arena: a holder of a term made after a mark can tell that it is gone.
func (a *Arena) Epoch() uint64 { return a.epoch }

// Len is one more than the greatest term made so far; all terms are below it.
func (a *Arena) Len() int { return len(a.nodes) }

// Valid reports whether t is a term of this arena now.
func (a *Arena) Valid(t Term) bool { return t != 0 && int(t) < len(a.nodes) }

func mix(h uint64, x uint32) uint64 {
	h ^= uint64(x)
	h *= 0x9E3779B97F4A7C15
	return h ^ h>>29
}

func finish(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xD6E8FEB86659FD93
	return h ^ h>>32
}

func (a *Arena) hashNode(n *node) uint64 {
	h := uint64(n.op) | uint64(n.nidx)<<16 | uint64(n.n)<<32
	if n.op.qualified() {
		h = mix(h, uint32(n.sort))
	}
	for _, x := range a.slab[n.off : n.off+uint32(n.nidx)+n.n] {
		h = mix(h, x)
	}
	return finish(h)
}

// lookup finds an existing node; sort matters only for qualified operators. It returns the hash for insertion.
func (a *Arena) lookup(op Op, sort Sort, idx []Index, args []Term) (Term, uint64) {
	h := uint64(op) | uint64(len(idx))<<16 | uint64(len(args))<<32
	qualified := op.qualified()
	if qualified {
		h = mix(h, uint32(sort))
	}
	for _, x := range idx {
		h = mix(h, uint32(x))
	}
	for _, x := range args {
		h = mix(h, uint32(x))
	}
	h = finish(h)
	mask := uint64(len(a.table) - 1)
probe:
	for i := h & mask; a.table[i] != 0; i = (i + 1) & mask {
		e := a.table[i]
		if uint32(e>>32) != uint32(h>>32) {
			continue
		}
		n := &a.nodes[uint32(e)]
		if n.op != op || int(n.n) != len(args) || int(n.nidx) != len(idx) || qualified && n.sort != sort {
			continue
		}
		s := a.slab[n.off:]
		for j, x := range idx {
			if s[j] != uint32(x) {
				continue probe
			}
		}
		s = s[len(idx):]
		for j, x := range args {
			if s[j] != uint32(x) {
				continue probe
			}
		}
		return Term(uint32(e)), h
	}
	return 0, h
}

func (a *Arena) insert(h uint64, op Op, sort Sort, idx []Index, args []Term) Term {
	if len(a.nodes)*4 > len(a.table)*3 {
		a.grow()
	}
	off := len(a.slab)
	for _, x := range idx {
		a.slab = append(a.slab, uint32(x))
	}
	for _, x := range args {
		a.slab = append(a.slab, uint32(x))
	}
	id := uint32(len(a.nodes))
	a.nodes = append(a.nodes, node{op: op, nidx: uint16(len(idx)), sort: sort, off: uint32(off), n: uint32(len(args))})
	a.put(h, id)
	return Term(id)
}

func (a *Arena) put(h uint64, id uint32) {
	mask := uint64(len(a.table) - 1)
	i := h & mask
	for a.table[i] != 0 {
		i = (i + 1) & mask
	}
	a.table[i] = h&^0xFFFFFFFF | uint64(id)
}

func (a *Arena) grow() {
	a.table = make([]uint64, 2*len(a.table))
	for id := 1; id < len(a.nodes); id++ { // in id order: see Release
		a.put(a.hashNode(&a.nodes[id]), uint32(id))
	}
}

// intern returns the node, made if it is new. The caller vouches for the sort.
func (a *Arena) intern(op Op, sort Sort, idx []Index, args []Term) Term {
	t, h := a.lookup(op, sort, idx, args)
	if t == 0 {
		t = a.insert(h, op, sort, idx, args)
	}
	return t
}

// Op returns the head of the term.
func (a *Arena) Op(t Term) Op { return a.nodes[t].op }

// Sort returns the sort of the term.
func (a *Arena) Sort(t Term) Sort { return a.nodes[t].sort }

// NumArgs returns the number of arguments of the term.
func (a *Arena) NumArgs(t Term) int { return int(a.nodes[t].n) }

// Arg returns argument i, counted from 0.
func (a *Arena) Arg(t Term, i int) Term {
	n := &a.nodes[t]
	return Term(a.slab[n.off+uint32(n.nidx)+uint32(i)])
}

// Args returns the arguments. The slice is the arena's own: it must not be modified and is valid until the next
// term is made.
func (a *Arena) Args(t Term) []Term {
	n := &a.nodes[t]
	from := n.off + uint32(n.nidx)
	return asTerms(a.slab[from : from+n.n : from+n.n])
}

// Look returns the head and the arguments in one step, under the rule of Args.
func (a *Arena) Look(t Term) (Op, []Term) {
	n := &a.nodes[t]
	from := n.off + uint32(n.nidx)
	return n.op, asTerms(a.slab[from : from+n.n : from+n.n])
}

// Indices returns the indices of the head, under the rule of Args.
func (a *Arena) Indices(t Term) []Index {
	n := &a.nodes[t]
	return asIndices(a.slab[n.off : n.off+uint32(n.nidx) : n.off+uint32(n.nidx)])
}

// CopyArgs returns the arguments in a slice of their own.
func (a *Arena) CopyArgs(t Term) []Term { return slices.Clone(a.Args(t)) }

// Index is an index of an indexed identifier: a numeral, a symbol or the name of a user symbol, as the head
// defines it. Numerals below 2^31 are their own Index; anything else lies in the arena's pool.
type Index uint32

const pooled Index = 1 << 31

type poolEntry struct {
	key  string // kind byte and canonical text
	num  *big.Int
	rat  *big.Rat
	str  string
	text []rune
}

func (a *Arena) poolAdd(key []byte, make func() poolEntry) Index {
	if id, ok := a.poolIDs[string(key)]; ok {
		return Index(id) | pooled
	}
	e := make()
	e.key = string(key)
	id := uint32(len(a.pool))
	a.pool = append(a.pool, e)
	a.poolIDs[e.key] = id
	return Index(id) | pooled
}

// NumIndex returns the index for a numeral that is not negative.
func (a *Arena) NumIndex(n uint64) Index {
	if n < uint64(pooled) {
		return Index(n)
	}
	return a.BigIndex(new(big.Int).SetUint64(n))
}

// BigIndex returns the index for a numeral of any size that is not negative.
func (a *Arena) BigIndex(n *big.Int) Index {
	if n.IsUint64() && n.Uint64() < uint64(pooled) {
		return Index(n.Uint64())
	}
	a.key = append(append(a.key[:0], 'n'), n.Bytes()...)
	return a.poolAdd(a.key, func() poolEntry { return poolEntry{num: new(big.Int).Set(n)} })
}

// NameIndex returns the index for a symbol, such as the x of (_ foo x).
func (a *Arena) NameIndex(s string) Index {
	a.key = append(append(a.key[:0], 's'), s...)
	return a.poolAdd(a.key, func() poolEntry { return poolEntry{str: s} })
}

// IndexNum returns the numeral of an index; ok is false if it is a name.
func (a *Arena) IndexNum(i Index) (n *big.Int, ok bool) {
	if i&pooled == 0 {
		return big.NewInt(int64(i)), true
	}
	e := &a.pool[i&^pooled]
	return e.num, e.num != nil
}

// IndexUint returns the numeral of an index if it is one that fits.
func (a *Arena) IndexUint(i Index) (n uint64, ok bool) {
	if i&pooled == 0 {
		return uint64(i), true
	}
	if e := &a.pool[i&^pooled]; e.num != nil && e.num.IsUint64() {
		return e.num.Uint64(), true
	}
	return 0, false
}

// IndexName returns the name of an index; ok is false if it is a numeral.
func (a *Arena) IndexName(i Index) (s string, ok bool) {
	if i&pooled == 0 || a.pool[i&^pooled].num != nil {
		return "", false
	}
	return a.pool[i&^pooled].str, true
}
