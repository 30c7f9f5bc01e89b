package campaign_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/cluster"
	"github.com/smtlark/smtlark/engine/campaign/cluster/broker"
	"github.com/smtlark/smtlark/engine/campaign/cluster/member"
	"github.com/smtlark/smtlark/engine/campaign/cluster/remote"
	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/parcel"
)

// With this variable the test binary is a machine that joins a cluster: a testMember as JSON.
const memberEnv = "SMTLARK_TEST_MEMBER"

// testMember is a machine that joins.
type testMember struct {
	URLs, Token, Credentials, Version, Cache string
	Slots                                    int
}

func joinCluster() {
	var m testMember
	err := json.Unmarshal([]byte(os.Getenv(memberEnv)), &m)
	access := &cluster.Access{URLs: m.URLs, Credentials: m.Credentials}
	if err == nil && m.Token != "" {
		access.Token, err = cluster.ReadToken(m.Token)
	}
	var conn *cluster.Connection
	if err == nil {
		conn, err = cluster.Connect(access, "test")
	}
	if err == nil {
		err = member.Run(context.Background(), member.Membership{
			Connection: conn, Command: []string{os.Args[0]}, Env: []string{workerEnv + "=1"}, Slots: m.Slots, Machine: "same", Cache: m.Cache, Version: m.Version,
			Print: func(text string) { fmt.Println(text) },
		})
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(70)
	}
	os.Exit(0)
}

// join starts a machine that joins. Its output is logged if the test fails.
func join(t *testing.T, m testMember) *exec.Cmd {
	t.Helper()
	m.Cache = t.TempDir()
	if m.Version == "" {
		m.Version = "test"
	}
	text, err := json.Marshal(&m)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), memberEnv+"="+string(text))
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(out.String())
		}
	})
	return cmd
}

// onCluster has joined machines run a campaign. joined is called when they can join.
func onCluster(t *testing.T, cfg coordinator.Config, access *cluster.Access, replicas int, joined func()) (map[uint64]string, *metrics.Stats, *remote.Workers) {
	t.Helper()
	return onClusterAs(t, cfg, access, replicas, func(*remote.ClusterPlan) {}, joined)
}

// onClusterAs is onCluster with a plan that is changed.
func onClusterAs(t *testing.T, cfg coordinator.Config, access *cluster.Access, replicas int, change func(*remote.ClusterPlan), joined func()) (map[uint64]string, *metrics.Stats, *remote.Workers) {
	t.Helper()
	loaded, err := coordinator.Inspect(context.Background(), cfg)
	require.NoError(t, err)
	conn, err := cluster.Connect(access, "test coordinator")
	require.NoError(t, err)
	defer conn.Conn.Close()
	plan := &remote.ClusterPlan{
		Campaign: clusterCampaign, Name: "fake", Version: "test", Replicas: replicas, Embedded: access.Token != nil, Print: func(text string) { t.Log(text) }, Drain: func() {},
		Manifest: cluster.Manifest{File: "@fake.star", Root: "/", Options: cfg.Options, Hash: true, Builds: cluster.BuildsOf(loaded.Plan), Memory: coordinator.WorkerMemory, Load: time.Minute},
	}
	change(plan)
	workers, err := remote.Open(context.Background(), conn, plan)
	require.NoError(t, err)
	cfg.Workers, cfg.Remote, cfg.Loaded = 0, workers, loaded
	joined()
	if cfg.Stop.Cases == 0 || plan.Manifest.Sum { // who asks for no number of cases does not want their hashes either
		cfg.OnCase = nil
		st, err := coordinator.Run(context.Background(), cfg)
		require.NoError(t, err)
		require.NoError(t, workers.Close(context.Background()))
		return nil, st, workers
	}
	seen, st, err := collect(t, cfg)
	require.NoError(t, err)
	require.NoError(t, workers.Close(context.Background()))
	return seen, st, workers
}

const clusterCampaign = cluster.Campaign("0123456789abcdef")

// startBroker starts an embedded server.
func startBroker(t *testing.T) *broker.Broker {
	t.Helper()
	b, err := broker.Start(t.TempDir(), "", clusterCampaign)
	require.NoError(t, err)
	t.Cleanup(b.Stop)
	return b
}

// natsCluster is three servers on the loopback.
type natsCluster struct {
	t        *testing.T
	program  string
	folders  [3]string
	ports    [3]int // for clients
	routes   [3]int
	commands [3]*exec.Cmd
}

func startServers(t *testing.T) *natsCluster {
	t.Helper()
	c := &natsCluster{t: t, program: filepath.Join(t.TempDir(), "nats-server")}
	out, err := exec.Command("go", "build", "-o", c.program, "github.com/nats-io/nats-server/v2").CombinedOutput()
	require.NoError(t, err, string(out))
	for i := range 3 {
		c.folders[i], c.ports[i], c.routes[i] = t.TempDir(), freePort(t), freePort(t)
	}
	for i := range 3 {
		c.start(i)
	}
	t.Cleanup(func() {
		for i := range 3 {
			c.stop(i)
		}
	})
	c.wait()
	return c
}

func (c *natsCluster) start(i int) {
	var routes []string
	for k := range 3 {
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", c.routes[k]))
	}
	c.commands[i] = exec.Command(c.program, "-a", "127.0.0.1", "-p", fmt.Sprint(c.ports[i]), "-n", fmt.Sprint("s", i), "-js", "-sd", c.folders[i],
		"--cluster_name", "test", "--cluster", fmt.Sprintf("nats://127.0.0.1:%d", c.routes[i]), "--routes", strings.Join(routes, ","))
	require.NoError(c.t, c.commands[i].Start())
}

func (c *natsCluster) stop(i int) {
	if c.commands[i] != nil {
		_ = c.commands[i].Process.Kill()
		_ = c.commands[i].Wait()
		c.commands[i] = nil
	}
}

func (c *natsCluster) urls() string {
	var all []string
	for _, p := range c.ports {
		all = append(all, fmt.Sprintf("nats://127.0.0.1:%d", p))
	}
	return strings.Join(all, ",")
}

// wait waits until the servers have a leader.
func (c *natsCluster) wait() {
	require.Eventually(c.t, func() bool {
		conn, err := nats.Connect(c.urls())
		if err != nil {
			return false
		}
		defer conn.Close()
		js, err := conn.JetStream()
		if err != nil {
			return false
		}
		_, err = js.AccountInfo()
		return err == nil
	}, time.Minute, 100*time.Millisecond)
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// found returns the findings of a campaign in a form that does not depend on their order.
func found(t *testing.T, cfg coordinator.Config) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, f := range cfg.Store.(*memStore).final() {
		require.NotContains(t, out, f.Signature.Key, "found twice")
		require.Equal(t, f.Hits, f.Tries)
		text := "not reduced"
		if f.Min != nil {
			text = f.Min.Script[:strings.Index(f.Min.Script, "(assert")]
		}
		out[f.Signature.Key] = text
	}
	return out
}

// A campaign has the same cases, verdicts and findings by pipes, with machines that join an embedded server, and on
// three real servers.
func TestSameCampaignOnACluster(t *testing.T) {
	settings := func() map[string]string {
		return map[string]string{"wrong": "50", "crash": "77", "reduce": "yes", "kill": "20,121", "exit": "33"}
	}
	const cases = 400
	pipes := config(t, cases, settings())
	seen, st, err := collect(t, pipes)
	require.NoError(t, err)
	check := func(name string, cfg coordinator.Config, other map[uint64]string, stats *metrics.Stats) {
		require.Equal(t, seen, other, name)
		require.Equal(t, st.Cases, stats.Cases, name)
		require.Equal(t, st.Killed, stats.Killed, name)
		require.Equal(t, st.Findings.Verdicts, stats.Findings.Verdicts, name)
		require.Equal(t, st.Findings.New, stats.Findings.New, name)
		require.Zero(t, stats.Findings.Flaky, name)
		for i := range st.Targets {
			require.Equal(t, st.Targets[i].Runs, stats.Targets[i].Runs, name)
		}
		require.Equal(t, found(t, pipes), found(t, cfg), name)
	}
	numbers(t, seen, cases, 33)

	b := startBroker(t)
	embedded := config(t, cases, settings())
	other, stats, _ := onCluster(t, embedded, b.Access(), 1, func() {
		for range 3 {
			join(t, testMember{URLs: b.URL(), Token: b.TokenFile, Slots: 1})
		}
	})
	check("embedded", embedded, other, stats)

	servers := startServers(t)
	external := config(t, cases, settings())
	other, stats, _ = onCluster(t, external, &cluster.Access{URLs: servers.urls()}, 3, func() {
		for range 3 {
			join(t, testMember{URLs: servers.urls(), Slots: 1})
		}
	})
	check("external", external, other, stats)
}

// spread is a campaign with one finding, whose reduction waits for some workers.
type spread struct {
	workers, many int
	needed        string // every tenth of many assertions, or those at the end
	pause         time.Duration
}

func (s spread) config(t *testing.T) coordinator.Config {
	return config(t, 1, map[string]string{
		"scattered": fmt.Sprint(s.many), "needed": s.needed, "reduce": "default", "pause": s.pause.String(), "workers": fmt.Sprint(s.workers),
	})
}

// reduced returns the reduced script, and the number of tests for it.
func (s spread) reduced(t *testing.T, cfg coordinator.Config) (text string, tests int) {
	t.Helper()
	all := cfg.Store.(*memStore).final()
	require.Len(t, all, 1)
	f := all[1]
	require.NotNil(t, f.Min)
	require.Equal(t, s.many/10, strings.Count(f.Min.Script, "assert"), f.Min.Script)
	return f.Min.Script, f.Reduced.Tests
}

// runs returns how often each worker ran something, and how long it took from when the last worker had begun.
func (s spread) runs(t *testing.T, cfg coordinator.Config) (each []int, took time.Duration) {
	t.Helper()
	var first, last time.Time
	for what, at := range map[string]*time.Time{"loaded": &first, "runs": &last} {
		files, err := filepath.Glob(filepath.Join(cfg.Options.Set["mark"], what+"-*"))
		require.NoError(t, err)
		for _, name := range files {
			about, err := os.Stat(name)
			require.NoError(t, err)
			if what == "runs" {
				each = append(each, int(about.Size()))
			}
			if about.ModTime().After(*at) {
				*at = about.ModTime()
			}
		}
	}
	return each, last.Sub(first)
}

// A coordinator that takes over while one of three servers is away has its streams all the same, empty.
func TestTakeOverWithoutAServer(t *testing.T) {
	servers := startServers(t)
	conn, err := cluster.Connect(&cluster.Access{URLs: servers.urls()}, "test")
	require.NoError(t, err)
	defer conn.Conn.Close()
	ctx := t.Context()
	require.NoError(t, cluster.OpenStreams(ctx, conn.Stream, clusterCampaign, "one", 3, false))
	_, err = conn.Stream.Publish(ctx, clusterCampaign.JobSubject("one.1"), []byte("left"))
	require.NoError(t, err)
	servers.stop(2)
	require.NoError(t, cluster.OpenStreams(ctx, conn.Stream, clusterCampaign, "two", 3, false))
	jobs, err := conn.Stream.Consumer(ctx, clusterCampaign.JobStream(), cluster.Workers)
	require.NoError(t, err)
	require.Zero(t, jobs.CachedInfo().NumPending)
	_, err = conn.Stream.Publish(ctx, clusterCampaign.JobSubject("one.2"), []byte("of the one before"))
	require.Error(t, err)
	_, err = conn.Stream.Publish(ctx, clusterCampaign.JobSubject("two.1"), []byte("new"))
	require.NoError(t, err)
}

// A reduction that all idle workers help with comes to the same bytes as on one machine. SMTLARK_SPREAD names the
// workers, the number of assertions, which of them are needed, and how long a test takes, such as "8 500 scattered
// 50ms", for the figures in docs/performance.md.
func TestReductionIsSpread(t *testing.T) {
	s := spread{4, 60, "scattered", 3 * time.Millisecond}
	if text := os.Getenv("SMTLARK_SPREAD"); text != "" {
		var pause string
		_, err := fmt.Sscan(text, &s.workers, &s.many, &s.needed, &pause)
		require.NoError(t, err)
		s.pause, err = time.ParseDuration(pause)
		require.NoError(t, err)
	}
	one := s
	one.workers = 1
	pipes := one.config(t)
	_, _, err := collect(t, pipes)
	require.NoError(t, err)
	text, tests := one.reduced(t, pipes)
	_, alone := one.runs(t, pipes)

	b := startBroker(t)
	spread := s.config(t)
	onCluster(t, spread, b.Access(), 1, func() {
		join(t, testMember{URLs: b.URL(), Token: b.TokenFile, Slots: 1})
		join(t, testMember{URLs: b.URL(), Token: b.TokenFile, Slots: s.workers - 1})
	})
	other, otherTests := s.reduced(t, spread)
	require.Equal(t, text, other)
	require.Equal(t, tests, otherTests)
	each, took := s.runs(t, spread)
	t.Logf("%d tests: alone %v, %d workers %v, runs of each %v", tests, alone, s.workers, took, each)
	require.Len(t, each, s.workers, "all help")
}

// Machines that help with a reduction and are killed or frozen then change nothing of it.
func TestHelpersMayDie(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	s := spread{4, 100, "scattered", 20 * time.Millisecond}
	one := s
	one.workers = 1
	pipes := one.config(t)
	_, _, err := collect(t, pipes)
	require.NoError(t, err)
	text, _ := one.reduced(t, pipes)
	b := startBroker(t)
	cfg := s.config(t)
	onCluster(t, cfg, b.Access(), 1, func() {
		var machines []*exec.Cmd
		for range s.workers {
			machines = append(machines, join(t, testMember{URLs: b.URL(), Token: b.TokenFile, Slots: 1}))
		}
		go func() {
			for {
				files, _ := filepath.Glob(filepath.Join(cfg.Options.Set["mark"], "runs-*"))
				if len(files) == s.workers {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			_ = machines[0].Process.Kill() // one of them may be the one that reduces
			_ = freeze(machines[1].Process)
		}()
	})
	other, _ := s.reduced(t, cfg)
	require.Equal(t, text, other)
}

// Machines that sum up what cases came to give the same statistics as one machine that counts each.
func TestSumsOnACluster(t *testing.T) {
	settings := func() map[string]string {
		return map[string]string{"wrong": "50", "crash": "77", "kill": "20,121", "exit": "33"}
	}
	const cases = 400
	_, alone, err := collect(t, config(t, cases, settings()))
	require.NoError(t, err)
	b := startBroker(t)
	cfg := config(t, cases, settings())
	_, stats, _ := onClusterAs(t, cfg, b.Access(), 1, func(p *remote.ClusterPlan) { p.Manifest.Sum, p.Manifest.Hash = true, false }, func() {
		for range 2 {
			join(t, testMember{URLs: b.URL(), Token: b.TokenFile, Slots: 1})
		}
	})
	require.Equal(t, alone.Cases, stats.Cases)
	require.Equal(t, alone.Skipped, stats.Skipped)
	require.Equal(t, alone.Killed, stats.Killed)
	require.Equal(t, alone.Findings.Verdicts, stats.Findings.Verdicts)
	require.Equal(t, alone.Findings.New, stats.Findings.New)
	require.Equal(t, alone.Findings.Duplicates, stats.Findings.Duplicates)
	for i := range alone.Targets {
		a, b := alone.Targets[i], stats.Targets[i]
		require.Equal(t, a.Classes, b.Classes)
		require.Equal(t, []uint64{a.Runs, a.Sat, a.Unsat, a.Unknown, a.NoAnswer, a.Checks}, []uint64{b.Runs, b.Sat, b.Unsat, b.Unknown, b.NoAnswer, b.Checks})
	}
}

// after calls f, in a goroutine of its own, when so many cases have been counted.
func after(cfg *coordinator.Config, cases int, f func()) {
	n, also := 0, cfg.OnCase
	var once sync.Once
	cfg.OnCase = func(number uint64, hash string) {
		if also != nil {
			also(number, hash)
		}
		if n++; n >= cases {
			once.Do(func() { go f() })
		}
	}
}

// Machines that are killed, frozen or cut off lose no results, and work done twice counts once.
func TestFaultsOfMachines(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	b := startBroker(t)
	cfg := config(t, 2000, map[string]string{"wrong": "500", "slow": "20"})
	cfg.Watchdog = time.Minute
	proxy := startProxy(t, strings.TrimPrefix(b.URL(), "nats://"))
	var killed, frozen *exec.Cmd
	after(&cfg, 200, func() { _ = killed.Process.Kill() })
	after(&cfg, 400, func() {
		_ = freeze(frozen.Process)
		time.Sleep(cluster.JobLease + 3*time.Second)
		_ = thaw(frozen.Process)
	})
	after(&cfg, 500, func() {
		proxy.cut(true)
		time.Sleep(8 * time.Second)
		proxy.cut(false)
	})
	seen, st, workers := onCluster(t, cfg, b.Access(), 1, func() {
		killed = join(t, testMember{URLs: b.URL(), Token: b.TokenFile, Slots: 1})
		frozen = join(t, testMember{URLs: b.URL(), Token: b.TokenFile, Slots: 1})
		join(t, testMember{URLs: "nats://" + proxy.address, Token: b.TokenFile, Slots: 1})
		join(t, testMember{URLs: b.URL(), Token: b.TokenFile, Slots: 1})
	})
	numbers(t, seen, 2000)
	require.EqualValues(t, 2000, st.Cases)
	for i := range st.Targets {
		require.EqualValues(t, 2000, st.Targets[i].Runs)
	}
	require.Equal(t, 1, st.Findings.New)
	t.Log("results that counted and that did not:", workers.Counts())
}

// All servers of a cluster are killed and come back.
func TestServersRestart(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	servers := startServers(t)
	cfg := config(t, 1000, map[string]string{"wrong": "100", "slow": "20"})
	after(&cfg, 150, func() {
		servers.stop(1)
		time.Sleep(2 * time.Second)
		servers.start(1)
	})
	after(&cfg, 400, func() {
		for i := range 3 {
			servers.stop(i)
		}
		time.Sleep(2 * time.Second)
		for i := range 3 {
			servers.start(i)
		}
	})
	seen, st, _ := onCluster(t, cfg, &cluster.Access{URLs: servers.urls()}, 3, func() {
		for range 2 {
			join(t, testMember{URLs: servers.urls(), Slots: 1})
		}
	})
	numbers(t, seen, 1000)
	require.EqualValues(t, 1000, st.Targets[0].Runs)
	require.Equal(t, 1, st.Findings.New)
}

// A machine with another version of smtlark is sent away with both versions, and one with a wrong token cannot even
// connect.
func TestStrangersAreRefused(t *testing.T) {
	b := startBroker(t)
	cfg := config(t, 20, nil)
	onCluster(t, cfg, b.Access(), 1, func() {
		other := join(t, testMember{URLs: b.URL(), Token: b.TokenFile, Slots: 1, Version: "other"})
		require.Error(t, other.Wait())
		require.Contains(t, other.Stdout.(*strings.Builder).String(), "this is smtlark other (protocol 1), and the coordinator of fake is smtlark test (protocol 1)")
		token, err := cluster.ReadToken(b.TokenFile)
		require.NoError(t, err)
		token.Password = "guessed"
		_, err = cluster.Connect(&cluster.Access{URLs: b.URL(), Token: token}, "stranger")
		require.ErrorContains(t, err, "refuses the token or the credentials")
		_, err = nats.Connect(b.URL())
		require.Error(t, err, "nobody connects without a token")
		join(t, testMember{URLs: b.URL(), Token: b.TokenFile, Slots: 1})
	})
}

// A machine that has joined can neither see other campaigns nor change what this one has.
func TestPermissionsOfMachines(t *testing.T) {
	b := startBroker(t)
	cfg := config(t, 20, nil)
	onCluster(t, cfg, b.Access(), 1, func() {
		token, err := cluster.ReadToken(b.TokenFile)
		require.NoError(t, err)
		conn, err := cluster.Connect(&cluster.Access{URLs: b.URL(), Token: token}, "worker")
		require.NoError(t, err)
		defer conn.Conn.Close()
		refusesSubjects(t, conn, clusterCampaign)
		join(t, testMember{URLs: b.URL(), Token: b.TokenFile, Slots: 1})
	})
}

// refusesSubjects checks that a machine that works for one campaign can change nothing of it, and of others not even
// know.
func refusesSubjects(t *testing.T, conn *cluster.Connection, c cluster.Campaign, more ...string) {
	t.Helper()
	denied := make(chan error, 100)
	conn.Conn.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { denied <- err })
	other := cluster.Campaign("00000000000000ff")
	for _, subject := range append([]string{
		c.JobSubject("x.1"), c.StateSubject("x"), other.ResultSubject("x.1"), "$KV.smtlark-campaigns." + string(c),
		"$O.smtlark-" + string(c) + ".C.x", "$JS.API.STREAM.DELETE." + c.JobStream(), "$JS.API.STREAM.PURGE." + c.ResultStream(),
		"$JS.API.CONSUMER.CREATE." + c.ResultStream() + ".spy", "$JS.API.STREAM.INFO." + other.ResultStream(), "$JS.API.STREAM.NAMES",
		"$JS.API.STREAM.MSG.GET." + c.ResultStream(),
		// A consumer may deliver to any subject.
		"$JS.API.CONSUMER.CREATE." + c.StateStream(), "$JS.API.CONSUMER.CREATE." + c.StateStream() + ".spy",
		"$JS.API.CONSUMER.CREATE.OBJ_smtlark-" + string(c) + ".spy", "$JS.API.STREAM.INFO.OBJ_smtlark-" + string(c),
	}, more...) {
		require.NoError(t, conn.Conn.Publish(subject, []byte("{}")))
		require.NoError(t, conn.Conn.Flush())
		select {
		case err := <-denied:
			require.ErrorIs(t, err, nats.ErrPermissionViolation, subject)
		case <-time.After(10 * time.Second):
			t.Fatal("it may publish on " + subject)
		}
	}
	for _, subject := range []string{c.ResultSubject("*.*"), other.StateSubject("x"), ">"} {
		_, err := conn.Conn.SubscribeSync(subject)
		require.NoError(t, err)
		require.NoError(t, conn.Conn.Flush())
		require.ErrorIs(t, <-denied, nats.ErrPermissionViolation, subject)
	}
}

// A solver that was changed on the way is refused with both hashes, here and at the coordinator, and the machine goes
// on with what it has.
func TestCorruptSolver(t *testing.T) {
	b := startBroker(t)
	cfg := config(t, 20, nil)
	program := filepath.Join(t.TempDir(), "liar")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700))
	sent, err := parcel.Of(&solvers.Solver{Profile: &solvers.Profile{Name: "liar"}, Name: "liar-1.0", Path: program, Exec: []string{program}})
	require.NoError(t, err)
	var said []string
	var machine *exec.Cmd
	plan := &remote.ClusterPlan{}
	seen, _, _ := onClusterAs(t, cfg, b.Access(), 1, func(p *remote.ClusterPlan) {
		plan = p
		p.Manifest.Solvers, p.SolverPaths = []parcel.Parcel{*sent}, [][]string{{program}}
		p.Print = func(text string) { said = append(said, text) }
	}, func() {
		conn, err := cluster.Connect(b.Access(), "corrupts")
		require.NoError(t, err)
		defer conn.Conn.Close()
		store, err := conn.Stream.ObjectStore(context.Background(), "smtlark-"+string(clusterCampaign))
		require.NoError(t, err)
		_, err = store.PutBytes(context.Background(), plan.Manifest.Packed[sent.Files[0].SHA256].SHA256, []byte("changed"))
		require.NoError(t, err)
		machine = join(t, testMember{URLs: b.URL(), Token: b.TokenFile, Slots: 1})
	})
	numbers(t, seen, 20)
	require.NoError(t, machine.Wait())
	sum := sha256.Sum256([]byte("changed"))
	note := fmt.Sprintf("liar-1.0 of the coordinator is refused: a file of the campaign was changed on the way: it should have the hash %s and has %s; going on with the solvers of this machine",
		plan.Manifest.Packed[sent.Files[0].SHA256].SHA256, hex.EncodeToString(sum[:]))
	require.Contains(t, machine.Stdout.(*strings.Builder).String(), note)
	require.Contains(t, said, "same: "+note)
}

// A coordinator that dies is followed by one that waits within ten seconds, and by another at once when it ends in
// peace.
func TestTakeOver(t *testing.T) {
	b := startBroker(t)
	lead := func(who string) (*cluster.Lease, *cluster.Connection) {
		conn, err := cluster.Connect(b.Access(), who)
		require.NoError(t, err)
		lease, err := cluster.Lead(context.Background(), conn.Stream, clusterCampaign, who, 1, func(who string) { require.Equal(t, "first", who) })
		require.NoError(t, err)
		return lease, conn
	}
	first, conn := lead("first")
	conn.Conn.Close() // it is dead to the cluster
	begun := time.Now()
	second, other := lead("second")
	require.Less(t, time.Since(begun), 10*time.Second)
	require.NoError(t, second.Leading.Err())
	require.ErrorIs(t, context.Cause(first.Leading), cluster.ErrLost, "it knows before another one begins")
	require.True(t, first.Before(second.LeaderTerm))
	second.Release()
	begun = time.Now()
	third, last := lead("third")
	require.Less(t, time.Since(begun), 4*time.Second)
	require.True(t, second.Before(third.LeaderTerm))
	third.Release()
	other.Conn.Close()
	last.Conn.Close()
}

// A coordinator that was replaced and does not know it can neither give out jobs, nor take results away, nor remove
// what is there now.
func TestReplacedCoordinator(t *testing.T) {
	b := startBroker(t)
	conn, err := cluster.Connect(b.Access(), "coordinator")
	require.NoError(t, err)
	defer conn.Conn.Close()
	ctx := context.Background()
	open := func(revision int64) (*remote.Workers, error) {
		return remote.Open(ctx, conn, &remote.ClusterPlan{
			Campaign: clusterCampaign, Name: "fake", Version: "test", Replicas: 1, Embedded: true, Term: cluster.LeaderTerm{Epoch: 1, Revision: revision},
			Print: func(text string) { t.Log(text) }, Drain: func() {}, Manifest: cluster.Manifest{File: "@fake.star", Root: "/"},
		})
	}
	old, err := open(1)
	require.NoError(t, err)
	before, err := conn.Entries(ctx)
	require.NoError(t, err)
	current, err := open(2)
	require.NoError(t, err)
	now, err := conn.Entries(ctx)
	require.NoError(t, err)
	require.Len(t, now, 1)
	require.NotEqual(t, before[0].Run, now[0].Run)
	key := cluster.KeyOf(before[0].Run, 1)
	_, err = conn.Stream.Publish(ctx, clusterCampaign.JobSubject(key), nil)
	require.ErrorIs(t, err, jetstream.ErrNoStreamResponse, "a job of the old one")
	_, err = conn.Stream.Publish(ctx, clusterCampaign.ResultSubject(key), nil)
	require.ErrorIs(t, err, jetstream.ErrNoStreamResponse, "a result for the old one")
	_, err = conn.Stream.Consumer(ctx, clusterCampaign.ResultStream(), cluster.Coordinator(before[0].Run))
	require.ErrorIs(t, err, jetstream.ErrConsumerNotFound)
	require.ErrorIs(t, old.Close(ctx), cluster.ErrLost)
	_, err = conn.Stream.Publish(ctx, clusterCampaign.JobSubject(cluster.KeyOf(now[0].Run, 1)), nil)
	require.NoError(t, err, "what the other one has is still there")
	require.NoError(t, current.Close(ctx))
}

// proxy passes on connections until it is told to cut them.
type proxy struct {
	address, to string

	mu    sync.Mutex
	isCut bool
	open  []net.Conn
}

func startProxy(t *testing.T, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	p := &proxy{address: l.Addr().String(), to: to}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", p.to)
			p.mu.Lock()
			if err != nil || p.isCut {
				in.Close()
				p.mu.Unlock()
				continue
			}
			p.open = append(p.open, in, out)
			p.mu.Unlock()
			go func() { _, _ = io.Copy(in, out); in.Close() }()
			go func() { _, _ = io.Copy(out, in); out.Close() }()
		}
	}()
	return p
}

func (p *proxy) cut(is bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isCut = is
	for _, c := range p.open {
		c.Close()
	}
	p.open = nil
}

// The configuration in deploy lets a coordinator in, and machines for one campaign, and refuses everybody else.
func TestDeployedServer(t *testing.T) {
	program := filepath.Join(t.TempDir(), "nats-server")
	out, err := exec.Command("go", "build", "-o", program, "github.com/nats-io/nats-server/v2").CombinedOutput()
	require.NoError(t, err, string(out))
	text, err := os.ReadFile("../../deploy/nats.conf")
	require.NoError(t, err)
	folder, port, keys := t.TempDir(), freePort(t), t.TempDir()
	require.NoError(t, cluster.MakeKeys(filepath.Join(keys, "keys"), cluster.DeployedHosts))
	require.ErrorContains(t, cluster.MakeKeys(filepath.Join(keys, "keys"), cluster.DeployedHosts), "a folder of their own")
	config0 := strings.NewReplacer("/var/lib/smtlark-nats", folder, "0.0.0.0:4222", fmt.Sprintf("127.0.0.1:%d", port), "0.0.0.0:6222", fmt.Sprintf("127.0.0.1:%d", freePort(t)),
		"127.0.0.1:8222", fmt.Sprintf("127.0.0.1:%d", freePort(t)), "/etc/smtlark/keys", filepath.Join(keys, "keys")).Replace(string(text))
	check := func(config string, arg ...string) *exec.Cmd {
		file := filepath.Join(keys, "nats.conf")
		require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
		cmd := exec.Command(program, append([]string{"-c", file}, arg...)...)
		cmd.Env = append(os.Environ(), "SERVER_NAME=nats-0")
		return cmd
	}
	out, err = check(config0, "-t").CombinedOutput()
	require.NoError(t, err, string(out))
	// The other two servers are not here: one is enough to see what its users may do.
	begin, rest, found := strings.Cut(config0, "cluster {")
	require.True(t, found)
	_, end, found := strings.Cut(rest, "\n}\n")
	require.True(t, found)
	server := check(begin + end)
	require.NoError(t, server.Start())
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	url := fmt.Sprintf("nats://127.0.0.1:%d", port)
	coordinates := &cluster.Access{URLs: url, Credentials: filepath.Join(keys, "keys", cluster.CoordinatorFile)}
	require.Eventually(t, func() bool {
		conn, err := cluster.Connect(coordinates, "test")
		if err == nil {
			conn.Conn.Close()
		}
		return err == nil
	}, 30*time.Second, 100*time.Millisecond)
	_, err = nats.Connect(url)
	require.Error(t, err)
	require.NoError(t, cluster.MakeKeys(filepath.Join(keys, "other"), cluster.DeployedHosts))
	_, err = cluster.Connect(&cluster.Access{URLs: url, Credentials: filepath.Join(keys, "other", cluster.CoordinatorFile)}, "test")
	require.ErrorContains(t, err, "refuses the token or the credentials", "credentials of other servers")
	worker := func(c cluster.Campaign, until time.Time) string {
		text, err := cluster.WorkerCredentials(filepath.Join(keys, "keys", cluster.SigningKeyFile), c, until)
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "worker.creds")
		require.NoError(t, os.WriteFile(file, text, 0o600))
		return file
	}
	_, err = cluster.Connect(&cluster.Access{URLs: url, Credentials: worker(clusterCampaign, time.Now().Add(-time.Hour))}, "test")
	require.ErrorContains(t, err, "refuses the token or the credentials", "they are over")
	_, err = cluster.WorkerCredentials(coordinates.Credentials, clusterCampaign, time.Now())
	require.ErrorContains(t, err, "is no signing key")
	cfg := config(t, 100, map[string]string{"wrong": "50"})
	const other = cluster.Campaign("fedcba9876543210")
	seen, st, _ := onCluster(t, cfg, coordinates, 1, func() {
		conn, err := cluster.Connect(&cluster.Access{URLs: url, Credentials: worker(other, time.Now().Add(time.Hour))}, "of another campaign")
		require.NoError(t, err)
		defer conn.Conn.Close()
		refusesSubjects(t, conn, clusterCampaign, "$JS.API.STREAM.INFO.KV_smtlark-campaigns", "$JS.API.CONSUMER.MSG.NEXT."+clusterCampaign.JobStream()+"."+cluster.Workers,
			"$JS.API.STREAM.INFO.OBJ_smtlark-"+string(clusterCampaign), "$JS.API.DIRECT.GET.KV_smtlark-campaigns.$KV.smtlark-campaigns."+string(clusterCampaign))
		m := join(t, testMember{URLs: url, Credentials: worker(clusterCampaign, time.Now().Add(time.Hour)), Slots: 2})
		t.Cleanup(func() { _ = m.Process.Kill() })
	})
	numbers(t, seen, 100)
	require.Equal(t, 1, st.Findings.New)
}
