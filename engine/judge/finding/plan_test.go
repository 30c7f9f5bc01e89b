package finding

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStopConditionsCombine(t *testing.T) {
	a, b := Stop{After: time.Hour, Cases: 5}, Stop{After: time.Minute, Findings: 2}
	require.Equal(t, Stop{After: time.Minute, Cases: 5, Findings: 2}, a.Any(b))
	require.Equal(t, a.Any(b), b.Any(a))
	require.Equal(t, Stop{After: time.Hour, Cases: 5, Findings: 2}, a.Or(b), "a flag wins")
}
