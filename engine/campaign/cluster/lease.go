package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	leaseBucket = "smtlark-leases"
	// leaseTime is the life of a coordinator's lease without a renewal; servers forget it then. If one of three servers
	// is lost, the others take 4 to 9 s to elect a leader again, and the lease should usually outlast that.
	leaseTime  = 8 * time.Second
	leaseEvery = time.Second
)

// LeaderTerm is one time that a coordinator leads a campaign. Later terms win over earlier ones, wherever both try to
// write.
type LeaderTerm struct {
	Epoch    int64 `json:"epoch,omitempty"` // when the servers made the leases, in nanoseconds of Unix time
	Revision int64 `json:"revision,omitempty"`
}

// Before reports whether another term came later.
func (t LeaderTerm) Before(o LeaderTerm) bool {
	return t.Epoch < o.Epoch || t.Epoch == o.Epoch && t.Revision < o.Revision
}

// ErrLost is why a coordinator that does not lead any more ends. It is the cause of the context's end.
var ErrLost = errors.New("the cluster was not reached for as long as a lease lasts: another coordinator may have taken over")

// Lease is a coordinator's right to lead a campaign.
type Lease struct {
	LeaderTerm
	// Leading ends when the lease is lost, at the latest a second before another coordinator can have it.
	Leading context.Context
	release func()
}

// Release lets another coordinator lead at once.
func (l *Lease) Release() { l.release() }

// Lead waits until no other coordinator runs the campaign, and makes it ours until Release is called. It calls waiting
// if another coordinator runs the campaign.
func Lead(ctx context.Context, js jetstream.JetStream, c Campaign, who string, replicas int, waiting func(who string)) (*Lease, error) {
	var kv jetstream.KeyValue
	err := untilAnswered(ctx, func() (err error) {
		kv, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: leaseBucket, Replicas: replicas, TTL: leaseTime, MaxBytes: maxStateBytes, Description: "coordinators of smtlark"})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the lease of the campaign: %w", err)
	}
	stream, err := js.Stream(ctx, "KV_"+leaseBucket)
	if err != nil {
		return nil, fmt.Errorf("the lease of the campaign: %w", err)
	}
	told := false
	var revision uint64
	var renewed time.Time // before the request went out: the server's time begins no sooner
	for {
		try, cancel := context.WithTimeout(ctx, leaseTime-leaseEvery)
		renewed = time.Now()
		revision, err = kv.Create(try, string(c), []byte(who))
		if err != nil && !told {
			if entry, err := kv.Get(try, string(c)); err == nil {
				told = true
				waiting(string(entry.Value()))
			}
		}
		cancel()
		if err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(leaseEvery / 2):
		}
	}
	leading, lose := context.WithCancelCause(context.WithoutCancel(ctx)) // one that is interrupted still writes
	l := &Lease{LeaderTerm: LeaderTerm{Epoch: stream.CachedInfo().Created.UnixNano(), Revision: int64(revision)}, Leading: leading}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		revision = renew(leading, lose, kv, string(c), who, revision, renewed)
	}()
	l.release = func() {
		lose(nil)
		<-ended
		try, cancel := context.WithTimeout(context.Background(), leaseEvery)
		defer cancel()
		_ = kv.Delete(try, string(c), jetstream.LastRevision(revision)) // else it is forgotten soon
	}
	return l, nil
}

// renew renews a lease until its context ends, or until another coordinator may hold the lease. It returns the last
// revision.
func renew(leading context.Context, lose context.CancelCauseFunc, kv jetstream.KeyValue, key, who string, revision uint64, renewed time.Time) uint64 {
	late := time.AfterFunc(time.Until(renewed.Add(leaseTime-leaseEvery)), func() { lose(ErrLost) })
	defer late.Stop()
	for {
		select {
		case <-leading.Done():
			return revision
		case <-time.After(leaseEvery):
		}
		begun := time.Now()
		try, cancel := context.WithTimeout(leading, leaseEvery)
		next, err := kv.Update(try, key, []byte(who), revision)
		cancel()
		switch {
		case err == nil:
			revision = next
			if !late.Stop() { // it went off while the reply was on its way
				return revision
			}
			late.Reset(time.Until(begun.Add(leaseTime - leaseEvery)))
		case errors.Is(err, jetstream.ErrKeyExists): // a reply was lost, or somebody else has it
			entry, err := kv.Get(leading, key)
			if err == nil && string(entry.Value()) != who {
				lose(ErrLost)
				return revision
			}
			if err == nil {
				revision = entry.Revision()
			}
		}
	}
}
