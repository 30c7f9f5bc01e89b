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
	paceStart    = 8 // runs before anything is known
	paceFirst    = 500 * time.Millisecond

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
	longer  bool          // the next run, or the one that add is told of, is a patient one
	spent   time.Duration // by all runs
	patient time.Duration // by the patient ones
}

func (p *pace) add(d, cpu time.Duration) {
	p.took[p.n%paceWindow], p.used[p.n%paceWindow] = d, cpu
	p.n++
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

// limit returns the wall time for the next run: little for the first runs, so that hard seeds cannot hold up the
// beginning. Where most runs are cut, the median is the limit itself, so it grows until enough runs end by themselves.
func (p *pace) limit() time.Duration {
	if p.n < paceStart {
		return paceFirst
	}
	sorted := slices.Sorted(slices.Values(p.took[:min(p.n, paceWindow)]))
	return max(paceFloor, paceFactor*sorted[len(sorted)/2])
}

// budget returns the CPU time for the next run; 0: too little is known.
func (p *pace) budget() time.Duration {
	if p.n < paceStart {
		return 0
	}
	sorted := slices.Sorted(slices.Values(p.used[:min(p.n, paceWindow)]))
	return max(budgetFloor, budgetFactor*sorted[len(sorted)/2])
}
