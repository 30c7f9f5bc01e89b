package smtlib

import (
	"io"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/termread"
)

// Script is a sequence of commands over the terms of one arena.
type Script struct {
	Arena    *smt.Arena
	Name     string // the file it came from, for messages
	Commands []Command
	// Notes list the unknown commands and heads that the parser kept as text, each once.
	Notes []Note

	illegal  []*Error // see Legal
	unshared bool     // terms are printed without let, see AsWritten
}

// Note is a remark of the parser about a place in the text.
type Note = termread.Note

// Pos is a place in a text.
type Pos = sexpr.Pos

// Error describes an error in a text and its place.
type Error = sexpr.Error

// Logic returns the logic that the script sets, or "".
func (s *Script) Logic() string {
	for i := range s.Commands {
		if s.Commands[i].Kind == CmdSetLogic {
			return s.Commands[i].Text
		}
	}
	return ""
}

// Status returns the (set-info :status) for the next check-sat, or the last status if there are several.
func (s *Script) Status() Answer {
	for i := len(s.Commands) - 1; i >= 0; i-- {
		if c := &s.Commands[i]; c.Kind == CmdSetInfo && c.Name == ":status" {
			a, _ := ParseAnswer(c.Text)
			return a
		}
	}
	return None
}

// CheckSats counts the commands that answer sat, unsat or unknown.
func (s *Script) CheckSats() int {
	n := 0
	for i := range s.Commands {
		if s.Commands[i].Kind.IsCheck() {
			n++
		}
	}
	return n
}

// Asserts returns the assertions that are active at the last check-sat, or at the end if there is none.
func (s *Script) Asserts() []smt.Term { return s.AssertsAt(s.CheckSats() - 1) }

// AssertsAt returns the assertions at check-sat number check, counted from 0, with the assumptions of
// check-sat-assuming; below 0 or past the last one it is the assertions at the end.
func (s *Script) AssertsAt(check int) []smt.Term {
	var active smt.Stack[smt.Term]
	n := 0
	for i := range s.Commands {
		c := &s.Commands[i]
		switch {
		case c.Kind == CmdAssert:
			active.Add(c.Terms[0])
		case c.Kind == CmdExit:
			return active.Items()
		case c.Kind.IsCheck():
			if n == check {
				return append(active.Items(), c.Terms...)
			}
			n++
		default:
			FollowLevels(&active, c)
		}
	}
	return active.Items()
}

// FollowLevels applies push, pop, reset and reset-assertions to a stack. It ignores a pop of more levels than are open.
func FollowLevels[T any](s *smt.Stack[T], c *Command) {
	switch c.Kind {
	case CmdPush:
		s.Push(c.N)
	case CmdPop:
		s.Pop(c.N)
	case CmdReset, CmdResetAssertions:
		s.Clear()
	}
}

// Declarations returns the commands that declare or define names, in their order.
func (s *Script) Declarations() []Command {
	var out []Command
	for i := range s.Commands {
		if s.Commands[i].Kind.IsDeclaration() {
			out = append(out, s.Commands[i])
		}
	}
	return out
}

// WithLogic returns the script with another logic; "" leaves set-logic out.
func (s *Script) WithLogic(logic string) *Script {
	var cmds []Command
	for _, c := range s.Commands {
		if c.Kind != CmdSetLogic {
			cmds = append(cmds, c)
		}
	}
	if logic != "" {
		at := 0 // options may have to come first
		for at < len(cmds) && (cmds[at].Kind == CmdSetOption || cmds[at].Kind == CmdSetInfo) {
			at++
		}
		cmds = slices.Insert(cmds, at, Command{Kind: CmdSetLogic, Text: logic})
	}
	return s.WithCommands(cmds)
}

// WithCommands returns the script with other commands.
func (s *Script) WithCommands(cmds []Command) *Script {
	return &Script{Arena: s.Arena, Name: s.Name, Commands: cmds, unshared: s.unshared}
}

// WithOption returns the script with (set-option name value) in front. It replaces any other value of the option.
func (s *Script) WithOption(name, value string) *Script {
	cmds := []Command{{Kind: CmdSetOption, Name: name, Text: value}}
	for i := range s.Commands {
		if c := &s.Commands[i]; c.Kind != CmdSetOption || c.Name != name {
			cmds = append(cmds, *c)
		}
	}
	return s.WithCommands(cmds)
}

// AppendTo appends the script's text.
func (s *Script) AppendTo(b []byte) []byte {
	p := printers.Get().(*Printer)
	defer printers.Put(p)
	return p.Script(b, s)
}

// AppendCommands is AppendTo, and also appends to ends the offset at which each command ends, before its newline.
func (s *Script) AppendCommands(b []byte, ends []int) ([]byte, []int) {
	p := printers.Get().(*Printer)
	defer printers.Put(p)
	for i := range s.Commands {
		b = p.CommandOf(b, s, i)
		ends = append(ends, len(b))
		b = append(b, '\n')
	}
	return b, ends
}

// Text returns the script's text.
func (s *Script) Text() string { return string(s.AppendTo(nil)) }

// Print writes the script's text.
func (s *Script) Print(w io.Writer) error {
	_, err := w.Write(s.AppendTo(nil))
	return err
}

// CommandText returns the text of command i, without a newline at its end.
func (s *Script) CommandText(i int) string {
	p := printers.Get().(*Printer)
	defer printers.Put(p)
	return string(p.CommandOf(nil, s, i))
}

// Legal returns the first place, as an *Error, at which every solver refuses the script though Parse takes it; nil if
// there is none. Parse accepts scripts that the standard forbids if their meaning is clear, so that inputs that crash a
// solver can be read. Legal finds only errors at which z3, cvc5 and bitwuzla all refuse the script.
func (s *Script) Legal() error {
	if len(s.illegal) == 0 {
		return nil
	}
	return s.illegal[0]
}
