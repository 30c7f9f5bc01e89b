package proving

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/language/smt"
	engine "github.com/smtlark/smtlark/engine/semantics/law"
	"github.com/smtlark/smtlark/engine/semantics/proof"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
	"github.com/smtlark/smtlark/solvers"
	script "github.com/smtlark/smtlark/starlark"
)

func init() {
	command.Register("law", newLaw)
}

const lawAbout = `law check FILE... proves or refutes the laws that the files define (law): each is evaluated on all values of small sorts, and on
boundary and random ones of others; then solvers are asked for values where it is wrong, at several widths and formats. For a refuted law
the values of its parameters and of both sides are shown. A law passes if two solvers prove it, or one does and all
values of small sorts were tried, or it has a proof in words. Without FILE the library's laws are checked (docs/laws.md).

Proven laws of your own files are recorded in the user's cache folder, so that campaign files can use them (law).

law discover --theory THEORY searches for laws that the library lacks and that do not follow from it: it enumerates terms by size, evaluates
them on the same values, and proves that two terms with the same results are equal, as law check does. It prints them as a Starlark
file for law check, until the time is over or there are no more terms.

With --redundant nothing is proven: it lists laws that the other laws imply by simplifying (smtlark simplify).

Exit codes: 0 all laws passed or none is redundant, 10 some did not or are, 65 a file could not be loaded, 69 a solver is missing.`

// lawOptions are the flags.
type lawOptions struct {
	solvers  []string
	theories []string
	names    []string
	timeout  time.Duration
	values   int
	record   string
	derived  bool
	counted  bool
	out      string
	quiet    bool
	size     int
	duration time.Duration
}

func newLaw(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "law check [FILE...] [flags] | law discover --theory THEORY [flags]",
		Short:   "check laws about equal terms, or search for new ones",
		Long:    lawAbout,
		GroupID: command.GroupScripts,
	}
	command.Words(c, "check", "discover")
	fs := c.Flags()
	o := &lawOptions{}
	command.SolverFlag(fs, &o.solvers, nil, "may be repeated (default z3 and cvc5)")
	fs.StringArrayVar(&o.theories, "theory", nil, "only the laws of this `theory`, such as bv or str; may be repeated")
	fs.StringArrayVar(&o.names, "law", nil, "only the law of this `name`; may be repeated")
	command.DurationFlag(fs, &o.timeout, "timeout", 5*time.Second, "`time` limit of a solver")
	fs.IntVar(&o.values, "values", proof.DefaultValues, "greatest number of values or tuples on which each instance of a law is evaluated")
	fs.StringVar(&o.record, "record", "", "write the certificates of proven laws to files in `FOLDER`, one a theory")
	fs.BoolVar(&o.derived, "redundant", false, "list the laws that follow from the others by simplifying, and from which; prove nothing")
	fs.BoolVar(&o.counted, "operators", false, "list the operators of the table, and how many laws have each; prove nothing")
	fs.StringVar(&o.out, "out", ".", "`folder` for findings/ and runs/ about solvers that refute a confirmed law")
	fs.BoolVarP(&o.quiet, "quiet", "q", false, "print only the laws that do not pass, and the sum")
	fs.IntVar(&o.size, "size", 5, "law discover: greatest number of `operators`, variables and literals of a side")
	command.DurationFlag(fs, &o.duration, "for", 10*time.Minute, "law discover: `time` limit of the search")
	command.UnsafeFlag(fs)
	command.Does(c, func(ctx context.Context) int {
		if fs.NArg() == 0 || fs.Arg(0) != "check" && fs.Arg(0) != "discover" {
			return e.UsageError("law", "want law check or law discover")
		}
		if fs.Arg(0) == "discover" {
			return o.discover(ctx, e, fs)
		}
		if o.timeout <= 0 || o.values < 1 {
			return e.UsageError("law", "times and numbers of values are positive")
		}
		files := fs.Args()[1:]
		if len(files) == 0 {
			files = []string{"@std//laws/book.star"}
		}
		return o.check(ctx, e, files)
	})
	return c
}

// lawsOf runs files and returns the laws that they make, with a thread on which their functions can be called. A module
// that several files load makes its laws for each of them, and they count once; other laws of the same name are
// refused.
func lawsOf(ctx context.Context, e *command.Env, files []string) (laws []*engine.Law, th *starlark.Thread, err error) {
	all := &value.LawCollector{}
	places := map[string]bool{}
	for _, file := range files {
		found := &value.LawCollector{}
		if th, err = runDefinitions(ctx, e, []string{file}, "law", func(th *starlark.Thread) { value.CollectorKey.Set(th, found) }); err != nil {
			return nil, nil, err
		}
		for _, l := range found.Laws {
			if place := l.Name + " " + l.Where; !places[place] {
				places[place] = true
				if err := all.Add(l); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	return all.Laws, th, nil
}

// runDefinitions runs files for their definitions; collect makes the thread gather these. It returns a thread of a name
// on which functions of the files can be called.
func runDefinitions(ctx context.Context, e *command.Env, files []string, name string, collect func(*starlark.Thread)) (th *starlark.Thread, err error) {
	setup := func(kind script.ThreadKind, th *starlark.Thread) {
		script.Slots(kind, th)
		collect(th)
	}
	for _, file := range files {
		src, err := command.SourcesFor(file)
		if err != nil {
			return nil, err
		}
		in := script.New(src, script.InterpreterOptions{Setup: setup, Stuck: e.Stuck})
		if _, err := in.Exec(ctx, script.Test, file); err != nil {
			return nil, err
		}
		th = in.NewThread(script.Case, name).Starlark()
	}
	return th, nil
}

func (o *lawOptions) check(ctx context.Context, e *command.Env, files []string) int {
	laws, th, err := lawsOf(ctx, e, files)
	if err != nil {
		return e.ScriptError(err)
	}
	all := slices.Clone(laws)
	laws = slices.DeleteFunc(laws, func(l *engine.Law) bool {
		return len(o.theories) > 0 && !slices.ContainsFunc(o.theories, func(t string) bool { return strings.EqualFold(t, l.Theory) }) ||
			len(o.names) > 0 && !slices.Contains(o.names, l.Name)
	})
	if len(laws) == 0 {
		return e.Fail(command.ExitScript, "law", fmt.Errorf("%s: no such law is defined", strings.Join(files, ", ")))
	}
	if o.derived {
		return listDerived(e, th, all, laws)
	}
	if o.counted {
		return listOperators(e, th, laws)
	}
	prover, end, err := o.prover(ctx)
	defer end()
	if err != nil {
		return e.Fail(command.ExitSolver, "law", err)
	}
	failed := 0
	disputes := disputes{solvers: o.solverNames(), timeout: o.timeout, out: o.out}
	certificates := map[string][]string{}
	var passed []string // of files that are not the library's
	for _, l := range laws {
		if ctx.Err() != nil {
			return e.Fail(command.ExitInternal, "law", ctx.Err())
		}
		v, err := l.Examine(ctx, th, prover)
		if err == nil {
			disputes.add(l.Name, v.Disputes)
		}
		switch name := fmt.Sprintf("%-28s", l.Name); {
		case err != nil:
			failed++
			fmt.Fprintf(e.Stdout, "%s %s %v\n", name, command.Red("refused"), err)
		case v.Refuted != "":
			failed++
			fmt.Fprintf(e.Stdout, "%s %s %s: %s\n", name, command.Red("refuted"), l.Where, v.Refuted)
		case v.Open != "":
			failed++
			fmt.Fprintf(e.Stdout, "%s %s %s: %s\n", name, command.Yellow("unproven"), l.Where, v.Open)
		default:
			if !strings.HasPrefix(l.Where, "@std//") {
				passed = append(passed, v.Certificate.Key+" "+l.Name)
			}
			certificates[l.Theory] = append(certificates[l.Theory], v.Certificate.String())
			if !o.quiet {
				_, what, _ := strings.Cut(v.Certificate.String(), " | ")
				fmt.Fprintf(e.Stdout, "%s %s %s\n", name, command.Green("proven"), what)
			}
		}
	}
	fmt.Fprintf(e.Stdout, "%d laws passed, %d did not\n", len(laws)-failed, failed)
	if err := o.keep(certificates, passed); err != nil {
		return e.Fail(command.ExitDisk, "law", err)
	}
	if code := disputes.store(ctx, e); code != command.ExitOK {
		return code
	}
	if failed > 0 {
		return command.ExitFindings
	}
	return command.ExitOK
}

// keep writes the certificates, if asked to, and records the laws of the user's files where campaigns look for them.
func (o *lawOptions) keep(certificates map[string][]string, passed []string) error {
	if o.record != "" {
		if err := record(o.record, certificates); err != nil {
			return err
		}
	}
	if len(passed) == 0 {
		return nil
	}
	_, err := engine.Proofs.Add(passed)
	return err
}

// solverNames returns the names of the solvers that prove laws, as given in the command.
func (o *lawOptions) solverNames() []string {
	if len(o.solvers) == 0 {
		return []string{"z3", "cvc5"}
	}
	return o.solvers
}

// prover returns what proves laws; end stops its solvers.
func (o *lawOptions) prover(ctx context.Context) (p *proof.Prover, end func(), err error) {
	p = &proof.Prover{Values: o.values}
	var running []solvers.Target
	end = func() {
		for _, t := range running {
			_ = t.Close()
		}
	}
	for _, name := range o.solverNames() {
		t, err := command.TargetNamed(ctx, name, false, false, solvers.Limits{Wall: o.timeout})
		if err != nil {
			return nil, end, err
		}
		running = append(running, t)
		p.Solvers = append(p.Solvers, solvers.Prover(t.Solver().Name, func(ctx context.Context, q *solvers.Query) (*solvers.Run, error) {
			return t.Run(ctx, q, solvers.Limits{}), nil
		}))
	}
	return p, end, nil
}

// listDerived prints which of some laws follow from all others.
func listDerived(e *command.Env, th *starlark.Thread, all, laws []*engine.Law) int {
	rules, err := rewrite.Compile(th, all)
	if err != nil {
		return e.ScriptError(err)
	}
	n := 0
	for _, l := range laws {
		by, err := rules.Derive(l)
		if err != nil {
			return e.ScriptError(err)
		}
		if len(by) > 0 {
			n++
			fmt.Fprintf(e.Stdout, "%-28s %s %s: follows by %s\n", l.Name, command.Yellow("redundant"), l.Where, strings.Join(by, ", "))
		}
	}
	fmt.Fprintf(e.Stdout, "%d of %d laws follow from the others\n", n, len(laws))
	if n > 0 {
		return command.ExitFindings
	}
	return command.ExitOK
}

// operatorsOfTable lists the operators of the table that formulas may have; it leaves out those that occur only in
// models.
func operatorsOfTable() []*smt.OpInfo {
	return slices.DeleteFunc(smt.Ops(), func(i *smt.OpInfo) bool { return i.ModelOnly })
}

// countOperators returns in how many laws each operator occurs.
func countOperators(th *starlark.Thread, laws []*engine.Law) (map[smt.Op]int, error) {
	times := map[smt.Op]int{}
	for _, l := range laws {
		ops, err := l.Operators(th)
		if err != nil {
			return nil, err
		}
		for _, op := range ops {
			times[op]++
		}
	}
	return times, nil
}

// listOperators prints in how many laws each operator occurs, the rare ones first.
func listOperators(e *command.Env, th *starlark.Thread, laws []*engine.Law) int {
	times, err := countOperators(th, laws)
	if err != nil {
		return e.ScriptError(err)
	}
	ops := operatorsOfTable()
	slices.SortStableFunc(ops, func(x, y *smt.OpInfo) int { return times[x.Op] - times[y.Op] })
	none, three := 0, 0
	for _, i := range ops {
		switch n := times[i.Op]; {
		case n == 0:
			none++
		case n >= 3:
			three++
		}
		fmt.Fprintf(e.Stdout, "%5d %s %s\n", times[i.Op], i.Name, i.Theory)
	}
	fmt.Fprintf(e.Stdout, "%d operators, %d of them in three laws or more, %d in none\n", len(ops), three, none)
	return command.ExitOK
}

// record writes certificates to THEORY.txt, sorted by names, in place of older ones of laws of the same names.
func record(folder string, certificates map[string][]string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("writing certificates: %w", err)
	}
	for theory, lines := range certificates {
		file := filepath.Join(folder, theory+".txt")
		old, _ := os.ReadFile(file) // there may be none
		byName := map[string]string{}
		for _, line := range append(strings.Split(string(old), "\n"), lines...) {
			if f := strings.Fields(line); len(f) > 1 {
				byName[f[1]] = line
			}
		}
		var text bytes.Buffer
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			fmt.Fprintln(&text, byName[name])
		}
		if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
			return fmt.Errorf("writing certificates: %w", err)
		}
	}
	return nil
}
