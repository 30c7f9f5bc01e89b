package confirm

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// maxIsolated bounds the applications that are asked about on their own.
const maxIsolated = 32

// isolateOperator looks for an operator that shows a wrong unsat alone. In a reduced case, an operator that is computed
// wrongly shows through other operators, such as (< 0 (str.len (str.from_sbv v))). Which ones these are is chance, so
// one cause would lead to many findings. Therefore, for each application, the solver is asked whether it can have its
// value under the witness, with constants in place of its arguments. The witness proves that it can.
func (d *reduction) isolateOperator() {
	if !d.verdict.IsWrongAnswer() || d.verdict.Want != smtlib.Sat || d.best.Case == nil {
		return
	}
	c, err := d.best.Case.Case(nil)
	if err != nil || c.Witness == nil || len(triage.Skeleton(c.Script, "")) < 2 {
		return
	}
	check := 0
	if d.best.Said != nil {
		check = max(0, d.best.Said.Check)
	}
	a := c.Script.Arena
	var apps []smt.Term
	a.PostOrder(c.Script.AssertsAt(check), func(t smt.Term) {
		if a.NumArgs(t) > 0 && len(a.FreeVars(t)) == 0 {
			apps = append(apps, t)
		}
	})
	ev := eval.New(a, c.Witness)
	tried := 0
	for _, t := range apps {
		one := singleOperatorCase(c, ev, t)
		if one == nil || len(triage.Skeleton(one.Script, "")) >= len(triage.Skeleton(c.Script, "")) {
			continue
		}
		if tried++; tried > maxIsolated || d.ctx.Err() != nil {
			return
		}
		ok, runs := d.testCase(one, false)
		if d.ctx.Err() != nil || !ok {
			continue
		}
		d.memo.Note(driver.Key(one), driver.Observation{Holds: true})
		d.acceptCase(one, d.runsToReport(runs))
		_, _ = d.w.plan.Reducer.Reduce(d.ctx, one, d.keepsVerdict, nil) // what is smaller is accepted on the way
		return
	}
}

// singleOperatorCase returns a case asserting that an application, with constants for its arguments, has the value that
// it has under the witness; nil if that cannot be asserted.
func singleOperatorCase(c *testcase.Case, ev *eval.Evaluator, t smt.Term) *testcase.Case {
	a := c.Script.Arena
	have, err := ev.Eval(t)
	if err != nil || !have.IsValue() {
		return nil
	}
	witness := model.New(a)
	args := a.CopyArgs(t)
	constants := map[smt.Term]smt.Term{}
	for i, x := range args {
		if a.Op(x) == smt.OpVar || a.Op(x) == smt.OpCase {
			return nil // of a binder
		}
		if a.IsLiteral(x) {
			continue
		}
		v, err := ev.Eval(x)
		if err != nil || !v.IsValue() {
			return nil
		}
		// A repeated argument becomes one constant, since the bug may require f(x, x).
		if constants[x] == 0 {
			f := a.Declare(fmt.Sprintf("arg%d", i+1), nil, a.Sort(x))
			witness.Set(f, v)
			constants[x] = a.Const(f)
		}
		args[i] = constants[x]
	}
	says := a.With(t, args)
	if a.Sort(t) == smt.SortBool {
		if holds, _ := have.Bool(); !holds {
			says = a.Not(says)
		}
	} else {
		by, err := value.ToTerm(a, have)
		if err != nil || a.Sort(by) != a.Sort(t) {
			return nil
		}
		says = a.Eq(says, by)
	}
	var cmds []smtlib.Command
	for _, x := range c.Script.Commands {
		if x.Kind == smtlib.CmdSetOption || x.Kind == smtlib.CmdSetLogic {
			cmds = append(cmds, x)
		}
	}
	cmds = append(cmds, (&scope.Declared{}).Missing(a, []smt.Term{says})...)
	cmds = append(cmds, smtlib.AssertCommand(says), smtlib.Command{Kind: smtlib.CmdCheckSat})
	return &testcase.Case{Script: c.Script.WithCommands(cmds), Expect: []smtlib.Answer{smtlib.Sat}, Witness: witness, Origin: c.Origin}
}
