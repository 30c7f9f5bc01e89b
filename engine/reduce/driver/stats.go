package driver

import "slices"

// Stats are the statistics of a reduction.
type Stats struct {
	Before, After int // weights
	Tests         int // times a candidate was asked about
	Kept          int // candidates kept
	Repeated      int // candidates not asked about since their text had been
	Untrue        int // candidates not asked about since the known answer would have been lost
	// The following fields are counted with an Asker only.
	Runs     int // how often the targets ran
	Ahead    int // candidates begun whose reply was not needed
	TimedOut int // replies with a run that ended at its limit
	Rechecks int // times the current one was asked about again
	Flaky    int // candidates given up since they did not show it when asked again
	// Done reports that no pass can make it smaller; else the context or the bound on tests ended the search.
	Done   bool
	Passes []PassStats // in the order of their first use
}

// PassStats are the statistics of one pass.
type PassStats struct {
	Name              string
	Tests, Kept, Gain int // gain in weight
}

// Add adds the statistics of a part of the search.
func (t *Stats) Add(s *Stats) {
	t.Tests, t.Kept, t.Repeated, t.Untrue = t.Tests+s.Tests, t.Kept+s.Kept, t.Repeated+s.Repeated, t.Untrue+s.Untrue
	t.Runs, t.Ahead, t.TimedOut, t.Rechecks, t.Flaky = t.Runs+s.Runs, t.Ahead+s.Ahead, t.TimedOut+s.TimedOut, t.Rechecks+s.Rechecks, t.Flaky+s.Flaky
	for _, p := range s.Passes {
		i := slices.IndexFunc(t.Passes, func(x PassStats) bool { return x.Name == p.Name })
		if i < 0 {
			t.Passes = append(t.Passes, p)
			continue
		}
		t.Passes[i].Tests, t.Passes[i].Kept, t.Passes[i].Gain = t.Passes[i].Tests+p.Tests, t.Passes[i].Kept+p.Kept, t.Passes[i].Gain+p.Gain
	}
}
