package smt

import (
	"slices"
	"unsafe"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// node is 16 bytes without pointers, so the garbage collector never looks into an arena's terms. Its indices
// and then its arguments lie in Arena.slab from off on.
type node struct {
	op   Op
	nidx uint16
	sort Sort
	off  uint32
	n    uint32
}

// termTable holds terms, each once (hash-consing).
type termTable struct {
	nodes []node
	slab  []uint32
	table []uint64 // open addressing, linear probing: upper half hash, lower half term; of any size
	epoch uint64
}

func mixHash(h uint64, x uint32) uint64 {
	h ^= uint64(x)
	h *= 0x9E3779B97F4A7C15
	return h ^ h>>29
}

func finishHash(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xD6E8FEB86659FD93
	return h ^ h>>32
}

// Epoch counts the Releases of the arena: a holder of a term made after a mark can tell that it is gone.
func (a *termTable) Epoch() uint64 { return a.epoch }

// Len is one more than the greatest term made so far; all terms are below it.
func (a *termTable) Len() int { return len(a.nodes) }

// Valid reports whether t is a term of this arena now.
func (a *termTable) Valid(t Term) bool { return t != 0 && int(t) < len(a.nodes) }

func (a *termTable) hashNode(n *node) uint64 {
	h := uint64(n.op) | uint64(n.nidx)<<16 | uint64(n.n)<<32
	if n.op.isQualified() {
		h = mixHash(h, uint32(n.sort))
	}
	for _, x := range a.slab[n.off : n.off+uint32(n.nidx)+n.n] {
		h = mixHash(h, x)
	}
	return finishHash(h)
}

// lookUpNode finds an existing node; sort matters only for qualified operators. It returns the hash for insertion.
func (a *termTable) lookUpNode(op Op, sort Sort, idx []Index, args []Term) (Term, uint64) {
	h := uint64(op) | uint64(len(idx))<<16 | uint64(len(args))<<32
	qualified := op.isQualified()
	if qualified {
		h = mixHash(h, uint32(sort))
	}
	for _, x := range idx {
		h = mixHash(h, uint32(x))
	}
	for _, x := range args {
		h = mixHash(h, uint32(x))
	}
	h = finishHash(h)
probe:
	for i := a.firstSlot(h); a.table[i] != 0; i = a.nextSlot(i) {
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

func (a *termTable) insertNode(h uint64, op Op, sort Sort, idx []Index, args []Term) Term {
	if len(a.nodes)*4 > len(a.table)*3 {
		a.resizeTable(2 * len(a.table))
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
	a.placeInTable(h, id)
	return Term(id)
}

// firstSlot returns the slot of the table at which the search for a term with some hash begins: the lower half of the
// hash as a fraction of the table's size (Lemire, "Fast Random Integer Generation in an Interval", TOMACS 2019), which
// need not be a power of two, so that a long text gets a table of the size that it needs.
func (a *termTable) firstSlot(h uint64) int {
	return int(uint64(uint32(h)) * uint64(len(a.table)) >> 32)
}

// nextSlot returns the slot at which the search goes on after a slot.
func (a *termTable) nextSlot(i int) int {
	if i++; i == len(a.table) {
		return 0
	}
	return i
}

func (a *termTable) placeInTable(h uint64, id uint32) {
	i := a.firstSlot(h)
	for a.table[i] != 0 {
		i = a.nextSlot(i)
	}
	a.table[i] = h&^0xFFFFFFFF | uint64(id)
}

// Reserve makes room for times as many terms as were made since the mark. Tables that grow step by step are copied
// repeatedly and leave garbage behind; the reader of a long text can estimate the number of all terms from its
// beginning.
func (a *termTable) Reserve(m Mark, times float64) {
	nodes, words := m.nodes+int(times*float64(len(a.nodes)-m.nodes)), m.slab+int(times*float64(len(a.slab)-m.slab))
	a.nodes = slices.Grow(a.nodes, max(0, nodes-len(a.nodes)))
	a.slab = slices.Grow(a.slab, max(0, words-len(a.slab)))
	if size := nodes + nodes/3; size > len(a.table) {
		a.resizeTable(size)
	}
}

// resizeTable rebuilds the table with another size.
func (a *termTable) resizeTable(size int) {
	a.table = make([]uint64, size)
	if size >= largeTable {
		system.PreferLargePages(unsafe.Pointer(unsafe.SliceData(a.table)), uintptr(size)*unsafe.Sizeof(a.table[0]))
	}
	for id := 1; id < len(a.nodes); id++ { // in id order: see Release
		a.placeInTable(a.hashNode(&a.nodes[id]), uint32(id))
	}
}

// largeTable is the size from which large pages pay off for a table, because it is read at random places: 8 MB.
const largeTable = 1 << 20

// internNode returns the node, made if it is new. The caller vouches for the sort.
func (a *termTable) internNode(op Op, sort Sort, idx []Index, args []Term) Term {
	t, h := a.lookUpNode(op, sort, idx, args)
	if t == 0 {
		t = a.insertNode(h, op, sort, idx, args)
	}
	return t
}

// Op returns the head of the term.
func (a *termTable) Op(t Term) Op { return a.nodes[t].op }

// Sort returns the sort of the term.
func (a *termTable) Sort(t Term) Sort { return a.nodes[t].sort }

// NumArgs returns the number of arguments of the term.
func (a *termTable) NumArgs(t Term) int { return int(a.nodes[t].n) }

// Arg returns argument i, counted from 0.
func (a *termTable) Arg(t Term, i int) Term {
	n := &a.nodes[t]
	return Term(a.slab[n.off+uint32(n.nidx)+uint32(i)])
}

// Args returns the arguments. The slice is the arena's own: it must not be modified and is valid until the next
// term is made.
func (a *termTable) Args(t Term) []Term {
	n := &a.nodes[t]
	from := n.off + uint32(n.nidx)
	return asTerms(a.slab[from : from+n.n : from+n.n])
}

// Look returns the head and the arguments in one step, in a slice like that of Args.
func (a *termTable) Look(t Term) (Op, []Term) {
	n := &a.nodes[t]
	from := n.off + uint32(n.nidx)
	return n.op, asTerms(a.slab[from : from+n.n : from+n.n])
}

// Indices returns the indices of the head, under the rule of Args.
func (a *termTable) Indices(t Term) []Index {
	n := &a.nodes[t]
	return asIndices(a.slab[n.off : n.off+uint32(n.nidx) : n.off+uint32(n.nidx)])
}

// CopyArgs returns the arguments in a slice of their own.
func (a *termTable) CopyArgs(t Term) []Term { return slices.Clone(a.Args(t)) }

// Known applies an operator of the table, not a qualified one, where the caller knows that the arguments fit and that
// the result has the sort: a term of a checked template, or one whose arguments were replaced by others of their sorts.
func (a *termTable) Known(op Op, sort Sort, idx []Index, args []Term) Term {
	return a.internNode(op, sort, idx, args)
}

// With returns t with other arguments of the same sorts. Variables of binders must stay.
func (a *termTable) With(t Term, args []Term) Term {
	n := &a.nodes[t]
	return a.internNode(n.op, n.sort, asIndices(a.slab[n.off:n.off+uint32(n.nidx)]), args)
}

func (a *termTable) releaseTerms(m Mark) {
	// Linear probing with insertion in id order means that the newest entry is never inside another's probe
	// sequence, so emptying slots from the newest on restores the table exactly.
	for id := len(a.nodes) - 1; id >= m.nodes; id-- {
		n := &a.nodes[id]
		h := a.hashNode(n)
		for i := a.firstSlot(h); ; i = a.nextSlot(i) {
			if uint32(a.table[i]) == uint32(id) {
				a.table[i] = 0
				break
			}
		}
	}
	a.nodes = a.nodes[:m.nodes]
	a.slab = a.slab[:m.slab]
	a.epoch++
}
