// Package member is a machine that has joined a cluster: it takes jobs of campaigns and has worker processes do them.
package member

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/cluster"
	"github.com/smtlark/smtlark/engine/campaign/wire"
)

// Membership says how a machine takes part.
type Membership struct {
	Connection *cluster.Connection
	Command    []string // of a worker process
	Env        []string // variables added to its environment
	Slots      int      // worker processes
	Machine    string   // its name for people; several machines may have the same
	Labels     []string
	Cache      string // the folder for files of campaigns
	CacheBytes int64  // that it may have; 0: DefaultCacheBytes
	Strangers  string // the reason why solvers sent by a coordinator must not run here; "" if they may
	Version    string // of smtlark
	Print      func(string)
}

// lookEvery is the interval at which a machine looks for campaigns.
const lookEvery = time.Second

// member is this machine.
type member struct {
	cfg     Membership
	name    string
	sites   map[string]*assignment // by campaign and life of its coordinator
	left    atomic.Bool            // it takes no more jobs
	refused map[string]bool        // that were told
	lonely  bool                   // no server answered the last time
	over    bool                   // the one campaign that it may work for has ended
}

// Run takes part until ctx ends, or until the campaign is over where the connection is for a single one. Jobs that run
// then are done to their end. An error says why this machine cannot take part.
func Run(ctx context.Context, cfg Membership) error {
	m := &member{cfg: cfg, name: rand.Text()[:12], sites: map[string]*assignment{}, refused: map[string]bool{}}
	defer func() {
		m.left.Store(true)
		for _, s := range m.sites {
			s.leave()
		}
		for _, s := range m.sites {
			s.close()
		}
	}()
	for {
		if err := m.look(ctx); err != nil {
			return err
		}
		if m.over && len(m.sites) == 0 {
			m.cfg.Print("the campaign is over")
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(lookEvery):
		}
	}
}

// look takes in which campaigns there are.
func (m *member) look(ctx context.Context) error {
	try, cancel := context.WithTimeout(ctx, 5*time.Second)
	entries, err := m.cfg.Connection.Entries(try)
	cancel()
	if err != nil {
		if ctx.Err() == nil && !m.lonely {
			m.lonely = true
			m.cfg.Print(fmt.Sprintf("no answer from the cluster (%v); waiting for it", err))
		}
		return nil
	}
	if m.lonely {
		m.lonely = false
		m.cfg.Print("the cluster answers again")
	}
	wanted := map[string]bool{}
	for _, e := range entries {
		key := string(e.Campaign) + "/" + e.Run
		m.over = e.Over && m.cfg.Connection.Campaign != ""
		if e.Over {
			continue
		}
		if err := m.suits(e); err != nil {
			if m.cfg.Connection.Campaign != "" {
				return err
			}
			m.refuse(key, e.Name, err)
			continue
		}
		wanted[key] = true
		if m.sites[key] == nil && !m.refused[key] {
			s, err := openAssignment(m, e)
			if err != nil {
				if ctx.Err() == nil {
					m.refuse(key, e.Name, err)
				}
				continue
			}
			m.sites[key] = s
			m.cfg.Print(fmt.Sprintf("works for campaign %s with %d workers", e.Name, m.cfg.Slots))
		}
	}
	for key, s := range m.sites {
		why := s.refusal()
		if !wanted[key] || why != "" {
			s.leave()
			s.close()
			delete(m.sites, key)
		}
		if why != "" {
			if m.cfg.Connection.Campaign != "" {
				return errors.New(why)
			}
			m.refuse(key, s.entry.Name, errors.New(why))
		}
	}
	m.share()
	return nil
}

// lacksLabel returns a label that the campaign wants of a machine and this one does not have; "" where there is none.
func (m *member) lacksLabel(e *cluster.Listing) string {
	for _, label := range e.Labels {
		if !slices.Contains(m.cfg.Labels, label) {
			return label
		}
	}
	return ""
}

func (m *member) refuse(key, name string, err error) {
	if !m.refused[key] {
		m.refused[key] = true
		m.cfg.Print(fmt.Sprintf("cannot work for campaign %s: %v", name, err))
	}
}

// suits reports why a campaign is not for this build of smtlark.
func (m *member) suits(e *cluster.Listing) error {
	if e.Version != m.cfg.Version || e.Protocol != wire.ProtocolVersion {
		return fmt.Errorf("this is smtlark %s (protocol %d), and the coordinator of %s is smtlark %s (protocol %d). Another version makes other cases: install the coordinator's version here",
			m.cfg.Version, wire.ProtocolVersion, e.Name, e.Version, e.Protocol)
	}
	if label := m.lacksLabel(e); label != "" {
		return fmt.Errorf("the campaign %s is for machines with the label %s, and this one has not; join with --label %s", e.Name, label, label)
	}
	return nil
}
