package campaigns

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/cluster"
	"github.com/smtlark/smtlark/engine/campaign/cluster/broker"
	"github.com/smtlark/smtlark/engine/campaign/cluster/remote"
	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/starlark/host"
)

// clusterOptions are the flags of a campaign on a cluster.
type clusterOptions struct {
	address string // embedded, HOST:PORT, or the addresses of servers; "": there is no cluster
	accessOptions
	replicas int
	ship     bool   // the solvers
	signing  string // the file of a key that makes credentials for machines
	priority int
	labels   []string
	term     cluster.LeaderTerm
	taken    string // the argument that is its value
}

// accessOptions say what lets us in.
type accessOptions struct {
	credentials string
	authority   string
	tokenFile   string
}

func (a *accessOptions) flags(fs *pflag.FlagSet) {
	fs.StringVar(&a.credentials, "credentials", "", "`file` with credentials for NATS servers of your own")
	fs.StringVar(&a.authority, "tls-ca", "", "`file` with the certificate authorities of NATS servers of your own")
}

// tokenFlag adds the flag of the token of an embedded server, which the coordinator needs no file for.
func (a *accessOptions) tokenFlag(fs *pflag.FlagSet, usage string) {
	fs.StringVar(&a.tokenFile, "token-file", "", usage)
}

// access returns the credentials for the servers at some addresses.
func (a *accessOptions) access(addresses string) (*cluster.Access, error) {
	access := &cluster.Access{URLs: addresses, Credentials: a.credentials, Authority: a.authority}
	if a.tokenFile == "" {
		return access, nil
	}
	var err error
	if access.Token, err = cluster.ReadToken(a.tokenFile); err != nil {
		return nil, fmt.Errorf("--token-file: %w", err)
	}
	return access, nil
}

// embedded stands for a server that the coordinator starts on the loopback.
const embedded = "embedded"

func (o *clusterOptions) flags(fs *pflag.FlagSet) {
	fs.StringVar(&o.address, "cluster", "", "have machines do the work that join: alone, a NATS server is started on the loopback; HOST:PORT starts it there; `nats://HOST:PORT,...` takes servers of your own")
	fs.Lookup("cluster").NoOptDefVal = embedded
	o.accessOptions.flags(fs)
	fs.BoolVar(&o.ship, "ship-solvers", false, "with --cluster: send the solvers to the machines that join, which need none then; they run confined there (see smtlark help trust)")
	fs.StringVar(&o.signing, "signing-key", "", "`file` of the key that makes credentials for machines that may work for this campaign, and for no other; see smtlark help cluster")
	fs.IntVar(&o.priority, "priority", 1, "with --cluster: the weight of the campaign where machines work for several, 1 to 100")
	fs.StringArrayVar(&o.labels, "only-label", nil, "with --cluster: only machines that have joined with this `label` work for the campaign; may be repeated, for machines with all of them")
	fs.IntVar(&o.replicas, "replicas", 0, "with --cluster nats://...: on how many servers streams are kept; default: 3 where three addresses are given, else 1")
}

// isAddress reports whether an argument can only be the address of servers: --cluster takes its value with a blank
// before it, too.
func isAddress(arg string) bool {
	if strings.HasPrefix(arg, "nats://") || strings.HasPrefix(arg, "tls://") {
		return true
	}
	_, port, ok := strings.Cut(arg, ":")
	_, err := strconv.ParseUint(port, 10, 16)
	return ok && err == nil
}

// arguments returns the arguments that are left when --cluster has taken its value.
func (o *clusterOptions) arguments(fs *pflag.FlagSet) []string {
	args := slices.Clone(fs.Args())
	i := -1
	if o.taken != "" {
		i = slices.Index(args, o.taken)
	}
	if o.address == embedded {
		i = slices.IndexFunc(args, isAddress)
	}
	if i < 0 {
		return args
	}
	o.address, o.taken = args[i], args[i]
	return slices.Delete(args, i, i+1)
}

func (o *clusterOptions) isExternal() bool { return strings.Contains(o.address, "://") }

func (o *clusterOptions) validate(fs *pflag.FlagSet) error {
	o.arguments(fs)
	switch external := o.isExternal(); {
	case o.ship && o.address == "":
		return errors.New("--ship-solvers sends solvers to machines that join: give --cluster as well")
	case !external && (o.credentials != "" || o.authority != "" || o.signing != "" || o.replicas != 0):
		return errors.New("--credentials, --signing-key, --tls-ca and --replicas are for servers of your own: give --cluster nats://HOST:PORT")
	case o.address == "" && (o.priority != 1 || len(o.labels) > 0):
		return errors.New("--priority and --only-label are about machines that join: give --cluster as well")
	case o.priority < 1 || o.priority > 100:
		return errors.New("--priority wants 1 to 100")
	case o.replicas < 0 || o.replicas > 5:
		return errors.New("--replicas wants 1 to 5")
	case external && o.replicas == 0:
		if o.replicas = 1; strings.Count(o.address, ",") >= 2 {
			o.replicas = 3
		}
	}
	return nil
}

// run runs a campaign on a cluster.
func (o *clusterOptions) run(ctx context.Context, cfg *coordinator.Config, out string) (st *metrics.Stats, err error) {
	cfg.Ship = o.ship
	loaded, err := coordinator.Inspect(ctx, *cfg)
	if err != nil {
		return nil, err
	}
	name, err := campaignName(cfg)
	if err != nil {
		return nil, &campaign.LoadError{Fault: campaign.FaultDisk, Err: err}
	}
	say := func(text string) { cfg.Print(coordinator.LineDetail, text) }
	access, err := o.access(o.address)
	if err != nil {
		return nil, &campaign.LoadError{Fault: campaign.FaultUsage, Err: err}
	}
	if !o.isExternal() {
		address := o.address
		if address == embedded {
			address = ""
		}
		folder, err := filepath.Abs(filepath.Join(out, "cluster", string(name)))
		if err != nil {
			return nil, err
		}
		server, err := broker.Start(folder, address, name)
		if err != nil {
			return nil, &campaign.LoadError{Fault: campaign.FaultUsage, Err: err}
		}
		defer server.Stop()
		access = server.Access()
		say("other machines join with: " + shellJoin("smtlark", "join", server.URL(), "--token-file", server.TokenFile))
	} else {
		line := shellJoin("smtlark", "join", cluster.WithoutSecrets(o.address))
		switch {
		case o.signing != "":
			file, err := o.workerCredentials(name, out)
			if err != nil {
				return nil, &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("--signing-key: %w", err)}
			}
			line += " --credentials " + shellJoin(file)
		case o.credentials != "":
			line += " --credentials FILE"
		}
		if o.authority != "" {
			line += " --tls-ca FILE"
		}
		say("other machines join with: " + line)
	}
	conn, err := cluster.Connect(access, "smtlark coordinator "+string(name))
	if err != nil {
		return nil, &campaign.LoadError{Fault: campaign.FaultUsage, Err: o.tryAgain(ctx, err, say)}
	}
	defer conn.Conn.Close()
	plan, err := clusterPlan(cfg, loaded, name)
	if err != nil {
		return nil, &campaign.LoadError{Fault: campaign.FaultDisk, Err: err}
	}
	if o.ship {
		if err := shipSolvers(plan, loaded, say); err != nil {
			return nil, &campaign.LoadError{Fault: campaign.FaultUsage, Err: err}
		}
	}
	ctx, drain := context.WithCancel(ctx)
	defer drain()
	plan.Term, plan.Priority, plan.Labels = o.term, o.priority, o.labels
	plan.Print, plan.Replicas, plan.Drain = say, max(1, o.replicas), drain
	plan.Embedded = !o.isExternal()
	plan.Machine, _ = os.Hostname() // for people
	workers, err := remote.Open(ctx, conn, plan)
	if err != nil {
		return nil, &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("the cluster at %s: %w", cluster.WithoutSecrets(access.URLs), o.tryAgain(ctx, err, say))}
	}
	cfg.Remote, cfg.Loaded = workers, loaded
	publish := cfg.Publish
	cfg.Publish = func(s *metrics.Stats) {
		workers.Report(s)
		publish(s)
	}
	st, err = coordinator.Run(ctx, *cfg)
	if n := workers.Counts().Again; n > 0 {
		say(fmt.Sprintf("%d results came when their job was done already, and did not count", n))
	}
	ending, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if closed := workers.Close(ending); closed != nil {
		cfg.Print(coordinator.LineWarning, "what the campaign has in the cluster could not be removed: "+closed.Error())
	}
	return st, err
}

// credentialTime is the life of credentials of machines. Each start of the coordinator makes new ones.
const credentialTime = 365 * 24 * time.Hour

// workerCredentials writes credentials for machines that may work for the campaign.
func (o *clusterOptions) workerCredentials(name cluster.Campaign, out string) (string, error) {
	text, err := cluster.WorkerCredentials(o.signing, name, time.Now().Add(credentialTime))
	if err != nil {
		return "", err
	}
	folder, err := filepath.Abs(filepath.Join(out, "cluster", string(name)))
	if err == nil {
		err = os.MkdirAll(folder, 0o700)
	}
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "worker.creds")
	return file, os.WriteFile(file, text, 0o600)
}

// shipSolvers has the solvers sent with a campaign: those of its targets, and of the others as many as there is room
// for.
func shipSolvers(plan *remote.ClusterPlan, loaded *wire.Loaded, say func(string)) error {
	needed := map[string]bool{}
	for i := range loaded.Plan.Targets {
		needed[loaded.Plan.Targets[i].Solver] = true
	}
	seen, total := map[string]bool{}, int64(0)
	var left []string
	for _, s := range loaded.Solvers {
		more := int64(0)
		for i := range s.Files {
			if !seen[s.Files[i].SHA256] {
				more += s.Files[i].Bytes
			}
		}
		if total+more > cluster.MaxSolverBytes {
			if needed[s.Name] {
				return fmt.Errorf("--ship-solvers: the solvers of the campaign have more than %d MiB, %s among them: install them on the machines that join, or have fewer targets", cluster.MaxSolverBytes>>20, s.Name)
			}
			left = append(left, s.Name)
			continue
		}
		total += more
		for i := range s.Files {
			seen[s.Files[i].SHA256] = true
		}
		plan.Manifest.Solvers, plan.SolverPaths = append(plan.Manifest.Solvers, s.Parcel), append(plan.SolverPaths, s.Paths)
	}
	say(fmt.Sprintf("%d solvers (%d MiB) are sent to the machines that join", len(plan.Manifest.Solvers), total>>20))
	if len(left) > 0 {
		say(fmt.Sprintf("not sent, for want of room: %s; findings are not tried with them", strings.Join(left, ", ")))
	}
	return nil
}

// lead waits, on servers of the user, until no other coordinator runs the campaign; nil where nobody else can: without
// a seed of the user. When the lease is lost, this process starts again as one that waits, and drops all its work.
func (o *clusterOptions) lead(ctx context.Context, cfg *coordinator.Config, seeded, fresh bool, say func(string)) (*cluster.Lease, error) {
	if !o.isExternal() || !seeded {
		return nil, nil
	}
	name, err := campaignName(cfg)
	if err != nil {
		return nil, &campaign.LoadError{Fault: campaign.FaultDisk, Err: err}
	}
	access, err := o.access(o.address)
	if err != nil {
		return nil, &campaign.LoadError{Fault: campaign.FaultUsage, Err: err}
	}
	conn, err := cluster.Connect(access, "smtlark lease "+string(name))
	if err != nil {
		return nil, &campaign.LoadError{Fault: campaign.FaultUsage, Err: o.tryAgain(ctx, err, say)}
	}
	machine, _ := os.Hostname() // for people
	lease, err := cluster.Lead(ctx, conn.Stream, name, fmt.Sprintf("%s, process %d", machine, os.Getpid()), max(1, o.replicas), func(who string) {
		say("another coordinator runs this campaign (" + who + "); this one takes over when that is gone")
	})
	if err != nil {
		conn.Conn.Close()
		return nil, o.tryAgain(ctx, err, say)
	}
	context.AfterFunc(lease.Leading, func() { // the connection ends with the process
		if !errors.Is(context.Cause(lease.Leading), cluster.ErrLost) {
			return
		}
		say(cluster.ErrLost.Error() + ". What this one was doing ends now; what it had found is in the store")
		if !fresh { // it would forget what has been done
			say("waiting for the cluster")
			say(beginAnew(toldWaiting).Error())
		}
		os.Exit(command.ExitSolver)
	})
	o.term = lease.LeaderTerm
	return lease, nil
}

// anewEnv is set where a coordinator has led before, and begins anew as one that waits: to what people were told.
const (
	anewEnv     = "SMTLARK_BEGUN_ANEW"
	toldWaiting = "waits for the cluster"
	toldWhy     = "waits for the cluster, and why"
)

// beginAnew restarts this process. It returns an error if this is not possible.
func beginAnew(told string) error {
	err := os.Setenv(anewEnv, told)
	if err == nil {
		err = system.Replace()
	}
	return fmt.Errorf("this process cannot begin anew: %w", err)
}

// tryAgain begins anew where a coordinator that has led before does not reach its cluster: that was there, and comes
// back. The first time it is an error, since the address may be wrong.
func (o *clusterOptions) tryAgain(ctx context.Context, err error, say func(string)) error {
	if os.Getenv(anewEnv) == "" || !o.isExternal() || !cluster.IsUnanswered(err) {
		return err
	}
	select {
	case <-ctx.Done():
		return err
	case <-time.After(time.Second):
	}
	if os.Getenv(anewEnv) != toldWhy {
		say(err.Error() + "; waiting for it")
	}
	return errors.Join(err, beginAnew(toldWhy))
}

// endTime bounds how long the coordinator waits until machines know that the campaign is over.
const endTime = 10 * time.Second

// campaignName returns the name of a campaign in a cluster: the same for the same command over the same files.
func campaignName(cfg *coordinator.Config) (cluster.Campaign, error) {
	modules, err := host.Loads(cfg.File, cfg.Options)
	if err != nil {
		return "", err
	}
	parts := []string{filepath.Base(cfg.File), cfg.Options.Text, fmt.Sprint(cfg.Options.Seed)}
	for _, name := range slices.Sorted(maps.Keys(cfg.Options.Set)) {
		parts = append(parts, name, cfg.Options.Set[name])
	}
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		parts = append(parts, name, string(modules[name]))
	}
	return cluster.NameOf(parts...), nil
}

// clusterPlan returns the data that machines need to work for a campaign.
func clusterPlan(cfg *coordinator.Config, loaded *wire.Loaded, name cluster.Campaign) (*remote.ClusterPlan, error) {
	root, err := host.Root(cfg.File, &cfg.Options)
	if err != nil {
		return nil, err
	}
	file := cfg.File
	if cfg.Options.Text == "" && !strings.HasPrefix(file, "@std//") {
		if file, err = filepath.Abs(file); err != nil {
			return nil, err
		}
	}
	paths := slices.Clone(loaded.Files)
	if loaded.Sources != nil {
		for name := range loaded.Sources.Texts {
			if cfg.Options.Text == "" || name != cfg.File {
				paths = append(paths, filepath.Join(root, filepath.FromSlash(name)))
			}
		}
	}
	slices.Sort(paths)
	return &remote.ClusterPlan{
		Campaign: name, Name: loaded.Plan.Name, Version: command.Version(), Paths: slices.Compact(paths),
		Manifest: cluster.Manifest{
			File: file, Root: root, Options: cfg.Options, Builds: cluster.BuildsOf(loaded.Plan), Hash: cfg.OnCase != nil,
			// The weights of a mixture follow from each case.
			Sum:    cfg.OnCase == nil && len(loaded.Plan.Parts) == 0,
			Memory: coordinator.WorkerMemory, Load: coordinator.LoadTime,
		},
	}, nil
}
