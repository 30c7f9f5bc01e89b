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
//	run, err := store.ReadRun(dir)       // *RunRecord: Campaign, Started, Dir, Stats (the latest)
//
// What is written is complete or not there: the database writes in transactions, folders are made under another name and
// renamed, files likewise, after they were synced to the disk. Several campaigns may use one folder at the same time.
package store

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// What is written goes through an os.Root: neither a name nor a link of somebody else's folder leads out of it.

// writeNew writes a file that nobody sees yet and syncs it.
func writeNew(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
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
func replace(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	temp := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".new")
	if err := writeNew(root, temp, data, mode); err != nil {
		root.Remove(temp)
		return err
	}
	if err := root.Rename(temp, name); err != nil {
		root.Remove(temp)
		return err
	}
	return syncDir(root, filepath.Dir(name))
}

// syncDir makes renames in a folder durable.
func syncDir(root *os.Root, dir string) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

// OpenFile opens a regular file of a finding's folder, such as "runs/z3.json", for reading. Links that lead out of the folder
// that holds the finding are not followed.
func OpenFile(dir, name string) (*os.File, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	path := filepath.Join(filepath.Base(dir), filepath.FromSlash(name))
	info, err := root.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // to open a pipe would wait
		return nil, &fs.PathError{Op: "read", Path: filepath.Join(dir, name), Err: errors.New("it is no regular file")}
	}
	return root.Open(path)
}

// ReadFile reads what OpenFile opens.
func ReadFile(dir, name string) ([]byte, error) {
	f, err := OpenFile(dir, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func jsonText(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(text, '\n'), err
}
