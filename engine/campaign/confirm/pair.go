package confirm

import (
	"errors"
	"fmt"

	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/reduce/driver"

	"github.com/smtlark/smtlark/solvers"
)

// A verdict about a case and its seed is reduced with both in one script, so that their common parts change alike (see
// joint.go). A smaller pair is accepted if its assertions show the claimed relation between the two. It is also
// accepted if a model satisfies both by exact evaluation: then the solver is wrong, whatever held between them.

// scriptedRelation says why a verdict of a campaign file's own oracle about a case and its seed is left as it is.
const scriptedRelation = "its oracle looks at the seed, and only the oracle knows what holds between a case and its seed"

// comparing settles verdicts about a case and its seed in one reduction.
type comparing struct {
	givers []solvers.Target // who is asked for models; nil until one is needed
	done   func()
}

func (k *comparing) close() {
	if k.done != nil {
		k.done()
	}
}

// keepsRelation reports whether it is still known of a case and its seed that the solver contradicts itself. The
// verdict says how.
func (q *questioning) keepsRelation(c *testcase.Case, v *oracle.Verdict) bool {
	p := claim.ComparisonOf(c, v)
	if p == nil {
		return false
	}
	if q.comparing.done == nil {
		q.comparing.givers, q.comparing.done = q.w.modelGivers(q.verdict)
	}
	ruling := p.Settle(q.ctx, q.comparing.givers, q.w.plan.Limits)
	evident := relationShows(c, max(0, v.Check), v.Relation)
	switch {
	case ruling.Standing == claim.Refuted:
		return false
	case ruling.Standing == claim.Proven && !evident:
		v.RelateByModel()
	}
	if ruling.Standing == claim.Proven {
		v.SettleRelation(ruling.By)
		return true
	}
	return evident
}

// reducePair makes the case and its seed smaller together.
func (d *reduction) reducePair() error {
	joint, err := joinPair(d.orig, max(0, d.verdict.Check))
	if err != nil {
		return fmt.Errorf("the case and its seed do not go into one script: %w", err)
	}
	if ok, _ := d.testCase(splitPair(joint, d.orig), false); !ok {
		return errors.New("it does not reproduce with the assertions of the case and its seed alone")
	}
	// Replies are remembered by the joint script, since the same case may come with another seed.
	var memo driver.Memo
	memo.Note(driver.Key(joint), driver.Observation{Holds: true})
	_, err = d.w.plan.Reducer.Reduce(d.ctx, joint, memo.Predicate(func(c *testcase.Case) bool {
		small := splitPair(c, d.orig)
		return small != nil && d.tryCandidate(small)
	}, d.isOver), nil)
	return err
}
