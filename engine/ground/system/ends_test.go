package system

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEndsKeepsBoth(t *testing.T) {
	var w Ends
	_, err := w.Write([]byte("first\n"))
	require.NoError(t, err)
	for range 1000 {
		_, err = w.Write(bytes.Repeat([]byte("x"), 100))
		require.NoError(t, err)
	}
	_, err = w.Write([]byte("last"))
	require.NoError(t, err)
	text := w.String()
	require.True(t, strings.HasPrefix(text, "first\n"))
	require.True(t, strings.HasSuffix(text, "last"))
	require.Less(t, len(text), 4*4<<10)
}
