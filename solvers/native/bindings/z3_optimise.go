package bindings

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// z3Objective is a minimize, maximize or assert-soft in force. The library has optimisation contexts of their own
// (z3_optimization.h); the one of get-objectives gets the assertions of the solver.
type z3Objective struct {
	level      int
	command    string // its name
	term       driver.Ref
	weight, id string // of a soft formula
}

// addObjective notes an objective.
func (z *z3) addObjective(s *driver.Session, c *smtlib.Command) {
	o := z3Objective{level: z.level, command: c.Name, term: s.Term(c.Terms[0]), weight: "1"}
	read, err := smtlib.ParseSExprs(strings.ReplaceAll(c.Text, smtlib.Hole, "t"))
	if err != nil || len(read) != 1 {
		panic(driver.Unsupported("the command %s", c.Name))
	}
	for i := 2; i+1 < len(read[0].List); i += 2 {
		switch value := read[0].List[i+1].Atom; read[0].List[i].Atom {
		case ":weight":
			o.weight = value
		case ":id":
			o.id = value
		}
	}
	z.objectives = append(z.objectives, o)
}

// popObjectives drops the objectives of levels that are closed.
func (z *z3) popObjectives() {
	z.objectives = slices.DeleteFunc(z.objectives, func(o z3Objective) bool { return o.level > z.level })
}

// optima solves the problem of the solver in an optimisation context, and replies as the program does to get-objectives.
func (z *z3) optima() string {
	context := z.c("mk_optimize")
	z.c("optimize_inc_ref", context)
	defer z.c("optimize_dec_ref", context)
	for _, r := range z.vector(z.c("solver_get_assertions", z.solver)) {
		z.c("optimize_assert", context, r)
	}
	for _, p := range z.trackers { // the assertions with names are implications
		z.c("optimize_assert", context, p)
	}
	var numbers []uintptr
	var signs []string // "max", "min", or the group of a soft formula
	for i := range z.objectives {
		o := &z.objectives[i]
		switch o.command {
		case "minimize":
			numbers, signs = append(numbers, z.c("optimize_minimize", context, o.term)), append(signs, "min")
		case "maximize":
			numbers, signs = append(numbers, z.c("optimize_maximize", context, o.term)), append(signs, "max")
		default:
			group := "soft " + o.id
			n := z.c("optimize_assert_soft", context, o.term, z.Library.Str(o.weight), z.symbol(o.id))
			if !slices.Contains(signs, group) {
				numbers, signs = append(numbers, n), append(signs, group)
			}
		}
	}
	if int32(z.c("optimize_check", context, uintptr(len(z.assumed)), z.Library.Refs(z.assumed))) != 1 {
		panic(driver.Refuse(solvers.SolverError, "Z3_optimize_check does not answer sat"))
	}
	text := "(objectives"
	for i, n := range numbers {
		side := "optimize_get_lower"
		if signs[i] == "max" {
			side = "optimize_get_upper"
		}
		text += "\n (o " + oneLine(z.text("ast_to_string", z.ast(side, context, n))) + ")"
	}
	return text + "\n)"
}
