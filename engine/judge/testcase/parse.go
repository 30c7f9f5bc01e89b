package testcase

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/meaning"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/solvers"
)

// Parse reads a script into an arena of its own. The expected answers come from its :status.
func Parse(name string, src []byte) (*Case, error) {
	s, err := smtlib.Parse(name, src, smt.NewArena())
	if err != nil {
		return nil, err
	}
	// Commands that name files are not sent to solvers anyway. In the files of a finding, they would write files when
	// somebody runs these by hand.
	for i := range s.Commands {
		if c := &s.Commands[i]; c.Kind == smtlib.CmdCheckSatUsing && namesFile(*c) {
			c.Kind, c.Text = smtlib.CmdCheckSat, ""
		}
	}
	s.Commands = slices.DeleteFunc(s.Commands, namesFile)
	c := &Case{Script: s, Expect: s.Statuses()}
	if changes := meaning.OfScript(s); !changes.None() { // who wrote the status meant another problem than is evaluated
		for check := range c.Expect {
			if changes.Why(s.Arena, s.AssertsAt(check)) != "" {
				c.Expect = nil
				break
			}
		}
	}
	if c.Expect != nil {
		c.Origin = c.Origin.Assume("the :status of " + name)
	}
	return c, nil
}

// anySolver is an empty profile; it holds back the commands that no solver should get.
var anySolver = &solvers.Profile{}

// namesFile reports whether a command has a solver write or read a file.
func namesFile(c smtlib.Command) bool {
	switch c.Kind {
	case smtlib.CmdSetOption:
		return solvers.HoldsBack(c.Name)
	case smtlib.CmdOther:
		return anySolver.HoldsBackCommand(c.Text)
	case smtlib.CmdCheckSatUsing, smtlib.CmdSimplify:
		return anySolver.HoldsBackCommand("(" + c.Kind.String() + " " + c.Text + ")")
	}
	return false
}

// With returns a case of the same origin with another script and the known facts about its answers.
func (c *Case) With(s *smtlib.Script, expect []smtlib.Answer, witness *model.Model) *Case {
	return &Case{Script: s, Expect: expect, Witness: witness, Origin: c.Origin}
}

// Following returns the known facts about the answers of a script whose last check-sat has an answer; nil for None. A
// subset of satisfiable assertions is satisfiable, and a superset of unsatisfiable ones is unsatisfiable. Nothing
// follows for other checks.
func Following(s *smtlib.Script, answer smtlib.Answer) []smtlib.Answer {
	n := s.CheckSats()
	if answer == smtlib.None || n == 0 {
		return nil
	}
	expect := make([]smtlib.Answer, n)
	expect[n-1] = answer
	if n == 1 {
		return expect
	}
	last := setOf(s.Asserts())
	for i := range n - 1 {
		smaller, larger := setOf(s.AssertsAt(i)), last
		if answer == smtlib.Unsat {
			smaller, larger = larger, smaller
		}
		if isSubset(smaller, larger) {
			expect[i] = answer
		}
	}
	return expect
}

func setOf(terms []smt.Term) map[smt.Term]bool {
	set := make(map[smt.Term]bool, len(terms))
	for _, t := range terms {
		set[t] = true
	}
	return set
}

func isSubset(smaller, larger map[smt.Term]bool) bool {
	if len(smaller) > len(larger) {
		return false
	}
	for t := range smaller {
		if !larger[t] {
			return false
		}
	}
	return true
}
