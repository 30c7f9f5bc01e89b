package campaigns

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/cluster"
	"github.com/smtlark/smtlark/engine/campaign/cluster/member"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/solvers/confine"
	"github.com/smtlark/smtlark/solvers/trust"
)

func init() {
	command.Register("join", newJoin)
}

const joinAbout = `Works for the campaign of another machine, which runs "smtlark run FILE --cluster" and prints the command to type here. The campaign
file, its modules and its seeds come from there; the solvers must be here, in the same builds, unless the coordinator sends them
(--ship-solvers): then they run confined, reading nothing of yours. A machine may join and leave at any time: what it had begun is done by others. ^C ends it after the running jobs, a second ^C at once.

With a token file it works for the one campaign that the token is for, and ends when that is over. With NATS servers of your own it
works for all campaigns there, in shares by their --priority, until ^C; one with nothing to do leaves its share to the others. See docs/cluster.md.

Exit codes: 0 it left or the campaign is over, 64 usage, 69 this machine cannot take part, 70 internal error.`

func newJoin(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "join nats://HOST:PORT[,...] [flags]",
		Short:   "work for the campaigns of a cluster",
		Long:    joinAbout,
		GroupID: command.GroupCampaigns,
	}
	fs := c.Flags()
	var flags accessOptions
	flags.flags(fs)
	flags.tokenFlag(fs, "`file` that the coordinator named")
	slots := fs.IntP("workers", "j", runtime.NumCPU(), "number of worker processes")
	labels := fs.StringArray("label", nil, "what the coordinator shows of this machine beside its name, and what campaigns with --only-label want; may be repeated")
	name := fs.String("name", "", "`name` of this machine; default: its host name")
	cache := fs.String("cache", "", "`folder` for the files of campaigns; default: in the user's cache folder")
	cacheSize := fs.Int("cache-size", member.DefaultCacheBytes>>30, "how many `GiB` that folder may have: what was used longest ago is removed")
	command.SafetyFlags(fs)
	command.Does(c, func(ctx context.Context) int {
		if fs.NArg() != 1 {
			return e.UsageError("join", "want the address of the cluster, such as nats://HOST:PORT; the coordinator prints it")
		}
		if *slots < 1 || *slots > 4096 {
			return e.UsageError("join", "-j wants 1 to 4096")
		}
		if *cacheSize < 1 || *cacheSize > 1<<20 {
			return e.UsageError("join", "--cache-size wants 1 to 1048576 (GiB)")
		}
		a, err := flags.access(fs.Arg(0))
		if err != nil {
			return e.UsageError("join", "%v", err)
		}
		if *name == "" {
			if *name, err = os.Hostname(); err != nil {
				return e.UsageError("join", "this machine does not know its name (%v): give --name", err)
			}
		}
		if *cache == "" {
			dir, err := os.UserCacheDir()
			if err != nil {
				return e.UsageError("join", "there is no folder for caches (%v): give --cache", err)
			}
			*cache = filepath.Join(dir, "smtlark", "cluster")
		}
		if *cache, err = filepath.Abs(*cache); err != nil {
			return e.Fail(command.ExitInternal, "join", err)
		}
		exe, err := os.Executable()
		if err != nil {
			return e.Fail(command.ExitInternal, "join", err)
		}
		conn, err := cluster.Connect(a, "smtlark worker "+*name)
		if err != nil {
			return e.Fail(command.ExitSolver, "join", err)
		}
		defer conn.Conn.Close()
		say := func(text string) {
			fmt.Fprintf(e.Stderr, "%s %s\n", time.Now().Format(time.TimeOnly), display.Text(text))
		}
		err = member.Run(ctx, member.Membership{
			Connection: conn, Command: []string{exe, "worker"}, Slots: *slots, Machine: *name, Labels: *labels, Cache: *cache, CacheBytes: int64(*cacheSize) << 30, Strangers: strangers(), Version: command.Version(), Print: say,
		})
		if err != nil {
			return e.Fail(command.ExitSolver, "join", err)
		}
		return command.ExitOK
	})
	return c
}

// strangers says why programs from other machines must not run here; "" if they may.
func strangers() string {
	if trust.Holds(string(filepath.Separator)) { // --trust
		return ""
	}
	return confine.ForStrangers()
}
