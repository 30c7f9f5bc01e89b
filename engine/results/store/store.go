package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zlib"

	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

// Store is the findings and the history of the campaigns in one folder (that which --out names). It implements
// campaign.Store and campaign.Keeper. A Store is used by one goroutine at a time; any number of processes may have the
// same folder open.
type Store struct {
	*database
	folders
	lifecycle
	progress
	runs
}

// overDatabase returns the store over a database. The parts of the store have tables of their own.
func overDatabase(d *database) *Store {
	f := folders{d}
	return &Store{database: d, folders: f, lifecycle: lifecycle{f}, progress: progress{database: d}, runs: runs{d}}
}

// database is the tables of one folder, and the errors of rows that could not be read.
type database struct {
	out    string
	db     *sql.DB
	broken []error
	fence  fence
}

// Broken returns an error for each item that could not be read and was left out, with the file and a remedy.
func (s *database) Broken() []error { return s.broken }

// Open opens the store of a folder for writing; both are made if they are not there. Folders that are out of date are
// written anew. An error says that the disk is full or not writable, or that the database is another one.
func Open(out string) (*Store, error) {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, err
	}
	db, err := openDatabase(out)
	if err != nil {
		return nil, err
	}
	s := overDatabase(&database{out: out, db: db})
	if err := s.exportStale(); err != nil {
		return nil, errors.Join(explain(s.path(), err), db.Close())
	}
	return s, nil
}

// Close writes the folders that are out of date anew and closes the database.
func (s *Store) Close() error {
	_ = s.exportStale() // files that cannot be written now are written when the store is opened next
	if s.unlock != nil {
		s.unlock()
		s.unlock = nil
	}
	return s.db.Close()
}

// Findings is the folder of the findings' folders.
func (s *database) Findings() string { return filepath.Join(s.out, findingsDir) }

// row is a finding as the database has it.
type row struct {
	id               int64
	flaky            bool
	number           int
	slug             string
	status, detail   string
	reported         string
	count            int
	found, seen      string
	revision, export int
	doc              []byte
	record           []byte // see the table records; nil where it has none of this revision
}

// rowError says that the data of a finding in the database cannot be read.
type rowError struct{ err error }

func (e *rowError) Error() string { return e.err.Error() }
func (e *rowError) Unwrap() error { return e.err }

// leaveOut notes a finding that cannot be read, each once. It returns other errors.
func (s *database) leaveOut(r *row, err error) error {
	var bad *rowError
	if !errors.As(err, &bad) {
		return err
	}
	err = brokenRow(s.out, r, bad)
	if !slices.ContainsFunc(s.broken, func(e error) bool { return e.Error() == err.Error() }) {
		s.broken = append(s.broken, err)
	}
	return nil
}

const rowColumns = "id, flaky, number, slug, status, detail, reported, count, found, seen, revision, exported, doc"

func scanRow(scan func(...any) error) (*row, error) {
	r := &row{}
	err := scan(&r.id, &r.flaky, &r.number, &r.slug, &r.status, &r.detail, &r.reported, &r.count, &r.found, &r.seen, &r.revision, &r.export, &r.doc, &r.record)
	return r, err
}

// querier is a database or a transaction.
type querier interface {
	Query(query string, args ...any) (*sql.Rows, error)
	QueryRow(query string, args ...any) *sql.Row
	Exec(query string, args ...any) (sql.Result, error)
}

// rowsWhere returns findings; where starts with WHERE or ORDER, or is empty.
func rowsWhere(q querier, where string, args ...any) ([]*row, error) {
	return queryRows(q, "SELECT "+rowColumns+", NULL FROM findings "+where, args...)
}

// rowsWithRecords returns all findings, with the record in the place of the document where there is one.
func rowsWithRecords(q querier) ([]*row, error) {
	columns := strings.TrimSuffix(rowColumns, ", doc")
	return queryRows(q, `WITH made AS (SELECT finding, revision AS made, doc AS record FROM records)
		SELECT `+columns+`, CASE WHEN record IS NULL THEN doc END, record FROM findings LEFT JOIN made ON finding = id AND made = revision
		ORDER BY flaky, number`)
}

func queryRows(q querier, query string, args ...any) ([]*row, error) {
	rows, err := q.Query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []*row
	for rows.Next() {
		r, err := scanRow(rows.Scan)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// rowOf returns the finding that has a signature; nil when there is none.
func rowOf(q querier, key string) (*row, error) {
	rows, err := rowsWhere(q, "WHERE id = (SELECT finding FROM signatures WHERE key = ?)", key)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

func (r *row) finding() (*finding.Finding, error) {
	f := &finding.Finding{}
	if err := unpack(r.doc, f); err != nil {
		return nil, &rowError{fmt.Errorf("%s: %w", r.name(), err)}
	}
	f.Number, f.Flaky, f.Count, f.Standing = r.number, r.flaky, max(1, r.count), r.status // what is stored was seen, if not yet noted as done
	f.Dir = r.dir()
	return f, nil
}

// name returns the name of the finding for people.
func (r *row) name() string { return "finding " + r.address() }

// address returns the name of the finding on the command line, such as 7 or flaky/2.
func (r *row) address() string {
	if r.flaky {
		return fmt.Sprintf("flaky/%d", r.number)
	}
	return strconv.Itoa(r.number)
}

// dir is the folder of the finding below that of all findings. A slug is part of a name there, whatever the database
// says.
func (r *row) dir() string {
	name := fmt.Sprintf("%04d-%s", r.number, notPath().ReplaceAllString(r.slug, "-"))
	if r.flaky {
		return filepath.Join(folder.FlakyDir, name)
	}
	return name
}

// notPath matches the characters that the name of one folder has none of.
var notPath = pattern.Lazy(`[/\\[:cntrl:]]+`)

// pack and unpack are for documents in the database.
func pack(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write(text) // a buffer takes everything
	_ = w.Close()
	return b.Bytes(), nil
}

func unpack(doc []byte, into any) error {
	r, err := zlib.NewReader(bytes.NewReader(doc))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// packFinding encodes a finding without data that it shares with other findings.
func packFinding(f *finding.Finding) ([]byte, error) {
	g := *f
	if f.Plan != nil {
		p := *f.Plan
		p.BrokenSeeds = nil
		g.Plan = &p
	}
	return pack(&g)
}

const timeFormat = time.RFC3339Nano

func stamp(t time.Time) string { return t.UTC().Format(timeFormat) }

func parseTime(s string) time.Time {
	t, _ := time.Parse(timeFormat, s)
	return t
}

// change runs f in a transaction.
func (s *database) change(f func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(context.Background(), nil)
	if err != nil {
		return explain(s.path(), err)
	}
	if err = s.fence.check(tx); err == nil {
		err = f(tx)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		_ = tx.Rollback()
		return explain(s.path(), err)
	}
	return nil
}

func (s *database) path() string { return filepath.Join(s.out, databaseFile) }

// Known returns all findings that reproduced, and whose signatures are then counted, not stored again.
func (s *Store) Known() ([]*finding.Finding, error) {
	rows, err := rowsWhere(s.db, "WHERE flaky = 0 ORDER BY number")
	if err != nil {
		return nil, explain(s.path(), err)
	}
	var out []*finding.Finding
	for _, r := range rows {
		sigs, err := signaturesOf(s.db, r.id)
		if err != nil {
			if err = s.leaveOut(r, err); err != nil {
				return nil, err
			}
			continue
		}
		for _, sig := range sigs {
			f := &finding.Finding{}
			if err := s.adopt(f, r); err != nil {
				if err = s.leaveOut(r, err); err != nil {
					return nil, err
				}
				break
			}
			f.Signature = sig.Signature
			out = append(out, f)
		}
	}
	return out, nil
}

func signaturesOf(q querier, id int64) ([]folder.Signed, error) {
	rows, err := q.Query("SELECT doc, reason FROM signatures WHERE finding = ? ORDER BY rowid", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []folder.Signed
	for rows.Next() {
		var doc string
		var sig folder.Signed
		if err := rows.Scan(&doc, &sig.Reason); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(doc), &sig.Signature); err != nil {
			return nil, &rowError{fmt.Errorf("signature of finding with id %d: %w", id, err)}
		}
		out = append(out, sig)
	}
	return out, rows.Err()
}

func addSignature(tx *sql.Tx, id int64, sig triage.Signature, reason string) error {
	doc, err := json.Marshal(sig)
	if err != nil {
		return err
	}
	_, err = tx.Exec("INSERT INTO signatures (key, finding, doc, reason) VALUES (?, ?, ?, ?)", sig.Key, id, string(doc), reason)
	return err
}

// adopt turns f into a finding that is stored already.
func (s *Store) adopt(f *finding.Finding, r *row) error {
	g, err := r.finding()
	if err != nil {
		return err
	}
	f.Known, f.Number, f.Dir, f.Signature, f.Slug, f.Verdict, f.Logic = true, r.number, filepath.Join(s.Findings(), r.dir()), g.Signature, r.slug, g.Verdict, g.Logic
	f.Flaky, f.Hits, f.Tries, f.Standing = false, g.Hits, g.Tries, r.status
	return nil
}

// ExportError says that a finding is safe in the database, but that its folder could not be written. The next Open, or
// `smtlark findings export`, writes it.
type ExportError struct {
	Dir string
	Err error
}

func (e *ExportError) Error() string {
	return fmt.Sprintf("the finding is in the database, but its folder %s could not be written: %v", e.Dir, e.Err)
}
func (e *ExportError) Unwrap() error { return e.Err }

// Stored tells a campaign that nothing is lost.
func (e *ExportError) Stored() bool { return true }

// Save stores a finding; see campaign.Store.
func (s *Store) Save(f *finding.Finding) error {
	var old *row
	written := false // anew, in the place of the old one
	err := s.change(func(tx *sql.Tx) (err error) {
		if old, err = rowOf(tx, f.Signature.Key); err != nil {
			return err
		}
		counted, err := s.countOfHeld(tx, f) // of cases that are done; the others come with the next checkpoint
		if err != nil {
			return err
		}
		if old == nil {
			return s.insert(tx, f, counted)
		}
		if _, err := tx.Exec("UPDATE findings SET count = count + ? WHERE id = ?", counted, old.id); err != nil {
			return err
		}
		_, unreadable := old.finding()
		switch {
		case old.flaky == f.Flaky && (f.Flaky || unreadable != nil): // seen again and again not reproduced, or nothing is known of it
			f.Number, written = old.number, true
			if err := s.rewrite(tx, old.id, f); err != nil {
				return err
			}
		case old.flaky: // it was thought to be flaky
			if f.Number, err = s.nextNumber(tx, false); err != nil {
				return err
			}
			if _, err = tx.Exec("UPDATE findings SET flaky = 0, number = ?, slug = ?, exported = 0 WHERE id = ?", f.Number, f.Slug, old.id); err != nil {
				return err
			}
			if err := s.rewrite(tx, old.id, f); err != nil {
				return err
			}
		}
		return s.release(tx, f)
	})
	if err != nil {
		return err
	}
	if !s.isKept() { // no checkpoint will come
		f.Booked = f.Count
	}
	if old != nil && !old.flaky && !written {
		return s.adopt(f, old)
	}
	if old != nil && !f.Flaky {
		if root, err := os.OpenRoot(s.Findings()); err == nil {
			_ = root.RemoveAll(old.dir())
			root.Close()
		}
	}
	return s.exportFinding(f)
}

// insert stores a new finding; count is the number of its verdicts known so far.
func (s *Store) insert(tx *sql.Tx, f *finding.Finding, count int) (err error) {
	if f.Number, err = s.nextNumber(tx, f.Flaky); err != nil {
		return err
	}
	doc, err := packFinding(f)
	if err != nil {
		return err
	}
	if f.Found.IsZero() {
		f.Found = time.Now()
	}
	res, err := tx.Exec("INSERT INTO findings (flaky, number, slug, status, detail, count, found, seen, revision, exported, doc) VALUES (?, ?, ?, ?, '', ?, ?, ?, 1, 0, ?)",
		f.Flaky, f.Number, f.Slug, folder.StatusOpen, count, stamp(f.Found), stamp(time.Now()), doc)
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	if err := addSignature(tx, id, f.Signature, folder.OwnSignature); err != nil {
		return err
	}
	return s.release(tx, f)
}

// rewrite stores everything about a finding again except its count, to which other processes also add. A held verdict
// stays: after a kill, the case of a finding is made again, and its verdict waits to be counted here.
func (s *Store) rewrite(tx *sql.Tx, id int64, f *finding.Finding) error {
	doc, err := packFinding(f)
	if err != nil {
		return err
	}
	_, err = tx.Exec("UPDATE findings SET seen = ?, revision = revision + 1, doc = ? WHERE id = ?", stamp(time.Now()), doc, id)
	return err
}

// nextNumber returns the next free number: neither in the database nor taken by a folder.
func (s *Store) nextNumber(q querier, flaky bool) (int, error) {
	last := 0
	if err := q.QueryRow("SELECT coalesce(max(number), 0) FROM findings WHERE flaky = ?", flaky).Scan(&last); err != nil {
		return 0, err
	}
	dir := s.Findings()
	if flaky {
		dir = filepath.Join(dir, folder.FlakyDir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	for _, e := range entries {
		if m := folder.Numbered().FindStringSubmatch(e.Name()); m != nil && e.IsDir() {
			if n, err := strconv.Atoi(m[1]); err == nil {
				last = max(last, n)
			}
		}
	}
	return last + 1, nil
}

// Update stores the changed parts of a saved finding; see campaign.Store. A finding whose signature turns out to be
// that of another one becomes a duplicate of it.
func (s *Store) Update(f *finding.Finding) error {
	if f.Known {
		return s.seenAgain(f)
	}
	var gone bool
	err := s.change(func(tx *sql.Tx) error {
		rows, err := rowsWhere(tx, "WHERE flaky = ? AND number = ?", f.Flaky, f.Number)
		if err != nil {
			return err
		}
		if gone = len(rows) == 0; gone {
			return nil
		}
		id := rows[0].id
		same, err := rowOf(tx, f.Signature.Key)
		if err != nil {
			return err
		}
		if same == nil { // it was refined: the new signature takes the place of the old one
			if _, err := tx.Exec("DELETE FROM signatures WHERE finding = ? AND key = ?", id, f.Signature.Bucket); err != nil {
				return err
			}
			if err := addSignature(tx, id, f.Signature, folder.OwnSignature); err != nil {
				return err
			}
		} else if same.id != id {
			if _, err := tx.Exec("DELETE FROM signatures WHERE finding = ? AND key = ?", id, f.Signature.Bucket); err != nil {
				return err
			}
			if rows[0].status != folder.StatusDup { // else another one has its count already
				if _, err := tx.Exec("UPDATE findings SET count = count + ? WHERE id = ?", rows[0].count, same.id); err != nil {
					return err
				}
				if err := setStatus(tx, id, folder.StatusDup, strconv.Itoa(same.number), "the reduced cases have the same skeleton: "+f.Signature.Text); err != nil {
					return err
				}
			}
		}
		if !s.isKept() {
			if err := book(tx, f); err != nil {
				return err
			}
		}
		return s.rewrite(tx, id, f)
	})
	if err != nil || gone {
		return err
	}
	if !s.isKept() {
		f.Booked = f.Count
	}
	return s.exportFinding(f)
}

// book adds the verdicts of a saved finding that the database does not have yet. If another campaign has reduced the
// finding meanwhile, its signature may have changed or may belong to another finding, or the finding may have become a
// duplicate.
func book(tx *sql.Tx, f *finding.Finding) error {
	r, err := rowOf(tx, f.Signature.Key)
	if err != nil {
		return err
	}
	if r == nil {
		number := strconv.Itoa(f.Number)
		if f.Flaky {
			number = "flaky/" + number
		}
		r, err = byNumber(tx, number)
	}
	if err == nil {
		r, err = original(tx, r)
	}
	if errors.Is(err, ErrNoFinding) { // somebody removed it
		return nil
	}
	if err != nil {
		return err
	}
	if f.Count == f.Booked {
		return nil
	}
	_, err = tx.Exec("UPDATE findings SET count = count + ?, revision = revision + 1 WHERE id = ?", f.Count-f.Booked, r.id)
	return err
}

// maxDuplicates bounds how many duplicates of duplicates are followed.
const maxDuplicates = 8

// countOfHeld returns how many verdicts were booked for a finding before it was saved.
func (s *progress) countOfHeld(tx *sql.Tx, f *finding.Finding) (n int, err error) {
	if !s.isKept() || f.Case == nil {
		return f.Count - f.Booked, nil
	}
	err = tx.QueryRow("SELECT count FROM held WHERE campaign = ? AND seed = ? AND signature = ? AND number = ?", s.campaign, s.seed, f.Signature.BucketKey(), f.Case.Origin.Number).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, err
}

// seenAgain adds the sightings of this campaign to a finding of an earlier one.
func (s *Store) seenAgain(f *finding.Finding) error {
	err := s.change(func(tx *sql.Tx) error {
		r, err := rowOf(tx, f.Signature.Key)
		if err != nil || r == nil || f.Count == 0 {
			return err
		}
		if !s.isKept() {
			if f.Count == f.Booked {
				return nil
			}
			if err := book(tx, f); err != nil {
				return err
			}
		}
		g, err := r.finding()
		if err != nil {
			return err
		}
		g.Members = append(g.Members, f.Members...)
		g.Members = g.Members[:min(len(g.Members), maxMembers)]
		f.Members = nil
		return s.rewrite(tx, r.id, g)
	})
	if err != nil {
		return err
	}
	if !s.isKept() {
		f.Booked = f.Count
	}
	if err := s.exportStale(); err != nil || f.Count == 0 {
		return err
	}
	r, err := rowOf(s.db, f.Signature.Key)
	if err != nil || r == nil {
		return err
	}
	_, err = s.restore(r)
	return err
}

// restore writes the folder of a finding again if somebody removed it, because a finding that a campaign has just seen,
// or that was asked for, must have its folder. It reports whether the folder was gone.
func (s *folders) restore(r *row) (gone bool, err error) {
	if _, err := os.Stat(filepath.Join(s.Findings(), r.dir())); !errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return true, s.export(r, true)
}

// Restore writes the folder of a finding, such as "7" or "flaky/2", anew where it was removed. It returns the folder,
// and whether it was gone; the error wraps ErrNoFinding when there is no such finding.
func (s *folders) Restore(number string) (dir string, gone bool, err error) {
	r, err := byNumber(s.db, number)
	if err != nil {
		return "", false, err
	}
	gone, err = s.restore(r)
	return filepath.Join(s.Findings(), r.dir()), gone, err
}

// maxMembers bounds the duplicates that a finding lists.
const maxMembers = 40
