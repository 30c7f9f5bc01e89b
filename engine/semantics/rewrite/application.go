package rewrite

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/template"
	"github.com/smtlark/smtlark/engine/semantics/law"
)

// application is the use of one law at one term: the pattern and the place to look for it, the match, and the resulting
// term. Simplifier and Stepper choose laws in different ways, but both apply them in this way.
type application struct {
	a          *smt.Arena
	rules      *Rules
	off        []bool // by law: it is left out
	match      template.Matcher
	build      template.Builder
	bindings   smt.Bindings
	entry      *entry   // the entry that is being matched,
	term       smt.Term // where,
	result     smt.Term // and its rewritten form; 0 before
	conditions *Simplifier
	around     *Simplifier // that of which this is a part; nil if there is none
	brief      bool        // Forget is called often, so the terms with cached results are listed
	failed     error
}

func applicationIn(a *smt.Arena, r *Rules) application {
	return application{a: a, rules: r, match: template.Matcher{Arena: a}, build: template.Builder{Arena: a}}
}

// Err returns the first error of a law that could not be made for some numbers; such a law is skipped for these
// numbers.
func (s *application) Err() error { return s.failed }

func (s *application) noteError(err error) {
	if s.failed == nil {
		s.failed = err
	}
}

// entries returns the entries that may match terms with a head; OpInvalid stands for any head.
func (s *application) entries(op smt.Op, by way) []entry {
	x := s.rules.of(op)
	if x.err != nil {
		s.noteError(x.err)
	}
	return x.by[by]
}

// maxSpliced bounds the arguments that an operator may get when it is flattened: otherwise shared terms would be
// written out.
const maxSpliced = 32

// bind determines the sorts and numbers of a law from the matcher's bindings for t; it returns false if they do not
// fit.
func (s *application) bind(l *ruled, t smt.Term) bool {
	m, b := &s.match, &s.bindings
	*b = m.Bindings
	b.Data, b.Constructor = m.Data, m.Constructor
	if l.Data() != nil && !s.fields(l.Data(), b) {
		return false
	}
	spliced := 0
	for i := range l.Parameters {
		x := m.Args[i]
		if len(m.Vars[i]) == 1 {
			x = m.Vars[i][0]
		}
		if spliced += len(m.Lists[i]); len(m.Lists[i]) > 0 {
			x = m.Lists[i][0]
		}
		if x != 0 && !l.Parameters[i].Sort.Match(s.a, s.a.Sort(x), b) {
			return false
		}
	}
	if spliced > max(maxSpliced, s.a.NumArgs(t)) {
		return false
	}
	for i := range l.infer {
		x := &l.infer[i]
		n, ok := x.number(&m.Slots[x.slot])
		if !ok {
			return false
		}
		b.BindNumber(x.letter, n)
	}
	return true
}

// fields binds the sorts of the fields of the constructor that a law speaks of; it is false if they do not fit.
func (s *application) fields(p *smt.Pattern, b *smt.Bindings) bool {
	if b.Constructor == 0 {
		return false
	}
	_, args := s.a.DatatypeOf(b.Data)
	parts := p.Parts()
	info := s.a.SymbolInfo(b.Constructor)
	if len(info.Params) != len(parts) {
		return false
	}
	for i := range parts {
		if !parts[i].Match(s.a, s.a.SubstSort(info.Params[i], args), b) {
			return false
		}
	}
	return true
}

// other returns the other side of a rule for the current match; 0 if t is not an instance of the side with these
// numbers, or if the rule's condition does not simplify to true.
func (s *application) other(l *ruled, r *law.Rule, t smt.Term) smt.Term {
	from, to := l.sides(r)
	if !s.match.Has(from) {
		return 0
	}
	s.build.Lists, s.build.Vars = s.match.Lists, s.match.Vars
	if r.When != nil && !s.holds(r, &s.bindings) {
		return 0
	}
	x, err := s.build.Build(to, s.match.Args, 0, nil, &s.bindings)
	if err != nil || s.a.Sort(x) != s.a.Sort(t) {
		return 0
	}
	return x
}

// holds reports whether the condition of a rule simplifies to true by laws without conditions.
func (s *application) holds(r *law.Rule, b *smt.Bindings) bool {
	c, err := s.build.Build(r.When, s.match.Args, 0, nil, b)
	if err != nil {
		return false
	}
	return s.conditional().Term(c) == s.a.True()
}

// conditional returns the simplifier for conditions.
func (s *application) conditional() *Simplifier {
	if s.conditions == nil {
		s.conditions = New(s.a, s.rules)
		s.conditions.plain, s.conditions.brief = true, s.brief
		if !s.brief { // the results of a brief simplifier need not be as light as possible
			s.conditions.within = s.around
		}
		copy(s.conditions.off, s.off)
	}
	return s.conditions
}
