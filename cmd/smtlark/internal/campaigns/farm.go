package campaigns

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/farm"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/solvers/trust"
)

func init() {
	command.Register("farm", newFarm)
}

const farmAbout = `Runs campaigns until ^C, over builds of solvers that change, such as those of each night. All have the folder --out in common, which "smtlark serve" shows.

--build VARIABLE=PATTERN sets a setting of the campaign files to the newest program that matches, by the time it was written (in quotes, so
that the shell leaves it alone); --build-command VARIABLE=COMMAND to the path on the last line that a command of sh prints, which may fetch or make
the build. A campaign file has it as setting("nightly", ""): solver("z3", path = setting("nightly", "")).

Each --look the farm looks for builds. Where there is a new one, the campaigns end as by ^C and begin again with it: they try what is known first, so that findings become
fixed, or regressed. Such a finding is bisected over the builds that are still there. A campaign that comes to its end begins again with other cases.

What comes behind -- are more arguments of "smtlark run", such as -j 4 or --cluster nats://a:4222 --credentials FILE.

Exit codes: 0 it was interrupted, 64 usage, 74 its folder cannot be used.`

func newFarm(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "farm FILE... --build VARIABLE=PATTERN [flags] [-- FLAGS OF RUN]",
		Short:   "run campaigns without end over builds that change",
		Long:    farmAbout,
		GroupID: command.GroupCampaigns,
	}
	fs := c.Flags()
	out := fs.String("out", ".", "`folder` for findings/, runs/ and farm.json, which has the builds that were seen")
	builds := fs.StringArray("build", nil, "`VARIABLE=PATTERN` of the paths of builds; may be repeated")
	commands := fs.StringArray("build-command", nil, "`VARIABLE=COMMAND` that names the newest build; may be repeated")
	var look, keep time.Duration
	command.DurationFlag(fs, &look, "look", time.Minute, "`time` between two looks for builds and findings")
	command.DurationFlag(fs, &keep, "keep-runs", 0, "remove what is kept of runs that are older than this `time`, but of the latest of each campaign; findings stay")
	size := fs.Int64("keep-size", 0, "remove the oldest runs where all have more than so many `MiB`")
	onFinding := fs.String("on-finding", "", onFindingHelp)
	command.SafetyFlags(fs)
	command.Does(c, func(ctx context.Context) int {
		files, more := fs.Args(), []string(nil)
		if at := fs.ArgsLenAtDash(); at >= 0 {
			files, more = files[:at], files[at:]
		}
		if len(files) == 0 {
			return e.UsageError("farm", "want one campaign file at least")
		}
		for _, file := range files {
			if _, err := os.Stat(file); err != nil && !strings.HasPrefix(file, "@std//") {
				return e.UsageError("farm", "no such campaign file: %s", file)
			}
		}
		if look <= 0 || keep < 0 || *size < 0 {
			return e.UsageError("farm", "--look wants more than 0, --keep-runs and --keep-size nothing below")
		}
		if *onFinding != "" {
			more = append(slices.Clip(more), "--on-finding", *onFinding)
		}
		cfg := farm.Spec{Files: files, Out: *out, Args: more, Look: look, Keep: farm.Retention{Runs: keep, Bytes: *size << 20}}
		for i, values := range [][]string{*builds, *commands} {
			for _, text := range values {
				variable, value, ok := strings.Cut(text, "=")
				if !ok || variable == "" || value == "" {
					return e.UsageError("farm", "--build wants VARIABLE=PATTERN and --build-command VARIABLE=COMMAND, got %q", text)
				}
				s := farm.Source{Variable: variable}
				if i == 0 {
					s.Pattern = value
				} else {
					s.Command = value
				}
				cfg.Sources = append(cfg.Sources, s)
			}
		}
		if len(cfg.Sources) == 0 {
			return e.UsageError("farm", "want --build or --build-command: without builds that change, \"smtlark run\" does it")
		}
		exe, err := os.Executable()
		if err != nil {
			return e.Fail(command.ExitInternal, "farm", err)
		}
		cfg.Program = []string{exe}
		cfg.Trust = trust.ForNow // whose patterns and commands the user has typed
		cfg.Print = func(text string) {
			fmt.Fprintf(e.Stdout, "%s %s\n", time.Now().Format(time.DateTime), display.Text(text))
		}
		if cfg.Out, err = filepath.Abs(*out); err == nil {
			err = farm.Run(ctx, cfg)
		}
		if err != nil {
			return e.Fail(command.ExitDisk, "farm", err)
		}
		return command.ExitOK
	})
	return c
}
