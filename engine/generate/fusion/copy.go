package fusion

import (
	"fmt"
	"sync"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
)

// copier copies the declarations of a script, and terms over them, to another arena. Declared sorts, datatypes with
// their constructors and selectors, functions and definitions get names that nothing there has; bound variables keep
// theirs, since they are variables and not symbols: no name can capture another.
type copier struct {
	smt.Copier
	name func(string) string // a free name, the given one if it is free
	tag  string              // tells the datatypes of two copies of a script apart

	symbols   []smt.Symbol
	universes *model.Model // says how many elements the uninterpreted sorts have
}

// copiers are kept for their memory.
var copiers = sync.Pool{New: func() any { return new(copier) }}

func newCopier(from, to *smt.Arena, name func(string) string, tag string) *copier {
	c := copiers.Get().(*copier)
	c.Reset(from, to, true)
	c.name, c.tag, c.universes = name, tag, nil
	return c
}

// free gives the copier back.
func (c *copier) free() {
	c.name, c.universes, c.symbols = nil, nil, nil
	c.From, c.To, c.Symbol = nil, nil, nil
	copiers.Put(c)
}

// copyCommands appends copies of the declarations of a script, in their order. A symbol that a script declares again in
// another scope is declared once.
func (c *copier) copyCommands(out, cmds []smtlib.Command) ([]smtlib.Command, error) {
	symbols := 0
	for i := range cmds {
		symbols += len(cmds[i].Symbols)
	}
	c.symbols = make([]smt.Symbol, 0, symbols) // of all commands
	for i := range cmds {
		x := &cmds[i]
		if !x.Kind.IsDeclaration() || x.Kind == smtlib.CmdDefineSort {
			continue
		}
		n, err := c.copyCommand(x)
		if err != nil {
			return out, err
		}
		if len(n.Symbols)+len(n.Sorts) > 0 {
			out = append(out, n)
		}
	}
	return out, nil
}

func (c *copier) copyCommand(x *smtlib.Command) (smtlib.Command, error) {
	n := smtlib.Command{Kind: x.Kind, Name: x.Name}
	switch x.Kind {
	case smtlib.CmdDeclareSort:
		if c.SortSymbolNow(x.Sorts[0]) == 0 {
			name, arity := c.From.SortSymbolName(x.Sorts[0])
			s := c.To.DeclareSort(c.name(name), arity)
			c.BindSortSymbol(x.Sorts[0], s)
			n.Sorts = []smt.SortSymbol{s}
		}
		return n, nil
	case smtlib.CmdDeclareDatatype, smtlib.CmdDeclareDatatypes:
		return n, c.copyDatatypes(x.Sorts, &n)
	case smtlib.CmdDeclareSortParameter:
		return n, fmt.Errorf("sort parameters cannot be joined")
	}
	from := len(c.symbols)
	for _, f := range x.Symbols {
		if c.SymbolNow(f) != 0 {
			continue
		}
		g, err := c.copyDeclaration(f)
		if err != nil {
			return n, err
		}
		c.symbols = append(c.symbols, g)
	}
	to := len(c.symbols)
	n.Symbols = c.symbols[from:to:to]
	for _, f := range x.Symbols { // bodies last: they may use one another
		if info := c.From.SymbolInfo(f); info.Recursive && len(n.Symbols) > 0 {
			body, err := c.Term(info.Body)
			if err != nil {
				return n, err
			}
			if err := c.To.DefineRecursive(c.SymbolNow(f), body); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// copyDeclaration copies a declared or defined function.
func (c *copier) copyDeclaration(f smt.Symbol) (smt.Symbol, error) {
	info := *c.From.SymbolInfo(f)
	name := c.name(info.Name)
	params, err := c.Sorts(info.Params)
	if err != nil {
		return 0, err
	}
	result, err := c.Sort(info.Result)
	if err != nil {
		return 0, err
	}
	var g smt.Symbol
	if info.Kind == smt.SymDeclared {
		g = c.To.Declare(name, params, result)
		c.BindSymbol(f, g)
		return g, nil
	}
	var vars []smt.Term
	for i, v := range info.Vars {
		vars = append(vars, c.To.Var(c.From.VarName(v), params[i]))
	}
	if info.Recursive {
		g = c.To.DeclareRecursive(c.tag+name, name, vars, result)
		c.BindSymbol(f, g)
		return g, nil
	}
	body, err := c.Term(info.Body)
	if err != nil {
		return 0, err
	}
	if g, err = c.To.Define(name, vars, result, body); err == nil {
		c.BindSymbol(f, g)
	}
	return g, err
}

// copyDatatypes copies a group of datatypes.
func (c *copier) copyDatatypes(group []smt.SortSymbol, n *smtlib.Command) error {
	if c.SortSymbolNow(group[0]) != 0 {
		return nil
	}
	var names []string
	var params [][]string
	key := c.tag
	for _, s := range group {
		dt := c.From.Datatype(s)
		name := c.name(dt.Name)
		names, key = append(names, name), key+"|"+name
		var ps []string
		for _, p := range dt.Params {
			ps = append(ps, c.From.SortString(p))
		}
		params = append(params, ps)
	}
	syms, done := c.To.BeginDatatypes(key, names, params)
	if done {
		return fmt.Errorf("the datatype %s is there already", names[0])
	}
	for i, s := range group {
		c.BindSortSymbol(s, syms[i])
	}
	for i, s := range group {
		if err := c.copyDatatype(s, syms[i]); err != nil {
			return err
		}
	}
	n.Sorts = syms
	return nil
}

func (c *copier) copyDatatype(s, to smt.SortSymbol) error {
	dt := c.From.Datatype(s)
	var ctors []smt.ConstructorDecl
	for _, k := range dt.Constructors {
		d := smt.ConstructorDecl{Name: c.name(k.Name)}
		for _, sel := range k.Selectors {
			field, err := c.Sort(c.From.SymbolInfo(sel).Result)
			if err != nil {
				return err
			}
			d.Selectors = append(d.Selectors, smt.SelectorDecl{Name: c.name(c.From.SymbolName(sel)), Sort: field})
		}
		ctors = append(ctors, d)
	}
	if err := c.To.DefineDatatype(to, ctors); err != nil {
		return err
	}
	copied := c.To.Datatype(to)
	for i, k := range dt.Constructors {
		c.BindSymbol(k.Symbol, copied.Constructors[i].Symbol)
		for j, sel := range k.Selectors {
			c.BindSymbol(sel, copied.Constructors[i].Selectors[j])
		}
	}
	return nil
}
