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

// migrations bring a database from version i (PRAGMA user_version) to i+1. What was released is never edited: a change of
// the schema is a new element.
var migrations = []string{
	`
CREATE TABLE findings (
	id       INTEGER PRIMARY KEY,
	flaky    INTEGER NOT NULL, -- flaky ones are numbered on their own
	number   INTEGER NOT NULL,
	slug     TEXT    NOT NULL,
	status   TEXT    NOT NULL, -- see Status
	detail   TEXT    NOT NULL, -- the version, number or address that belongs to the status
	count    INTEGER NOT NULL, -- verdicts so far
	found    TEXT    NOT NULL,
	seen     TEXT    NOT NULL,
	revision INTEGER NOT NULL, -- grows with each change
	exported INTEGER NOT NULL, -- the revision that the folder has
	doc      BLOB    NOT NULL, -- campaign.Finding, JSON, zlib
	UNIQUE (flaky, number)
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
	hits     INTEGER NOT NULL,
	tries    INTEGER NOT NULL,
	outcome  TEXT NOT NULL,
	time     TEXT NOT NULL,
	PRIMARY KEY (finding, kind, version)
) STRICT;
CREATE TABLE held ( -- verdicts that a campaign has seen and not settled
	campaign  TEXT NOT NULL,
	seed      TEXT NOT NULL,
	signature TEXT NOT NULL,
	number    INTEGER NOT NULL, -- of the case
	doc       BLOB NOT NULL,
	PRIMARY KEY (campaign, seed, signature, number)
) STRICT;
CREATE TABLE progress (
	campaign TEXT NOT NULL, -- key of the campaign, see Campaign
	seed     TEXT NOT NULL,
	next     INTEGER NOT NULL,
	open     TEXT NOT NULL, -- JSON: ranges below next that are not done
	updated  TEXT NOT NULL,
	PRIMARY KEY (campaign, seed)
) STRICT;
CREATE TABLE runs (
	id       INTEGER PRIMARY KEY,
	dir      TEXT NOT NULL UNIQUE, -- below the folder of the database
	campaign TEXT NOT NULL,
	started  TEXT NOT NULL,
	stats    TEXT NOT NULL -- campaign.Stats, JSON; empty before the first
) STRICT;
`,
	`
CREATE TABLE checks_of_builds (
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
INSERT INTO checks_of_builds (finding, kind, version, build, hits, tries, outcome, time, doc)
	SELECT finding, kind, version, '', hits, tries, outcome, time, '' FROM checks;
DROP TABLE checks;
ALTER TABLE checks_of_builds RENAME TO checks;
`,
	`
ALTER TABLE held ADD COLUMN count INTEGER NOT NULL DEFAULT 1; -- verdicts like it of cases that are done
`,
	`
CREATE TABLE campaigns ( -- what those with progress are made of
	key      TEXT PRIMARY KEY,
	file     TEXT NOT NULL,
	settings TEXT NOT NULL, -- JSON
	parts    TEXT NOT NULL, -- JSON: hashes of the texts of the file and of the modules that it loads, by name
	updated  TEXT NOT NULL
) STRICT;
CREATE INDEX campaigns_file ON campaigns(file);
`,
	`
ALTER TABLE progress ADD COLUMN modes TEXT NOT NULL DEFAULT ''; -- what the shares of modes follow from
`,
	`
CREATE TABLE leaders ( -- which coordinator writes, of the campaigns of clusters
	campaign TEXT PRIMARY KEY, -- its name in the cluster
	epoch    INTEGER NOT NULL, -- its term
	revision INTEGER NOT NULL
) STRICT;
`,
	`
ALTER TABLE findings ADD COLUMN reported TEXT NOT NULL DEFAULT ''; -- address of the report to the developers of the solver
UPDATE findings SET reported = detail, status = 'open', detail = '', revision = revision + 1 WHERE status = 'upstream';
`,
	`
CREATE TABLE records ( -- what lists and reports show of a finding, as its folder has it
	finding  INTEGER PRIMARY KEY REFERENCES findings(id) ON DELETE CASCADE,
	revision INTEGER NOT NULL, -- of the finding: an earlier one does not count
	doc      BLOB    NOT NULL  -- folder.Record, JSON, zlib
) STRICT;
`,
}

// dsn names the database for the driver. Writers wait for each other up to ten seconds; what a transaction has written is
// on the disk when it ends.
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

// openDatabase opens and migrates the database in a folder.
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
	if err := migrate(db); err != nil {
		return nil, errors.Join(explain(path, err), db.Close())
	}
	return db, nil
}

func schemaVersion(db *sql.DB) (v int, err error) {
	err = db.QueryRow("PRAGMA user_version").Scan(&v)
	return v, err
}

func tooNew(v int) error {
	return fmt.Errorf("written by a newer smtlark (schema %d, this one knows %d); use that one", v, len(migrations))
}

// migrate brings the database to the newest schema, one transaction a step.
func migrate(db *sql.DB) error {
	v, err := schemaVersion(db)
	if err != nil {
		return err
	}
	if v > len(migrations) {
		return tooNew(v)
	}
	for ; v < len(migrations); v++ {
		tx, err := db.BeginTx(context.Background(), nil)
		if err != nil {
			return err
		}
		if _, err = tx.Exec(migrations[v]); err == nil {
			_, err = tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", v+1))
		}
		if err != nil {
			return errors.Join(fmt.Errorf("schema %d: %w", v+1, err), tx.Rollback())
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// openForReading opens the database in a folder without writing to it, but for bringing one of an older smtlark up to date;
// fs.ErrNotExist when there is none.
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
			var v int
			if v, err = schemaVersion(db); err == nil && v > len(migrations) {
				err = tooNew(v)
			} else if err == nil && v < len(migrations) {
				if err = update(out); err == nil {
					return db, nil
				}
				err = fmt.Errorf("schema %d is older than %d, and the database cannot be brought up to date: %w", v, len(migrations), err)
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

// update migrates the database in a folder.
func update(out string) error {
	db, err := openDatabase(out)
	if err != nil {
		return err
	}
	return db.Close()
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
