package results

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/results/store"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	"github.com/smtlark/smtlark/solvers"
)

func init() {
	command.Register("findings", newFindings)
}

const findingsAbout = `Findings of the folder that --out names. N is a number of the list; flaky/N is one that never reproduced.

  findings [list]               the most serious first: number, severity, status, how often each reproduced when it
                                was found and was seen, the sizes of the case and of its reduced form in bytes, and what
                                is wrong, as far as the terminal is wide; --all also shows duplicates and invalid ones
  findings show N               everything about one: what it is grouped by and why verdicts were counted as it, results of
                                all versions of the solver, its history
  findings set N STATUS         STATUS is open, fixed, fixed:VERSION, invalid (no bug) or dup:M
  findings set N upstream:URL   it was reported to its developers there, whatever its status is and becomes; upstream:
                                takes that back
  findings note N TEXT          add a line to its history
  findings merge M N [REASON]   N is the same as M: from now on verdicts like N are counted as M
  findings split M              undo the merges into M
  findings import SOURCE...     take in findings of another folder, or those of this one where the database is lost:
                                SOURCE is the folder of a finding or a folder of them (findings/). Each gets a new
                                number, those of this folder keep their own; what is known already stays as it is.
                                SOURCE may also be known reports: a file NAME.smt2, a folder or an archive NAME.zip of
                                them, or the https address of one. Each is asked once; what it shows is a known finding
                                from then on, which campaigns with the same --out count and do not report. Comments at
                                the beginning of a file say what it is about: the address of the report, as of findings
                                set N upstream:URL, and the solver, such as "z3 4.12.2"; (set-info :status) is the right
                                answer
  findings export               write the folders of all findings anew from the database
  findings export --regress DIR write the smallest case of each finding as a test, with the right answer where it is known: by how the
                                case was made, by the verdict, by a model, or since all other solvers say so. A test of cvc5 has
                                EXPECT lines, one of z3 x.expected.out, one of yices2 x.smt2.gold, and all have :status. --layout
                                cvc5, z3, bitwuzla or yices2 chooses; default: that of the solver that is wrong.
                                smtlark check DIR runs them

fixed and regressed are also set automatically: a campaign begins by checking the findings that its solvers can show.`

// findingsVerb is one of the words after "findings".
type findingsVerb struct {
	least, most int // arguments
	run         func(e *command.Env, o *FindingsOptions, args []string) int
}

type FindingsOptions struct {
	Out    string
	asJSON bool
	all    bool
	// Of export.
	regress, layout string
	// Of import.
	Solvers []string
	Workers int
	Timeout time.Duration
}

// ImportReports implements findings import. It runs a campaign, so package campaigns sets it.
var ImportReports func(ctx context.Context, e *command.Env, o *FindingsOptions, sources []string) int

var findingsVerbs = map[string]findingsVerb{
	"list":   {0, 0, listFindings},
	"show":   {1, 1, showFinding},
	"set":    {2, 2, setFinding},
	"note":   {2, 2, noteFinding},
	"merge":  {2, 3, mergeFindings},
	"split":  {1, 1, splitFinding},
	"export": {0, 0, exportFindings},
	"import": {1, 1, nil}, // see ImportReports
}

func newFindings(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "findings [list | show N | set N STATUS | note N TEXT | merge M N | split M | export | import SOURCE...] [flags]",
		Short:   "list findings and set their status",
		Long:    findingsAbout,
		GroupID: command.GroupCampaigns,
	}
	flags := c.Flags()
	o := &FindingsOptions{}
	flags.StringVar(&o.Out, "out", ".", "`folder` with smtlark.db and findings/")
	flags.BoolVar(&o.asJSON, "json", false, "print one JSON object a line: the content of each finding.json")
	flags.BoolVar(&o.all, "all", false, "also list duplicates and invalid findings")
	flags.StringVar(&o.regress, "regress", "", "export: write regression tests into this `folder`")
	flags.StringVar(&o.layout, "layout", "", "export --regress: the regression set that they are for, `name`")
	command.SolverFlag(flags, &o.Solvers, nil, "import: whom to ask; may be repeated; default: the one that a report names")
	flags.IntVarP(&o.Workers, "workers", "j", 0, "import: number of worker processes; default: one for each processor")
	command.DurationFlag(flags, &o.Timeout, "timeout", 0, "import: `time` limit of one run of a solver; default: 10s")
	command.Choices(c, "layout", "cvc5", "z3", "bitwuzla", "yices2")
	command.Arguments(c, func(args []string) []string { return nextFindingsWord(c, args) })
	command.Does(c, func(ctx context.Context) int {
		words := flags.Args()
		if len(words) == 0 {
			words = []string{"list"}
		}
		if words[0] == "import" && len(words) > 1 {
			return ImportReports(ctx, e, o, words[1:])
		}
		v, ok := findingsVerbs[words[0]]
		if !ok {
			return e.UsageError("findings", "%q is none of list, show, set, note, merge, split, export, import", words[0])
		}
		if n := len(words) - 1; n < v.least || n > v.most {
			return e.UsageError("findings", "%s: wrong number of arguments: %d", words[0], n)
		}
		return v.run(e, o, words[1:])
	})
	return c
}

// nextFindingsWord lists what may come after some arguments of findings.
func nextFindingsWord(c *cobra.Command, args []string) []string {
	switch {
	case len(args) == 0:
		return slices.Sorted(maps.Keys(findingsVerbs))
	case findingsVerbs[args[0]].least == 0 || args[0] == "import": // those take no number
		return nil
	case len(args) == 1 || len(args) == 2 && args[0] == "merge":
		return command.FindingNumbers(c)
	case len(args) == 2 && args[0] == "set":
		return folder.Statuses
	}
	return nil
}

// Failed reports an error of the store to the user of a verb.
func (o *FindingsOptions) Failed(e *command.Env, verb string, err error) int {
	switch {
	case errors.Is(err, store.ErrNoFinding):
		return e.UsageError(verb, "%v in %s; `%s findings --out %s` lists them", err, o.Out, e.Program(), folder.ShellWord(o.Out))
	case errors.Is(err, fs.ErrNotExist):
		return e.UsageError(verb, "no such folder: %s", o.Out)
	}
	return e.Fail(command.ExitDisk, verb, err)
}

// read opens the store for reading.
func (o *FindingsOptions) read(e *command.Env, f func(*store.Reader) int) int {
	r, err := store.OpenReader(o.Out)
	if err != nil {
		return o.Failed(e, "findings", err)
	}
	defer r.Close()
	return f(r)
}

// Change opens the store for writing; it does not create one.
func (o *FindingsOptions) Change(e *command.Env, f func(*store.Store) error) int {
	if r, err := store.OpenReader(o.Out); err != nil {
		return o.Failed(e, "findings", err)
	} else if err := r.Close(); err != nil {
		return o.Failed(e, "findings", err)
	}
	s, err := store.Open(o.Out)
	if err != nil {
		return o.Failed(e, "findings", err)
	}
	defer s.Close()
	if err := f(s); err != nil {
		var export *store.ExportError
		if errors.As(err, &export) || errors.Is(err, fs.ErrPermission) {
			return e.Fail(command.ExitDisk, "findings", err)
		}
		return e.UsageError("findings", "%v", err)
	}
	return tellUnread(e, "findings", s.Broken())
}

func listFindings(e *command.Env, o *FindingsOptions, _ []string) int {
	return o.read(e, func(r *store.Reader) (code int) {
		all, err := r.Findings()
		defer func() { code = max(code, tellUnread(e, "findings", r.Broken())) }()
		if err != nil {
			return o.Failed(e, "findings", err)
		}
		aside := 0
		if !o.all {
			before := len(all)
			all = slices.DeleteFunc(all, func(r *folder.Record) bool { return r.IsDismissed() })
			aside = before - len(all)
		}
		slices.SortStableFunc(all, func(a, b *folder.Record) int {
			return a.Rank().Compare(b.Rank())
		})
		if o.asJSON {
			enc := json.NewEncoder(display.JSONWriter(e.Stdout))
			for _, r := range all {
				if err := enc.Encode(r); err != nil {
					return e.Fail(command.ExitDisk, "findings", err)
				}
			}
			return command.ExitOK
		}
		if len(all) == 0 && aside == 0 {
			fmt.Fprintf(e.Stdout, "no findings in %s\n", o.Out)
			return command.ExitOK
		}
		if err := findingsTable(e.Stdout, all, e.Columns()); err != nil {
			return e.Fail(command.ExitDisk, "findings", err)
		}
		if aside > 0 {
			fmt.Fprintf(e.Stdout, "%d more are duplicates or no bugs: --all lists them\n", aside)
		}
		return command.ExitOK
	})
}

// findingColumns are those of the list of findings. The ones with the least keep go first where the terminal is narrow.
var findingColumns = []struct {
	name string
	keep int // 0: stays
	text func(r *folder.Record) string
}{
	{"number", 0, (*folder.Record).Name},
	{"severity", 0, func(r *folder.Record) string { return r.Severity.Short() }},
	{"status", 0, standing},
	{"reproduced", 3, func(r *folder.Record) string { return fmt.Sprintf("%d of %d", r.Hits, r.Tries) }},
	{"seen", 4, func(r *folder.Record) string { return fmt.Sprint(r.Count) }},
	{"bytes", 1, func(r *folder.Record) string { return fmt.Sprint(r.CaseBytes) }},
	{"reduced", 2, reducedBytes},
	{"what", 0, func(r *folder.Record) string { return cmp.Or(r.Title, r.Verdict.Summary) }},
}

// standing returns the status in one or two words; the address of a report is shown only by "findings show".
func standing(r *folder.Record) string {
	text := r.StatusWords()
	if r.Reported != "" {
		text += ", reported"
	}
	return text
}

// reducedBytes is the size of the reduced case.
func reducedBytes(r *folder.Record) string {
	if r.MinBytes == 0 {
		return "-"
	}
	return fmt.Sprint(r.MinBytes)
}

// leastTitle is the number of columns that a title has to have left: "z3 4.12.2: sat where unsat is right (QF_SLIA)".
const leastTitle = 50

// findingsTable lists findings in lines of at most width columns; 0 means any width.
func findingsTable(out io.Writer, all []*folder.Record, width int) error {
	columns := slices.Clone(findingColumns)
	for {
		var b strings.Builder
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for i, c := range columns {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, c.name)
		}
		fmt.Fprintln(w)
		for _, r := range all {
			for i, c := range columns {
				if i > 0 {
					fmt.Fprint(w, "\t")
				}
				fmt.Fprint(w, display.Line(c.text(r)))
			}
			fmt.Fprintln(w)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		head, _, _ := strings.Cut(b.String(), "\n")
		least := -1
		for i, c := range columns {
			if c.keep > 0 && (least < 0 || c.keep < columns[least].keep) {
				least = i
			}
		}
		if width > 0 && least >= 0 && display.Columns(head)-len("what")+leastTitle > width {
			columns = slices.Delete(columns, least, least+1)
			continue
		}
		for line := range strings.Lines(b.String()) {
			if _, err := fmt.Fprintln(out, display.Clip(strings.TrimSuffix(line, "\n"), width)); err != nil {
				return err
			}
		}
		return nil
	}
}

func showFinding(e *command.Env, o *FindingsOptions, args []string) int {
	return o.read(e, func(s *store.Reader) int {
		f, r, err := s.Finding(args[0])
		if err != nil {
			return o.Failed(e, "findings", err)
		}
		if o.asJSON {
			if err := json.NewEncoder(display.JSONWriter(e.Stdout)).Encode(r); err != nil {
				return e.Fail(command.ExitDisk, "findings", err)
			}
			return command.ExitOK
		}
		var b strings.Builder
		line := func(name, format string, args ...any) {
			// Solvers and files can put control characters of the terminal into any of these texts.
			fmt.Fprintf(&b, "%-11s %s\n", name, display.Line(fmt.Sprintf(format, args...)))
		}
		fmt.Fprintf(&b, "finding %s: %s\n", r.Name(), display.Line(r.Verdict.Summary))
		line("status", "%s", r.State())
		line("severity", "%s", r.Severity)
		if r.Configuration != "" {
			line("shows in", "configuration %s", r.Configuration)
		}
		if r.Component != "" {
			line("component", "%s", r.Component)
		}
		line("folder", "%s", r.Path)
		how := "in mode " + r.Mode + ", a process for each try"
		if r.Mode != string(solvers.Fresh) {
			how = "in the modes of the campaign, not in mode fresh"
		}
		if r.Hits == 0 {
			how = "by itself and after what came before it"
		}
		line("reproduced", "%d of %d times %s", r.Hits, r.Tries, how)
		line("seen", "%d times, first %s, last %s", r.Count, r.Found.Format(time.DateTime), r.LastSeen.Format(time.DateTime))
		if text := r.ModesText(); text != "" {
			line("modes", "%s", text)
		}
		if r.Needs != "" {
			line("options", "%s", r.Needs)
		}
		for _, sig := range r.Signatures {
			line("grouped by", "%s", sig)
		}
		if r.Signature.Skeleton != nil {
			line("shape", "%q, for oracle.pattern(shape = [...])", r.Signature.Skeleton)
		}
		for i, m := range r.Members {
			if i == 10 {
				line("", "... and more")
				break
			}
			line("counted", "case %d: %s", m.N, m.Reason)
		}
		for _, c := range r.Checks {
			did := "does not show it"
			if c.Hits > 0 {
				did = fmt.Sprintf("shows it %d of %d times", c.Hits, c.Tries)
			}
			line("version", "%s %s %s: %s (%s)", c.Kind, c.Version, did, c.Outcome, c.Time.Format(time.DateTime))
		}
		for _, h := range r.History {
			line("history", "%s %s: %s", h.Time.Format(time.DateTime), h.What, h.Text)
		}
		size := fmt.Sprintf("%d bytes", r.CaseBytes)
		if r.MinBytes > 0 {
			size += fmt.Sprintf(", reduced to %d", r.MinBytes)
		}
		line("case", "%s", size)
		line("replay", "%s repro %s%s", e.Program(), r.Name(), outFlag(o.Out))
		if f.Min != nil && len(f.Min.Script) <= 2000 {
			fmt.Fprintf(&b, "\n%s", f.Min.Script)
		}
		fmt.Fprint(e.Stdout, display.Text(b.String()))
		return command.ExitOK
	})
}

// outFlag is the flag that names a folder, "" for the working folder.
func outFlag(out string) string {
	if out == "." {
		return ""
	}
	return " --out " + folder.ShellWord(out)
}

func setFinding(e *command.Env, o *FindingsOptions, args []string) int {
	if address, ok := strings.CutPrefix(args[1], "upstream:"); ok {
		return o.Change(e, func(s *store.Store) error { return s.SetReported(args[0], address) })
	}
	status, detail, err := store.ParseStatus(args[1])
	if err != nil {
		return e.UsageError("findings", "%v", err)
	}
	return o.Change(e, func(s *store.Store) error { return s.Set(args[0], status, detail) })
}

func noteFinding(e *command.Env, o *FindingsOptions, args []string) int {
	return o.Change(e, func(s *store.Store) error { return s.Note(args[0], args[1]) })
}

func mergeFindings(e *command.Env, o *FindingsOptions, args []string) int {
	reason := ""
	if len(args) == 3 {
		reason = args[2]
	}
	return o.Change(e, func(s *store.Store) error { return s.Merge(args[0], args[1], reason) })
}

func splitFinding(e *command.Env, o *FindingsOptions, args []string) int {
	return o.Change(e, func(s *store.Store) error {
		parted, err := s.Split(args[0])
		if err == nil {
			fmt.Fprintf(e.Stdout, "their own again: %s\n", strings.Trim(fmt.Sprint(parted), "[]"))
		}
		return err
	})
}

func exportFindings(e *command.Env, o *FindingsOptions, _ []string) int {
	if o.layout != "" && (o.regress == "" || !slices.Contains(folder.Layouts, o.layout)) {
		return e.UsageError("findings", "--layout is one of %s, and goes with --regress", strings.Join(folder.Layouts, ", "))
	}
	if o.regress != "" {
		return o.read(e, func(r *store.Reader) int { return exportTests(e, o, r) })
	}
	return o.Change(e, func(s *store.Store) error {
		n, err := s.Export()
		if err == nil {
			fmt.Fprintf(e.Stdout, "%d findings written to %s\n", n, s.Findings())
		}
		return err
	})
}

// exportTests writes the findings that stand as regression tests.
func exportTests(e *command.Env, o *FindingsOptions, r *store.Reader) (code int) {
	all, err := r.Findings()
	defer func() { code = max(code, tellUnread(e, "findings", r.Broken())) }()
	if err != nil {
		return o.Failed(e, "findings", err)
	}
	tests, unknown, none := 0, 0, 0
	for _, rec := range all {
		if rec.Flaky || rec.IsDismissed() {
			continue
		}
		f, _, err := r.Finding(strconv.Itoa(rec.Number))
		if err != nil {
			return o.Failed(e, "findings", err)
		}
		layout := o.layout
		if layout == "" && len(rec.Plan.Targets) > 0 {
			layout = rec.Plan.Targets[0].Kind
		}
		test, err := folder.WriteRegression(o.regress, layout, f)
		switch {
		case err != nil:
			return e.Fail(command.ExitDisk, "findings", err)
		case test == nil:
			none++
		default:
			tests++
			if test.Unknown > 0 {
				unknown++
			}
		}
	}
	fmt.Fprintf(e.Stdout, "%d tests written to %s", tests, display.Line(o.regress))
	if unknown > 0 {
		fmt.Fprintf(e.Stdout, "; of %d nobody knows all right answers, so they say not what to print", unknown)
	}
	if none > 0 {
		fmt.Fprintf(e.Stdout, "; %d findings are of C interfaces, which no text shows", none)
	}
	fmt.Fprintln(e.Stdout)
	return command.ExitOK
}

// tellUnread reports what could not be read and was left out; the exit code is then exitDisk.
func tellUnread(e *command.Env, verb string, broken []error) (code int) {
	for _, err := range broken {
		code = e.Fail(command.ExitDisk, verb, errors.New(display.Text(err.Error())))
	}
	return code
}
