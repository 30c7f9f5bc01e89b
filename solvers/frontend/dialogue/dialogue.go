package dialogue

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/smtml"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/optimise"
)

// maxCommand bounds the text of one command in bytes.
const maxCommand = 1 << 30

// Dialogue is the conversation with one client.
type Dialogue struct {
	// LikeZ3 makes replies look like those of z3: echo prints its text without quotes, and each value is on a line of
	// its own.
	LikeZ3 bool
	// Models is the format of replies to get-model; "" is that of SMT-LIB.
	Models smtml.ModelFormat
	// Name and Version are the replies to get-info :name and :version.
	Name, Version string
	// Checked is called with each answer to check-sat and the answer that the client announced by :status. It may be
	// nil.
	Checked func(at smtlib.Pos, r frontend.Result, status smtlib.Answer, took time.Duration)

	// Confirm is called with the reply of a solver to a command that the dialogue does not answer itself. The client gets
	// its error in the place of the reply. It may be nil.
	Confirm func(ctx context.Context, c *smtlib.Command, reply string) error

	// Began is called for each command that was understood, before it is performed, and for each command that was
	// passed on. The text is valid until Began returns. It may be nil.
	Began func(text []byte)

	solver  *frontend.FrontEnd
	longest time.Duration // the time limit for one command that was configured; 0: none
	scope   *smtlib.Scope
	in      *smtlib.Stream
	out     *bufio.Writer
	options map[string]string
	status  smtlib.Answer // the answer that the client expects from the next check-sat
	errors  int
	checks  int
	place   smtlib.Pos // of the present command
	text    []byte     // of the present command
	found   optimum    // of the latest check-sat
	assumed assumed    // by the latest check-sat
	terms   terms
}

// assumed are the assumptions of a question.
type assumed struct {
	terms   []smt.Term
	command string // that gave them
}

// New returns a dialogue in which a front end answers. Nothing else may read terms into the arena of the front end.
func New(s *frontend.FrontEnd, in io.Reader, out io.Writer) *Dialogue {
	d := &Dialogue{
		Name:    "smtlark",
		in:      smtlib.NewStream(in, maxCommand),
		longest: s.Timeout(),
		out:     bufio.NewWriter(out),
		scope:   smtlib.NewScope(s.Arena()),
		solver:  s,
	}
	d.terms.beginning = filledNow(s.Arena())
	d.terms.inForce = d.terms.beginning
	d.forgetOptions()
	return d
}

// Errors returns how many commands were refused so far.
func (d *Dialogue) Errors() int { return d.errors }

// Run reads commands and replies to them until exit, the end of the text, or the end of the context. It returns the
// first error of reading or writing.
func (d *Dialogue) Run(ctx context.Context) error {
	defer d.scope.Close()
	for ctx.Err() == nil {
		text, at, err := d.in.Next()
		d.place = at
		var wrong *smtlib.Error
		switch {
		case errors.As(err, &wrong):
			d.refuse(wrong)
		case err == io.EOF:
			return d.out.Flush()
		case err != nil:
			return errors.Join(err, d.out.Flush())
		default:
			if stop := d.command(ctx, text); stop {
				return d.out.Flush()
			}
		}
		if err := d.out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// command replies to a command; stop says that it was the last one.
func (d *Dialogue) command(ctx context.Context, text []byte) (stop bool) {
	d.text = text
	if d.hasGarbage() && endsAnswer(text) {
		d.dropTerms()
	}
	c, notes, err := d.scope.Command(text, d.place)
	if err != nil {
		d.passOn(ctx, text, err)
		return false
	}
	if d.Began != nil {
		d.Began(text)
	}
	if c.Kind == smtlib.CmdAssert || c.Kind.IsDeclaration() || optimise.IsCommand(&c) {
		c.KeepText(d.solver.Arena(), text)
	}
	err = d.perform(ctx, &c, notes)
	if err == nil && d.terms.follow(d.solver.Arena(), &c) {
		d.dropTerms()
	}
	switch {
	case errors.Is(err, errUnsupported):
		d.say("unsupported")
	case err != nil:
		d.refuse(err)
	}
	return c.Kind == smtlib.CmdExit
}

// passOn passes a command that the dialogue does not understand to the solvers unchanged. If one of them accepts the
// command, it becomes part of the problem; as long as it is, all answers come from that solver, unchecked. If they all
// refuse it, the reply is the error of the dialogue, which has the place.
func (d *Dialogue) passOn(ctx context.Context, text []byte, why error) {
	name, ok := smtlib.CommandName(text)
	c := smtlib.Command{Kind: smtlib.CmdOther, Name: name, Text: string(text)}
	if !ok || name == "include" { // include would read the user's files
		d.refuse(why)
		return
	}
	var err error
	reply := ""
	switch kind := smtlib.KindOf(name); {
	case kind == smtlib.CmdGetValue, kind == smtlib.CmdSimplify:
		reply, err = d.solver.Ask(ctx, &c)
	case kind == smtlib.CmdCheckSatAssuming:
		if c, err = d.passOnAssumptions(ctx, text, why); err == nil {
			if d.Began != nil {
				d.Began(text)
			}
			d.terms.inForce = filledNow(d.solver.Arena())
			if err := d.check(ctx, &c); err != nil {
				d.refuse(err)
			}
			return
		}
	case kind == smtlib.CmdOther, kind == smtlib.CmdAssert, kind.IsDeclaration():
		err = d.solver.PassOn(ctx, errors.New(d.locate(why)), &c)
	default:
		err = why
	}
	switch {
	case err != nil:
		d.refuse(why)
		return
	case d.Began != nil:
		d.Began(text)
	}
	if reply != "" {
		d.say(reply)
		return
	}
	d.terms.inForce = filledNow(d.solver.Arena())
	_ = d.succeed(nil)
}

// passOnAssumptions passes the assumptions of a question to the solvers unchanged, because the dialogue does not
// understand at least one of them.
func (d *Dialogue) passOnAssumptions(ctx context.Context, text []byte, why error) (c smtlib.Command, err error) {
	xs, err := smtlib.ParseSExprs(string(text))
	if err != nil || len(xs) != 1 || len(xs[0].List) != 2 || !xs[0].List[1].IsList() {
		return c, why
	}
	var texts []string
	for _, x := range xs[0].List[1].List {
		texts = append(texts, x.String())
	}
	c.Kind = smtlib.CmdCheckSatAssuming
	c.Terms, err = d.solver.PassOnAssumptions(ctx, errors.New(d.locate(why)), texts)
	return c, err
}

var errUnsupported = errors.New("unsupported")

// perform executes a command, and replies to it unless it fails.
func (d *Dialogue) perform(ctx context.Context, c *smtlib.Command, notes []smtlib.Note) error {
	switch c.Kind {
	case smtlib.CmdSetOption:
		return d.setOption(ctx, c)
	case smtlib.CmdSetInfo:
		if c.Name == ":status" {
			d.status, _ = smtlib.ParseAnswer(c.Text)
		}
		return d.succeed(nil)
	case smtlib.CmdReset:
		err := d.solver.Do(c)
		err = d.succeed(err) // if success was printed for every command, the client expects it for this one, too
		if d.solver.Stack().KeepOptions {
			d.scope.Close()
			d.readScope() // the new scope follows the options that the reset kept
		} else {
			d.forgetOptions()
			d.solver.SetTimeout(d.longest)
		}
		d.found = optimum{}
		d.status = smtlib.None
		return err
	case smtlib.CmdCheckSat, smtlib.CmdCheckSatAssuming, smtlib.CmdCheckSatUsing:
		return d.check(ctx, c)
	case smtlib.CmdEcho:
		return d.echo(c.Text)
	case smtlib.CmdGetInfo:
		return d.getInfo(ctx, c)
	case smtlib.CmdGetOption:
		return d.getOption(c)
	case smtlib.CmdGetModel, smtlib.CmdGetValue, smtlib.CmdGetAssignment, smtlib.CmdGetUnsatCore,
		smtlib.CmdGetUnsatAssumptions, smtlib.CmdGetAssertions:
		text, err := d.about(ctx, c)
		if err == nil {
			d.say(text)
		}
		return err
	case smtlib.CmdExit:
		return d.succeed(nil)
	}
	switch {
	case optimise.IsCommand(c):
		return d.addObjective(c)
	case c.Name == "get-objectives":
		return d.sayObjectives()
	case solvers.ReplyTo(c.Kind, c.Name) == solvers.ValueReply:
		text, err := d.solver.Ask(ctx, c)
		if err != nil {
			return d.nameCommand(c, err)
		}
		if d.Confirm != nil {
			if err := d.Confirm(ctx, c, text); err != nil {
				return err
			}
		}
		d.say(text)
		return nil
	}
	if c.Kind == smtlib.CmdOther || asksSolver(notes) || d.scope.HasSecondConstant(c) {
		// Only a solver knows whether this is right, so one is asked at once.
		err := d.solver.DoNow(ctx, c)
		if err != nil && c.Kind != smtlib.CmdOther {
			d.forget(c)
		}
		if err != nil {
			return d.nameCommand(c, err)
		}
		return d.succeed(nil)
	}
	return d.succeed(d.solver.Do(c))
}

// asksSolver reports whether the reader noted an unknown head, so that a solver must be asked.
func asksSolver(notes []smtlib.Note) bool {
	for i := range notes {
		if strings.HasPrefix(notes[i].Msg, "unknown ") {
			return true
		}
	}
	return false
}

// forget removes the names that a command has introduced. It is called if the command is refused after it was read.
func (d *Dialogue) forget(c *smtlib.Command) {
	if c.Kind.IsDeclaration() || len(c.Named) > 0 {
		d.scope.Close()
		d.readScope()
	}
}

// nameCommand puts the name of a command in front of an error.
func (d *Dialogue) nameCommand(c *smtlib.Command, err error) error {
	if solvers.ClassOf(err) == solvers.Unsupported && c.Kind != smtlib.CmdOther && len(d.solver.Stats()) == 1 {
		return errUnsupported
	}
	return fmt.Errorf("%s: %w", c.CommandName(), err)
}

// succeed replies to a command without a reply of its own.
func (d *Dialogue) succeed(err error) error {
	if err == nil && d.options[":print-success"] == "true" {
		d.say("success")
	}
	return err
}

// say prints a reply.
func (d *Dialogue) say(text string) {
	_, _ = d.out.WriteString(text) // a write error is reported by Flush
	_ = d.out.WriteByte('\n')
}

// refuse replies with an error message that includes the place.
func (d *Dialogue) refuse(err error) {
	d.errors++
	d.say(fmt.Sprintf("(error %s)", quoted(d.locate(err))))
}

// locate spells an error with its place, on one line.
func (d *Dialogue) locate(err error) string {
	line, col, text := d.place.Line, d.place.Col, err.Error()
	var wrong *smtlib.Error
	if errors.As(err, &wrong) {
		line, col, text = wrong.Line, wrong.Col, wrong.Msg
	}
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	return fmt.Sprintf("line %d column %d: %s", line, col, text)
}

// quoted spells a string literal.
func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// echo prints a string.
func (d *Dialogue) echo(literal string) error {
	if len(literal) < 2 || literal[0] != '"' {
		return errors.New("echo: want a string literal")
	}
	if d.LikeZ3 {
		literal = strings.ReplaceAll(literal[1:len(literal)-1], `""`, `"`)
	}
	d.say(literal)
	return nil
}

// check asks the front end and prints its answer.
func (d *Dialogue) check(ctx context.Context, c *smtlib.Command) error {
	d.assumed = assumed{c.Terms, string(d.text)}
	begun := time.Now()
	r, err := d.solve(ctx, c.Terms)
	if err != nil {
		return err
	}
	d.checks++
	status := d.status
	d.status = smtlib.None
	if d.Checked != nil {
		d.Checked(d.place, r, status, time.Since(begun))
	}
	d.say(r.Answer.String())
	return nil
}

// about replies to a command that asks about the problem or the latest answer.
func (d *Dialogue) about(ctx context.Context, c *smtlib.Command) (string, error) {
	switch c.Kind {
	case smtlib.CmdGetAssertions:
		return d.assertionLines(), nil
	case smtlib.CmdGetModel:
		if err := d.needOption(c, ":produce-models", smtlib.Sat); err != nil {
			return "", err
		}
		if d.Models == "" || d.Models == smtml.ModelSMTLIB {
			return d.solver.ModelText(ctx)
		}
		m, err := d.solver.Model(ctx)
		if err != nil {
			return "", err
		}
		return strings.TrimSuffix(smtml.WriteModel(m, d.Models), "\n"), nil
	case smtlib.CmdGetValue:
		if err := d.needOption(c, ":produce-models", smtlib.Sat); err != nil {
			return "", err
		}
		values, err := d.solver.Values(ctx, c.Terms)
		if err != nil {
			return "", err
		}
		return d.valuePairs(d.givenTerms(string(d.text)), c.Terms, values), nil
	case smtlib.CmdGetAssignment:
		if err := d.needOption(c, ":produce-assignments", smtlib.Sat); err != nil {
			return "", err
		}
		return d.assignment(ctx)
	}
	option, ask := ":produce-unsat-cores", d.solver.UnsatCore
	if c.Kind == smtlib.CmdGetUnsatAssumptions {
		option, ask = ":produce-unsat-assumptions", d.solver.UnsatAssumptions
	}
	if err := d.needOption(c, option, smtlib.Unsat); err != nil {
		return "", err
	}
	ts, err := ask(ctx)
	return d.termList(ts), err
}

// needOption checks the conditions for a question about the latest answer: that the option is set, and that the answer
// is of the right kind.
func (d *Dialogue) needOption(c *smtlib.Command, option string, answer smtlib.Answer) error {
	if d.options[option] != "true" {
		return fmt.Errorf("%s needs (set-option %s true) before the problem", c.Kind, option)
	}
	r, valid := d.solver.Latest()
	switch {
	case !valid:
		return fmt.Errorf("%s needs a check-sat, and nothing asserted, pushed or popped since", c.Kind)
	case r.Answer != answer && !(r.Answer == smtlib.Unknown && answer == smtlib.Sat):
		return fmt.Errorf("%s has nothing to say: the answer is %s", c.Kind, r.Answer)
	}
	return nil
}

// assignment returns the values of the formulas that have names.
func (d *Dialogue) assignment(ctx context.Context) (string, error) {
	a := d.solver.Arena()
	var names []smt.Term
	for _, f := range d.solver.Stack().Named() {
		if t := a.Const(f); a.Sort(t) == smt.SortBool {
			names = append(names, t)
		}
	}
	if len(names) == 0 {
		return "()", nil
	}
	values, err := d.solver.Values(ctx, names)
	if err == nil {
		return solvers.ValuePairs(a, names, values), nil
	}
	// Some solvers refuse the values of formulas with quantifiers. Asserted formulas are true anyway; the others are
	// left out, as in the replies of solvers.
	asserted := d.assertedNames()
	r, _ := d.solver.Latest()
	var known []smt.Term
	values = nil
	for _, name := range names {
		switch one, err := d.solver.Values(ctx, []smt.Term{name}); {
		case err == nil:
			known, values = append(known, name), append(values, one...)
		case ctx.Err() != nil:
			return "", err
		case asserted[name] && r.Answer == smtlib.Sat:
			known, values = append(known, name), append(values, "true")
		}
	}
	return solvers.ValuePairs(a, known, values), nil
}

// assertedNames returns the names of whole assertions.
func (d *Dialogue) assertedNames() map[smt.Term]bool {
	a, out := d.solver.Arena(), map[smt.Term]bool{}
	for _, c := range d.solver.Stack().Commands() {
		if c.Kind != smtlib.CmdAssert {
			continue
		}
		t := c.Terms[0]
		for a.Op(t) == smt.OpAnnot {
			t = a.Args(t)[0]
			for _, f := range c.Named {
				out[a.Const(f)] = out[a.Const(f)] || a.SymbolInfo(f).Body == t
			}
		}
	}
	return out
}

// termList spells terms in parentheses, assumptions as they were given.
func (d *Dialogue) termList(ts []smt.Term) string {
	given := d.givenTerms(d.assumed.command)
	texts := make([]string, len(ts))
	for i, t := range ts {
		if at := slices.Index(d.assumed.terms, t); at >= 0 && at < len(given) {
			texts[i] = given[at]
			continue
		}
		texts[i] = smtlib.TermText(d.solver.Arena(), t)
	}
	return "(" + strings.Join(texts, " ") + ")"
}
