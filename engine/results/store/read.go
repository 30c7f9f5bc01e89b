package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

// Reader looks at the store of a folder without writing to it, while campaigns may run.
type Reader struct {
	out string
	db  *sql.DB // nil: there is none

	broken []error
}

// Broken returns an error for each item that could not be read and was left out, with the file and a remedy.
func (r *Reader) Broken() []error { return r.broken }

// brokenRow says that the database has a finding that cannot be read.
func brokenRow(out string, r *row, err error) error {
	return fmt.Errorf("%s: %w; it is left out, the others are not. Its folder %s has its files; a backup of the database has the row",
		filepath.Join(out, databaseFile), err, filepath.Join(out, findingsDir, r.dir()))
}

// OpenReader opens the store in a folder for reading. A folder without a database has no findings. The error is
// fs.ErrNotExist when there is no such folder.
func OpenReader(out string) (*Reader, error) {
	if _, err := os.Stat(out); err != nil {
		return nil, err
	}
	db, err := openForReading(out)
	if errors.Is(err, fs.ErrNotExist) {
		return &Reader{out: out}, nil
	}
	if err != nil {
		return nil, err
	}
	return &Reader{out: out, db: db}, nil
}

// Close closes the database.
func (r *Reader) Close() error {
	if r.db == nil {
		return nil
	}
	return r.db.Close()
}

// HeldSeeds returns the seeds of the campaigns whose verdicts wait to be settled.
func (r *Reader) HeldSeeds() (map[uint64]bool, error) {
	seeds := map[uint64]bool{}
	if r.db == nil {
		return seeds, nil
	}
	rows, err := r.db.Query("SELECT DISTINCT seed FROM held")
	if err != nil {
		return nil, explain(filepath.Join(r.out, databaseFile), err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		if seed, err := strconv.ParseUint(text, 0, 64); err == nil {
			seeds[seed] = true
		}
	}
	return seeds, rows.Err()
}

// Findings returns all findings by number, then those that never reproduced. Record.Path is the folder of each.
func (r *Reader) Findings() ([]*folder.Record, error) {
	var out []*folder.Record
	if r.db == nil {
		dir := filepath.Join(r.out, findingsDir)
		if n := len(folder.Folders(dir)); n > 0 {
			r.broken = append(r.broken, fmt.Errorf("%s has findings (%d) and there is no %s beside it: `smtlark findings import %s --out %s` takes them in", dir, n, databaseFile, dir, r.out))
		}
		return nil, nil
	}
	rows, err := rowsWithRecords(r.db)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.out, err)
	}
	for _, row := range rows {
		rec, err := r.record(row)
		if err != nil {
			r.broken = append(r.broken, brokenRow(r.out, row, err))
			continue
		}
		row.record = nil
		out = append(out, rec)
	}
	return out, nil
}

// record returns the record of a finding: the one stored when its folder was written, with the current counts from the
// database; else a new one.
func (r *Reader) record(row *row) (*folder.Record, error) {
	if row.record == nil {
		_, rec, err := r.load(row)
		return rec, err
	}
	rec := &folder.Record{}
	if unpack(row.record, rec) != nil {
		_, rec, err := r.Finding(row.address())
		return rec, err
	}
	rec.Number, rec.Flaky, rec.Count = row.number, row.flaky, max(1, row.count)
	rec.LastSeen, rec.Status, rec.StatusDetail, rec.Reported = parseTime(row.seen), row.status, row.detail, row.reported
	rec.Path = filepath.Join(r.out, findingsDir, row.dir())
	return rec, nil
}

func (r *Reader) load(row *row) (*finding.Finding, *folder.Record, error) {
	f, err := row.finding()
	if err != nil {
		return nil, nil, err
	}
	told, err := lifecycleOf(r.db, row)
	if err != nil {
		return nil, nil, err
	}
	rec := folder.RecordOf(f, told)
	rec.Path = filepath.Join(r.out, findingsDir, row.dir())
	f.Dir = rec.Path
	return f, rec, nil
}

// Finding returns one finding, such as "7" or "flaky/2", with its cases and runs. The error wraps ErrNoFinding when
// there is none.
func (r *Reader) Finding(number string) (*finding.Finding, *folder.Record, error) {
	if r.db == nil {
		return nil, nil, fmt.Errorf("%w %s: %s has no %s", ErrNoFinding, number, r.out, databaseFile)
	}
	row, err := byNumber(r.db, number)
	if err != nil {
		return nil, nil, err
	}
	return r.load(row)
}

// RunRecord is one run of a campaign.
type RunRecord struct {
	Campaign string
	Started  time.Time
	Dir      string         // its folder, with events.jsonl and stats.json; may be gone
	Stats    *metrics.Stats // the latest; nil before the first
}

// ReadRun reads the folder of a run.
func ReadRun(dir string) (*RunRecord, error) {
	path := filepath.Join(dir, "stats.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	st := &metrics.Stats{}
	if err := json.Unmarshal(text, st); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if st.Version > metrics.StatsVersion {
		return nil, fmt.Errorf("%s: written by a newer smtlark (format %d, this one knows %d)", path, st.Version, metrics.StatsVersion)
	}
	return &RunRecord{Campaign: st.Campaign, Started: st.Started, Dir: dir, Stats: st}, nil
}

// Recorded returns the answers of solvers that a case of a campaign was made with when it became a finding in a folder.
// command is the command that runs the campaign, without its seed.
func Recorded(out, command string, seed, number uint64) (testcase.Answers, error) {
	r, err := OpenReader(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // nothing was found there yet
	}
	if err != nil {
		return nil, err
	}
	all, err := r.Findings()
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	for _, rec := range all {
		if rec.Replay == folder.CaseCommand(command, seed, number)+rec.Case.Origin.MixFlags()+rec.Case.Origin.ExpectFlag() {
			return rec.Case.Origin.Answers, err
		}
	}
	return nil, err
}
