package worker

import (
	"slices"
	"strings"
	"time"
)

// Most of a campaign's time goes to the few cases that a solver does not decide at all. Therefore, a run gets a
// multiple of the time that the target's runs usually take. Only every patientEvery-th case gets more: the whole limit
// of the campaign, or less, so that such runs take no more than a tenth of the target's time. So a single run that
// never ends cannot take half of a short campaign. Limits change which runs end as a timeout, never which cases are
// made.
const (
	patientEvery = 64
	patientShare = 10
	paceFactor   = 5 // a limit of ten times the median decides 3 % more of the cases, but takes 1.4 times as long
	paceFloor    = 50 * time.Millisecond
	paceLate     = 4 // largest divisor of the time limit for cases of late seeds
	paceWindow   = 64
	paceRenew    = 8 // runs after which the medians are looked up again, which costs as much as a small case
	paceStart    = 8 // runs before the medians are used
	paceFirst    = 500 * time.Millisecond
	paceCredit   = 2 * time.Second // for runs that are repeated, ahead of their share

	// Libraries can be told to end. The child processes that hold them report the CPU time of a run, which does not
	// depend on what else the machine does. A tenth of the API walks take more than four times the median, and together
	// more than a quarter of the time.
	budgetFactor = 4
	budgetFloor  = 8 * time.Millisecond
)

// pace remembers how long the latest runs of a target took.
type pace struct {
	took    [paceWindow]time.Duration // wall time
	used    [paceWindow]time.Duration // CPU time
	n       int
	wall    time.Duration  // median of took
	cpu     time.Duration  // median of used
	longer  bool           // the next run, or the one passed to add, is a patient one
	spent   time.Duration  // time spent by all runs
	patient time.Duration  // time spent by patient runs
	late    map[string]int // by seeds: number of consecutive runs with their cases that timed out, if the latest one did
}

// maxLate bounds the number of keys in pace.late.
const maxLate = 1 << 14

// note records whether a run with a case of these seeds timed out.
func (p *pace) note(seeds []string, ended bool) {
	if len(seeds) == 0 {
		return
	}
	key := lateKey(seeds)
	switch n, known := p.late[key]; {
	case !ended:
		delete(p.late, key)
	case known || len(p.late) < maxLate:
		if p.late == nil {
			p.late = map[string]int{}
		}
		p.late[key] = n + 1
	}
}

// lateKey joins the names of seeds to a key of pace.late.
func lateKey(seeds []string) string {
	if len(seeds) == 1 {
		return seeds[0]
	}
	return strings.Join(seeds, "\x00")
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

// patience returns the wall time for the next run if it is due to be a patient one: the time that patient runs have
// left of their share. It is 0 if that is less than most runs get.
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

// secondTry returns the wall time for repeating a run to which the machine gave hardly any CPU time. The first run,
// which took took, then does not count among the latest runs. Second tries may use what patient runs have not yet used
// of their share, and from the beginning paceCredit. The result is 0 if that is less than the first try had: a solver
// that waits forever looks the same.
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

// limitOf returns the wall time for the next run with a case of these seeds. A case is mostly as hard as its seed, so
// each run in a row that timed out halves the time of the next one. The first run that ends by itself restores the full
// time.
func (p *pace) limitOf(seeds []string) time.Duration {
	whole := p.limit()
	if len(seeds) == 0 || p.n < paceStart {
		return whole
	}
	return max(whole/paceLate, whole>>min(p.late[lateKey(seeds)], paceLate))
}

// budget returns the CPU time for the next run, 0 if too few runs are known.
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
