package termtext

import (
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// writer is the state of the printer. Open constructs are kept on todo, not on the machine's stack.
type writer struct {
	todo  []job
	tree  int // above 0, terms are written without let: inside patterns
	texts []string
}

// job is an open construct. next is the argument or step that comes next.
type job struct {
	t     smt.Term
	kind  uint8
	next  int32
	n     int32
	scope int32
}

// The kinds of jobs.
const (
	jobApp uint8 = iota
	jobLets
	jobBinder
	jobAnnot
	jobMatch
	jobText // texts[n]
	jobTree // tree changes by n
	jobScope
	jobTerm
)

// Term appends the text of a term; shared compound subterms are bound by let.
func (p *Terms) Term(b []byte, a *smt.Arena, t smt.Term) []byte {
	if constants := a.ExchangedNames(t); constants != nil && !binds(a, a.Arg(t, 0)) {
		return p.exchange(b, a, a.Arg(t, 0), constants)
	}
	p.a, p.b = a, b
	if a.NumArgs(t) == 0 {
		p.careful = false
		p.leaf(t)
	} else {
		if p.makePlan(t) {
			return p.quickTerm(b, t)
		}
		p.todo, p.texts, p.tree = p.todo[:0], p.texts[:0], 0
		if p.flat {
			p.tree = 1
		}
		p.scopeBody(outermost, t)
		p.run()
	}
	b = p.b
	p.a, p.b = nil, nil
	return b
}

// exchange appends a term below a let that gives constants the names of others.
func (p *Terms) exchange(b []byte, a *smt.Arena, t smt.Term, constants []smt.Term) []byte {
	text := func(i int) string { return a.SymbolInfo(a.SymbolOf(constants[i%len(constants)])).Text }
	names := map[smt.Symbol]string{}
	b = append(b, "(let ("...)
	for i := range constants {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(append(append(append(append(b, '('), text(i)...), ' '), text(i+1)...), ')')
		names[a.SymbolOf(constants[(i+1)%len(constants)])] = text(i)
	}
	p.names = names
	b = p.Term(append(b, ") "...), a, t)
	p.names = nil
	return append(b, ')')
}

// binds reports whether a term has a binder, whose variable might have the name of a constant.
func binds(a *smt.Arena, t smt.Term) bool {
	found := false
	a.PostOrder([]smt.Term{t}, func(x smt.Term) {
		found = found || a.Op(x).IsBinder() || a.Op(x) == smt.OpMatch || a.Op(x) == smt.OpVar
	})
	return found
}

// nameOf returns the text of a symbol.
func (p *Terms) nameOf(f smt.Symbol) string {
	if name, ok := p.names[f]; ok {
		return name
	}
	return p.a.SymbolInfo(f).Text
}

// scopeBody writes a whole term, or the body of a binder: its lets and then the term. An annotation stays outermost,
// because solvers look for :named and :pattern there.
func (p *Terms) scopeBody(s int32, t smt.Term) {
	for p.a.Op(t) == smt.OpAnnot && p.letOf(t) == 0 && (p.tree > 0 || !p.bigPatterns(t)) {
		if p.a.IsExchange(t) {
			t = p.a.Arg(t, 0)
			continue
		}
		p.b = append(p.b, "(! "...)
		p.todo = append(p.todo, job{t: t, kind: jobAnnot})
		t = p.a.Arg(t, 0)
	}
	if sc := p.scopes[s]; sc.from == sc.to || p.tree > 0 {
		p.emit(t)
		return
	}
	p.todo = append(p.todo, job{t: t, kind: jobLets, scope: s, next: p.scopes[s].from})
}

// letOf returns the number of the let variable that stands for a compound term in the current scope of a careful plan,
// or 0.
func (p *Terms) letOf(t smt.Term) int32 {
	if p.tree > 0 {
		return 0
	}
	if e := p.find(t, p.place(t)); e >= 0 {
		return p.entries[e].let
	}
	return 0
}

// emit writes a subterm, or begins to write it.
func (p *Terms) emit(t smt.Term) {
	if p.a.NumArgs(t) == 0 {
		switch p.a.Op(t) {
		case smt.OpStringLit, smt.OpBVLit, smt.OpIntLit: // long ones may be bound by let
		default:
			p.leaf(t)
			return
		}
	}
	if n := p.letOf(t); n != 0 {
		p.b = strconv.AppendInt(append(p.b, '?'), int64(n), 10)
		return
	}
	p.open(t)
}

// open writes the head of a compound term.
func (p *Terms) open(t smt.Term) {
	a := p.a
	n := a.NumArgs(t)
	if n == 0 {
		p.leaf(t)
		return
	}
	switch op := a.Op(t); op {
	case smt.OpForall, smt.OpExists, smt.OpLambda:
		p.openBinder(t, op.String())
	case smt.OpOpaque:
		if lambda, ok := a.OwnBinder(t); ok {
			name, _ := a.OpaqueHead(t)
			p.openBinder(lambda, name)
			return
		}
		p.openHead(t, op)
	case smt.OpAnnot:
		if a.IsExchange(t) { // below other terms, and above binders, the names are those of the constants
			p.emit(a.Arg(t, 0))
			return
		}
		p.b = append(p.b, "(! "...)
		p.todo = append(p.todo, job{t: t, kind: jobAnnot})
		p.emit(a.Arg(t, 0))
	case smt.OpMatch:
		p.b = append(p.b, "(match "...)
		p.todo = append(p.todo, job{t: t, kind: jobMatch, n: int32(n)})
	case smt.OpCase:
		p.openCase(t)
	case smt.OpHOApply:
		p.openApply(t)
	default:
		p.openHead(t, op)
	}
}

// openHead writes the head of an application.
func (p *Terms) openHead(t smt.Term, op smt.Op) {
	p.b = append(p.b, '(')
	p.head(t, op)
	p.todo = append(p.todo, job{t: t, n: int32(p.a.NumArgs(t))})
}

// openApply writes the head of an application of a function value: the value itself where a name stands for it, else @.
func (p *Terms) openApply(t smt.Term) {
	f := p.a.Arg(t, 0)
	p.b = append(p.b, '(')
	next := int32(0)
	switch op := p.a.Op(f); {
	case op == smt.OpVar, op == smt.OpApply && p.a.NumArgs(f) == 0 && !p.a.SymbolInfo(p.a.SymbolOf(f)).Qualified:
		p.leaf(f)
		next = 1
	default:
		p.head(t, smt.OpHOApply)
	}
	p.todo = append(p.todo, job{t: t, next: next, n: 2})
}

// run writes until nothing is open.
func (p *Terms) run() {
	for len(p.todo) > 0 {
		j := &p.todo[len(p.todo)-1]
		switch j.kind {
		case jobApp:
			if j.next == j.n {
				p.b = append(p.b, ')')
				p.todo = p.todo[:len(p.todo)-1]
				continue
			}
			p.b = append(p.b, ' ')
			j.next++
			p.emit(p.a.Arg(j.t, int(j.next-1)))
		case jobLets:
			p.stepLets(j)
		case jobBinder:
			p.leaveScope()
			p.close()
		case jobScope:
			p.leaveScope()
			p.todo = p.todo[:len(p.todo)-1]
		case jobAnnot:
			p.stepAnnot(j)
		case jobMatch:
			p.stepMatch(j)
		case jobText:
			p.b = append(p.b, p.texts[j.n]...)
			p.todo = p.todo[:len(p.todo)-1]
		case jobTree:
			p.tree += int(j.n)
			p.todo = p.todo[:len(p.todo)-1]
		case jobTerm:
			t := j.t
			p.todo = p.todo[:len(p.todo)-1]
			p.emit(t)
		}
	}
}

func (p *Terms) close() {
	p.b = append(p.b, ')')
	p.todo = p.todo[:len(p.todo)-1]
}

// stepLets writes the next let variable of a scope, then the term under them. A group of variables of one level is
// one let.
func (p *Terms) stepLets(j *job) {
	s := p.scopes[j.scope]
	if j.next > s.from {
		if j.next > s.to { // all is written but the ends of the lets
			for range j.n {
				p.b = append(p.b, ')')
			}
			p.todo = p.todo[:len(p.todo)-1]
			return
		}
		p.b = append(p.b, ')')
	}
	j.next++
	if j.next > s.to {
		p.b = append(p.b, ") "...)
		p.emit(j.t)
		return
	}
	l := &p.lets[j.next-1]
	switch {
	case j.next-1 == s.from:
		p.b = append(p.b, "(let ("...)
		j.n++
	case p.lets[j.next-2].level != l.level:
		p.b = append(p.b, ") (let ("...)
		j.n++
	default:
		p.b = append(p.b, ' ')
	}
	p.b = append(strconv.AppendInt(append(p.b, "(?"...), int64(l.num), 10), ' ')
	p.open(l.t)
}

func (p *Terms) openBinder(t smt.Term, name string) {
	p.b = append(append(append(p.b, '('), name...), " ("...)
	inner := int32(outermost)
	if e := p.find(t, p.place(t)); e >= 0 {
		inner = p.entries[e].inner
	}
	p.enter(t, inner)
	for i, v := range p.a.BoundVars(t) {
		if i > 0 {
			p.b = append(p.b, ' ')
		}
		p.b = append(append(append(p.b, '('), p.vars[p.nodes[v].entry].text...), ' ')
		p.b = append(p.a.AppendSort(p.b, p.a.Sort(v)), ')')
	}
	body := p.a.Body(t)
	if p.a.Op(body) == smt.OpOpaque && name == "set.comprehension" { // two bodies, which no let can hold together
		p.b = append(p.b, ')')
		p.tree++
		p.todo = append(p.todo, job{t: t, kind: jobScope}, job{kind: jobTree, n: -1}, job{t: body, n: int32(p.a.NumArgs(body))})
		return
	}
	p.b = append(p.b, ") "...)
	p.todo = append(p.todo, job{t: t, kind: jobBinder})
	p.scopeBody(inner, body)
}

func (p *Terms) openCase(t smt.Term) {
	inner := int32(outermost)
	if e := p.find(t, p.place(t)); e >= 0 {
		inner = p.entries[e].inner
	}
	p.enter(t, inner)
	p.b = append(p.b, '(')
	vars := p.a.BoundVars(t)
	ctor := p.a.SymbolOf(t)
	if ctor == 0 {
		p.b = append(p.b, p.vars[p.nodes[vars[0]].entry].text...)
	} else {
		name := p.a.SymbolInfo(ctor).Text
		if len(vars) > 0 {
			p.b = append(p.b, '(')
		}
		p.b = append(p.b, name...)
		for _, v := range vars {
			p.b = append(append(p.b, ' '), p.vars[p.nodes[v].entry].text...)
		}
		if len(vars) > 0 {
			p.b = append(p.b, ')')
		}
	}
	p.b = append(p.b, ' ')
	p.todo = append(p.todo, job{t: t, kind: jobBinder})
	p.scopeBody(inner, p.a.Body(t))
}

func (p *Terms) stepMatch(j *job) {
	switch {
	case j.next == j.n:
		p.b = append(p.b, ')')
		p.close()
		return
	case j.next == 1:
		p.b = append(p.b, " ("...)
	case j.next > 1:
		p.b = append(p.b, ' ')
	}
	j.next++
	p.emit(p.a.Arg(j.t, int(j.next-1)))
}

// stepAnnot writes the attributes after an annotated term. It pushes the remaining output as jobs, the last one first.
func (p *Terms) stepAnnot(j *job) {
	t := j.t
	p.todo = p.todo[:len(p.todo)-1]
	attrs := p.a.Annotations(t)
	big := p.tree == 0 && p.bigPatterns(t)
	p.later(")")
	for i := len(attrs) - 1; i >= 0; i-- {
		x := &attrs[i]
		if len(x.Terms) == 0 {
			text := " " + x.Keyword
			if x.Value != "" {
				text += " " + x.Value
			}
			p.later(text)
			continue
		}
		before, after := " "+x.Keyword+" (", ")"
		if x.Keyword == ":no-pattern" {
			before, after = " "+x.Keyword+" ", ""
		}
		p.later(after)
		if !big {
			p.todo = append(p.todo, job{kind: jobTree, n: -1})
		}
		for k := len(x.Terms) - 1; k >= 0; k-- {
			p.todo = append(p.todo, job{t: x.Terms[k], kind: jobTerm})
			if k > 0 {
				p.later(" ")
			}
		}
		if !big {
			p.todo = append(p.todo, job{kind: jobTree, n: 1})
		}
		p.later(before)
	}
}

// later pushes text to be written.
func (p *Terms) later(text string) {
	p.todo = append(p.todo, job{kind: jobText, n: int32(len(p.texts))})
	p.texts = append(p.texts, text)
}
