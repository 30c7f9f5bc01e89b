package api_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// small is a machine of four states; CONDITION stands for one.
const small = `
def machine(condition):
    m = api.machine(start = "new", theories = ["Int"], all_theories = True)
    m.state("new").add("new", next = "make")
    m.state("make").add("mk-const", 4).add("mk-term", 4).add("assert-formula", 2).add("push").add(None, next = "ask", when = condition)
    m.state("ask", binds = True).add("check-sat", next = "make").add("delete", next = "final")
    m.state("final")
    return m
def cases(condition):
    return [api.fuzz(machine(condition))(None, rng(i)).text for i in range(40)]
`

// TestCompiledConditions: a condition of api.when and the function that says the same make the same walks.
func TestCompiledConditions(t *testing.T) {
	for compiled, function := range map[string]string{
		`api.when.inputs`:     `lambda walk: walk.inputs > 0`,
		`api.when.levels`:     `lambda walk: walk.level > 0`,
		`api.when.assertions`: `lambda walk: walk.has_assertions`,
		`api.when.all(api.when.inputs, api.when.not_(api.when.levels))`:                               `lambda walk: walk.inputs > 0 and not walk.level > 0`,
		`api.when.any(api.when.at_most("levels", 0), api.when.has_terms(smt.Int))`:                    `lambda walk: walk.level == 0 or len(walk.manager.terms(smt.Int)) > 0`,
		`api.when.all(api.when.theories("Int"), lambda walk: walk.inputs > 2)`:                        `lambda walk: walk.inputs > 2`,
		`api.when.any(api.when.theories("BV"), api.when.all(api.when.inputs, lambda w: w.level > 1))`: `lambda walk: walk.inputs > 0 and walk.level > 1`,
		`lambda walk: api.when.levels(walk)`:                                                          `lambda walk: walk.level > 0`,
	} {
		require.NoError(t, scripttest.Run(t, small+"if cases("+compiled+") != cases("+function+"):\n    fail(\"other walks\")\n"), compiled)
	}
}

// TestMachineErrors checks the error messages for mistakes in a machine.
func TestMachineErrors(t *testing.T) {
	const m = "m = api.machine(start = \"a\")\n"
	for src, want := range map[string]string{
		m + `m.state("a").add("chek-sat")`:                                        `state.add: for parameter action: there is no action "chek-sat" (did you mean "check-sat"?)`,
		m + `m.state("a").add("push", -1)`:                                        "-1 is no weight: want a number from 0 up",
		m + `m.state("a").add("push", when = 1)`:                                  "state.add: for parameter when: got int 1",
		m + `m.state("a").add("push", when = lambda: True)`:                       "a function of (walk)",
		m + `api.fuzz(m)`:                                                         `it needs at least a first state and the state "final"`,
		m + "m.state(\"final\")\napi.fuzz(m)":                                     `from state "a" no way leads to "final"`,
		m + `m.action("puhs")`:                                                    `no built-in action is named "puhs" (did you mean "push"?)`,
		m + `m.state("a").remove("push")`:                                         "the state a has no such transition",
		m + `m.state("a").weight(weight = 2)`:                                     "it needs an action or a next state",
		m + `m.weight("push", 1)`:                                                 `no transition is by an action "push"`,
		m + `m.remove(state = "b")`:                                               `there is no state "b"`,
		m + `m.operator("nope")`:                                                  `the operator table has no "nope"`,
		m + `m.exclude("nonsense")`:                                               `"nonsense" excludes nothing`,
		m + `m.sort("(nope")`:                                                     "is no sort",
		m + `m.value(smt.Int, "1 2")`:                                             "is not one term",
		`api.machine(max_calls = 0)`:                                              "for parameter max_calls: 0 is below 1",
		`api.machine(theories = [])`:                                              "it is empty; None stands for all",
		`api.machine(theories = ["Nope"])`:                                        `"Nope" is no theory`,
		m + `m.option("produce-models", 2)`:                                       "machine.option: for parameter probability: 2 is not between 0 and 1",
		`solver.action("x y", "(x)", state = "sat")`:                              `action "x y": want a name without spaces`,
		`solver.action("x", "(x", state = "sat")`:                                 `command: "(x": want one command in parentheses`,
		`solver.action("x", "(x) (y)", state = "sat")`:                            "want one command in parentheses",
		`solver.action("x", "(assert {formula})", state = "sat")`:                 "assert is an action of the machine itself",
		`solver.action("x", "(x {sort})", state = "sat")`:                         "{sort} stands for nothing; there are {formula}, {goal}, {term}, {name}",
		`solver.action("x", "(x)", state = "")`:                                   "want the state of the machine",
		`solver.action("x", [], state = "sat")`:                                   "it has no command",
		`solver.action("x", "(x)", state = "sat", weight = -1)`:                   "-1 is no weight: want a number from 0 up",
		`solver.action("x", "(x)", state = "sat", option = "o", probability = 3)`: "3 is not between 0 and 1",
		`solver.profile(name = "p", binaries = ["p"], api_actions = ["x"])`:       "api_actions: element 0 is a string, want solver.action(...)",
		`solver.profile(name = "p", binaries = ["p"], api_actions = [solver.action("x", "(x)", state = "sat")] * 2)`: `api_actions has two actions that are named "x"`,
		`api.when.theories("Nope")`:            `conditions.theories: for parameter names: "Nope" is no theory`,
		`api.when.theories()`:                  "it needs names of theories",
		`api.when.all()`:                       "conditions.all: it needs conditions",
		`api.when.any(1)`:                      "got int 1",
		`api.when.at_most("levels", -1)`:       "-1 is below 0",
		`api.when.at_most("checks", 1)`:        `got "checks"`,
		`api.when.may_be("perhaps")`:           `got "perhaps"`,
		`api.when.inputs(3)`:                   "the condition inputs: got int, want a walk",
		`api.when.inputs()`:                    "the condition inputs takes a walk",
		`api.when.inptus`:                      "(did you mean 'inputs'?)",
		`api.probe(api.machine(), probes = 0)`: "0 is not between 1 and 64",
		`api.under_options(lambda seeds, rng: None, max_options = 17)`:    "17 is not between 1 and 16",
		`api.under_options(lambda seeds, rng: None)(corpus.texts([]), 3)`: "api.under_options: got int, want an rng",
		`api.fuzz(api.machine())(None)`:                                   "api.fuzz: takes the seeds and an rng",
		"m = api.machine()\nm.state(\"assert\").add(\"push\", weight = 1000, when = lambda walk: walk.levl)\nfor i in range(9):\n    api.fuzz(m)(None, rng(i))":                                                   "walk has no field or method 'levl' (did you mean 'level'?)",
		"m = api.machine()\nm.state(\"assert\").add(\"push\", weight = 1000, when = lambda walk: smt.true)\nfor i in range(9):\n    api.fuzz(m)(None, rng(i))":                                                    "lambda",
		"m = api.machine()\nm.action(\"mine\", generate = lambda walk, rng: 3, run = lambda s, terms: None)\nm.state(\"assert\").add(\"mine\", weight = 1000)\nfor i in range(9):\n    api.fuzz(m)(None, rng(i))": `generate of the action "mine" returned int, want a list of terms or None`,
	} {
		assert.ErrorContains(t, scripttest.Run(t, src), want, src)
	}
}
