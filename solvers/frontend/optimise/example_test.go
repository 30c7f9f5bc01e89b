package optimise_test

import (
	"context"
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/optimise"
	"github.com/smtlark/smtlark/solvers/process"
	script "github.com/smtlark/smtlark/starlark"
)

// The points of a Pareto front, one by one. Any solver will do.
func ExampleFront() {
	found, err := script.Supply().Find("z3", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	below := process.New(found, process.TargetOptions{Mode: solvers.Incremental})
	defer below.Close()
	a := smt.NewArena()
	s, err := frontend.New(a, []solvers.Target{below}, frontend.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	commands, err := smtlib.NewScope(a).Commands("(declare-const x Int)(declare-const y Int)(assert (and (<= 0 x) (<= 0 y) (<= (+ (* 3 x) (* 2 y)) 7)))")
	for i := 0; err == nil && i < len(commands); i++ {
		err = s.Do(&commands[i])
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := a.Const(commands[0].Symbols[0]), a.Const(commands[1].Symbols[0])
	front := optimise.NewFront([]optimise.Objective{{Term: x, Maximize: true}, {Term: y, Maximize: true}})
	for {
		out, err := front.Next(context.Background(), s)
		if err != nil || out.Result.Answer != smtlib.Sat {
			fmt.Println(out.Result.Answer, err)
			return
		}
		fmt.Println("x =", out.Values[0].High, "y =", out.Values[1].High)
	}
	// Unordered output:
	// x = 2 y = 0
	// x = 1 y = 2
	// x = 0 y = 3
	// unsat <nil>
}
