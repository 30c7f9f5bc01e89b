package api_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestActionErrors checks the error messages for mistakes in an action.
func TestActionErrors(t *testing.T) {
	const frame = "m = api.machine(theories = [\"Int\"], all_theories = True)\ndef do(walk, rng):\n    BODY\nm.action(\"mine\", do = do)\n" +
		"_ = m.state(\"assert\").add(\"mine\", weight = 1000)\nfor i in range(20):\n    api.fuzz(m)(None, rng(i))\n"
	for body, want := range map[string]string{
		`walk.do("pusch", 1)`:                                      `walk.do: for parameter action: "pusch" takes no such arguments`,
		`walk.do("pusch")`:                                         `there is no action "pusch" (did you mean "push"?)`,
		`walk.do("push", 0)`:                                       `walk.do: argument 2: 0 is no number of levels`,
		`walk.do("assert-formula", smt.int(1))`:                    "walk.do: argument 2: got a term of sort Int, want a formula",
		`walk.do("assert-formula", smt.const("nobody", smt.Bool))`: "walk.do: argument 2: the walk does not declare nobody",
		`walk.do("check-sat", same_as = 0)`:                        "walk.do: for parameter same_as: there is no check-sat 0: the walk has 0 so far",
		`walk.do("push", same_as = 0)`:                             "walk.do: for parameter same_as: only check-sat, without other arguments, repeats an earlier check",
		`walk.do("mine")`:                                          "actions inside each other",
		`walk.manager.push()`:                                      `the levels of a walk are opened and closed by walk.do("push")`,
		`walk.manager.random(rng, smt.Bool, 99)`:                   "manager.random: for parameter depth: 99 is not between 1 and 16",
		`walk.manager.constant(rng, smt.BitVec(4))`:                "this walk has no terms of the sort (_ BitVec 4)",
		`walk.manager.add(smt.eq(smt.var("v", smt.Int), 1))`:       "manager.add: for parameter term: v is free in it",
	} {
		require.ErrorContains(t, scripttest.Run(t, strings.Replace(frame, "BODY", body, 1)), want, body)
	}
	for src, want := range map[string]string{
		`api.machine().action("x")`: "machine.action: for parameter run: the action needs run",
		`api.machine().action("x", run = lambda s, t: None, do = lambda w, r: None)`: "an action made of actions has no run",
		`gen.manager(theories = [])`:                       "gen.manager: for parameter theories: it is empty",
		`gen.manager(theories = ["Nope"])`:                 `"Nope" is no theory`,
		`gen.manager(max_width = -1)`:                      "gen.manager: for parameter max_width: -1 is below 0",
		`gen.manager(targets = [])`:                        "gen.manager: for parameter targets: it is empty",
		`gen.manager(targets = 3)`:                         "gen.manager: for parameter targets: got int 3",
		`gen.manager(7)`:                                   "gen.manager: for parameter case: got int 7",
		`gen.manager().pick(3, smt.Int)`:                   "manager.pick: for parameter rng: got int 3",
		`gen.manager().terms("Int")`:                       "manager.terms: for parameter sort: got string",
		`gen.manager().uses(3)`:                            "manager.uses: for parameter term: got int 3",
		`gen.manager().random(rng(1), smt.Int, depth = 0)`: "0 is not between 1 and 16",
		`gen.manager().literal(rng(1))`:                    "manager.literal",
		`gen.manager().termz(smt.Int)`:                     "manager has no field or method 'termz' (did you mean 'terms'?)",
		`gen.manager().pop()`:                              "manager.pop: no level is open",
	} {
		require.ErrorContains(t, scripttest.Run(t, src), want, src)
	}
}
