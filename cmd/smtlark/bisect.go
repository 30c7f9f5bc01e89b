package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/builtins/solver"
	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/store"
	"github.com/smtlark/smtlark/stdlib"
)

func init() {
	register(verb{Name: "bisect", Summary: "ask all versions of a solver about a finding", Group: groupCampaigns, Run: runBisect})
}

const bisectAbout = `Runs the reduced case of finding N on every installed version of the solver that is wrong, prints what each does, and between
which versions that changed. The answers are kept with the finding; where the newest version does not show it, its status
becomes "fixed in VERSION". --program adds builds that are not installed, such as those of a development branch.

Exit codes: 0, 10 when the newest version shows it, 69 when no version is there.`

// bisected is what one version did.
type bisected struct {
	version string
	shown   string // version, or the program
	info    campaign.ReplayInfo
	err     error
}

func runBisect(ctx context.Context, e *env, args []string) int {
	flags := pflag.NewFlagSet("bisect", pflag.ContinueOnError)
	out := flags.String("out", ".", "`folder` with smtlark.db and findings/")
	times := flags.Int("times", 3, "how `often` each version is asked")
	programs := flags.StringArray("program", nil, "another build of the solver, `path`; may be repeated")
	if code, done := e.parse(flags, "bisect N [flags]", bisectAbout, args); done {
		return code
	}
	if flags.NArg() != 1 || *times < 1 {
		return e.usageError("bisect", "want the number of one finding, and --times of at least 1")
	}
	o := &findingsOptions{out: *out}
	r, err := store.OpenReader(*out)
	if err != nil {
		return o.failed(e, err)
	}
	f, rec, err := r.Finding(flags.Arg(0))
	r.Close()
	if err != nil {
		return o.failed(e, err)
	}
	t, ok := store.WrongTarget(f)
	if !ok {
		return e.usageError("bisect", "finding %s blames no target", rec.Name())
	}
	versions, err := versionsOf(&t)
	if err != nil {
		return e.fail(exitInternal, "bisect", err)
	}
	var list []bisected
	for _, v := range versions {
		list = append(list, bisected{version: v, shown: v})
	}
	for i := range list {
		if err := ask(ctx, &list[i], f, store.ExprFor(f, &t, list[i].version, ""), *times); err != nil {
			return e.fail(exitUsage, "bisect", err)
		}
	}
	for _, p := range *programs {
		abs, err := filepath.Abs(p)
		if err != nil {
			return e.fail(exitUsage, "bisect", err)
		}
		b := bisected{shown: p}
		if err := ask(ctx, &b, f, store.ExprFor(f, &t, "", abs), *times); err != nil {
			return e.fail(exitUsage, "bisect", err)
		}
		list = append(list, b)
	}
	if len(list) == 0 {
		return e.fail(exitSolver, "bisect", fmt.Errorf("no version of %s is installed; `smtlark solvers` lists what is", t.Kind))
	}
	fmt.Fprintf(e.Stdout, "finding %s: %s\n", rec.Name(), printable(rec.Summary))
	if err := printBisect(e.Stdout, t.Kind, list); err != nil {
		return e.fail(exitDisk, "bisect", err)
	}
	return keepBisect(e, o, f, &t, list)
}

// versionsOf returns the installed versions of a target's solver, the oldest first. A solver with a profile of the campaign
// file is known by its path only.
func versionsOf(t *campaign.TargetInfo) ([]string, error) {
	found, err := solver.NewSupply(stdlib.FS()).Installed()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, s := range found {
		if s.Profile.Name == t.Kind && s.Unusable == "" {
			out = append(out, s.Version)
		}
	}
	if len(out) == 0 && t.Version != "" {
		out = append(out, t.Version)
	}
	slices.SortFunc(out, store.CompareVersions)
	return slices.Compact(out), nil
}

// ask asks one version. What is wrong with that version is part of the table; the error is that of the finding.
func ask(ctx context.Context, b *bisected, f *campaign.Finding, expr string, times int) error {
	text, err := store.Replay(f, expr)
	if err != nil {
		return err
	}
	cfg, err := (&runOptions{workers: 1}).config("bisect.star", campaign.Options{Text: text})
	if err != nil {
		return err
	}
	cfg.Print = func(campaign.Line, string) {}
	replays, err := campaign.Reproduce(ctx, cfg, times)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && len(replays) != 1 {
		err = errors.New("it gave no answer")
	}
	if b.err = err; err == nil {
		b.info = replays[0]
	}
	return nil
}

func printBisect(out io.Writer, kind string, list []bisected) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "solver\tversion\tshows it\tdid\tseconds")
	for i := range list {
		b := &list[i]
		switch {
		case b.err != nil:
			fmt.Fprintf(w, "%s\t%s\t?\t%s\t\n", kind, b.shown, printable(firstOf(b.err.Error())))
		case len(b.info.Runs) > 0:
			fmt.Fprintf(w, "%s\t%s\t%d of %d\t%s\t%.2f\n", kind, b.shown, b.info.Reproduced, b.info.Tries, printable(b.info.Runs[0].Outcome), b.info.Runs[0].Wall)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(out, boundary(list))
	return err
}

// firstOf returns the line of an error that says what it is: of a campaign file, the one behind the trace.
func firstOf(s string) string {
	if _, rest, ok := strings.Cut(s, "\nError: "); ok {
		s = rest
	}
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// boundary says between which installed versions the finding came and went. list is sorted by version.
func boundary(list []bisected) string {
	var known []*bisected
	for i := range list {
		if b := &list[i]; b.err == nil && b.version != "" && b.info.Tries > 0 {
			known = append(known, b)
		}
	}
	if len(known) == 0 {
		return ""
	}
	text, changes := "", 0
	for i := 1; i < len(known); i++ {
		was, is := known[i-1].info.Reproduced > 0, known[i].info.Reproduced > 0
		switch {
		case !was && is:
			changes++
			text += fmt.Sprintf("last good: %s, first bad: %s\n", known[i-1].version, known[i].version)
		case was && !is:
			changes++
			text += fmt.Sprintf("last bad: %s, fixed in: %s\n", known[i-1].version, known[i].version)
		}
	}
	if changes > 0 {
		return text
	}
	if known[0].info.Reproduced > 0 {
		return "every version that is installed shows it\n"
	}
	return "no version that is installed shows it\n"
}

// keepBisect stores what the installed versions did.
func keepBisect(e *env, o *findingsOptions, f *campaign.Finding, t *campaign.TargetInfo, list []bisected) int {
	var checks []campaign.Check
	newest := false
	for i := range list {
		if b := &list[i]; b.err == nil && b.version != "" && b.info.Tries > 0 && len(b.info.Runs) > 0 {
			checks = append(checks, campaign.Check{Kind: t.Kind, Version: b.version, Hits: b.info.Reproduced, Tries: b.info.Tries, Outcome: b.info.Runs[0].Outcome})
			newest = b.info.Reproduced > 0
		}
	}
	if f.Flaky || len(checks) == 0 {
		return exitOK
	}
	code := o.change(e, func(s *store.Store) error {
		text, err := s.Checked(f, checks)
		if text != "" {
			fmt.Fprintln(e.Stdout, printable(text))
		}
		return err
	})
	if code == exitOK && newest {
		return exitFindings
	}
	return code
}
