package solving_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestErrors: what an author reads of oracles that do not fit.
func TestErrors(t *testing.T) {
	scripttest.Errors(t, map[string]string{
		`oracle.pattern()`:                                   `Error: oracle.pattern: it would match every verdict; say which ones`,
		`oracle.pattern(target = "(")`:                       `for parameter target: error parsing regexp`,
		`oracle.pattern(shape = [1])`:                        `for parameter shape: element 0: got int 1, want str`,
		`oracle.pattern(shape = [""])`:                       `for parameter shape: element 0 is ""; want the name of an operator`,
		`oracle.bug("slow", "")`:                             `for parameter message: say in one line what is wrong`,
		"oracle.bug(\"a b\\nc\", \"x\")":                     `for parameter kind: a kind is a short word, such as "slow"`,
		`oracle.bug("slow", "x", severity = "bad")`:          `for parameter severity: got "bad", want "wrong unsat", "wrong sat", "crash", "other" or None`,
		"oracle.bug(\"slow\", \"x\", category = \"a\\nb\")":  `for parameter category: a category is a few words, such as "rewriter"`,
		`oracle.bug("slow", "x", target = 3)`:                `for parameter target: got int 3, want run, solver, str`,
		`oracle.bug("slow", "m", check = "x")`:               `for parameter check: got string "x", want int`,
		`oracle.custom(1)`:                                   `for parameter judge: got int 1, want a function of (case, runs)`,
		`oracle.custom(lambda c: None)`:                      `for parameter judge: lambda takes (c), want a function of (case, runs)`,
		`oracle.values(probability = 2)`:                     `for parameter probability: 2 is not between 0 and 1`,
		`oracle.cores(probability = "x")`:                    `for parameter probability: got string "x", want a probability (0 to 1)`,
		`oracle.metamorphic("same")`:                         `for parameter relation: got "same", want "equisatisfiable", "equivalent", "stronger" or "weaker"`,
		`oracle.crash(1)`:                                    `oracle.crash: got 1 positional argument, want 0; usage: oracle.crash()`,
		`oracle.crash().judge(smt.case("(check-sat)"), [1])`: `for parameter runs: element 0: got int 1, want run`,
		`oracle.crash().judge(smt.case("(check-sat)"))`:      `oracle.judge: missing argument for runs; usage: oracle.judge(case, runs)`,
	})
}
