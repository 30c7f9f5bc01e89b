package campaigns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/spelling"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/solvers/catalogue"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
)

func init() {
	command.Register("fuzz", newFuzz)
	command.AdaptExit("fuzz", yinyangExit)
}

const fuzzAbout = `Runs a technique of the library, such as storm, with seeds and solvers from the command line; --print-campaign shows the
campaign file that says the same, which "smtlark run" takes. Without --seeds the bundled seeds are used, without
--solver all solvers of this machine.

Without a technique, as in "smtlark fuzz --solver z3", it runs everything: an adaptive mix of all of them, in turn on
the program and the C library of each solver, in its modes and its safest configuration. The other solvers of this machine are
asked only where the answer is not known (docs/techniques.md).

fusion, opfuzz and typefuzz also take the arguments of YinYang's programs: a list of solvers and seeds, as in
smtlark fuzz opfuzz "z3;cvc5 --strings-exp" seeds, and the flags -o -i -m -g -t -c -L -b. What they mean here,
and the others of YinYang's, is told in docs/from-yinyang.md.`

// fuzzOptions are the flags of fuzz beside those of run.
type fuzzOptions struct {
	*runOptions
	seeds   []string
	solvers []string
	args    []string
	show    bool
	yinyang yinyangOptions
}

func newFuzz(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "fuzz [TECHNIQUE] [SOLVERS] [SEEDS...] [flags]",
		Short:   "run a technique of the library without a campaign file",
		Long:    fuzzAbout,
		GroupID: command.GroupCampaigns,
	}
	fs := c.Flags()
	o := &fuzzOptions{runOptions: runFlags(fs)}
	fs.StringArrayVar(&o.seeds, "seeds", nil, "`folder` or file with seeds; may be repeated")
	command.SolverFlag(fs, &o.solvers, nil, "may be repeated; default: all that are installed")
	fs.StringArrayVar(&o.args, "arg", nil, "argument of the technique as `name=value`, such as max_depth=20; may be repeated")
	fs.BoolVar(&o.show, "print-campaign", false, "print the campaign file and do not run it")
	o.yinyang.flags(fs, &o.timeout)
	completeRun(c)
	command.Words(c, Techniques()...)
	command.Choices(c, "oracle", "sat", "unsat", "unknown")
	command.Does(c, func(ctx context.Context) int { return o.run(ctx, e, fs) })
	c.AddCommand(newFuzzAPI(e))
	return c
}

// run does what fuzz does; see yinyangExit for its exit code.
func (o *fuzzOptions) run(ctx context.Context, e *command.Env, fs *pflag.FlagSet) int {
	if err := o.Validate(fs); err != nil {
		return e.UsageError("fuzz", "%v", err)
	}
	if err := o.yinyang.folders(fs, &o.out); err != nil {
		return e.UsageError("fuzz", "%v", err)
	}
	words := o.cluster.arguments(fs)
	technique := everything
	if len(words) > 0 && words[0] != "" {
		technique = words[0]
	}
	given, err := o.positional(words[min(1, len(words)):])
	if err != nil {
		return e.UsageError("fuzz", "%v", err)
	}
	if all := Techniques(); !slices.Contains(all, technique) {
		hint := ""
		if near := spelling.Nearest(technique, all); near != "" {
			hint = fmt.Sprintf(" (did you mean %s?)", near)
		}
		return e.UsageError("fuzz", "the library has no technique %q%s; it has: %s", technique, hint, strings.Join(all, ", "))
	}
	text, read, err := o.text(technique)
	if err == nil && !o.show && o.cluster.address == "" { // the machines of a cluster have solvers of their own
		err = o.findSolvers(ctx)
	}
	if err != nil {
		return textFailed(e, err)
	}
	if o.show {
		fmt.Fprint(e.Stdout, text)
		return command.ExitOK
	}
	// As a user would type it, since findings and the summary show it.
	again := append([]string{"smtlark", "fuzz"}, words[:min(1, len(words))]...)
	again = append(again, given...)
	for _, f := range []struct {
		flag   string
		values []string
	}{{"--seeds", o.seeds}, {"--solver", o.solvers}, {"--arg", o.args}, {"", o.yinyang.again(fs)}} {
		for _, v := range f.values {
			if f.flag != "" {
				again = append(again, f.flag)
			}
			again = append(again, v)
		}
	}
	return o.campaign(ctx, e, "fuzz", technique+".star", finding.Inputs{Text: text, Read: read}, shellJoin(again...))
}

// textFailed says why there is no campaign file for some flags, and returns the exit code.
func textFailed(e *command.Env, err error) int {
	var missing *catalogue.MissingError
	if errors.As(err, &missing) {
		return e.Fail(command.ExitSolver, "fuzz", err)
	}
	return e.UsageError("fuzz", "%v", err)
}

// everything is the technique that runs if none is named. Its targets take turns, as do those of oneOption, whose cases
// are about a solver's own options, and of asking, whose cases have questions of one kind of solver.
const (
	everything = "everything"
	oneOption  = "one_option"
	asking     = "ask"
)

// functions are the techniques whose name is not that of their function.
var functions = map[string]string{"fusion": "semantic_fusion"}

// FunctionOf returns the function of the library that makes a technique.
func FunctionOf(technique string) string { return cmp.Or(functions[technique], technique) }

// Techniques lists the modules of the library that define a function of their own name.
func Techniques() []string {
	files, err := fs.Glob(stdlib.FS(), "*.star")
	if err != nil {
		return nil
	}
	var out []string
	for _, f := range files {
		module := strings.TrimSuffix(f, ".star")
		name := FunctionOf(module)
		text, err := fs.ReadFile(stdlib.FS(), f)
		has := func(begin string) bool { return strings.Contains("\n"+string(text), "\n"+begin) }
		if err == nil && module != "smtlib_api" && (has("def "+name+"(") || has(name+" = ")) {
			out = append(out, module)
		}
	}
	return out
}

// text returns the campaign file and the folders that it must be able to read.
func (o *fuzzOptions) text(technique string) (text string, read []string, err error) {
	args, more, err := o.yinyang.arguments(technique)
	if err != nil {
		return "", nil, err
	}
	read = append(read, more...)
	seeds := "corpus.bundled()"
	if len(o.seeds) > 0 {
		var patterns []string
		for _, s := range o.seeds {
			abs, err := filepath.Abs(s)
			if err != nil {
				return "", nil, err
			}
			st, err := os.Stat(abs)
			if err != nil {
				return "", nil, fmt.Errorf("--seeds %s: no such file or folder", s)
			}
			// Campaign files read only below folders that were named; for one file that is its folder.
			folder := abs
			if !st.IsDir() {
				folder = filepath.Dir(abs)
			}
			patterns, read = append(patterns, fmt.Sprintf("%q", abs)), append(read, folder)
		}
		if n := o.yinyang.sizeLimit; n > 0 {
			patterns = append(patterns, fmt.Sprintf("max_size = %d", n))
		}
		seeds = "corpus.files(" + strings.Join(patterns, ", ") + ")"
	}
	seeds += o.yinyang.trust()
	targets := "solver.installed()"
	turns := technique == everything || technique == oneOption || technique == asking
	if turns {
		if targets, err = o.ways(); err != nil {
			return "", nil, err
		}
	} else if len(o.solvers)+len(o.yinyang.solvers) > 0 {
		list := slices.Clone(o.yinyang.solvers)
		for _, s := range o.solvers {
			expr, err := command.SolverExpr(s)
			if err != nil {
				return "", nil, err
			}
			list = append(list, expr)
		}
		targets = "[" + strings.Join(list, ", ") + "]"
	}
	f := FunctionOf(technique)
	var b strings.Builder
	loaded := fmt.Sprintf("%q", f)
	if technique == everything {
		loaded = `"ORACLES", "everything", "references"`
	}
	fmt.Fprintf(&b, "\"\"\"%s from the command line.\"\"\"\n\nload(\"@std//%s.star\", %s)\n\n", technique, technique, loaded)
	stop := o.yinyang.stop(technique)
	if stop != "" {
		fmt.Fprintf(&b, "SEEDS = %s\n\n", seeds)
		seeds = "SEEDS"
	}
	fmt.Fprintf(&b, "campaign(\n    technique = %s(%s),\n", f, strings.Join(append(args, o.args...), ", "))
	fmt.Fprintf(&b, "    seeds = %s,\n    targets = %s,\n%s", seeds, targets, stop)
	if turns {
		b.WriteString("    take_turns = True,\n")
	}
	if technique == everything {
		b.WriteString("    references = references(),\n    oracles = ORACLES,\n")
	}
	b.WriteString(")\n")
	return b.String(), read, nil
}

// findSolvers returns an error if a solver of --solver is not on this machine. Workers would report this as well, but
// as an error in a generated campaign file that the user has not written.
func (o *fuzzOptions) findSolvers(ctx context.Context) error {
	for _, s := range o.solvers {
		n, err := command.SolverOfFlag(s)
		if err != nil {
			return err
		}
		if _, err := script.Supply().Named(ctx, n); err != nil {
			return fmt.Errorf("--solver %s: %w", s, err)
		}
	}
	return nil
}

// ways writes the expression for all ways to ask the solvers of --solver. One that is named with its mode or with
// arguments is one way.
func (o *fuzzOptions) ways() (string, error) {
	if len(o.solvers) == 0 {
		return "solver.products()", nil
	}
	var names, single []string
	for _, s := range o.solvers {
		expr, err := command.SolverExpr(s)
		if err != nil {
			return "", err
		}
		if n, err := command.SolverName(s); err == nil && n.Mode == "" && len(n.Args) == 0 {
			names = append(names, syntax.Quote(n.String(), false))
			continue
		}
		single = append(single, expr)
	}
	var parts []string
	if names != nil {
		parts = append(parts, "solver.products(["+strings.Join(names, ", ")+"])")
	}
	if single != nil {
		parts = append(parts, "["+strings.Join(single, ", ")+"]")
	}
	return strings.Join(parts, " + "), nil
}
