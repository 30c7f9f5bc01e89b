package value

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/smt"
)

// importer copies terms from one arena to another. Symbols are found again by name and rank; what is declared nowhere
// in the destination is declared there.
type importer struct {
	*smt.Copier
	rename func(name string) string // nil: names stay
}

func newImporter(from, to *smt.Arena) *importer {
	im := &importer{Copier: smt.NewCopier(from, to, false)}
	im.SortSymbol, im.Symbol = im.sortSymbol, im.symbol
	return im
}

// Import copies a term of another store to this one.
func (s *Store) Import(from *Store, t smt.Term) (smt.Term, error) {
	if from == s {
		return t, nil
	}
	return newImporter(from.Arena, s.Arena).Term(t)
}

// ImportSort copies a sort of another store to this one.
func (s *Store) ImportSort(from *Store, x smt.Sort) (smt.Sort, error) {
	if from == s || x <= smt.SortUnknown {
		return x, nil
	}
	return newImporter(from.Arena, s.Arena).Sort(x)
}

func (im *importer) sortSymbol(s smt.SortSymbol) (smt.SortSymbol, error) {
	name, arity := im.From.SortSymbolName(s)
	if im.From.Datatype(s) == nil {
		return im.To.DeclareSort(im.name(name), arity), nil
	}
	if sym := findDatatype(im.To, name); sym != 0 {
		return sym, nil
	}
	return 0, fmt.Errorf("the datatype %s is not declared there", smt.QuoteSymbol(name))
}

func (im *importer) name(name string) string {
	if im.rename == nil {
		return name
	}
	return im.rename(name)
}

// findDatatype finds a datatype by its name through the constructors of the arena.
func findDatatype(a *smt.Arena, name string) smt.SortSymbol {
	for f := 1; f < a.NumSymbols(); f++ {
		if info := a.SymbolInfo(smt.Symbol(f)); info.Kind == smt.SymConstructor {
			if n, _ := a.SortSymbolName(info.Datatype); n == name {
				return info.Datatype
			}
		}
	}
	return 0
}

func (im *importer) symbol(f smt.Symbol) (smt.Symbol, error) {
	a, to := im.From, im.To
	info := a.SymbolInfo(f)
	if info.Datatype != 0 {
		return im.member(f)
	}
	params, err := im.Sorts(info.Params)
	if err != nil {
		return 0, err
	}
	result, err := im.Sort(info.Result)
	if err != nil {
		return 0, err
	}
	if info.Body == 0 {
		return to.Declare(im.name(info.Name), params, result), nil
	}
	if info.Recursive {
		return 0, fmt.Errorf("the recursive function %s cannot be brought over", smt.QuoteSymbol(info.Name))
	}
	body, err := im.Term(info.Body)
	if err != nil {
		return 0, err
	}
	if info.Kind == smt.SymNamed {
		return to.Name(im.name(info.Name), body), nil
	}
	var vars []smt.Term
	for i, v := range info.Vars {
		vars = append(vars, to.Var(a.VarName(v), params[i]))
	}
	return to.Define(im.name(info.Name), vars, result, body)
}

// member finds a constructor or selector again in the destination's datatype of the same name.
func (im *importer) member(f smt.Symbol) (smt.Symbol, error) {
	info := im.From.SymbolInfo(f)
	name, _ := im.From.SortSymbolName(info.Datatype)
	if sym := findDatatype(im.To, name); sym != 0 {
		dt := im.To.Datatype(sym)
		if info.Ctor < len(dt.Constructors) {
			c := dt.Constructors[info.Ctor]
			if info.Kind == smt.SymConstructor && c.Name == info.Name {
				return c.Symbol, nil
			}
			if info.Kind == smt.SymSelector && info.Field < len(c.Selectors) && im.To.SymbolName(c.Selectors[info.Field]) == info.Name {
				return c.Selectors[info.Field], nil
			}
		}
	}
	return 0, fmt.Errorf("the datatype %s with %s is not declared there", smt.QuoteSymbol(name), smt.QuoteSymbol(info.Name))
}

// sameTerm reports whether terms of two arenas are the same, symbols by name.
func sameTerm(a *smt.Arena, s smt.Term, b *smt.Arena, t smt.Term) bool {
	type pair struct{ s, t smt.Term }
	seen := map[pair]bool{}
	stack := []pair{{s, t}}
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[p] {
			continue
		}
		seen[p] = true
		if !sameHead(a, p.s, b, p.t) {
			return false
		}
		for i := range a.NumArgs(p.s) {
			stack = append(stack, pair{a.Arg(p.s, i), b.Arg(p.t, i)})
		}
	}
	return true
}

func sameHead(a *smt.Arena, s smt.Term, b *smt.Arena, t smt.Term) bool {
	if a.Op(s) != b.Op(t) || a.NumArgs(s) != b.NumArgs(t) || !sameSort(a, a.Sort(s), b, b.Sort(t)) {
		return false
	}
	switch a.Op(s) {
	case smt.OpRealLit:
		x, _ := a.RatOf(s)
		y, _ := b.RatOf(t)
		return x.Cmp(y) == 0
	case smt.OpStringLit:
		x, _ := a.StrOf(s)
		y, _ := b.StrOf(t)
		return string(x) == string(y)
	case smt.OpApply, smt.OpIs, smt.OpUpdate, smt.OpCase, smt.OpFunction, smt.OpMapArrays:
		f, g := a.SymbolOf(s), b.SymbolOf(t)
		return (f == 0) == (g == 0) && (f == 0 || a.SymbolName(f) == b.SymbolName(g))
	}
	is, js := a.Indices(s), b.Indices(t)
	if len(is) != len(js) {
		return false
	}
	for k := range is {
		x, named := a.IndexName(is[k])
		y, alsoNamed := b.IndexName(js[k])
		if named != alsoNamed || x != y {
			return false
		}
		if !named {
			n, _ := a.IndexNum(is[k])
			m, _ := b.IndexNum(js[k])
			if n.Cmp(m) != 0 {
				return false
			}
		}
	}
	return true
}

// sameSort reports whether sorts of two arenas are the same, declared ones by name.
func sameSort(a *smt.Arena, x smt.Sort, b *smt.Arena, y smt.Sort) bool {
	if a == b || x <= smt.SortUnknown || y <= smt.SortUnknown {
		return x == y
	}
	return a.SortKind(x) == b.SortKind(y) && a.SortString(x) == b.SortString(y)
}
