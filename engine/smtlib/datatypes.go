package smtlib

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
)

// datatype is one datatype of a declaration that is being read.
type datatype struct {
	name   nameID
	off    int
	params []nameID
	ctors  []SExpr
	old    bool // z3's older syntax: parameters for the whole group
}

// datatypes reads the rest of declare-datatype and declare-datatypes, in the syntax of SMT-LIB 2.6 and later or in
// z3's older one.
func (p *parser) datatypes(c *Command) bool {
	var args []SExpr
	for p.next() != clClose {
		if p.atEnd() {
			return p.fail(c.Pos.Offset, "this ( has no )")
		}
		e, ok := p.sexpr()
		if !ok {
			return false
		}
		args = append(args, e)
	}
	end := p.pos
	if len(args) != 2 {
		return p.fail(c.Pos.Offset, fmt.Sprintf("%s takes 2 arguments, given %d", c.Kind, len(args)))
	}
	var group []datatype
	ok := false
	switch {
	case c.Kind == CmdDeclareDatatype:
		group = make([]datatype, 1)
		ok = p.datatypeBody(&group[0], &args[0], &args[1])
	case !args[0].IsList() || !args[1].IsList():
		return p.fail(args[0].Offset, "declare-datatypes takes two lists")
	case len(args[0].List) == 0 || !args[0].List[0].IsList():
		group, ok = p.oldGroup(&args[0], args[1].List)
	default:
		group, ok = p.group(args[0].List, &args[1])
	}
	if !ok {
		return false
	}
	m := p.a.Mark()
	if !p.declareGroup(c, group) {
		// A datatype without its constructors must not stay where the next script would find it.
		p.a.Release(m)
		return false
	}
	p.pos = end
	return true
}

// group reads ((name arity) …) and the datatypes that belong to them.
func (p *parser) group(sorts []SExpr, bodies *SExpr) ([]datatype, bool) {
	if len(sorts) != len(bodies.List) {
		return nil, p.fail(bodies.Offset, fmt.Sprintf("%d datatypes are named and %d described", len(sorts), len(bodies.List)))
	}
	group := make([]datatype, len(sorts))
	for i := range sorts {
		s := &sorts[i]
		if len(s.List) != 2 || s.List[0].IsList() {
			return nil, p.fail(s.Offset, "expected (name arity)")
		}
		if !p.datatypeBody(&group[i], &s.List[0], &bodies.List[i]) {
			return nil, false
		}
		if n := fmt.Sprint(len(group[i].params)); n != s.List[1].Atom {
			return nil, p.fail(s.List[1].Offset, fmt.Sprintf("the arity of %s is %s, but its description has %s parameters", s.List[0].Atom, s.List[1].String(), n))
		}
	}
	return group, true
}

// datatypeBody reads a list of constructors, perhaps inside (par (parameters) …).
func (p *parser) datatypeBody(d *datatype, name, body *SExpr) bool {
	var ok bool
	if d.name, ok = p.nameOf(name, "the name of a datatype"); !ok {
		return false
	}
	d.off = name.Offset
	if !body.IsList() {
		return p.fail(body.Offset, "expected a list of constructors")
	}
	if body.Head() == "par" && len(body.List) == 3 && body.List[1].IsList() && body.List[2].IsList() {
		for i := range body.List[1].List {
			x, ok := p.nameOf(&body.List[1].List[i], "a sort parameter")
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

// oldGroup reads z3's older syntax: (parameters) ((name constructor …) …).
func (p *parser) oldGroup(params *SExpr, bodies []SExpr) ([]datatype, bool) {
	var shared []nameID
	for i := range params.List {
		x, ok := p.nameOf(&params.List[i], "a sort parameter")
		if !ok {
			return nil, false
		}
		shared = append(shared, x)
	}
	group := make([]datatype, len(bodies))
	for i := range bodies {
		b := &bodies[i]
		if len(b.List) < 2 {
			return nil, p.fail(b.Offset, "expected (name constructor …)")
		}
		id, ok := p.nameOf(&b.List[0], "the name of a datatype")
		if !ok {
			return nil, false
		}
		group[i] = datatype{name: id, off: b.Offset, params: shared, ctors: b.List[1:], old: true}
	}
	return group, true
}

// nameOf interns the symbol that an S-expression must be.
func (p *parser) nameOf(e *SExpr, what string) (nameID, bool) {
	s := e.Symbol()
	if s == "" && e.Atom != "||" {
		return 0, p.fail(e.Offset, "expected "+what+", found "+e.String())
	}
	return p.intern(s), true
}

// declareGroup makes the datatypes of a group, or finds them in the arena, and binds all their names.
func (p *parser) declareGroup(c *Command, group []datatype) bool {
	var names []string
	var params [][]string
	for _, d := range group {
		names = append(names, p.names.ents[d.name].text)
		var ps []string
		for _, x := range d.params {
			ps = append(ps, p.names.ents[x].text)
		}
		params = append(params, ps)
	}
	key, ok := p.groupKey(c, group)
	if !ok {
		return false
	}
	syms, done := p.a.BeginDatatypes(string(key), names, params)
	c.Sorts = syms
	scope := len(p.binds)
	for i, d := range group {
		p.declaresSort(d.name, d.off)
		p.bind(d.name, bindSortSym, uint32(syms[i]))
	}
	for i := range group {
		if done {
			break
		}
		if !p.defineDatatype(syms, group, i) {
			return false
		}
	}
	p.groupIsLegal(group, syms)
	if len(p.binds) != scope+len(group) {
		p.undo(scope + len(group))
	}
	for _, s := range syms {
		for _, k := range p.a.Datatype(s).Constructors {
			p.bindSymbol(p.intern(k.Name), k.Symbol)
			for _, sel := range k.Selectors {
				p.bindSymbol(p.intern(p.a.SymbolName(sel)), sel)
			}
		}
	}
	return true
}

// defineDatatype reads the constructors of datatype i of the group.
func (p *parser) defineDatatype(syms []smt.SortSymbol, group []datatype, i int) bool {
	d := &group[i]
	mark := len(p.binds)
	dt := p.a.Datatype(syms[i])
	for j, x := range d.params {
		p.bind(x, bindSortFixed, uint32(dt.Params[j]))
	}
	if d.old && len(d.params) > 0 {
		// Here the name alone means the datatype at its parameters.
		for j := range group {
			p.bind(group[j].name, bindSortFixed, uint32(p.a.Datatype(syms[j]).Self))
		}
	}
	var ctors []smt.ConstructorDecl
	for k := range d.ctors {
		e := &d.ctors[k]
		head := e
		if e.IsList() {
			if len(e.List) == 0 {
				return p.fail(e.Offset, "expected a constructor")
			}
			head = &e.List[0]
		}
		id, ok := p.nameOf(head, "the name of a constructor")
		if !ok {
			return false
		}
		decl := smt.ConstructorDecl{Name: p.names.ents[id].text}
		for j := 1; j < len(e.List); j++ {
			f := &e.List[j]
			if len(f.List) != 2 {
				return p.fail(f.Offset, "expected a selector (name sort)")
			}
			id, ok := p.nameOf(&f.List[0], "the name of a selector")
			if !ok {
				return false
			}
			p.pos = f.List[1].Offset
			s, ok := p.sort()
			if !ok {
				return false
			}
			decl.Selectors = append(decl.Selectors, smt.SelectorDecl{Name: p.names.ents[id].text, Sort: s})
		}
		ctors = append(ctors, decl)
	}
	p.undo(mark)
	if err := p.a.DefineDatatype(syms[i], ctors); err != nil {
		return p.fail(d.off, err.Error())
	}
	return true
}

// groupKey writes the declaration so that two of them have one key exactly if they mean the same: names of the group
// and of parameters as they are, any other sort as what its name stands for here.
func (p *parser) groupKey(c *Command, group []datatype) ([]byte, bool) {
	key := append([]byte(c.Name), 0)
	own := map[string]bool{}
	for _, d := range group {
		own[p.names.ents[d.name].text] = true
	}
	for _, d := range group {
		key = fmt.Appendf(key, "%q(", p.names.ents[d.name].text)
		var self []byte // what follows a datatype's name where that alone means the datatype at its parameters
		params := make(map[string]bool, len(d.params))
		for _, x := range d.params {
			name := p.names.ents[x].text
			key = fmt.Appendf(key, "%q ", name)
			self = fmt.Appendf(self, "%q", name)
			params[name] = true
		}
		k := keyWriter{p: p, own: own, params: params}
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

// keyWriter writes constructors for groupKey. Names of the group and of parameters stay as they are; where self is
// set, a name of the group alone is written as if it were applied to the parameters.
type keyWriter struct {
	p           *parser
	own, params map[string]bool
	self        []byte
}

func (k *keyWriter) write(key []byte, e *SExpr, depth int) ([]byte, bool) {
	if depth > maxSortDepth {
		return nil, k.p.fail(e.Offset, fmt.Sprintf("sorts nest deeper than %d levels", maxSortDepth))
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
	if b := k.p.names.ents[k.p.intern(s)].sort; b != 0 {
		bd := &k.p.binds[b-1]
		key = append(key, bd.kind)
		if bd.kind != bindSortMacro {
			return binary.AppendUvarint(key, uint64(bd.sym)), true
		}
		m := &k.p.macros[bd.sym]
		key = binary.AppendUvarint(key, uint64(m.body))
		for _, x := range m.params {
			key = binary.AppendUvarint(key, uint64(x))
		}
	}
	return key, true
}
