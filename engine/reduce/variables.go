package reduce

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce/driver"

	"github.com/smtlark/smtlark/engine/reduce/weight"
)

// eliminateEqualities removes assertions (= x t) where x is a declared constant that does not occur in t, and puts t in
// the place of x everywhere else.
func eliminateEqualities(s *search) {
	a := s.Arena
	for again := true; again; {
		var list []proposal
		for i := range s.Current().Commands {
			c := &s.Current().Commands[i]
			if c.Kind != smtlib.CmdAssert || a.Op(c.Terms[0]) != smt.OpEq || a.NumArgs(c.Terms[0]) != 2 {
				continue
			}
			x, y := a.Arg(c.Terms[0], 0), a.Arg(c.Terms[0], 1)
			for _, e := range []edit{{Term: x, By: y}, {Term: y, By: x}} {
				if a.Op(e.Term) == smt.OpApply && a.NumArgs(e.Term) == 0 && !slices.Contains(a.Symbols(e.By), a.SymbolOf(e.Term)) {
					list = append(list, proposal{Make: func() *state { return s.Edited([]edit{e}, i) }})
				}
			}
		}
		again = s.FirstOf(list) >= 0
	}
}

// maxFresh bounds how many terms byFresh tries in one go.
const maxFresh = 32

// replaceByFresh replaces terms by constants declared for them, the heaviest first: where that removes more than the
// declaration adds, such as all that is left of an array.
func replaceByFresh(s *search) {
	a := s.Arena
	weigh := weight.Trees(s.Arena)
	var heavy []smt.Term
	for _, t := range s.Targets() {
		if a.NumArgs(t) > 0 && a.Op(t) != smt.OpAnnot && s.Closed(t) && (s.Measure.Calls || !isGround(s.Arena, t)) {
			heavy = append(heavy, t)
		}
	}
	slices.SortStableFunc(heavy, func(x, y smt.Term) int { return weigh(y) - weigh(x) })
	heavy = heavy[:min(len(heavy), maxFresh)]
	for i := 0; i < len(heavy); {
		taken := takenNames(s)
		list := heavy[i:]
		at := -1
		k := s.First(func() (proposal, bool) {
			if at++; at >= len(list) {
				return proposal{}, false
			}
			t := list[at]
			return proposal{Make: func() *state { return withFresh(s, t, shortName("vwxyz", taken)) }}, true
		})
		if k < 0 {
			return
		}
		for j := range heavy { // terms that are left have changed with the step
			if to := s.Rewriter.To(heavy[j]); to != 0 {
				heavy[j] = to
			}
		}
		i += k + 1
	}
}

// withFresh is the case with a new constant in the place of a term, declared before it is needed.
func withFresh(s *search, t smt.Term, name string) *state {
	f := s.Arena.Declare(name, nil, s.Arena.Sort(t))
	st := s.Edited([]edit{{Term: t, By: s.Arena.Const(f)}}, -1)
	if st == nil {
		return nil
	}
	at := slices.IndexFunc(st.Commands, func(c smtlib.Command) bool {
		return c.Kind == smtlib.CmdAssert || c.Kind.IsCheck() || c.Kind == smtlib.CmdPush || c.Kind == smtlib.CmdGetValue || c.Kind.IsDefinition()
	})
	if at < 0 {
		return nil
	}
	st.Commands = slices.Insert(slices.Clone(st.Commands), at, smtlib.DeclareCommand(s.Arena, f))
	st.Expect = slices.Insert(slices.Clone(st.Expect), at, smtlib.None)
	if st.Witness != nil {
		if v, err := s.Truth.Evaluator(s.Current().Witness).Eval(t); err == nil {
			st.Witness = st.Witness.Clone()
			st.Witness.Set(f, v)
		}
	}
	return st
}

// orderArguments sorts the arguments of commutative operators by their size and text, so that cases that mean the same
// look the same.
func orderArguments(s *search) {
	a := s.Arena
	weigh := weight.Trees(s.Arena)
	s.ApplyAs(driver.Cosmetic, func(t smt.Term) []smt.Term {
		if op := a.Op(t); op.Structural() || !op.Info().Commutative {
			return nil
		}
		args := a.CopyArgs(t)
		texts := map[smt.Term]string{}
		for _, x := range args {
			if weigh(x) > 64 {
				return nil
			}
			texts[x] = smtlib.TermText(a, x)
		}
		slices.SortStableFunc(args, func(x, y smt.Term) int {
			if d := weigh(x) - weigh(y); d != 0 {
				return d
			}
			return strings.Compare(texts[x], texts[y])
		})
		by, err := a.Rebuild(t, args)
		if err != nil || by == t {
			return nil
		}
		return []smt.Term{by}
	})
}
