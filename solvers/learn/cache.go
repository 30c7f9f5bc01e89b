package learn

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// Cache remembers by key what was found by asking solvers: models of seeds, which options they take, and the rest of what they
// take, so that every worker of a campaign, and every campaign of a user, gets the same. A nil cache remembers nothing. The
// empty text says that there was nothing to be found.
type Cache struct{ dir string }

// NewCache returns a cache in a folder, which is made when it is needed.
func NewCache(dir string) *Cache { return &Cache{dir} }

func (c *Cache) pathFor(key string) string {
	h := sha256.Sum256([]byte(key))
	return filepath.Join(c.dir, hex.EncodeToString(h[:16])+".model")
}

// Get returns the text of a key, if there is one.
func (c *Cache) Get(key string) (string, bool) {
	if c == nil {
		return "", false
	}
	text, err := os.ReadFile(c.pathFor(key))
	return string(text), err == nil
}

// Put stores a text unless another worker was faster, and returns what is stored. A cache that cannot be written is none.
func (c *Cache) Put(key, text string) string {
	if c == nil {
		return text
	}
	path := c.pathFor(key)
	if os.MkdirAll(c.dir, 0o777) != nil {
		return text
	}
	tmp, err := os.CreateTemp(c.dir, "*.tmp")
	if err != nil {
		return text
	}
	_, err = tmp.WriteString(text)
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Link(tmp.Name(), path) // fails if the file is there
	}
	_ = os.Remove(tmp.Name())
	if errors.Is(err, os.ErrExist) {
		if first, ok := c.Get(key); ok {
			return first
		}
	}
	return text
}

// Replace stores a text in the place of what there was.
func (c *Cache) Replace(key, text string) {
	c.Forget(key)
	c.Put(key, text)
}

// Forget drops the text of a key.
func (c *Cache) Forget(key string) {
	if c != nil {
		_ = os.Remove(c.pathFor(key))
	}
}

// Once returns the text that find has found for the key: now, or in this or another process before. Of processes that come at
// the same time one asks, and the others wait for it.
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

// lockKey waits until no other process is after the key. Where there can be no lock, all are at once, and the first one counts.
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
