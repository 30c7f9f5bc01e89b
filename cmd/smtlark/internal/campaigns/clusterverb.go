package campaigns

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/cluster"
	"github.com/smtlark/smtlark/engine/ground/display"
)

func init() {
	command.Register("cluster", newCluster)
}

const clusterAbout = `Shows the campaigns that run on a cluster (status) and the machines that work for them (workers). pause has a campaign make no new
cases, resume goes on, drain ends it as ^C does. CAMPAIGN is its name, or the name in the first column of status, or the beginning of that.

keys makes the keys of NATS servers of your own in a new folder: server.conf, which their configuration includes (deploy/nats.conf); route-ca.crt,
route.crt and route.key, which servers show each other, under the names of --host; coordinator.creds, with which "run --cluster nats://..." connects; and signing.key, with which it makes credentials for machines that may work for its campaign, and for no other.

The token is admin.token beside the worker.token of an embedded server.`

func newCluster(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "cluster keys FOLDER | status|workers|pause|resume|drain nats://HOST:PORT[,...] [CAMPAIGN] [flags]",
		Short:   "look at the campaigns of a cluster, pause and end them",
		Long:    clusterAbout,
		GroupID: command.GroupCampaigns,
	}
	fs := c.Flags()
	var flags accessOptions
	flags.flags(fs)
	flags.tokenFlag(fs, "`file` admin.token of an embedded server")
	hosts := fs.StringSlice("host", cluster.DeployedHosts, "keys: `names` or addresses of the servers, with commas between them")
	command.Does(c, func(ctx context.Context) int {
		if fs.Arg(0) == "keys" {
			return makeKeys(e, fs, *hosts)
		}
		verbs := map[string]int{"status": 2, "workers": 2, "pause": 3, "resume": 3, "drain": 3}
		what := fs.Arg(0)
		if n := verbs[what]; n == 0 || fs.NArg() != n {
			return e.UsageError("cluster", "want keys with a folder, status or workers with an address, or pause, resume or drain with an address and a campaign")
		}
		a, err := flags.access(fs.Arg(1))
		if err != nil {
			return e.UsageError("cluster", "%v", err)
		}
		conn, err := cluster.Connect(a, "smtlark cluster")
		if err != nil {
			return e.Fail(command.ExitSolver, "cluster", err)
		}
		defer conn.Conn.Close()
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		board, err := cluster.FindBoard(ctx, conn.Stream)
		if err != nil {
			return e.Fail(command.ExitSolver, "cluster", err)
		}
		running, err := board.Running(ctx)
		if err != nil {
			return e.Fail(command.ExitSolver, "cluster", err)
		}
		switch what {
		case "status":
			showCampaigns(e.Stdout, running)
			return command.ExitOK
		case "workers":
			showMachines(e.Stdout, running)
			return command.ExitOK
		}
		of, err := pick(running, fs.Arg(2))
		if err != nil {
			return e.UsageError("cluster", "%v", err)
		}
		if err := board.Want(ctx, of.Campaign, cluster.Control{Paused: what == "pause", Drain: what == "drain"}); err != nil {
			return e.Fail(command.ExitSolver, "cluster", err)
		}
		return command.ExitOK
	})
	return c
}

// pick finds a campaign by its name, or by the beginning of that in the cluster.
func pick(running []*cluster.Status, name string) (*cluster.Status, error) {
	var found []*cluster.Status
	for _, s := range running {
		if s.Name == name || strings.HasPrefix(string(s.Campaign), name) {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no campaign %q runs on the cluster", name)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("%d campaigns are called %q: use the name in the first column of smtlark cluster status", len(found), name)
}

func showCampaigns(w io.Writer, running []*cluster.Status) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "campaign\tname\tseed\tstate\tmachines\tworkers\tcases\tcases/s\tnew\tknown\twaiting\tfor\tcoordinator")
	for _, s := range running {
		workers := 0
		for _, m := range s.Members {
			workers += m.Slots
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%.1f\t%d\t%d\t%d\t%v\t%s\n", s.Campaign, display.Text(s.Name), s.Seed, s.State, len(s.Members), workers, s.Cases, s.Rate,
			s.New, s.Known, s.Waiting, (time.Duration(s.Elapsed) * time.Second), display.Text(s.Machine))
	}
	t.Flush()
}

func showMachines(w io.Writer, running []*cluster.Status) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "machine\tid\tworkers\tlabels\tcampaign\tstate")
	for _, s := range running {
		slices.SortFunc(s.Members, func(a, b cluster.Presence) int { return strings.Compare(a.Machine+a.Member, b.Machine+b.Member) })
		for _, m := range s.Members {
			state := "works"
			if m.Refused != "" {
				state = "cannot take part: " + m.Refused
			}
			fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\n", display.Text(m.Machine), m.Member, m.Slots, display.Text(strings.Join(m.Labels, ",")), display.Text(s.Name), display.Text(state))
		}
	}
	t.Flush()
}

// makeKeys makes the keys of servers.
func makeKeys(e *command.Env, fs *pflag.FlagSet, hosts []string) int {
	if fs.NArg() != 2 {
		return e.UsageError("cluster", "keys wants the folder that is to be made")
	}
	folder := fs.Arg(1)
	if err := cluster.MakeKeys(folder, hosts); err != nil {
		return e.Fail(command.ExitDisk, "cluster", err)
	}
	at := func(name string) string { return shellJoin(filepath.Join(folder, name)) }
	fmt.Fprintf(e.Stdout, "%s   for the servers: their configuration includes it\n%s   for the servers alone: it makes one of them\n%s   for coordinators: run FILE --cluster nats://... --credentials %s --signing-key %s\n",
		at(cluster.ServerKeys), at(cluster.RouteKey), at(cluster.CoordinatorFile), at(cluster.CoordinatorFile), at(cluster.SigningKeyFile))
	return command.ExitOK
}
