package smt

import "math/big"

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

// indexPool holds the indices that are not small numerals, and the values of literals.
type indexPool struct {
	pool    []poolEntry
	poolIDs map[string]uint32
	scratch []byte // for keys
}

func (a *indexPool) poolAdd(key []byte, make func() poolEntry) Index {
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
func (a *indexPool) NumIndex(n uint64) Index {
	if n < uint64(pooled) {
		return Index(n)
	}
	return a.BigIndex(new(big.Int).SetUint64(n))
}

// BigIndex returns the index for a numeral of any size that is not negative.
func (a *indexPool) BigIndex(n *big.Int) Index {
	if n.IsUint64() && n.Uint64() < uint64(pooled) {
		return Index(n.Uint64())
	}
	a.scratch = append(append(a.scratch[:0], 'n'), n.Bytes()...)
	return a.poolAdd(a.scratch, func() poolEntry { return poolEntry{num: new(big.Int).Set(n)} })
}

// NameIndex returns the index for a symbol, such as the x of (_ foo x).
func (a *indexPool) NameIndex(s string) Index {
	a.scratch = append(append(a.scratch[:0], 's'), s...)
	return a.poolAdd(a.scratch, func() poolEntry { return poolEntry{str: s} })
}

// IndexNum returns the numeral of an index; ok is false if it is a name.
func (a *indexPool) IndexNum(i Index) (n *big.Int, ok bool) {
	if i&pooled == 0 {
		return big.NewInt(int64(i)), true
	}
	e := &a.pool[i&^pooled]
	return e.num, e.num != nil
}

// IndexUint returns the numeral of an index if it is one that fits.
func (a *indexPool) IndexUint(i Index) (n uint64, ok bool) {
	if i&pooled == 0 {
		return uint64(i), true
	}
	if e := &a.pool[i&^pooled]; e.num != nil && e.num.IsUint64() {
		return e.num.Uint64(), true
	}
	return 0, false
}

// IndexName returns the name of an index; ok is false if it is a numeral.
func (a *indexPool) IndexName(i Index) (s string, ok bool) {
	if i&pooled == 0 || a.pool[i&^pooled].num != nil {
		return "", false
	}
	return a.pool[i&^pooled].str, true
}

func (a *indexPool) indexText(i Index) string {
	if s, ok := a.IndexName(i); ok {
		return s
	}
	n, _ := a.IndexNum(i)
	return n.String()
}

// poolCopy adds an entry of another arena's pool. The data that it points to never change, so arenas share them.
func (a *indexPool) poolCopy(e *poolEntry) Index {
	if id, ok := a.poolIDs[e.key]; ok {
		return Index(id) | pooled
	}
	id := uint32(len(a.pool))
	a.pool = append(a.pool, *e)
	a.poolIDs[e.key] = id
	return Index(id) | pooled
}

func (a *indexPool) releaseIndices(m Mark) {
	for _, e := range a.pool[m.pool:] {
		delete(a.poolIDs, e.key)
	}
	clear(a.pool[m.pool:])
	a.pool = a.pool[:m.pool]
}
