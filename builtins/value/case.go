package value

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/eval/model"
	"github.com/smtlark/smtlark/engine/mutate"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// Case is a test case in a script: a seed, or what a technique makes. It is immutable; methods return other cases over
// the same arena.
type Case struct {
	st  *Store
	gen uint32 // 0: permanent
	tc  *testcase.Case

	head    *head                       // of this case or of the one it was made from
	asserts []smt.Term                  // nil: not looked for
	frags   []mutate.Fragment           // nil: not looked for
	subject *mutate.Subject             // nil: not prepared
	models  map[string]*Model           // by how they were made
	answers map[string]*testcase.Answer // of solvers, by question
	random  *rng.Source                 // never drawn from, only split
}

// head is what comes before the assertions of a case, and is shared by the cases made from one.
type head struct {
	cmds  []smtlib.Command
	syms  map[smt.Symbol]bool
	sorts map[smt.SortSymbol]bool
}

// NewCase wraps a case whose script lives in the store's arena.
func NewCase(st *Store, tc *testcase.Case) *Case {
	c := &Case{st: st, tc: tc}
	if !st.Clean() {
		c.gen = st.gen
	}
	return c
}

// NoCase is the error that a function returned what is no case.
func NoCase(f starlark.Callable, v starlark.Value) error {
	hint := ""
	switch v.(type) {
	case starlark.NoneType:
		hint = `to make no case, say why: return skip("no ite")`
	case Term, starlark.Tuple, *starlark.List:
		hint = "terms become a case by case.with_asserts([...])"
	case *Corpus:
		hint = "a technique is given the seeds; a function of (case, rng) is a mutator: technique = mutate.rounds(f)"
	}
	return registry.WrongResult(f, v, "a case", hint)
}

// ParseCase reads a script into an arena of its own; what its :status says is what is known of its answers.
func ParseCase(name string, src []byte) (*Case, error) {
	a := smt.NewArena()
	s, err := smtlib.Parse(name, src, a)
	if err != nil {
		return nil, err
	}
	// Solvers are not sent them anyway; in a finding's files they would write when somebody runs those by hand.
	for i := range s.Commands {
		if c := &s.Commands[i]; c.Kind == smtlib.CmdCheckSatUsing && namesFile(*c) {
			c.Kind, c.Text = smtlib.CmdCheckSat, ""
		}
	}
	s.Commands = slices.DeleteFunc(s.Commands, namesFile)
	tc := &testcase.Case{Script: s, Expect: Statuses(s)}
	if tc.Expect != nil {
		tc.Origin = tc.Origin.Assume("the :status of " + name)
	}
	return NewCase(NewStore(a, name), tc), nil
}

// namesFile reports whether a command has a solver write or read a file.
func namesFile(c smtlib.Command) bool {
	switch c.Kind {
	case smtlib.CmdSetOption:
		return solvers.HoldsBack(c.Name)
	case smtlib.CmdOther:
		return anySolver.HoldsBackCommand(c.Text)
	case smtlib.CmdCheckSatUsing, smtlib.CmdSimplify:
		return anySolver.HoldsBackCommand("(" + c.Kind.String() + " " + c.Text + ")")
	}
	return false
}

// anySolver has what HoldsBack says of every solver.
var anySolver = &solvers.Profile{}

// parseSeed is ParseCase for a text that cases are made from: one that every solver refuses is an error, since so would be
// all that is made of it.
func parseSeed(name string, src []byte) (*Case, error) {
	c, err := ParseCase(name, src)
	if err != nil {
		return nil, err
	}
	if err := c.tc.Script.Legal(); err != nil {
		return nil, err
	}
	return c, nil
}

// Statuses returns what (set-info :status) says of each check-sat: the last one before it counts, for one check-sat.
func Statuses(s *smtlib.Script) []smtlib.Answer {
	var out []smtlib.Answer
	now := smtlib.None
	any := false
	for i := range s.Commands {
		c := &s.Commands[i]
		switch {
		case c.Kind == smtlib.CmdSetInfo && c.Name == ":status":
			now, _ = smtlib.ParseAnswer(c.Text)
			if now == smtlib.Unknown {
				now = smtlib.None
			}
		case c.Kind.IsCheck():
			out = append(out, now)
			any = any || now != smtlib.None
			now = smtlib.None
		}
	}
	if !any {
		return nil
	}
	return out
}

// Store returns the store of the case's terms.
func (c *Case) Store() *Store { return c.st }

// Case returns the engine's case, or an error when it is gone.
func (c *Case) Case() (*testcase.Case, error) {
	if !c.st.live(c.gen) {
		return nil, &overError{"case", c.st.Label}
	}
	return c.tc, nil
}

func (c *Case) String() string {
	if !c.st.live(c.gen) {
		return "<case that is over>"
	}
	return fmt.Sprintf("<case %s>", c.st.label())
}

// Type implements starlark.Value.
func (c *Case) Type() string { return "case" }

// Freeze implements starlark.Value.
func (c *Case) Freeze() { c.st.freeze() }

// Truth implements starlark.Value.
func (c *Case) Truth() starlark.Bool { return true }

// Hash implements starlark.Value.
func (c *Case) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: case") }

// Attr implements starlark.HasAttrs.
func (c *Case) Attr(name string) (starlark.Value, error) { return CaseType.Attr(c, name) }

// AttrNames implements starlark.HasAttrs.
func (c *Case) AttrNames() []string { return CaseType.AttrNames() }

// headOf returns logic, options and declarations of the case. A seed's :status is about the seed, and other notes are
// of no use to a solver.
func (c *Case) headOf() *head {
	if c.head != nil {
		return c.head
	}
	h := &head{syms: map[smt.Symbol]bool{}, sorts: map[smt.SortSymbol]bool{}}
	for _, x := range c.tc.Script.Commands {
		switch {
		case x.Kind == smtlib.CmdSetLogic, x.Kind == smtlib.CmdSetOption:
			h.cmds = append(h.cmds, x)
		case x.Kind.IsDeclaration():
			if !repeated(x, h) { // in another push scope
				h.cmds = append(h.cmds, x)
			}
		}
	}
	c.head = h
	return h
}

// repeated reports whether all that a command declares is declared already, and notes what it declares.
func repeated(x smtlib.Command, h *head) bool {
	if len(x.Symbols)+len(x.Sorts) == 0 {
		return false
	}
	again := true
	for _, f := range x.Symbols {
		again = again && h.syms[f]
		h.syms[f] = true
	}
	for _, s := range x.Sorts {
		again = again && h.sorts[s]
		h.sorts[s] = true
	}
	return again
}

// keep reports whether what was just computed about the case may be remembered with it. About a permanent case that is
// so if nothing but it was in the arena; then it becomes permanent too.
func (c *Case) keep(wasClean bool) bool {
	if c.gen == 0 && wasClean {
		c.st.Pin()
	}
	return c.gen != 0 || wasClean
}

// Asserts returns what is asserted at the last check-sat, without names that annotations give to terms.
func (c *Case) Asserts() ([]smt.Term, error) {
	if c.asserts != nil {
		return c.asserts, nil
	}
	clean := c.st.Clean()
	ts, err := mutate.StripNames(c.st.Arena, c.tc.Script.Asserts())
	if err == nil && c.keep(clean) {
		c.asserts = ts
	}
	return ts, err
}

// Fragments returns the fragments of the case, see mutate.Fragments.
func (c *Case) Fragments() ([]mutate.Fragment, error) {
	if c.frags != nil {
		return c.frags, nil
	}
	clean := c.st.Clean()
	asserts, err := mutate.StripNames(c.st.Arena, c.tc.Script.Asserts())
	if err != nil {
		return nil, err
	}
	a := c.st.Arena
	frags := mutate.Fragments(a, asserts, -1)
	terms := make([]smt.Term, len(frags))
	for i := range frags {
		terms[i] = frags[i].Term
	}
	if terms, err = mutate.StripNames(a, terms); err != nil {
		return nil, err
	}
	for i := range frags {
		frags[i].Term = terms[i]
	}
	if c.keep(clean) {
		c.frags = frags
	}
	return frags, nil
}

// Subject returns the case prepared for mutations.
func (c *Case) Subject() (*mutate.Subject, error) {
	if c.subject != nil {
		return c.subject, nil
	}
	clean := c.st.Clean()
	x, err := mutate.NewSubject(c.tc.Script)
	if err == nil && c.keep(clean) {
		c.subject = x
	}
	return x, err
}

// Mutant returns the case of a mutant of this one, of whose answers nothing is known.
func (c *Case) Mutant(m *mutate.Mutant) *Case { return c.with(m.Script, nil, nil) }

// derive returns a case with another script over the declarations of a head.
func (c *Case) derive(cmds []smtlib.Command, h *head, expect []smtlib.Answer, w *model.Model) *Case {
	tc := &testcase.Case{Script: c.tc.Script.WithCommands(cmds), Expect: expect, Witness: w, Origin: c.tc.Origin}
	return &Case{st: c.st, gen: c.st.gen, tc: tc, head: h}
}

// undeclared returns declarations for what the terms use and the case does not declare, and the head with them. Symbols
// that are as old as the store are the script's own, so a case built of the seed's terms alone needs no walk.
func (c *Case) undeclared(ts []smt.Term) ([]smtlib.Command, *head) {
	h := c.headOf()
	if c.st.Arena.NumSymbols() == c.st.symbols && c.st.Label != "" {
		return nil, h
	}
	return h.declaring(c.st.Arena, ts)
}

// WithAsserts returns the case with other assertions and one check-sat (or check-sat-using, as before), of which the answer is known (or None).
func (c *Case) WithAsserts(parts []smt.Term, answer smtlib.Answer, witness *model.Model) *Case {
	_, h := c.undeclared(parts)
	cmds := make([]smtlib.Command, 0, len(h.cmds)+len(parts)+1)
	cmds = append(cmds, h.cmds...)
	for i := range parts {
		cmds = append(cmds, smtlib.Command{Kind: smtlib.CmdAssert, Terms: parts[i : i+1 : i+1]})
	}
	cmds = append(cmds, c.check())
	var expect []smtlib.Answer
	if answer != smtlib.None {
		expect = []smtlib.Answer{answer}
	}
	return c.derive(cmds, h, expect, witness)
}

// check returns the check-sat for cases made of this one: with the tactic of the case's last one, if it has any.
func (c *Case) check() smtlib.Command {
	cmds := c.tc.Script.Commands
	for i := len(cmds) - 1; i >= 0; i-- {
		if cmds[i].Kind == smtlib.CmdCheckSatUsing {
			return cmds[i]
		}
		if cmds[i].Kind.IsCheck() {
			break
		}
	}
	return smtlib.Command{Kind: smtlib.CmdCheckSat}
}

// MapTerms returns the case with each term of its assertions and checks replaced by what f makes of it. Nothing is
// known about the answers of the result. changed tells whether anything is different.
func (c *Case) MapTerms(f func(smt.Term) (smt.Term, error)) (out *Case, changed bool, err error) {
	cmds := slices.Clone(c.tc.Script.Commands)
	var fresh []smt.Term
	for i := range cmds {
		x := &cmds[i]
		if x.Kind != smtlib.CmdAssert && !x.Kind.IsCheck() || len(x.Terms) == 0 {
			continue
		}
		terms := make([]smt.Term, len(x.Terms))
		for k, t := range x.Terms {
			if terms[k], err = f(t); err != nil {
				return nil, false, err
			}
			if terms[k] != t {
				fresh = append(fresh, terms[k])
			}
		}
		x.Terms = terms
	}
	h := c.headOf()
	if len(fresh) > 0 {
		var decls []smtlib.Command
		decls, h = c.undeclared(fresh)
		cmds = slices.Insert(cmds, firstUse(cmds), decls...)
	}
	return c.derive(cmds, h, nil, nil), len(fresh) > 0, nil
}

// firstUse returns where declarations go so that they come before every use and outside every push.
func firstUse(cmds []smtlib.Command) int {
	for i := range cmds {
		if k := cmds[i].Kind; k == smtlib.CmdPush || k == smtlib.CmdAssert || k.IsCheck() {
			return i
		}
	}
	return len(cmds)
}
