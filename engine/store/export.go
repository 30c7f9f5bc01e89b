package store

import (
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// Names of files and folders.
const (
	recordFile = "finding.json"
	flakyDir   = "flaky"
	lockFile   = ".lock"
)

// about is what the database knows of a finding beside its document.
type about struct {
	row        *row
	signatures []Signed
	history    []Entry
	checks     []VersionCheck
}

func aboutRow(q querier, r *row) (*about, error) {
	a := &about{row: r}
	var err error
	if a.signatures, err = signaturesOf(q, r.id); err != nil {
		return nil, err
	}
	if a.checks, err = checksOf(q, r.id); err != nil {
		return nil, err
	}
	a.history, err = historyOf(q, r.id)
	return a, err
}

func historyOf(q querier, id int64) ([]Entry, error) {
	rows, err := q.Query("SELECT time, what, text FROM history WHERE finding = ? ORDER BY id", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Entry
	for rows.Next() {
		var e Entry
		var at string
		if err := rows.Scan(&at, &e.What, &e.Text); err != nil {
			return nil, err
		}
		e.Time = parseTime(at)
		out = append(out, e)
	}
	return out, rows.Err()
}

// exportFinding writes the folder of a finding that was just stored, and sets its Dir.
func (s *Store) exportFinding(f *finding.Finding) error {
	r, err := rowOf(s.db, f.Signature.Key)
	if err != nil || r == nil {
		return errors.Join(err)
	}
	if r.number != f.Number { // it is a duplicate of another one by now
		if err := s.exportStale(); err != nil {
			return err
		}
		return nil
	}
	f.Dir = filepath.Join(s.Findings(), r.dir())
	return s.export(r, false)
}

// exportStale writes the folders that are out of date.
func (s *Store) exportStale() error {
	rows, err := rowsWhere(s.db, "WHERE exported < revision ORDER BY flaky, number")
	if err != nil {
		return fmt.Errorf("%s: %w", s.path(), err)
	}
	for _, r := range rows {
		if err := s.leaveOut(r, s.export(r, false)); err != nil {
			return err
		}
	}
	return nil
}

// Export writes all folders anew, those that somebody removed as well, and returns how many.
func (s *Store) Export() (int, error) {
	rows, err := rowsWhere(s.db, "ORDER BY flaky, number")
	if err != nil {
		return 0, fmt.Errorf("%s: %w", s.path(), err)
	}
	names := map[bool][]string{}
	n := 0
	for _, r := range rows {
		names[r.flaky] = append(names[r.flaky], filepath.Base(r.dir()))
		err := s.export(r, true)
		if err == nil {
			n++
		} else if err = s.leaveOut(r, err); err != nil {
			return n, err
		}
	}
	return n, errors.Join(s.removeStale(".", names[false]), s.removeStale(flakyDir, names[true]))
}

// export writes one folder. One that was there before and is gone was removed by somebody: it stays so unless again.
func (s *Store) export(r *row, again bool) error {
	dir := filepath.Join(s.Findings(), r.dir())
	fail := func(err error) error { return &ExportError{dir, err} }
	unlock, err := lockPath(filepath.Join(s.Findings(), lockFile))
	if err != nil {
		return fail(err)
	}
	defer unlock()
	f, err := r.finding()
	if err != nil {
		return err
	}
	a, err := aboutRow(s.db, r)
	if err != nil {
		return err
	}
	files, err := bundle(f, dir, a)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(s.Findings())
	if err != nil {
		return fail(err)
	}
	defer root.Close()
	_, err = root.Stat(r.dir())
	switch {
	case err == nil:
		err = refresh(root, r.dir(), files)
	case errors.Is(err, fs.ErrNotExist) && (r.export == 0 || again):
		err = create(root, r.dir(), files)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		return fail(err)
	}
	if r.export == r.revision {
		return nil
	}
	return s.change(func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE findings SET exported = ? WHERE id = ? AND exported < ?", r.revision, r.id, r.revision)
		return err
	})
}

// create makes a folder with files; it is complete or not there.
func create(root *os.Root, dir string, files []file) error {
	parent := filepath.Dir(dir)
	if err := root.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	temp := filepath.Join(parent, ".new-"+rand.Text())
	if err := root.Mkdir(temp, 0o755); err != nil {
		return err
	}
	defer root.RemoveAll(temp) // a no-op after the rename
	for _, file := range files {
		path := filepath.Join(temp, file.name)
		if err := root.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := writeNew(root, path, file.data, file.mode); err != nil {
			return err
		}
	}
	if err := syncDir(root, temp); err != nil {
		return err
	}
	if err := root.Rename(temp, dir); err != nil {
		return err
	}
	return syncDir(root, parent)
}

// refresh brings the files of a folder up to date; finding.json comes last. What a finding no longer has goes.
func refresh(findings *os.Root, dir string, files []file) error {
	root, err := findings.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = file.name
		if old, err := root.ReadFile(file.name); err == nil && string(old) == string(file.data) {
			continue
		}
		if err := root.MkdirAll(filepath.Dir(file.name), 0o777); err != nil {
			return err
		}
		if err := replace(root, file.name, file.data, file.mode); err != nil {
			return err
		}
	}
	for _, pattern := range []string{"runs/*.json", "out/*.txt", "input*.smt2", "before-*.smt2", "*.trace"} { // of runs under other names
		old, err := fs.Glob(root.FS(), pattern)
		if err != nil {
			return err
		}
		for _, name := range old {
			if !slices.Contains(names, name) {
				if err := root.Remove(name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// importFolders takes in the folders of findings that were written before there was a database.
func (s *Store) importFolders() error {
	n := 0
	if err := s.db.QueryRow("SELECT count(*) FROM findings").Scan(&n); err != nil {
		return fmt.Errorf("%s: %w", s.path(), err)
	}
	if n > 0 {
		return nil
	}
	findings, flaky, broken, err := ListFolder(s.Findings())
	s.broken = append(s.broken, broken...)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(findings)+len(flaky) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	return s.change(func(tx *sql.Tx) error {
		if err := tx.QueryRow("SELECT count(*) FROM findings").Scan(&n); err != nil || n > 0 { // another process was faster
			return err
		}
		for _, r := range append(findings, flaky...) {
			if err := s.importFolder(tx, r); err != nil {
				return fmt.Errorf("taking in %s: %w", r.Dir(), err)
			}
		}
		return nil
	})
}

// importFolder takes in one folder. Its record says all but the texts of the cases and the runs.
func (s *Store) importFolder(tx *sql.Tx, r *Record) error {
	dir := filepath.Join(s.Findings(), r.Dir())
	if r.Flaky {
		dir = filepath.Join(s.Findings(), flakyDir, r.Dir())
	}
	f, err := readFinding(dir, r)
	if err != nil {
		return err
	}
	doc, err := packFinding(f)
	if err != nil {
		return err
	}
	status, detail := r.Status, r.StatusDetail
	if status == "" {
		status = StatusOpen
	}
	res, err := tx.Exec("INSERT INTO findings (flaky, number, slug, status, detail, count, found, seen, revision, exported, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, 1, ?)",
		r.Flaky, r.Number, strings.TrimPrefix(r.Dir(), fmt.Sprintf("%04d-", r.Number)), status, detail, r.Count, stamp(r.Found), stamp(r.LastSeen), doc)
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	for _, e := range r.History {
		if _, err := tx.Exec("INSERT INTO history (finding, time, what, text) VALUES (?, ?, ?, ?)", id, stamp(e.Time), e.What, e.Text); err != nil {
			return err
		}
	}
	for _, c := range r.Checks {
		if err := putCheck(tx, id, c); err != nil {
			return err
		}
	}
	if len(r.Signatures) == 0 {
		r.Signatures = []Signed{{r.Signature, ownSignature}}
	}
	for _, sig := range r.Signatures {
		if old, err := rowOf(tx, sig.Key); err != nil || old != nil { // a copy of a folder
			if err != nil {
				return err
			}
			continue
		}
		if err := addSignature(tx, id, sig.Signature, sig.Reason); err != nil {
			return err
		}
	}
	return nil
}

// readFinding reads a finding back from its folder.
func readFinding(dir string, r *Record) (*finding.Finding, error) {
	text := func(name string) (string, error) {
		b, err := ReadFile(dir, name)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return string(b), err
	}
	script, err := text(caseFile)
	if err != nil {
		return nil, err
	}
	small, err := text(minFile)
	if err != nil {
		return nil, err
	}
	model, err := text(modelFile)
	if err != nil {
		return nil, err
	}
	sources, err := readSources(dir, r)
	if err != nil {
		return nil, err
	}
	f := &finding.Finding{
		SignedVerdict: r.SignedVerdict, Reproduction: r.Reproduction, Sightings: r.Sightings, Sources: sources, Number: r.Number,
		Plan: &finding.Plan{Name: r.Origin.Campaign, File: r.File, Technique: r.Origin.Technique, Targets: r.Target, Limits: r.Limits},
		Case: &testcase.Wire{Script: script, Expect: r.Expect, Origin: r.Origin}, Reduced: r.Reduction,
	}
	if small != "" {
		f.Min, f.MinCheck = &testcase.Wire{Script: small, Expect: r.MinExpect, Witness: model, Origin: r.Origin}, r.MinCheck
	} else {
		f.Case.Witness = model
	}
	f.Repeat = r.Repeat
	for name, w := range map[string]*testcase.Wire{"case.trace": f.Case, "min.trace": f.Min} {
		if calls, err := text(name); err != nil {
			return nil, err
		} else if t, err := solvers.ReadTrace([]byte(calls), nil); w != nil && err == nil && (t.HasCustom() || t.Several()) {
			w.Trace = calls
		}
	}
	recorded, err := text(answersFile)
	if err != nil {
		return nil, err
	}
	if answers, err := testcase.DecodeAnswers([]byte(recorded)); err == nil { // else the solvers are asked again
		f.Case.Origin.Answers = answers
	}
	for i := 0; ; i++ {
		earlier, err := text(beforeFile(i))
		if err != nil {
			return nil, err
		}
		if earlier == "" {
			break
		}
		f.Before = append(f.Before, earlier)
	}
	for prefix, into := range map[string]*[]finding.Run{"": &f.Runs, "confirm-": &f.Confirm, "min-": &f.MinRuns} {
		if *into, err = readRuns(dir, prefix); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// OfCase reports whether a file of runs/ is of a run of the case as it was found, not of its repetition, its reduced form, or
// a trial.
func OfCase(name string) bool {
	return !slices.ContainsFunc([]string{"min-", "confirm-", "plain-", "trial-"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// readRuns reads the runs of one group back.
func readRuns(dir, prefix string) ([]finding.Run, error) {
	names, err := filepath.Glob(filepath.Join(dir, "runs", prefix+"*.json"))
	if err != nil {
		return nil, err
	}
	var out []finding.Run
	for _, path := range names {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if prefix == "" && !OfCase(name) {
			continue
		}
		text, err := ReadFile(dir, "runs/"+name+".json")
		if err != nil {
			return nil, err
		}
		var r finding.Run
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if said, err := ReadFile(dir, "out/"+name+".txt"); err == nil {
			r.Stdout, r.Stderr, _ = strings.Cut(string(said), "--- stderr\n")
		}
		out = append(out, r)
	}
	return out, nil
}
