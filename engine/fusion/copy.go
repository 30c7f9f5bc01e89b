package fusion

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// copier brings what a script declares, and terms over it, to another arena. Declared sorts, datatypes with their
// constructors and selectors, functions and definitions get names that nothing there has; bound variables keep theirs,
// since they are variables and not symbols: no name can capture another.
type copier struct {
	from, to *smt.Arena
	name     func(string) string // a free name, the given one if it is free
	tag      string              // tells the datatypes of two copies of a script apart

	sorts    map[smt.Sort]smt.Sort
	sortSyms map[smt.SortSymbol]smt.SortSymbol
	syms     map[smt.Symbol]smt.Symbol
	terms    []smt.Term // by term of from

	universes *eval.Model                          // says how many elements the uninterpreted sorts have
	element   func(smt.Symbol) (smt.Symbol, error) // finds what a model names beside what is declared
	args      []smt.Term
	idx       []smt.Index
}

func newCopier(from, to *smt.Arena, name func(string) string, tag string) *copier {
	return &copier{from: from, to: to, name: name, tag: tag, sorts: map[smt.Sort]smt.Sort{},
		sortSyms: map[smt.SortSymbol]smt.SortSymbol{}, syms: map[smt.Symbol]smt.Symbol{}, terms: make([]smt.Term, from.Len())}
}

// commands copies the declarations of a script, in their order. What a script declares again in another scope is
// declared once.
func (c *copier) commands(cmds []smtlib.Command) ([]smtlib.Command, error) {
	var out []smtlib.Command
	for i := range cmds {
		x := &cmds[i]
		if !x.Kind.IsDeclaration() || x.Kind == smtlib.CmdDefineSort {
			continue
		}
		n, err := c.command(x)
		if err != nil {
			return nil, err
		}
		if len(n.Symbols)+len(n.Sorts) > 0 {
			out = append(out, n)
		}
	}
	return out, nil
}

func (c *copier) command(x *smtlib.Command) (smtlib.Command, error) {
	n := smtlib.Command{Kind: x.Kind, Name: x.Name}
	switch x.Kind {
	case smtlib.CmdDeclareSort:
		if c.sortSyms[x.Sorts[0]] == 0 {
			name, arity := c.from.SortSymbolName(x.Sorts[0])
			s := c.to.DeclareSort(c.name(name), arity)
			c.sortSyms[x.Sorts[0]] = s
			n.Sorts = []smt.SortSymbol{s}
		}
		return n, nil
	case smtlib.CmdDeclareDatatype, smtlib.CmdDeclareDatatypes:
		return n, c.datatypes(x.Sorts, &n)
	case smtlib.CmdDeclareSortParameter:
		return n, fmt.Errorf("sort parameters cannot be joined")
	}
	for _, f := range x.Symbols {
		if c.syms[f] != 0 {
			continue
		}
		g, err := c.declare(f)
		if err != nil {
			return n, err
		}
		n.Symbols = append(n.Symbols, g)
	}
	for _, f := range x.Symbols { // bodies last: they may use one another
		if info := c.from.SymbolInfo(f); info.Recursive && len(n.Symbols) > 0 {
			body, err := c.term(info.Body)
			if err != nil {
				return n, err
			}
			if err := c.to.DefineRecursive(c.syms[f], body); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// declare copies a declared or defined function.
func (c *copier) declare(f smt.Symbol) (smt.Symbol, error) {
	info := *c.from.SymbolInfo(f)
	name := c.name(info.Name)
	var params []smt.Sort
	for _, s := range info.Params {
		p, err := c.sort(s)
		if err != nil {
			return 0, err
		}
		params = append(params, p)
	}
	result, err := c.sort(info.Result)
	if err != nil {
		return 0, err
	}
	var g smt.Symbol
	if info.Kind == smt.SymDeclared {
		g = c.to.Declare(name, params, result)
		c.syms[f] = g
		return g, nil
	}
	var vars []smt.Term
	for i, v := range info.Vars {
		vars = append(vars, c.to.Var(c.from.VarName(v), params[i]))
	}
	if info.Recursive {
		g = c.to.DeclareRecursive(c.tag+name, name, vars, result)
		c.syms[f] = g
		return g, nil
	}
	body, err := c.term(info.Body)
	if err != nil {
		return 0, err
	}
	if g, err = c.to.Define(name, vars, result, body); err == nil {
		c.syms[f] = g
	}
	return g, err
}

// datatypes copies a group of datatypes.
func (c *copier) datatypes(group []smt.SortSymbol, n *smtlib.Command) error {
	if c.sortSyms[group[0]] != 0 {
		return nil
	}
	var names []string
	var params [][]string
	key := c.tag
	for _, s := range group {
		dt := c.from.Datatype(s)
		name := c.name(dt.Name)
		names, key = append(names, name), key+"|"+name
		var ps []string
		for _, p := range dt.Params {
			ps = append(ps, c.from.SortString(p))
		}
		params = append(params, ps)
	}
	syms, done := c.to.BeginDatatypes(key, names, params)
	if done {
		return fmt.Errorf("the datatype %s is there already", names[0])
	}
	for i, s := range group {
		c.sortSyms[s] = syms[i]
	}
	for i, s := range group {
		if err := c.datatype(s, syms[i]); err != nil {
			return err
		}
	}
	n.Sorts = syms
	return nil
}

func (c *copier) datatype(s, to smt.SortSymbol) error {
	dt := c.from.Datatype(s)
	var ctors []smt.ConstructorDecl
	for _, k := range dt.Constructors {
		d := smt.ConstructorDecl{Name: c.name(k.Name)}
		for _, sel := range k.Selectors {
			field, err := c.sort(c.from.SymbolInfo(sel).Result)
			if err != nil {
				return err
			}
			d.Selectors = append(d.Selectors, smt.SelectorDecl{Name: c.name(c.from.SymbolName(sel)), Sort: field})
		}
		ctors = append(ctors, d)
	}
	if err := c.to.DefineDatatype(to, ctors); err != nil {
		return err
	}
	copied := c.to.Datatype(to)
	for i, k := range dt.Constructors {
		c.syms[k.Symbol] = copied.Constructors[i].Symbol
		for j, sel := range k.Selectors {
			c.syms[sel] = copied.Constructors[i].Selectors[j]
		}
	}
	return nil
}

func (c *copier) sort(s smt.Sort) (smt.Sort, error) {
	if s <= smt.SortUnknown {
		return s, nil
	}
	if r, ok := c.sorts[s]; ok {
		return r, nil
	}
	r, err := c.newSort(s)
	if err == nil {
		c.sorts[s] = r
	}
	return r, err
}

func (c *copier) newSort(s smt.Sort) (smt.Sort, error) {
	a, to := c.from, c.to
	var args []smt.Sort
	for _, x := range a.SortArgs(s) {
		y, err := c.sort(x)
		if err != nil {
			return 0, err
		}
		args = append(args, y)
	}
	switch a.SortKind(s) {
	case smt.KindBitVec:
		return to.BitVec(a.Width(s)), nil
	case smt.KindFloat:
		return to.Float(a.FloatFormat(s)), nil
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
		return to.FiniteField(a.Modulus(s)), nil
	case smt.KindParam:
		return to.SortParam(unquote(a.SortString(s))), nil
	case smt.KindUser, smt.KindDatatype:
		if sym := c.sortSyms[a.SortSymbolOf(s)]; sym != 0 {
			return to.SortApp(sym, args...)
		}
	}
	return 0, fmt.Errorf("the sort %s is not declared", a.SortString(s))
}

func unquote(s string) string {
	if len(s) > 1 && s[0] == '|' {
		return s[1 : len(s)-1]
	}
	return s
}

// term copies a term and what is below it.
func (c *copier) term(root smt.Term) (smt.Term, error) {
	if int(root) >= len(c.terms) {
		c.terms = append(c.terms, make([]smt.Term, c.from.Len()-len(c.terms))...)
	}
	if t := c.terms[root]; t != 0 {
		return t, nil
	}
	type frame struct {
		t    smt.Term
		next int32
		n    int32
	}
	a := c.from
	stack := make([]frame, 1, 64)
	stack[0] = frame{t: root, n: int32(a.NumArgs(root))}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next < f.n {
			x := a.Arg(f.t, int(f.next))
			f.next++
			if c.terms[x] == 0 {
				stack = append(stack, frame{t: x, n: int32(a.NumArgs(x))})
			}
			continue
		}
		t := f.t
		stack = stack[:len(stack)-1]
		if c.terms[t] != 0 {
			continue
		}
		r, err := c.node(t)
		if err != nil {
			return 0, err
		}
		c.terms[t] = r
	}
	return c.terms[root], nil
}

func (c *copier) node(t smt.Term) (smt.Term, error) {
	a, to := c.from, c.to
	args := c.args[:0]
	for _, x := range a.Args(t) {
		args = append(args, c.terms[x])
	}
	c.args = args
	op := a.Op(t)
	if !op.Structural() && !op.Info().Qualified {
		return to.App(op, c.indices(a.Indices(t)), args...)
	}
	switch op {
	case smt.OpApply, smt.OpIs, smt.OpUpdate, smt.OpCase:
		return c.symbolic(t, args)
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
	case smt.OpForall, smt.OpExists:
		return to.Quant(op, args[:len(args)-1], args[len(args)-1])
	case smt.OpLambda:
		return to.Lambda(args[:len(args)-1], args[len(args)-1], a.SortKind(a.Sort(t)) == smt.KindArray)
	case smt.OpMatch:
		return to.Match(args[0], append([]smt.Term(nil), args[1:]...))
	case smt.OpAnnot:
		attrs := a.Annotations(t)
		rest := append([]smt.Term(nil), args[1:]...)
		for i := range attrs {
			n := len(attrs[i].Terms)
			attrs[i].Terms, rest = rest[:n:n], rest[n:]
		}
		return to.Annotate(args[0], attrs), nil
	}
	sort, err := c.sort(a.Sort(t))
	if err != nil {
		return 0, err
	}
	switch op {
	case smt.OpVar:
		return to.Var(a.VarName(t), sort), nil
	case smt.OpFFLit:
		n, _ := a.FFOf(t)
		return to.FFVal(sort, n), nil
	case smt.OpOpaque:
		head, idx := a.OpaqueHead(t)
		return to.Opaque(head, c.indices(idx), sort, args...), nil
	}
	return to.AppAs(op, sort, c.indices(a.Indices(t)), args...)
}

func (c *copier) symbolic(t smt.Term, args []smt.Term) (smt.Term, error) {
	a, to := c.from, c.to
	f := smt.Symbol(0)
	if s := a.SymbolOf(t); s != 0 {
		if f = c.syms[s]; f == 0 && c.element != nil {
			var err error
			if f, err = c.element(s); err != nil {
				return 0, err
			}
		} else if f == 0 {
			return 0, fmt.Errorf("%s is not declared", a.SymbolName(s))
		}
	}
	switch a.Op(t) {
	case smt.OpIs:
		return to.Is(f, args[0])
	case smt.OpUpdate:
		return to.Update(f, args[0], args[1])
	case smt.OpCase:
		return to.Case(f, args[:len(args)-1], args[len(args)-1])
	}
	if info := to.SymbolInfo(f); info.Kind == smt.SymConstructor {
		sort, err := c.sort(a.Sort(t))
		if err != nil {
			return 0, err
		}
		return to.ApplyAs(f, sort, args...)
	}
	return to.Apply(f, args...)
}

func (c *copier) indices(idx []smt.Index) []smt.Index {
	out := c.idx[:0]
	for _, i := range idx {
		if name, ok := c.from.IndexName(i); ok {
			out = append(out, c.to.NameIndex(name))
		} else if n, ok := c.from.IndexUint(i); ok {
			out = append(out, c.to.NumIndex(n))
		} else {
			n, _ := c.from.IndexNum(i)
			out = append(out, c.to.BigIndex(n))
		}
	}
	c.idx = out
	return out
}
