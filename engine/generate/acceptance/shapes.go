package acceptance

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/rule"
)

// anyLack is a set of rules that apply to everything.
var anyLack = func() *Rules {
	r := &Rules{places: true, linear: true}
	for _, info := range smt.Ops() {
		r.operators[info.Op].about = true
	}
	return r
}()

// Shapes returns the features of a script that a solver may lack, sorted: operators with the number and the sorts of
// their arguments, sorts and their positions, commands, options, the logic.
func Shapes(s *smtlib.Script) []rule.Lack {
	has := shapesOf(s)
	out := make([]rule.Lack, 0, len(has))
	for l := range has {
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b rule.Lack) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Of, b.Of), cmp.Compare(a.With, b.With))
	})
	return out
}

// shapesOf returns the shapes of a script as a set.
func shapesOf(s *smtlib.Script) map[rule.Lack]bool {
	x := anyLack.examination(s.Arena)
	x.shapes = map[rule.Lack]bool{}
	x.look(s, (*smt.Arena).PostOrder)
	x.logic(s.Logic())
	for l := range x.shapes {
		// Drop shapes without a name, and commands, options and logics whose names cannot stand in a command line.
		if l == (rule.Lack{}) || !hasPlainName(l) {
			delete(x.shapes, l)
		}
	}
	return x.shapes
}

// hasPlainName reports whether a name of a command, an option or a logic can stand in a command line as it is. A script
// without a logic has no name of one.
func hasPlainName(l rule.Lack) bool {
	if !slices.Contains([]rule.Topic{rule.Action, rule.Option, rule.Logic, rule.BitVectorArrays}, l.Kind) {
		return true
	}
	return l.Of != "" && !strings.ContainsFunc(l.Of, func(c rune) bool {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		return !letter && !('0' <= c && c <= '9') && !strings.ContainsRune("-_.", c)
	})
}

// FirstOf returns the first of some shapes that a script has; ok is false where it has none of them.
func FirstOf(shapes []rule.Lack, s *smtlib.Script) (l rule.Lack, ok bool) {
	if len(shapes) == 0 {
		return l, false
	}
	has := shapesOf(s)
	i := slices.IndexFunc(shapes, func(l rule.Lack) bool { return has[l] })
	if i < 0 {
		return l, false
	}
	return shapes[i], true
}
