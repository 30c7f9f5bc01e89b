package driver

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// CaseKey names a case by all that a reply about it depends on.
type CaseKey [sha256.Size]byte

// Key names a case: by its text, its calls where it has any, and the known facts about its answers. The reply for a key
// is valid for all cases that have it.
func Key(c *testcase.Case) CaseKey {
	text := c.Text()
	if t := c.LiveTrace(); t != nil {
		text = tracetext.AppendTo(text, t)
	}
	return keyOf(text, c.Expect)
}

// Key is that of the case.
func (c *Candidate) Key() CaseKey { return keyOf([]byte(c.Text+c.Trace), c.Expect) }

func keyOf(text []byte, expect []smtlib.Answer) CaseKey {
	for _, x := range expect {
		text = append(text, byte(x))
	}
	return sha256.Sum256(text)
}

// Memo stores replies about cases across several searches. It is safe for concurrent use.
type Memo struct {
	mu      sync.Mutex
	replies map[CaseKey]Observation
}

// Lookup returns the stored reply about a case.
func (m *Memo) Lookup(k CaseKey) (Observation, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	reply, known := m.replies[k]
	return reply, known
}

// Note remembers a reply.
func (m *Memo) Note(k CaseKey, reply Observation) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.replies == nil {
		m.replies = map[CaseKey]Observation{}
	}
	m.replies[k] = reply
}

// Clear deletes all replies. It is called when something that they depend on has changed.
func (m *Memo) Clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.replies)
}

// Predicate returns a predicate that asks another one only about cases without a remembered reply. A reply that arrives
// when over reports true may be due to the interruption; it counts as no and is not remembered.
func (m *Memo) Predicate(fails Predicate, over func() bool) Predicate {
	return func(c *testcase.Case) bool {
		k := Key(c)
		if reply, known := m.Lookup(k); known {
			return reply.Holds
		}
		if over() {
			return false
		}
		holds := fails(c)
		if over() {
			return false
		}
		m.Note(k, Observation{Holds: holds})
		return holds
	}
}

// Asker returns an Asker that asks another one about candidates, except those that did not hold before. Candidates that
// held are asked about again if the property may not always show.
func (m *Memo) Asker(of Asker) Asker { return remembering{m, of} }

type remembering struct {
	memo *Memo
	of   Asker
}

// Ask implements Asker.
func (r remembering) Ask(ctx context.Context, c *Candidate) Observation {
	k := c.Key()
	if reply, known := r.memo.Lookup(k); known && !reply.Holds {
		return reply
	}
	reply := r.of.Ask(ctx, c)
	if !reply.Cut {
		r.memo.Note(k, reply)
	}
	return reply
}

// Accepted implements Asker.
func (r remembering) Accepted(reply Observation) { r.of.Accepted(reply) }
