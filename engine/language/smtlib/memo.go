package smtlib

import (
	"bytes"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
)

// memo is the text of a command, with the data that it was printed from. It is valid only while the command is
// unchanged.
type memo struct {
	a    *smt.Arena
	kind Kind
	term smt.Term
	sym  smt.Symbol
	text string

	of   *Command // of a command as it was written, see AsWritten: the command
	bare string   // the text without the comments around it
}

// memoLimit bounds the texts that one call of Remember keeps.
const memoLimit = 4 << 20

// Remember prints assertions, declarations and definitions once and stores their texts in them. Copies of them in other
// scripts over the arena are then printed without visiting their terms again. A text is not used for a command with
// other terms or symbols, and commands that have texts already keep them. The terms must stay in the arena as long as
// any copy of the commands is in use.
func Remember(a *smt.Arena, cmds []Command) { (&Script{Arena: a, Commands: cmds}).Remember() }

// Remember is Remember for the commands of a script.
func (s *Script) Remember() {
	p := printers.Get().(*Printer)
	defer printers.Put(p)
	var b []byte
	type printed struct{ command, end int }
	var did []printed
	for i := range s.Commands {
		c := &s.Commands[i]
		key, ok := c.memoKey(s.Arena)
		if !ok || len(b) >= memoLimit {
			continue
		}
		if _, has := c.remembered(s.Arena); has {
			continue
		}
		c.memo = nil
		b = p.CommandOf(b, s, i)
		c.memo = &key
		did = append(did, printed{i, len(b)})
	}
	all, start := string(b), 0
	for _, d := range did {
		s.Commands[d.command].memo.text = all[start:d.end]
		start = d.end
	}
}

// memoKey returns the data that the text of a command depends on; ok is false for commands whose text is not kept.
func (c *Command) memoKey(a *smt.Arena) (key memo, ok bool) {
	switch c.Kind {
	case CmdAssert:
		return memo{a: a, kind: c.Kind, term: c.Terms[0]}, true
	case CmdDeclareConst, CmdDeclareFun, CmdDefineConst, CmdDefineFun, CmdDefineFunRec:
		return memo{a: a, kind: c.Kind, sym: c.Symbols[0]}, true
	}
	return memo{}, false
}

// remembered returns the stored text of a command, if it has a valid one.
func (c *Command) remembered(a *smt.Arena) (string, bool) {
	m := c.memo
	if m == nil || m.a != a || m.kind != c.Kind {
		return "", false
	}
	if m.of != nil {
		return m.text, c.equals(m.of)
	}
	if c.Kind == CmdAssert {
		return m.text, m.term == c.Terms[0]
	}
	return m.text, m.sym == c.Symbols[0]
}

// equals reports whether two commands over one arena say the same.
func (c *Command) equals(d *Command) bool {
	return c.Kind == d.Kind && c.N == d.N && c.Name == d.Name && c.Text == d.Text && c.Sort == d.Sort && slices.Equal(c.Terms, d.Terms) &&
		slices.Equal(c.Symbols, d.Symbols) && slices.Equal(c.Sorts, d.Sorts) && slices.Equal(c.Params, d.Params)
}

// AsWritten returns the script with commands that are printed as in text, from which the script was parsed. Each is
// printed with the comments between it and the next one, and the first also with those before it. A changed copy of a
// command is printed as usual, but without let if that is not too long.
func (s *Script) AsWritten(text []byte) *Script {
	var l sexpr.Lexer
	l.SetText("", text)
	cmds := slices.Clone(s.Commands)
	from := 0 // text before the first command is part of that command
	for i := range cmds {
		c := &cmds[i]
		to := len(text)
		if i+1 < len(cmds) {
			to = cmds[i+1].Pos.Offset
		}
		l.Pos = c.Pos.Offset
		if to <= c.Pos.Offset || !l.Skip() {
			continue // the text is another
		}
		c.memo = nil
		of := *c
		c.memo = &memo{
			a: s.Arena, kind: c.Kind, text: strings.TrimSpace(string(text[from:to])), of: &of, bare: string(text[c.Pos.Offset:l.Pos]),
		}
		from = to
	}
	out := s.WithCommands(cmds)
	out.unshared = true
	return out
}

// KeepText makes a command print as the text that it was read from, on one line. A changed copy of it is printed as
// usual.
func (c *Command) KeepText(a *smt.Arena, text []byte) {
	of := *c
	of.memo = nil
	line := string(text)
	if bytes.ContainsAny(text, "\n\r;") {
		line = sexpr.OneLine(line)
	}
	c.memo = &memo{a: a, kind: c.Kind, text: line, of: &of, bare: line}
}

// Reprinted returns the script with commands that are printed as usual, not as they were written.
func (s *Script) Reprinted() *Script {
	cmds := slices.Clone(s.Commands)
	for i := range cmds {
		cmds[i] = cmds[i].Reprinted()
	}
	out := s.WithCommands(cmds)
	out.unshared = false
	return out
}

// IsAsWritten reports whether the command is printed as it was written.
func (c *Command) IsAsWritten() bool { return c.memo != nil && c.memo.of != nil && c.equals(c.memo.of) }

// Reprinted returns the command in a form that is printed as usual, not as it was written.
func (c *Command) Reprinted() Command {
	out := *c
	out.memo = nil
	return out
}

// WithoutComments returns a command that is printed as it was written without the comments before and after it.
func (c *Command) WithoutComments() Command {
	out := *c
	if c.IsAsWritten() {
		bare := *c.memo
		bare.text = bare.bare
		out.memo = &bare
	}
	return out
}
