package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Status is the report of a coordinator on its campaign, sent every StatusEvery.
type Status struct {
	Campaign Campaign   `json:"campaign"`
	Name     string     `json:"name"`
	Seed     string     `json:"seed"`
	State    string     `json:"state"`
	Machine  string     `json:"machine"` // of the coordinator
	Elapsed  float64    `json:"elapsed"` // seconds
	Cases    uint64     `json:"cases"`
	Rate     float64    `json:"rate"` // cases a second
	New      int        `json:"new"`  // findings
	Known    int        `json:"known"`
	Waiting  int        `json:"waiting"` // verdicts that are to be confirmed, and findings to be reduced
	Members  []Presence `json:"members"`
}

// StatusEvery is the interval between the reports of a coordinator.
const StatusEvery = 2 * time.Second

// Control is a user's order to a running campaign.
type Control struct {
	Paused bool `json:"paused,omitempty"` // no new cases
	Drain  bool `json:"drain,omitempty"`  // it is to end as if it was interrupted
}

const (
	statusBucket  = "smtlark-status"
	controlBucket = "smtlark-control"
	statusKept    = 15 * time.Second // of a coordinator that is not heard of
)

// Board carries reports and orders between coordinators and the users of a cluster.
type Board struct{ status, control jetstream.KeyValue }

// OpenBoard makes the board where it is not there yet.
func OpenBoard(ctx context.Context, js jetstream.JetStream, replicas int) (*Board, error) {
	b := &Board{}
	var err error
	if b.status, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: statusBucket, Replicas: replicas, TTL: statusKept, MaxBytes: maxStateBytes}); err == nil {
		b.control, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: controlBucket, Replicas: replicas, MaxBytes: maxStateBytes})
	}
	if err != nil {
		return nil, fmt.Errorf("the status of campaigns: %w", err)
	}
	return b, nil
}

// FindBoard opens the board of a cluster where a coordinator has made it.
func FindBoard(ctx context.Context, js jetstream.JetStream) (*Board, error) {
	b := &Board{}
	var err error
	if b.status, err = js.KeyValue(ctx, statusBucket); err == nil {
		b.control, err = js.KeyValue(ctx, controlBucket)
	}
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, errors.New("no campaign has run on this cluster")
	}
	return b, err
}

// Say writes how a campaign is.
func (b *Board) Say(ctx context.Context, s *Status) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = b.status.Put(ctx, string(s.Campaign), text)
	return err
}

// Running lists the campaigns whose coordinators run.
func (b *Board) Running(ctx context.Context) (out []*Status, err error) {
	keys, err := b.status.Keys(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, err
	}
	for _, key := range keys {
		value, err := b.status.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s := &Status{}
		if json.Unmarshal(value.Value(), s) == nil { // one that nobody can read does not hide the others
			out = append(out, s)
		}
	}
	return out, nil
}

// Want records an order for a campaign.
func (b *Board) Want(ctx context.Context, c Campaign, control Control) error {
	text, err := json.Marshal(&control)
	if err != nil {
		return err
	}
	_, err = b.control.Put(ctx, string(c), text)
	return err
}

// Wanted returns the order for a campaign.
func (b *Board) Wanted(ctx context.Context, c Campaign) (control Control, err error) {
	value, err := b.control.Get(ctx, string(c))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return control, nil
	}
	if err == nil {
		err = json.Unmarshal(value.Value(), &control)
	}
	return control, err
}

// Forget takes a campaign that is over off the board.
func (b *Board) Forget(ctx context.Context, c Campaign) error {
	return errors.Join(b.status.Delete(ctx, string(c)), b.control.Delete(ctx, string(c)))
}
