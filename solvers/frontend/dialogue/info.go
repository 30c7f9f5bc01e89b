package dialogue

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/language/meaning"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// defaultOptions are the options of SMT-LIB 2.7 (section 4.1.7), and that of objectives, with the values that they
// have at the start. Success is not printed and models are at hand, as with z3 and most solvers that are started on a
// pipe.
var defaultOptions = map[string]string{
	":print-success": "false", ":global-declarations": "false", ":interactive-mode": "false",
	":produce-assertions":  "false",
	":produce-assignments": "false", ":produce-models": "true", ":produce-proofs": "false",
	":produce-unsat-assumptions": "false",
	":produce-unsat-cores":       "false", ":random-seed": "0", ":reproducible-resource-limit": "0", ":verbosity": "0",
	":regular-output-channel": `"stdout"`, ":diagnostic-output-channel": `"stderr"`, priorityOption: "lex",
}

func (d *Dialogue) forgetOptions() {
	d.options = map[string]string{}
	for name, value := range defaultOptions {
		d.options[name] = value
	}
}

// globalOption makes declarations outlive their level; SMT-LIB 2.7 (section 4.1.7) allows it only at the start.
const globalOption = ":global-declarations"

// hasBegun reports whether there is a problem.
func (d *Dialogue) hasBegun() bool {
	s := d.solver.Stack()
	return s.Levels() > 0 || len(s.Commands()) > 0
}

// isTruth reports whether the value of an option is true or false.
func isTruth(name string) bool { v := defaultOptions[name]; return v == "true" || v == "false" }

// ownOptions are the options of the dialogue itself, which are not sent to solvers.
var ownOptions = []string{":print-success", ":interactive-mode", ":produce-assertions", ":produce-assignments",
	":verbosity"}

// setOption sets an option: one of the dialogue, one that all solvers should have, a limit of time, or one that a
// solver below knows.
func (d *Dialogue) setOption(ctx context.Context, c *smtlib.Command) error {
	if isTruth(c.Name) && c.Text != "true" && c.Text != "false" {
		return fmt.Errorf("set-option: the value of %s is true or false, not %s", c.Name, c.Text)
	}
	switch {
	case c.Name == globalOption && c.Text != d.options[c.Name] && d.hasBegun():
		d.scope.Close() // the scope has already applied the option
		d.readScope()
		return fmt.Errorf("set-option: %s is set before the problem, for what is declared is declared by it", c.Name)
	case c.Name == ":timeout" || c.Name == ":tlimit-per":
		ms, err := strconv.ParseUint(c.Text, 10, 32)
		if err != nil {
			return fmt.Errorf("set-option: the value of %s is a number of milliseconds, not %s", c.Name, c.Text)
		}
		const none = 1<<32 - 1 // as z3 spells it
		if ms == none {
			ms = 0
		}
		given := time.Duration(ms) * time.Millisecond
		if d.longest > 0 && (given == 0 || given > d.longest) {
			given = d.longest // a client may lower the limit, not raise it
		}
		d.solver.SetTimeout(given)
	case strings.HasSuffix(c.Name, "-output-channel"):
		// A script from elsewhere must not write files. Nothing is ever written to the diagnostic channel, so both
		// standard streams are accepted.
		if c.Text != defaultOptions[c.Name] && (c.Name != ":diagnostic-output-channel" || c.Text != `"stdout"`) {
			return errUnsupported
		}
	case meaning.Of(c.Name, c.Text) != 0:
		// Members interpret it differently, and answers are checked by the standard semantics.
		return errUnsupported
	case c.Name == priorityOption:
		if !slices.Contains([]string{"lex", "box", "pareto"}, c.Text) {
			return fmt.Errorf("set-option: the value of %s is lex, box or pareto, not %s", c.Name, c.Text)
		}
		d.found = optimum{}
	case slices.Contains(ownOptions, c.Name):
	case defaultOptions[c.Name] != "":
		if err := d.solver.Do(c); err != nil {
			return err
		}
	default:
		known, err := d.solver.Option(ctx, c)
		switch {
		case err != nil:
			return fmt.Errorf("set-option: %w", err)
		case !known:
			return errUnsupported
		}
	}
	d.options[c.Name] = c.Text
	return d.succeed(nil)
}

// getOption prints the value of an option.
func (d *Dialogue) getOption(c *smtlib.Command) error {
	value, ok := d.options[c.Name]
	if !ok {
		return errUnsupported
	}
	d.say(value)
	return nil
}

// getInfo prints information about the solver or the latest answer.
func (d *Dialogue) getInfo(ctx context.Context, c *smtlib.Command) error {
	switch c.Name {
	case ":name", ":version", ":authors":
		d.say("(" + c.Name + " " + quoted(map[string]string{":name": d.Name, ":version": d.Version,
			":authors": "the authors of smtlark and of the solvers below"}[c.Name]) + ")")
	case ":error-behavior":
		d.say("(:error-behavior continued-execution)")
	case ":assertion-stack-levels":
		d.say(fmt.Sprintf("(:assertion-stack-levels %d)", d.solver.Stack().Levels()))
	case ":reason-unknown":
		r, valid := d.solver.Latest()
		if !valid || r.Answer != smtlib.Unknown {
			return fmt.Errorf("get-info :reason-unknown: the latest answer is not unknown")
		}
		switch r.Reason {
		case "memout", "incomplete":
			d.say("(:reason-unknown " + r.Reason + ")")
		default:
			d.say("(:reason-unknown " + quoted(r.Reason) + ")")
		}
	case ":smtlark-passed-on":
		d.say(fmt.Sprintf("(:smtlark-passed-on %d)", d.solver.Stack().PassedOn()))
	case ":all-statistics":
		d.say(d.statistics())
	default:
		text, err := d.solver.Ask(ctx, c)
		if err != nil {
			return errUnsupported
		}
		d.say(text)
	}
	return nil
}

// statistics returns the statistics of the front end and its members as text.
func (d *Dialogue) statistics() string {
	var b strings.Builder
	fmt.Fprintf(&b, "(:checks %d\n :refused-commands %d", d.checks, d.errors)
	for _, m := range d.solver.Stats() {
		fmt.Fprintf(&b, "\n :member (%s :asked %d :won %d :failed %d :replaced %d :seconds %.3f)", quoted(m.Name), m.Asked,
			m.Won, m.Failed, m.Replaced, m.Time.Seconds())
	}
	return b.String() + ")"
}
