package cache

import (
	"container/list"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/smtlark/smtlark/engine/language/normal"
)

// Storage says where answers are stored, with bounds of their size.
type Storage struct {
	Folder string // of the database that processes share, created if missing; "" keeps answers in memory only
	Memory int64  // bytes of answers in memory; 0: 64 MB
	Disk   int64  // bytes of the database; 0: 256 MB
}

// Default bounds, for a Storage without bounds.
const (
	memoryDefault = 64 << 20
	diskDefault   = 256 << 20
)

// Folder returns the folder in the user's cache folder in which answers are kept.
func Folder() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("where to keep answers: %w; set XDG_CACHE_HOME or HOME", err)
	}
	return filepath.Join(dir, "smtlark", "answers"), nil
}

// Cache stores answers by the normal form of the question. It is safe for concurrent use.
type Cache struct {
	mu      sync.Mutex
	limit   int64
	entries map[normal.Key]*list.Element // of *answer, latest used first
	latest  *list.List
	bytes   int64
	counts  Counts
	disk    *database // nil: there is none
}

// Open opens a cache. The error says why the database cannot be used. Without a folder there is no database.
func Open(o Storage) (*Cache, error) {
	c := &Cache{limit: o.Memory, entries: map[normal.Key]*list.Element{}, latest: list.New()}
	if c.limit <= 0 {
		c.limit = memoryDefault
	}
	if o.Folder == "" {
		return c, nil
	}
	if o.Disk <= 0 {
		o.Disk = diskDefault
	}
	var err error
	if c.disk, err = openDatabase(o.Folder, o.Disk); err != nil {
		return nil, err
	}
	return c, nil
}

// Close writes pending answers to the database, and closes it.
func (c *Cache) Close() error {
	if c.disk == nil {
		return nil
	}
	c.mu.Lock()
	counts := c.counts
	c.mu.Unlock()
	return c.disk.close(&counts)
}

// Clear drops all answers, in memory and on the disk. Clients keep their data about the terms of their arenas.
func (c *Cache) Clear() error {
	c.mu.Lock()
	c.entries, c.bytes = map[normal.Key]*list.Element{}, 0
	c.latest.Init()
	c.mu.Unlock()
	if c.disk == nil {
		return nil
	}
	return c.disk.clear()
}

// answer is the stored answer to a slice, or to a query.
type answer struct {
	key   normal.Key
	text  []byte // of the question: compared when the question is asked again
	unsat bool
	names []string // names of functions and sorts in the model, indexed by their numbers in the text
	model string   // SMT-LIB; "" for unsat
}

// overhead is the memory of an answer beside its texts.
const overhead = 256

func (x *answer) size() int64 {
	n := overhead + len(x.text) + len(x.model) + 16*len(x.names)
	for _, name := range x.names {
		n += len(name)
	}
	return int64(n)
}

// find returns the answer to the question in a text, and whether it came from the database. It ignores an answer to
// another text with the same key.
func (c *Cache) find(key normal.Key, text []byte) (found *answer, onDisk bool) {
	c.mu.Lock()
	if e, ok := c.entries[key]; ok {
		c.latest.MoveToFront(e)
		found = e.Value.(*answer)
	}
	c.mu.Unlock()
	if found == nil && c.disk != nil {
		if found = c.disk.read(key); found != nil {
			onDisk = true
			c.remember(found)
		}
	}
	if found == nil || string(found.text) != string(text) {
		return nil, false
	}
	return found, onDisk
}

// keep stores an answer in memory and in the database.
func (c *Cache) keep(x *answer) {
	c.remember(x)
	if c.disk != nil {
		c.disk.write(x)
	}
}

// remember stores an answer in memory, and drops the least recently used answers to make room.
func (c *Cache) remember(x *answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.size() > c.limit {
		return
	}
	if e, ok := c.entries[x.key]; ok {
		c.bytes -= e.Value.(*answer).size()
		e.Value = x
		c.latest.MoveToFront(e)
	} else {
		c.entries[x.key] = c.latest.PushFront(x)
	}
	c.bytes += x.size()
	for c.bytes > c.limit {
		old := c.latest.Remove(c.latest.Back()).(*answer)
		delete(c.entries, old.key)
		c.bytes -= old.size()
	}
}

// contextOf returns the start of the texts of a question: its logic and its options.
func contextOf(q *Question) []byte {
	b := appendText(nil, q.Logic)
	b = binary.AppendUvarint(b, uint64(len(q.Options)))
	for _, o := range q.Options {
		b = appendText(b, o)
	}
	return b
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}
