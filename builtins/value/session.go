package value

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
)

// ThreadState keeps the state of a thread between and during cases.
type ThreadState = workspace.ThreadState

// TermStore owns terms.
type TermStore = workspace.TermStore

// SessionKey is the slot of a thread's session. Threads get one when they first need it.
var SessionKey = registry.NewKey[*ThreadState]("the session", "this thread has none")

// SessionOf returns the session of a thread.
func SessionOf(th *starlark.Thread) *ThreadState {
	s, err := SessionKey.Get(th)
	if err != nil {
		s = workspace.NewSession()
		SessionKey.Set(th, s)
	}
	return s
}
