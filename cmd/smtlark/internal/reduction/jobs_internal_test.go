package reduction

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/reduce/property"
	"github.com/smtlark/smtlark/solvers"
)

// Several candidates are tested in parallel if solver runs take long, but not for properties about time or for a
// command of the user.
func TestDefaultJobs(t *testing.T) {
	short, long := []*solvers.Run{{Wall: time.Millisecond}}, []*solvers.Run{{Wall: 15 * time.Millisecond}, {Wall: 15 * time.Millisecond}}
	jobs := func(prop property.Property, runs []*solvers.Run, command ...string) int {
		return (&reduction{o: &reduceOptions{commandOptions: commandOptions{command: command}}}).defaultJobs(prop, runs)
	}
	require.Equal(t, min(runtime.GOMAXPROCS(0), 4), jobs(property.Property{}, long))
	require.Equal(t, 1, jobs(property.Property{}, short))
	require.Equal(t, 1, jobs(property.Property{Timed: true}, long))
	require.Equal(t, 1, jobs(property.Property{}, long, "./predicate"))
}
