package campaign

import (
	"context"

	"github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
)

// DefaultReducer returns the reducer of campaigns that name none, which simplifies terms by laws.
func DefaultReducer(laws func() (*rewrite.Rules, error)) Reducer {
	return ReducerFunc(func(ctx context.Context, c *testcase.Case, fails driver.Predicate, helpers driver.Helpers) (*testcase.Case, error) {
		run := reduce.Run
		if c.LiveTrace() != nil {
			run = api.Reduce
		}
		r, err := run(ctx, Freed(c, fails), fails, reduce.Options{Laws: laws, Helpers: helpers})
		if err != nil {
			return nil, err
		}
		return r.Case, nil
	})
}

// Freed returns the case without the known facts about its answers, if these do not matter for the verdict, so that a
// reducer need not preserve them. They matter for a wrong answer, but not for a crash or a disagreement.
func Freed(c *testcase.Case, fails driver.Predicate) *testcase.Case {
	if len(c.Expect) == 0 && c.Witness == nil {
		return c
	}
	free := *c
	free.Expect, free.Witness = nil, nil
	if fails(&free) {
		return &free
	}
	return c
}
