package frontend

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
)

// Models calls each with the values of terms in a model of the assertions, then in a model in which not all of these
// values are the same, and so on. It ends when there is no further model (complete), or after limit models; 0 means no
// limit. scope has the declarations. The session is left as it was. It is an error if the solver cannot decide, gives
// values that cannot be excluded (elements of declared sorts, numbers that are not known exactly), or gives excluded
// ones again.
func Models(
	ctx context.Context, s solvers.Caller, scope *smtlib.Script, terms []smt.Term, limit int,
	each func([]value.TermValue) error,
) (complete bool, err error) {
	if len(terms) == 0 {
		return false, errors.New("name terms whose values are wanted")
	}
	if err := solvers.Tell(ctx, s, smtlib.Command{Kind: smtlib.CmdPush, N: 1}); err != nil {
		return false, err
	}
	defer func() {
		if !solvers.DeadAfter(err) {
			err = errors.Join(err, solvers.Tell(ctx, s, smtlib.Command{Kind: smtlib.CmdPop, N: 1}))
		}
	}()
	seen := map[string]bool{}
	for n := 0; limit == 0 || n < limit; n++ {
		switch answer, err := solvers.Check(ctx, s); {
		case err != nil || answer == smtlib.Unsat:
			return err == nil, err
		case answer != smtlib.Sat:
			return false, fmt.Errorf("the solver does not decide whether there is another model, after %d", n)
		}
		reply, err := solvers.Say(ctx, s, smtlib.Command{Kind: smtlib.CmdGetValue, Terms: terms})
		if err != nil {
			return false, err
		}
		values, err := modelreader.ParseValues(scope, nil, reply.Text)
		if err != nil {
			return false, err
		}
		if key := strings.Join(reply.Values, " "); seen[key] {
			return false, fmt.Errorf("the solver gives these values twice, though they are excluded: %s", key)
		} else {
			seen[key] = true
		}
		if err := each(values); err != nil {
			return false, err
		}
		blocked, err := exclude(s.Arena(), values)
		if err == nil {
			err = solvers.Tell(ctx, s, smtlib.AssertCommand(blocked))
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// exclude returns a formula that says that not all terms have these values.
func exclude(a *smt.Arena, values []value.TermValue) (smt.Term, error) {
	var same []smt.Term
	for _, x := range values {
		t, err := value.ToTerm(a, x.Value)
		if err != nil {
			return 0, fmt.Errorf("the value of %s cannot be excluded: %w", a.Brief(x.Term), err)
		}
		same = append(same, a.Eq(x.Term, t))
	}
	return a.Not(a.And(same...)), nil
}
