package campaigns

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/solvers"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
)

func init() {
	command.Register("api", newAPI)
}

const apiAbout = `Prints the state machine of SMT-LIB that "smtlark fuzz api" walks: its states, and for each transition its probability
where all can be taken. --source prints the file of the library that makes it, to copy and change. --dot writes a graph in the language of Graphviz, --svg FILE draws it (with the program dot).
With a campaign file it prints the machine that the file makes: the only one among its global names, or that of --name.

"smtlark api import-profile FILE" reads a profile of Murxla (JSON) and prints it as a solver.profile for campaign files: theories,
operators and sorts that are left out, and errors that are none. What has no counterpart is named in comments. --base names
the profile that has the rest, such as z3, and --name the new one.`

func newAPI(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "api print|import-profile [FILE] [flags]",
		Short:   "print the state machine of API fuzzing, read profiles of Murxla",
		Long:    apiAbout,
		GroupID: command.GroupCampaigns,
	}
	command.Words(c, "print", "import-profile")
	fs := c.Flags()
	source := fs.Bool("source", false, "print the file of the library that makes the machine: a campaign file may hold a changed copy")
	dot := fs.Bool("dot", false, "print a graph in the language of Graphviz")
	svg := fs.String("svg", "", "draw the graph into this `file`")
	name := fs.String("name", "", "of import-profile: `name` of the profile; else that of the file. Of print: that of the machine")
	base := fs.String("base", "generic", "of import-profile: `name` of the profile that has the rest")
	command.Does(c, func(ctx context.Context) int {
		if fs.NArg() == 2 && fs.Arg(0) == "import-profile" {
			return importProfile(e, fs.Arg(1), *name, *base)
		}
		if fs.NArg() < 1 || fs.NArg() > 2 || fs.Arg(0) != "print" {
			return e.UsageError("api", "want the word print, or import-profile and a file")
		}
		if *source {
			if fs.NArg() > 1 || *dot || *svg != "" {
				return e.UsageError("api", "--source is of the machine of the library, without a file and in no other format")
			}
			text, err := iofs.ReadFile(stdlib.FS(), "smtlib_api.star")
			if err != nil {
				return e.Fail(command.ExitInternal, "api", err)
			}
			fmt.Fprint(e.Stdout, string(text))
			return command.ExitOK
		}
		m, err := script.StandardMachine()
		if err != nil {
			return e.Fail(command.ExitInternal, "api", err)
		}
		text, graph := m.Text, m.DOT
		if file := fs.Arg(1); file != "" {
			globals, err := globalsOf(ctx, e, file)
			if err != nil {
				return e.ScriptError(err)
			}
			found, err := machineIn(globals, *name)
			if err != nil {
				return e.UsageError("api", "%s: %v", file, err)
			}
			text, graph = attribute(found, "text"), attribute(found, "dot")
		}
		switch {
		case *svg != "":
			picture, err := draw(ctx, graph())
			if err != nil {
				return e.Fail(command.ExitUsage, "api", err)
			}
			if err := os.WriteFile(*svg, picture, 0o644); err != nil {
				return e.Fail(command.ExitDisk, "api", err)
			}
		case *dot:
			fmt.Fprint(e.Stdout, graph())
		default:
			fmt.Fprint(e.Stdout, text())
		}
		return command.ExitOK
	})
	return c
}

// globalsOf loads a campaign file and returns its global names. Lines that the file prints go to standard error.
func globalsOf(ctx context.Context, e *command.Env, file string) (starlark.StringDict, error) {
	src, err := command.SourcesFor(file)
	if err != nil {
		return nil, err
	}
	in := script.New(src, script.InterpreterOptions{Setup: script.Slots, Stuck: e.Stuck, Print: e.Said})
	return in.Exec(ctx, script.Test, file)
}

// machineIn returns the machine of a name, or the only one if the name is empty.
func machineIn(globals starlark.StringDict, name string) (found starlark.HasAttrs, err error) {
	var names []string
	for _, n := range globals.Keys() {
		m, ok := globals[n].(starlark.HasAttrs)
		if !ok || m.Type() != "machine" {
			continue
		}
		names = append(names, n)
		if name == "" || n == name {
			found = m
		}
	}
	switch {
	case len(names) == 0:
		return nil, errors.New("no global name is a machine, such as m = api.machine()")
	case name == "" && len(names) > 1:
		return nil, fmt.Errorf("several global names are machines, choose one by --name: %s", strings.Join(names, ", "))
	case found == nil:
		return nil, fmt.Errorf("no machine is named %s; there is %s", name, strings.Join(names, ", "))
	}
	return found, nil
}

// attribute returns a function that reads a text of a value.
func attribute(v starlark.HasAttrs, name string) func() string {
	return func() string {
		x, err := v.Attr(name)
		if err != nil {
			panic(err) // machines have it
		}
		text, _ := starlark.AsString(x)
		return text
	}
}

// draw lets Graphviz make a picture of a graph.
func draw(ctx context.Context, graph string) ([]byte, error) {
	program, err := exec.LookPath("dot")
	if err != nil {
		return nil, fmt.Errorf("to draw, the program dot is needed (apt install graphviz); --dot prints the graph")
	}
	cmd := exec.CommandContext(ctx, program, "-Tsvg")
	cmd.Stdin = strings.NewReader(graph)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("dot: %w: %s", err, strings.TrimSpace(errs.String()))
	}
	return out, nil
}

const fuzzAPIAbout = `Walks the state machine of SMT-LIB (smtlark api print) at random: every case is a trace of calls of a solver's interface,
with answers known by construction. Without theory flags, every walk takes a random part of the theories that all solvers
have. --print-campaign shows the campaign file that says the same, which "smtlark run" takes.`

// theoryFlags are the flags of theories, as users of API fuzzers know them.
var theoryFlags = []struct{ flag, theory string }{
	{"bv", "BV"}, {"arrays", "Array"}, {"uf", "UF"}, {"ints", "Int"}, {"reals", "Real"}, {"fp", "FP"}, {"strings", "String"},
	{"seq", "Seq"}, {"sets", "Set"}, {"bags", "Bag"}, {"ff", "FF"}, {"dt", "DT"}, {"trans", "Transcendental"},
}

// apiOptions are the flags of fuzz api beside those of run.
type apiOptions struct {
	*runOptions
	solvers, cross                         []string
	theories                               map[string]*bool
	quant, ho, linear, check, native, show bool
	options, expert, all                   bool
	truth                                  string
	width, calls                           int
}

func apiFlags(fs *pflag.FlagSet) *apiOptions {
	run := runFlags(fs)
	o := &apiOptions{runOptions: run, theories: map[string]*bool{}}
	command.SolverFlag(fs, &o.solvers, nil, "may be repeated")
	fs.StringArrayVarP(&o.cross, "cross", "c", nil, "`name` of a solver to compare answers with; may be repeated")
	fs.BoolVar(&o.native, "native", false, "call the solvers' C libraries in the place of their programs")
	for _, t := range theoryFlags {
		o.theories[t.theory] = fs.Bool(t.flag, false, "theory "+t.theory)
	}
	fs.BoolVar(&o.quant, "quant", false, "quantifiers")
	fs.BoolVar(&o.ho, "ho", false, "functions as values, partial application and lambdas: higher-order logic of cvc5, lambda arrays of z3")
	fs.BoolVar(&o.linear, "linear", false, "linear arithmetic only")
	fs.BoolVar(&o.all, "all-theories", false, "every walk takes all theories")
	fs.BoolVar(&o.check, "check", false, "check models, values, unsat cores and unsat assumptions")
	fs.BoolVar(&o.options, "options", false, "set options of the solvers at random")
	fs.BoolVar(&o.expert, "expert", false, "with --options: expert options, too")
	fs.StringVar(&o.truth, "truth", "by-construction", "what is known of the answers: by-construction, sat or none")
	fs.IntVar(&o.width, "max-width", 0, "greatest width of a bit vector; 0: 64, and 200 in one walk of ten")
	fs.IntVar(&o.calls, "max-calls", 400, "greatest number of calls of a walk")
	fs.BoolVar(&o.show, "print-campaign", false, "print the campaign file and do not run it")
	return o
}

func newFuzzAPI(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "api --solver NAME [flags]",
		Short: "call the API of solvers at random",
		Long:  fuzzAPIAbout,
	}
	fs := c.Flags()
	o := apiFlags(fs)
	completeRun(c)
	command.Choices(c, "truth", "by-construction", "sat", "none")
	command.Does(c, func(ctx context.Context) int {
		if words := o.cluster.arguments(fs); len(words) > 0 {
			return e.UsageError("fuzz", "fuzz api takes no further arguments, got %q", words[0])
		}
		if err := o.Validate(fs); err != nil {
			return e.UsageError("fuzz", "%v", err)
		}
		text, err := o.text(ctx)
		if err != nil {
			return textFailed(e, err)
		}
		if o.show {
			fmt.Fprint(e.Stdout, text)
			return command.ExitOK
		}
		again := append([]string{"smtlark", "fuzz", "api"}, o.again(fs)...)
		return o.campaign(ctx, e, "fuzz", "api.star", finding.Inputs{Text: text}, shellJoin(again...))
	})
	return c
}

// again returns the flags that make the same campaign, without those of run.
func (o *apiOptions) again(fs *pflag.FlagSet) []string {
	run := pflag.NewFlagSet("run", pflag.ContinueOnError)
	runFlags(run)
	var out []string
	fs.Visit(func(f *pflag.Flag) {
		if run.Lookup(f.Name) != nil {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, v := range list.GetSlice() {
				out = append(out, "--"+f.Name, v)
			}
			return
		}
		if f.Value.Type() == "bool" {
			out = append(out, "--"+f.Name)
			return
		}
		out = append(out, "--"+f.Name, f.Value.String())
	})
	return out
}

// text writes the campaign file.
func (o *apiOptions) text(ctx context.Context) (string, error) {
	if len(o.solvers) == 0 {
		return "", fmt.Errorf("fuzz api needs --solver NAME")
	}
	truth := strconv.Quote(o.truth)
	switch o.truth {
	case "none":
		truth = "None"
	case "sat", "by-construction":
	default:
		return "", fmt.Errorf("--truth %s: want by-construction, sat or none", o.truth)
	}
	var machine []string
	var theories []string
	for _, t := range theoryFlags {
		if *o.theories[t.theory] {
			theories = append(theories, strconv.Quote(t.theory))
		}
	}
	if len(theories) > 0 {
		machine = append(machine, "theories = ["+strings.Join(theories, ", ")+"]")
	}
	for _, f := range []struct {
		on   bool
		text string
	}{{o.quant, "quantifiers = True"}, {o.ho, "higher_order = True"}, {o.linear, "linear = True"}, {o.all, "all_theories = True"}, {o.width != 0, fmt.Sprintf("max_width = %d", o.width)},
		{o.calls != 400, fmt.Sprintf("max_calls = %d", o.calls)}} {
		// Defaults are left out: the file reads as somebody would have written it.
		if f.on {
			machine = append(machine, f.text)
		}
	}
	fuzz := []string{"smtlib_api(" + strings.Join(machine, ", ") + ")", "truth = " + truth}
	if o.options {
		fuzz = append(fuzz, "options = True")
	}
	if o.expert {
		fuzz = append(fuzz, "expert = True")
	}
	var targets []string
	for _, s := range slices.Concat(o.solvers, o.cross) {
		x, err := o.solverExpr(ctx, s)
		if err != nil {
			return "", err
		}
		targets = append(targets, x)
	}
	var b strings.Builder
	b.WriteString("\"\"\"API fuzzing from the command line.\"\"\"\n\nload(\"@std//smtlib_api.star\", \"smtlib_api\")\n\ncampaign(\n")
	fmt.Fprintf(&b, "    technique = api.fuzz(%s),\n    targets = [%s],\n", strings.Join(fuzz, ", "), strings.Join(targets, ", "))
	if o.check {
		b.WriteString("    oracles = [oracle.crash(), oracle.known_answer(), oracle.agree(), oracle.model(), oracle.values(), oracle.cores()],\n")
	}
	b.WriteString(")\n")
	return b.String(), nil
}

// solverExpr writes the expression of a solver. Calls that depend on answers are best had in a process that is asked
// step by step, so mode incremental comes first.
func (o *apiOptions) solverExpr(ctx context.Context, s string) (string, error) {
	n, err := command.SolverName(s)
	if err != nil || n.Mode != "" {
		return command.SolverExpr(s)
	}
	if o.native {
		n.Mode = solvers.Native
		return command.SolverExpr(n.String())
	}
	found, err := script.Supply().Named(ctx, n)
	if err != nil {
		return "", fmt.Errorf("--solver %s: %w", s, err)
	}
	for _, m := range []solvers.Mode{solvers.Incremental, solvers.Reset} {
		if found.Library == "" && slices.Contains(found.Modes(), m) {
			n.Mode = m
			break
		}
	}
	return command.SolverExpr(n.String())
}
