package bindings

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// TestLackingFunction: a function that a version lacks is named with the path of the library.
func TestLackingFunction(t *testing.T) {
	lib, err := driver.OpenLibrary("z3", "libc.so.6")
	require.NoError(t, err)
	s := driver.NewSession(&z3{Binding: driver.Binding{Library: lib}, z3Context: &z3Context{}}, smt.NewArena())
	p := s.Arena().Declare("p", nil, smt.SortBool)
	err = solvers.Tell(t.Context(), s, smtlib.DeclareCommand(s.Arena(), p))
	require.Equal(t, solvers.Unsupported, solvers.ClassOf(err))
	require.Contains(t, err.Error(), "libc.so.6 has no function Z3_")
	require.True(t, strings.Contains(err.Error(), "another version of z3"))
}
