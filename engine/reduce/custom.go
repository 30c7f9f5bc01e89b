package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
)

// Custom is a pass that somebody else wrote: which cases to try instead of the current one. All else is that of the passes
// of this package: no text is asked about twice, candidates are asked about ahead of time, what is not lighter or no longer
// known to be sat is left out, and the passes go on until none changes anything.
type Custom struct {
	Name string
	// Candidates returns the cases to try, the best first. Their terms live in the arena of the case. It is called again
	// after each candidate that is kept, and from one goroutine at a time.
	Candidates func(*testcase.Case) []*testcase.Case
}

// pass makes it one of the passes. It does nothing to traces, whose commands stand for calls.
func (k *Custom) pass() *pass {
	return &pass{name: k.Name, run: func(s *session) {
		for s.opt.Wrap == nil && !s.stopped() {
			var list []proposal
			for _, c := range k.Candidates(s.toCase(s.cur)) {
				st := s.stateOf(c)
				list = append(list, proposal{is: cosmetic, make: func() *state {
					return &state{cmds: slices.Clone(st.cmds), expect: slices.Clone(st.expect), witness: st.witness}
				}})
			}
			if s.firstOf(list) < 0 {
				return
			}
		}
	}}
}

// stateOf makes a candidate of a case. What is known of the answers is that of the current case: check by check if it has as
// many, else by the commands that are in both.
func (s *session) stateOf(c *testcase.Case) *state {
	st := &state{cmds: c.Script.Commands, expect: make([]smtlib.Answer, len(c.Script.Commands)), witness: s.cur.witness}
	if c.Witness != nil {
		st.witness = c.Witness
	}
	isCheck := func(x smtlib.Command) bool { return x.Kind.IsCheck() }
	var known []int // numbers of the current case's checks
	for i := range s.cur.cmds {
		if isCheck(s.cur.cmds[i]) {
			known = append(known, i)
		}
	}
	checks := 0
	for i := range st.cmds {
		if isCheck(st.cmds[i]) {
			checks++
		}
	}
	same := checks == len(known)
	for i := range st.cmds {
		if !isCheck(st.cmds[i]) {
			continue
		}
		at := 0
		if !same {
			at = slices.IndexFunc(known, func(k int) bool { return s.cur.cmds[k].Pos == st.cmds[i].Pos })
		}
		if at >= 0 && at < len(known) {
			st.expect[i] = s.cur.expect[known[at]]
			known = known[at+1:]
		}
	}
	return st
}
