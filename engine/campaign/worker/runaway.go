package worker

import (
	"slices"

	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/engine/triage"
	"github.com/smtlark/smtlark/solvers"
)

// To be sure of a runaway takes seconds of CPU time. Once there is a finding, cases like it need not be asked about again: those
// with all operators that the finding was reduced to are taken for more of the same, and so are all while it is being reduced; but
// for the first, second, fourth, eighth ... of them.

// runaways says what is known of a case whose runs ran out of time or memory. skip: nobody need ask about it again. same: it has
// all operators of a reduced finding.
func (w *worker) runaways(c *testcase.Case, runs []*solvers.Run) (skip, same bool) {
	w.info.Logic, w.info.Reduces = c.Script.Logic(), w.plan.Reducer != nil
	var operators []string
	for _, r := range runs {
		if r.Class != solvers.Timeout && r.Class != solvers.OutOfMemory {
			continue
		}
		v := &oracle.Verdict{Oracle: oracle.KindRunaway, Kind: oracle.KindRunaway, Target: r.Target, Targets: []string{r.Target}}
		if operators == nil {
			operators = triage.Operators(c.Script)
		}
		ask, has := w.knownRunaway(triage.Of(v, w.info).Key, operators)
		if ask {
			return false, has
		}
		skip, same = true, same || has
	}
	return skip, same
}

// knownRunaway reports whether a case that may be a runaway is to be asked about, and whether it has what a finding needs.
func (w *worker) knownRunaway(key string, operators []string) (ask, same bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	k := w.known[key]
	if k == nil {
		return true, false
	}
	same = slices.ContainsFunc(k.skeletons, func(s []string) bool { return triage.Within(s, operators) })
	if len(k.skeletons) > 0 && !same {
		return true, false
	}
	k.ran++
	return k.ran&(k.ran-1) == 0, same
}
