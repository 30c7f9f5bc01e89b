package model

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// Model interprets the declared symbols of an Arena: constants by values, functions by tables or by terms. It may
// be partial. It is invalid after a Release that drops the symbols, sorts or terms that it mentions.
type Model struct {
	arena     *smt.Arena
	consts    map[smt.Symbol]value.Value
	funcs     map[smt.Symbol]*Func
	partial   map[smt.Op]*Func
	universes map[smt.Sort]universe
	elements  map[smt.Symbol]value.Value // the elements of universes that a solver's names stand for
}

type universe struct {
	n    uint64 // number of elements, 0 if it is not known
	next uint64 // number for the next name that a solver gives an element
}

// Renamed returns a model in which each new symbol in to has the interpretation of the symbol that it replaces. Other
// symbols are interpreted as before.
func (m *Model) Renamed(to map[smt.Symbol]smt.Symbol) *Model {
	out := m.Clone()
	for _, f := range m.Symbols() {
		if _, ok := to[f]; ok {
			out.Unset(f)
		}
	}
	for _, f := range m.Symbols() { // all are unset by now: two may have changed names
		g, ok := to[f]
		if !ok {
			continue
		}
		if v, ok := m.Value(f); ok {
			out.Set(g, v)
		}
		if fn := m.Func(f); fn != nil {
			out.SetFunc(g, fn)
		}
	}
	return out
}

// New returns a model that interprets nothing.
func New(a *smt.Arena) *Model {
	return &Model{arena: a, consts: map[smt.Symbol]value.Value{}}
}

// Arena returns the arena whose symbols the model interprets.
func (m *Model) Arena() *smt.Arena { return m.arena }

// Func is an interpretation of a function with parameters: a finite table over a default, or the term Body over the
// variables Vars. The default of a table is the zero Value where nothing is known beyond the table.
type Func struct {
	Vars    []smt.Term
	Body    smt.Term
	Default value.Value

	params []smt.Sort
	rows   map[uint64][]Row
	order  []Row
}

// Row is an entry of a function's table.
type Row struct {
	Args  []value.Value
	Value value.Value
}

// NewFunc returns a function without rows that is def everywhere.
func NewFunc(params []smt.Sort, def value.Value) *Func {
	return &Func{Default: def, params: params}
}

// DefinedFunc returns the function defined by the term body over vars, which are OpVar terms.
func DefinedFunc(a *smt.Arena, vars []smt.Term, body smt.Term) *Func {
	f := &Func{Vars: vars, Body: body}
	for _, v := range vars {
		f.params = append(f.params, a.Sort(v))
	}
	return f
}

// Set sets the value of the function at args to val. It keeps the slice args. Arguments must be comparable: no arrays
// given by terms.
func (f *Func) Set(args []value.Value, val value.Value) {
	h := value.HashAll(args)
	for i, r := range f.rows[h] {
		if value.EqualLists(r.Args, args) == value.True {
			f.rows[h][i].Value = val
			for j := range f.order {
				if value.EqualLists(f.order[j].Args, args) == value.True {
					f.order[j].Value = val
				}
			}
			return
		}
	}
	if f.rows == nil {
		f.rows = map[uint64][]Row{}
	}
	f.rows[h] = append(f.rows[h], Row{args, val})
	f.order = append(f.order, Row{args, val})
}

// Get looks args up in the table; the zero Value means that neither the table nor its default has the value.
func (f *Func) Get(args []value.Value) value.Value {
	if len(f.rows) > 0 {
		for i := range args {
			if args[i].Opaque() {
				return value.Value{}
			}
		}
		for _, r := range f.rows[value.HashAll(args)] {
			switch value.EqualLists(r.Args, args) {
			case value.True:
				return r.Value
			case value.Unknown:
				return value.Value{}
			}
		}
	}
	return f.Default
}

// Params returns the sorts of the parameters.
func (f *Func) Params() []smt.Sort { return f.params }

// Unsorted returns the table in the order in which its entries were set; it must not be changed.
func (f *Func) Unsorted() []Row { return f.order }

// Rows returns the table in the order of Compare.
func (f *Func) Rows() []Row {
	rows := slices.Clone(f.order)
	slices.SortFunc(rows, func(x, y Row) int { return slices.CompareFunc(x.Args, y.Args, value.Compare) })
	return rows
}

func (f *Func) clone() *Func {
	g := *f
	g.order = slices.Clone(f.order)
	if f.rows != nil {
		g.rows = make(map[uint64][]Row, len(f.rows))
		for h, rows := range f.rows {
			g.rows[h] = slices.Clone(rows)
		}
	}
	return &g
}

// Set interprets a constant.
func (m *Model) Set(c smt.Symbol, v value.Value) { m.consts[c] = v }

// Unset removes the interpretation of a symbol from the model.
func (m *Model) Unset(f smt.Symbol) {
	delete(m.consts, f)
	delete(m.funcs, f)
}

// Value returns the interpretation of a constant; ok is false if the model has none.
func (m *Model) Value(c smt.Symbol) (v value.Value, ok bool) {
	v, ok = m.consts[c]
	return v, ok
}

// SetFunc interprets a function with parameters. For a selector it gives the value of the selector on arguments of
// other constructors.
func (m *Model) SetFunc(f smt.Symbol, fn *Func) {
	if m.funcs == nil {
		m.funcs = map[smt.Symbol]*Func{}
	}
	m.funcs[f] = fn
}

// Func returns the interpretation of a function; nil if the model has none.
func (m *Model) Func(f smt.Symbol) *Func { return m.funcs[f] }

// SetPartial interprets an operator where the standard leaves it open, such as div by zero. The function gets the
// operator's arguments.
func (m *Model) SetPartial(op smt.Op, fn *Func) {
	if m.partial == nil {
		m.partial = map[smt.Op]*Func{}
	}
	m.partial[op] = fn
}

// Partial returns the interpretation of an operator where the standard leaves it open; nil if the model has none.
func (m *Model) Partial(op smt.Op) *Func { return m.partial[op] }

// SetUniverse gives an uninterpreted sort n elements, n at least 1.
func (m *Model) SetUniverse(s smt.Sort, n uint64) {
	if m.universes == nil {
		m.universes = map[smt.Sort]universe{}
	}
	u := m.universes[s]
	u.n = n
	m.universes[s] = u
}

// NameElement makes a solver's name stand for an element of an uninterpreted sort: the element to which Text gives that
// name, or else the next one. It returns the name as a symbol.
func (m *Model) NameElement(s smt.Sort, name string) smt.Symbol {
	f := m.arena.Declare(name, nil, s)
	if _, known := m.elements[f]; known {
		return f
	}
	if m.elements == nil {
		m.elements = map[smt.Symbol]value.Value{}
	}
	u := m.universes[s]
	k := u.next
	if n, ok := value.ElementNumber(m.arena, s, name); ok {
		k = n
	}
	u.next = max(u.next, k+1)
	m.elements[f] = value.Element(s, k)
	if m.universes == nil {
		m.universes = map[smt.Sort]universe{}
	}
	m.universes[s] = u
	return f
}

// Element returns the element that a solver's name, given as a symbol, stands for.
func (m *Model) Element(name smt.Symbol) (v value.Value, ok bool) {
	v, ok = m.elements[name]
	return v, ok
}

// ElementNames returns the symbols for which Element knows an element, in no order.
func (m *Model) ElementNames() iter.Seq[smt.Symbol] { return maps.Keys(m.elements) }

// CloseUniverse restricts an uninterpreted sort to the elements that NameElement has named.
func (m *Model) CloseUniverse(s smt.Sort) {
	if u := m.universes[s]; u.next > 0 {
		m.SetUniverse(s, u.next)
	}
}

// Universe returns the number of elements of an uninterpreted sort; ok is false if the model does not tell.
func (m *Model) Universe(s smt.Sort) (n uint64, ok bool) {
	if m == nil {
		return 0, false
	}
	u, ok := m.universes[s]
	return u.n, ok && u.n > 0
}

// Symbols returns the symbols that the model interprets, in the order in which the arena got them.
func (m *Model) Symbols() []smt.Symbol {
	out := slices.Collect(maps.Keys(m.consts))
	for f := range m.funcs {
		out = append(out, f)
	}
	slices.Sort(out)
	return out
}

// Len returns the number of symbols that the model interprets.
func (m *Model) Len() int { return len(m.consts) + len(m.funcs) }

// HasOnlyConstants reports whether the model interprets constants and nothing else.
func (m *Model) HasOnlyConstants() bool {
	return len(m.funcs)+len(m.partial)+len(m.universes)+len(m.elements) == 0
}

// Clone returns a copy that can be changed without changing m.
func (m *Model) Clone() *Model {
	c := &Model{arena: m.arena, consts: maps.Clone(m.consts), universes: maps.Clone(m.universes), elements: maps.Clone(m.elements)}
	for f, fn := range m.funcs {
		c.SetFunc(f, fn.clone())
	}
	for op, fn := range m.partial {
		c.SetPartial(op, fn.clone())
	}
	return c
}

// Text writes the model as solvers do: a list of define-funs, in the order of the symbols' names.
func (m *Model) Text() string {
	var b strings.Builder
	b.WriteString("(\n")
	m.writeUniverses(&b)
	syms := m.Symbols()
	slices.SortStableFunc(syms, func(f, g smt.Symbol) int {
		return strings.Compare(m.arena.SymbolName(f), m.arena.SymbolName(g))
	})
	for _, f := range syms {
		m.writeSymbol(&b, f)
	}
	m.writePartials(&b)
	b.WriteString(")\n")
	return b.String()
}

// AddAll copies all interpretations of another model of the same arena into m, replacing those that m has.
func (m *Model) AddAll(other *Model) {
	maps.Copy(m.consts, other.consts)
	for f, fn := range other.funcs {
		m.SetFunc(f, fn)
	}
	for op, fn := range other.partial {
		m.SetPartial(op, fn)
	}
	for s, u := range other.universes {
		if m.universes == nil {
			m.universes = map[smt.Sort]universe{}
		}
		m.universes[s] = u
	}
	for f, v := range other.elements {
		if m.elements == nil {
			m.elements = map[smt.Symbol]value.Value{}
		}
		m.elements[f] = v
	}
}
