package store

import (
	"database/sql"
	"errors"
)

// LeaderTerm is one time that a process leads a campaign that others wait for; later ones have a greater epoch or, in
// one epoch, a greater revision.
type LeaderTerm struct{ Epoch, Revision int64 }

// ErrFenced says that another process leads the campaign now, so this one's write was rejected.
var ErrFenced = errors.New("another coordinator of a later term writes to this folder; nothing is written any more")

// fence holds the leader term under which a store is written.
type fence struct {
	campaign string // its name in the cluster; "": nobody else can lead it
	term     LeaderTerm
}

// Lead lets this process write to the store in its term, until another process leads in a later term; then every change
// fails with ErrFenced. The leader needs no lock on the campaign.
func (s *Store) Lead(campaign string, term LeaderTerm) error {
	s.fence = fence{}
	err := s.change(func(tx *sql.Tx) error {
		now, err := leaderOf(tx, campaign)
		if err != nil {
			return err
		}
		if now.Epoch > term.Epoch || now.Epoch == term.Epoch && now.Revision > term.Revision {
			return ErrFenced
		}
		_, err = tx.Exec("INSERT OR REPLACE INTO leaders (campaign, epoch, revision) VALUES (?, ?, ?)", campaign, term.Epoch, term.Revision)
		return err
	})
	s.fence = fence{campaign, term} // also where another one leads: then nothing is written
	return err
}

func leaderOf(tx *sql.Tx, campaign string) (t LeaderTerm, err error) {
	err = tx.QueryRow("SELECT epoch, revision FROM leaders WHERE campaign = ?", campaign).Scan(&t.Epoch, &t.Revision)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return t, err
}

// check fails if another process has become the leader.
func (f *fence) check(tx *sql.Tx) error {
	if f.campaign == "" {
		return nil
	}
	now, err := leaderOf(tx, f.campaign)
	if err == nil && now != f.term {
		err = ErrFenced
	}
	return err
}
