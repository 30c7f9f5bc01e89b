package reduce

import (
	"crypto/sha256"
	"slices"
	"strconv"

	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/engine/reduce/weight"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
)

// state is a candidate: commands, and the known answer of each (None for commands other than check-sat).
type state struct {
	Commands []smtlib.Command
	Expect   []smtlib.Answer
	Witness  *model.Model

	weight int
}

// answers lists the known facts about the answer of each check.
func (st *state) answers() (out []smtlib.Answer) {
	for i := range st.Commands {
		if st.Commands[i].Kind.IsCheck() {
			out = append(out, st.Expect[i])
		}
	}
	return out
}

// subject is the case that is made smaller, and the conditions on its candidates. It is the space of their search.
type subject struct {
	Arena   *smt.Arena
	Measure weight.Measure
	// Truth keeps the known facts about the answers.
	Truth *claim.Truth
	// Prune reports whether unused declarations are removed automatically.
	Prune bool
	// Laws returns the laws by which terms are simplified, nil for none.
	Laws func() *rewrite.Rules

	orig     *testcase.Case
	wrap     func(*testcase.Case) *testcase.Case
	fails    driver.Predicate
	global   bool // declarations outlive pop
	lax      bool // the original breaks the rules of scoping itself
	monotone bool // sat must be kept without a witness: only by asserting less
	text     []byte
}

// searchConfig configures the reduction of a case.
type searchConfig struct {
	// Fails reports whether a case still shows the property, if there is no Asker.
	Fails driver.Predicate
	// Wrap, if set, makes of a candidate the case that is asked about and returned, where the commands of a script stand
	// for something else. Commands keep their Pos, new ones have none.
	Wrap func(*testcase.Case) *testcase.Case
	// Calls and Setting are the fields of the measure.
	Calls   bool
	Setting func(name string) (weight.KnownOption, bool)
	// Laws returns the laws by which terms are simplified, nil for none.
	Laws func() *rewrite.Rules
}

// subjectOf returns the subject of a case, and the case as a candidate.
func subjectOf(c *testcase.Case, cfg searchConfig) (*subject, *state) {
	cmds := c.Script.Commands
	x := &subject{
		Arena: c.Script.Arena, Measure: weight.Measure{Arena: c.Script.Arena, Calls: cfg.Calls, Setting: cfg.Setting}, Truth: claim.TruthOf(c), Laws: cfg.Laws,
		orig: c, wrap: cfg.Wrap, fails: cfg.Fails, global: scope.GlobalDeclarations(cmds),
	}
	if x.Laws == nil {
		x.Laws = func() *rewrite.Rules { return nil }
	}
	cmds = slices.Clone(cmds) // they get their texts (Enter)
	st := &state{Commands: cmds, Expect: make([]smtlib.Answer, len(cmds)), Witness: c.Witness}
	check := 0
	for i := range cmds {
		if cmds[i].Kind.IsCheck() {
			st.Expect[i] = c.ExpectAt(check)
			check++
		}
	}
	x.lax = !scope.WellScoped(x.Arena, cmds, x.global)
	st.weight = x.Measure.Commands(cmds)
	if answers := st.answers(); slices.Contains(answers, smtlib.Sat) && (c.Witness == nil || !x.Truth.Witnessed(c.Script, answers, c.Witness)) {
		x.monotone, st.Witness = true, nil
	}
	return x, st
}

// Wrapped reports whether the commands stand for something else.
func (x *subject) Wrapped() bool { return x.wrap != nil }

// Case implements driver.Space: a candidate as a case.
func (x *subject) Case(st *state) *testcase.Case {
	c := &testcase.Case{Script: x.orig.Script.WithCommands(st.Commands), Witness: st.Witness, Origin: x.orig.Origin}
	c.Expect = st.answers()
	if x.wrap != nil {
		return x.wrap(c)
	}
	return c
}

// Finish implements driver.Space: it drops unused declarations and computes the weight.
func (x *subject) Finish(st *state) {
	if x.Prune {
		st.Commands, st.Expect = scope.Prune(x.Arena, st.Commands, st.Expect)
	}
	st.weight = x.Measure.Commands(st.Commands)
}

// Admits implements driver.Space: it refuses candidates that are ill-scoped or not lighter.
func (x *subject) Admits(st, current *state, is driver.Change) bool {
	if !x.lax && !scope.WellScoped(x.Arena, st.Commands, x.global) {
		return false
	}
	switch {
	case st.weight != current.weight:
		return st.weight < current.weight
	case is == driver.Reprinted:
		return true
	}
	return is != driver.Ordinary && x.plainer(st, current)
}

// plainer compares the texts of cases that weigh the same: by length, then by the order of bytes, so that a change of
// looks cannot be undone by the next one.
func (x *subject) plainer(st, current *state) bool {
	before := string(x.render(current))
	after := x.render(st)
	if len(after) != len(before) {
		return len(after) < len(before)
	}
	return string(after) < before
}

// Keeps implements driver.Space.
func (x *subject) Keeps(st *state, is driver.Change) bool {
	return is == driver.Reprinted || x.monotone && is == driver.Renamed || x.Truth.Keeps(x.orig.Script.WithCommands(st.Commands), st.answers(), st.Witness)
}

// Holds implements driver.Space.
func (x *subject) Holds(st *state) bool { return x.fails(x.Case(st)) }

// Weight implements driver.Space.
func (x *subject) Weight(st *state) int { return st.weight }

// Enter implements driver.Space. Candidates have most commands of the current one, whose texts are therefore made once.
func (x *subject) Enter(st *state) {
	x.Truth.Pin(st.Witness)
	x.orig.Script.WithCommands(st.Commands).Remember()
}

// Mark implements driver.Space.
func (x *subject) Mark() smt.Mark { return x.Arena.Mark() }

// Release implements driver.Space.
func (x *subject) Release(m smt.Mark) { x.Arena.Release(m) }

func (x *subject) render(st *state) []byte {
	x.text = x.orig.Script.WithCommands(st.Commands).AppendTo(x.text[:0])
	return x.text
}

// Name implements driver.Space: candidates have the name of their text; where commands stand for something else, also
// of which they are, and of the terms of those whose text does not show them.
func (x *subject) Name(st *state) (n driver.Name) {
	text := x.render(st)
	if x.wrap != nil {
		for i := range st.Commands {
			c := &st.Commands[i]
			text = strconv.AppendInt(append(text, ' '), int64(c.Pos.Line), 10)
			if c.Kind != smtlib.CmdOther {
				continue
			}
			for _, t := range c.Terms {
				text = append(append(text, ' '), smtlib.TermText(x.Arena, t)...)
			}
		}
		x.text = text
	}
	sum := sha256.Sum256(text)
	copy(n[:], sum[:])
	return n
}
