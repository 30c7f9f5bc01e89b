package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

func init() {
	command.Register("trace", newTrace)
}

const traceAbout = `Replays or translates a trace: calls of a solver's API, one per line (docs/api.md describes the format). FILE can also be an SMT-LIB
script or a trace of Murxla, which import prints as a trace of smtlark.
FILE - is the standard input.

  smtlark trace replay FILE --solver NAME[:MODE]   make the calls, and print their replies
  smtlark trace print FILE                         print it as a trace
  smtlark trace import FILE                        the same, of a trace of Murxla
  smtlark trace smt2 FILE                          print the equivalent SMT-LIB script
  smtlark trace star FILE [--solver NAME]          print a campaign file that runs the solver on it
  smtlark trace c FILE --api KIND                  make the calls on a C library, and print a C program that makes the same
                                                   calls of it; it needs no header, and says how to compile it

Exit codes of replay: 0 the solver came to the end, 10 it crashed or failed a check of its own, 69 it could not be started.`

func newTrace(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "trace replay|print|import|smt2|star|c FILE [flags]",
		Short:   "replay a trace of an API campaign, or translate it",
		Long:    traceAbout,
		GroupID: command.GroupCampaigns,
	}
	command.Words(c, "replay", "print", "import", "smt2", "star", "c")
	fs := c.Flags()
	var name string
	command.SolverFlag(fs, &name, "", "")
	api := fs.String("api", "", "`kind` or name of the C library: bitwuzla, boolector, cvc5, yices2, z3, or such as libz3-4.13.3")
	library := fs.String("library", "", "`path` of the C library")
	timeout := fs.Duration("timeout", 20*time.Second, "`time` limit")
	command.UnsafeFlag(fs)
	command.Choices(c, "api", "bitwuzla", "boolector", "cvc5", "yices2", "z3")
	command.Does(c, func(ctx context.Context) int {
		if fs.NArg() != 2 {
			return e.UsageError("trace", "want what to do (replay, print, import, smt2, star, c) and a file")
		}
		t, text, err := readTraceFile(e, fs.Arg(1))
		if err != nil {
			return e.Fail(command.ExitScript, "trace", err)
		}
		switch fs.Arg(0) {
		case "replay":
			if !tracetext.IsTrace(text) {
				t.ChooseBy(text)
			}
			return replayTrace(ctx, e, t, name, *timeout)
		case "print", "import":
			fmt.Fprint(e.Stdout, tracetext.Text(t))
		case "smt2":
			fmt.Fprint(e.Stdout, t.Script(fs.Arg(1)).Text())
		case "star":
			fmt.Fprint(e.Stdout, traceStar(t, name))
		case "c":
			program, err := recordC(ctx, text, *api, *library)
			if err != nil {
				return e.Fail(command.ExitUsage, "trace", err)
			}
			fmt.Fprint(e.Stdout, program)
		default:
			return e.UsageError("trace", "%q is none of replay, print, import, smt2, star, c", fs.Arg(0))
		}
		return command.ExitOK
	})
	return c
}

// readTraceFile reads a trace, ours or one of Murxla's, or a script. text is the input for a library: the trace in our
// format, or the script.
func readTraceFile(e *command.Env, name string) (t *solvers.Trace, text []byte, err error) {
	if name == "-" {
		text, err = io.ReadAll(e.Stdin)
	} else {
		text, err = system.ReadInput(name)
	}
	if err != nil {
		return nil, nil, err
	}
	t, is, err := command.ReadCalls(name, text)
	if err != nil {
		return nil, nil, err
	}
	if is {
		return t, tracetext.AppendTo(nil, t), nil
	}
	script, err := smtlib.Parse(name, text, smt.NewArena())
	if err != nil {
		return nil, nil, err
	}
	return solvers.TraceOf(script), text, nil
}

// replayTrace makes the calls of a trace on a solver.
func replayTrace(ctx context.Context, e *command.Env, t *solvers.Trace, name string, timeout time.Duration) int {
	if name == "" {
		return e.UsageError("trace", "replay needs --solver NAME")
	}
	target, err := command.TargetNamed(ctx, name, false, false, solvers.Limits{})
	if err != nil {
		return e.Fail(command.ExitSolver, "trace", err)
	}
	defer target.Close()
	o, ok := target.(solvers.Opener)
	if !ok {
		return e.UsageError("trace", "%s cannot be called step by step", target.Name())
	}
	lim := solvers.Limits{Wall: timeout}
	// The player opens a session for each further solver that the trace makes.
	open := func() (solvers.Session, error) { return o.Open(ctx, t.Arena, lim) }
	s, err := open()
	if err != nil {
		return e.Fail(command.ExitSolver, "trace", err)
	}
	defer s.Close()
	run := &solvers.Run{}
	answers, values := 0, 0
	p := solvers.Player{Open: open, After: func(n int, c *solvers.Call, err error) {
		what := string((&smtlib.Printer{}).Command(nil, t.Arena, &c.Command))
		// Calls that make sorts, terms and solvers have no text in SMT-LIB.
		if c.Kind != solvers.CallCommand {
			what = ""
		}
		switch {
		case err != nil:
			fmt.Fprintf(e.Stdout, "%4d %s\n     %s\n", n, display.Text(what), display.Text(err.Error()))
		case len(run.Answers) > answers:
			fmt.Fprintf(e.Stdout, "%4d %s\n     %s\n", n, display.Text(what), run.Answers[answers])
		case len(run.Values) > values:
			fmt.Fprintf(e.Stdout, "%4d %s\n     %s\n", n, display.Text(what), strings.ReplaceAll(display.Text(run.Values[values]), "\n", "\n     "))
		}
		answers, values = len(run.Answers), len(run.Values)
	}}
	p.Play(ctx, s, t.Calls, run)
	fmt.Fprintf(e.Stdout, "%s: %s", display.Line(target.Solver().Name), run.Class)
	if run.Message != "" {
		fmt.Fprintf(e.Stdout, ": %s", display.Text(run.Message))
	}
	fmt.Fprintln(e.Stdout)
	if run.Class.IsBug() {
		return command.ExitFindings
	}
	return command.ExitOK
}

// traceStar writes a campaign file that asks a solver about the script of a trace.
func traceStar(t *solvers.Trace, name string) string {
	if name == "" {
		name = "z3"
	}
	target, err := command.SolverExpr(name)
	if err != nil {
		target = fmt.Sprintf("solver(%q)", name)
	}
	var b strings.Builder
	b.WriteString("\"\"\"A trace as a campaign of one case: smtlark run FILE --cases 1\"\"\"\n\n")
	fmt.Fprintf(&b, "CASE = %s\n\n", starString(t.Script("trace").Text()))
	b.WriteString("def the_case(_seeds, _rng):\n    return smt.case(CASE)\n\n")
	fmt.Fprintf(&b, "campaign(\n    technique = the_case,\n    targets = [%s],\n    oracles = [oracle.crash(), oracle.agree(), oracle.model()],\n    stop = stop.cases(1),\n)\n", target)
	return b.String()
}

// starString writes a text as a literal over several lines.
func starString(s string) string {
	return `"""` + strings.NewReplacer(`\`, `\\`, `"""`, `\"\"\"`).Replace(s) + `"""`
}
