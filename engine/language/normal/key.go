package normal

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// OfTerm returns the key of a term. Two terms have the same key if they are equal up to the order and nesting of
// arguments and the names of bound variables. The names of functions and sorts do not matter either, unless named is
// set.
func OfTerm(a *smt.Arena, t smt.Term, named bool) Key {
	g := newGraph(a, named)
	g.hang([]smt.Term{t}, commandTag)
	return g.key()
}

// OfQuery returns the key of formulas that are asserted together.
func OfQuery(a *smt.Arena, asserts []smt.Term) Key {
	var sum Key
	for _, s := range Slices(a, asserts) {
		sum = sum.Plus(s.Key.With(17))
	}
	return sum.With(18)
}

func (g *graph) key() Key {
	r := refinement{graph: g}
	r.run()
	return r.key()
}

// Slice is a part of a query that has no function and no declared sort in common with the rest: it can be decided by
// itself.
type Slice struct {
	Asserts []smt.Term // conjuncts, in their order
	Key     Key
}

// Slices takes a query apart. The slices are in the order of their first conjuncts.
func Slices(a *smt.Arena, asserts []smt.Term) []Slice {
	var out []Slice
	for _, group := range Apart(a, asserts) {
		g := newGraph(a, false)
		g.hang(group, assertTag)
		out = append(out, Slice{Asserts: group, Key: g.key()})
	}
	return out
}

// Apart returns the conjuncts of each slice of a query, in the order of their first ones. Each conjunct comes once, and
// none is true.
func Apart(a *smt.Arena, asserts []smt.Term) [][]smt.Term {
	parts := Conjuncts(a, asserts)
	group := make([]int, len(parts))
	find := func(i int) int {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
	owner := map[any]int{} // by function or declared sort: the first conjunct that has it
	u := newUses(a, parts)
	for i, t := range parts {
		group[i] = i
		u.visit(t, func(of any) {
			j, ok := owner[of]
			if !ok {
				owner[of] = i
			} else if x, y := find(i), find(j); x != y {
				group[max(x, y)] = min(x, y)
			}
		})
	}
	var out [][]smt.Term
	at := map[int]int{}
	for i, t := range parts {
		k, ok := at[find(i)]
		if !ok {
			k = len(out)
			at[find(i)] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], t)
	}
	return out
}

// uses finds the functions and declared sorts of terms. Shared subterms are walked once: after that, one of the
// functions in them stands for all, because these are in the same slice already.
type uses struct {
	a      *smt.Arena
	some   map[smt.Term]any // by term: a function or a sort that is below it; none if there is none
	walked map[smt.Term]bool
	sorts  map[smt.Sort]bool
}

func newUses(a *smt.Arena, roots []smt.Term) *uses {
	u := &uses{a: a, some: map[smt.Term]any{}, walked: map[smt.Term]bool{}, sorts: map[smt.Sort]bool{}}
	a.PostOrder(roots, func(t smt.Term) {
		if f := a.SymbolOf(t); f != 0 {
			u.some[t] = f
			return
		}
		if s := u.declared(a.Sort(t)); s != 0 {
			u.some[t] = s
			return
		}
		for _, x := range a.Args(t) {
			if some, ok := u.some[x]; ok {
				u.some[t] = some
				return
			}
		}
	})
	return u
}

// declared returns a declared sort or datatype that a sort is made of; 0 if it has none.
func (u *uses) declared(s smt.Sort) smt.SortSymbol {
	switch u.a.SortKind(s) {
	case smt.KindUser, smt.KindDatatype:
		return u.a.SortSymbolOf(s)
	}
	for _, x := range u.a.SortArgs(s) {
		if f := u.declared(x); f != 0 {
			return f
		}
	}
	return 0
}

// visit calls f with each sort and symbol that a term uses.
func (u *uses) visit(t smt.Term, f func(any)) {
	a := u.a
	stack := []smt.Term{t}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		some, ok := u.some[x]
		if !ok {
			continue
		}
		f(some)
		if u.walked[x] {
			continue
		}
		u.walked[x] = true
		stack = append(stack, a.Args(x)...)
		u.sort(a.Sort(x), f)
		s := a.SymbolOf(x)
		if s == 0 {
			continue
		}
		info := a.SymbolInfo(s)
		u.sort(info.Result, f)
		for _, p := range info.Params {
			u.sort(p, f)
		}
		if info.Body != 0 && !u.walked[info.Body] {
			a.PostOrder([]smt.Term{info.Body}, func(y smt.Term) {
				if _, ok := u.some[y]; !ok {
					u.some[y] = s
				}
			})
			stack = append(stack, info.Body)
		}
	}
}

// sort calls f with the declared sorts and the datatypes that a sort is made of, and with those of the datatypes'
// fields.
func (u *uses) sort(s smt.Sort, f func(any)) {
	a := u.a
	if k := a.SortKind(s); k == smt.KindUser || k == smt.KindDatatype {
		f(a.SortSymbolOf(s))
		if u.sorts[s] {
			return
		}
		u.sorts[s] = true
		if dt := a.Datatype(a.SortSymbolOf(s)); dt != nil {
			for i := range dt.Constructors {
				for _, p := range a.SymbolInfo(dt.Constructors[i].Symbol).Params {
					u.sort(p, f)
				}
			}
		}
	}
	for _, x := range a.SortArgs(s) {
		u.sort(x, f)
	}
}

// OfScript returns the key of a script: its logic, its options in any order, and its commands in order, except for
// declarations and for assertions between two other commands. Names and set-info do not count.
func OfScript(s *smtlib.Script) Key {
	var k, options Key
	plain, asked := true, false
	for i := range s.Commands {
		c := &s.Commands[i]
		switch {
		case c.Kind == smtlib.CmdSetOption:
			options = options.Plus(Key{19, 19}.WithText(c.Name).WithText(c.Text))
		case c.Kind == smtlib.CmdSetInfo, c.Kind.IsDeclaration():
		case c.Kind == smtlib.CmdSetLogic:
			k = k.WithText(c.Text)
		case c.Kind == smtlib.CmdAssert:
			plain = plain && !asked
		default:
			plain = plain && (c.Kind == smtlib.CmdCheckSat || c.Kind == smtlib.CmdGetModel || c.Kind == smtlib.CmdExit)
			asked = true
			k = k.With(uint64(c.Kind)).With(uint64(c.N)).WithText(c.Name).With(uint64(len(c.Terms)))
			if len(c.Terms) == 0 && c.Kind != smtlib.CmdEcho {
				k = k.WithText(c.Text)
			}
		}
	}
	k = k.WithKey(options)
	if plain {
		var asserts []smt.Term
		for i := range s.Commands {
			if s.Commands[i].Kind == smtlib.CmdAssert {
				asserts = append(asserts, s.Commands[i].Terms...)
			}
		}
		return k.WithKey(OfQuery(s.Arena, asserts))
	}
	return k.WithKey(ofCommands(s))
}

// ofCommands returns the key of the terms of commands.
func ofCommands(s *smtlib.Script) Key {
	g := newGraph(s.Arena, false)
	var asserts []smt.Term
	tag := uint64(commandTag)
	hang := func() {
		g.hang(Conjuncts(s.Arena, asserts), tag)
		asserts = asserts[:0]
		tag++
	}
	for i := range s.Commands {
		c := &s.Commands[i]
		switch {
		case c.Kind == smtlib.CmdAssert:
			asserts = append(asserts, c.Terms...)
		case c.Kind.IsSetting(), c.Kind.IsDeclaration():
		default:
			hang()
			for _, t := range slices.Clone(c.Terms) {
				g.hang([]smt.Term{t}, tag)
				tag++
			}
		}
	}
	hang()
	return g.key()
}
