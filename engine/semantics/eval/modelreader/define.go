package modelreader

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

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
	d := &definition{name: cmp.Or(name.Symbol(), name.Atom), text: body} // Yices prints |0_0| without bars
	p.abstractValues(body)
	sort, err := p.scope.Sort(result.String())
	d.result, d.err = sort, err
	if err == nil && p.a.SortKind(sort) == smt.KindUser && elementAtom().MatchString(body.Symbol()) {
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
		// boolector prints arrays as functions, and cvc5 constants of function sorts
		array := len(info.Params) == 0 && slices.Contains([]smt.SortKind{smt.KindArray, smt.KindFunc}, p.a.SortKind(info.Result))
		if d.err == nil && !array && (info.Result != d.result || !equalSorts(info.Params, sorts)) {
			d.err = fmt.Errorf("the definition of %s has another rank than its declaration", d.name)
		}
	case d.err != nil:
		return
	case model.PartialByName(d.name) != 0:
		d.op = model.PartialByName(d.name)
	case p.constructors[d.name] && len(d.vars) > 0:
		return
	default:
		if p.constructors[d.name] {
			// z3 4.13.3 defines nullary constructors of parametric datatypes, by themselves or others, and uses the names
			// without the sort: the name stands for the constructor, whatever the definition says.
			if d.body, d.err = p.scope.Term("(as " + smt.QuoteSymbol(d.name) + " " + result.String() + ")"); d.err != nil {
				return
			}
		}
		// Another model may have a function of that name: the key distinguishes them.
		d.own = p.a.DeclareRecursive(p.key+d.name, d.name, d.vars, d.result)
		p.scope.BindSymbol(d.own)
		p.aux[d.name] = d
		p.byOwn[d.own] = d
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

// define reads the bodies and adds their interpretations to the model.
func (p *replyParser) define() {
	for _, d := range p.defs {
		if d.err == nil {
			d.err = p.readBody(d)
		}
		if d.err == nil && d.own != 0 {
			d.err = p.a.DefineRecursive(d.own, d.body)
		}
		if d.sym != 0 && p.aux[d.name] == nil {
			p.aux[d.name] = d // as-array may name a function of the script
		}
	}
	for _, d := range p.defs {
		if d.err == nil {
			d.err = p.resolve(d)
		}
	}
	var consts []*definition
	for _, d := range p.defs {
		switch {
		case d.own != 0:
		case d.op != 0:
			if d.err == nil {
				p.m.SetPartial(d.op, model.DefinedFunc(p.a, d.vars, d.body))
			}
		case d.err != nil:
			p.unreadable(d)
		case len(d.vars) > 0 && len(p.a.SymbolInfo(d.sym).Params) > 0:
			p.m.SetFunc(d.sym, p.function(d))
		default:
			consts = append(consts, d)
		}
	}
	// A value may need that of another constant, which may come later.
	for again := true; again; {
		again = false
		ev := eval.New(p.a, p.m)
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
		p.m.Set(d.sym, value.NoValue(d.name, "the value in the model cannot be read: "+firstLine(d.err)))
	}
}

// readBody parses a body.
func (p *replyParser) readBody(d *definition) error {
	if d.body != 0 {
		return nil
	}
	mark := p.scope.Mark()
	for _, v := range d.vars {
		p.scope.BindVar(v)
	}
	t, err := p.scope.TermAt(d.text.String(), d.result)
	p.scope.Reset(mark)
	if err != nil {
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

// resolve replaces applications of functions that the solver invented by their bodies, and (_ as-array f) by lambdas.
// Definitions that depend on themselves stay.
func (p *replyParser) resolve(d *definition) error {
	if d.state != unresolved {
		return d.err
	}
	d.state = resolving
	t, err := p.a.Map(d.body, func(t smt.Term) (smt.Term, error) {
		switch p.a.Op(t) {
		case smt.OpApply:
			f := p.byOwn[p.a.SymbolOf(t)]
			if f == nil {
				return t, nil
			}
			if !p.usable(f) {
				// The evaluation of a constant that is defined by itself would not terminate.
				if f.err == nil && len(f.vars) == 0 {
					f.err = fmt.Errorf("the definition of %s depends on itself", f.name)
				}
				return t, f.err
			}
			m := make(map[smt.Term]smt.Term, len(f.vars))
			for i, v := range f.vars {
				m[v] = p.a.Arg(t, i)
			}
			return p.a.Subst(f.body, m)
		case smt.OpFunction:
			f := p.byOwn[p.a.SymbolOf(t)]
			if f == nil || !p.usable(f) {
				return t, nil
			}
			return p.a.Lambda(f.vars, f.body, p.a.SortKind(p.a.Sort(t)) == smt.KindArray)
		case smt.OpOpaque:
			head, idx := p.a.OpaqueHead(t)
			if head != "as-array" || len(idx) != 1 {
				return t, nil
			}
			name, _ := p.a.IndexName(idx[0])
			f := p.aux[name]
			if f == nil || len(f.vars) == 0 || !p.usable(f) {
				return t, nil
			}
			return p.a.Lambda(f.vars, f.body, true)
		}
		return t, nil
	})
	if err == nil && d.result == smt.SortReal {
		t = p.a.ToReal(t)
	}
	d.state = resolved
	if err == nil {
		d.body = t
	}
	return err
}

// usable resolves a definition, unless that is in progress.
func (p *replyParser) usable(d *definition) bool {
	if d.err == nil {
		d.err = p.resolve(d)
	}
	return d.err == nil && d.state == resolved
}

// constant evaluates the definition of a constant. Boolector prints arrays as functions, cvc5 constants of function
// sorts.
func (p *replyParser) constant(ev *eval.Evaluator, d *definition) value.Value {
	body := d.body
	if len(d.vars) > 0 {
		l, err := p.a.Lambda(d.vars, body, p.a.SortKind(p.a.SymbolInfo(d.sym).Result) == smt.KindArray)
		if err != nil {
			return value.NoValue(d.name, "the value in the model cannot be read: "+err.Error())
		}
		body = l
	}
	want := p.a.SymbolInfo(d.sym).Result
	v := ev.Value(body)
	if !v.IsValue() {
		if hasHead(d.text, "root-obj") {
			return value.NoValue(d.name, "its value in the model is an irrational algebraic number")
		}
		return value.NoValueFor(&value.Reason{Op: d.name, Why: "its value in the model is not known: " + v.Err().Error()})
	}
	if v.Sort() != want {
		return value.NoValue(d.name, "its value in the model has sort "+p.a.SortString(v.Sort())+", not "+p.a.SortString(want))
	}
	return v
}

// function converts a body to a table if it is a chain of ite over equalities of all variables with ground terms, as
// solvers print tables. It keeps any other body as a term.
func (p *replyParser) function(d *definition) *model.Func {
	a := p.a
	body := model.DefinedFunc(a, d.vars, d.body)
	if p.ev == nil {
		p.ev = eval.New(a, p.m)
	}
	ev := p.ev
	table := model.NewFunc(body.Params(), value.Value{})
	t := d.body
	for ; a.Op(t) == smt.OpIte; t = a.Arg(t, 2) {
		args, ok := p.equalities(ev, d.vars, a.Arg(t, 0))
		v := ev.Value(a.Arg(t, 1))
		if !ok || !v.IsValue() || v.Opaque() {
			return body
		}
		if old := table.Get(args); old.Kind() == value.KindNone { // the first case that fits counts
			table.Set(args, v)
		}
	}
	if table.Default = ev.Value(t); !table.Default.IsValue() || table.Default.Opaque() {
		return body
	}
	return table
}

// equalities reads (and (= x1 v1) ...) with every variable once.
func (p *replyParser) equalities(ev *eval.Evaluator, vars []smt.Term, t smt.Term) ([]value.Value, bool) {
	a := p.a
	eqs := []smt.Term{t}
	if a.Op(t) == smt.OpAnd {
		eqs = a.CopyArgs(t)
	}
	if len(eqs) != len(vars) {
		return nil, false
	}
	args := make([]value.Value, len(vars))
	for _, eq := range eqs {
		if a.Op(eq) != smt.OpEq || a.NumArgs(eq) != 2 {
			return nil, false
		}
		x, ground := a.Arg(eq, 0), a.Arg(eq, 1)
		i := slices.Index(vars, x)
		if i < 0 {
			x, ground = ground, x
			i = slices.Index(vars, x)
		}
		if i < 0 || args[i].Kind() != value.KindNone {
			return nil, false
		}
		args[i] = ev.Value(ground)
		if !value.AllComparable(args[i : i+1]) {
			return nil, false
		}
	}
	return args, true
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
