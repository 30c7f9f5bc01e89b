package target

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/api"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native"
)

// taken remembers what solvers said of options. An answer follows from the solver and the script alone.
var taken = struct {
	sync.Mutex
	m map[string]bool
}{m: map[string]bool{}}

// refusals are the classes of runs in which a solver did not take something.
var refusals = []solvers.Class{solvers.ParseError, solvers.SolverError, solvers.Unsupported, solvers.Refusal}

// refusesSetting reports whether a solver refused a setting, which need not spoil the answer.
func refusesSetting(run *solvers.Run) bool {
	return slices.ContainsFunc(refusals, func(c solvers.Class) bool { return strings.HasPrefix(run.Message, c.String()+":") })
}

const takenMax = 1 << 17

// Takes asks the solver whether it takes options, in their order, in front of a script. The reply is remembered while the
// process lives. The error is that the solver could not be started, or ctx's.
func (s *Solver) Takes(ctx context.Context, options []api.Setting, script string) (bool, error) {
	i := &Interview{s: s}
	return i.Takes(ctx, options, script)
}

// Takes is the solver's, asked as all questions of the interview are.
func (i *Interview) Takes(ctx context.Context, options []api.Setting, script string) (bool, error) {
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

// SameAs is a text that solvers share which do the same: name, options, version, and where they are.
func (s *Solver) SameAs() string {
	return strings.Join([]string{s.AskerName(), s.Found.Version, s.Found.Path, s.Found.Library}, "\x00")
}

// Stamp is SameAs with sizes and times of the files that the solver is, which tell one build of it from another.
func (s *Solver) Stamp() string {
	var b strings.Builder
	b.WriteString(s.SameAs())
	for _, path := range append([]string{s.Found.Path, s.Found.Library}, s.Found.Exec...) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			fmt.Fprintf(&b, "\x00%d %d", info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// LibraryOptions returns the options that a library says it has, as lines of a profile's api_options. It is asked once.
func LibraryOptions(s *solvers.Solver) ([]string, error) {
	return native.OptionLines(context.Background(), s)
}
