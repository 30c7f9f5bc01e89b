package driver

import "time"

// TimeLimits are the time limits of a session.
type TimeLimits struct {
	TimeLimit   time.Duration // of one check, ends in unknown
	Deadline    time.Time
	Budget      time.Duration // CPU time of the process at which checks are ended, 0 for none
	Interrupted bool          // the latest check was stopped
}

// Spent reports whether the run has used up its CPU time.
func (l *TimeLimits) Spent() bool { return l.Budget > 0 && ProcessCPU() > l.Budget }

// PerCheck is the time that one check may take, 0 for no limit.
func (l *TimeLimits) PerCheck() time.Duration {
	d := l.TimeLimit
	if !l.Deadline.IsZero() {
		if left := max(time.Until(l.Deadline), time.Millisecond); d == 0 || left < d {
			d = left
		}
	}
	return d
}

// OwnLimit returns the limit of a check for a library that takes its time limit once and cannot be stopped. The library
// counts wall time, so on a busy machine it gets three times the CPU time that is left.
func (l *TimeLimits) OwnLimit() time.Duration {
	d := l.PerCheck()
	if l.Budget > 0 {
		if left := 3 * max(l.Budget-ProcessCPU(), 5*time.Millisecond); d == 0 || left < d {
			d = left
		}
	}
	return d
}
