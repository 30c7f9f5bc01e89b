package campaign_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/cluster"
	"github.com/smtlark/smtlark/engine/campaign/wire"
)

// forgery makes up the result of a job.
type forgery = func(o *wire.MakeCases) []byte

// forgeriesWithStop and forgeriesWithError are what a machine with the credentials of the campaign may send. A campaign
// is ended by who says twice that a case ends it, and chance decides who is asked again: each list has one such.
var forgeriesWithStop = []forgery{
	func(*wire.MakeCases) []byte { return bytes.Repeat([]byte{'\n'}, 1<<30) }, // in some hundred bytes
	func(*wire.MakeCases) []byte { return []byte(strings.Repeat(`{"type":"beat"}`+"\n", 300_000)) },
	func(*wire.MakeCases) []byte {
		return []byte(`{"type":"failed","fault":"script","text":"you lose"}` + "\n")
	},
	func(*wire.MakeCases) []byte { return []byte(`{"type":"print","text":"you lose"}` + "\n") },
	func(o *wire.MakeCases) []byte {
		return fmt.Appendf(nil, `{"type":"case","n":%d}`+"\n"+`{"type":"stop","n":%d,"reason":"you lose"}`+"\n", o.From, o.From)
	},
}

var forgeriesWithError = []forgery{
	func(o *wire.MakeCases) []byte {
		return fmt.Appendf(nil, `{"type":"case","n":%d}`+"\n"+`{"type":"error","n":%d,"fault":"script","text":"you lose"}`+"\n", o.From, o.From)
	},
	func(o *wire.MakeCases) []byte {
		return fmt.Appendf(nil, `{"type":"counted","n":%d,"made":[{"cases":1000000000000}]}`+"\n", o.From)
	},
	func(o *wire.MakeCases) []byte {
		return fmt.Appendf(nil, `{"type":"counted","n":%d,"made":[{"cases":18446744073709551615},{"cases":2}]}`+"\n", o.From)
	},
	func(o *wire.MakeCases) []byte {
		return fmt.Appendf(nil, `{"type":"done","job":%d,"next":%d}`+"\n", o.Job, o.To+1_000_000)
	},
	func(*wire.MakeCases) []byte { return []byte("no report\n") },
}

// Forged results of a machine neither end a campaign nor count: an honest machine does all cases, as if nothing had
// been sent.
func TestForgedResults(t *testing.T) {
	const cases = 300
	alone, _, err := collect(t, config(t, cases, map[string]string{"wrong": "50"}))
	require.NoError(t, err)
	for name, list := range map[string][]forgery{"stop": forgeriesWithStop, "error": forgeriesWithError} {
		t.Run(name, func(t *testing.T) {
			b := startBroker(t)
			forged := make(chan error, 1)
			seen, st, _ := onCluster(t, config(t, cases, map[string]string{"wrong": "50"}), b.Access(), 1, func() {
				token, err := cluster.ReadToken(b.TokenFile)
				require.NoError(t, err)
				conn, err := cluster.Connect(&cluster.Access{URLs: b.URL(), Token: token}, "forger")
				require.NoError(t, err)
				ended := make(chan struct{})
				t.Cleanup(func() { // in this order: without a connection it ends
					conn.Conn.Close()
					<-ended
				})
				go func() {
					defer close(ended)
					err := forge(conn, list)
					if err == nil {
						join(t, testMember{URLs: b.URL(), Token: b.TokenFile, Slots: 2})
					}
					forged <- err
				}()
			})
			require.NoError(t, <-forged)
			require.Equal(t, alone, seen)
			require.Equal(t, 1, st.Findings.New)
			require.EqualValues(t, cases, st.Cases)
			require.Zero(t, st.Errors)
			require.NotContains(t, st.StopReason, "lose")
		})
	}
}

// forge answers jobs with forgeries, one after the other.
func forge(conn *cluster.Connection, list []forgery) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	present := func() error {
		text, err := json.Marshal(&cluster.Presence{Member: "forger", Machine: "\x1b[2Jforger", Slots: 2, Note: strings.Repeat("note ", 1000)})
		if err != nil {
			return err
		}
		return conn.Conn.Publish(clusterCampaign.PresenceSubject("forger"), text)
	}
	for i, forged := range list {
		for answered := false; !answered; {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := present(); err != nil {
				return err
			}
			jobs, err := conn.Stream.Consumer(ctx, clusterCampaign.JobStream(), cluster.Workers)
			if err != nil {
				return err
			}
			batch, err := jobs.Fetch(1, jetstream.FetchMaxWait(time.Second))
			if err != nil {
				return err
			}
			for m := range batch.Messages() {
				if err := m.Ack(); err != nil {
					return err
				}
				line, err := cluster.NewParts(cluster.MaxText).Add(m.Headers(), m.Data())
				if err != nil {
					return err
				}
				o, err := wire.ParseOrder(bytes.TrimSpace(line))
				if err != nil {
					return err
				}
				order, makes := o.(*wire.MakeCases)
				if !makes {
					continue
				}
				key := m.Headers().Get(cluster.HeaderJob)
				header := nats.Header{cluster.HeaderJob: {key}, cluster.HeaderAttempt: {fmt.Sprintf("forger-%d", i)}, cluster.HeaderSpender: {"forger-1"}}
				for _, part := range cluster.Split(clusterCampaign.ResultSubject(key), fmt.Sprintf("forged %d", i), header, forged(order)) {
					if _, err := conn.Stream.PublishMsg(ctx, part); err != nil {
						return err
					}
				}
				answered = true
			}
		}
	}
	return nil
}
