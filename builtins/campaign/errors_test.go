package campaign_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestErrors: what an author reads of campaigns, stop conditions and replays that do not fit.
func TestErrors(t *testing.T) {
	scripttest.Errors(t, map[string]string{
		`campaign()`: `campaign: missing argument for technique; usage: campaign(*, technique, targets`,
		`campaign(technique = lambda a: 1, targets = [])`:       `for parameter technique: lambda takes (a), want a function of (seeds, rng)`,
		`campaign(technique = lambda s, r: None, targets = [])`: "for parameter targets: there are none; `smtlark solvers` tells what was found",
		`mix({})`:                      `mix: for parameter techniques: no technique has a weight above 0`,
		`mix({1: 2})`:                  `for parameter techniques: key 1: got int 1, want a function of (seeds, rng); a technique is a function`,
		`mix({lambda s, r: None: -1})`: `the weight of <function lambda> is -1, want a number from 0 up`,
		`mix({lambda s, r: None: 1}, later = {lambda s, r: None: 1})`: `for parameter later: weights that change need adapt = True`,
		`mix({lambda s, r: None: 1})(corpus.texts([]), 1)`:            `mix: got int, want an rng`,
		`stop.any()`:      `stop.any: for parameter conditions: give at least one condition`,
		`stop.all()`:      `stop.all: for parameter conditions: give at least one condition`,
		`stop.any(1)`:     `stop.any: argument 1: got int 1, want stop_condition`,
		`stop.after("x")`: `for parameter time: got string "x", want a duration: "90s", "8h", "2d" or a number of seconds`,
		`stop.quiet(0)`:   `stop.quiet: for parameter time: it must be above 0`,
		`campaign(technique = lambda seeds, rng: None, targets = [solver("z3")], stop = stop.any(stop.quiet("1h", technique = "strom"), stop.after("8h")))`: `campaign: for parameter stop: stop.quiet: no technique of the campaign is named "strom"; there are `,
		`stop.findings(0)`: `stop.findings: for parameter n: 0 is below 1`,
		`stop.cases("1")`:  `stop.cases: for parameter n: got string "1", want int`,
		`reproduce()`:      `reproduce: missing argument for case; usage: reproduce(*, case`,
		`reproduce(case = smt.case("(check-sat)"))`:                                                  `for parameter target: say who is wrong: target = solver(...)`,
		`reproduce(case = smt.case("(check-sat)"), campaign = "x.star")`:                             `for parameter verdict: give the verdict that the oracle must give again: verdict = {...}`,
		`reproduce(case = smt.case("(check-sat)"), campaign = "x.star", got = "sat")`:                `for parameter got: the campaign file tells what is wrong`,
		`reproduce(case = smt.case("(check-sat)"), campaign = "x.star", verdict = {"kind": 1})`:      `value of key "kind": got int 1, want str or list`,
		`reproduce(case = smt.case("(check-sat)"), campaign = "x.star", verdict = {"kind": "slow"})`: `for parameter targets: there is no target`,
		`reproduce(case = smt.case("(check-sat)"), target = solver("z3"), got = "metamorphic")`:      `for parameter seed: say what the case was made of: seed = smt.read("seed.smt2")`,
		`c = smt.case("(check-sat)")
reproduce(case = c, target = solver("z3"), got = "metamorphic", seed = c, relation = "same")`: `for parameter relation: "same" is none of equisatisfiable, equivalent, stronger, weaker`,
		`reproduce(case = smt.case("(check-sat)"), check = 1)`: `for parameter check: the case has 1 check-sats, counted from 0`,
		`setting("a", [1])`: `setting: for parameter default: got list, want str, bool, int or float`,
		`setting("a")`:      `setting: missing argument for default; usage: setting(name, default)`,
	})
}
