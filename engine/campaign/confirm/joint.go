package confirm

import (
	"errors"
	"slices"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
)

// joinPair makes one script of a case and its seed, so that a reduction does the same to both. Assertions that both
// share come first, once. Those of only one of them follow, each group with a check-sat in a scope of its own. The case
// is taken as it is at check-sat number check, the seed as it is at the check-sat that this one is compared with. Logic
// and options are those of the case. An error says why the two do not fit into one script.
func joinPair(c *testcase.Case, check int) (*testcase.Case, error) {
	if c.Origin.SeedScript == nil {
		return nil, errors.New("the case has no seed")
	}
	a := smt.NewArena()
	mutant, err := smtlib.Parse(c.Script.Name, c.Text(), a)
	if err != nil {
		return nil, err
	}
	seed, err := smtlib.Parse(c.Origin.SeedScript.Name, []byte(c.Origin.SeedScript.Text()), a)
	if err != nil {
		return nil, err
	}
	at := oracle.CheckOfSeed(seed.CheckSats(), mutant.CheckSats(), check)
	if at < 0 {
		return nil, errors.New("no check-sat of the seed belongs to that of the case")
	}
	// Names that annotations give to assertions would come twice.
	of, err := plain(seed, at)
	if err != nil {
		return nil, err
	}
	own, err := plain(mutant, check)
	if err != nil {
		return nil, err
	}
	var both, seedOnly, ownOnly []smt.Term
	for _, t := range of {
		if slices.Contains(own, t) {
			both = append(both, t)
		} else {
			seedOnly = append(seedOnly, t)
		}
	}
	for _, t := range own {
		if !slices.Contains(of, t) {
			ownOnly = append(ownOnly, t)
		}
	}
	var cmds []smtlib.Command
	for i := range mutant.Commands {
		if x := &mutant.Commands[i]; x.Kind == smtlib.CmdSetLogic || x.Kind == smtlib.CmdSetOption {
			cmds = append(cmds, *x)
		}
	}
	cmds = append(cmds, (&scope.Declared{}).Missing(a, slices.Concat(both, seedOnly, ownOnly))...)
	if twice := ambiguous(a, cmds); twice != "" {
		return nil, errors.New("the two have different things of the name " + twice)
	}
	for _, t := range both {
		cmds = append(cmds, smtlib.AssertCommand(t))
	}
	for _, only := range [][]smt.Term{seedOnly, ownOnly} {
		cmds = append(cmds, smtlib.Command{Kind: smtlib.CmdPush, N: 1})
		for _, t := range only {
			cmds = append(cmds, smtlib.AssertCommand(t))
		}
		cmds = append(cmds, smtlib.Command{Kind: smtlib.CmdCheckSat}, smtlib.Command{Kind: smtlib.CmdPop, N: 1})
	}
	return &testcase.Case{Script: mutant.WithCommands(cmds)}, nil
}

// plain returns the assertions of a script at a check-sat, with the names of terms removed.
func plain(s *smtlib.Script, check int) ([]smt.Term, error) {
	return scope.StripNames(s.Arena, s.AssertsAt(check))
}

// ambiguous returns a name that two declarations share; "" if there is none.
func ambiguous(a *smt.Arena, cmds []smtlib.Command) string {
	functions, sorts := map[string]smt.Symbol{}, map[string]smt.SortSymbol{}
	for i := range cmds {
		for _, f := range cmds[i].Symbols {
			name := a.SymbolName(f)
			if other, there := functions[name]; there && other != f {
				return name
			}
			functions[name] = f
		}
		for _, s := range cmds[i].Sorts {
			name, _ := a.SortSymbolName(s)
			if other, there := sorts[name]; there && other != s {
				return name
			}
			sorts[name] = s
		}
	}
	return ""
}

// splitPair splits a script that joinPair made, or that a reduction has made of it, into the case and its seed. It
// returns nil if the script no longer has two check-sats. The known facts about the case come from like.
func splitPair(joint, like *testcase.Case) *testcase.Case {
	s := joint.Script
	if s.CheckSats() != 2 || joint.LiveTrace() != nil {
		return nil
	}
	at := func(check int) *smtlib.Script {
		of := scope.WithAsserts(s, s.AssertsAt(check))
		cmds, _ := scope.Prune(s.Arena, of.Commands, make([]smtlib.Answer, len(of.Commands)))
		return of.WithCommands(cmds)
	}
	out := &testcase.Case{Script: at(1), Origin: like.Origin}
	out.Script.Name = like.Script.Name
	seed := at(0)
	out.Origin.SeedScript = testcase.ReadSeedScript(like.Origin.SeedScript.Name, seed.Text())
	out.Origin.Compared = true
	return out
}

// relationShows reports whether the assertions of a case and its seed show the relation between the two: the one that
// should have more models asserts no more than the other one. This needs no solver and no model.
func relationShows(c *testcase.Case, check int, relation oracle.Relation) bool {
	joint, err := joinPair(c, check)
	if err != nil {
		return false
	}
	of, own := joint.Script.AssertsAt(0), joint.Script.AssertsAt(1)
	assertsNoMore := func(these, those []smt.Term) bool {
		return !slices.ContainsFunc(these, func(t smt.Term) bool { return !slices.Contains(those, t) })
	}
	switch relation {
	case oracle.Weaker:
		return assertsNoMore(own, of)
	case oracle.Stronger:
		return assertsNoMore(of, own)
	case oracle.Equivalent, oracle.Equisatisfiable:
		return assertsNoMore(own, of) && assertsNoMore(of, own)
	}
	return false
}
