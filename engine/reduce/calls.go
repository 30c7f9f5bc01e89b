package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// weightCall is the weight of a call where calls count (Options.Calls): more than what else can be said of one.
const weightCall = 16

// CallsWeight is Weight where the commands stand for a trace: each command, each distinct term and each sort is a call.
func CallsWeight(script *smtlib.Script) int {
	s := &session{a: script.Arena, opt: Options{Calls: true}}
	return s.weigh(script.Commands)
}

// weighCalls is the weight of the calls that a trace of these commands makes. A declared constant is made by its declaration.
func (s *session) weighCalls(cmds []smtlib.Command, roots []smt.Term) int {
	a := s.a
	n := len(cmds)
	sorts := map[smt.Sort]bool{}
	var needs func(so smt.Sort)
	needs = func(so smt.Sort) {
		if sorts[so] || so == smt.SortUnknown {
			return
		}
		sorts[so] = true
		for _, x := range a.SortArgs(so) {
			needs(x)
		}
	}
	for i := range cmds {
		for _, f := range cmds[i].Symbols {
			needs(a.SymbolInfo(f).Result)
			for _, p := range a.SymbolInfo(f).Params {
				needs(p)
			}
		}
	}
	a.PostOrder(roots, func(t smt.Term) {
		needs(a.Sort(t))
		if a.Op(t) != smt.OpApply || a.NumArgs(t) > 0 {
			n++
		}
	})
	return weightCall * (n + len(sorts))
}

// maxMerged bounds the number of terms of a case whose terms are tried in the place of each other, maxMerges how many for
// each.
const (
	maxMerged = 48
	maxMerges = 6
)

// merge puts terms of the case that are made earlier in the place of terms of their sort, then those without arguments that
// are made later: they need no further call. Either way no edits lead in a circle.
func (s *session) merge() {
	if !s.opt.Calls || len(s.targets()) > maxMerged {
		return
	}
	a := s.a
	earlier := map[smt.Term][]smt.Term{}
	bySort := map[smt.Sort][]smt.Term{}
	a.PostOrder(s.roots(), func(t smt.Term) {
		earlier[t] = bySort[a.Sort(t)]
		if s.closed(t) && a.Op(t) != smt.OpAnnot {
			bySort[a.Sort(t)] = append(bySort[a.Sort(t)], t)
		}
	})
	s.applyRounds(func(t smt.Term) []smt.Term { return earlier[t][:min(len(earlier[t]), maxMerges)] })
	s.applyRounds(func(t smt.Term) []smt.Term {
		same := bySort[a.Sort(t)]
		at := slices.Index(same, t)
		later := slices.DeleteFunc(slices.Clone(same[at+1:]), func(u smt.Term) bool { return at < 0 || a.NumArgs(u) > 0 })
		return later[:min(len(later), maxMerges)]
	})
}

// assume makes one call of an assertion and the check-sat behind it: check-sat-assuming.
func (s *session) assume() {
	if !s.opt.Calls {
		return
	}
	for again := true; again; {
		var list []proposal
		for i := range s.cur.cmds {
			check := s.cur.cmds[i]
			if check.Kind != smtlib.CmdCheckSat && check.Kind != smtlib.CmdCheckSatAssuming {
				continue
			}
			for j := i - 1; j >= 0; j-- {
				c := &s.cur.cmds[j]
				if c.Kind != smtlib.CmdAssert || len(c.Named) > 0 {
					continue
				}
				for _, others := range [][]smt.Term{nil, check.Terms} {
					one := check
					one.Kind, one.Text = smtlib.CmdCheckSatAssuming, ""
					one.Terms = append(slices.Clone(others), c.Terms[0])
					list = append(list, proposal{make: func() *state {
						st := s.replaced(i, one)
						return s.with(slices.Delete(st.cmds, j, j+1), slices.Delete(slices.Clone(st.expect), j, j+1))
					}})
					if len(check.Terms) == 0 {
						break
					}
				}
				break // those before it come next
			}
		}
		again = s.firstOf(list) >= 0
	}
}

// unary are predicates that need one term only, the plainest first. Those of two arguments get it twice.
var unary = map[smt.SortKind][]smt.Op{
	smt.KindFloat: {smt.OpFPIsNaN, smt.OpFPIsZero}, smt.KindReal: {smt.OpIsInt}, smt.KindString: {smt.OpStrIsDigit},
	smt.KindBitVec: {smt.OpBVNego, smt.OpBVSmulo},
}

// predicate replaces relations by predicates of one of their arguments, so that nothing else need be made.
func (s *session) predicate() { s.byPredicate(false) }

// overflow does that for bit vectors: late, because relations have more ways to become smaller than overflows have.
func (s *session) overflow() { s.byPredicate(true) }

func (s *session) byPredicate(vectors bool) {
	if !s.opt.Calls {
		return
	}
	a := s.a
	s.applyRounds(func(t smt.Term) []smt.Term {
		if a.Sort(t) != smt.SortBool || a.NumArgs(t) < 2 || a.Op(t).Structural() {
			return nil
		}
		var out []smt.Term
		for i := range a.NumArgs(t) {
			x := a.Arg(t, i)
			if (a.SortKind(a.Sort(x)) == smt.KindBitVec) != vectors {
				continue
			}
			for _, op := range unary[a.SortKind(a.Sort(x))] {
				by, err := a.App(op, nil, x)
				if err != nil {
					by, err = a.App(op, nil, x, x)
				}
				if err == nil && by != t && a.NumArgs(x) > 0 && !slices.Contains(out, by) {
					out = append(out, by)
				}
			}
		}
		return out
	})
}
