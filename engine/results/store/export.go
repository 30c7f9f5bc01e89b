package store

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

const lockFile = ".lock"

// folders are those of the findings, which follow the database.
type folders struct{ *database }

// lifecycleOf returns the facts about a finding that the database has in addition to its document.
func lifecycleOf(q querier, r *row) (*folder.Lifecycle, error) {
	l := &folder.Lifecycle{LastSeen: parseTime(r.seen), Status: r.status, StatusDetail: r.detail, Reported: r.reported}
	var err error
	if l.Signatures, err = signaturesOf(q, r.id); err != nil {
		return nil, err
	}
	if l.Checks, err = checksOf(q, r.id); err != nil {
		return nil, err
	}
	l.History, err = historyOf(q, r.id)
	return l, err
}

func historyOf(q querier, id int64) ([]folder.HistoryEvent, error) {
	rows, err := q.Query("SELECT time, what, text FROM history WHERE finding = ? ORDER BY id", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []folder.HistoryEvent
	for rows.Next() {
		var e folder.HistoryEvent
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
func (s *folders) exportFinding(f *finding.Finding) error {
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
func (s *folders) exportStale() error {
	rows, err := rowsWhere(s.db, "WHERE exported < revision ORDER BY flaky, number")
	if err != nil {
		return fmt.Errorf("%s: %w", s.path(), err)
	}
	var written []*row
	for _, r := range rows {
		err := s.writeFolder(r, false)
		if err == nil {
			written = append(written, r)
		} else if err = s.leaveOut(r, err); err != nil {
			return errors.Join(err, s.noteExported(written))
		}
	}
	return s.noteExported(written) // in one transaction: each takes as long as a folder does
}

// Stale counts the folders that are out of date.
func (s *folders) Stale() (n int, err error) {
	err = s.db.QueryRow("SELECT count(*) FROM findings WHERE exported < revision").Scan(&n)
	return n, err
}

// Export writes all folders anew, including those that users removed, and returns their number.
func (s *folders) Export() (int, error) {
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
	return n, errors.Join(s.removeStale(".", names[false]), s.removeStale(folder.FlakyDir, names[true]))
}

// export writes one folder, see writeFolder, and notes that in the database.
func (s *folders) export(r *row, again bool) error {
	if err := s.writeFolder(r, again); err != nil {
		return err
	}
	return s.noteExported([]*row{r})
}

// writeFolder writes one folder. If the folder existed before and is gone, a user removed it; then it is written only
// if again is true.
func (s *folders) writeFolder(r *row, again bool) error {
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
	told, err := lifecycleOf(s.db, r)
	if err != nil {
		return err
	}
	files, record, err := folder.FilesOf(f, dir, told)
	if err != nil {
		return err
	}
	if r.record, err = pack(record); err != nil {
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
		err = folder.Refresh(root, r.dir(), files)
	case errors.Is(err, fs.ErrNotExist) && (r.export == 0 || again):
		err = folder.Create(root, r.dir(), files)
	case errors.Is(err, fs.ErrNotExist):
		// A user has removed the folder: it stays removed until Export is called.
		err = nil
	}
	if err != nil {
		return fail(err)
	}
	return nil
}

// noteExported notes in the database that folders were written, and their records.
func (s *folders) noteExported(rows []*row) error {
	if len(rows) == 0 {
		return nil
	}
	return s.change(func(tx *sql.Tx) error {
		for _, r := range rows {
			if _, err := tx.Exec("INSERT OR REPLACE INTO records (finding, revision, doc) SELECT id, ?, ? FROM findings WHERE id = ?", r.revision, r.record, r.id); err != nil {
				return err
			}
			// Another process may have written a later revision meanwhile.
			if _, err := tx.Exec("UPDATE findings SET exported = ? WHERE id = ? AND exported < ?", r.revision, r.id, r.revision); err != nil {
				return err
			}
		}
		return nil
	})
}

// Import takes in the finding in a folder, whole: under its own number where the folder is one of this store's, else
// under a new one. If a finding already has one of its signatures, that finding stays as it is and known is true. name
// is the name of the resulting finding.
func (s *Store) Import(dir string) (name string, known bool, err error) {
	r, err := folder.ReadRecord(dir)
	if err != nil {
		return "", false, err
	}
	if r.Status != "" && !slices.Contains(folder.Statuses, r.Status) {
		return "", false, fmt.Errorf("%s: %q is no status of a finding", dir, r.Status)
	}
	f, err := folder.ReadFinding(dir, r)
	if err != nil {
		return "", false, err
	}
	if len(r.Signatures) == 0 {
		r.Signatures = []folder.Signed{{Signature: r.Signature, Reason: folder.OwnSignature}}
	}
	own := sameFolder(dir, filepath.Join(s.Findings(), r.Dir())) || sameFolder(dir, filepath.Join(s.Findings(), folder.FlakyDir, r.Dir()))
	err = s.change(func(tx *sql.Tx) error {
		for _, sig := range r.Signatures {
			old, err := rowOf(tx, sig.Key)
			if err != nil {
				return err
			}
			if old != nil {
				name = old.name()
				known = true
				return nil
			}
		}
		if !own {
			if r.Number, err = s.nextNumber(tx, r.Flaky); err != nil {
				return err
			}
			if r.Status == folder.StatusDup { // of a finding that has another number here
				r.Status = folder.StatusOpen
				r.StatusDetail = ""
			}
		}
		f.Number = r.Number
		name = (&row{flaky: r.Flaky, number: r.Number}).name()
		return s.insertRecord(tx, f, r, own)
	})
	if err == nil && !known {
		err = s.exportStale()
	}
	return name, known, err
}

// Unlisted counts the folders of findings if the database has no findings at all, because a user has removed it.
func (s *Store) Unlisted() (int, error) {
	stored := 0
	if err := s.db.QueryRow("SELECT count(*) FROM findings").Scan(&stored); err != nil || stored > 0 {
		return 0, err
	}
	return len(folder.Folders(s.Findings())), nil
}

// sameFolder reports whether two paths name one folder.
func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// insertRecord stores a finding of a folder. Its record says all but the texts of the cases and the runs.
func (s *folders) insertRecord(tx *sql.Tx, f *finding.Finding, r *folder.Record, exported bool) error {
	doc, err := packFinding(f)
	if err != nil {
		return err
	}
	status, detail := r.Status, r.StatusDetail
	if status == "" {
		status = folder.StatusOpen
	}
	slug := folder.Numbered().ReplaceAllString(r.Dir(), "")
	res, err := tx.Exec(`INSERT INTO findings
		(flaky, number, slug, status, detail, reported, count, found, seen, revision, exported, doc)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)`,
		r.Flaky, r.Number, slug, status, detail, r.Reported, r.Count, stamp(r.Found), stamp(r.LastSeen), exported, doc)
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
	for _, sig := range r.Signatures {
		if old, err := rowOf(tx, sig.Key); err != nil || old != nil { // it is listed twice
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
