package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/solvers/parcel"
)

// Listing describes a campaign to a cluster.
type Listing struct {
	Campaign Campaign `json:"campaign"`
	Name     string   `json:"name"`
	// Run identifies one run of the coordinator. Work begun for another run is void.
	Run      string     `json:"run"`
	Term     LeaderTerm `json:"term,omitzero"`
	Version  string     `json:"version"`  // of smtlark
	Protocol int        `json:"protocol"` // of its workers
	Manifest Stored     `json:"manifest"`
	Over     bool       `json:"over,omitempty"` // it has ended
	// Priority is its weight where machines work for several campaigns; 0 is 1.
	Priority int      `json:"priority,omitempty"`
	Labels   []string `json:"labels,omitempty"` // that a machine has to have, all of them
}

// Manifest describes a campaign to a machine that works for it.
type Manifest struct {
	File    string         `json:"file"` // as in coordinator.Config
	Root    string         `json:"root"` // the folder that // stands for
	Options finding.Inputs `json:"options"`
	Hash    bool           `json:"hash,omitempty"` // results carry a hash of the case
	Sum     bool           `json:"sum,omitempty"`  // machines sum up cases of which nothing is to be said
	Builds  []Build        `json:"builds"`
	Files   []Stored       `json:"files"`
	// Solvers are sent with the campaign; nil means that machines use their own. Packed has their files by the hash of
	// the contents.
	Solvers []parcel.Parcel   `json:"solvers,omitempty"`
	Packed  map[string]Stored `json:"packed,omitempty"`
	Memory  int64             `json:"memory"`    // that a worker may have resident, in bytes
	Load    time.Duration     `json:"load_time"` // that loading may take
}

// Build is the build of the solver of a target.
type Build struct {
	Target string `json:"target"`
	SHA256 string `json:"sha256,omitempty"` // "": it is not known
}

// BuildsOf lists the builds of the targets of a plan.
func BuildsOf(p *finding.Plan) []Build {
	var out []Build
	for i := range p.Targets {
		b := Build{Target: p.Targets[i].Name}
		if p.Targets[i].Build != nil {
			b.SHA256 = p.Targets[i].Build.SHA256
		}
		out = append(out, b)
	}
	return out
}

// Differ describes how the builds of a machine differ from those of a campaign. It returns nil if they are the same.
func Differ(campaign, here []Build) error {
	short := func(b Build) string {
		if b.SHA256 == "" {
			return "of an unknown build"
		}
		return "of build " + b.SHA256[:min(12, len(b.SHA256))]
	}
	for _, want := range campaign {
		i := slices.IndexFunc(here, func(b Build) bool { return b.Target == want.Target })
		switch {
		case i < 0:
			return fmt.Errorf("the campaign asks %s, which this machine does not have", want.Target)
		case here[i].SHA256 != want.SHA256:
			return fmt.Errorf("the campaign asks %s %s, here it is %s", want.Target, short(want), short(here[i]))
		}
	}
	if len(here) != len(campaign) {
		return fmt.Errorf("the campaign file finds %d targets here and %d at its coordinator: name the solvers that it is to use", len(here), len(campaign))
	}
	return nil
}

// Announce writes the entry of a campaign, unless a coordinator of a later term, or another run of ours, has written
// one; then it returns ErrLost.
func Announce(ctx context.Context, js jetstream.JetStream, e *Listing, replicas int) error {
	return untilAnswered(ctx, func() error { return announce(ctx, js, e, replicas) })
}

func announce(ctx context.Context, js jetstream.JetStream, e *Listing, replicas int) error {
	kv, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: campaignBucket, Replicas: replicas, MaxBytes: maxStateBytes, Description: "campaigns of smtlark"})
	if err != nil {
		return fmt.Errorf("the list of campaigns: %w", err)
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	value, err := kv.Get(ctx, string(e.Campaign))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		_, err = kv.Create(ctx, string(e.Campaign), text)
		return err
	}
	if err != nil {
		return err
	}
	var now Listing
	if json.Unmarshal(value.Value(), &now) == nil && (e.Term.Before(now.Term) || e.Over && now.Run != e.Run) {
		return ErrLost
	}
	_, err = kv.Update(ctx, string(e.Campaign), text, value.Revision())
	return err
}

// Entries returns the entries of campaigns: of the one that the connection is for, else of all, by their names in the
// cluster.
func (c *Connection) Entries(ctx context.Context) ([]*Listing, error) {
	if c.Campaign != "" {
		return c.ownEntry(ctx)
	}
	kv, err := c.Stream.KeyValue(ctx, campaignBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	keys, err := kv.Keys(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, err
	}
	slices.Sort(keys)
	var out []*Listing
	for _, key := range keys {
		value, err := kv.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		e := &Listing{}
		if json.Unmarshal(value.Value(), e) == nil { // one that nobody can read does not keep others from theirs
			out = append(out, e)
		}
	}
	return out, nil
}

// entrySubject returns the subject of requests for the entry of one campaign. A request about the whole bucket would
// list the other campaigns.
func entrySubject(c Campaign) string {
	return lastSubject("KV_"+campaignBucket, "$KV."+campaignBucket+"."+string(c))
}

// ownEntry returns the entry of the campaign that the connection is for, none where it has none.
func (c *Connection) ownEntry(ctx context.Context) ([]*Listing, error) {
	reply, err := readDirectly(ctx, c.Conn, entrySubject(c.Campaign), nil)
	if errors.Is(err, nats.ErrNoResponders) { // no campaign was ever announced
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the entry of campaign %s: %w", c.Campaign, err)
	}
	if reply == nil || reply.Header.Get("KV-Operation") != "" { // it was deleted
		return nil, nil
	}
	e := &Listing{}
	if err := json.Unmarshal(reply.Data, e); err != nil {
		return nil, fmt.Errorf("the entry of campaign %s: %w", c.Campaign, err)
	}
	return []*Listing{e}, nil
}
