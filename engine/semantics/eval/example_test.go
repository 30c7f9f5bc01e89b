package eval_test

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
)

// A solver's model is checked against the script that it was asked about.
func Example() {
	a := smt.NewArena()
	script, err := smtlib.Parse("small.smt2", []byte(`
(declare-const x (_ BitVec 8))
(assert (bvult x #x80))
(assert (= (bvmul x #x02) #x06))
(check-sat)`), a)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, reply := range []string{"((define-fun x () (_ BitVec 8) #x03))", "((define-fun x () (_ BitVec 8) #x83))"} {
		m, err := modelreader.Parse(script, reply)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(eval.CheckModel(script, m).Result, eval.New(a, m).Value(script.Asserts()[1]).Text(a))
	}
	// Output:
	// true true
	// false true
}
