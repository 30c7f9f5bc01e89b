package solvers

import (
	"bytes"
	"hash/crc32"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Trace is a sequence of calls of a session over the terms of one arena. API fuzzers make traces. A trace can be played
// on any session (Play), written as text (package tracetext), or converted to a script (Script).
type Trace struct {
	Arena *smt.Arena
	Calls []Call
	// Notes are the lines of the head: seed, target, version, options. They have no meaning for Play.
	Notes []string
}

// CallKind says what a call of a trace does.
type CallKind uint8

// The kinds of calls.
const (
	CallCommand  CallKind = iota + 1 // a command of SMT-LIB: Command
	CallMakeSort                     // make a sort: Sort
	CallMakeTerm                     // make a term: Term
	CallNew                          // open a solver, number Instance; solver 0 is there from the beginning
	CallDelete                       // close solver number Instance
	CallCustom                       // an action of a campaign file: Name and Args
	CallTransfer                     // take terms over from solver number From: Args
)

// Call is one call of a session.
type Call struct {
	Kind CallKind
	// Seed decides how the session chooses among equivalent calls of its library; 0 means the usual calls.
	Seed uint64
	// Instance is the number of the solver that is called.
	Instance int
	Command  smtlib.Command
	Sort     smt.Sort
	Term     smt.Term
	Name     string
	Args     []smt.Term
	// Before lists commands without replies, other than settings, that are sent ahead of Command in the same exchange
	// with the solver. If the solver refuses one, Call returns that error, and it is not known which of the commands
	// took effect. Calls of a trace have none.
	Before []smtlib.Command
	// Action is the name of the machine's action that made the call; it is not written.
	Action string
	// From is the number of the solver that terms are taken over from, and Source its session, when the call is made.
	// Each term is taken over by a function of the library, such as Z3_translate, or because both solvers share the
	// library's terms. If neither is possible, the term is made anew, so that a transfer means the same everywhere. Its
	// symbols were declared before (scope.Declared.Missing).
	From   int
	Source Session
	// When restricts the call to the case that the latest check-sat of its solver gave this answer; None means always.
	When smtlib.Answer
	// Expect is the answer that a check of a further solver must not contradict; None: not known. A contradicting
	// answer of a further solver is recorded in Run.Failed; the answers of solver 0 are judged by oracles.
	Expect smtlib.Answer
	// Same is set for a check of solver 0 that repeats an earlier one: the answer must not contradict that of the
	// latest check before it over the same assertions, see Repeated.
	Same bool
}

// CommandCall returns the call of a command of SMT-LIB.
func CommandCall(c smtlib.Command) Call { return Call{Kind: CallCommand, Command: c} }

// Due returns the kind of reply to the call.
func (c *Call) Due() ReplyKind {
	if c.Kind != CallCommand {
		return NoReply
	}
	return ReplyTo(c.Command.Kind, c.Command.Name)
}

// CommandName returns the name of the call's command, such as "assert", or "mk-sort", "mk-term" or "transfer".
func (c *Call) CommandName() string {
	switch c.Kind {
	case CallMakeSort:
		return "mk-sort"
	case CallMakeTerm:
		return "mk-term"
	case CallTransfer:
		return "transfer"
	}
	return c.Command.CommandName()
}

// SaysNothing reports whether a session can ignore a command, such as a define-sort, since sorts are expanded where
// they are used. It is false for commands that are printed as they were written: solvers get all of these.
func SaysNothing(c *smtlib.Command) bool {
	switch c.Kind {
	case smtlib.CmdSetInfo, smtlib.CmdDefineSort, smtlib.CmdDeclareSortParameter, smtlib.CmdExit:
		return !c.IsAsWritten()
	}
	return false
}

// TraceOf returns the trace that makes the calls of a script: solver 0, one call a command.
func TraceOf(s *smtlib.Script) *Trace {
	t := &Trace{Arena: s.Arena, Calls: make([]Call, len(s.Commands))}
	for i := range s.Commands {
		t.Calls[i] = CommandCall(s.Commands[i])
	}
	return t
}

// ChooseBy derives the Seed of each call of a script's trace from the text of its command, so that a command makes the
// same library calls in any script. text is the source of the script.
func (t *Trace) ChooseBy(text []byte) {
	for i := range t.Calls {
		from, to := t.Calls[i].Command.Pos.Offset, len(text)
		if i+1 < len(t.Calls) {
			to = t.Calls[i+1].Command.Pos.Offset
		}
		t.Calls[i].Seed = uint64(crc32.ChecksumIEEE(bytes.TrimSpace(text[from:to]))) | 1
	}
}

// HasCustom reports whether a trace holds actions of a campaign file; nil holds none.
func (t *Trace) HasCustom() bool {
	return t != nil && slices.ContainsFunc(t.Calls, func(c Call) bool { return c.Kind == CallCustom })
}

// Several reports whether a trace opens a further solver; nil opens none.
func (t *Trace) Several() bool {
	return t != nil && slices.ContainsFunc(t.Calls, func(c Call) bool { return c.Kind == CallNew && c.Instance != 0 })
}

// HasSame reports whether a trace has checks that repeat earlier ones; nil has none.
func (t *Trace) HasSame() bool {
	return t != nil && slices.ContainsFunc(t.Calls, func(c Call) bool { return c.Same })
}

// Repeated returns the checks of solver 0 that must have the answer of an earlier check. Each is paired with the latest
// check before it over the same assertions and assumptions; both are given by their numbers from 0. A check without
// such an earlier one is left out, since a reduction may have removed part of the pair.
func (t *Trace) Repeated() (pairs [][2]int) {
	if !t.HasSame() {
		return nil
	}
	s := t.Script("")
	check := 0
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Kind != CallCommand || c.Instance != 0 || !c.Command.Kind.IsCheck() {
			continue
		}
		for before := check - 1; c.Same && before >= 0; before-- {
			if SameAsserted(s, before, check) {
				pairs = append(pairs, [2]int{before, check})
				break
			}
		}
		check++
	}
	return pairs
}

// SameAsserted reports whether two check-sats of a script, given by their numbers from 0, have the same assertions and
// assumptions.
func SameAsserted(s *smtlib.Script, i, j int) bool {
	a, b := s.AssertsAt(i), s.AssertsAt(j)
	within := func(these, those []smt.Term) bool {
		return !slices.ContainsFunc(these, func(t smt.Term) bool { return !slices.Contains(those, t) })
	}
	return within(a, b) && within(b, a)
}

// Script returns the commands of solver 0 as a script, for solvers that read text.
func (t *Trace) Script(name string) *smtlib.Script {
	s := &smtlib.Script{Arena: t.Arena, Name: name}
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Kind == CallCommand && c.Instance == 0 {
			s.Commands = append(s.Commands, c.Command)
		}
	}
	return s
}

// Calls returns the calls of a query, including those for models. They come from its trace if it has one, else from its
// script. It is nil for a query that is only text.
func (q *Query) Calls() []Call {
	var calls []Call
	switch {
	case q.Trace != nil:
		calls = q.Trace.Calls
	case q.Script != nil:
		calls = TraceOf(q.Script).Calls
	}
	if !q.Models {
		return calls
	}
	out := make([]Call, 0, len(calls)+8)
	out = append(out, CommandCall(smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":produce-models", Text: "true"}))
	for i := range calls {
		c := &calls[i]
		out = append(out, *c)
		if c.Kind == CallCommand && c.Command.Kind.IsCheck() && c.Instance == 0 {
			out = append(out, Call{Kind: CallCommand, Seed: c.Seed, Command: smtlib.Command{Kind: smtlib.CmdGetModel},
				When: smtlib.Sat})
		}
	}
	return out
}

// ConditionalQuery returns the query of a trace for a solver that reads text: the commands of solver 0, with the
// conditions (When) of their calls.
func (t *Trace) ConditionalQuery(s *smtlib.Script) *Query {
	q := FromScript(s)
	q.Trace = t
	for i, when := range t.Conditions() {
		q.Commands[i].When = when
	}
	return q
}

// Conditions returns the condition (Call.When) of each command of solver 0.
func (t *Trace) Conditions() []smtlib.Answer {
	var conditions []smtlib.Answer
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Kind == CallCommand && c.Instance == 0 {
			conditions = append(conditions, c.When)
		}
	}
	return conditions
}

// Arena returns the arena of the query's terms; nil for a query that is only text.
func (q *Query) Arena() *smt.Arena {
	if q.Script == nil {
		return nil
	}
	return q.Script.Arena
}
