package metrics

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMalformedRunCodes(t *testing.T) {
	for _, s := range []string{"", "1", "1:s:1", "0:s:1:1", "99:s:1:1", "1:x:1:1", "1:s:a:1", "1:s:1:", "1:s:1:1 1:s:1:1", "1:s:1:1 "} {
		_, err := ParseRunCodes(s, 1)
		if s == "1:s:1:1 " {
			require.NoError(t, err)
			continue
		}
		require.Error(t, err, "%q", s)
	}
}
