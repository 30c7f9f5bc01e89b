package member

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// Folders of the cache of a machine. An entry in one of them is complete, or absent.
const (
	objectFolder   = "objects"   // by their hashes
	campaignFolder = "campaigns" // the files of a campaign, as they lie on the machine of the coordinator
	solverFolder   = "solvers"   // solvers that were sent, laid out
)

// DefaultCacheBytes is the default size of a cache.
const DefaultCacheBytes = 8 << 30

// spared is the time for which a used entry is kept, since other processes of this machine may have it open. They touch
// the entries that they use more often than that.
const (
	spared     = 10 * time.Minute
	touchEvery = time.Minute
)

// cached is something in a cache.
type cached struct {
	path  string
	bytes int64
	used  time.Time
}

// trim removes the least recently used entries until the cache is within its limit.
func trim(cache string, most int64, now time.Time) error {
	var all []cached
	total := int64(0)
	for _, folder := range []string{objectFolder, campaignFolder, solverFolder} {
		entries, err := os.ReadDir(filepath.Join(cache, folder))
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		for _, e := range entries {
			c := cached{path: filepath.Join(cache, folder, e.Name())}
			info, err := e.Info()
			if err != nil { // another process removes it
				continue
			}
			c.used, c.bytes = info.ModTime(), system.SizeOf(c.path)
			total += c.bytes
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b cached) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	for _, c := range all {
		if total <= most || now.Sub(c.used) < spared {
			break
		}
		if err := os.RemoveAll(c.path); err != nil {
			return err
		}
		total -= c.bytes
	}
	return nil
}

// touch says that something in the cache is used.
func touch(paths []string) {
	now := time.Now()
	for _, path := range paths {
		_ = os.Chtimes(path, now, now) // removed files are made again when needed
	}
}
