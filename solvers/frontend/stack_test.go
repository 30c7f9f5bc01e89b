package frontend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
	"github.com/smtlark/smtlark/solvers/frontend"
)

// client adds commands to a stack as a client sends them, one after the other.
type client struct {
	t     require.TestingT
	stack *frontend.Stack
	arena *smt.Arena
}

func newClient(t require.TestingT) *client {
	a := smt.NewArena()
	return &client{t: t, stack: frontend.NewStack(a), arena: a}
}

// says adds the commands of a text, in which all that is in force is visible.
func (c *client) says(text string) {
	var history []byte
	scope := c.stack.History()
	for i := range scope {
		history = append(new(smtlib.Printer).Command(history, c.arena, &scope[i]), '\n')
	}
	script, err := smtlib.Parse("client", append(history, text...), c.arena)
	require.NoError(c.t, err, "%s%s", history, text)
	for i := len(scope); i < len(script.Commands); i++ {
		require.NoError(c.t, c.stack.Add(&script.Commands[i]), text)
	}
}

// session is a fake solver that accepts every command. It holds the texts of the parts of its problem, by level.
type session struct {
	mirror   frontend.Mirror
	flat     bool
	levels   [][]string
	settings map[string]string
	restarts int
}

// update sends the session the commands that it lacks.
func (s *session) update(t require.TestingT, of *frontend.Stack) {
	u := of.UpdateOf(&s.mirror, s.flat)
	if u.Restart || s.levels == nil {
		s.restarts++
		s.levels, s.settings = [][]string{nil}, map[string]string{}
	}
	for i := range u.Settings {
		s.settings[u.Settings[i].Name] = u.Settings[i].Text
	}
	for i := range u.Commands {
		switch c := &u.Commands[i]; c.Kind {
		case smtlib.CmdPush:
			s.levels = append(s.levels, nil)
		case smtlib.CmdPop:
			require.Less(t, c.N, len(s.levels), "pops of more levels than the session has")
			s.levels = s.levels[:len(s.levels)-c.N]
		default:
			top := len(s.levels) - 1
			s.levels[top] = append(s.levels[top], textOf(of.Arena(), c))
		}
	}
	of.Note(&s.mirror)
}

// problem returns the content of a session, level by level.
func (s *session) problem() (out []string) {
	for i, level := range s.levels {
		if i > 0 && !s.flat {
			out = append(out, "(push 1)")
		}
		out = append(out, level...)
	}
	return out
}

func textOf(a *smt.Arena, c *smtlib.Command) string {
	return string(new(smtlib.Printer).Command(nil, a, c))
}

// textsOf is the problem of a stack, with its levels or without.
func textsOf(s *frontend.Stack, flat bool) (out []string) {
	commands := s.History()[len(s.Settings()):]
	if s.KeepsDeclarations() {
		commands = s.History()[len(s.Settings())+1:]
	}
	if flat {
		commands = s.Commands()
	}
	for i := range commands {
		out = append(out, textOf(s.Arena(), &commands[i]))
	}
	return out
}

// TestSessionsFollow checks that after any commands and updates, each updated session has the content of the stack: one
// with levels, one that gets the whole problem without levels, and one that is rarely asked.
func TestSessionsFollow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newClient(t)
		often, flat, seldom := &session{}, &session{flat: true}, &session{}
		follow := func(s *session) {
			s.update(t, c.stack)
			require.Equal(t, textsOf(c.stack, s.flat), s.problem())
			for _, x := range c.stack.Settings() {
				require.Equal(t, x.Text, s.settings[x.Name])
			}
		}
		for n := range rapid.IntRange(1, 40).Draw(t, "commands") {
			switch rapid.IntRange(0, 11).Draw(t, "command") {
			case 0, 1, 2:
				c.says(fmt.Sprintf("(declare-const c%d Int)(assert (> c%d %d))", n, n, rapid.IntRange(0, 3).Draw(t, "bound")))
			case 3, 4:
				c.says(fmt.Sprintf("(assert (= 1 %d))", rapid.IntRange(0, 3).Draw(t, "number")))
			case 5, 6:
				c.says(fmt.Sprintf("(push %d)", rapid.IntRange(0, 2).Draw(t, "levels")))
			case 7, 8:
				c.says(fmt.Sprintf("(pop %d)", rapid.IntRange(0, c.stack.Levels()).Draw(t, "levels")))
			case 9:
				c.says("(reset-assertions)")
			case 10:
				c.says(fmt.Sprintf("(set-option :random-seed %d)", n))
			case 11:
				if rapid.IntRange(0, 3).Draw(t, "reset") == 0 {
					c.says("(reset)")
				} else if c.stack.Levels() == 0 && len(c.stack.Commands()) == 0 {
					c.says("(set-option :global-declarations true)")
				}
			}
			follow(often)
			if rapid.Bool().Draw(t, "whole") {
				follow(flat)
			}
			if rapid.IntRange(0, 7).Draw(t, "seldom") == 0 {
				follow(seldom)
			}
		}
		follow(flat)
		follow(seldom)
	})
}

// TestLittleIsTold checks that a session with an earlier version of the problem gets only the difference, and that
// commands added and removed between two questions never reach it.
func TestLittleIsTold(t *testing.T) {
	c := newClient(t)
	c.says("(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))(push 1)(assert (> x 2))")
	s := &session{}
	s.update(t, c.stack)
	told := func() (out []string) {
		u := c.stack.UpdateOf(&s.mirror, false)
		require.False(t, u.Restart)
		require.Empty(t, u.Settings)
		for i := range u.Commands {
			out = append(out, textOf(c.arena, &u.Commands[i]))
		}
		c.stack.Note(&s.mirror)
		return out
	}
	require.Empty(t, told())
	c.says("(push 1)(assert (> x 3))(pop 1)")
	require.Empty(t, told())
	c.says("(assert (> x 4))")
	require.Equal(t, []string{"(assert (> x 4))"}, told())
	c.says("(pop 1)(assert (> x 5))")
	require.Equal(t, []string{"(pop 1)", "(assert (> x 5))"}, told())
	c.says("(push 1)(assert (> x 6))(push 1)(assert (> x 7))")
	require.Equal(t, []string{"(push 1)", "(assert (> x 6))", "(push 1)", "(assert (> x 7))"}, told())
	c.says("(pop 2)(push 1)(assert (> x 6))")
	require.Equal(t, []string{"(pop 2)", "(push 1)", "(assert (> x 6))"}, told())
}

// TestTakenBack: resets start sessions anew, and settings that hold no more are told to be such.
func TestTakenBack(t *testing.T) {
	c := newClient(t)
	c.says("(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))")
	s := &session{}
	s.update(t, c.stack)
	c.says("(reset)(declare-const y Int)")
	u := c.stack.UpdateOf(&s.mirror, false)
	require.True(t, u.Restart)
	require.True(t, u.Unset)
	require.Empty(t, u.Settings)
	require.Len(t, u.Commands, 1)
	require.Equal(t, "", c.stack.Logic())

	require.ErrorContains(t, c.stack.Add(&smtlib.Command{Kind: smtlib.CmdPop, N: 1}), "pop of 1 levels where there are 0")
	require.Len(t, c.stack.Commands(), 1, "a refused command leaves the stack as it was")

	c.says("(set-option :random-seed 1)(set-option :random-seed 2)")
	require.Equal(t, "2", c.stack.Option(":random-seed"))
	require.Len(t, c.stack.Settings(), 1)
	changes := c.stack.Settled()
	c.stack.RemoveSetting()
	require.Equal(t, "1", c.stack.Option(":random-seed"))
	require.NotEqual(t, changes, c.stack.Settled())
	c.stack.RemoveLatest()
	require.Empty(t, c.stack.Commands())
}

// TestGlobalDeclarations: they outlive the level that they are made at, and assertions do not.
func TestGlobalDeclarations(t *testing.T) {
	c := newClient(t)
	c.says("(set-option :global-declarations true)(push 1)(declare-const x Int)(assert (> x 1))(pop 1)")
	require.Len(t, c.stack.Declared(), 1)
	require.Empty(t, c.stack.Assertions())
	c.says("(assert (> x 2))(reset-assertions)(assert (> x 3))")
	require.Len(t, c.stack.Assertions(), 1)
}

// TestNamesOfAssertions: an unsat core of a session names assertions by names of our own or of the client, which never
// meet, and which stay the same while the assertion stays where it is.
func TestNamesOfAssertions(t *testing.T) {
	c := newClient(t)
	c.says("(declare-const p Bool)(assert p)(push 1)(assert (! (not p) :named mine))")
	c.stack.NameAssertions()
	s := &session{mirror: frontend.Mirror{Named: true}}
	s.update(t, c.stack)
	require.Equal(t, []string{"(declare-const p Bool)", "(assert (! p :named smtlark!1))", "(push 1)", "(assert (! (not p) :named mine))"}, s.problem())

	symbol := func(name string) smt.Term {
		for _, x := range c.stack.UpdateOf(&frontend.Mirror{Named: true}, false).Commands {
			for _, f := range x.Named {
				if c.arena.SymbolName(f) == name {
					return c.arena.Const(f)
				}
			}
		}
		t.Fatalf("no name %s", name)
		return 0
	}
	p := c.stack.Assertions()[0]
	assumption := c.arena.Const(c.stack.Declared()[0])
	core, ok := c.stack.Core([]smt.Term{symbol("smtlark!1"), symbol("mine")}, nil)
	require.True(t, ok)
	require.Len(t, core, 2)
	require.Equal(t, p, core[0])
	core, ok = c.stack.Core([]smt.Term{symbol("mine")}, []smt.Term{assumption})
	require.True(t, ok)
	require.Len(t, core, 2, "assumptions are part of each core")
	_, ok = c.stack.Core([]smt.Term{c.arena.BoolVal(true)}, nil)
	require.False(t, ok, "what is neither a name nor an assumption is no core")

	c.says("(pop 1)")
	c.stack.NameAssertions()
	restarts := s.restarts
	s.update(t, c.stack)
	require.Equal(t, restarts, s.restarts)
	require.Equal(t, []string{"(declare-const p Bool)", "(assert (! p :named smtlark!1))"}, s.problem())

	require.True(t, c.stack.IsOwnName("smtlark!1"))
	require.False(t, c.stack.IsOwnName("p"))
	c.says("(declare-const smtlark!7 Bool)") // of the client: all of ours get one mark more
	require.False(t, c.stack.IsOwnName("smtlark!7"))
	require.Equal(t, "smtlark!!k", c.stack.FreshName("k"))
	c.stack.NameAssertions()
	s.update(t, c.stack)
	require.Equal(t, []string{"(declare-const p Bool)", "(assert (! p :named smtlark!!2))", "(declare-const smtlark!7 Bool)"}, s.problem())
	c.says("(declare-const smtlark!!k Bool)") // the one that was given: it is what FreshName was asked for
	require.Equal(t, "smtlark!!k", c.stack.FreshName("k"))
}

// TestObjectives checks that objectives are part of their level and not sent to sessions, while other commands beyond
// SMT-LIB are sent.
func TestObjectives(t *testing.T) {
	c := newClient(t)
	c.says("(declare-const x Int)(assert (> x 1))(push 1)")
	x := c.arena.Const(c.stack.Declared()[0])
	require.NoError(t, c.stack.Add(&smtlib.Command{Kind: smtlib.CmdOther, Name: "minimize", Text: "(minimize x)", Terms: []smt.Term{x}}))
	require.Len(t, c.stack.Objectives(), 1)
	require.False(t, c.stack.HasOwn(""))
	require.Zero(t, c.stack.PassedOn())
	s := &session{}
	s.update(t, c.stack)
	require.Equal(t, []string{"(declare-const x Int)", "(assert (> x 1))", "(push 1)"}, s.problem())
	require.Len(t, c.stack.Script(nil).Commands, 3, "with a check-sat")
	c.says("(pop 1)")
	require.Empty(t, c.stack.Objectives())

	require.NoError(t, c.stack.Add(&smtlib.Command{Kind: smtlib.CmdOther, Name: "block-model", Text: "(block-model :values)"}))
	require.True(t, c.stack.HasOwn("block"))
	require.False(t, c.stack.HasOwn("declare"))
	require.Equal(t, 1, c.stack.PassedOn())
}
