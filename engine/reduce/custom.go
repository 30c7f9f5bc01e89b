package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce/driver"
)

// Custom is a user-written pass: it proposes cases to try instead of the current one. Otherwise it is treated as the
// passes of this package: no text is asked about twice, candidates are asked about ahead of time, candidates that are
// not lighter or no longer known to be sat are left out, and the passes repeat until none changes anything.
type Custom struct {
	Name string
	// Candidates returns the cases to try, the best first. Their terms live in the arena of the case. It is called again
	// after each candidate that is kept, and from one goroutine at a time.
	Candidates func(*testcase.Case) []*testcase.Case
}

// pass makes it one of the passes. It does nothing to traces, whose commands stand for calls.
func (k *Custom) pass() *pass {
	return &pass{name: k.Name, run: func(s *search) {
		for !s.Wrapped() && !s.Stopped() {
			var list []proposal
			for _, c := range k.Candidates(s.Case(s.Current())) {
				st := stateOf(s, c)
				list = append(list, proposal{Is: driver.Cosmetic, Make: func() *state {
					return &state{Commands: slices.Clone(st.Commands), Expect: slices.Clone(st.Expect), Witness: st.Witness}
				}})
			}
			if s.FirstOf(list) < 0 {
				return
			}
		}
	}}
}

// stateOf makes a candidate of a case. It takes the known answers from the current case: check by check if both have
// the same number of checks, else by the commands that are in both.
func stateOf(s *search, c *testcase.Case) *state {
	now := s.Current()
	st := &state{Commands: c.Script.Commands, Expect: make([]smtlib.Answer, len(c.Script.Commands)), Witness: now.Witness}
	if c.Witness != nil {
		st.Witness = c.Witness
	}
	isCheck := func(x smtlib.Command) bool { return x.Kind.IsCheck() }
	var known []int // numbers of the current case's checks
	for i := range now.Commands {
		if isCheck(now.Commands[i]) {
			known = append(known, i)
		}
	}
	checks := 0
	for i := range st.Commands {
		if isCheck(st.Commands[i]) {
			checks++
		}
	}
	same := checks == len(known)
	for i := range st.Commands {
		if !isCheck(st.Commands[i]) {
			continue
		}
		at := 0
		if !same {
			at = slices.IndexFunc(known, func(k int) bool { return now.Commands[k].Pos == st.Commands[i].Pos })
		}
		if at >= 0 && at < len(known) {
			st.Expect[i] = now.Expect[known[at]]
			known = known[at+1:]
		}
	}
	return st
}
