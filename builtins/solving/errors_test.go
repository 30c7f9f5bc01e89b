package solving_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestMessages checks the error messages for wrong arguments to solvers, runs and oracles.
func TestMessages(t *testing.T) {
	scripttest.Messages(t, "s = solver(\"z3\")\nx = smt.const(\"x\", smt.Int)\ncase = smt.case(\"(assert true)(check-sat)\")", []scripttest.Message{
		{`s.run(1)`, `solver.run: for parameter question: got int 1, want case, term or str`},
		{`s.run(x)`, `solver.run: x has sort Int, want a Bool term`},
		{`s.run("(assert")`, `solver.run: `},
		{`s.run()`, `solver.run: missing argument for question`},
		{`s.run(case).answr`, `run has no field or method 'answr' (did you mean 'answer'?)`},
		{`s.vresion`, `solver has no field or method 'vresion' (did you mean 'version'?)`},
		{`s.all_values(case, [])`, `name terms whose values are wanted`},
		{`s.all_values(case, ["y"])`, `unknown constant y`},
		{`s.minimal_core(1)`, `want case or str`},
		{`s.optimise("(check-sat")`, `solver.optimise: `},
		{`solver.frontend([s]).optimise("(declare-const p Bool)(maximize p)(check-sat)")`, `maximize: an objective is an Int, a Real or a bit vector`},
		{`oracle.crash().judge(case)`, `oracle.judge: missing argument for runs`},
		{`{s.run(case): 1}`, `unhashable`},
	})
}
