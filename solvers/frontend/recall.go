package frontend

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/frontend/cache"
)

// question returns the question for the cache; ok is false if the problem has commands that only solvers understand.
func (s *FrontEnd) question(assumptions []smt.Term) (q cache.Question, ok bool) {
	if s.cache == nil || s.stack.HasOwn("") {
		return q, false
	}
	if n := s.stack.Settled(); s.settled == nil || s.settled.number != n {
		s.settled = &settled{n, s.stack.Logic(), s.bearingOptions()}
	}
	return cache.Question{Logic: s.settled.logic, Options: s.settled.options,
		Asserts: append(s.stack.Assertions(), assumptions...)}, true
}

// settled has the effect of the settings on the cache.
type settled struct {
	number  uint64 // stack.Stack.Settled
	logic   string
	options []string
}

// bearingOptions returns the sources of answers, and the options that can change the meaning of sat and unsat. Options
// about extra output, seeds and limits cannot change that.
func (s *FrontEnd) bearingOptions() []string {
	options := slices.Clone(s.sources)
	for _, c := range s.stack.Settings() {
		harmless := strings.HasPrefix(c.Name, ":produce-") || c.Name == ":random-seed" ||
			c.Name == ":reproducible-resource-limit"
		if c.Kind == smtlib.CmdSetOption && !harmless {
			options = append(options, c.Name+" "+c.Text)
		}
	}
	return options
}

// recall takes the answer of the cache, if it has one.
func (s *FrontEnd) recall(q *cache.Question, l *latest) bool {
	e, ok := s.cache.Look(q)
	if !ok {
		return false
	}
	l.result = Result{Answer: e.Answer, By: "cache"}
	if e.Answer == smtlib.Sat {
		l.recalled = e.Model
		l.result.ConfirmedBy = "the model, by evaluation"
	} else {
		l.result.ConfirmedBy = "an earlier answer to the same question, or to a part of it"
	}
	return true
}
