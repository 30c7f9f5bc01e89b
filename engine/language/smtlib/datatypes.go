package smtlib

import (
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/termread"
)

// datatype is one datatype of a declaration that is being read.
type datatype struct {
	name   termread.NameID
	off    int
	params []termread.NameID
	ctors  []SExpr
	old    bool // z3's older syntax: parameters for the whole group
}

// datatypes reads the rest of declare-datatype and declare-datatypes, in the syntax of SMT-LIB 2.6 and later or in
// z3's older one.
func (p *parser) datatypes(c *Command) bool {
	var args []SExpr
	for p.Next() != sexpr.Close {
		if p.AtEnd() {
			return p.Fail(c.Pos.Offset, "this ( has no )")
		}
		e, ok := p.Expr()
		if !ok {
			return false
		}
		args = append(args, e)
	}
	// Sorts of fields are read later, at their places in the text, which moves the position.
	end := p.Pos
	if len(args) != 2 {
		return p.Fail(c.Pos.Offset, fmt.Sprintf("%s takes 2 arguments, given %d", c.Kind, len(args)))
	}
	g := datatypeGroup{parser: p, codatatypes: c.Name}
	ok := false
	switch {
	case c.Kind == CmdDeclareDatatype:
		g.members = make([]datatype, 1)
		ok = g.member(&g.members[0], &args[0], &args[1])
	case !args[0].IsList() || !args[1].IsList():
		return p.Fail(args[0].Offset, "declare-datatypes takes two lists")
	case len(args[0].List) == 0 || !args[0].List[0].IsList():
		ok = g.oldSyntax(&args[0], args[1].List)
	default:
		ok = g.standardSyntax(args[0].List, &args[1])
	}
	if !ok {
		return false
	}
	m := p.Arena.Mark()
	if !g.declare() {
		// The next script must not find a datatype without constructors in the arena.
		p.Arena.Release(m)
		return false
	}
	c.Sorts = g.syms
	p.Pos = end
	return true
}

// datatypeGroup is the datatypes that one command declares.
type datatypeGroup struct {
	*parser
	codatatypes string // the command's name, where it is another than the standard's
	members     []datatype
	syms        []smt.SortSymbol
}

// standardSyntax reads ((name arity) …) and the datatypes that belong to them.
func (g *datatypeGroup) standardSyntax(sorts []SExpr, bodies *SExpr) bool {
	if len(sorts) != len(bodies.List) {
		return g.Fail(bodies.Offset, fmt.Sprintf("%d datatypes are named and %d described", len(sorts), len(bodies.List)))
	}
	g.members = make([]datatype, len(sorts))
	for i := range sorts {
		s := &sorts[i]
		if len(s.List) != 2 || s.List[0].IsList() {
			return g.Fail(s.Offset, "expected (name arity)")
		}
		if !g.member(&g.members[i], &s.List[0], &bodies.List[i]) {
			return false
		}
		if n := fmt.Sprint(len(g.members[i].params)); n != s.List[1].Atom {
			return g.Fail(s.List[1].Offset, fmt.Sprintf("the arity of %s is %s, but its description has %s parameters", s.List[0].Atom, s.List[1].String(), n))
		}
	}
	return true
}

// member reads a list of constructors, perhaps inside (par (parameters) …).
func (g *datatypeGroup) member(d *datatype, name, body *SExpr) bool {
	var ok bool
	if d.name, ok = g.nameOf(name, "the name of a datatype"); !ok {
		return false
	}
	d.off = name.Offset
	if !body.IsList() {
		return g.Fail(body.Offset, "expected a list of constructors")
	}
	if body.Head() == "par" && len(body.List) == 3 && body.List[1].IsList() && body.List[2].IsList() {
		for i := range body.List[1].List {
			x, ok := g.nameOf(&body.List[1].List[i], "a sort parameter")
			if !ok {
				return false
			}
			d.params = append(d.params, x)
		}
		body = &body.List[2]
	}
	d.ctors = body.List
	return true
}

// oldSyntax reads z3's older syntax: (parameters) ((name constructor …) …).
func (g *datatypeGroup) oldSyntax(params *SExpr, bodies []SExpr) bool {
	var shared []termread.NameID
	for i := range params.List {
		x, ok := g.nameOf(&params.List[i], "a sort parameter")
		if !ok {
			return false
		}
		shared = append(shared, x)
	}
	g.members = make([]datatype, len(bodies))
	for i := range bodies {
		b := &bodies[i]
		if len(b.List) < 2 {
			return g.Fail(b.Offset, "expected (name constructor …)")
		}
		id, ok := g.nameOf(&b.List[0], "the name of a datatype")
		if !ok {
			return false
		}
		g.members[i] = datatype{name: id, off: b.Offset, params: shared, ctors: b.List[1:], old: true}
	}
	return true
}

// nameOf interns the symbol that an S-expression must be.
func (g *datatypeGroup) nameOf(e *SExpr, what string) (termread.NameID, bool) {
	s := e.Symbol()
	if s == "" && e.Atom != "||" {
		return 0, g.Fail(e.Offset, "expected "+what+", found "+e.String())
	}
	return g.Intern(s), true
}

// declare makes the datatypes, or finds them in the arena, and binds all their names.
func (g *datatypeGroup) declare() bool {
	var names []string
	var params [][]string
	for _, d := range g.members {
		names = append(names, g.Name(d.name))
		var ps []string
		for _, x := range d.params {
			ps = append(ps, g.Name(x))
		}
		params = append(params, ps)
	}
	key, ok := g.key()
	if !ok {
		return false
	}
	syms, done := g.Arena.BeginDatatypes(string(key), names, params)
	g.syms = syms
	scope := g.Bound()
	// All names before all constructors: a field may be of any sort of the group.
	for i, d := range g.members {
		g.CheckNewSort(d.name, d.off)
		g.BindSort(d.name, syms[i])
	}
	for i := range g.members {
		// Another script over the arena has declared the same group.
		if done {
			break
		}
		if !g.define(i) {
			return false
		}
	}
	g.check()
	if g.Bound() != scope+len(g.members) {
		g.Undo(scope + len(g.members))
	}
	for _, s := range syms {
		for _, k := range g.Arena.Datatype(s).Constructors {
			g.BindSymbol(g.Intern(k.Name), k.Symbol)
			for _, sel := range k.Selectors {
				g.BindSymbol(g.Intern(g.Arena.SymbolName(sel)), sel)
			}
		}
	}
	return true
}

// define reads the constructors of datatype i.
func (g *datatypeGroup) define(i int) bool {
	d := &g.members[i]
	mark := g.Bound()
	dt := g.Arena.Datatype(g.syms[i])
	for j, x := range d.params {
		g.BindFixedSort(x, dt.Params[j])
	}
	if d.old && len(d.params) > 0 {
		// Here the bare name means the datatype applied to its parameters.
		for j := range g.members {
			g.BindFixedSort(g.members[j].name, g.Arena.Datatype(g.syms[j]).Self)
		}
	}
	var ctors []smt.ConstructorDecl
	for k := range d.ctors {
		e := &d.ctors[k]
		head := e
		if e.IsList() {
			if len(e.List) == 0 {
				return g.Fail(e.Offset, "expected a constructor")
			}
			head = &e.List[0]
		}
		id, ok := g.nameOf(head, "the name of a constructor")
		if !ok {
			return false
		}
		decl := smt.ConstructorDecl{Name: g.Name(id)}
		for j := 1; j < len(e.List); j++ {
			f := &e.List[j]
			if len(f.List) != 2 {
				return g.Fail(f.Offset, "expected a selector (name sort)")
			}
			id, ok := g.nameOf(&f.List[0], "the name of a selector")
			if !ok {
				return false
			}
			g.Pos = f.List[1].Offset
			s, ok := g.Sort()
			if !ok {
				return false
			}
			decl.Selectors = append(decl.Selectors, smt.SelectorDecl{Name: g.Name(id), Sort: s})
		}
		ctors = append(ctors, decl)
	}
	g.Undo(mark)
	if err := g.Arena.DefineDatatype(g.syms[i], ctors); err != nil {
		return g.Fail(d.off, err.Error())
	}
	return true
}

// key writes the declaration so that two of them have one key exactly if they mean the same: it keeps names of the
// group and of parameters, and replaces any other sort by what its name stands for here.
func (g *datatypeGroup) key() ([]byte, bool) {
	key := append([]byte(g.codatatypes), 0)
	own := map[string]bool{}
	for _, d := range g.members {
		own[g.Name(d.name)] = true
	}
	for _, d := range g.members {
		key = fmt.Appendf(key, "%q(", g.Name(d.name))
		var self []byte // what follows a datatype's name where that alone means the datatype at its parameters
		params := make(map[string]bool, len(d.params))
		for _, x := range d.params {
			name := g.Name(x)
			key = fmt.Appendf(key, "%q ", name)
			self = fmt.Appendf(self, "%q", name)
			params[name] = true
		}
		k := keyWriter{p: g.parser, own: own, params: params}
		if d.old && len(d.params) > 0 {
			k.self = self
		}
		key = append(key, ')')
		for i := range d.ctors {
			e := d.ctors[i]
			if !e.IsList() { // a constructor without its parentheses
				e = SExpr{List: []SExpr{e}, Offset: e.Offset}
			}
			var ok bool
			if key, ok = k.write(key, &e, 0); !ok {
				return nil, false
			}
		}
	}
	return key, true
}

// keyWriter writes constructors for key. Names of the group and of parameters stay as they are; where self is
// set, a name of the group alone is written as if it were applied to the parameters.
type keyWriter struct {
	p           *parser
	own, params map[string]bool
	self        []byte
}

func (k *keyWriter) write(key []byte, e *SExpr, depth int) ([]byte, bool) {
	if depth > termread.MaxSortDepth {
		return nil, k.p.Fail(e.Offset, fmt.Sprintf("sorts nest deeper than %d levels", termread.MaxSortDepth))
	}
	if e.IsList() {
		key = append(key, '(')
		for i := range e.List {
			var ok bool
			if key, ok = k.write(key, &e.List[i], depth+1); !ok {
				return nil, false
			}
		}
		return append(key, ')'), true
	}
	s := e.Symbol()
	if s == "" {
		return append(append(key, ' '), e.Atom...), true
	}
	if k.self != nil && k.own[s] && depth > 1 {
		return append(fmt.Appendf(append(key, '('), "%q", s), append(slices.Clone(k.self), ')')...), true
	}
	key = fmt.Appendf(key, "%q", s)
	if k.own[s] || k.params[s] {
		return key, true
	}
	return k.p.AppendSortKey(key, k.p.Intern(s)), true
}

// check checks that solvers take the group: constructors and selectors of one datatype have different
// names, and each datatype has a value that does not contain one of its own sort (SMT-LIB 2.7, section on declaring
// datatypes). Sorts of other kinds, such as arrays of the datatype, count as having one, although solvers refuse some.
func (g *datatypeGroup) check() {
	for i := range g.members {
		dt := g.Arena.Datatype(g.syms[i])
		ctors, selectors := map[string]bool{}, map[string]bool{}
		for k := range dt.Constructors {
			ctor := &dt.Constructors[k]
			off := g.members[i].ctors[k].Offset
			if ctors[ctor.Name] {
				g.Illegal(off, "the constructor "+smt.QuoteSymbol(ctor.Name)+" is there twice in "+smt.QuoteSymbol(dt.Name))
			}
			ctors[ctor.Name] = true
			for j, f := range ctor.Selectors {
				name := g.Arena.SymbolName(f)
				if selectors[name] {
					g.Illegal(g.members[i].ctors[k].List[j+1].Offset, "the selector "+smt.QuoteSymbol(name)+" is there twice in "+smt.QuoteSymbol(dt.Name))
				}
				selectors[name] = true
			}
		}
	}
	if off, name := g.uninhabited(); name != "" {
		g.Illegal(off, "the datatype "+smt.QuoteSymbol(name)+" is not well-founded: each of its constructors needs a value of it first")
	}
}

// uninhabited returns a datatype of the group without a finite value.
func (g *datatypeGroup) uninhabited() (off int, name string) {
	has := make([]bool, len(g.syms))
	ready := func(s smt.Sort) bool {
		if g.Arena.SortKind(s) != smt.KindDatatype {
			return true
		}
		i := slices.Index(g.syms, g.Arena.SortSymbolOf(s))
		return i < 0 || has[i]
	}
	for changed := true; changed; {
		changed = false
		for i, s := range g.syms {
			if has[i] {
				continue
			}
			for _, k := range g.Arena.Datatype(s).Constructors {
				if !slices.ContainsFunc(g.Arena.SymbolInfo(k.Symbol).Params, func(s smt.Sort) bool { return !ready(s) }) {
					has[i], changed = true, true
					break
				}
			}
		}
	}
	for i, s := range g.syms {
		if dt := g.Arena.Datatype(s); !has[i] {
			return g.members[i].off, dt.Name
		}
	}
	return 0, ""
}
