package eval

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// partialByName are the functions by which solvers interpret operators where the standard leaves them open.
var partialByName = map[string]smt.Op{}

func init() {
	for op, name := range partialNames {
		partialByName[name] = op
	}
}

// definition notes a define-fun; its body is read once all names are known.
func (p *replyParser) definition(e *smtlib.SExpr) {
	l := e.List
	switch {
	case e.Head() == "define-funs-rec" && len(l) == 3 && len(l[1].List) == len(l[2].List):
		for i := range l[1].List {
			if d := l[1].List[i].List; len(d) == 3 {
				p.define1(&d[0], &d[1], &d[2], &l[2].List[i])
			}
		}
	case e.Head() == "define-const" && len(l) == 4:
		p.define1(&l[1], &smtlib.SExpr{}, &l[2], &l[3])
	case len(l) == 5:
		p.define1(&l[1], &l[2], &l[3], &l[4])
	}
}

func (p *replyParser) define1(name, params, result, body *smtlib.SExpr) {
	d := &definition{name: name.Symbol(), text: body}
	p.abstractValues(body)
	sort, err := p.scope.Sort(result.String())
	d.result, d.err = sort, err
	if err == nil && p.a.SortKind(sort) == smt.KindUser && elementAtom.MatchString(body.Symbol()) {
		p.element(sort, body.Symbol())
	}
	var sorts []smt.Sort
	for i := range params.List {
		x := params.List[i].List
		if len(x) != 2 {
			return
		}
		s, err := p.scope.Sort(x[1].String())
		if err != nil {
			d.err = err
			break
		}
		sorts = append(sorts, s)
		d.vars = append(d.vars, p.a.Var(x[0].Symbol(), s))
	}
	candidates := p.byName[d.name]
	for _, f := range candidates {
		info := p.a.SymbolInfo(f)
		if len(candidates) == 1 || info.Result == d.result && equalSorts(info.Params, sorts) {
			d.sym = f
		}
	}
	switch {
	case d.sym != 0:
		info := p.a.SymbolInfo(d.sym)
		if info.Kind == smt.SymDefined || info.Kind == smt.SymNamed {
			return // the script's own definition
		}
	case d.err != nil:
		return
	case partialByName[d.name] != 0:
		d.op = partialByName[d.name]
	default:
		// Another model may have a function of that name: the key tells them apart.
		d.own = p.a.DeclareRecursive(p.key+d.name, d.name, d.vars, d.result)
		p.scope.BindSymbol(d.own)
		p.aux[d.name] = d
	}
	p.defs = append(p.defs, d)
}

func equalSorts(s, t []smt.Sort) bool {
	if len(s) != len(t) {
		return false
	}
	for i := range s {
		if s[i] != t[i] {
			return false
		}
	}
	return true
}

// define reads the bodies and puts what they say into the model.
func (p *replyParser) define() {
	for _, d := range p.defs {
		if d.err == nil {
			d.err = p.readBody(d)
		}
		if d.err == nil && d.own != 0 {
			d.err = p.a.DefineRecursive(d.own, d.body)
		}
	}
	var consts []*definition
	for _, d := range p.defs {
		switch {
		case d.own != 0:
		case d.op != 0:
			if d.err == nil {
				p.m.SetPartial(d.op, DefinedFunc(p.a, d.vars, d.body))
			}
		case d.err != nil:
			p.unreadable(d)
		case len(d.vars) > 0 && len(p.a.SymbolInfo(d.sym).Params) > 0:
			p.m.SetFunc(d.sym, DefinedFunc(p.a, d.vars, d.body))
		default:
			consts = append(consts, d)
		}
	}
	// A value may need that of another constant, which may come later.
	for again := true; again; {
		again = false
		ev := New(p.a, p.m)
		var open []*definition
		for _, d := range consts {
			v := p.constant(ev, d)
			p.m.Set(d.sym, v)
			if v.IsValue() {
				again = true
			} else {
				open = append(open, d)
			}
		}
		consts = open
		again = again && len(open) > 0
	}
}

func (p *replyParser) unreadable(d *definition) {
	if len(p.a.SymbolInfo(d.sym).Params) == 0 {
		p.m.Set(d.sym, unknown(d.name, "the value in the model cannot be read: "+firstLine(d.err)))
	}
}

// readBody parses a body. (_ as-array f) becomes the lambda that applies f.
func (p *replyParser) readBody(d *definition) error {
	mark := p.scope.Mark()
	for _, v := range d.vars {
		p.scope.BindVar(v)
	}
	t, err := p.scope.Term(d.text.String())
	p.scope.Reset(mark)
	if err != nil {
		return err
	}
	if t, err = p.asArrays(t); err != nil {
		return err
	}
	if d.result == smt.SortReal {
		t = p.a.ToReal(t)
	}
	if s := p.a.Sort(t); s != d.result && s != smt.SortUnknown {
		return fmt.Errorf("the body of %s has sort %s, not %s", d.name, p.a.SortString(s), p.a.SortString(d.result))
	}
	d.body = t
	return nil
}

func (p *replyParser) asArrays(t smt.Term) (smt.Term, error) {
	found := false
	p.a.PostOrder([]smt.Term{t}, func(t smt.Term) {
		if p.a.Op(t) == smt.OpOpaque {
			head, _ := p.a.OpaqueHead(t)
			found = found || head == "as-array"
		}
	})
	if !found {
		return t, nil
	}
	return p.a.Map(t, func(t smt.Term) (smt.Term, error) {
		if p.a.Op(t) != smt.OpOpaque {
			return t, nil
		}
		head, idx := p.a.OpaqueHead(t)
		if head != "as-array" || len(idx) != 1 {
			return t, nil
		}
		name, _ := p.a.IndexName(idx[0])
		f := smt.Symbol(0)
		if d := p.aux[name]; d != nil {
			f = d.own
		} else if len(p.byName[name]) == 1 {
			f = p.byName[name][0]
		}
		if f == 0 {
			return 0, fmt.Errorf("as-array of the unknown function %s", name)
		}
		var vars []smt.Term
		for i, s := range p.a.SymbolInfo(f).Params {
			vars = append(vars, p.a.Var(fmt.Sprintf("i!%d", i), s))
		}
		body, err := p.a.Apply(f, vars...)
		if err != nil {
			return 0, err
		}
		return p.a.Lambda(vars, body, true)
	})
}

// constant evaluates the definition of a constant. Boolector prints arrays as functions.
func (p *replyParser) constant(ev *Evaluator, d *definition) Value {
	body := d.body
	if len(d.vars) > 0 {
		l, err := p.a.Lambda(d.vars, body, true)
		if err != nil {
			return unknown(d.name, "the value in the model cannot be read: "+err.Error())
		}
		body = l
	}
	want := p.a.SymbolInfo(d.sym).Result
	v := ev.value(body)
	if v.unknown() {
		if hasHead(d.text, "root-obj") {
			return unknown(d.name, "its value in the model is an irrational algebraic number")
		}
		return Value{kind: kUnknown, ref: &Reason{Op: d.name, Why: "its value in the model is not known: " + v.Err().Error()}}
	}
	if v.sort != want {
		return unknown(d.name, "its value in the model has sort "+p.a.SortString(v.sort)+", not "+p.a.SortString(want))
	}
	return v
}

func hasHead(e *smtlib.SExpr, head string) bool {
	if e.Head() == head {
		return true
	}
	for i := range e.List {
		if hasHead(&e.List[i], head) {
			return true
		}
	}
	return false
}
