package solving

import (
	"encoding/json"
	"fmt"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/solvers/frontend/cache"
)

// openCache opens the cache that processes share.
func (o *options) openCache() (*cache.Cache, error) {
	folder := o.folder
	if folder == "" {
		var err error
		if folder, err = cache.Folder(); err != nil {
			return nil, err
		}
	}
	const memory = 16 << 20 // the database has the others
	return cache.Open(cache.Storage{Folder: folder, Memory: memory})
}

// tendCache clears the cache, or prints its contents.
func (o *options) tendCache(e *command.Env) int {
	known, err := o.openCache()
	if err != nil {
		return e.Fail(command.ExitDisk, "solve", err)
	}
	defer known.Close()
	if o.clear {
		if err := known.Clear(); err != nil {
			return e.Fail(command.ExitDisk, "solve", err)
		}
	}
	if !o.cacheStat {
		return command.ExitOK
	}
	s, err := known.Stats()
	if err != nil {
		return e.Fail(command.ExitDisk, "solve", err)
	}
	d := s.Database
	if o.json {
		enc := json.NewEncoder(e.Stdout)
		enc.SetIndent("", "  ")
		if err := enc.Encode(d); err != nil {
			return e.Fail(command.ExitDisk, "solve", err)
		}
		return command.ExitOK
	}
	n := &d.Counts
	fmt.Fprintf(e.Stdout, "%s: %d answers, %d bytes\n", display.Line(d.Path), d.Entries, d.Bytes)
	fmt.Fprintf(e.Stdout, "hits %d: the same conjuncts %d, more than an unsatisfiable set %d, the model of another question %d and changed a little %d, the normal form in memory %d and on disk %d\n",
		n.Hits(), n.Repeated, n.Core, n.Model, n.Repaired, n.Memory, n.Disk)
	fmt.Fprintf(e.Stdout, "misses %d: new %d, no model that the evaluator confirms %d, no normal form %d\n", n.Misses(), n.New, n.Unproven, n.Unwritten)
	fmt.Fprintf(e.Stdout, "answers kept %d, not kept %d\n", n.Kept, n.Refused)
	return command.ExitOK
}
