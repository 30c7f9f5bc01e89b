package campaign

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPace(t *testing.T) {
	var p pace
	for range paceStart - 1 {
		p.add(time.Second)
	}
	require.Equal(t, paceFirst, p.limit(), "too little is known")
	for range paceWindow {
		p.add(time.Millisecond)
	}
	require.Equal(t, paceFloor, p.limit())
	for range paceWindow/2 + 1 {
		p.add(20 * time.Millisecond)
	}
	require.Equal(t, 200*time.Millisecond, p.limit(), "ten times the median of the window")
	cut := p.limit()
	for range paceWindow {
		p.add(cut)
	}
	require.Greater(t, p.limit(), cut, "where runs are cut, the limit grows")
}

func TestPatience(t *testing.T) {
	var p pace
	for range paceStart {
		require.False(t, p.patience(true), "too little is known")
		p.add(time.Millisecond)
	}
	require.True(t, p.patience(true))
	p.add(3 * time.Second)
	require.False(t, p.patience(true), "all time so far went to patient runs")
	for range 1000 {
		require.False(t, p.patience(false))
		p.add(30 * time.Millisecond)
	}
	require.True(t, p.patience(true), "a tenth of the time is theirs")
	p.add(3 * time.Second)
	require.False(t, p.patience(true))
}
