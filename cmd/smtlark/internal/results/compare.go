package results

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/results/report"
)

func init() {
	command.Register("compare", newCompare)
}

const compareAbout = `Compares two runs: cases and rates, answers of the targets, yields of techniques, and findings that only one of them has.
A run is runs/CAMPAIGN/TIME or runs/CAMPAIGN/latest; of a folder with runs the latest one is taken. Findings are the same
when their signatures are.

Exit codes: 0 when the second run has no finding that the first has not, 10 when it has, or when it is slower than
--slower allows.`

func newCompare(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "compare RUN RUN [flags]",
		Short:   "compare two runs",
		Long:    compareAbout,
		GroupID: command.GroupCampaigns,
	}
	flags := c.Flags()
	format := flags.String("format", "text", "`format`: text or json")
	slower := flags.Float64("slower", 0, "exit with 10 when the second run makes fewer cases per second by more than this `percentage`; 0: never")
	command.Choices(c, "format", "text", "json")
	command.Does(c, func(_ context.Context) int {
		switch {
		case flags.NArg() != 2:
			return e.UsageError("compare", "want two runs, got %d arguments", flags.NArg())
		case *format != "text" && *format != "json":
			return e.UsageError("compare", "--format %s: want text or json", *format)
		case *slower < 0:
			return e.UsageError("compare", "--slower is not negative")
		}
		var runs [2]*report.Data
		for i := range runs {
			code := command.ExitOK
			if runs[i], code = loadReport(e, "compare", flags.Arg(i)); runs[i] == nil {
				return code
			}
		}
		c, err := report.Compare(runs[0], runs[1])
		if err != nil {
			return e.UsageError("compare", "%v", err)
		}
		if *format == "json" {
			enc := json.NewEncoder(display.JSONWriter(e.Stdout))
			enc.SetIndent("", "  ")
			enc.SetEscapeHTML(false)
			err = enc.Encode(c)
		} else {
			err = c.Text(e.Stdout)
		}
		if err != nil {
			return e.Fail(command.ExitDisk, "compare", err)
		}
		// A new finding fails the comparison, too: CI has to stop for it.
		if tooSlow := *slower > 0 && 100*c.Slower > *slower; len(c.OnlyB) > 0 || tooSlow {
			if tooSlow {
				fmt.Fprintf(e.Stderr, "smtlark compare: the second run is %.1f %% slower\n", 100*c.Slower)
			}
			return command.ExitFindings
		}
		return command.ExitOK
	})
	return c
}
