package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// shortenExpressions makes the texts of commands that the reader does not know smaller, as S-expressions: it drops
// elements of lists by delta debugging, and replaces lists by their elements and by the simplest constants. Lists come
// in the order of the text, so that the largest parts go first.
func shortenExpressions(s *search) {
	if s.Wrapped() { // commands stand for calls
		return
	}
	var texts []smtlib.Pos
	for i := range s.Current().Commands {
		if c := &s.Current().Commands[i]; c.Kind == smtlib.CmdOther {
			texts = append(texts, c.Pos)
		}
	}
	for _, pos := range texts {
		for at := 0; dropElements(s, pos, at) && !s.Stopped(); {
			if at == 0 || !replaceList(s, pos, at) { // list 0 is the command itself and stays
				at++
			}
		}
	}
}

// dropElements drops elements of list number at of the command of a place. It reports whether there is such a list.
func dropElements(s *search, pos smtlib.Pos, at int) bool {
	base, i := s.Current(), commandAt(s, pos)
	whole, list := listOf(s, i, at)
	if list == nil {
		return false
	}
	keep := 1 // the name of a command, or the head of the list
	if list != whole && list.Head() == "" {
		keep = 0
	}
	s.Minimize(max(0, len(list.List)-keep), func(kept []int) *state {
		less := smtlib.SExpr{List: slices.Clone(list.List[:keep])}
		for _, k := range kept {
			less.List = append(less.List, list.List[keep+k])
		}
		return withPart(s, base, i, whole, list, &less)
	}, nil)
	return true
}

// replaceList puts something smaller in the place of list number at of a command, if that can be.
func replaceList(s *search, pos smtlib.Pos, at int) bool {
	base, i := s.Current(), commandAt(s, pos)
	whole, list := listOf(s, i, at)
	if list == nil {
		return false
	}
	var choices []proposal
	for _, by := range slices.Concat(simplest, list.List) {
		choices = append(choices, proposal{Make: func() *state { return withPart(s, base, i, whole, list, &by) }})
	}
	return s.FirstOf(choices) >= 0
}

// commandAt returns the number of the command that began at a place of the file, -1 if it is gone: with what a text
// names, declarations go.
func commandAt(s *search, pos smtlib.Pos) int {
	return slices.IndexFunc(s.Current().Commands, func(c smtlib.Command) bool { return c.Kind == smtlib.CmdOther && c.Pos == pos })
}

// withPart is the candidate in which a part of the text of command i is another one.
func withPart(s *search, base *state, i int, whole, part, by *smtlib.SExpr) *state {
	cmds := slices.Clone(base.Commands)
	cmds[i].Text = string(appendWith(nil, whole, part, by))
	return s.With(cmds, base.Expect)
}

// simplest are the expressions that a list may become first.
var simplest = []smtlib.SExpr{{Atom: "true"}, {Atom: "false"}, {Atom: "0"}}

// listOf reads the text of a command and returns it with list number at in it, in the order of the text; nil where
// there is none.
func listOf(s *search, i, at int) (whole, list *smtlib.SExpr) {
	if i < 0 {
		return nil, nil
	}
	read, err := smtlib.ParseSExprs(s.Current().Commands[i].Text)
	if err != nil || len(read) != 1 {
		return nil, nil
	}
	whole = &read[0]
	for open := []*smtlib.SExpr{whole}; len(open) > 0; {
		e := open[len(open)-1]
		open = open[:len(open)-1]
		if !e.IsList() {
			continue
		}
		if at == 0 {
			return whole, e
		}
		at--
		for k := len(e.List) - 1; k >= 0; k-- {
			open = append(open, &e.List[k])
		}
	}
	return whole, nil
}

// appendWith appends the text of an expression with another one in the place of one of its parts.
func appendWith(b []byte, whole, part, by *smtlib.SExpr) []byte {
	switch {
	case whole == part:
		return by.Append(b)
	case !whole.IsList():
		return append(b, whole.Atom...)
	}
	b = append(b, '(')
	for k := range whole.List {
		if k > 0 {
			b = append(b, ' ')
		}
		b = appendWith(b, &whole.List[k], part, by)
	}
	return append(b, ')')
}
