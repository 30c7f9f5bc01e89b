package solvers

import (
	"context"
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/proof"
)

// Prover wraps a function that runs queries on a solver as a reference for package proof.
func Prover(name string, ask func(context.Context, *Query) (*Run, error)) proof.Reference {
	return proof.Reference{Name: name, Ask: func(ctx context.Context, s *smtlib.Script) (*proof.Response, error) {
		run, err := ask(ctx, FromScript(s).WithModel())
		if err != nil {
			return nil, err
		}
		reply := &proof.Response{Answer: run.Answer(), Outcome: fmt.Sprintf("%v %s", run.Class, run.Message), CPU: run.CPU}
		if n := len(run.Values); n > 0 {
			reply.Model = run.Values[n-1]
		}
		return reply, nil
	}}
}
