package proving

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/fusion"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	engine "github.com/smtlark/smtlark/engine/generate/fusion"
	"github.com/smtlark/smtlark/engine/generate/fusion/operator"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/proof"
	"github.com/smtlark/smtlark/solvers"
)

func init() {
	command.Register("fusion", newFusion)
}

const fusionAbout = `fusion check FILE... proves or refutes the inverses of the operators that the files define (fusion.operator): each is evaluated on
all values of small sorts, and on boundary and random ones of others; then solvers are asked for values where it is wrong. Operators
that pass are recorded, so that campaigns may use them; for the others the counterexample is shown. Without FILE the operators
of the library are checked.

fusion generate writes functions made from the library's operators, or from those of FILE: each z = f(inputs) with its inverses, as
blocks of YinYang's configuration, as scripts whose equations solvers can check, as formulas, as operators of a campaign file, or as
graphs for Graphviz.

Exit codes: 0 all operators passed, 10 some did not, 65 a file could not be loaded, 69 a solver is missing.`

// fusionOptions are the flags of both forms.
type fusionOptions struct {
	solvers []string
	timeout time.Duration
	values  int
	record  string
	verbose bool

	theories []string
	size     int
	leaves   int
	inputs   []string
	count    int
	format   string
	literal  float64
	seed     uint64
	out      string
}

func fusionFlags(fs *pflag.FlagSet) *fusionOptions {
	o := &fusionOptions{}
	command.SolverFlag(fs, &o.solvers, nil, "that check asks; may be repeated (default z3 and cvc5)")
	command.DurationFlag(fs, &o.timeout, "timeout", 5*time.Second, "check: `time` limit of a solver")
	fs.IntVar(&o.values, "values", proof.DefaultValues, "check: values or tuples on which each inverse is evaluated")
	fs.StringVar(&o.record, "record", "", "check: write the record of proven operators to `FILE` and not to the user's cache")
	fs.BoolVarP(&o.verbose, "verbose", "v", false, "check: a line for each inverse and choice of numbers")
	fs.StringArrayVar(&o.theories, "theory", nil, "generate: only operators of this `theory`, such as Int, BV, String; may be repeated")
	fs.IntVar(&o.size, "size", 10, "generate: number of nodes of z = f")
	fs.IntVar(&o.leaves, "leaves", 0, "generate: least number of leaves of f")
	fs.StringArrayVar(&o.inputs, "input", nil, "generate: `sort` of an input; may be repeated (default two of the theory's sort)")
	fs.IntVar(&o.count, "count", 10, "generate: number of functions")
	fs.StringVar(&o.format, "format", "yinyang", "generate: one of "+strings.Join(engine.Formats, ", "))
	fs.Float64Var(&o.literal, "literal", 0.5, "generate: probability that a constant is a literal and not a symbol")
	fs.Uint64Var(&o.seed, "seed", 1, "generate: `number` that seeds the random choices")
	fs.StringVarP(&o.out, "output", "o", "", "generate: write to `FILE`")
	return o
}

func newFusion(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "fusion check|generate [FILE...] [flags]",
		Short:   "check operators of fusion functions, generate functions",
		Long:    fusionAbout,
		GroupID: command.GroupScripts,
	}
	command.Words(c, "check", "generate")
	fs := c.Flags()
	o := fusionFlags(fs)
	command.UnsafeFlag(fs)
	command.Choices(c, "format", engine.Formats...)
	command.Does(c, func(ctx context.Context) int {
		if fs.NArg() == 0 {
			return e.UsageError("fusion", "want check or generate")
		}
		switch {
		case o.timeout <= 0 || o.values < 1:
			return e.UsageError("fusion", "times and numbers of values are positive")
		case o.size < 4 || o.size > 100000 || o.count < 1 || o.leaves < 0:
			return e.UsageError("fusion", "--size is at least 4 (z, =, an operator and a leaf) and at most 100000, --count at least 1")
		case !slices.Contains(engine.Formats, o.format):
			return e.UsageError("fusion", "there is no --format %s; want one of %s", o.format, strings.Join(engine.Formats, ", "))
		case o.literal < 0 || o.literal > 1:
			return e.UsageError("fusion", "--literal is a probability")
		}
		files := fs.Args()[1:]
		if len(files) == 0 {
			files = []string{"@std//fusion/table.star"}
		}
		switch fs.Arg(0) {
		case "check":
			return o.check(ctx, e, files)
		case "generate":
			return o.generate(ctx, e, files)
		}
		return e.UsageError("fusion", "there is no %q; want check or generate", fs.Arg(0))
	})
	return c
}

// operatorsOf runs files and returns the operators that they make, with a thread on which their functions can be
// called.
func operatorsOf(ctx context.Context, e *command.Env, files []string) ([]*fusion.OperatorValue, *starlark.Thread, error) {
	found := &fusion.OperatorCollector{}
	th, err := runDefinitions(ctx, e, files, "fusion", func(th *starlark.Thread) { fusion.CollectorKey.Set(th, found) })
	return found.Operators, th, err
}

func (o *fusionOptions) check(ctx context.Context, e *command.Env, files []string) int {
	ops, th, err := operatorsOf(ctx, e, files)
	if err != nil {
		return e.ScriptError(err)
	}
	if len(ops) == 0 {
		return e.Fail(command.ExitScript, "fusion", fmt.Errorf("%s: no operator is defined (fusion.operator)", strings.Join(files, ", ")))
	}
	if len(o.solvers) == 0 {
		o.solvers = []string{"z3", "cvc5"}
	}
	k := &proofCheck{o: o, e: e, th: th, prover: proof.Prover{Values: o.values}}
	for _, name := range o.solvers {
		t, err := command.TargetNamed(ctx, name, false, false, solvers.Limits{Wall: o.timeout})
		if err != nil {
			return e.Fail(command.ExitSolver, "fusion", err)
		}
		defer func() { _ = t.Close() }()
		k.prover.Solvers = append(k.prover.Solvers, solvers.Prover(t.Solver().Name, func(ctx context.Context, q *solvers.Query) (*solvers.Run, error) {
			return t.Run(ctx, q, solvers.Limits{}), nil
		}))
	}
	failed := 0
	var record []string
	for _, op := range ops {
		if ctx.Err() != nil {
			return e.Fail(command.ExitInternal, "fusion", ctx.Err())
		}
		line, ok := k.operator(ctx, op)
		fmt.Fprintln(e.Stdout, line)
		if !ok {
			failed++
			continue
		}
		// Only operators that passed are recorded, where campaigns look for them.
		key, err := op.Key(th)
		if err != nil {
			return e.Fail(command.ExitScript, "fusion", err)
		}
		record = append(record, key+" "+op.Op.Name)
	}
	fmt.Fprintf(e.Stdout, "%d operators passed, %d did not; %d inverses proven, %d evaluated exhaustively, %d undecided for large numbers\n",
		len(ops)-failed, failed, k.proven, k.exhaustive, k.undecided)
	if err := o.keep(record); err != nil {
		return e.Fail(command.ExitDisk, "fusion", err)
	}
	if failed > 0 {
		return command.ExitFindings
	}
	return command.ExitOK
}

// keep writes the record.
func (o *fusionOptions) keep(lines []string) error {
	if o.record == "" {
		_, err := operator.Proofs.Add(lines)
		return err
	}
	slices.Sort(lines)
	if err := os.WriteFile(o.record, []byte(strings.Join(slices.Compact(lines), "\n")+"\n"), 0o644); err != nil {
		return fmt.Errorf("writing the record: %w", err)
	}
	return nil
}

// proofCheck checks operators one after the other.
type proofCheck struct {
	o      *fusionOptions
	e      *command.Env
	th     *starlark.Thread
	prover proof.Prover

	proven, exhaustive, undecided int
}

// operator checks one operator and returns a line about it.
func (k *proofCheck) operator(ctx context.Context, op *fusion.OperatorValue) (string, bool) {
	name := fmt.Sprintf("%-18s %-32s", op.Op.Name, op.Op.Signature())
	rules, at, err := op.Op.Rules(k.th)
	if err != nil {
		return fmt.Sprintf("%s %s %v (%s)", name, command.Red("refused"), err, op.Where), false
	}
	proven, exhaustive, undecided, values := 0, 0, 0, 0
	var open []string
	hard := map[int]bool{} // inverses that were undecided for smaller numbers
	for i, r := range rules {
		obligations, err := r.Obligations(at[i])
		if err != nil {
			return fmt.Sprintf("%s %s %v (%s)", name, command.Red("refused"), err, op.Where), false
		}
		for _, x := range obligations {
			v, err := k.prover.Prove(ctx, &x.Claim, hard[x.Arg])
			if err != nil {
				return fmt.Sprintf("%s %s %v (%s)", name, command.Yellow("unproven"), err, op.Where), false
			}
			values += v.Values
			if k.o.verbose {
				fmt.Fprintf(k.e.Stdout, "  %s inverse %d, %s %s: %s\n", op.Op.Name, x.Arg+1, x.Sorts, r.Numbers, v.Said)
			}
			switch {
			case v.Refuted != "":
				return fmt.Sprintf("%s %s inverse %d for %s %s: %s (%s)", name, command.Red("refuted"), x.Arg+1, x.Sorts, r.Numbers, v.Refuted, op.Where), false
			case v.Proven:
				proven++
			case v.Exhaustive:
				exhaustive++
			case small(r.Numbers):
				open = append(open, fmt.Sprintf("inverse %d for %s %s: %s", x.Arg+1, x.Sorts, r.Numbers, v.Said))
			default:
				undecided++
				hard[x.Arg] = true
			}
		}
	}
	k.proven, k.exhaustive, k.undecided = k.proven+proven, k.exhaustive+exhaustive, k.undecided+undecided
	if len(open) > 0 {
		return fmt.Sprintf("%s %s %s (%s)", name, command.Yellow("unproven"), open[0], op.Where), false
	}
	return fmt.Sprintf("%s %s %d by solvers, %d by all values, %d undecided; %d values", name, command.Green("proven"), proven, exhaustive, undecided, values), true
}

// small reports whether all numbers of a rule are small, so that proofs of its inverses are required.
func small(numbers string) bool {
	for _, f := range strings.Fields(numbers) {
		if len(f) != 3 || f[2] > '4' {
			return false
		}
	}
	return true
}

func (o *fusionOptions) generate(ctx context.Context, e *command.Env, files []string) int {
	ops, th, err := operatorsOf(ctx, e, files)
	if err != nil {
		return e.ScriptError(err)
	}
	var chosen []*operator.Operator
	var theories []string
	for _, op := range ops {
		if !slices.Contains(theories, op.Op.Theory) {
			theories = append(theories, op.Op.Theory)
		}
		fits := len(o.theories) == 0 || slices.Contains(o.theories, op.Op.Theory)
		if fits && !(op.Op.Assumed && o.format != "smt2" && o.format != "infix" && o.format != "dot") {
			chosen = append(chosen, op.Op)
		}
	}
	if len(chosen) == 0 {
		return e.UsageError("fusion", "there are no operators of %s; the theories are: %s", strings.Join(o.theories, ", "), strings.Join(theories, ", "))
	}
	table, err := engine.NewTable(th, chosen)
	if err != nil {
		return e.ScriptError(err)
	}
	out := io.Writer(e.Stdout)
	if o.out != "" {
		f, err := os.Create(o.out)
		if err != nil {
			return e.Fail(command.ExitDisk, "fusion", err)
		}
		defer func() { _ = f.Close() }()
		out = f
	}
	if err := o.write(out, table, th); err != nil {
		return e.Fail(command.ExitScript, "fusion", err)
	}
	return command.ExitOK
}

// write generates and writes the functions.
func (o *fusionOptions) write(out io.Writer, table *engine.Table, th *starlark.Thread) error {
	a := smt.NewArena()
	inputs, err := o.inputTerms(a)
	if err != nil {
		return err
	}
	// The functions are written in parts; after an error, those made so far are written, too.
	text := bufio.NewWriter(out)
	if o.format == "star" {
		text.WriteString("\"\"\"Generated fusion functions as operators.\"\"\"\n\n")
	}
	err = o.writeFunctions(text, table, th, a, inputs)
	if failed := text.Flush(); failed != nil && err == nil {
		err = fmt.Errorf("writing functions: %w", failed)
	}
	return err
}

// writeFunctions generates and writes the functions of the inputs.
func (o *fusionOptions) writeFunctions(out *bufio.Writer, table *engine.Table, th *starlark.Thread, a *smt.Arena, inputs []smt.Term) error {
	var w engine.FunctionWriter
	var buf []byte
	mark := a.Mark()
	for i := range o.count {
		r := rng.New(o.seed).Split(uint64(i))
		env := &engine.Env{Arena: a, Rng: r, Make: th, Name: engine.Names(o.format), Literal: o.literal}
		if o.format == "yinyang" {
			env.MakePlain(inputs)
		}
		size := engine.Size{Nodes: o.size, Leaves: o.leaves}
		f, err := table.Generate(env, inputs, size)
		if errors.Is(err, engine.ErrNoFunction) && env.Result != 0 { // these operators give other sorts only
			env.Result = 0
			f, err = table.Generate(env, inputs, size)
		}
		if err != nil {
			return fmt.Errorf("function %d: %w", i+1, err)
		}
		if buf, err = w.Append(buf[:0], f, o.format, fmt.Sprintf("generated.f%d", i+1)); err != nil {
			return err
		}
		if _, err := out.Write(append(buf, '\n')); err != nil {
			return nil // Flush tells it
		}
		f.Free()
		a.Release(mark)
	}
	return nil
}

// inputTerms declares the inputs: x, y, or x1, x2, … where there are more.
func (o *fusionOptions) inputTerms(a *smt.Arena) ([]smt.Term, error) {
	sorts := o.inputs
	if len(sorts) == 0 {
		sort := "Int"
		if len(o.theories) > 0 {
			sort = map[string]string{"Real": "Real", "String": "String", "Bool": "Bool", "BV": "(_ BitVec 8)", "FP": "(_ FloatingPoint 8 24)",
				"Array": "(Array Int Int)", "Seq": "(Seq Int)"}[o.theories[0]]
		}
		if sort == "" {
			sort = "Int"
		}
		sorts = []string{sort, sort}
	}
	var out []smt.Term
	for i, text := range sorts {
		s, err := smtlib.ParseSort(a, nil, text)
		if err != nil {
			return nil, fmt.Errorf("--input %s: %w", text, err)
		}
		name := [...]string{"x", "y"}[i%2]
		if len(sorts) > 2 {
			name = fmt.Sprintf("x%d", i+1)
		}
		out = append(out, a.Const(a.Declare(name, nil, s)))
	}
	return out, nil
}
