package worker

import (
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// shapes has the features of cases that were reported, for a mixture whose weights follow the yield: those of the
// current epoch and those of earlier ones.
type shapes struct{ now, earlier map[uint32]bool }

// end ends an epoch. Features reported in it need not be reported again.
func (s *shapes) end() {
	if s.earlier == nil {
		s.earlier = map[uint32]bool{}
	}
	for f := range s.now {
		s.earlier[f] = true
	}
	clear(s.now)
}

// features returns the new features of a case, as far as this worker knows: which operator is an argument of which, and
// the known answer. It omits features that the worker reported in earlier epochs, but not those of this epoch: the
// coordinator decides, by case numbers, which case had a feature first.
func (s *shapes) features(c *testcase.Case) []uint32 {
	a := c.Script.Arena
	var out []uint32
	in := map[uint32]bool{}
	a.PostOrder(c.Script.Asserts(), func(t smt.Term) {
		for i := range min(a.NumArgs(t), 4) {
			h := uint32(a.Op(t))<<16 | uint32(a.Op(a.Arg(t, i)))<<2&0xFFFF | uint32(i)
			if !in[h] && !s.earlier[h] {
				in[h] = true
				out = append(out, h)
			}
		}
	})
	if s.now == nil {
		s.now = map[uint32]bool{}
	}
	for _, f := range out {
		s.now[f] = true
	}
	return out
}
