package frontend_test

import (
	"context"
	"fmt"
	"os/exec"
	"testing"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/internal/leaktest"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/process"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// z3Below is a solver below: any program that reads SMT-LIB from a pipe is one by its profile.
func z3Below() (solvers.Target, error) {
	path, err := exec.LookPath("z3")
	if err != nil {
		return nil, err
	}
	p := &solvers.Profile{Name: "z3", Program: solvers.Program{Binaries: []string{path}, Modes: []string{"incremental"}}}
	p.Args = []string{"-in"}
	return process.New(&solvers.Solver{Profile: p, Name: "z3", Path: path, Exec: []string{path}, Version: "?"}, process.TargetOptions{Mode: solvers.Incremental}), p.Validate()
}

// A width that does not fit is an error where the term is made, with its operands; what fits is asserted and asked
// about.
func ExampleFrontEnd_Check() {
	below, err := z3Below()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer below.Close()
	a := smt.NewArena()
	s, err := frontend.New(a, []solvers.Target{below}, frontend.Options{Mode: frontend.Cached, Check: false})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	x := a.Declare("x", nil, a.BitVec(8))
	if err := s.Do(&smtlib.Command{Kind: smtlib.CmdDeclareConst, Symbols: []smt.Symbol{x}}); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := a.App(smt.OpBVAdd, nil, a.Const(x), a.BVUint(16, 1)); err != nil {
		fmt.Println(err)
	}
	sum, err := a.App(smt.OpBVAdd, nil, a.Const(x), a.BVUint(8, 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	assert := smtlib.AssertCommand(a.Eq(sum, a.BVUint(8, 0)))
	if err := s.Do(&assert); err != nil {
		fmt.Println(err)
		return
	}
	r, err := s.Check(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := s.Values(context.Background(), []smt.Term{a.Const(x)})
	fmt.Println(r.Answer, values, err)
	// Output:
	// bvadd: argument 2 has sort (_ BitVec 16), expected (_ BitVec 8): #x0001
	// sat [#xff] <nil>
}
