package fusion_test

import (
	"context"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	engine "github.com/smtlark/smtlark/engine/generate/fusion"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
	script "github.com/smtlark/smtlark/starlark"
)

// theories are the theories for which the test searches counterexamples, each with the sorts of the inputs and the
// necessary declarations.
var theories = map[string]struct{ declared, one, two string }{
	"Bool": {"", "Bool", "Bool"}, "Int": {"", "Int", "Int"}, "Real": {"", "Real", "Real"}, "String": {"", "String", "String"},
	"String and Int": {"", "String", "Int"}, "BV": {"", "(_ BitVec 8)", "(_ BitVec 8)"}, "FP": {"", "(_ FloatingPoint 3 5)", "(_ FloatingPoint 3 5)"},
	"Array": {"", "(Array Int Bool)", "(Array Int Bool)"}, "Seq": {"", "(Seq Int)", "(Seq Int)"}, "UF": {"(declare-sort U 0)", "U", "U"},
	"Data": {"(declare-datatype L ((nil) (cons (hd Int) (tl L))))", "L", "L"},
}

// TestNoInverseIsRefuted has two solvers look for values where an inverse of a generated function is wrong: 80
// functions of size 7 for each theory, SMTLARK_DEEP=1. What evaluation shows to be no counterexample is a solver's
// fault and is told.
func TestNoInverseIsRefuted(t *testing.T) {
	functions := 80
	if os.Getenv("SMTLARK_DEEP") == "" {
		functions = 1
	}
	table, env := library(t)
	var targets []solvers.Target
	for _, name := range []string{"z3", "cvc5"} {
		s, err := script.Supply().Find(name, "")
		if err != nil {
			t.Skipf("%s is missing", name)
		}
		target := process.New(s, process.TargetOptions{Mode: solvers.Reset})
		t.Cleanup(func() { _ = target.Close() })
		targets = append(targets, target)
	}
	for _, name := range slices.Sorted(maps.Keys(theories)) {
		t.Run(name, func(t *testing.T) { refuteAll(t, table, env, targets, name, functions) })
	}
}

// refuteAll asks for each inverse of the functions of a theory.
func refuteAll(t *testing.T, table *engine.Table, env any, targets []solvers.Target, name string, functions int) {
	th := theories[name]
	inverses, proven, refuted, wrong := 0, 0, 0, 0
	for i := range functions {
		s, err := smtlib.Parse("function", []byte(th.declared+"(declare-const x "+th.one+")(declare-const y "+th.two+")"), smt.NewArena())
		require.NoError(t, err)
		a := s.Arena
		var inputs []smt.Term
		for _, c := range s.Commands[len(s.Commands)-2:] {
			inputs = append(inputs, a.Const(c.Symbols[0]))
		}
		f, err := table.Generate(&engine.Env{Arena: a, Rng: rng.New(7).Split(uint64(i)), Make: env, Name: engine.Namer(nil), Literal: 0.5}, inputs, engine.Size{Nodes: 7})
		require.NoError(t, err, name)
		for k, x := range f.Inputs {
			inverses++
			decided := 0
			for _, target := range targets {
				q := refutation(s, f, x, f.Inverse[k])
				run := target.Run(context.Background(), solvers.FromScript(q).WithModel(), solvers.Limits{Wall: 2 * time.Second})
				switch run.Answer() {
				case smtlib.Unsat:
					decided = 1
				case smtlib.Sat:
					if none(q, run) {
						wrong++
						t.Logf("%s gives a counterexample that is none:\n%s%s", target.Solver().Name, q.Text(), run.Values[len(run.Values)-1])
						continue
					}
					refuted++
					t.Errorf("%s refutes an inverse:\n%s", target.Solver().Name, q.Text())
				}
			}
			proven += decided
		}
	}
	t.Logf("%s: %d functions, %d inverses: %d refuted, %d proven by a solver, %d undecided; %d wrong counterexamples",
		name, functions, inverses, refuted, proven, inverses-proven, wrong)
}

// refutation asks for values where z = f and the side conditions hold and the input is not its inverse.
func refutation(s *smtlib.Script, f *engine.Function, x, inverse smt.Term) *smtlib.Script {
	a := s.Arena
	cmds := append([]smtlib.Command{{Kind: smtlib.CmdSetLogic, Text: "ALL"}}, s.Commands...)
	for _, c := range append(append(slices.Clone(f.Consts), f.Fresh...), a.SymbolOf(f.Z)) {
		cmds = append(cmds, smtlib.DeclareCommand(a, c))
	}
	for _, t := range append(slices.Clone(f.Side), a.Eq(f.Z, f.F), a.MustApp(smt.OpDistinct, x, inverse)) {
		cmds = append(cmds, smtlib.AssertCommand(t))
	}
	return s.WithCommands(append(cmds, smtlib.Command{Kind: smtlib.CmdCheckSat}))
}

// none reports whether exact evaluation shows that the model of a run does not satisfy the script.
func none(s *smtlib.Script, run *solvers.Run) bool {
	if len(run.Values) == 0 {
		return false
	}
	m, err := modelreader.Parse(s, run.Values[len(run.Values)-1])
	return err == nil && eval.CheckModel(s, m).Result == value.False
}
