// Package standardmachine hands the state machine of the library to tests of packages that it is built on. Such a
// package has a test file that says how it is made: standardmachine.Made = script.StandardMachine.
package standardmachine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/api"
)

// Made makes the machine.
var Made func() (*api.Machine, error)

// New returns a copy of the machine.
func New(t testing.TB) *api.Machine {
	t.Helper()
	m, err := Made()
	require.NoError(t, err)
	return m.Clone()
}
