package reduce

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// eliminate removes assertions (= x t) where x is a declared constant that does not occur in t, and puts t in the place
// of x everywhere else.
func (s *session) eliminate() {
	a := s.a
	for again := true; again; {
		var list []proposal
		for i := range s.cur.cmds {
			c := &s.cur.cmds[i]
			if c.Kind != smtlib.CmdAssert || a.Op(c.Terms[0]) != smt.OpEq || a.NumArgs(c.Terms[0]) != 2 {
				continue
			}
			x, y := a.Arg(c.Terms[0], 0), a.Arg(c.Terms[0], 1)
			for _, e := range []edit{{x, y}, {y, x}} {
				if a.Op(e.t) == smt.OpApply && a.NumArgs(e.t) == 0 && !slices.Contains(a.Symbols(e.by), a.SymbolOf(e.t)) {
					list = append(list, proposal{make: func() *state { return s.edited([]edit{e}, i) }})
				}
			}
		}
		again = s.firstOf(list) >= 0
	}
}

// maxFresh bounds how many terms byFresh tries in one go.
const maxFresh = 32

// byFresh replaces terms by constants declared for them, the heaviest first: where that removes more than the declaration
// adds, such as all that is left of an array.
func (s *session) byFresh() {
	a := s.a
	weight := s.treeWeights()
	var heavy []smt.Term
	for _, t := range s.targets() {
		if a.NumArgs(t) > 0 && a.Op(t) != smt.OpAnnot && s.closed(t) && (s.opt.Calls || !s.ground(t)) {
			heavy = append(heavy, t)
		}
	}
	slices.SortStableFunc(heavy, func(x, y smt.Term) int { return weight(y) - weight(x) })
	heavy = heavy[:min(len(heavy), maxFresh)]
	for i := 0; i < len(heavy); {
		taken := s.takenNames()
		list := heavy[i:]
		at := -1
		k := s.first(func() (proposal, bool) {
			if at++; at >= len(list) {
				return proposal{}, false
			}
			t := list[at]
			return proposal{make: func() *state { return s.withFresh(t, shortName("vwxyz", taken)) }}, true
		})
		if k < 0 {
			return
		}
		for j := range heavy { // terms that are left have changed with the step
			if to := s.rw.to(heavy[j]); to != 0 {
				heavy[j] = to
			}
		}
		i += k + 1
	}
}

// withFresh is the case with a new constant in the place of a term, declared before it is needed.
func (s *session) withFresh(t smt.Term, name string) *state {
	f := s.a.Declare(name, nil, s.a.Sort(t))
	st := s.edited([]edit{{t, s.a.Const(f)}}, -1)
	if st == nil {
		return nil
	}
	at := slices.IndexFunc(st.cmds, func(c smtlib.Command) bool {
		return c.Kind == smtlib.CmdAssert || c.Kind.IsCheck() || c.Kind == smtlib.CmdPush || c.Kind == smtlib.CmdGetValue || c.Kind.IsDefinition()
	})
	if at < 0 {
		return nil
	}
	st.cmds = slices.Insert(slices.Clone(st.cmds), at, smtlib.DeclareCommand(s.a, f))
	st.expect = slices.Insert(slices.Clone(st.expect), at, smtlib.None)
	if st.witness != nil {
		if v, err := s.truth.Evaluator(s.cur.witness).Eval(t); err == nil {
			st.witness = st.witness.Clone()
			st.witness.Set(f, v)
		}
	}
	return st
}

// undefine turns definitions into declarations, and recursive groups into smaller ones: a function at a time.
func (s *session) undefine() {
	for again := true; again; {
		var list []proposal
		for i := range s.cur.cmds {
			c := s.cur.cmds[i]
			if !c.Kind.IsDefinition() {
				continue
			}
			for k := range c.Symbols {
				list = append(list, proposal{make: func() *state { return s.declared(i, k) }})
			}
		}
		again = s.firstOf(list) >= 0
	}
}

// declared is the case with function number k of definition i declared instead.
func (s *session) declared(i, k int) *state {
	a := s.a
	s.rw.reset(a, nil)
	f := s.cur.cmds[i].Symbols[k]
	info := *a.SymbolInfo(f)
	to := a.Declare(info.Name, info.Params, info.Result)
	s.rw.syms[f] = to
	s.drop = f
	cmds, changed := s.rewriteCommands()
	s.drop = 0
	if cmds == nil || !changed && len(cmds[i].Symbols) > 1 {
		return nil
	}
	expect := s.cur.expect
	decl := smtlib.Command{Kind: smtlib.CmdDeclareFun, Symbols: []smt.Symbol{to}}
	if len(info.Params) == 0 {
		decl.Kind = smtlib.CmdDeclareConst
	}
	if len(s.cur.cmds[i].Symbols) == 1 {
		cmds[i] = decl
		return s.with(cmds, expect)
	}
	return s.with(slices.Insert(cmds, i, decl), slices.Insert(slices.Clone(expect), i, smtlib.None))
}

// order sorts the arguments of commutative operators by their size and text, so that cases that mean the same look the same.
func (s *session) order() {
	a := s.a
	weight := s.treeWeights()
	s.applyAs(cosmetic, func(t smt.Term) []smt.Term {
		if op := a.Op(t); op.Structural() || !op.Info().Commutative {
			return nil
		}
		args := a.CopyArgs(t)
		texts := map[smt.Term]string{}
		for _, x := range args {
			if weight(x) > 64 {
				return nil
			}
			texts[x] = smtlib.TermText(a, x)
		}
		slices.SortStableFunc(args, func(x, y smt.Term) int {
			if d := weight(x) - weight(y); d != 0 {
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
