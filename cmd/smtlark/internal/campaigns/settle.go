package campaigns

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/results"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/report"
	"github.com/smtlark/smtlark/engine/results/store"
)

func init() {
	command.Register("settle", newSettle)
}

const settleAbout = `Confirms, reduces, groups and ranks what the campaigns of FOLDER (--out of their runs; this folder by default) have found and had no time
for, the most serious first. It makes no cases: the same command as before goes on with those.

Findings that are there are replayed first, as a campaign does that is started again: one that no longer reproduces becomes
"fixed in VERSION". What there is no time for waits for the next run.

Exit codes: 0 nothing was found, 10 findings, 11 only flaky or unsettled ones, and those of smtlark run.`

func newSettle(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "settle [FOLDER] [flags]",
		Short:   "confirm and reduce what campaigns left",
		Long:    settleAbout,
		GroupID: command.GroupCampaigns,
	}
	fs := c.Flags()
	o := &runOptions{settle: true, failOn: report.FailOnAny}
	fs.StringVar(&o.out, "out", "", "the same as FOLDER, as smtlark run names it")
	command.DurationFlag(fs, &o.stop.After, "for", 0, "stop after this `time`, such as 90s or 10m; default: when everything is settled")
	fs.IntVarP(&o.workers, "workers", "j", 0, "number of worker processes; default: one for each processor")
	fs.BoolVarP(&o.quiet, "quiet", "q", false, "show neither a status nor what campaign files print")
	fs.StringVar(&o.onFinding, "on-finding", "", onFindingHelp)
	command.SafetyFlags(fs)
	command.Does(c, func(ctx context.Context) int {
		out, err := results.FolderArg(fs, o.out)
		if err != nil {
			return e.UsageError("settle", "%v", err)
		}
		o.out = out
		switch {
		case o.stop.After < 0 || o.workers < 0 || fs.Changed("workers") && o.workers == 0:
			return e.UsageError("settle", "--for is not negative, and --workers wants at least 1")
		}
		left, err := campaignsOf(o.out)
		if err != nil {
			return e.UsageError("settle", "%v", err)
		}
		code, begun, limit := command.ExitOK, time.Now(), o.stop.After
		for i := range left {
			one := *o
			if limit > 0 { // for all of them
				if one.stop.After = limit - time.Since(begun); one.stop.After <= 0 {
					break
				}
			}
			switch got := one.settleRun(ctx, e, &left[i]); {
			case got == command.ExitOK:
			case code == command.ExitOK || got != command.ExitFlaky:
				code = got
			}
			if ctx.Err() != nil {
				break
			}
		}
		return code
	})
	return c
}

// settleRun settles the verdicts and findings that a campaign left unsettled.
func (o *runOptions) settleRun(ctx context.Context, e *command.Env, r *startedRun) int {
	o.seedValue, o.setValue, o.seed = r.Options.Seed, r.Options.Set, fmt.Sprintf("0x%x", r.Options.Seed)
	o.read, o.coverage = r.Options.Read, r.Options.Coverage
	o.leftVerdicts = r.left
	o.change.lines, o.change.root = r.Options.Change, r.Options.Root
	o.timeout, o.memory = r.Options.Limits.Wall, r.Options.Limits.Memory>>20
	for _, name := range slices.Sorted(maps.Keys(r.Options.Set)) {
		o.set = append(o.set, name+"="+r.Options.Set[name])
	}
	opts := finding.Inputs{Text: r.Options.Text, Command: r.Options.Command, Dir: r.Options.Dir}
	if opts.Text != "" || len(o.setValue) > 0 { // who wrote the log decides what runs
		var err error
		if opts.From, err = filepath.Abs(o.out); err != nil {
			return e.Fail(command.ExitInternal, "settle", err)
		}
	}
	return o.campaign(ctx, e, "settle", r.Plan.File, opts, shellJoin("smtlark", "run", r.Plan.File))
}

// startedRun is the entry of a run's log that describes its campaign.
type startedRun struct {
	Plan    struct{ File string } `json:"plan"`
	Options finding.Inputs        `json:"options"`
	begun   string                // name of the folder of the run, which is a time
	left    bool                  // the store holds verdicts of a campaign with its seed
}

// isSame reports whether two runs are of one campaign.
func (r *startedRun) isSame(o *startedRun) bool {
	return r.Plan.File == o.Plan.File && r.Options.Text == o.Options.Text && r.Options.Seed == o.Options.Seed && maps.Equal(r.Options.Set, o.Options.Set)
}

// campaignsOf returns the campaigns that have something to settle in a folder, the latest first; the latest of all is
// always among them, as it looks after findings whose campaign is gone.
func campaignsOf(out string) ([]startedRun, error) {
	in := os.DirFS(out)
	logs, err := fs.Glob(in, "runs/*/*/events.jsonl")
	if err != nil {
		return nil, err
	}
	var runs []startedRun
	for _, log := range logs {
		dir := filepath.Join(out, filepath.FromSlash(path.Dir(log)))
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() { // latest is a link
			continue
		}
		if r := readStart(in, log); r != nil {
			r.begun = filepath.Base(dir)
			runs = append(runs, *r)
		}
	}
	slices.SortStableFunc(runs, func(a, b startedRun) int { return strings.Compare(b.begun, a.begun) })
	if len(runs) == 0 {
		return nil, fmt.Errorf("%s has no runs of a campaign: give the folder that --out named", out)
	}
	db, err := store.OpenReader(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no findings", out)
	}
	if err != nil {
		return nil, err
	}
	defer db.Close()
	held, err := db.HeldSeeds()
	if err != nil {
		return nil, err
	}
	var left []startedRun
	for i := range runs {
		if slices.ContainsFunc(left, func(o startedRun) bool { return o.isSame(&runs[i]) }) || i > 0 && !held[runs[i].Options.Seed] {
			continue
		}
		runs[i].left = held[runs[i].Options.Seed]
		left = append(left, runs[i])
	}
	return left, nil
}

// readStart reads the first event of a run that says what its campaign is; nil where there is none.
func readStart(in fs.FS, log string) *startedRun {
	f, err := in.Open(log)
	if err != nil {
		return nil
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var e struct {
			Event string `json:"event"`
			startedRun
		}
		if json.Unmarshal(line, &e) == nil && e.Event == "start" && e.Plan.File != "" {
			return &e.startedRun
		}
	}
}
