package target

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native"
	"github.com/smtlark/smtlark/solvers/rule"
)

// taken caches whether solvers accept options. An answer depends only on the solver and the script.
var taken = struct {
	sync.Mutex
	m map[string]bool
}{m: map[string]bool{}}

// refusals are the classes of runs in which a solver rejected some input.
var refusals = []solvers.Class{solvers.ParseError, solvers.SolverError, solvers.Unsupported, solvers.Refusal}

// refusesSetting reports whether a solver refused a setting. The solver may still have answered the query.
func refusesSetting(run *solvers.Run) bool {
	return slices.ContainsFunc(refusals, func(c solvers.Class) bool { return strings.HasPrefix(run.Message, c.String()+":") })
}

const takenMax = 1 << 17

// Takes asks whether the solver takes options, in their order, in front of a script. The reply is remembered while the
// process of smtlark lives. The error is that of ctx, or says that the solver could not be started.
func (i *Interview) Takes(ctx context.Context, options []rule.Setting, script string) (bool, error) {
	s := i.s
	var b strings.Builder
	for _, o := range options {
		fmt.Fprintf(&b, "(set-option :%s %s)\n", o.Name, o.Value)
	}
	b.WriteString(script)
	key := s.SameAs() + "\x00" + b.String()
	taken.Lock()
	ok, known := taken.m[key]
	taken.Unlock()
	if known {
		return ok, nil
	}
	parsed, err := smtlib.Parse("options", []byte(b.String()), smt.NewArena())
	if err != nil {
		return false, err
	}
	defer account.Begin(ctx, account.Options, "asking "+s.Name()+" which options it takes")()
	run, err := i.ask(ctx, solvers.FromScript(parsed), 1)
	if err != nil {
		return false, err
	}
	ok = !refusesSetting(run) && !slices.Contains(refusals, run.Class)
	taken.Lock()
	if len(taken.m) < takenMax {
		taken.m[key] = ok
	}
	taken.Unlock()
	return ok, nil
}

// LibraryOptions returns the options that a library says it has. It is asked once.
func LibraryOptions(s *solvers.Solver) ([]rule.OptionSpec, error) {
	return native.Options(context.Background(), s)
}
