package results

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/results/report"
)

func init() {
	command.Register("report", newReport)
}

const reportAbout = `Writes a report about the findings and the latest run in FOLDER, which is what --out of "smtlark run" named (default: the
working folder), or about one run and its findings: runs/CAMPAIGN/TIME, or runs/CAMPAIGN/latest.

Formats: html is one page with plots that needs no other file and no network, md is Markdown, json is all data
(docs/schema/report.json), junit and sarif (2.1.0) are for build servers. docs/reports.md tells more.

--upstream writes a short Markdown list of open findings for the developers of each solver, the most serious
first; findings of one kind in one component of the solver are one entry. Findings are ranked by severity: wrong unsat,
then wrong sat, model or reply, crash in a default or safe configuration, crash under options, the rest.

The extension of --out gives the format: ` + extensions + `. Without --out the report goes to the standard
output. The exit code is 0, whatever the report contains, and 74 when it cannot be written.`

// formats are the formats of a report.
var formats = map[string]func(io.Writer, *report.Data) error{
	"html": report.HTML, "md": report.Markdown, "json": report.JSON, "junit": report.JUnit, "sarif": report.SARIF,
}

func FormatNames() []string {
	var names []string
	for n := range formats {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func newReport(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "report [FOLDER | RUN] [flags]",
		Short:   "write a report about a run or a folder of runs",
		Long:    reportAbout,
		GroupID: command.GroupCampaigns,
	}
	flags := c.Flags()
	format := flags.String("format", "", "`format`: "+strings.Join(FormatNames(), ", ")+"; default: that of the extension of --out, else md")
	out := flags.StringP("out", "o", "", "`file` to write; it is replaced")
	failOn := flags.String("fail-on", report.FailOnAny, "`which` findings are failed tests of JUnit: any, new (those that the last run has found) or none; others are skipped tests")
	upstream := flags.Bool("upstream", false, "write one list for the developers of each solver, the most serious first")
	command.Choices(c, "format", FormatNames()...)
	command.Choices(c, "fail-on", report.FailOns...)
	command.Does(c, func(_ context.Context) int {
		dir, err := FolderArg(flags, "")
		if err != nil {
			return e.UsageError("report", "%v", err)
		}
		if *format == "" {
			if *format = formatOf(*out); *format == "" {
				return e.UsageError("report", "--out %s: the end of its name stands for no format; give one of %s, or --format FORMAT (%s)", *out, extensions, strings.Join(FormatNames(), ", "))
			}
		}
		write := formats[*format]
		if *upstream {
			if *format != "md" {
				return e.UsageError("report", "--upstream writes Markdown only (--format md), not %s", *format)
			}
			write = report.Upstream
		}
		if write == nil {
			return e.UsageError("report", "--format %s: want one of %s", *format, strings.Join(FormatNames(), ", "))
		}
		if !slices.Contains(report.FailOns, *failOn) {
			return e.UsageError("report", "--fail-on %s: want %s", *failOn, strings.Join(report.FailOns, ", "))
		}
		if flags.Changed("fail-on") && *format != "junit" {
			return e.UsageError("report", "--fail-on is for --format junit")
		}
		d, code := loadReport(e, "report", dir)
		if d == nil {
			return code
		}
		d.FailOn = *failOn
		if *out == "" {
			if err := write(e.Stdout, d); err != nil {
				return e.Fail(command.ExitDisk, "report", err)
			}
			return code
		}
		// The whole report is made before the file is written: an error must not replace the last report by half of a
		// new one.
		var b bytes.Buffer
		if err := write(&b, d); err != nil {
			return e.Fail(command.ExitInternal, "report", err)
		}
		if err := os.WriteFile(*out, b.Bytes(), 0o644); err != nil {
			return e.Fail(command.ExitDisk, "report", fmt.Errorf("writing the report: %w", err))
		}
		return code
	})
	return c
}

// extensions are the ends of file names that stand for a format.
const extensions = ".html, .md, .json, .xml (JUnit), .sarif"

// formatOf guesses the format from the name of a file; "" is the standard output. It returns "" if the name says none.
func formatOf(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".html", ".htm":
		return "html"
	case ".json":
		return "json"
	case ".xml":
		return "junit"
	case ".sarif":
		return "sarif"
	case ".md", ".markdown":
		return "md"
	}
	if name == "" {
		return "md"
	}
	return ""
}

// FolderArg returns the folder that a command line names, or the working folder. out is the flag --out, where it names
// that folder.
func FolderArg(flags *pflag.FlagSet, out string) (string, error) {
	switch {
	case flags.NArg() > 1:
		return "", fmt.Errorf("want one folder, got %d arguments", flags.NArg())
	case flags.NArg() == 1 && out != "":
		return "", fmt.Errorf("want one folder, got %s and --out %s", flags.Arg(0), out)
	case flags.NArg() == 1:
		return flags.Arg(0), nil
	}
	return cmp.Or(out, "."), nil
}

// loadReport reads the data of a report; if this fails, it returns nil and an exit code.
func loadReport(e *command.Env, verb, dir string) (*report.Data, int) {
	d, err := report.Load(dir, "smtlark "+command.Version(), time.Now())
	switch {
	case errors.Is(err, fs.ErrNotExist) && !exists(dir):
		return nil, e.UsageError(verb, "no such folder: %s", dir)
	case errors.Is(err, report.ErrNothing):
		return nil, e.UsageError(verb, "%v: want the folder that --out of smtlark run named, or the folder of a run", err)
	case err != nil:
		return nil, e.Fail(command.ExitDisk, verb, err)
	}
	return d, tellUnread(e, verb, d.Unread)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
