package script

import (
	"fmt"
	"sync"
)

// madeOnce is something of the library that is made when it is first asked for. What makes it may run scripts whose
// slots hold the functions that ask for it, so it is given with each call: a variable that is made by such a function
// would depend on itself.
type madeOnce[T any] struct {
	once  sync.Once
	value T
	err   error
}

// get returns the value, or why it could not be made.
func (m *madeOnce[T]) get(what string, build func() (T, error)) (T, error) {
	m.once.Do(func() {
		if m.value, m.err = build(); m.err != nil {
			m.err = fmt.Errorf("%s: %w", what, m.err)
		}
	})
	return m.value, m.err
}
