package campaign_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/cluster"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// With this variable the test binary is many machines at once, whose workers report like real ones and do nothing: URL,
// token, workers.
const crowdEnv = "SMTLARK_TEST_CROWD"

type crowd struct {
	URL, Token string
	Workers    int
}

const (
	workersOfMachine = 8
	targets          = 2
	caseTime         = 10 * time.Millisecond // of a simulated case
)

func joinCrowd() {
	var c crowd
	if err := json.Unmarshal([]byte(os.Getenv(crowdEnv)), &c); err != nil {
		panic(err)
	}
	token, err := cluster.ReadToken(c.Token)
	if err != nil {
		panic(err)
	}
	for left := c.Workers; left > 0; left -= workersOfMachine {
		conn, err := cluster.Connect(&cluster.Access{URLs: c.URL, Token: token}, "crowd")
		if err != nil {
			panic(err)
		}
		name := fmt.Sprint("machine", left)
		slots := min(left, workersOfMachine)
		for slot := range slots {
			go simulate(conn, fmt.Sprint(name, "-", slot))
		}
		go func() {
			for {
				text, _ := json.Marshal(&cluster.Presence{Member: name, Machine: name, Slots: slots})
				_ = conn.Conn.Publish(clusterCampaign.PresenceSubject(name), text)
				time.Sleep(cluster.PresenceEvery)
			}
		}()
	}
	select {}
}

// simulate is one worker.
func simulate(conn *cluster.Connection, name string) {
	ctx := context.Background()
	jobs, err := conn.Stream.Consumer(ctx, clusterCampaign.JobStream(), cluster.Workers)
	if err != nil {
		panic(err)
	}
	for {
		m, err := jobs.Next(jetstream.FetchMaxWait(2 * time.Second))
		if err != nil {
			continue
		}
		key := m.Headers().Get(cluster.HeaderJob)
		var whole cluster.Parts
		line, err := whole.Add(m.Headers(), m.Data())
		if err != nil {
			panic(err)
		}
		o, err := wire.ParseOrder(bytes.TrimSpace(line))
		if err != nil {
			panic(err)
		}
		order, ok := o.(*wire.MakeCases)
		if !ok {
			continue
		}
		var out bytes.Buffer
		w := wire.Writer{Out: &out}
		for n := order.From; n < order.To; n++ {
			_ = w.Announce(n)
			_ = w.Line(&wire.CaseResult{N: n, Make: 300, Runs: "1:s:1:1 1:s:1:1"}, false)
		}
		_ = w.Line(&wire.RangeDone{Job: order.Job, Next: order.To}, true)
		for work := time.Duration(order.To-order.From) * caseTime; work > 0; work -= cluster.JobLease / 4 {
			_ = conn.Conn.Publish(clusterCampaign.BeganSubject(key), nil)
			time.Sleep(min(work, cluster.JobLease/4))
			_ = m.InProgress()
		}
		header := nats.Header{cluster.HeaderJob: {key}, cluster.HeaderAttempt: {name + strconv.FormatInt(time.Now().UnixNano(), 10)}, cluster.HeaderSpender: {name}}
		for _, part := range cluster.Split(clusterCampaign.ResultSubject(key), name+key, header, wire.SumResults(out.Bytes(), targets)) {
			_ = cluster.Patiently(ctx, func(ctx context.Context) error {
				_, err := conn.Stream.PublishMsg(ctx, part)
				return err
			})
		}
		_ = m.Ack()
	}
}

// What the coordinator and the server need for so many workers, each of which reports a hundred cases a second. The
// figures are in docs/performance.md; they are measured where SMTLARK_CLUSTER_LOAD lists numbers of workers, such as
// "10 100 1000".
func TestLoadOfTheCoordinator(t *testing.T) {
	list := os.Getenv("SMTLARK_CLUSTER_LOAD")
	if list == "" {
		t.Skip("SMTLARK_CLUSTER_LOAD lists no numbers of workers")
	}
	for _, text := range bytes.Fields([]byte(list)) {
		workers, err := strconv.Atoi(string(text))
		require.NoError(t, err)
		t.Run(string(text), func(t *testing.T) {
			b := startBroker(t)
			cfg := config(t, 0, nil)
			cfg.Stop = finding.Stop{After: 25 * time.Second}
			const settled = 12.0 // seconds until jobs have their size
			var begun time.Time
			var cpu, all time.Duration
			var first, last uint64
			cfg.Publish = func(s *metrics.Stats) {
				if s.Elapsed < settled || s.State != metrics.StateRunning {
					return
				}
				if begun.IsZero() {
					begun, cpu, first = time.Now(), system.CPUTime(), s.Cases
				}
				all, last = time.Since(begun), s.Cases
			}
			var crowdProcess *exec.Cmd
			_, st, desk := onCluster(t, cfg, b.Access(), 1, func() {
				text, err := json.Marshal(&crowd{URL: b.URL(), Token: b.TokenFile, Workers: workers})
				require.NoError(t, err)
				crowdProcess = exec.Command(os.Args[0])
				crowdProcess.Env = append(os.Environ(), crowdEnv+"="+string(text))
				crowdProcess.Stderr = os.Stderr
				require.NoError(t, crowdProcess.Start())
				t.Cleanup(func() { _ = crowdProcess.Process.Kill(); _ = crowdProcess.Wait() })
			})
			used := system.CPUTime() - cpu
			memory, err := os.ReadFile("/proc/self/status")
			require.NoError(t, err)
			var peak string
			for line := range bytes.Lines(memory) {
				if bytes.HasPrefix(line, []byte("VmHWM")) {
					peak = string(bytes.TrimSpace(line))
				}
			}
			t.Logf("%d workers: %.0f cases/s, %.2f cores, %s, results %+v, %d cases in all", workers, float64(last-first)/all.Seconds(), used.Seconds()/all.Seconds(), peak, desk.Counts(), st.Cases)
		})
	}
}
