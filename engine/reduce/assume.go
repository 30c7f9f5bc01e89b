package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// assumeLastAssert makes one call of an assertion and the check-sat behind it: check-sat-assuming.
func assumeLastAssert(s *search) {
	if !s.Measure.Calls {
		return
	}
	for again := true; again; {
		var list []proposal
		for i := range s.Current().Commands {
			check := s.Current().Commands[i]
			if check.Kind != smtlib.CmdCheckSat && check.Kind != smtlib.CmdCheckSatAssuming {
				continue
			}
			for j := i - 1; j >= 0; j-- {
				c := &s.Current().Commands[j]
				if c.Kind != smtlib.CmdAssert || len(c.Named) > 0 {
					continue
				}
				for _, others := range [][]smt.Term{nil, check.Terms} {
					one := check
					one.Kind, one.Text = smtlib.CmdCheckSatAssuming, ""
					one.Terms = append(slices.Clone(others), c.Terms[0])
					list = append(list, proposal{Make: func() *state {
						st := s.ReplacedCommand(i, one)
						return s.With(slices.Delete(st.Commands, j, j+1), slices.Delete(slices.Clone(st.Expect), j, j+1))
					}})
					if len(check.Terms) == 0 {
						break
					}
				}
				break // those before it come next
			}
		}
		again = s.FirstOf(list) >= 0
	}
}
