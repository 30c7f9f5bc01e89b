package gen

import (
	"iter"
	"slices"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// DB is the database of the sorts and terms of a run, from which new terms are built. Terms lie in buckets by sort and
// by level, the number of the innermost open variable they contain (0: none). Picking is O(log n) by a Fenwick tree
// (Fenwick, "A new data structure for cumulative frequency tables", 1994) over weights that halve with each use of a
// term, so that rarely used terms come first.
type DB struct {
	a       *smt.Arena
	buckets map[bucketKey]*bucket
	sorts   []smt.Sort // that have been made, in order
	sortAt  map[smt.Sort]int
	terms   map[smt.Term]*entry
	order   []*entry   // in the order in which they came
	vars    []smt.Term // open variables, from the outermost
	scopes  map[smt.Symbol]int
	nested  bool       // sorts have been made known above assertion level 0
	idle    []smt.Term // room for Idle
}

type bucketKey struct {
	sort  smt.Sort
	level int
}

// bucket is a list of terms with weights.
type bucket struct {
	terms []smt.Term
	sums  []int64 // Fenwick tree, from 1
}

type entry struct {
	term   smt.Term
	bucket *bucket
	at     int
	refs   int
	level  int
	vars   uint64 // open variables it contains, as bits
	scope  int    // assertion level below which its symbols are gone
	gone   bool
}

// newDB returns an empty database.
func newDB(a *smt.Arena) *DB {
	return &DB{a: a, buckets: map[bucketKey]*bucket{}, sortAt: map[smt.Sort]int{}, terms: map[smt.Term]*entry{}, scopes: map[smt.Symbol]int{}}
}

const topWeight = 1 << 12

func weightOf(refs int) int64 { return int64(max(1, topWeight>>min(refs, 12))) }

func (b *bucket) addWeight(i int, delta int64) {
	for i++; i < len(b.sums); i += i & -i {
		b.sums[i] += delta
	}
}

func (b *bucket) appendTerm(t smt.Term, w int64) int {
	if len(b.sums) == 0 {
		b.sums = append(b.sums, 0)
	}
	b.terms = append(b.terms, t)
	i := len(b.terms) // its place in the tree: the sum of its children and its own weight
	sum := w
	for k := 1; k < i&-i; k <<= 1 {
		sum += b.sums[i-k]
	}
	b.sums = append(b.sums, sum)
	return i - 1
}

func (b *bucket) totalWeight() int64 {
	sum := int64(0)
	for i := len(b.sums) - 1; i > 0; i -= i & -i {
		sum += b.sums[i]
	}
	return sum
}

// findByWeight returns the number of the term in which the prefix sum passes x.
func (b *bucket) findByWeight(x int64) int {
	at, step := 0, 1
	for step*2 < len(b.sums) {
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if at+step < len(b.sums) && b.sums[at+step] <= x {
			at += step
			x -= b.sums[at]
		}
	}
	return at
}

// AddSort makes a sort known; scope is the assertion level that it belongs to.
func (d *DB) AddSort(s smt.Sort, scope int) {
	if _, ok := d.sortAt[s]; ok {
		return
	}
	d.sortAt[s] = scope
	d.nested = d.nested || scope > 0
	d.sorts = append(d.sorts, s)
}

// Sorts returns the sorts that are known, which must not be modified.
func (d *DB) Sorts() []smt.Sort { return d.sorts }

// AddVar opens a variable.
func (d *DB) AddVar(v smt.Term) {
	d.vars = append(d.vars, v)
	d.insertTerm(v, &entry{level: len(d.vars), vars: 1 << (len(d.vars) - 1), scope: d.ownScope(v)})
}

// AddSymbol says at which assertion level a symbol is declared.
func (d *DB) AddSymbol(f smt.Symbol, scope int) { d.scopes[f] = scope }

// Add adds a term whose arguments are in the database and counts the use of these. Terms that are there already count
// one use more.
func (d *DB) Add(t smt.Term) {
	e := &entry{scope: d.ownScope(t)}
	closes := d.a.Op(t).IsBinder()
	for _, x := range d.a.Args(t) {
		y, ok := d.terms[x]
		if !ok {
			vars, scope := d.openVarsAndScope(x)
			e.vars |= vars
			e.scope = max(e.scope, scope)
			continue
		}
		d.countUse(y)
		e.vars |= y.vars
		e.scope = max(e.scope, y.scope)
	}
	if closes {
		e.vars, _ = d.openVarsAndScope(t)
	}
	if f := d.a.SymbolOf(t); f != 0 {
		e.scope = max(e.scope, d.scopes[f])
	}
	if have, ok := d.terms[t]; ok && !have.gone {
		d.countUse(have)
		return
	}
	for i := range d.vars {
		if e.vars&(1<<i) != 0 {
			e.level = i + 1
		}
	}
	d.insertTerm(t, e)
}

// openVarsAndScope returns the open variables of a term and its scope, for terms whose parts are not in the database.
func (d *DB) openVarsAndScope(t smt.Term) (vars uint64, scope int) {
	for _, v := range d.a.FreeVars(t) {
		if i := slices.Index(d.vars, v); i >= 0 {
			vars |= 1 << i
		}
	}
	d.a.PostOrder([]smt.Term{t}, func(x smt.Term) {
		scope = max(scope, d.ownScope(x), d.scopes[d.a.SymbolOf(x)])
	})
	return vars, scope
}

// ownScope is the assertion level that the sort of a term belongs to: a variable that is bound, or an empty sequence,
// needs it without any symbol.
func (d *DB) ownScope(t smt.Term) int {
	if !d.nested {
		return 0
	}
	return d.sortScope(d.a.Sort(t))
}

func (d *DB) insertTerm(t smt.Term, e *entry) {
	key := bucketKey{d.a.Sort(t), e.level}
	b := d.buckets[key]
	if b == nil {
		b = &bucket{}
		d.buckets[key] = b
	}
	e.term, e.bucket = t, b
	e.at = b.appendTerm(t, weightOf(0))
	d.terms[t] = e
	d.order = append(d.order, e)
}

func (d *DB) countUse(e *entry) {
	if e.gone {
		return
	}
	before := weightOf(e.refs)
	e.refs++
	e.bucket.addWeight(e.at, weightOf(e.refs)-before)
}

// Use counts one use of a term.
func (d *DB) Use(t smt.Term) {
	if e := d.terms[t]; e != nil {
		d.countUse(e)
	}
}

// Refs returns how often a term was used.
func (d *DB) Refs(t smt.Term) int {
	if e := d.terms[t]; e != nil {
		return e.refs
	}
	return 0
}

// Idle draws a term without open variables that has arguments and that was used less than others; 0:
// there is none.
func (d *DB) Idle(r *rng.Source) smt.Term {
	least := -1
	for _, e := range d.order {
		if least >= 0 && e.refs > least || !d.isApplication(e) || d.a.SortKind(d.a.Sort(e.term)) == smt.KindRegLan {
			continue
		}
		if least < 0 || e.refs < least {
			least = e.refs
			d.idle = d.idle[:0]
		}
		d.idle = append(d.idle, e.term)
	}
	if least < 0 {
		return 0
	}
	return d.idle[r.Intn(len(d.idle))]
}

// Has reports whether there is a term of the sort at a level up to the given one.
func (d *DB) Has(s smt.Sort, level int) bool {
	for l := 0; l <= level; l++ {
		if b := d.buckets[bucketKey{s, l}]; b != nil && b.totalWeight() > 0 {
			return true
		}
	}
	return false
}

// HasNamed reports whether there is a term without open variables of the sort that prints so.
func (d *DB) HasNamed(sort string) bool {
	for key, b := range d.buckets {
		if key.level == 0 && b.totalWeight() > 0 && d.a.SortString(key.sort) == sort {
			return true
		}
	}
	return false
}

// Level is the number of open variables.
func (d *DB) Level() int { return len(d.vars) }

// Len returns the number of terms that can be picked.
func (d *DB) Len() int { return len(d.terms) }

// Pick draws a term of a sort from the levels lo to hi; 0 if there is none. Higher levels come first half of the time.
func (d *DB) Pick(r *rng.Source, s smt.Sort, lo, hi int) smt.Term {
	var all []*bucket
	for l := hi; l >= lo; l-- {
		if b := d.buckets[bucketKey{s, l}]; b != nil && b.totalWeight() > 0 {
			all = append(all, b)
		}
	}
	if len(all) == 0 {
		return 0
	}
	i := 0
	for i+1 < len(all) && r.Bool() {
		i++
	}
	b := all[i]
	x := int64(r.Uint64() % uint64(b.totalWeight()))
	return b.terms[b.findByWeight(x)]
}

// All returns the terms of a sort without open variables, in the order in which they came.
func (d *DB) All(s smt.Sort) []smt.Term {
	b := d.buckets[bucketKey{s, 0}]
	if b == nil {
		return nil
	}
	var out []smt.Term
	for _, t := range b.terms {
		if e := d.terms[t]; e != nil && !e.gone && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

func (d *DB) removeEntry(e *entry) {
	if e.gone {
		return
	}
	e.gone = true
	e.bucket.addWeight(e.at, -weightOf(e.refs))
}

// CloseVars closes the last n variables: terms that contain them are gone.
func (d *DB) CloseVars(n int) {
	from := len(d.vars) - n
	for _, e := range d.order {
		if e.level > from {
			d.removeEntry(e)
		}
	}
	d.forgetRemoved()
	d.vars = d.vars[:from]
}

// CloseScope drops the declarations at assertion levels above the given one, and the terms that contain it.
func (d *DB) CloseScope(level int) {
	for _, e := range d.order {
		if e.scope > level || d.sortScope(d.a.Sort(e.term)) > level {
			d.removeEntry(e)
		}
	}
	d.forgetRemoved()
	for f, s := range d.scopes {
		if s > level {
			delete(d.scopes, f)
		}
	}
	var gone []smt.Sort // collect all first: the scope of a sort depends on its parts
	for _, s := range d.sorts {
		if d.sortScope(s) > level {
			gone = append(gone, s)
		}
	}
	for _, s := range gone {
		delete(d.sortAt, s)
	}
	if len(gone) > 0 {
		d.sorts = slices.DeleteFunc(d.sorts, func(s smt.Sort) bool { _, known := d.sortAt[s]; return !known })
	}
}

// sortScope is the assertion level of a sort and of the sorts inside it.
func (d *DB) sortScope(s smt.Sort) int {
	scope := d.sortAt[s]
	for _, x := range d.a.SortArgs(s) {
		scope = max(scope, d.sortScope(x))
	}
	return scope
}

func (d *DB) forgetRemoved() {
	d.order = slices.DeleteFunc(d.order, func(e *entry) bool {
		if e.gone {
			delete(d.terms, e.term)
		}
		return e.gone
	})
}

// Applications yields the terms without open variables that have arguments, in the order in which they came.
func (d *DB) Applications() iter.Seq[smt.Term] {
	return func(yield func(smt.Term) bool) {
		for _, e := range d.order {
			if d.isApplication(e) && !yield(e.term) {
				return
			}
		}
	}
}

func (d *DB) isApplication(e *entry) bool { return !e.gone && e.level == 0 && d.a.NumArgs(e.term) > 0 }
