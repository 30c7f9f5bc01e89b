package reduction

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers"
)

// TestRepeats: the runs of the file itself take at most half of --for, and there is at least one.
func TestRepeats(t *testing.T) {
	for took, want := range map[time.Duration]int{
		time.Second: 3, 100 * time.Minute: 3, 200 * time.Minute: 2, 400 * time.Minute: 1, 900 * time.Minute: 1, 0: 3,
	} {
		r := &reduction{o: &reduceOptions{budget: 1000 * time.Minute, repeat: 3}}
		work, cancel := context.WithTimeout(context.Background(), r.o.budget)
		require.Equal(t, want, r.repeats(work, []*solvers.Run{{Wall: took / 2}, {Wall: took / 2}}), "%v", took)
		cancel()
		require.Equal(t, 3, r.repeats(context.Background(), []*solvers.Run{{Wall: took}}), "without --for")
	}
}
