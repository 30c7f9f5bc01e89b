package backtrace

import (
	"debug/dwarf"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The debugging information of a file is read for an address that nobody has asked about before, and not again.
func TestLinesAreRemembered(t *testing.T) {
	const program = "/bin/sh" // older than a moment: of a file that has just changed nothing is remembered
	if _, err := os.Stat(program); err != nil {
		t.Skip("there is no " + program)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	reads := 0
	for range 2 { // as two workers
		m := &module{path: program, debug: func() *dwarf.Data {
			reads++
			return nil
		}}
		for _, address := range []uint64{0x1000, 0x2000, 0x1000} {
			file, line := m.knownLine(address)
			require.Empty(t, file)
			require.Zero(t, line)
		}
	}
	require.Equal(t, 2, reads)
}
