package solvers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers"
)

func TestVersionRanges(t *testing.T) {
	ranges := solvers.VersionRanges([]string{"5.0", "4.9.0", "4.10.2", "4.10.2"}, []string{"4.8", "4.13", "5.1"})
	require.Equal(t, []solvers.VersionRange{{"4.9.0", "4.10.2", 2, "4.13"}, {"5.0", "5.0", 1, "5.1"}}, ranges)
	require.Equal(t, "4.9.0 to 4.10.2", ranges[0].String())
	require.Equal(t, "5.0", ranges[1].String())
	require.Empty(t, solvers.VersionRanges(nil, []string{"1"}))
}
