package solving_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestErrorsOfSolver: what an author reads of solvers and profiles that do not fit.
func TestErrorsOfSolver(t *testing.T) {
	scripttest.Errors(t, map[string]string{
		`solver.lacks()`: `solver.lacks: say what it lacks, such as operator, theory, sort, action or option`,
		`solver.lacks(operator = "a", sort = "b")`:                     `for parameter sort: operator and sort are two things`,
		`solver.lacks(argument = "Array", sort = "Int")`:               `for parameter argument: it goes with operator`,
		`solver.lacks(operator = "a", index = "zero", argument = "b")`: `for parameter index: it goes with operator, and with one of`,
		`solver.lacks(operator = "a", index = "first")`:                `for parameter index: got "first", want`,
		`solver.lacks(operator = "a", place = "var")`:                  `for parameter place: it goes with sort`,
		`solver.lacks(sort = "Int", place = "anywhere")`:               `for parameter place: got "anywhere", want`,
		`solver.lacks(conflict = ["a"])`:                               `for parameter conflict: got 1 names, want two`,
		`solver.lacks(operator = "a before 4")`:                        `for parameter operator: "a before 4" has a blank; want one name`,
		`solver.lacks("bvnego")`:                                       `solver.lacks: got 1 positional argument, want 0`,
		`solver.option("")`:                                            `for parameter name: "" is no option's name`,
		`solver.option("a", values = ["x y"])`:                         `for parameter values: element 0: "x y" is not one word`,
		`solver.option("a", values = ["x"], between = (1, 2))`:         `for parameter between: values and between exclude each other`,
		`solver.option("a", between = (2, 1))`:                         `for parameter between: 2 is above 1`,
		`solver.option("a", between = 3)`:                              `for parameter between: got int 3, want tuple[int, int]`,
		`solver.limit("a")`:                                            `solver.limit: missing argument for between`,
		`solver.profile(name = "x", binaries = ["x"], api_options = [solver.lacks(theory = "Bags")])`: `api_options: element 0 is solver.lacks(theory = "Bags"), want solver.option(...)`,
		`solver("z3", mode = "fast")`:                              `for parameter mode: got "fast", want "fresh", "reset", "incremental", "native" or None`,
		`solver("nope")`:                                           `no solver is named "nope"; kinds of solvers: alt-ergo, bitwuzla, boolector`,
		`solver("z3", options = {"a b": 1})`:                       `for parameter options: "a b" is no option's name`,
		`solver("z3", memory = "1XB")`:                             `for parameter memory: "1XB" is no size: want bytes, or a number with KB, MB or GB, above 0`,
		`solver("z3", resources = -1)`:                             `for parameter resources: -1 is below 0`,
		`solver("z3", options = {"a": 1, ":a": 2})`:                `for parameter options: a is there twice, with and without the colon`,
		`solver("z3-4.13.3", path = "/no/z3")`:                     `there is no program /no/z3 that can be executed`,
		`solver("z3-4.13.3", version = "4.8")`:                     `for parameter version: "4.8" is not the version of z3-4.13.3`,
		`solver("libz3-4.8.12", path = "/no/z3.so")`:               `there is no library /no/z3.so`,
		`solver("z3-4.8.12", mode = "native", path = "/no/z3.so")`: `there is no library /no/z3.so`,
		`solver("libz3-4.8.12", mode = "native", version = "9")`:   `for parameter version: "9" is not the version of libz3-4.8.12`,
		`solver("libz3", mode = "fresh", path = "/no/z3.so")`:      `for parameter mode: libz3 is a C library, whose mode is native`,
		`solver("z3", timeout = "1x")`:                             `for parameter timeout: got string "1x", want a duration`,
		`solver("z3", path = "/no/z3")`:                            `there is no program /no/z3 that can be executed`,
		`solver("z3", args = "-v")`:                                `is ["-v"] meant?`,
		`solver.installed(kinds = ["z4"])`:                         `for parameter kinds: no kind of solver is named "z4" (did you mean "z3"?)`,
		`solver.installed(modes = ["fast"])`:                       `for parameter modes: element 0: got "fast"`,
		`solver.installed(modes = [])`:                             `for parameter modes: there is no mode in the list`,
		`solver.products(["z4"])`:                                  `no solver is named "z4" (did you mean "z3"?)`,
		`solver.products([1])`:                                     `for parameter which: element 0: got int 1, want str or profile`,
		`solver.cross([])`:                                         `for parameter solvers: there is no solver in the list`,
		`solver.frontend([])`:                                      `for parameter solvers: there is no solver in the list`,
		`solver.frontend([], tell = "all")`:                        `for parameter tell: got "all", want "incremental", "batch" or "cached"`,
		`solver.profile(binaries = ["x"])`:                         `solver.profile: solver profile: name "": want a letter`,
		`solver.profile(name = "x", binares = [])`:                 `no field "binares" (did you mean "binaries"?)`,
		`solver.profile(name = "x", base = "nope")`:                `base: no profile "nope" (there are: alt-ergo, bitwuzla`,
		`solver.profile(name = "x", binaries = "z3")`:              `solver profile x: binaries: got a string, want a list of strings`,
		`solver.profile(name = "x")`:                               `solver profile x: binaries is missing; give the file names to look for`,
	})
}

// TestErrorsOfSolversThatAreThere needs a solver.
func TestErrorsOfSolversThatAreThere(t *testing.T) {
	if _, err := exec.LookPath("z3"); err != nil {
		require.Empty(t, os.Getenv("CI"), "%v", err)
		t.Skip(err)
	}
	scripttest.Errors(t, map[string]string{
		`solver.cross([solver("z3"), solver("z3")])`:    `for parameter solvers: two solvers are named "z3-`,
		`solver("z3", version = "99")`:                  `no usable z3 99 on this machine`,
		`solver.checked(solver("z3"), probability = 2)`: `for parameter probability: 2 is not between 0 and 1`,
		`solver.writer(solver("z3"), "../x.smt2")`:      `for parameter path: "../x.smt2" leads out of`,
		`solver.writer(solver("z3"), "x.sh")`:           `"x.sh": want a name that ends in .smt2 or .trace or .txt, and no hidden folder`,
		`solver.tee(solver("z3"), "")`:                  `for parameter path: "" names no file`,
	})
}
