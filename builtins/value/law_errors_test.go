package value_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestErrorsOfLaw: what an author reads of laws that do not fit.
func TestErrorsOfLaw(t *testing.T) {
	scripttest.Errors(t, map[string]string{
		`law("m.a", sorts = ["BV(m)"], lhs = lambda x: x, rhs = lambda x: x, kind = "same")`:              `for parameter kind: got "same", want`,
		`law("m.a", sorts = ["BV(m)", 3], lhs = lambda x, y: x, rhs = lambda x, y: y)`:                    `for parameter sorts: element 1: got int`,
		`law("m.a", sorts = ["BV("], lhs = lambda x: x, rhs = lambda x: x)`:                               `for parameter sorts: element 0: `,
		`law("m.a", sorts = ["BV(m)"], lhs = lambda x, i: x, rhs = lambda x, i: x, index = {"i": "0.."})`: `for parameter index: `,
		`law("m.a", sorts = ["BV(m)"], lhs = 1, rhs = lambda x: x)`:                                       `for parameter lhs: got int 1, want`,
		`law("m.a", sorts = ["BV(m)"], lhs = lambda x: x)`:                                                `law: missing argument for rhs`,
		`law("", sorts = ["BV(m)"], lhs = lambda x: x, rhs = lambda x: x)`:                                `name`,
		`law("m.a", sorts = ["BV(m)"], lhs = lambda x: x, rhs = lambda x: x).nmae`:                        `law has no field or method 'nmae' (did you mean 'name'?)`,
	})
}
