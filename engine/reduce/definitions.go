package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// inlineDefinitions replaces the uses of a definition by its body, one definition at a time, the last first.
func inlineDefinitions(s *search) {
	for i := len(s.Current().Commands) - 1; i >= 0 && !s.Stopped(); i-- {
		if i >= len(s.Current().Commands) {
			continue
		}
		c := &s.Current().Commands[i]
		if !c.Kind.IsDefinition() || c.Kind.IsRecursive() {
			continue
		}
		f := c.Symbols[0]
		info := *s.Arena.SymbolInfo(f)
		if info.Body == 0 {
			continue
		}
		var edits []edit
		for _, t := range s.Targets() {
			if s.Arena.Op(t) != smt.OpApply || s.Arena.SymbolOf(t) != f {
				continue
			}
			params := map[smt.Term]smt.Term{}
			for k, v := range info.Vars {
				params[v] = s.Arena.Arg(t, k)
			}
			if by, err := s.Arena.Subst(info.Body, params); err == nil {
				edits = append(edits, edit{Term: t, By: by})
			}
		}
		s.Offer(func() *state { return s.Edited(edits, i) })
	}
}

// undefine turns definitions into declarations, and recursive groups into smaller ones: a function at a time.
func undefine(s *search) {
	for again := true; again; {
		var list []proposal
		for i := range s.Current().Commands {
			c := s.Current().Commands[i]
			if !c.Kind.IsDefinition() {
				continue
			}
			for k := range c.Symbols {
				list = append(list, proposal{Make: func() *state { return declared(s, i, k) }})
			}
		}
		again = s.FirstOf(list) >= 0
	}
}

// declared is the case with function number k of definition i declared instead.
func declared(s *search, i, k int) *state {
	a := s.Arena
	s.Rewriter.Reset(a, nil)
	f := s.Current().Commands[i].Symbols[k]
	info := *a.SymbolInfo(f)
	to := a.Declare(info.Name, info.Params, info.Result)
	s.Rewriter.Symbols[f] = to
	s.Rewriter.Drop = f
	cmds, changed := s.Rewritten()
	s.Rewriter.Drop = 0
	if cmds == nil || !changed && len(cmds[i].Symbols) > 1 {
		return nil
	}
	expect := s.Current().Expect
	decl := smtlib.Command{Kind: smtlib.CmdDeclareFun, Symbols: []smt.Symbol{to}}
	if len(info.Params) == 0 {
		decl.Kind = smtlib.CmdDeclareConst
	}
	if len(s.Current().Commands[i].Symbols) == 1 {
		cmds[i] = decl
		return s.With(cmds, expect)
	}
	return s.With(slices.Insert(cmds, i, decl), slices.Insert(slices.Clone(expect), i, smtlib.None))
}
