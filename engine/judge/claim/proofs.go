package claim

import (
	"context"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// A proof is read up to these bounds; beyond them nothing is said about it.
const (
	maxProofSteps = 1 << 18
	maxProofDepth = 2000 // of steps that are written inside one another
)

// proofStep is an inference of a proof: the premises imply the conclusion.
type proofStep struct {
	name, rule string
	premises   []smt.Term
	conclusion smt.Term
}

// proofReader collects the steps of a proof. Formulas that it cannot read, such as those with a Skolem constant of the
// solver, are 0, and steps with them are left out.
type proofReader struct {
	q          *question
	scope      *smtlib.Scope       // with the names of the proof for terms
	proven     map[string]smt.Term // by the name of a step
	steps      []proofStep
	inferences int // steps, with those that are left out
	assumed    []smt.Term
	last       smt.Term // conclusion of the last step
	ends       bool     // last is known, and must be false
	depth      int
	tooDeep    bool
}

// readProof reads the reply to get-proof after an unsat, in the format of z3, Alethe (cvc5, veriT), CPC (cvc5, which
// prints few conclusions) or RESOLUTE (SMTInterpol). The assumptions are assertions, each step follows from its
// premises, and the last one is false. Steps whose conclusion need not follow, such as Skolemisation, are left out, and
// those below assumptions that rename variables.
func readProof(q *question) *Statement {
	if q.answer != smtlib.Unsat || q.command.Text != "" {
		return nil
	}
	read, err := smtlib.ParseSExprs(q.reply)
	if err != nil || len(read) == 0 {
		return nil
	}
	p := &proofReader{q: q, scope: q.script.Scope(), proven: map[string]smt.Term{}}
	defer p.scope.Close()
	parts := read
	if len(read) == 1 && read[0].Head() == "" {
		parts = read[0].List
	}
	first := &read[0]
	i := slices.IndexFunc(parts, func(e smtlib.SExpr) bool { return e.Head() == "proof" && len(e.List) == 2 })
	switch {
	case i >= 0:
		p.last, p.ends = p.inference(&parts[i].List[1]), true
	case slices.ContainsFunc(parts, func(e smtlib.SExpr) bool { return e.Head() == "assume" || e.Head() == "step" }):
		p.sequence(parts)
	case first.Head() == "!" || first.Head() == "res" || first.Head() == "let" || first.Head() == "let-proof":
		p.resolute(first)
	}
	if p.tooDeep || len(p.assumed) == 0 && len(p.steps) == 0 {
		return nil
	}
	s := &Statement{steps: p.steps, question: q, Steps: len(p.steps), Inferences: p.inferences}
	a := q.script.Arena
	if p.ends && p.last != 0 && p.last != a.False() {
		s.Malformed = "the proof does not end in false"
		return s
	}
	if t := q.foreign(p.assumed); t != 0 {
		s.Malformed = "the proof assumes a formula that no assertion implies: " + smtlib.TermText(a, t)
	}
	return s
}

// term reads a term and returns 0 if it has symbols that nobody declared.
func (p *proofReader) term(e *smtlib.SExpr) smt.Term {
	t, err := p.scope.Term(e.String())
	if err != nil || !isKnown(p.q.script.Arena, t) {
		return 0
	}
	return t
}

func (p *proofReader) formula(e *smtlib.SExpr) smt.Term {
	t := p.term(e)
	if t == 0 || p.q.script.Arena.Sort(t) != smt.SortBool {
		return 0
	}
	return t
}

// bind gives a term a name, if it could be read.
func (p *proofReader) bind(name string, t smt.Term) {
	if t != 0 {
		p.scope.BindTerm(name, t)
	}
}

// add adds a step if all its formulas are known.
func (p *proofReader) add(name, rule string, premises []smt.Term, conclusion smt.Term) {
	p.inferences++
	if conclusion != 0 && !slices.Contains(premises, 0) && len(p.steps) < maxProofSteps {
		p.steps = append(p.steps, proofStep{name, rule, premises, conclusion})
	}
}

// enter reports whether the reader may go one level deeper; leave ends the level.
func (p *proofReader) enter() bool {
	p.depth++
	p.tooDeep = p.tooDeep || p.depth > maxProofDepth
	return !p.tooDeep
}

func (p *proofReader) leave() { p.depth-- }

// consequenceRules are the rules of z3 whose conclusion follows from the premises. Others introduce symbols, discharge
// hypotheses, or relate formulas that are only equisatisfiable.
var consequenceRules = strings.Fields(`mp refl symm trans monotonicity and-elim not-or-elim def-axiom
	unit-resolution th-lemma iff-true iff-false commutativity distributivity elim-unused der quant-inst true-axiom`)

// inference reads z3's (RULE PREMISE... FORMULA), in which a premise is an inference or the name of one, and returns
// the formula.
func (p *proofReader) inference(e *smtlib.SExpr) smt.Term {
	if !p.enter() {
		return 0
	}
	defer p.leave()
	for e.Head() == "let" && len(e.List) == 3 {
		for i := range e.List[1].List {
			pair := e.List[1].List[i].List
			if len(pair) != 2 {
				return 0
			}
			if name := pair[0].Atom; strings.HasPrefix(name, "@") {
				p.proven[name] = p.inference(&pair[1])
			} else {
				p.bind(name, p.term(&pair[1]))
			}
		}
		e = &e.List[2]
	}
	if !e.IsList() {
		return p.proven[e.Atom]
	}
	if len(e.List) < 2 {
		return 0
	}
	rule := e.List[0].Atom
	if inner := e.List[0].List; len(inner) > 1 { // (_ th-lemma arith farkas 1 1)
		rule = inner[1].Atom
	}
	if rule == "lambda" || rule == "proof-bind" || rule == "quant-intro" {
		return 0 // their parts have free variables
	}
	conclusion := p.formula(&e.List[len(e.List)-1])
	var premises []smt.Term
	for i := range e.List[1 : len(e.List)-1] {
		premises = append(premises, p.inference(&e.List[i+1]))
	}
	switch {
	case rule == "asserted":
		p.assumed = append(p.assumed, conclusion)
	case rule == "rewrite":
		p.add("", rule, p.definitions(), conclusion)
	case slices.Contains(consequenceRules, rule):
		p.add("", rule, premises, conclusion)
	}
	return conclusion
}

// definitions returns the assertions with quantifiers: z3 rewrites a function by an assertion that defines it.
func (p *proofReader) definitions() (out []smt.Term) {
	a := p.q.script.Arena
	for _, t := range p.q.Asserted {
		if hasQuantifier(a, t) {
			out = append(out, t)
		}
	}
	return out
}

// nonConsequences are rules of Alethe whose conclusion does not follow from the conclusions of their premises.
var nonConsequences = strings.Fields(`subproof bind let onepoint sko_forall sko_ex bind_let`)

// sequence reads the commands of Alethe and of CPC: (assume NAME FORMULA), (step NAME CONCLUSION :rule RULE :premises
// (NAME...)), (define NAME () TERM) and (anchor :step NAME :args (...)).
func (p *proofReader) sequence(commands []smtlib.SExpr) {
	var renaming []string // the prefixes of steps below anchors that rename variables
	for i := range commands {
		c := &commands[i]
		if len(c.List) < 2 {
			continue
		}
		name := c.List[1].Atom
		hidden := slices.ContainsFunc(renaming, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		switch c.Head() {
		case "define":
			if len(c.List) == 4 && len(c.List[2].List) == 0 {
				p.bind(name, p.term(&c.List[3]))
			}
		case "anchor":
			if step := attribute(c, ":step"); step != nil && attribute(c, ":args") != nil {
				renaming = append(renaming, step.Atom+".")
			}
		case "assume":
			if len(c.List) != 3 || hidden {
				continue
			}
			e := p.named(&c.List[2])
			p.proven[name] = p.formula(&e)
			if !strings.Contains(name, ".") { // else it is an assumption of a subproof
				p.assumed = append(p.assumed, p.proven[name])
			}
		case "step":
			if len(c.List) < 3 || hidden {
				continue
			}
			p.step(name, c)
		}
	}
}

// step reads a step of Alethe or CPC that has a conclusion.
func (p *proofReader) step(name string, c *smtlib.SExpr) {
	p.last, p.ends = 0, false
	if strings.HasPrefix(c.List[2].Atom, ":") { // CPC leaves the conclusion to the rule
		return
	}
	e := p.named(&c.List[2])
	conclusion := p.formula(&e)
	if e.Head() == "cl" {
		conclusion = p.clause(e.List[1:])
		p.last, p.ends = conclusion, true
	}
	p.proven[name] = conclusion
	rule := attribute(c, ":rule")
	if rule == nil || slices.Contains(nonConsequences, rule.Atom) {
		return
	}
	var premises []smt.Term
	if list := attribute(c, ":premises"); list != nil {
		for i := range list.List {
			premises = append(premises, p.proven[list.List[i].Atom])
		}
	}
	p.add(name, rule.Atom, premises, conclusion)
}

// clause returns the disjunction of literals; 0 if one cannot be read.
func (p *proofReader) clause(literals []smtlib.SExpr) smt.Term {
	a := p.q.script.Arena
	list := []smt.Term{a.False()}
	for i := range literals {
		list = append(list, p.formula(&literals[i]))
	}
	switch {
	case slices.Contains(list, 0):
		return 0
	case len(list) == 1:
		return list[0]
	case len(list) == 2:
		return list[1]
	}
	return a.Or(list[1:]...)
}

// attribute returns the value of a keyword in a command; nil if it has none.
func attribute(c *smtlib.SExpr, keyword string) *smtlib.SExpr {
	for i := 1; i+1 < len(c.List); i++ {
		if c.List[i].Atom == keyword {
			return &c.List[i+1]
		}
	}
	return nil
}

// named returns an expression with the names in the place of the subterms that have one, (! TERM :named NAME), after it
// has bound these names.
func (p *proofReader) named(e *smtlib.SExpr) smtlib.SExpr {
	if !e.IsList() || !p.enter() {
		return *e
	}
	defer p.leave()
	out := *e
	out.List = make([]smtlib.SExpr, len(e.List))
	for i := range e.List {
		out.List[i] = p.named(&e.List[i])
	}
	if e.Head() != "!" || len(e.List) < 2 {
		return out
	}
	body := out.List[1]
	name := attribute(e, ":named")
	if name == nil {
		return body
	}
	t := p.term(&body)
	if t == 0 {
		return body
	}
	p.bind(name.Atom, t)
	return *name
}

// resolute reads a proof of SMTInterpol: of its terms (res PIVOT PROOF PROOF) and so on, only (assume FORMULA) and the
// clauses with an annotation, (! PROOF :proves (+ FORMULA - FORMULA...) :RULE), are used. Clauses that are no
// consequences of the input are lemmas, which are valid.
func (p *proofReader) resolute(e *smtlib.SExpr) {
	if !e.IsList() || !p.enter() {
		return
	}
	defer p.leave()
	for (e.Head() == "let" || e.Head() == "let-proof") && len(e.List) == 3 {
		for i := range e.List[1].List {
			pair := e.List[1].List[i].List
			switch {
			case len(pair) != 2:
			case e.Head() == "let":
				p.bind(pair[0].Atom, p.term(&pair[1]))
			default:
				p.resolute(&pair[1])
			}
		}
		e = &e.List[2]
	}
	if !e.IsList() {
		return
	}
	switch e.Head() {
	case "assume":
		if len(e.List) == 2 {
			p.assumed = append(p.assumed, p.formula(&e.List[1]))
		}
		return
	case "!":
		p.lemma(e)
	}
	for i := 1; i < len(e.List); i++ {
		p.resolute(&e.List[i])
	}
}

// lemma adds the clause of an annotated proof if it is a lemma.
func (p *proofReader) lemma(e *smtlib.SExpr) {
	proves := attribute(e, ":proves")
	if proves == nil || attribute(e, ":input") != nil {
		return
	}
	last := e.List[len(e.List)-1].Atom
	if last == ":input" || last == ":rup" || len(proves.List)%2 != 0 || len(proves.List) == 0 {
		return
	}
	rule := ""
	for i := range e.List {
		if word := e.List[i].Atom; strings.HasPrefix(word, ":") && word != ":proves" {
			rule = strings.TrimPrefix(word, ":")
		}
	}
	if rule == "input" || rule == "rup" {
		return
	}
	a := p.q.script.Arena
	literals := []smt.Term{a.False()}
	for i := 0; i < len(proves.List); i += 2 {
		t := p.formula(&proves.List[i+1])
		if t == 0 {
			return
		}
		if proves.List[i].Atom == "-" {
			t = a.Not(t)
		}
		literals = append(literals, t)
	}
	p.add("", rule, nil, a.Or(literals...))
}

// Judging the steps of one proof takes at most these.
const (
	proofAssignments = 24      // random ones, under which all steps are evaluated
	proofEvaluation  = 1 << 19 // steps of evaluation, about a quarter of a second
)

// underAssignments calls a function with evaluators under the witness and some random assignments, until it returns
// false or the allowance is used up.
func (q *question) underAssignments(terms []smt.Term, f func(*eval.Evaluator, *model.Model) bool) {
	script := scope.WithAsserts(q.script, terms)
	left := int64(proofEvaluation)
	for i := range proofAssignments {
		m := q.witness
		if i > 0 || m == nil {
			m = search.RandomModel(script, rng.New(uint64(i)+1))
		}
		ev := eval.New(script.Arena, m)
		ev.Limits.Steps = left
		if !f(ev, m) {
			return
		}
		if left -= ev.Visited(); left <= 0 {
			return
		}
	}
}

// refuteSteps looks for a step of a proof that does not follow from its premises: all under some assignments, and some
// of them, which the text of the proof determines, as every condition.
func (s *Statement) refuteSteps(ctx context.Context, inquiry *Inquiry) (wrong *Refutation, open int) {
	q := s.question
	var terms []smt.Term
	for i := range s.steps {
		terms = append(append(terms, s.steps[i].premises...), s.steps[i].conclusion)
	}
	terms = distinct(terms)
	q.underAssignments(terms, func(ev *eval.Evaluator, m *model.Model) bool {
		for i := range s.steps {
			x := &s.steps[i]
			if ev.Truth(x.conclusion) == value.False && ev.AllTrue(x.premises) == value.True {
				k := q.stepCondition(x)
				if k.Satisfied(m) {
					wrong = &Refutation{Condition: &k, Model: m, By: []string{Evaluator}}
					return false
				}
			}
		}
		return true
	})
	if wrong != nil {
		return wrong, 0
	}
	hash := fnv.New64a()
	hash.Write([]byte(s.Reply))
	for i := range min(len(s.steps), inquiry.Steps) {
		k := q.stepCondition(&s.steps[rng.Permute(hash.Sum64(), uint64(i), uint64(len(s.steps)))])
		wrong, confirmed := k.Judge(ctx, inquiry.Referees)
		if wrong != nil {
			return wrong, 0
		}
		if !confirmed {
			open++
		}
	}
	return nil, open
}

func (q *question) stepCondition(x *proofStep) Condition {
	k := q.follows("a step of the proof ("+x.rule+") does not follow from its premises", x.premises, x.conclusion)
	k.Part = x.name
	return k
}
