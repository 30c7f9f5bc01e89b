package worker

import (
	"slices"
	"time"
)

// Most time of a campaign goes to the few cases that a solver does not decide at all. So a run gets a multiple of what
// the target's runs usually take, and only every patientEvery-th case gets more: the whole limit of the campaign, or as much
// of it as leaves such runs a tenth of the target's time. So one run that never ends cannot take half of a short campaign.
// Limits change which runs end as a timeout, never which cases are made.
const (
	patientEvery = 64
	patientShare = 10
	paceFactor   = 10
	paceFloor    = 50 * time.Millisecond
	paceWindow   = 64
	paceRenew    = 8 // runs after which the medians are looked up again, which costs as much as a small case
	paceStart    = 8 // runs before anything is known
	paceFirst    = 500 * time.Millisecond
	paceCredit   = 2 * time.Second // for runs that are repeated, ahead of their share

	// Libraries can be told to end, and children that hold them tell how much CPU time a run took, which does not depend on
	// what else the machine does.
	// Of walks of the API a tenth takes more than four times the median, and more than a quarter of the time.
	budgetFactor = 4
	budgetFloor  = 8 * time.Millisecond
)

// pace remembers how long the latest runs of a target took.
type pace struct {
	took    [paceWindow]time.Duration // wall time
	used    [paceWindow]time.Duration // CPU time
	n       int
	wall    time.Duration // median of took
	cpu     time.Duration // median of used
	longer  bool          // the next run, or the one that add is told of, is a patient one
	spent   time.Duration // by all runs
	patient time.Duration // by the patient ones
}

func (p *pace) add(d, cpu time.Duration) {
	p.took[p.n%paceWindow], p.used[p.n%paceWindow] = d, cpu
	p.n++
	if p.n <= paceWindow/4 || p.n%paceRenew == 0 {
		p.wall, p.cpu = median(p.took[:min(p.n, paceWindow)]), median(p.used[:min(p.n, paceWindow)])
	}
	p.spent += d
	if p.longer {
		p.patient += d
	}
}

// patience returns the wall time for the next run when it is its turn to get more than most: what patient runs have not
// yet used of their share. It is 0 where that is less than most runs get.
func (p *pace) patience(turn bool) time.Duration {
	p.longer = false
	if !turn || p.n < paceStart {
		return 0
	}
	left := p.spent/patientShare - p.patient
	if left < p.limit() {
		return 0
	}
	p.longer = true
	return left
}

// secondTry returns the wall time for asking again where the machine gave a run hardly any of the time that it took, which then
// does not count among the latest runs. Second tries have what patient runs have not yet used of their share, and paceCredit from
// the beginning. It is 0 where that is less than the first try had: a solver that waits for ever looks the same.
func (p *pace) secondTry(took time.Duration) time.Duration {
	left := max((p.spent+took)/patientShare, paceCredit) - p.patient
	if left <= p.limit() {
		return 0
	}
	p.longer = true
	p.spent += took
	return left
}

// limit returns the wall time for the next run: little for the first runs, so that hard seeds cannot hold up the
// beginning. Where most runs are cut, the median is the limit itself, so it grows until enough runs end by themselves.
func (p *pace) limit() time.Duration {
	if p.n < paceStart {
		return paceFirst
	}
	return max(paceFloor, paceFactor*p.wall)
}

// budget returns the CPU time for the next run; 0: too little is known.
func (p *pace) budget() time.Duration {
	if p.n < paceStart {
		return 0
	}
	return max(budgetFloor, budgetFactor*p.cpu)
}

// median returns the upper median of some times, at most paceWindow.
func median(times []time.Duration) time.Duration {
	var room [paceWindow]time.Duration
	sorted := room[:copy(room[:], times)]
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}
