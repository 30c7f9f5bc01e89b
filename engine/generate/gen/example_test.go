package gen_test

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// New terms over the constants and operators of a script: the same for the same source of random numbers.
func ExampleOver() {
	a := smt.NewArena()
	script, err := smtlib.Parse("seed.smt2", []byte(`
(declare-const x Int)
(declare-const y Int)
(assert (< (+ x y) 7))`), a)
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := gen.Over(a, script.Asserts(), nil, rng.New(3), gen.Config{}, gen.Discard)
	if err != nil {
		fmt.Println(err)
		return
	}
	t := g.Build(smt.SortBool, 2)
	fmt.Println(a.SortString(a.Sort(t)), a.Depth(t) > 1, len(a.FreeVars(t)))
	// Output:
	// Bool true 0
}
