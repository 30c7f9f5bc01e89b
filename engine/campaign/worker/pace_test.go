package worker

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPace(t *testing.T) {
	var p pace
	for range paceStart - 1 {
		p.add(time.Second, 0)
	}
	require.Equal(t, paceFirst, p.limit(), "too little is known")
	for range paceWindow {
		p.add(time.Millisecond, 0)
	}
	require.Equal(t, paceFloor, p.limit())
	for range paceWindow/2 + 1 {
		p.add(20*time.Millisecond, 0)
	}
	require.Equal(t, 100*time.Millisecond, p.limit(), "five times the median of the window")
	cut := p.limit()
	for range paceWindow {
		p.add(cut, 0)
	}
	require.Greater(t, p.limit(), cut, "where runs are cut, the limit grows")
}

func TestLateSeedsGetLess(t *testing.T) {
	var p pace
	late := func(times int, seeds ...string) {
		for range times {
			p.note(seeds, true)
		}
	}
	late(2, "hard")
	require.Equal(t, paceFirst, p.limitOf([]string{"hard"}), "too little is known")
	for range paceWindow {
		p.add(20*time.Millisecond, 0)
	}
	whole := 100 * time.Millisecond
	require.Equal(t, whole/4, p.limitOf([]string{"hard"}))
	require.Equal(t, whole, p.limitOf([]string{"another"}))
	require.Equal(t, whole, p.limitOf(nil))
	late(100, "hard")
	require.Equal(t, whole/paceLate, p.limitOf([]string{"hard"}), "never less")
	late(1, "a", "b")
	require.Equal(t, whole/2, p.limitOf([]string{"a", "b"}))
	require.Equal(t, whole, p.limitOf([]string{"a"}))
	p.note([]string{"hard"}, false)
	require.Equal(t, whole, p.limitOf([]string{"hard"}), "one that ended by itself makes it whole again")
	for i := range 2 * maxLate {
		late(1, fmt.Sprint(i))
	}
	require.LessOrEqual(t, len(p.late), maxLate)
}

func TestBudget(t *testing.T) {
	var p pace
	require.Zero(t, p.budget(), "too little is known")
	for range paceWindow {
		p.add(time.Second, time.Millisecond)
	}
	require.Equal(t, budgetFloor, p.budget())
	for range paceWindow/2 + 1 {
		p.add(time.Second, 10*time.Millisecond)
	}
	require.Equal(t, 40*time.Millisecond, p.budget(), "four times the median of the window")
}

func TestPatience(t *testing.T) {
	var p pace
	for range paceStart {
		require.Zero(t, p.patience(true), "too little is known")
		p.add(100*time.Millisecond, 0)
	}
	require.Zero(t, p.patience(true), "a tenth of the time so far is less than most runs get")
	for range 300 {
		require.Zero(t, p.patience(false))
		p.add(30*time.Millisecond, 0)
	}
	whole := (paceStart*100 + 300*30) * time.Millisecond / patientShare
	require.Equal(t, whole, p.patience(true))
	p.add(whole, 0)
	require.Zero(t, p.patience(true), "the share of patient runs is used up")
	for range 300 {
		require.Zero(t, p.patience(false))
		p.add(30*time.Millisecond, 0)
	}
	require.Equal(t, (whole+300*30*time.Millisecond)/patientShare, p.patience(true), "what came since")
}
