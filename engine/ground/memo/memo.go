// Package memo caches expensive results by key: replies of solvers, and hashes of their files.
package memo

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// Cache remembers texts by key in a folder, so that every worker of a campaign, and every campaign of a user, gets the
// same. A nil cache remembers nothing. The empty text means that there is no result.
type Cache struct {
	dir    string
	prefix string // of all keys
}

// New returns a cache in a folder, which is made when it is needed.
func New(dir string) *Cache { return &Cache{dir: dir} }

// User returns the cache in the user's cache folder; nil where there is no such folder. A key must determine everything
// that the result depends on, such as the build of the solver, so that nothing in the cache goes stale.
func User() *Cache {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return New(filepath.Join(dir, "smtlark", "found"))
}

// ForProgram returns a cache for results that also depend on the code of this program: it is emptied when another build
// takes its place. It is nil, which remembers nothing, where the program cannot be found or has just been written, and
// in a test.
func (c *Cache) ForProgram() *Cache {
	program, err := os.Executable()
	if c == nil || err != nil || strings.HasSuffix(strings.TrimSuffix(program, ".exe"), ".test") {
		return nil
	}
	stamp, changed, err := system.Stamp(program)
	if err != nil || time.Since(changed) < quiet {
		return nil
	}
	return c.ofBuild(program, stamp)
}

// ofBuild is ForProgram for a program by its path and its stamp. Two builds that replace each other while both run may
// empty it several times, but neither reads entries of the other.
func (c *Cache) ofBuild(program, stamp string) *Cache {
	of := &Cache{dir: c.pathFor("program\x00" + program), prefix: stamp + "\x00"}
	if _, known := of.Get("stamp"); !known {
		if os.RemoveAll(of.dir) != nil {
			return nil
		}
		of.Put("stamp", stamp)
	}
	return of
}

func (c *Cache) pathFor(key string) string {
	h := sha256.Sum256([]byte(c.prefix + key))
	return filepath.Join(c.dir, hex.EncodeToString(h[:16]))
}

// Get returns the text of a key, if there is one.
func (c *Cache) Get(key string) (string, bool) {
	if c == nil {
		return "", false
	}
	text, err := os.ReadFile(c.pathFor(key))
	return string(text), err == nil
}

// Put stores a text unless another worker was faster, and returns the stored one. A cache that cannot be written stores
// nothing.
func (c *Cache) Put(key, text string) string {
	err := c.store(text, func(written string) error {
		return os.Link(written, c.pathFor(key)) // fails if the file is there
	})
	if errors.Is(err, os.ErrExist) {
		if first, ok := c.Get(key); ok {
			return first
		}
	}
	return text
}

// Replace stores a text and replaces any previous one.
func (c *Cache) Replace(key, text string) {
	_ = c.store(text, func(written string) error { return os.Rename(written, c.pathFor(key)) })
}

// store writes a text to a file of its own, which place gives its name.
func (c *Cache) store(text string, place func(written string) error) error {
	if c == nil {
		return nil
	}
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(c.dir, "*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(text)
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return place(tmp.Name())
}

// Forget drops the text of a key.
func (c *Cache) Forget(key string) {
	if c != nil {
		_ = os.Remove(c.pathFor(key))
	}
}

// Once returns the text that find has found for the key: now, or in this or another process before. If several
// processes ask at the same time, one calls find and the others wait for it.
func (c *Cache) Once(key string, find func() (string, error)) (string, error) {
	if text, ok := c.Get(key); ok {
		return text, nil
	}
	unlock := c.lockKey(key)
	defer unlock()
	if text, ok := c.Get(key); ok {
		return text, nil
	}
	text, err := find()
	if err != nil {
		return "", err
	}
	return c.Put(key, text), nil
}

// quiet is the time for which a file must have been unchanged: within a shorter time, it may change again without a change of its
// times (Linux counts in ticks of up to 10 ms, file systems of other machines in seconds).
var quiet = 2 * time.Second

// OfFile returns the result of find for the content of a file, computed now or before. A file that was written or
// replaced counts as a new one. Nothing is remembered about a file that has just changed.
func (c *Cache) OfFile(what, path string, find func() (string, error)) (string, error) {
	stamp, changed, err := system.Stamp(path)
	if err != nil || c == nil || time.Since(changed) < quiet {
		return find()
	}
	return c.Once(strings.Join([]string{"file", what, path, stamp}, "\x00"), find)
}

// lockKey waits until no other process works on the key. If locks are not possible, several processes may work on it,
// and the first result counts.
func (c *Cache) lockKey(key string) (unlock func()) {
	none := func() {}
	if c == nil || os.MkdirAll(c.dir, 0o777) != nil {
		return none
	}
	f, err := os.OpenFile(c.pathFor(key)+".lock", os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return none
	}
	if ok, err := system.Lock(f, true); !ok || err != nil {
		_ = f.Close()
		return none
	}
	return func() {
		_ = os.Remove(f.Name()) // who waits for this one finds the text, or asks beside another: the first one counts
		_ = f.Close()
	}
}
