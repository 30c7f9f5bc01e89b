package smtlib_test

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// A script is read, and written with another logic.
func Example() {
	script, err := smtlib.Parse("small.smt2", []byte(`
(set-logic QF_LIA)
(declare-const x Int)
(push 1)
(assert (> x 0))
(check-sat)
(pop 1)
(check-sat)`), smt.NewArena())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(script.CheckSats(), "checks; the first has", len(script.AssertsAt(0)), "assertion, the second", len(script.AssertsAt(1)))
	fmt.Print(script.WithLogic("QF_NIA").Text())

	_, err = smtlib.Parse("broken.smt2", []byte("(declare-const x Int)\n(assert (bvnot x))"), smt.NewArena())
	fmt.Println(err)
	// Output:
	// 2 checks; the first has 1 assertion, the second 0
	// (set-logic QF_NIA)
	// (declare-const x Int)
	// (push 1)
	// (assert (> x 0))
	// (check-sat)
	// (pop 1)
	// (check-sat)
	// broken.smt2:2:16: bvnot: argument 1 has sort Int, expected a bit vector: x
	//   (assert (bvnot x))
	//                  ^
}
