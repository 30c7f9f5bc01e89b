package learn

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
)

// Journal records a solver's reply to each script, so that interrupted questioning can resume where it stopped. It is
// safe for concurrent use.
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

// Text returns the journal in the format of ReadJournal.
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

// Through returns an asker that replies from the journal, and calls ask for scripts that are not in it. Runs that
// reached a limit are not recorded, so they are asked again.
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

// Unfinished is the error of questioning that ended early. Then nothing counts as learned, because partial facts would
// lead to other cases than complete ones.
type Unfinished struct {
	Solver  string
	Replies int   // replies that are kept for the next time
	Because error // what ended it
}

func (e *Unfinished) Error() string {
	return fmt.Sprintf("%s was not asked to the end what it takes: %v; its %d replies are kept, run this again to go on from there", e.Solver, e.Because, e.Replies)
}

// Unwrap returns what ended it.
func (e *Unfinished) Unwrap() error { return e.Because }
