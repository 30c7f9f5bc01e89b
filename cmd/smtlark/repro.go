package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/engine/campaign"
)

func init() {
	register(verb{Name: "repro", Summary: "replay a finding", Group: groupCampaigns, Run: runRepro})
}

const reproAbout = `Replays a finding in new processes and prints what its targets answer. FINDING is its folder, its repro.star, or its
number in the folder that --out names (flaky/N for one that did not reproduce).

Exit codes: 10 it reproduces, 0 it does not, 69 the solver is not there.`

func runRepro(ctx context.Context, e *env, args []string) int {
	fs := pflag.NewFlagSet("repro", pflag.ContinueOnError)
	times := fs.Int("times", 3, "how `often` to try")
	out := fs.String("out", ".", "`folder` with findings/")
	if code, done := e.parse(fs, "repro FINDING [flags]", reproAbout, args); done {
		return code
	}
	if fs.NArg() != 1 {
		return e.usageError("repro", "want one finding, got %d arguments", fs.NArg())
	}
	if *times < 1 {
		return e.usageError("repro", "--times wants at least 1")
	}
	file, err := findingFile(fs.Arg(0), *out)
	if err != nil {
		return e.usageError("repro", "%v", err)
	}
	o := &runOptions{workers: 1}
	cfg, err := o.config(file, campaign.Options{})
	if err != nil {
		return e.fail(exitInternal, "repro", err)
	}
	cfg.Print = func(_ campaign.Line, text string) { fmt.Fprintln(e.Stderr, text) }
	replays, err := campaign.Reproduce(ctx, cfg, *times)
	if err != nil {
		return campaignExit(e, "repro", nil, err)
	}
	hits := 0
	for i := range replays {
		r := &replays[i]
		hits += r.Reproduced
		fmt.Fprintf(e.Stdout, "%s: %s\n", r.Target, r.Want)
		w := tabwriter.NewWriter(e.Stdout, 0, 0, 2, ' ', 0)
		for j := range r.Runs {
			run := &r.Runs[j]
			fmt.Fprintf(w, "  %s\t%s\t%s\t%.2f s\n", printable(run.Target), run.Mode, printable(run.Outcome), run.Wall)
		}
		_ = w.Flush()
		fmt.Fprintf(e.Stdout, "reproduced %d of %d\n", r.Reproduced, r.Tries)
	}
	if hits > 0 {
		return exitFindings
	}
	return exitOK
}

var findingNumber = regexp.MustCompile(`^(flaky/)?0*(\d+)$`)

// findingFile finds the repro.star that an argument means.
func findingFile(arg, out string) (string, error) {
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
	m := findingNumber.FindStringSubmatch(arg)
	if m == nil {
		return "", fmt.Errorf("%s: no such file or folder, and no number of a finding", arg)
	}
	dir := filepath.Join(out, "findings", m[1])
	names, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf("%04s-*", m[2]), "repro.star"))
	switch {
	case err != nil:
		return "", err
	case len(names) == 0:
		return "", fmt.Errorf("there is no finding %s in %s; `smtlark findings %s` lists them", arg, dir, filepath.Join(out, "findings"))
	case len(names) > 1:
		return "", errors.New("several findings have that number: " + strings.Join(names, ", "))
	}
	return names[0], nil
}

// printable keeps control characters of solvers off the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}
