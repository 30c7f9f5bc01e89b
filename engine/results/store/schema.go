package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// Names within the folder that --out names.
const (
	databaseFile = "smtlark.db"
	findingsDir  = "findings"
	runsDir      = "runs"
)

// A database identifies itself by two SQLite fields: application_id, which file(1) shows, and user_version.
const (
	applicationID = 0x736d746c // "smtl"
	formatVersion = 1
)

// schema makes the tables of format 1.
const schema = `
CREATE TABLE findings (
	id       INTEGER PRIMARY KEY,
	flaky    INTEGER NOT NULL, -- flaky ones are numbered on their own
	number   INTEGER NOT NULL,
	slug     TEXT    NOT NULL,
	status   TEXT    NOT NULL, -- see Status
	detail   TEXT    NOT NULL, -- the version or number that belongs to the status
	reported TEXT    NOT NULL DEFAULT '', -- address of the report to the developers of the solver
	count    INTEGER NOT NULL, -- verdicts so far
	found    TEXT    NOT NULL,
	seen     TEXT    NOT NULL,
	revision INTEGER NOT NULL, -- grows with each change
	exported INTEGER NOT NULL, -- the revision that the folder has
	doc      BLOB    NOT NULL, -- finding.Finding, JSON, zlib
	UNIQUE (flaky, number)
) STRICT;
CREATE TABLE records ( -- what lists and reports show of a finding, as its folder has it
	finding  INTEGER PRIMARY KEY REFERENCES findings(id) ON DELETE CASCADE,
	revision INTEGER NOT NULL, -- of the finding: an earlier one does not count
	doc      BLOB    NOT NULL  -- folder.Record, JSON, zlib
) STRICT;
CREATE TABLE signatures (
	key     TEXT PRIMARY KEY,
	finding INTEGER NOT NULL REFERENCES findings(id) ON DELETE CASCADE,
	doc     TEXT NOT NULL, -- triage.Signature, JSON
	reason  TEXT NOT NULL  -- why verdicts with this signature belong to the finding
) STRICT;
CREATE INDEX signatures_finding ON signatures(finding);
CREATE TABLE history (
	id      INTEGER PRIMARY KEY,
	finding INTEGER NOT NULL REFERENCES findings(id) ON DELETE CASCADE,
	time    TEXT NOT NULL,
	what    TEXT NOT NULL, -- status, note, merge, split
	text    TEXT NOT NULL
) STRICT;
CREATE INDEX history_finding ON history(finding);
CREATE TABLE checks (
	finding  INTEGER NOT NULL REFERENCES findings(id) ON DELETE CASCADE,
	kind     TEXT NOT NULL,
	version  TEXT NOT NULL,
	build    TEXT NOT NULL, -- SHA-256 of its files; empty where it is not known
	hits     INTEGER NOT NULL,
	tries    INTEGER NOT NULL,
	outcome  TEXT NOT NULL,
	time     TEXT NOT NULL,
	doc      TEXT NOT NULL, -- build.Info, JSON; empty where the build is not known
	PRIMARY KEY (finding, kind, version, build)
) STRICT;
CREATE TABLE held ( -- verdicts that a campaign has seen and not settled
	campaign  TEXT NOT NULL,
	seed      TEXT NOT NULL,
	signature TEXT NOT NULL,
	number    INTEGER NOT NULL, -- of the case
	count     INTEGER NOT NULL, -- verdicts like it of cases that are done
	doc       BLOB NOT NULL,
	PRIMARY KEY (campaign, seed, signature, number)
) STRICT;
CREATE TABLE campaigns ( -- what those with progress are made of
	key      TEXT PRIMARY KEY,
	file     TEXT NOT NULL,
	settings TEXT NOT NULL, -- JSON
	parts    TEXT NOT NULL, -- JSON: hashes of the texts of the file and of the modules that it loads, by name
	updated  TEXT NOT NULL
) STRICT;
CREATE INDEX campaigns_file ON campaigns(file);
CREATE TABLE progress (
	campaign TEXT NOT NULL, -- key of the campaign, see Campaign
	seed     TEXT NOT NULL,
	next     INTEGER NOT NULL,
	open     TEXT NOT NULL, -- JSON: ranges below next that are not done
	modes    TEXT NOT NULL, -- what the shares of modes follow from
	updated  TEXT NOT NULL,
	PRIMARY KEY (campaign, seed)
) STRICT;
CREATE TABLE leaders ( -- which coordinator writes, of the campaigns of clusters
	campaign TEXT PRIMARY KEY, -- its name in the cluster
	epoch    INTEGER NOT NULL, -- its term
	revision INTEGER NOT NULL
) STRICT;
CREATE TABLE runs (
	id       INTEGER PRIMARY KEY,
	dir      TEXT NOT NULL UNIQUE, -- below the folder of the database
	campaign TEXT NOT NULL,
	started  TEXT NOT NULL,
	stats    TEXT NOT NULL -- metrics.Stats, JSON; empty before the first
) STRICT;
`

// dsn names the database for the driver. Writers wait for each other up to ten seconds. A transaction is on disk when
// it ends.
func dsn(path, mode string) string {
	q := url.Values{"_pragma": {"busy_timeout(10000)", "foreign_keys(1)", "synchronous(FULL)"}, "_txlock": {"immediate"}}
	switch mode {
	case "rw":
		q.Add("_pragma", "journal_mode(WAL)")
	case "immutable":
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	default:
		q.Set("mode", mode)
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}).String()
}

// openDatabase opens the database in a folder, and makes it where there is none.
func openDatabase(out string) (*sql.DB, error) {
	unlock, err := lockPath(filepath.Join(out, ".smtlark.lock"))
	if err != nil {
		return nil, err
	}
	defer unlock()
	path, err := filepath.Abs(filepath.Join(out, databaseFile))
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn(path, "rw"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	db.SetMaxOpenConns(1) // one writer a process: it never waits for itself
	if err := makeTables(db); err != nil {
		return nil, errors.Join(explain(path, err), db.Close())
	}
	return db, nil
}

// errEmpty says that a database has no tables yet: who made it was killed before that.
var errEmpty = errors.New("it is empty")

// checkFormat reports the error in the format of a database.
func checkFormat(db *sql.DB) error {
	var id, version, tables int
	if err := db.QueryRow("PRAGMA application_id").Scan(&id); err != nil {
		return err
	}
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if err := db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	switch {
	case tables == 0:
		return errEmpty
	case id != applicationID:
		return errors.New("it is no database of smtlark; give another folder with --out")
	case version != formatVersion:
		return fmt.Errorf("written by another smtlark (format %d, this one has %d); use that one", version, formatVersion)
	}
	return nil
}

// makeTables makes the tables of an empty database, all or none.
func makeTables(db *sql.DB) error {
	err := checkFormat(db)
	if !errors.Is(err, errEmpty) {
		return err
	}
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	_, err = tx.Exec(schema + fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", applicationID, formatVersion))
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// openForReading opens the database in a folder without writing to it; fs.ErrNotExist when there is none.
func openForReading(out string) (*sql.DB, error) {
	path, err := filepath.Abs(filepath.Join(out, databaseFile))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	var first error
	for _, mode := range []string{"ro", "immutable"} { // the second where nobody may write beside the database
		db, err := sql.Open("sqlite", dsn(path, mode))
		if err == nil {
			db.SetMaxOpenConns(4)
			if err = checkFormat(db); errors.Is(err, errEmpty) {
				return nil, errors.Join(fs.ErrNotExist, db.Close())
			}
			if err == nil {
				return db, nil
			}
			db.Close()
		}
		if first == nil {
			first = explain(path, err)
		}
		if !strings.Contains(err.Error(), "readonly") && !strings.Contains(err.Error(), "unable to open") && !errors.Is(err, fs.ErrPermission) {
			break
		}
	}
	return nil, first
}

// lockPath takes an exclusive lock on a file, which ends with the process at the latest.
func lockPath(path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if _, err := system.Lock(f, true); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// tryLock is lockPath that does not wait; ok is false when another process has the lock.
func tryLock(path string) (unlock func(), ok bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, false, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, false, err
	}
	if ok, err = system.Lock(f, false); !ok {
		f.Close()
		return nil, false, err
	}
	return func() { f.Close() }, true, nil
}
