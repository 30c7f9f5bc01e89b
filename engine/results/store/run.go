package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/durable"
)

// RunLog is a campaign.Log in a folder: events.jsonl, one event a line, and stats.json, which is campaign.Stats.
//
// Every event has time (RFC 3339) and event, its name:
//
//	start           plan, options, workers
//	verdict         n, signature, summary: the first verdict of a signature, before it is confirmed
//	finding         number, dir, kind, summary, signature, hits, tries, mode, n: it reproduced and is stored
//	flaky           number, dir, summary, signature, tries, n: it did not
//	known           n, number, summary: a finding of an earlier campaign was seen again
//	recheck         number, checks, status, error: a finding of an earlier run was looked at again; status when that changed it
//	reduced         number, from, to (bytes), tests, reason
//	joined          number, to, reason
//	weights         epoch, first_case, cases, weights: of the parts of a mixture that adapts, in these cases
//	edges           n, solver, technique, new, edges, elapsed: a case took edges of a solver that no case before had taken
//	progress        campaign.Point: what plots over time need; every second at first, rarer later
//	worker-death    worker, pid, reason, job, case: with the case it was running, if any
//	case-killed     n, reason, replay: a case that killed two workers
//	confirm-lost    signature, reason: two workers died confirming it
//	protocol-error  worker, error
//	load-error      worker, error
//	error           n, fault, error: the campaign file or smtlark failed
//	broken-seed     file, error: a seed that cannot be used
//	refuted         n, claimed, by, seeds, of, steps, assumed, model: no finding, for the answer that was taken to be right is not; see campaign.Refutation
//	stop            reason: no new cases from here on
//	end             cases, new, flaky
type RunLog struct {
	dir    string
	events *os.File
	store  *database // nil: the run has a folder only
	id     int64
}

// runs are those of campaigns: when they began, their events and their counts.
type runs struct{ *database }

// OpenRun begins a run of a campaign: its row in the database and its folder.
func (s *runs) OpenRun(campaignName string, begun time.Time) (*RunLog, error) {
	r, err := OpenRun(filepath.Join(s.out, runsDir), campaignName, begun)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Rel(s.out, r.dir)
	if err != nil {
		return nil, err
	}
	err = s.change(func(tx *sql.Tx) error {
		res, err := tx.Exec("INSERT INTO runs (dir, campaign, started, stats) VALUES (?, ?, ?, '')", dir, campaignName, stamp(begun))
		if err != nil {
			return err
		}
		r.id, err = res.LastInsertId()
		return err
	})
	if err != nil {
		return nil, errors.Join(err, r.events.Close())
	}
	r.store = s.database
	return r, nil
}

// OpenRun makes the folder of a run below root: root/CAMPAIGN/TIME, and the link root/CAMPAIGN/latest to it.
func OpenRun(root, campaignName string, begun time.Time) (*RunLog, error) {
	name := durable.FileName(campaignName)
	if name == "" {
		name = "campaign"
	}
	parent := filepath.Join(root, name)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, err
	}
	stamp := begun.UTC().Format("2006-01-02T15-04-05Z")
	dir := filepath.Join(parent, stamp)
	err := os.Mkdir(dir, 0o777)
	for i := 2; errors.Is(err, os.ErrExist); i++ {
		dir = filepath.Join(parent, fmt.Sprintf("%s-%d", stamp, i))
		err = os.Mkdir(dir, 0o777)
	}
	if err != nil {
		return nil, err
	}
	events, err := os.OpenFile(filepath.Join(dir, "events.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	link := filepath.Join(parent, ".latest.new")
	os.Remove(link)
	if os.Symlink(filepath.Base(dir), link) == nil { // a convenience: some file systems have no links
		_ = os.Rename(link, filepath.Join(parent, "latest"))
	}
	return &RunLog{dir: dir, events: events}, nil
}

// Cells returns the cells that the runs of a campaign in this folder have had answered; nil: none.
func (s *runs) Cells(campaignName string) (*metrics.CellStats, error) {
	rows, err := s.db.Query("SELECT stats FROM runs WHERE campaign = ? AND stats LIKE '%\"cells\":%' ORDER BY id DESC", campaignName)
	if err != nil {
		return nil, explain(s.path(), err)
	}
	defer rows.Close()
	var all *metrics.CellStats
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, explain(s.path(), err)
		}
		var run struct {
			Cells *metrics.CellStats `json:"cells"`
		}
		if err := json.Unmarshal([]byte(text), &run); err != nil {
			return nil, fmt.Errorf("%s: statistics of a run of %s: %w", s.path(), campaignName, err)
		}
		all = all.Union(run.Cells)
	}
	return all, explain(s.path(), rows.Err())
}

// Dir is the folder of the run.
func (r *RunLog) Dir() string { return r.dir }

// Event adds an event.
func (r *RunLog) Event(name string, fields map[string]any) error {
	line := map[string]any{"time": time.Now().UTC().Format(time.RFC3339Nano), "event": name}
	for k, v := range fields {
		line[k] = v
	}
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = r.events.Write(append(display.JSON(text), '\n'))
	return err
}

// Stats replaces stats.json.
func (r *RunLog) Stats(s *metrics.Stats) error {
	text, err := durable.JSON(s)
	if err != nil {
		return err
	}
	if r.store != nil {
		line, err := json.Marshal(s)
		if err != nil {
			return err
		}
		err = r.store.change(func(tx *sql.Tx) error {
			_, err := tx.Exec("UPDATE runs SET stats = ? WHERE id = ?", string(line), r.id)
			return err
		})
		if err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return durable.Replace(root, "stats.json", text, 0o644)
}

// Close syncs and closes the events.
func (r *RunLog) Close() error { return errors.Join(r.events.Sync(), r.events.Close()) }
