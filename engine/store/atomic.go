// Package store keeps findings and the history of campaigns in a database, and in folders that people can read.
//
//	smtlark.db                 the truth; see migrations
//	findings/NNNN-slug/        a finding that reproduced; see Record for finding.json
//	findings/flaky/NNNN-slug/  a verdict that was seen once and never again
//	runs/CAMPAIGN/TIME/        events.jsonl and stats.json of one run; see Run
//
// A campaign writes by way of a Store (Open). Whoever only looks, such as reports, has a Reader:
//
//	r, err := store.OpenReader(out)      // the folder that --out names
//	records, err := r.Findings()         // []*Record: finding.json with status, history, checks; Record.Path is the folder
//	f, record, err := r.Finding("7")     // *campaign.Finding: with the texts of the cases and all runs
//	runs, err := r.Runs()                // []*RunRecord: Campaign, Started, Dir, Stats (the latest)
//	events, err := runs[0].Events()      // []Event of events.jsonl
//
// What is written is complete or not there: the database writes in transactions, folders are made under another name and
// renamed, files likewise, after they were synced to the disk. Several campaigns may use one folder at the same time.
package store

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// writeNew writes a file that nobody sees yet and syncs it.
func writeNew(path string, data []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// replace puts data in the place of a file; whoever reads it sees the old or the new content.
func replace(path string, data []byte, mode fs.FileMode) error {
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	if err := writeNew(temp, data, mode); err != nil {
		os.Remove(temp)
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		os.Remove(temp)
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes renames in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

func jsonText(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(text, '\n'), err
}
