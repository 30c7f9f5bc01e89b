package cache

// Counts counts lookups by their result, and the answers given to Keep by whether they were kept.
type Counts struct {
	Repeated int64 `json:"repeated"` // hits: the same conjuncts
	Core     int64 `json:"core"`     // hits: more conjuncts than an unsatisfiable set, or some that evaluation or linear arithmetic refutes
	Model    int64 `json:"model"`    // hits: a model of an earlier query
	Repaired int64 `json:"repaired"` // hits: a model of an earlier query, changed a little
	Memory   int64 `json:"memory"`   // hits: the normal form, in memory
	Disk     int64 `json:"disk"`     // hits: the normal form, with a part of the answer from the database

	New       int64 `json:"new"`       // misses: nothing is known of the query
	Unproven  int64 `json:"unproven"`  // misses: there were models, which do not satisfy the query, or the evaluator cannot tell
	Unwritten int64 `json:"unwritten"` // misses: the query has no normal form, for it is too large or has free variables

	Kept    int64 `json:"kept"`    // answers that were kept
	Refused int64 `json:"refused"` // answers that were not: unknown, or sat without a model that the evaluator confirms
}

// Hits returns the number of questions that were answered.
func (c *Counts) Hits() int64 { return c.Repeated + c.Core + c.Model + c.Repaired + c.Memory + c.Disk }

// Misses returns the number of questions that were not answered.
func (c *Counts) Misses() int64 { return c.New + c.Unproven + c.Unwritten }

// Usage describes the content and the work of a cache.
type Usage struct {
	Counts
	Entries int   `json:"entries"` // in memory
	Bytes   int64 `json:"bytes"`
	// Database describes the database on the disk; nil where there is none.
	Database *DatabaseStats `json:"database,omitempty"`
}

// DatabaseStats describes the content of the database, with the counters of all processes that used it and have closed
// it.
type DatabaseStats struct {
	Path    string `json:"path"`
	Entries int64  `json:"entries"`
	Bytes   int64  `json:"bytes"`
	Counts  Counts `json:"counts"`
	Fault   string `json:"fault,omitempty"` // why it is not used any more by this process
}

// Stats describes the content of the cache and its work since it was opened.
func (c *Cache) Stats() (Usage, error) {
	c.mu.Lock()
	s := Usage{Counts: c.counts, Entries: len(c.entries), Bytes: c.bytes}
	c.mu.Unlock()
	if c.disk == nil {
		return s, nil
	}
	var err error
	s.Database, err = c.disk.stats()
	return s, err
}

// count adds one to a count.
func (c *Cache) count(which func(*Counts) *int64) {
	c.mu.Lock()
	*which(&c.counts)++
	c.mu.Unlock()
}
