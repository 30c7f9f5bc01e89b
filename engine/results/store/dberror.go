package store

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// DatabaseError is an error of the database in words that say what to do. It wraps the error of SQLite.
type DatabaseError struct {
	Path string // of the database
	What string // what is wrong
	Do   string // how the user can fix it
	Err  error
}

func (e *DatabaseError) Error() string {
	return fmt.Sprintf("%s: %s: %s (%v)", e.Path, e.What, e.Do, e.Err)
}
func (e *DatabaseError) Unwrap() error { return e.Err }

// Advice that several errors share.
const (
	noRoom     = "disk full or file too large"
	makeRoom   = "free space on the disk, or raise the quota or the limit of file sizes (ulimit -f), and run the same command again: what is stored is kept"
	letWrite   = "let the user write this file and its folder, or name another folder with --out"
	newStore   = "move smtlark.db, smtlark.db-wal and smtlark.db-shm away; `smtlark findings import findings` there makes a new database of the folders in findings/"
	otherWrite = "another process writes for long: end it, or name another folder with --out, and run the same command again"
)

// explain turns an error of SQLite into a *DatabaseError; others are given the path of the database. nil stays nil.
//
// The codes are those of https://sqlite.org/rescode.html; a file system that is full is SQLITE_FULL, while a quota or a
// limit of the size of files shows as a write, a truncation or a mapping that fails.
func explain(path string, err error) error {
	if err == nil {
		return nil
	}
	var told *DatabaseError
	if errors.As(err, &told) {
		return err
	}
	var sq *sqlite.Error
	if !errors.As(err, &sq) {
		return fmt.Errorf("%s: %w", path, err)
	}
	e := &DatabaseError{Path: path, Err: err}
	switch sq.Code() {
	case sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP, sqlite3.SQLITE_IOERR_FSYNC:
		e.What, e.Do = noRoom, makeRoom
		return e
	}
	switch sq.Code() & 0xff { // the rest of an extended code says how it came to it
	case sqlite3.SQLITE_FULL:
		e.What, e.Do = noRoom, makeRoom
	case sqlite3.SQLITE_IOERR:
		e.What, e.Do = "the disk cannot be read or written", "look at the disk (dmesg, df, mount) or name another folder with --out"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		e.What, e.Do = "it cannot be opened for writing", letWrite
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		e.What, e.Do = "it is damaged or no database of smtlark", newStore
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		e.What, e.Do = "it is in use", otherWrite
	default:
		return fmt.Errorf("%s: %w", path, err)
	}
	return e
}
