package smtlib

import "github.com/smtlark/smtlark/engine/smt"

// memo is the text of a command, and what it is the text of: it counts only for a command that is still the same.
type memo struct {
	a    *smt.Arena
	kind Kind
	term smt.Term
	sym  smt.Symbol
	text string
}

// memoLimit bounds the texts that one call of Remember keeps.
const memoLimit = 4 << 20

// Remember prints assertions, declarations and definitions once, and gives them their texts: copies of them in other
// scripts over the arena are printed without looking at their terms again. Commands with other terms or symbols are not
// taken for them. The terms must stay in the arena as long as any copy of the commands is in use.
func Remember(a *smt.Arena, cmds []Command) {
	p := printers.Get().(*Printer)
	defer printers.Put(p)
	var b []byte
	var ends []int
	for i := range cmds {
		if key, ok := cmds[i].memoKey(a); ok && len(b) < memoLimit {
			cmds[i].memo = nil
			b = p.Command(b, a, &cmds[i])
			cmds[i].memo = &key
		}
		ends = append(ends, len(b))
	}
	all, start := string(b), 0
	for i, end := range ends {
		if end > start {
			cmds[i].memo.text = all[start:end]
		}
		start = end
	}
}

// memoKey returns what the text of a command depends on; ok is false for commands whose text is not kept.
func (c *Command) memoKey(a *smt.Arena) (key memo, ok bool) {
	switch c.Kind {
	case CmdAssert:
		return memo{a: a, kind: c.Kind, term: c.Terms[0]}, true
	case CmdDeclareConst, CmdDeclareFun, CmdDefineConst, CmdDefineFun, CmdDefineFunRec:
		return memo{a: a, kind: c.Kind, sym: c.Symbols[0]}, true
	}
	return memo{}, false
}

// remembered returns the text of a command, if it has one that counts.
func (c *Command) remembered(a *smt.Arena) (string, bool) {
	m := c.memo
	if m == nil || m.a != a || m.kind != c.Kind {
		return "", false
	}
	if c.Kind == CmdAssert {
		return m.text, m.term == c.Terms[0]
	}
	return m.text, m.sym == c.Symbols[0]
}
