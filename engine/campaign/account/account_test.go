package account

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Nested work counts for the outer purpose, except within making cases and loading: there it counts for the inner one.
func TestPurposes(t *testing.T) {
	l := NewLedger()
	purpose := func() Purpose {
		_, p, _ := l.Read()
		return p
	}
	require.Equal(t, Other, purpose())
	endCases := l.Begin(Cases, "case 1")
	endModels := Begin(With(context.Background(), l), Models, "of a seed")
	require.Equal(t, Models, purpose())
	endOptions := l.Begin(Options, "which it takes")
	_, p, what := l.Read()
	require.Equal(t, Models, p, "a model is one thing as a whole")
	require.Equal(t, "which it takes", what)
	endOptions()
	endModels()
	require.Equal(t, Cases, purpose())
	endCases()
	require.Equal(t, Other, purpose())
	a, _, _ := l.Read()
	require.Equal(t, []uint64{1, 1, 0}, []uint64{a[Cases].Times, a[Models].Times, a[Options].Times})
}

// Time of the process is booked where it was spent, and never twice.
func TestTimeIsBookedOnce(t *testing.T) {
	l := NewLedger()
	end := l.Begin(Reduction, "")
	before, _, _ := l.Read()
	for begun := l.own; l.own-begun < 20*time.Millisecond; { // until so much was used, however long that takes
		l.Read()
	}
	end()
	after, _, _ := l.Read()
	require.GreaterOrEqual(t, after[Reduction].Engine-before[Reduction].Engine, 20*time.Millisecond)
	again, _, _ := l.Read()
	require.Equal(t, after[Reduction], again[Reduction])
}

// Questions about options pause the budget of the script that came first, and nothing else does.
func TestPause(t *testing.T) {
	var log []string
	ctx := WithPause(context.Background(), func() func() {
		log = append(log, "pause")
		return func() { log = append(log, "resume") }
	})
	Begin(ctx, Models, "")()
	require.Empty(t, log)
	end := Begin(ctx, Options, "")
	log = append(log, "asks")
	end()
	require.Equal(t, []string{"pause", "asks", "resume"}, log)
}

// A worker that has ended counts once, with its last report, and not again when another worker gets its number.
func TestBooks(t *testing.T) {
	b := Open()
	spent := func(d time.Duration) Account { return Account{Cases: {Engine: d, Solvers: 2 * d, Times: 1}} }
	b.Told(1, spent(time.Hour))
	b.Told(1, spent(2*time.Hour))
	b.Told(2, spent(time.Hour))
	b.Told(2, nil)
	sum := b.Sum()
	require.Equal(t, spentTime{3 * time.Hour, 6 * time.Hour, 2}, sum.Account[Cases])
	b.Ended(1)
	b.Told(1, spent(time.Hour))
	sum = b.Sum()
	require.Equal(t, spentTime{4 * time.Hour, 8 * time.Hour, 3}, sum.Account[Cases])
	require.Equal(t, sum.Coordinator+4*time.Hour, sum.Engine())
	require.Equal(t, sum.Coordinator+sum.Lost+12*time.Hour, sum.All())
	require.Zero(t, sum.Lost, "no process has used more than what was told")
}
