package campaigns

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/store"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	"github.com/smtlark/smtlark/solvers"
)

func init() {
	command.Register("repro", newRepro)
}

const reproAbout = `Replays a finding in new processes and prints what its targets answer. FINDING is its folder, its repro.star, or its
number in the folder that --out names (flaky/N for one that did not reproduce). A folder that was removed is written again
from smtlark.db. Solvers are also looked for in the .solvers beside or above the finding, and where its campaign had them.

"smtlark repro --all --solver z3=/new/build/z3" asks a build about all findings of solvers of its kind that are open or reported, a line for each:
"fixed", "still there", "other fault" (it fails otherwise), or "not told" (it does not take the case, or could not be asked), and what it did. Numbers of findings in
the place of --all restrict it to these. With two builds it names the findings in which they differ. Statuses stay as they are.

Exit codes: 10 it reproduces, or one of the builds has a fault, 0 it does not, 69 the solver is not there, 70 it could not be asked.`

// replayTimes is the default number of tries of a replay.
const replayTimes = 3

func newRepro(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "repro FINDING [flags] | repro --all|FINDING... --solver BUILD [flags]",
		Short:   "replay a finding",
		Long:    reproAbout,
		GroupID: command.GroupCampaigns,
	}
	fs := c.Flags()
	times := fs.Int("times", replayTimes, "how `often` to try")
	out := fs.String("out", ".", "`folder` with findings/")
	programs := fs.StringArray("program", nil, "another build of the solver that is wrong, `path`, or of one of several targets, TARGET=path; may be repeated")
	all := fs.Bool("all", false, "with --solver: all findings of --out that are open or reported")
	var builds []string
	command.SolverFlag(fs, &builds, nil, "may be repeated: builds that are asked about the findings, each by itself")
	command.SafetyFlags(fs)
	command.Arguments(c, func([]string) []string { return command.FindingNumbers(c) })
	command.Does(c, func(ctx context.Context) int {
		switch {
		case *times < 1:
			return e.UsageError("repro", "--times wants at least 1")
		case *all && len(builds) == 0:
			return e.UsageError("repro", "--all wants the build to ask: --solver z3=/new/build/z3")
		case *all && fs.NArg() > 0:
			return e.UsageError("repro", "--all takes all findings: leave out --all, or %s", strings.Join(fs.Args(), " "))
		case len(builds) > 0 && len(*programs) > 0:
			return e.UsageError("repro", "--solver names builds to ask, --program another program in one finding: want one of the two")
		case len(builds) > 0 && (*all || fs.NArg() > 0):
			return askBuilds(ctx, e, &buildQuestion{out: *out, findings: fs.Args(), builds: builds, times: *times})
		case fs.NArg() != 1:
			return e.UsageError("repro", "want one finding, got %d arguments", fs.NArg())
		}
		file, err := findingFile(e, fs.Arg(0), *out)
		if err != nil {
			return e.UsageError("repro", "%v", err)
		}
		return replay(ctx, e, "repro", file, *out, *programs, *times)
	})
	return c
}

// replay replays a finding, for the verb that was given its file. out is the folder whose solvers count.
func replay(ctx context.Context, e *command.Env, verb, file, out string, programs []string, times int) int {
	near := []string{out}
	if rec, err := folder.ReadRecord(filepath.Dir(file)); err == nil {
		near = nearOf(out, rec)
	}
	cfg, err := (&runOptions{workers: 1}).config(file, finding.Inputs{Near: near, Programs: programs})
	if err != nil {
		return e.Fail(command.ExitInternal, verb, err)
	}
	cfg.Print = func(_ coordinator.Line, text string) { e.Said(text) }
	replays, err := coordinator.Reproduce(ctx, cfg, times)
	if err != nil {
		e.NoteTrust(err, cfg.File, cfg.Options.Dir)
		return campaignExit(e, verb, nil, err)
	}
	hits := 0
	var unasked error
	for i := range replays {
		r := &replays[i]
		hits += r.Reproduced
		unasked = cmp.Or(unasked, notAsked(r.Runs))
		fmt.Fprintf(e.Stdout, "%s: %s\n", display.Line(r.Target), display.Line(r.Want))
		w := tabwriter.NewWriter(e.Stdout, 0, 0, 2, ' ', 0)
		for j := range r.Runs {
			run := &r.Runs[j]
			fmt.Fprintf(w, "  %s\t%s\t%s\t%.2f s\n", display.Line(run.Target), run.Mode, display.Line(run.Outcome), run.Wall)
		}
		_ = w.Flush()
		how := ""
		if r.AtOnce {
			how = ", with everything in one file, as repro.sh asks; piece by piece, as in a campaign, it does not show"
		}
		fmt.Fprintf(e.Stdout, "reproduced %d of %d%s\n", r.Reproduced, r.Tries, how)
		if r.Refuted != "" {
			fmt.Fprintf(e.Stdout, "it is no finding: %s\n", display.Line(r.Refuted))
		}
	}
	switch {
	case hits > 0:
		return command.ExitFindings
	case unasked != nil:
		return e.Fail(command.ExitInternal, verb, unasked)
	}
	return command.ExitOK
}

// notAsked says why runs do not tell anything about a finding, such as that a program did not start.
func notAsked(runs []finding.Run) error {
	for i := range runs {
		if r := &runs[i]; r.Class == solvers.StartFailure {
			return fmt.Errorf("%s could not be asked: %s", r.Target, cmp.Or(r.Message, r.Outcome))
		}
	}
	return nil
}

var findingNumber = pattern.Lazy(`^(flaky/)?0*(\d+)$`)

// findingFile finds the repro.star that an argument means.
func findingFile(e *command.Env, arg, out string) (string, error) {
	st, err := os.Stat(arg)
	switch {
	case err == nil && !st.IsDir():
		return arg, nil
	case err == nil:
		file := filepath.Join(arg, "repro.star")
		if _, err := os.Stat(file); err != nil {
			return "", fmt.Errorf("%s is no finding: it has no repro.star", arg)
		}
		return file, nil
	}
	m := findingNumber().FindStringSubmatch(arg)
	if m == nil { // perhaps the path of one that was removed
		clean := filepath.Clean(arg)
		if f := findingFolder().FindStringSubmatch(filepath.ToSlash(clean)); f != nil {
			root := filepath.FromSlash(f[1])
			if root == "" {
				root = "."
			}
			if file, err := storedFile(e, f[2]+f[3], root); err == nil {
				return file, nil
			}
		}
		return "", fmt.Errorf("%s: no such file or folder, and no number of a finding", arg)
	}
	return storedFile(e, m[1]+m[2], out)
}

// findingFolder matches the path of a finding's folder below that with the database.
var findingFolder = pattern.Lazy(`^(.*/)?findings/(flaky/)?0*(\d+)-[^/]*$`)

// storedFile returns the repro.star of the finding with a number, whose folder it writes again where it was removed.
func storedFile(e *command.Env, number, out string) (string, error) {
	r, err := store.OpenReader(out)
	if err != nil {
		return "", fmt.Errorf("no such folder: %s", out)
	}
	_, rec, err := r.Finding(number)
	r.Close()
	if err != nil {
		return "", fmt.Errorf("there is no finding %s in %s; `%s findings --out %s` lists them", number, out, e.Program(), folder.ShellWord(out))
	}
	file := filepath.Join(rec.Path, "repro.star")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	s, err := store.Open(out)
	if err != nil {
		return "", fmt.Errorf("the folder %s was removed, and cannot be written again: %w", rec.Path, err)
	}
	defer s.Close()
	dir, gone, err := s.Restore(number)
	if err != nil {
		return "", err
	}
	if gone {
		fmt.Fprintf(e.Stderr, "the folder %s was removed; written again from smtlark.db\n", display.Line(dir))
	}
	return filepath.Join(dir, "repro.star"), nil
}
