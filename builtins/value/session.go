package value

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
)

// Session keeps the state of a thread between and during cases.
type Session = workspace.Session

// Store owns terms.
type Store = workspace.Store

// SessionKey is the slot of a thread's session. Threads get one when they first need it.
var SessionKey = registry.NewKey[*Session]("the session", "this thread has none")

// SessionOf returns the session of a thread.
func SessionOf(th *starlark.Thread) *Session {
	s, err := SessionKey.Get(th)
	if err != nil {
		s = workspace.NewSession()
		SessionKey.Set(th, s)
	}
	return s
}
