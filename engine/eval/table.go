package eval

import (
	"slices"
	"sync/atomic"

	"github.com/smtlark/smtlark/engine/smt"
)

// table is a total function that differs from its default at finitely many places: an array, a set (to Bool) or a
// bag (to Int). Entries never hold the default.
type table struct {
	dom     *Domain // of the index sort
	def     Value
	entries trie
	opaque  bool // the default or an entry cannot always be compared

	content    atomic.Uint64         // the hash once it is known, else 0
	normalised atomic.Pointer[table] // see normal
}

func newTable(dom *Domain, def Value) *table {
	return &table{dom: dom, def: def, opaque: !def.comparable()}
}

func tableValue(sort smt.Sort, t *table) Value { return Value{sort: sort, kind: kTable, ref: t} }

func (t *table) get(key Value) Value {
	if v, ok := t.entries.get(key); ok {
		return v
	}
	return t.def
}

// put returns the table with one place changed. A value that may or may not be the default is kept as an entry.
func (t *table) put(key, val Value) *table {
	next := &table{dom: t.dom, def: t.def, opaque: t.opaque || !val.comparable()}
	if Equal(val, t.def) == True {
		next.entries = t.entries.remove(key)
	} else {
		next.entries = t.entries.set(key, val)
	}
	return next
}

// sorted returns the entries in the order of Compare.
func (t *table) sorted() []Entry {
	out := make([]Entry, 0, t.entries.n)
	t.entries.each(func(k, v Value) bool {
		out = append(out, Entry{k, v})
		return true
	})
	slices.SortFunc(out, func(x, y Entry) int { return compare(x.Key, y.Key) })
	return out
}

// Entry is a place of an array, set or bag where it differs from its default.
type Entry struct{ Key, Value Value }

// Table returns the default of an array, set or bag and the entries that differ from it, in the order of Compare; ok
// is false if v is none, or an array given by a term.
func (v Value) Table() (def Value, entries []Entry, ok bool) {
	if v.kind != kTable {
		return Value{}, nil, false
	}
	return v.table().def, v.table().sorted(), true
}

func equalTables(t, u *table) Truth {
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
	t.entries.each(func(k, v Value) bool { return compare(v, u.get(k)) })
	if differ {
		return False
	}
	both := t.entries.n
	u.entries.each(func(k, v Value) bool {
		if _, ok := t.entries.get(k); !ok {
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
	switch t.dom.hasMoreThan(uint64(both)) {
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
func (t *table) contentHash() uint64 {
	if h := t.content.Load(); h != 0 {
		return h
	}
	u := t.normal()
	h := mix64(u.def.hash())
	u.entries.each(func(k, v Value) bool {
		h += mix64(k.hash() ^ mix64(v.hash()+1))
		return true
	})
	h |= 1
	t.content.Store(h)
	return h
}

// normal returns the same function in a form that depends on nothing else: a table over a small domain that has as
// many entries as places left over gets the default that is most frequent.
func (t *table) normal() *table {
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
func (t *table) rebase() *table {
	size, _ := t.dom.Size()
	count := trie{}
	best, most := t.def, size-uint64(t.entries.n)
	t.entries.each(func(_, v Value) bool {
		c := int64(1)
		if old, ok := count.get(v); ok {
			c = old.signed() + 1
		}
		count = count.set(v, int64Value(c))
		return true
	})
	count.each(func(v, c Value) bool {
		if k := uint64(c.signed()); k > most || k == most && (most == 0 || compare(v, best) < 0) {
			best, most = v, k
		}
		return true
	})
	if Equal(best, t.def) == True {
		return t
	}
	u := newTable(t.dom, best)
	for i := uint64(0); i < size; i++ {
		k := t.dom.At(i)
		u = u.put(k, t.get(k))
	}
	return u
}

func compareTables(t, u *table) int {
	if equalTables(t, u) == True {
		return 0
	}
	t, u = t.normal(), u.normal()
	if c := compare(t.def, u.def); c != 0 {
		return c
	}
	return slices.CompareFunc(t.sorted(), u.sorted(), func(x, y Entry) int {
		if c := compare(x.Key, y.Key); c != 0 {
			return c
		}
		return compare(x.Value, y.Value)
	})
}
