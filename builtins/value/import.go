package value

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/smt"
)

// importer copies terms from one arena to another. Symbols are found again by name and rank; what is declared nowhere
// in the destination is declared there.
type importer struct {
	from, to *smt.Arena
	rename   func(name string) string // nil: names stay
	sorts    map[smt.Sort]smt.Sort
	syms     map[smt.Symbol]smt.Symbol
	terms    map[smt.Term]smt.Term
}

func newImporter(from, to *smt.Arena) *importer {
	return &importer{from: from, to: to, sorts: map[smt.Sort]smt.Sort{}, syms: map[smt.Symbol]smt.Symbol{}, terms: map[smt.Term]smt.Term{}}
}

// Import copies a term of another store to this one.
func (s *Store) Import(from *Store, t smt.Term) (smt.Term, error) {
	if from == s {
		return t, nil
	}
	return newImporter(from.Arena, s.Arena).term(t)
}

// ImportSort copies a sort of another store to this one.
func (s *Store) ImportSort(from *Store, x smt.Sort) (smt.Sort, error) {
	if from == s || x <= smt.SortUnknown {
		return x, nil
	}
	return newImporter(from.Arena, s.Arena).sort(x)
}

// term copies a term. It only reads the arena it copies from, without that arena's scratch memory.
func (im *importer) term(root smt.Term) (smt.Term, error) {
	type frame struct {
		t    smt.Term
		next int
	}
	stack := []frame{{t: root}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if _, done := im.terms[f.t]; done {
			stack = stack[:len(stack)-1]
			continue
		}
		if f.next < im.from.NumArgs(f.t) {
			c := im.from.Arg(f.t, f.next)
			f.next++
			if _, done := im.terms[c]; !done {
				stack = append(stack, frame{t: c})
			}
			continue
		}
		t := f.t
		stack = stack[:len(stack)-1]
		r, err := im.node(t)
		if err != nil {
			return 0, err
		}
		im.terms[t] = r
	}
	return im.terms[root], nil
}

// node copies a term whose arguments are copied.
func (im *importer) node(t smt.Term) (smt.Term, error) {
	a, to := im.from, im.to
	args := make([]smt.Term, a.NumArgs(t))
	for i := range args {
		args[i] = im.terms[a.Arg(t, i)]
	}
	switch a.Op(t) {
	case smt.OpIntLit:
		n, _ := a.IntOf(t)
		return to.IntVal(n), nil
	case smt.OpRealLit:
		r, _ := a.RatOf(t)
		return to.RealVal(r), nil
	case smt.OpBVLit:
		n, _ := a.BVOf(t)
		return to.BV(a.Width(a.Sort(t)), n), nil
	case smt.OpStringLit:
		s, _ := a.StrOf(t)
		return to.Str(s), nil
	case smt.OpAnnot:
		attrs := a.Annotations(t)
		rest := args[1:]
		for i := range attrs {
			n := len(attrs[i].Terms)
			attrs[i].Terms, rest = rest[:n:n], rest[n:]
		}
		return to.Annotate(args[0], attrs), nil
	}
	sort, err := im.sort(a.Sort(t))
	if err != nil {
		return 0, err
	}
	switch op := a.Op(t); op {
	case smt.OpFFLit:
		n, _ := a.FFOf(t)
		return to.FFVal(sort, n), nil
	case smt.OpVar:
		return to.Var(a.VarName(t), sort), nil
	case smt.OpApply, smt.OpIs, smt.OpUpdate, smt.OpCase:
		return im.symbolic(t, sort, args)
	case smt.OpForall, smt.OpExists:
		return to.Quant(op, args[:len(args)-1], args[len(args)-1])
	case smt.OpLambda:
		return to.Lambda(args[:len(args)-1], args[len(args)-1], a.SortKind(a.Sort(t)) == smt.KindArray)
	case smt.OpMatch:
		return to.Match(args[0], args[1:])
	case smt.OpOpaque:
		head, idx := a.OpaqueHead(t)
		return to.Opaque(head, im.indices(idx), sort, args...), nil
	default:
		idx := im.indices(a.Indices(t))
		if op.Info().Qualified {
			return to.AppAs(op, sort, idx, args...)
		}
		return to.App(op, idx, args...)
	}
}

// symbolic copies a term whose head has a user symbol.
func (im *importer) symbolic(t smt.Term, sort smt.Sort, args []smt.Term) (smt.Term, error) {
	a, to := im.from, im.to
	var sym smt.Symbol
	if s := a.SymbolOf(t); s != 0 {
		var err error
		if sym, err = im.symbol(s); err != nil {
			return 0, err
		}
	}
	switch a.Op(t) {
	case smt.OpIs:
		return to.Is(sym, args[0])
	case smt.OpUpdate:
		return to.Update(sym, args[0], args[1])
	case smt.OpCase:
		return to.Case(sym, args[:len(args)-1], args[len(args)-1])
	}
	if to.SymbolInfo(sym).Kind == smt.SymConstructor {
		return to.ApplyAs(sym, sort, args...)
	}
	return to.Apply(sym, args...)
}

func (im *importer) indices(idx []smt.Index) []smt.Index {
	var out []smt.Index
	for _, i := range idx {
		if name, ok := im.from.IndexName(i); ok {
			out = append(out, im.to.NameIndex(name))
		} else {
			n, _ := im.from.IndexNum(i)
			out = append(out, im.to.BigIndex(n))
		}
	}
	return out
}

func (im *importer) sortList(xs []smt.Sort) ([]smt.Sort, error) {
	out := make([]smt.Sort, len(xs))
	for i, x := range xs {
		var err error
		if out[i], err = im.sort(x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (im *importer) sort(x smt.Sort) (smt.Sort, error) {
	if x <= smt.SortUnknown {
		return x, nil
	}
	if r, ok := im.sorts[x]; ok {
		return r, nil
	}
	r, err := im.newSort(x)
	if err == nil {
		im.sorts[x] = r
	}
	return r, err
}

func (im *importer) newSort(x smt.Sort) (smt.Sort, error) {
	a, to := im.from, im.to
	args, err := im.sortList(a.SortArgs(x))
	if err != nil {
		return 0, err
	}
	switch kind := a.SortKind(x); kind {
	case smt.KindBitVec:
		return to.BitVec(a.Width(x)), nil
	case smt.KindFloat:
		return to.Float(a.FloatFormat(x)), nil
	case smt.KindArray:
		return to.Array(args[0], args[1]), nil
	case smt.KindSeq:
		return to.Seq(args[0]), nil
	case smt.KindSet:
		return to.Set(args[0]), nil
	case smt.KindBag:
		return to.Bag(args[0]), nil
	case smt.KindTuple:
		return to.Tuple(args...), nil
	case smt.KindFunc:
		return to.Func(args...), nil
	case smt.KindFiniteField:
		return to.FiniteField(a.Modulus(x)), nil
	case smt.KindUser:
		name, arity := a.SortSymbolName(a.SortSymbolOf(x))
		return to.SortApp(to.DeclareSort(im.name(name), arity), args...)
	case smt.KindDatatype:
		name, _ := a.SortSymbolName(a.SortSymbolOf(x))
		sym := findDatatype(to, name)
		if sym == 0 {
			return 0, fmt.Errorf("the datatype %s is not declared there", smt.QuoteSymbol(name))
		}
		return to.SortApp(sym, args...)
	}
	return 0, fmt.Errorf("the sort %s cannot be brought over", a.SortString(x))
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
	if r, ok := im.syms[f]; ok {
		return r, nil
	}
	r, err := im.newSymbol(f)
	if err == nil {
		im.syms[f] = r
	}
	return r, err
}

func (im *importer) newSymbol(f smt.Symbol) (smt.Symbol, error) {
	a, to := im.from, im.to
	info := a.SymbolInfo(f)
	if info.Datatype != 0 {
		return im.member(f)
	}
	params, err := im.sortList(info.Params)
	if err != nil {
		return 0, err
	}
	result, err := im.sort(info.Result)
	if err != nil {
		return 0, err
	}
	if info.Body == 0 {
		return to.Declare(im.name(info.Name), params, result), nil
	}
	if info.Recursive {
		return 0, fmt.Errorf("the recursive function %s cannot be brought over", smt.QuoteSymbol(info.Name))
	}
	sub := newImporter(a, to)
	sub.rename, sub.sorts, sub.syms = im.rename, im.sorts, im.syms
	body, err := sub.term(info.Body)
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
	info := im.from.SymbolInfo(f)
	name, _ := im.from.SortSymbolName(info.Datatype)
	if sym := findDatatype(im.to, name); sym != 0 {
		dt := im.to.Datatype(sym)
		if info.Ctor < len(dt.Constructors) {
			c := dt.Constructors[info.Ctor]
			if info.Kind == smt.SymConstructor && c.Name == info.Name {
				return c.Symbol, nil
			}
			if info.Kind == smt.SymSelector && info.Field < len(c.Selectors) && im.to.SymbolName(c.Selectors[info.Field]) == info.Name {
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
	case smt.OpApply, smt.OpIs, smt.OpUpdate, smt.OpCase:
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
