package learn

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
)

// Journal remembers what a solver replied to each script, so that asking that was stopped goes on where it was, when
// it is begun anew. Its methods may be called by any goroutine.
type Journal struct {
	mu      sync.Mutex
	replies map[string]Reply
}

// ReadJournal returns the journal that a text holds; a text that holds none is an empty one.
func ReadJournal(text string) *Journal {
	j := &Journal{}
	if json.Unmarshal([]byte(text), &j.replies) != nil || j.replies == nil {
		j.replies = map[string]Reply{}
	}
	return j
}

// Text returns the journal as ReadJournal reads it.
func (j *Journal) Text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	text, err := json.Marshal(j.replies)
	if err != nil { // replies are texts and numbers
		panic(err)
	}
	return string(text)
}

// Len is the number of replies.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.replies)
}

// Through returns an asker that replies from the journal, and asks what is not there. A run that reached a limit is
// no reply: that is asked again.
func (j *Journal) Through(ask Asker) Asker {
	return func(ctx context.Context, script string, patience int) (Reply, error) {
		j.mu.Lock()
		r, known := j.replies[script]
		j.mu.Unlock()
		if known {
			return r, nil
		}
		r, err := ask(ctx, script, patience)
		if err == nil && (r.WasTaken() || r.WasRefused() || r.Class.IsBug()) {
			j.mu.Lock()
			j.replies[script] = r
			j.mu.Unlock()
		}
		return r, err
	}
}

// Unfinished is the error of asking that ended before all was known: nothing counts as learned then, since half of it
// would make other cases than all of it.
type Unfinished struct {
	Solver  string
	Replies int   // that are kept, for the next time
	Because error // what ended it
}

func (e *Unfinished) Error() string {
	return fmt.Sprintf("%s was not asked to the end what it takes: %v; its %d replies are kept, run this again to go on from there", e.Solver, e.Because, e.Replies)
}

// Unwrap returns what ended it.
func (e *Unfinished) Unwrap() error { return e.Because }
