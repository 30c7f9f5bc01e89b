package bindings

import (
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// applyTactic makes the calls of (apply TACTIC): the goals that a tactic leaves of the assertions.
func (z *z3) applyTactic(command string) string {
	list, err := smtlib.ParseSExprs(command)
	if err != nil || len(list) != 1 || len(list[0].List) != 2 {
		panic(driver.Unsupported("apply wants one tactic"))
	}
	tactic := z.tactic(&list[0].List[1])
	defer z.c("tactic_dec_ref", tactic)
	const models, cores, proofs = 1, 0, 0
	goal := z.c("mk_goal", models, cores, proofs)
	z.c("goal_inc_ref", goal)
	defer z.c("goal_dec_ref", goal)
	for _, r := range z.vector(z.c("solver_get_assertions", z.solver)) {
		z.c("goal_assert", goal, r)
	}
	result := z.c("tactic_apply", tactic, goal)
	z.c("apply_result_inc_ref", result)
	defer z.c("apply_result_dec_ref", result)
	return z.unrename(oneLine(z.text("apply_result_to_string", result)))
}

// tactic makes the tactic of an expression, a name or (then TACTIC...). The caller releases it.
func (z *z3) tactic(e *smtlib.SExpr) driver.Ref {
	if !e.IsList() {
		t := z.c("mk_tactic", z.Library.Str(e.Atom))
		z.c("tactic_inc_ref", t)
		return t
	}
	if e.Head() != "then" || len(e.List) < 2 {
		panic(driver.Unsupported("the tactic %s", e.String()))
	}
	all := z.tactic(&e.List[1])
	for i := 2; i < len(e.List); i++ {
		next := z.tactic(&e.List[i])
		both := z.c("tactic_and_then", all, next)
		z.c("tactic_inc_ref", both)
		z.c("tactic_dec_ref", all)
		z.c("tactic_dec_ref", next)
		all = both
	}
	return all
}
