package campaigns

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/campaign/growth"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/coverage"
)

func init() {
	command.Register("corpus", newCorpus)
}

const corpusAbout = `Works on folders of SMT-LIB files with a solver that was built with AFL++ (docs/coverage.md), which is run once on each file.

show prints how many edges the solver takes on each file, and how many of them on no file before it. Without --solver it shows a corpus
that has grown in a campaign: which cases became seeds, from which they were made, and how often they were chosen last.

min writes the smallest files to a new folder that together take all edges that all files take, counted in AFL's classes.

merge adds to the first folder the files of the others that take edges which those in the first do not: the smallest that do.

Files that the solver does not finish within --timeout, or on which it dies, are named and left out.`

type corpusOptions struct {
	solver  string
	out     string
	timeout time.Duration
}

func newCorpus(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "corpus show|min|merge FOLDER... [flags]",
		Short:   "look at seeds by the edges that a solver takes, and choose among them",
		Long:    corpusAbout,
		GroupID: command.GroupCampaigns,
	}
	command.Words(c, "show", "min", "merge")
	fs := c.Flags()
	var o corpusOptions
	command.SolverFlag(fs, &o.solver, "", "")
	fs.StringVar(&o.out, "out", "", "with min: the new `folder`")
	command.DurationFlag(fs, &o.timeout, "timeout", 10*time.Second, "`time` limit of one file")
	command.Does(c, func(ctx context.Context) int {
		what, folders := fs.Arg(0), fs.Args()
		if len(folders) > 0 {
			folders = folders[1:]
		}
		switch {
		case !slices.Contains([]string{"show", "min", "merge"}, what):
			return e.UsageError("corpus", "want show, min or merge, and a folder")
		case len(folders) == 0, what == "merge" && len(folders) < 2:
			return e.UsageError("corpus", "%s wants %s", what, map[bool]string{true: "the folder to add to, and one to add from", false: "a folder"}[what == "merge"])
		case (what == "min") != (o.out != ""):
			return e.UsageError("corpus", "min writes to the folder that --out names, and nothing else has --out")
		case what != "show" && o.solver == "":
			return e.UsageError("corpus", "%s needs --solver", what)
		}
		if what == "show" && o.solver == "" {
			if len(folders) > 1 {
				return e.UsageError("corpus", "show wants one corpus of a campaign, or --solver")
			}
			return showGrown(e, folders[0])
		}
		all := &measured{}
		for i, folder := range folders {
			files, err := smtFiles(e, folder)
			if err != nil {
				return e.UsageError("corpus", "%v", err)
			}
			all.files = append(all.files, files...)
			if i == 0 && what == "merge" {
				all.first = len(files)
			}
		}
		if err := o.measure(ctx, e, all); err != nil {
			return e.Fail(command.ExitSolver, "corpus", err)
		}
		switch what {
		case "show":
			all.show(e)
			return command.ExitOK
		case "min":
			return o.write(e, all, corpus.Cover(all.seeds, &coverage.Seen{}), o.out)
		}
		var known coverage.Seen
		for i := range all.first {
			known.Add(all.seeds[i].Edges)
		}
		return o.write(e, all, corpus.Cover(all.seeds, &known), folders[0])
	})
	return c
}

// smtFiles lists the SMT-LIB files in a folder and below, or the file itself.
func smtFiles(e *command.Env, folder string) ([]string, error) {
	if st, err := os.Stat(folder); err == nil && !st.IsDir() {
		return []string{folder}, nil
	}
	files, err := e.FilesBelow(folder)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no .smt2 files", folder)
	}
	return files, err
}

// measured has files with the edges that a solver takes on them; files on which it takes none are left out.
type measured struct {
	files []string
	first int // how many of them are in the folder that others are added to
	texts [][]byte
	seeds []corpus.Sized
	left  int // how many are left out
	of    int // edges of the solver
}

// measure runs the solver on each file.
func (o *corpusOptions) measure(ctx context.Context, e *command.Env, all *measured) error {
	t, err := command.TargetNamed(ctx, o.solver, false, false, solvers.Limits{Wall: o.timeout})
	if err != nil {
		return err
	}
	defer t.Close()
	c, ok := t.(solvers.Counter)
	if !ok {
		return fmt.Errorf("%s does not count its edges", t.Name())
	}
	if all.of, err = c.Counts(ctx); err != nil {
		return err
	}
	if all.of == 0 {
		return fmt.Errorf("%s does not count its edges: build it with afl-clang-fast of AFL++ (docs/coverage.md)", t.Name())
	}
	for _, file := range all.files {
		text, edges, err := takenBy(ctx, t, file)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			all.left++
			fmt.Fprintf(e.Stderr, "left out: %s: %s\n", display.Text(file), display.Line(err.Error()))
		}
		all.texts, all.seeds = append(all.texts, text), append(all.seeds, corpus.Sized{Size: len(text), Edges: edges})
	}
	return nil
}

// takenBy returns a file with the edges that a solver takes on it.
func takenBy(ctx context.Context, t solvers.Target, file string) ([]byte, []coverage.Edge, error) {
	text, err := system.ReadInput(file)
	if err != nil {
		return nil, nil, err
	}
	c, err := testcase.Parse(file, text)
	if err != nil {
		return text, nil, err
	}
	q := c.Query()
	q.Counts = true
	run := t.Run(ctx, q, solvers.Limits{})
	if run.Class != solvers.OK || run.Coverage == nil {
		return text, nil, fmt.Errorf("%s: %s", run.Class, run.Message)
	}
	return text, run.Coverage.All(), nil
}

// show prints how many edges each file takes.
func (m *measured) show(e *command.Env) {
	t := tabwriter.NewWriter(e.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "edges\tnew\tbytes\t  file\t")
	var known coverage.Seen
	for i, file := range m.files {
		before := known.Edges()
		known.Add(m.seeds[i].Edges)
		fmt.Fprintf(t, "%d\t%d\t%d\t  %s\t\n", len(m.seeds[i].Edges), known.Edges()-before, m.seeds[i].Size, display.Text(file))
	}
	t.Flush()
	fmt.Fprintf(e.Stdout, "%d files take %d of %d edges (%.1f %%)\n", len(m.files)-m.left, known.Edges(), m.of, 100*float64(known.Edges())/float64(m.of))
}

// write copies chosen files to a folder, under names that are free there.
func (o *corpusOptions) write(e *command.Env, m *measured, chosen []int, folder string) int {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return e.Fail(command.ExitDisk, "corpus", err)
	}
	var all coverage.Seen
	offered := 0
	for i := range m.seeds {
		all.Add(m.seeds[i].Edges)
		if i >= m.first && m.seeds[i].Edges != nil {
			offered++
		}
	}
	for _, i := range chosen {
		name, err := freeName(folder, filepath.Base(m.files[i]))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), m.texts[i], 0o644)
		}
		if err != nil {
			return e.Fail(command.ExitDisk, "corpus", err)
		}
	}
	fmt.Fprintf(e.Stdout, "%d of %d files written to %s, which now takes %d of %d edges\n", len(chosen), offered, display.Text(folder), all.Edges(), m.of)
	return command.ExitOK
}

// freeName returns the name, or a similar one, that no file in a folder has.
func freeName(folder, name string) (string, error) {
	stem := strings.TrimSuffix(name, ".smt2")
	for n := 1; ; n++ {
		_, err := os.Lstat(filepath.Join(folder, name))
		if errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		name = fmt.Sprintf("%s-%d.smt2", stem, n+1)
	}
}

// showGrown prints the description of a corpus that has grown in a campaign.
func showGrown(e *command.Env, folder string) int {
	g, err := growth.Read(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return e.UsageError("corpus", "%s is no corpus that has grown in a campaign: it has no %s; --solver shows the edges of any files", folder, growth.IndexFile)
	}
	if err != nil {
		return e.Fail(command.ExitDisk, "corpus", err)
	}
	t := tabwriter.NewWriter(e.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "case\tedges\tnew\tbytes\tchosen\t  made of\t")
	for _, s := range g.Seeds {
		of := "–"
		if len(s.Parents) > 0 {
			of = strings.Trim(fmt.Sprint(s.Parents), "[]")
		}
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%.2f %%\t  %s\t\n", s.Number, s.Edges, s.Fresh, s.Size, 100*s.Share, of)
	}
	t.Flush()
	for _, s := range g.Solvers {
		fmt.Fprintf(e.Stdout, "%s: %d of %d edges\n", display.Text(s.Name), s.Taken, s.Edges)
	}
	return command.ExitOK
}
