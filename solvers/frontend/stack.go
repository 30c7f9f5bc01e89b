package frontend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Stack is the assertion stack of a front end: settings, declarations, definitions and assertions by level, from which
// any session can be brought up to date. A session gets as few commands as possible: it keeps the common part, pops the
// levels that were popped since, and never gets assertions that no question involved. It is not safe for concurrent
// use.
type Stack struct {
	// KeepOptions makes options survive a reset, as in z3. In SMT-LIB 2.7 (section 4.2.1), a reset forgets them.
	KeepOptions bool

	a *smt.Arena
	settings
	items  smt.Stack[item] // the problem; the first item of each level is its push
	serial uint64          // of the latest item
	resets uint64          // number of resets of the whole stack
	global bool            // declarations outlive pop and reset-assertions
	names  names
	own    ownNames
}

// item is a command of the problem. Its serial is never reused, and the items below it stay as long as it does. So two
// lists with the same item at the same place are equal up to that item.
type item struct {
	serial  uint64
	command smtlib.Command
	// named is the command with a name, sent to sessions that report unsat cores; nil: not named yet.
	named *smtlib.Command
}

// NewStack returns an empty stack over an arena.
func NewStack(a *smt.Arena) *Stack { return &Stack{a: a} }

// Arena returns the arena of its terms.
func (s *Stack) Arena() *smt.Arena { return s.a }

// Add performs a command without a reply: settings, declarations, definitions, assertions, push, pop and the resets.
// Commands beyond SMT-LIB without a reply become part of the current level. An error leaves the stack as it was.
func (s *Stack) Add(c *smtlib.Command) error {
	switch {
	case c.Kind == smtlib.CmdSetOption && c.Name == ":global-declarations":
		// Sessions do not get this option: declarations that outlive their level are sent to them again.
		s.global = c.Text == "true"
	case c.Kind == smtlib.CmdSetInfo, c.Kind == smtlib.CmdExit, c.Kind == smtlib.CmdEcho:
	case c.Kind.IsSetting():
		s.settings.add(c)
	case c.Kind == smtlib.CmdPush:
		for range c.N {
			s.items.Push(1)
			s.put(smtlib.Command{Kind: smtlib.CmdPush, N: 1})
		}
	case c.Kind == smtlib.CmdPop:
		gone, ok := s.items.Pop(c.N)
		if !ok {
			return fmt.Errorf("pop of %d levels where there are %d", c.N, s.Levels())
		}
		s.keepGlobal(gone)
	case c.Kind == smtlib.CmdReset:
		before := *s
		*s = Stack{a: s.a, serial: s.serial, resets: s.resets + 1, settings: settings{changes: s.changes + 1}, names: s.names,
			own: s.own}
		if before.KeepOptions {
			s.KeepOptions, s.global = true, before.global
			s.list = slices.DeleteFunc(before.Settings(), func(c smtlib.Command) bool { return c.Kind != smtlib.CmdSetOption })
		}
	case c.Kind == smtlib.CmdResetAssertions:
		gone := s.items.Items()
		s.items.Clear()
		s.keepGlobal(gone)
	default:
		s.avoidNames(c)
		s.put(*c)
	}
	return nil
}

// put adds an item.
func (s *Stack) put(c smtlib.Command) {
	s.serial++
	s.items.Add(item{serial: s.serial, command: c})
}

// keepGlobal adds the global declarations and names of items that are gone, as new items.
func (s *Stack) keepGlobal(gone []item) {
	if !s.global {
		clear(gone) // so that their terms can be freed
		return
	}
	gone = slices.Clone(gone) // the new items overwrite their memory
	for i := range gone {
		c := &gone[i].command
		if c.Kind.IsDeclaration() {
			s.put(*c) // this keeps the names in it, too
			continue
		}
		for _, f := range c.Named { // become definitions, since their assertions are gone
			if !s.hasNames(s.a.SymbolInfo(f).Body) { // else the definition would introduce the inner names again
				s.put(smtlib.DefineCommand(s.a, f))
			}
		}
	}
}

// hasNames reports whether there are annotations, such as :named, in a term.
func (s *Stack) hasNames(t smt.Term) (found bool) {
	s.a.PostOrder([]smt.Term{t}, func(x smt.Term) { found = found || s.a.Op(x) == smt.OpAnnot })
	return found
}

// RemoveLatest removes the command that was added last to the problem, after it was refused.
func (s *Stack) RemoveLatest() { s.items.RemoveLatest() }

// KeepsDeclarations reports whether declarations outlive the level that they are made at.
func (s *Stack) KeepsDeclarations() bool { return s.global }

// Levels returns how many levels there are to pop.
func (s *Stack) Levels() int { return s.items.Levels() }

// Assertions returns the assertions in force, as they were given.
func (s *Stack) Assertions() (ts []smt.Term) {
	ts = make([]smt.Term, 0, s.items.Len())
	for i := range s.items.Len() {
		if c := &s.items.At(i).command; c.Kind == smtlib.CmdAssert {
			ts = append(ts, c.Terms[0])
		}
	}
	return ts
}

// Named returns the symbols that :named introduced in assertions and definitions in force, in their order.
func (s *Stack) Named() (fs []smt.Symbol) {
	for i := range s.items.Len() {
		fs = append(fs, s.items.At(i).command.Named...)
	}
	return fs
}

// Declared returns the symbols that are declared, and not defined, in their order.
func (s *Stack) Declared() (fs []smt.Symbol) {
	for i := range s.items.Len() {
		if c := &s.items.At(i).command; c.Kind == smtlib.CmdDeclareConst || c.Kind == smtlib.CmdDeclareFun {
			fs = append(fs, c.Symbols...)
		}
	}
	return fs
}

// Commands returns the problem without its levels: declarations, definitions, assertions and commands beyond SMT-LIB,
// except for Objectives.
func (s *Stack) Commands() []smtlib.Command {
	out := make([]smtlib.Command, 0, s.items.Len())
	for i := range s.items.Len() {
		if c := &s.items.At(i).command; c.Kind != smtlib.CmdPush && !isObjective(c) {
			out = append(out, s.items.At(i).command)
		}
	}
	return out
}

// isObjective reports whether a command is an objective that was understood, which means that it has its term. It is
// part of its level, but is not sent to sessions.
func isObjective(c *smtlib.Command) bool {
	if c.Kind != smtlib.CmdOther || len(c.Terms) == 0 {
		return false
	}
	return c.Name == "minimize" || c.Name == "maximize" || c.Name == "assert-soft"
}

// Objectives returns the commands minimize, maximize and assert-soft in force that have their term, in their order.
func (s *Stack) Objectives() (out []smtlib.Command) {
	for i := range s.items.Len() {
		if c := &s.items.At(i).command; isObjective(c) {
			out = append(out, *c)
		}
	}
	return out
}

// HasOwn reports whether a command beyond SMT-LIB, other than Objectives, is in force, whose meaning only the solver
// knows. Only names with the given prefix count.
func (s *Stack) HasOwn(prefix string) bool {
	return slices.ContainsFunc(s.items.Items(), func(x item) bool {
		return x.command.Kind == smtlib.CmdOther && strings.HasPrefix(x.command.Name, prefix) && !isObjective(&x.command)
	})
}

// PassedOn counts the commands in force that only the solver understands.
func (s *Stack) PassedOn() (n int) {
	for i := range s.items.Len() {
		if c := &s.items.At(i).command; c.Kind == smtlib.CmdOther && !isObjective(c) {
			n++
		}
	}
	return n
}

// History returns commands that give a new scope the names visible here, with their levels.
func (s *Stack) History() []smtlib.Command {
	var out []smtlib.Command
	if s.global {
		out = append(out, smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":global-declarations", Text: "true"})
	}
	out = append(out, s.Settings()...)
	for i := range s.items.Len() {
		out = append(out, s.items.At(i).command)
	}
	return out
}

// Script returns a self-contained script with the settings, the problem without levels, and a check-sat under the
// assumptions.
func (s *Stack) Script(assumptions []smt.Term) *smtlib.Script {
	commands := append(s.Settings(), s.Commands()...)
	return &smtlib.Script{Arena: s.a, Name: "session", Commands: append(commands, smtlib.CheckCommand(assumptions))}
}

// Scope returns a script with the declarations and definitions in force, for reading models and terms.
func (s *Stack) Scope() *smtlib.Script {
	var commands []smtlib.Command
	for i := range s.list {
		if s.list[i].Kind == smtlib.CmdSetLogic {
			commands = append(commands, s.list[i])
		}
	}
	for i := range s.items.Len() {
		if c := &s.items.At(i).command; c.Kind.IsDeclaration() || len(c.Named) > 0 {
			commands = append(commands, *c)
		}
	}
	return &smtlib.Script{Arena: s.a, Name: "session", Commands: commands}
}
