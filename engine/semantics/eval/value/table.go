package value

import (
	"slices"
	"sync/atomic"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Mapping is a total function that differs from its default at finitely many places: an array, a set (to Bool) or a
// bag (to Int). Entries never hold the default.
type Mapping struct {
	dom     *Domain // of the index sort
	def     Value
	entries Map
	opaque  bool // the default or an entry cannot always be compared

	content    atomic.Uint64           // the hash once it is known, else 0
	normalised atomic.Pointer[Mapping] // see normal
}

// NewTable returns the table over the domain that is def everywhere.
func NewTable(dom *Domain, def Value) *Mapping {
	return &Mapping{dom: dom, def: def, opaque: !def.Comparable()}
}

// OfTable returns the array, set or bag that a table is.
func OfTable(sort smt.Sort, t *Mapping) Value { return Value{sort: sort, kind: KindTable, ref: t} }

// Get returns the value at a key that can be compared with all others.
func (t *Mapping) Get(key Value) Value {
	if v, ok := t.entries.Get(key); ok {
		return v
	}
	return t.def
}

// LookUp returns the element at a key. It is unknown where the equality of the key with those of the table is.
func (t *Mapping) LookUp(key Value) Value {
	if t.entries.n == 0 {
		return t.def
	}
	if key.Opaque() {
		return NoValue("select", "the index is an array given by a term")
	}
	if t.dom.size.kind == sizeUnknown || key.kind == KindRegex {
		return t.lookUpSlowly(key)
	}
	return t.Get(key)
}

// lookUpSlowly looks a key up whose equality with others may not be known.
func (t *Mapping) lookUpSlowly(key Value) Value {
	v := t.def
	bad := false
	t.entries.Each(func(k, x Value) bool {
		switch Equal(k, key) {
		case True:
			v, bad = x, false
			return false
		case Unknown:
			bad = true
		}
		return true
	})
	if bad {
		return NoValue("select", "indices that cannot be compared")
	}
	return v
}

// Domain returns the domain of the index sort.
func (t *Mapping) Domain() *Domain { return t.dom }

// Default returns the value at all places without an entry.
func (t *Mapping) Default() Value { return t.def }

// Entries returns the places that have another value than the default, and those values.
func (t *Mapping) Entries() Map { return t.entries }

// Put returns the table with one place changed. A value that may or may not be the default is kept as an entry.
func (t *Mapping) Put(key, val Value) *Mapping {
	next := &Mapping{dom: t.dom, def: t.def, opaque: t.opaque || !val.Comparable()}
	if Equal(val, t.def) == True {
		next.entries = t.entries.remove(key)
	} else {
		next.entries = t.entries.Set(key, val)
	}
	return next
}

// Sorted returns the entries in the order of Compare.
func (t *Mapping) Sorted() []Entry {
	out := make([]Entry, 0, t.entries.n)
	t.entries.Each(func(k, v Value) bool {
		out = append(out, Entry{k, v})
		return true
	})
	slices.SortFunc(out, func(x, y Entry) int { return Compare(x.Key, y.Key) })
	return out
}

// Entry is a place of an array, set or bag where it differs from its default.
type Entry struct{ Key, Value Value }

// Table returns the default of an array, set or bag and the entries that differ from it, in the order of Compare; ok
// is false if v is none, or an array given by a term.
func (v Value) Table() (def Value, entries []Entry, ok bool) {
	if v.kind != KindTable {
		return Value{}, nil, false
	}
	return v.AsTable().def, v.AsTable().Sorted(), true
}

func equalTables(t, u *Mapping) Truth {
	if t == u {
		return True
	}
	result := True
	differ := false
	compare := func(x, y Value) bool {
		switch Equal(x, y) {
		case False:
			differ = true
		case Unknown:
			result = Unknown
		}
		return !differ
	}
	// One entry that differs decides, however large the sort of the indices is.
	t.entries.Each(func(k, v Value) bool { return compare(v, u.Get(k)) })
	if differ {
		return False
	}
	both := t.entries.n
	u.entries.Each(func(k, v Value) bool {
		if _, ok := t.entries.Get(k); !ok {
			both++
			return compare(t.def, v)
		}
		return true
	})
	if differ {
		return False
	}
	rest := Equal(t.def, u.def)
	if rest == True {
		return result
	}
	// The defaults matter only if some index is in neither table.
	switch t.dom.HasMoreThan(uint64(both)) {
	case False:
		return result
	case True:
		if rest == False {
			return False
		}
	}
	return Unknown
}

// contentHash is the same for tables that are extensionally equal.
func (t *Mapping) contentHash() uint64 {
	if h := t.content.Load(); h != 0 {
		return h
	}
	u := t.normal()
	h := mix64(u.def.hash())
	u.entries.Each(func(k, v Value) bool {
		h += mix64(k.hash() ^ mix64(v.hash()+1))
		return true
	})
	h |= 1
	t.content.Store(h)
	return h
}

// normal returns the same function in a form that depends on nothing else: a table over a small domain that has as
// many entries as places left over gets the default that is most frequent.
func (t *Mapping) normal() *Mapping {
	size, ok := t.dom.Size()
	if !ok || 2*uint64(t.entries.n) < size {
		return t
	}
	if u := t.normalised.Load(); u != nil {
		return u
	}
	u := t.rebase()
	t.normalised.Store(u)
	return u
}

// rebase returns the same function with the default that occurs most often, the least of those in the order of
// Compare. The domain is finite and not much larger than the table.
func (t *Mapping) rebase() *Mapping {
	size, _ := t.dom.Size()
	count := Map{}
	best, most := t.def, size-uint64(t.entries.n)
	t.entries.Each(func(_, v Value) bool {
		c := int64(1)
		if old, ok := count.Get(v); ok {
			c = old.Small() + 1
		}
		count = count.Set(v, Int64(c))
		return true
	})
	count.Each(func(v, c Value) bool {
		if k := uint64(c.Small()); k > most || k == most && (most == 0 || Compare(v, best) < 0) {
			best, most = v, k
		}
		return true
	})
	if Equal(best, t.def) == True {
		return t
	}
	u := NewTable(t.dom, best)
	for i := uint64(0); i < size; i++ {
		k := t.dom.At(i)
		u = u.Put(k, t.Get(k))
	}
	return u
}

func compareTables(t, u *Mapping) int {
	if equalTables(t, u) == True {
		return 0
	}
	t, u = t.normal(), u.normal()
	if c := Compare(t.def, u.def); c != 0 {
		return c
	}
	return slices.CompareFunc(t.Sorted(), u.Sorted(), func(x, y Entry) int {
		if c := Compare(x.Key, y.Key); c != 0 {
			return c
		}
		return Compare(x.Value, y.Value)
	})
}
