// Package testcase holds the test case that every part of smtlark speaks of, and its wire form.
package testcase

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/cells"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// Case is one test input: a script, the known facts about its answers, and where it comes from. Its terms live in
// Script.Arena, so a case is valid as long as they are; see campaign.Technique.
type Case struct {
	Script *smtlib.Script
	// Trace, if not nil, is the source from which the script was made: calls of a solver's interface, which targets
	// that do not read text play, and conditions on commands. It counts only as long as TraceOf is the script, so a
	// case made from this one with another script has no trace.
	Trace   *solvers.Trace
	TraceOf *smtlib.Script
	// Expect has one element per check-sat of the script; None means that nothing is known. It may be shorter (even
	// nil): the rest is None.
	Expect []smtlib.Answer
	// Witness is an interpretation that satisfies everything asserted at each check-sat whose Expect is Sat; nil when
	// there is none at hand.
	Witness *model.Model
	// Asked says which cells of a table its check-sats ask about; nil: the technique has no table. It does not go over a
	// pipe.
	Asked *cells.Asked
	// Option says under which one setting of an option, of those that the targets declare, the case was made; nil: it was
	// not made so.
	Option *cells.Asked
	Origin Origin
}

// Origin says how a case came to be.
type Origin struct {
	Campaign  string `json:"campaign,omitempty"`
	Technique string `json:"technique,omitempty"`
	Seed      uint64 `json:"seed"`   // seed of the campaign; the case draws from rng.New(Seed).Split(Number)
	Number    uint64 `json:"number"` // number of the case in the campaign
	// Weights are those of the parts of a mixture for this case, where they follow the yield.
	Weights []uint32 `json:"weights,omitempty"`
	// Avoid lists the shapes that the case avoids because of the results of earlier cases: see hazard.Avoided.
	Avoid []string `json:"avoid,omitempty"`
	Seeds []string `json:"seeds,omitempty"` // names of the seed scripts it was made of
	Steps []string `json:"steps,omitempty"` // the steps applied to the seeds, in order
	// Answers of solvers that the technique asked, in the order in which it did.
	Answers Answers `json:"answers,omitempty"`
	// Identity is the identity of the case as the technique made it; "" if it was not needed.
	Identity string `json:"identity,omitempty"`
	// Assumed lists, in words, the sources on which the known answers of the case rest if neither its construction nor
	// a witness shows them: the status of a seed, the name of its folder, a campaign file. It is nil if there are none.
	Assumed []string `json:"assumed,omitempty"`
	// SeedScript is the script that the case was made of; nil where there is none, or several. It goes over a pipe where
	// an oracle has looked at it.
	SeedScript *SeedScript `json:"-"`
	// Compared says that an oracle has looked at SeedScript.
	Compared bool `json:"-"`
}

// maxAssumed bounds the list of an origin.
const maxAssumed = 8

// Assume returns the origin with one more reason why the answers of the case are taken to be known.
func (o Origin) Assume(reasons ...string) Origin {
	for _, r := range reasons {
		if len(o.Assumed) < maxAssumed && !slices.Contains(o.Assumed, r) {
			o.Assumed = append(slices.Clip(o.Assumed), r)
		}
	}
	return o
}

// Text returns the script as SMT-LIB text.
func (c *Case) Text() []byte { return c.Script.AppendTo(nil) }

// Query returns the query to send to a target.
func (c *Case) Query() *solvers.Query {
	q := c.plainQuery()
	q.Expected = c.Expect
	return q
}

func (c *Case) plainQuery() *solvers.Query {
	if t := c.LiveTrace(); t != nil {
		return t.ConditionalQuery(c.Script)
	}
	return solvers.FromScript(c.Script)
}

// LiveTrace returns the trace if it belongs to the script of the case, else nil.
func (c *Case) LiveTrace() *solvers.Trace {
	if c.Trace == nil || c.TraceOf != c.Script {
		return nil
	}
	return c.Trace
}

// FromTrace returns the case of a trace. The script is that of its solver 0. Notes of the trace give the known answers,
// see truthNotes.
func FromTrace(name string, t *solvers.Trace) *Case {
	s := t.Script(name)
	c := &Case{Script: s, Trace: t, TraceOf: s}
	witness := ""
	for _, n := range t.Notes {
		if words, ok := strings.CutPrefix(n, expectNote); ok {
			if answers, err := ParseAnswers(strings.Fields(words)); err == nil {
				c.Expect = answers
			}
		}
		if text, ok := strings.CutPrefix(n, witnessNote); ok {
			witness += text + "\n"
		}
	}
	if witness != "" {
		if m, err := modelreader.Parse(s, witness); err == nil {
			c.Witness = m
		}
	}
	return c
}

// Notes of traces that begin with these have the known facts about the answers of solver 0.
const (
	expectNote  = "expect: "
	witnessNote = "witness: "
)

// truthNotes returns the notes of a trace that say the known facts about its answers: none, or "expect: sat none unsat"
// and one for each line of the witness.
func truthNotes(expect []smtlib.Answer, witness string) (notes []string) {
	if !slices.ContainsFunc(expect, smtlib.Answer.Decided) {
		return nil
	}
	notes = []string{expectNote + strings.Join(answerNames(expect), " ")}
	if witness != "" && slices.Contains(expect, smtlib.Sat) {
		for line := range strings.Lines(witness) { // some are comments, which end with their line
			if line = strings.TrimRight(line, "\n"); line != "" {
				notes = append(notes, witnessNote+line)
			}
		}
	}
	return notes
}

// WithTruth returns the trace of a case, or that of its script, with notes of the known answers in the place of those
// it has.
func (c *Case) WithTruth() *solvers.Trace {
	t := c.LiveTrace()
	if t == nil {
		t = solvers.TraceOf(c.Script)
	}
	out := *t
	out.Notes = slices.DeleteFunc(slices.Clone(t.Notes), func(n string) bool {
		return strings.HasPrefix(n, expectNote) || strings.HasPrefix(n, witnessNote)
	})
	witness := ""
	if w := c.OwnWitness(); w != nil && len(w.Symbols()) > 0 {
		witness = w.Text()
	}
	out.Notes = append(out.Notes, truthNotes(c.Expect, witness)...)
	return &out
}

// OwnWitness returns the witness without symbols that the script does not declare, as a reduction leaves many; nil for
// none.
func (c *Case) OwnWitness() *model.Model {
	if c.Witness == nil {
		return nil
	}
	w := c.Witness.Clone()
	declared := map[smt.Symbol]bool{}
	for i := range c.Script.Commands {
		for _, f := range c.Script.Commands[i].Symbols {
			declared[f] = true
		}
	}
	for _, f := range w.Symbols() {
		if !declared[f] {
			w.Unset(f)
		}
	}
	return w
}

// ExpectAt returns the known facts about the answer of check-sat number i, counted from 0.
func (c *Case) ExpectAt(i int) smtlib.Answer {
	if i < 0 || i >= len(c.Expect) {
		return smtlib.None
	}
	return c.Expect[i]
}

// Wire is a case as text, for pipes and files. It can be read back into any arena.
type Wire struct {
	Name    string   `json:"name,omitempty"`
	Script  string   `json:"script,omitempty"`
	Expect  []string `json:"expect,omitempty"`
	Witness string   `json:"witness,omitempty"`
	Trace   string   `json:"trace,omitempty"` // in the place of the script, which is then for people
	Origin  Origin   `json:"origin"`
	// SeedScript is the text that the case was made of, where an oracle compares the two.
	SeedScript string `json:"seed_script,omitempty"`
}

// Wire returns the case as text.
func (c *Case) Wire() *Wire {
	w := &Wire{Name: c.Script.Name, Script: string(c.Text()), Expect: answerNames(c.Expect), Origin: c.Origin}
	if c.Witness != nil {
		w.Witness = c.Witness.Text()
	}
	if t := c.LiveTrace(); t != nil {
		w.Trace = tracetext.Text(t)
	}
	if o := &c.Origin; o.Compared && o.SeedScript != nil {
		w.SeedScript = o.SeedScript.Text()
	}
	return w
}

// Case reads the case into an arena; nil means a new one. The error says which part is wrong and where.
func (w *Wire) Case(a *smt.Arena) (*Case, error) {
	if a == nil {
		a = smt.NewArena()
	}
	name := w.Name
	if name == "" {
		name = "case"
	}
	c, err := w.parse(name, a)
	if err != nil {
		return nil, err
	}
	script := c.Script
	if c.Expect, err = ParseAnswers(w.Expect); err != nil {
		return nil, fmt.Errorf("case %s: expect: %w", name, err)
	}
	if w.Witness != "" {
		if c.Witness, err = modelreader.Parse(script, w.Witness); err != nil {
			return nil, fmt.Errorf("case %s: witness: %w", name, err)
		}
	}
	if w.SeedScript != "" {
		c.Origin.SeedScript, c.Origin.Compared = ReadSeedScript("seed", w.SeedScript), true
	}
	return c, nil
}

// parse reads the trace, or the script where there is none.
func (w *Wire) parse(name string, a *smt.Arena) (*Case, error) {
	if w.Trace != "" {
		t, err := tracetext.Read([]byte(w.Trace), a)
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", name, err)
		}
		c := FromTrace(name, t)
		c.Origin = w.Origin
		return c, nil
	}
	script, err := smtlib.Parse(name, []byte(w.Script), a)
	if err != nil {
		return nil, err
	}
	return &Case{Script: script, Origin: w.Origin}, nil
}

func answerNames(as []smtlib.Answer) []string {
	if len(as) == 0 {
		return nil
	}
	out := make([]string, len(as))
	for i, a := range as {
		out[i] = a.String()
	}
	return out
}

// ParseAnswers reads answers as Answer.String spells them, "none" included.
func ParseAnswers(names []string) ([]smtlib.Answer, error) {
	var out []smtlib.Answer
	for _, n := range names {
		a, ok := smtlib.ParseAnswer(n)
		if !ok && n != smtlib.None.String() {
			return nil, fmt.Errorf("%q is no answer; want sat, unsat, unknown or none", n)
		}
		out = append(out, a)
	}
	return out, nil
}

// ExpectFlag returns the flag with which a command that makes the case again checks that it is the same, with a blank
// before it; "" for none.
func (o Origin) ExpectFlag() string {
	if o.Identity == "" {
		return ""
	}
	return " --expect " + o.Identity
}

// MixFlags returns the flags that reproduce the state that the case took over from earlier cases, each with a blank
// before it; "" for none.
func (o Origin) MixFlags() string {
	text := ""
	if len(o.Weights) > 0 {
		parts := make([]string, len(o.Weights))
		for i, w := range o.Weights {
			parts[i] = fmt.Sprint(w)
		}
		text = " --weights " + strings.Join(parts, ",")
	}
	if len(o.Avoid) > 0 {
		text += " --avoid '" + strings.Join(o.Avoid, ",") + "'" // names of operators have no quotes
	}
	return text
}
