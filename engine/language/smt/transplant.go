package smt

import (
	"fmt"
)

// NameCopier copies terms from one arena to another. It matches symbols by name and rank, and declares those that the
// destination lacks.
type NameCopier struct {
	*Copier
	Rename func(name string) string // nil: names stay
}

// NewNameCopier returns a copier between two arenas.
func NewNameCopier(from, to *Arena) *NameCopier {
	im := &NameCopier{Copier: NewCopier(from, to, false)}
	im.SortSymbol, im.Symbol = im.sortSymbol, im.symbol
	return im
}

func (im *NameCopier) sortSymbol(s SortSymbol) (SortSymbol, error) {
	name, arity := im.From.SortSymbolName(s)
	if im.From.Datatype(s) == nil {
		return im.To.DeclareSort(im.name(name), arity), nil
	}
	if sym := findDatatype(im.To, name); sym != 0 {
		return sym, nil
	}
	return 0, fmt.Errorf("the datatype %s is not declared there", QuoteSymbol(name))
}

func (im *NameCopier) name(name string) string {
	if im.Rename == nil {
		return name
	}
	return im.Rename(name)
}

// findDatatype finds a datatype by its name through the constructors of the arena.
func findDatatype(a *Arena, name string) SortSymbol {
	for f := 1; f < a.NumSymbols(); f++ {
		if info := a.SymbolInfo(Symbol(f)); info.Kind == SymConstructor {
			if n, _ := a.SortSymbolName(info.Datatype); n == name {
				return info.Datatype
			}
		}
	}
	return 0
}

func (im *NameCopier) symbol(f Symbol) (Symbol, error) {
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
		return 0, fmt.Errorf("the recursive function %s cannot be brought over", QuoteSymbol(info.Name))
	}
	body, err := im.Term(info.Body)
	if err != nil {
		return 0, err
	}
	if info.Kind == SymNamed {
		return to.Name(im.name(info.Name), body), nil
	}
	var vars []Term
	for i, v := range info.Vars {
		vars = append(vars, to.Var(a.VarName(v), params[i]))
	}
	return to.Define(im.name(info.Name), vars, result, body)
}

// member finds a constructor or selector in the destination's datatype of the same name.
func (im *NameCopier) member(f Symbol) (Symbol, error) {
	info := im.From.SymbolInfo(f)
	name, _ := im.From.SortSymbolName(info.Datatype)
	if sym := findDatatype(im.To, name); sym != 0 {
		dt := im.To.Datatype(sym)
		if info.Ctor < len(dt.Constructors) {
			c := dt.Constructors[info.Ctor]
			if info.Kind == SymConstructor && c.Name == info.Name {
				return c.Symbol, nil
			}
			if info.Kind == SymSelector && info.Field < len(c.Selectors) && im.To.SymbolName(c.Selectors[info.Field]) == info.Name {
				return c.Selectors[info.Field], nil
			}
		}
	}
	return 0, fmt.Errorf("the datatype %s with %s is not declared there", QuoteSymbol(name), QuoteSymbol(info.Name))
}

// SameTerm reports whether terms of two arenas are the same; it compares symbols by name.
func SameTerm(a *Arena, s Term, b *Arena, t Term) bool {
	type pair struct{ s, t Term }
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

func sameHead(a *Arena, s Term, b *Arena, t Term) bool {
	if a.Op(s) != b.Op(t) || a.NumArgs(s) != b.NumArgs(t) || !SameSort(a, a.Sort(s), b, b.Sort(t)) {
		return false
	}
	switch a.Op(s) {
	case OpRealLit:
		x, _ := a.RatOf(s)
		y, _ := b.RatOf(t)
		return x.Cmp(y) == 0
	case OpStringLit:
		x, _ := a.StrOf(s)
		y, _ := b.StrOf(t)
		return string(x) == string(y)
	case OpApply, OpIs, OpUpdate, OpCase, OpFunction, OpMapArrays:
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

// SameSort reports whether sorts of two arenas are the same; it compares declared sorts by name.
func SameSort(a *Arena, x Sort, b *Arena, y Sort) bool {
	if a == b || x <= SortUnknown || y <= SortUnknown {
		return x == y
	}
	return a.SortKind(x) == b.SortKind(y) && a.SortString(x) == b.SortString(y)
}
