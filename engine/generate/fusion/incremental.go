package fusion

import (
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Steps returns the assertions of a script in order, if the script checks several times and its pushes, pops and
// check-sats can be kept: it has no other command that changes or checks assertions.
func Steps(s *smtlib.Script) ([]smt.Term, bool) {
	var out []smt.Term
	checks := 0
	for i := range s.Commands {
		switch x := &s.Commands[i]; x.Kind {
		case smtlib.CmdAssert:
			out = append(out, x.Terms[0])
		case smtlib.CmdCheckSat:
			checks++
		case smtlib.CmdReset, smtlib.CmdResetAssertions, smtlib.CmdOther:
			return nil, false
		case smtlib.CmdExit:
			return out, checks > 1 && len(out) > 0
		default:
			if x.Kind.IsCheck() {
				return nil, false
			}
		}
	}
	return out, checks > 1 && len(out) > 0
}

// incrementalCase returns the fused script that checks as often as its first part, and as that part does: between the
// same pushes and pops. The functions' equations are asserted before everything else, so replacing occurrences changes
// no answer. The equations are always satisfiable, so they change none, either. Of the other parts, those that are
// satisfiable are asserted there too; one that is unsatisfiable becomes an alternative of every assertion, under a
// name. So each check has the same answer as in the first part alone. Sat is known only where no operator that the
// standard leaves open occurs in several parts.
func (j *Joint) incrementalCase(r *rng.Source, how How) (*testcase.Case, error) {
	if err := j.replaceOccurrences(r, how.Share); err != nil {
		return nil, err
	}
	a := j.arena
	var body []smtlib.Command
	assert := func(t smt.Term) { body = append(body, smtlib.AssertCommand(t)) }
	for _, t := range j.fusionEquations(r) {
		assert(t)
	}
	known, sat := true, !j.sharesOpenOperator()
	for _, f := range j.fused {
		sat = sat && f.Proven
	}
	var alternatives []smt.Term
	for _, p := range j.parts[1:] {
		known = known && p.answer.Decided()
		// With an undecided part no answer is claimed, so it may go either way.
		if p.answer == smtlib.Sat || !p.answer.Decided() && r.Bool() {
			for _, t := range p.asserts {
				assert(t)
			}
			continue
		}
		b := a.Declare(j.freshName("part"), nil, smt.SortBool)
		body = append(body, smtlib.DeclareCommand(a, b))
		// A name for it: the part is written once, and not in every assertion of the first part.
		assert(a.Eq(a.Const(b), a.And(p.asserts...)))
		alternatives = append(alternatives, a.Const(b))
	}
	c := &testcase.Case{}
	asserts, checks := j.parts[0].asserts, 0
steps:
	for i := range j.steps {
		switch x := &j.steps[i]; x.Kind {
		case smtlib.CmdAssert:
			t := asserts[0]
			asserts = asserts[1:]
			if len(alternatives) > 0 {
				t = a.Or(append([]smt.Term{t}, alternatives...)...)
			}
			assert(t)
		case smtlib.CmdPush, smtlib.CmdPop:
			body = append(body, *x)
		case smtlib.CmdCheckSat:
			body = append(body, *x)
			answer := smtlib.None
			if checks < len(j.checks) && known && (j.checks[checks] == smtlib.Unsat || j.checks[checks] == smtlib.Sat && sat) {
				answer = j.checks[checks]
			}
			c.Expect = append(c.Expect, answer)
			checks++
		case smtlib.CmdExit:
			break steps
		}
	}
	c.Script = j.fusedScript(nil, body)
	return c, nil
}
