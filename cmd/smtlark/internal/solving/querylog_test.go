package solving

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLog: what two clients wrote is read as two sessions, and a last line that was cut short is left out.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queries.log")
	for _, name := range []string{"x", "y"} {
		l, err := openQueryLog(path)
		require.NoError(t, err)
		l.Command([]byte("(declare-const " + name + " Int)"))
		l.Command([]byte("(check-sat)"))
		l.Answered(&loggedAnswer{Answer: "sat", By: "z3", Seconds: 0.5, Assertions: 3})
		require.NoError(t, l.Close())
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, kept := range []string{string(text), string(text) + `{"session":"z","comm`} {
		sessions, err := readQueryLog(strings.NewReader(kept))
		require.NoError(t, err)
		require.Len(t, sessions, 2)
		require.Len(t, sessions[1].Lines, 3)
		require.Equal(t, "(declare-const y Int)", sessions[1].Lines[0].Command)
		require.Equal(t, &loggedAnswer{Answer: "sat", By: "z3", Seconds: 0.5, Assertions: 3}, sessions[1].Lines[2].Answer)
	}
	_, err = readQueryLog(strings.NewReader("{}\n"))
	require.ErrorContains(t, err, "line 1 of the query log has neither a command nor an answer")
	_, err = readQueryLog(strings.NewReader(string(text) + "sat\n"))
	require.ErrorContains(t, err, "line 7 is no line of a query log")
}
