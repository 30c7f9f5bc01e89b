package cache

import (
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/smtlark/smtlark/engine/language/normal"
)

// database is the answers that processes share. Writes happen in the background, many in one transaction. If a process
// is killed, only the answers that it had not written yet are lost.
type database struct {
	path  string
	limit int64
	db    *sql.DB
	find  *sql.Stmt
	queue chan *answer
	done  chan struct{} // closed when everything in the queue is written
	mu    sync.Mutex
	fault error // why the database is not used any more
}

// databaseFile has the version of the schema in its name, so that smtlark versions with different schemas use different
// databases.
const databaseFile = "answers-1.db"

const schema = `
CREATE TABLE IF NOT EXISTS answers (
	id    INTEGER PRIMARY KEY, -- the least is the oldest
	key   BLOB    NOT NULL UNIQUE,
	doc   BLOB    NOT NULL, -- see encode
	seal  BLOB    NOT NULL  -- hash of key and doc
) STRICT;
CREATE TABLE IF NOT EXISTS counts (
	id  INTEGER PRIMARY KEY CHECK (id = 1),
	doc TEXT NOT NULL -- Counts, JSON
) STRICT;
`

// openDatabase opens the database in a folder; both are made if they are not there. A damaged database is moved away,
// because its answers can be computed again.
func openDatabase(folder string, limit int64) (*database, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of the cache cannot be made: %w; name another one or do without", err)
	}
	path, err := filepath.Abs(filepath.Join(folder, databaseFile))
	if err != nil {
		return nil, err
	}
	d, err := connect(path, limit)
	if isDamaged(err) {
		if err = moveAway(path); err == nil {
			d, err = connect(path, limit)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the cache in %s cannot be opened: %w; let the user write there, or do without a cache on the disk", path, err)
	}
	go d.writeQueue()
	return d, nil
}

// connect opens the file of the database and prepares its statements.
func connect(path string, limit int64) (*database, error) {
	q := url.Values{"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(NORMAL)"},
		"_txlock": {"immediate"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(2) // one reads while the other writes
	d := &database{path: path, limit: limit, db: db, queue: make(chan *answer, 4096), done: make(chan struct{})}
	if _, err = db.Exec(schema); err == nil {
		d.find, err = db.Prepare("SELECT doc, seal FROM answers WHERE key = ?")
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return d, nil
}

func isDamaged(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code()&0xff == sqlite3.SQLITE_CORRUPT || e.Code()&0xff == sqlite3.SQLITE_NOTADB)
}

// moveAway renames a damaged database; it replaces an older damaged one.
func moveAway(path string) error {
	for _, end := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return os.Rename(path, path+".damaged")
}

// broken notes an error after which the database is not used any more.
func (d *database) broken(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault == nil {
		d.fault = err
	}
}

func (d *database) isBroken() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fault != nil
}

// read returns the answer with a key, if there is one and it is undamaged.
func (d *database) read(key normal.Key) *answer {
	if d.isBroken() {
		return nil
	}
	k := keyBytes(key)
	var doc, seal []byte
	switch err := d.find.QueryRow(k).Scan(&doc, &seal); {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		d.broken(err)
		return nil
	}
	if string(sealOf(k, doc)) != string(seal) {
		return nil
	}
	x, ok := decode(doc)
	if !ok {
		return nil
	}
	x.key = key
	return x
}

// write queues an answer for writing. If answers come faster than they can be written, some are dropped: they can be
// computed again.
func (d *database) write(x *answer) {
	select {
	case d.queue <- x:
	default:
	}
}

// writeQueue writes queued answers until the queue is closed.
func (d *database) writeQueue() {
	defer close(d.done)
	written := 0
	for x := range d.queue {
		batch := []*answer{x}
		for more := true; more && len(batch) < cap(d.queue); {
			select {
			case y, open := <-d.queue:
				if more = open; open {
					batch = append(batch, y)
				}
			default:
				more = false
			}
		}
		if d.isBroken() {
			continue
		}
		err := d.writeBatch(batch)
		if written += len(batch); err == nil && written >= 256 {
			written = 0
			err = d.makeRoom()
		}
		if err != nil {
			d.broken(err)
		}
	}
}

func (d *database) writeBatch(batch []*answer) error {
	tx, err := d.db.Begin()
	if err != nil {
		return err
	}
	for _, x := range batch {
		k, doc := keyBytes(x.key), x.encode()
		if _, err := tx.Exec("INSERT OR REPLACE INTO answers (key, doc, seal) VALUES (?, ?, ?)", k, doc,
			sealOf(k, doc)); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// makeRoom drops the oldest quarter of a database that has become too large. The file keeps its size; the free space is
// used again.
func (d *database) makeRoom() error {
	bytes, err := d.bytes()
	if err != nil || bytes <= d.limit {
		return err
	}
	_, err = d.db.Exec("DELETE FROM answers WHERE id <= (SELECT id FROM answers ORDER BY id LIMIT 1 OFFSET (SELECT count(*) / 4 FROM answers))")
	return err
}

// bytes returns how much of the file is in use.
func (d *database) bytes() (n int64, err error) {
	err = d.db.QueryRow("SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size").Scan(&n)
	return n, err
}

func (d *database) stats() (*DatabaseStats, error) {
	s := &DatabaseStats{Path: d.path}
	if err := d.db.QueryRow("SELECT count(*) FROM answers").Scan(&s.Entries); err != nil {
		return nil, fmt.Errorf("%s: %w", d.path, err)
	}
	var err error
	if s.Bytes, err = d.bytes(); err != nil {
		return nil, fmt.Errorf("%s: %w", d.path, err)
	}
	if s.Counts, err = readCounts(d.db); err != nil {
		return nil, fmt.Errorf("%s: %w", d.path, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault != nil {
		s.Fault = d.fault.Error()
	}
	return s, nil
}

func (d *database) clear() error {
	_, err := d.db.Exec("DELETE FROM answers; DELETE FROM counts;")
	if err == nil {
		_, err = d.db.Exec("VACUUM")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	return nil
}

// close writes the queued answers and adds up the counts.
func (d *database) close(counts *Counts) error {
	close(d.queue)
	<-d.done
	err := d.fault
	if err == nil {
		err = d.addCounts(counts)
	}
	if err = errors.Join(err, d.find.Close(), d.db.Close()); err != nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	return nil
}

func readCounts(q interface {
	QueryRow(query string, args ...any) *sql.Row
}) (c Counts, err error) {
	var doc string
	err = q.QueryRow("SELECT doc FROM counts").Scan(&doc)
	if errors.Is(err, sql.ErrNoRows) {
		return c, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(doc), &c)
	}
	return c, err
}

// addCounts adds the counts of this process to those of all.
func (d *database) addCounts(counts *Counts) error {
	if *counts == (Counts{}) {
		return nil
	}
	tx, err := d.db.Begin()
	if err != nil {
		return err
	}
	sum, err := readCounts(tx)
	if err == nil {
		sum.add(counts)
		var doc []byte
		if doc, err = json.Marshal(sum); err == nil {
			_, err = tx.Exec("INSERT OR REPLACE INTO counts (id, doc) VALUES (1, ?)", string(doc))
		}
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (c *Counts) add(x *Counts) {
	c.Repeated += x.Repeated
	c.Core += x.Core
	c.Model += x.Model
	c.Repaired += x.Repaired
	c.Memory += x.Memory
	c.Disk += x.Disk
	c.New += x.New
	c.Unproven += x.Unproven
	c.Unwritten += x.Unwritten
	c.Kept += x.Kept
	c.Refused += x.Refused
}

func keyBytes(k normal.Key) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, k[0]), k[1])
}

// sealOf returns a hash that detects damaged rows.
func sealOf(key, doc []byte) []byte {
	return keyBytes(normal.Key{21, 21}.WithText(string(key)).WithText(string(doc)))
}

// encode writes an answer without its key: a byte for sat or unsat, the text of the question, the model, the names.
func (x *answer) encode() []byte {
	b := []byte{0}
	if x.unsat {
		b[0] = 1
	}
	b = appendText(b, string(x.text))
	b = appendText(b, x.model)
	b = binary.AppendUvarint(b, uint64(len(x.names)))
	for _, name := range x.names {
		b = appendText(b, name)
	}
	return b
}

// decode reads what encode wrote.
func decode(b []byte) (x *answer, ok bool) {
	if len(b) == 0 {
		return nil, false
	}
	x = &answer{unsat: b[0] == 1}
	b = b[1:]
	number := func() uint64 {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)) {
			b = nil
			return 0
		}
		b = b[size:]
		return n
	}
	text := func() string {
		n := number()
		if n > uint64(len(b)) {
			b = nil
			return ""
		}
		s := string(b[:n])
		b = b[n:]
		return s
	}
	x.text, x.model = []byte(text()), text()
	for range number() {
		x.names = append(x.names, text())
	}
	return x, b != nil && len(b) == 0
}
