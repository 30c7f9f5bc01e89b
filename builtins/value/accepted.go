package value

import (
	"errors"
	"fmt"

	"github.com/smtlark/smtlark/engine/acceptance"
	"github.com/smtlark/smtlark/engine/corpus"
	"github.com/smtlark/smtlark/engine/testcase"
)

// Accepted is what is known of the scripts that the targets take which cases are made for.
type Accepted struct {
	targets []*Solver
	rules   []*acceptance.Rules
	seeds   map[string]string // by their keys: why they are declined, "" for those that are not
}

// NewAccepted returns what some targets take: a script counts as declined where each of the rules declines it.
func NewAccepted(targets []*Solver, rules ...*acceptance.Rules) *Accepted {
	return &Accepted{targets: targets, rules: rules, seeds: map[string]string{}}
}

// Declines says why the targets do not take a case; "" where nothing is known to be in the way.
func (x *Accepted) Declines(c *testcase.Case) (why string) {
	if x == nil {
		return ""
	}
	for _, r := range x.rules {
		if why = r.Declines(c.Script); why == "" {
			return ""
		}
	}
	return why
}

// declinesSeed is Declines of a seed, remembered.
func (x *Accepted) declinesSeed(src corpus.Seed, c *Case) string {
	why, known := x.seeds[src.Key()]
	if !known {
		why = x.Declines(c.tc)
		x.seeds[src.Key()] = why
	}
	return why
}

// declinedError is the error that the targets of the case being made do not take a seed, so that another one is to be used.
type declinedError struct{ seed, why string }

// Error implements error.
func (e *declinedError) Error() string {
	return fmt.Sprintf("the targets do not take %s (%s)", e.seed, e.why)
}

// isDeclined reports whether an error says that the targets do not take a seed.
func isDeclined(err error) bool {
	var e *declinedError
	return errors.As(err, &e)
}
