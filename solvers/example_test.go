package solvers_test

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// A query is a script as it is sent to a solver; who wants models asks for them in the same query.
func ExampleFromScript() {
	script, err := smtlib.Parse("small.smt2", []byte("(declare-const x Int)\n(assert (> x 0))\n(check-sat)"), smt.NewArena())
	if err != nil {
		fmt.Println(err)
		return
	}
	q := solvers.FromScript(script)
	fmt.Print(q.WithModel().Text())
	// Output:
	// (declare-const x Int)
	// (assert (> x 0))
	// (check-sat)
	// (get-model)
}
