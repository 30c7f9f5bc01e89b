package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/engine/store"
)

func init() {
	register(verb{Name: "findings", Summary: "list findings", Group: groupCampaigns, Run: runFindings})
}

const findingsAbout = `Lists the findings in a folder, default findings: their number, how often they reproduced when they were found, how
often they were seen, the size of the case and of its reduced form in bytes, and what is wrong. Those that never
reproduced come last, as flaky/N.`

func runFindings(_ context.Context, e *env, args []string) int {
	flags := pflag.NewFlagSet("findings", pflag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print one JSON object a line: the content of each finding.json")
	if code, done := e.parse(flags, "findings [FOLDER] [flags]", findingsAbout, args); done {
		return code
	}
	if flags.NArg() > 1 {
		return e.usageError("findings", "want one folder, got %d arguments", flags.NArg())
	}
	dir := "findings"
	if flags.NArg() == 1 {
		dir = flags.Arg(0)
	}
	found, flaky, err := store.ListFolder(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if flags.NArg() == 1 {
			return e.usageError("findings", "no such folder: %s", dir)
		}
		found, flaky, err = nil, nil, nil
	}
	if err != nil {
		return e.fail(exitDisk, "findings", err)
	}
	all := append(found, flaky...)
	if *asJSON {
		enc := json.NewEncoder(e.Stdout)
		for _, r := range all {
			if err := enc.Encode(r); err != nil {
				return e.fail(exitDisk, "findings", err)
			}
		}
		return exitOK
	}
	if len(all) == 0 {
		fmt.Fprintf(e.Stdout, "no findings in %s\n", dir)
		return exitOK
	}
	w := tabwriter.NewWriter(e.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "number\treproduced\tseen\tbytes\treduced\twhat")
	for _, r := range all {
		number, reduced := fmt.Sprint(r.Number), "-"
		if r.Flaky {
			number = "flaky/" + number
		}
		if r.MinBytes > 0 {
			reduced = fmt.Sprint(r.MinBytes)
		}
		fmt.Fprintf(w, "%s\t%d of %d\t%d\t%d\t%s\t%s\n", number, r.Hits, r.Tries, r.Count, r.CaseBytes, reduced, printable(r.Summary))
	}
	if err := w.Flush(); err != nil {
		return e.fail(exitDisk, "findings", err)
	}
	return exitOK
}
