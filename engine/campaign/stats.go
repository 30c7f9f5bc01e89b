package campaign

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// StatsVersion is the version of the format of stats.json; it grows when a field changes its meaning.
const StatsVersion = 1

// States of a campaign.
const (
	StateLoading  = "loading"
	StateRunning  = "running"
	StateDraining = "draining" // no new cases; running ones end, findings are confirmed and reduced
	StateDone     = "done"
)

// Stats is the state of a campaign as stats.json and the status screen show it. Times are seconds. Every case is counted
// exactly once: in Cases, Skipped, Killed or Errors.
type Stats struct {
	Version    int       `json:"version"`
	Campaign   string    `json:"campaign"`
	File       string    `json:"file"`
	Seed       string    `json:"seed"` // hexadecimal
	Technique  string    `json:"technique"`
	Started    time.Time `json:"started"`
	Updated    time.Time `json:"updated"`
	Elapsed    float64   `json:"elapsed"`
	State      string    `json:"state"`
	StopReason string    `json:"stop_reason,omitempty"`

	Cases      uint64            `json:"cases"`   // made, run and judged
	Skipped    uint64            `json:"skipped"` // the technique made none
	SkippedBy  map[string]uint64 `json:"skipped_by,omitempty"`
	Killed     uint64            `json:"killed"` // a worker died with the case twice
	KilledList []KilledCase      `json:"killed_list,omitempty"`
	Errors     uint64            `json:"errors"` // the campaign file or smtlark itself failed
	Internal   uint64            `json:"internal_errors"`
	ErrorList  []string          `json:"error_list,omitempty"`
	Next       uint64            `json:"next"` // one above the greatest case that was handed out
	Rate       float64           `json:"rate"` // cases per second, in the last 10 seconds
	MakeTime   float64           `json:"make_time"`

	Targets  []TargetStats `json:"targets"`
	Findings FindingStats  `json:"findings"`
	Workers  WorkerStats   `json:"workers"`
	CPU      CPUStats      `json:"cpu"`

	Seeds       int          `json:"seeds"`
	BrokenSeeds int          `json:"broken_seeds"`
	Broken      []BrokenSeed `json:"broken_seed_list,omitempty"`
	Health      []string     `json:"health,omitempty"` // warnings
}

// KilledCase is a case that a worker did not survive, twice.
type KilledCase struct {
	Number uint64 `json:"number"`
	Reason string `json:"reason"`
}

// TargetStats counts what a target did. Sat, Unsat, Unknown and NoAnswer count check-sats, Classes runs.
type TargetStats struct {
	Name     string            `json:"name"`
	Runs     uint64            `json:"runs"`
	Sat      uint64            `json:"sat"`
	Unsat    uint64            `json:"unsat"`
	Unknown  uint64            `json:"unknown"`
	NoAnswer uint64            `json:"no_answer"`
	Classes  map[string]uint64 `json:"classes"`
	CPU      float64           `json:"cpu"`
	Wall     float64           `json:"wall"`
}

// Count returns the number of runs of some classes.
func (t *TargetStats) Count(classes ...solvers.Class) (n uint64) {
	for _, c := range classes {
		n += t.Classes[c.String()]
	}
	return n
}

// FindingStats counts findings and lists the first ones.
type FindingStats struct {
	Verdicts   uint64        `json:"verdicts"`
	New        int           `json:"new"`        // stored, reproducing
	Known      int           `json:"known"`      // stored by earlier campaigns and seen again
	Flaky      int           `json:"flaky"`      // stored, not reproduced
	Duplicates uint64        `json:"duplicates"` // verdicts of findings that were there already
	Ungrouped  uint64        `json:"ungrouped"`  // verdicts left alone since there are too many different ones
	Pending    int           `json:"pending"`    // being confirmed
	Reducing   int           `json:"reducing"`   // waiting for reduction or being reduced
	Last       float64       `json:"last"`       // elapsed time at the last new one
	List       []FindingLine `json:"list,omitempty"`
}

// FindingLine is a finding in a few words.
type FindingLine struct {
	Number  int    `json:"number"`
	Dir     string `json:"dir"`
	Kind    string `json:"kind"`
	Summary string `json:"summary"`
	Flaky   bool   `json:"flaky,omitempty"`
	Known   bool   `json:"known,omitempty"`
	Hits    int    `json:"hits"`
	Tries   int    `json:"tries"`
	Count   int    `json:"count"`
	From    int    `json:"from_bytes,omitempty"`
	To      int    `json:"to_bytes,omitempty"`
}

// WorkerStats counts worker processes.
type WorkerStats struct {
	Wanted   int      `json:"wanted"`
	Alive    int      `json:"alive"`
	Restarts int      `json:"restarts"`
	Deaths   []string `json:"deaths,omitempty"` // the first ones
}

// CPUStats says where CPU seconds went.
type CPUStats struct {
	Workers     float64 `json:"workers"`     // worker processes without their solvers
	Coordinator float64 `json:"coordinator"` // this process
	Solvers     float64 `json:"solvers"`     // in the runs of cases
	EngineShare float64 `json:"engine_share"`
}

// clone returns a copy that shares nothing that changes.
func (s *Stats) clone() *Stats {
	c := *s
	c.SkippedBy = maps.Clone(s.SkippedBy)
	c.KilledList = slices.Clone(s.KilledList)
	c.ErrorList = slices.Clone(s.ErrorList)
	c.Targets = slices.Clone(s.Targets)
	for i := range c.Targets {
		c.Targets[i].Classes = maps.Clone(c.Targets[i].Classes)
	}
	c.Findings.List = slices.Clone(s.Findings.List)
	c.Workers.Deaths = slices.Clone(s.Workers.Deaths)
	c.Health = slices.Clone(s.Health)
	c.Broken = slices.Clone(s.Broken)
	return &c
}

// addRun counts one run.
func (t *TargetStats) addRun(r *runCode) {
	t.Runs++
	t.Classes[r.class.String()]++
	t.CPU += r.cpu.Seconds()
	t.Wall += r.wall.Seconds()
	for i := range len(r.answers) {
		switch letterAnswer(r.answers[i]) {
		case smtlib.Sat:
			t.Sat++
		case smtlib.Unsat:
			t.Unsat++
		case smtlib.Unknown:
			t.Unknown++
		default:
			t.NoAnswer++
		}
	}
}

// enoughRuns is the number of runs before anything is said about a target's health.
const enoughRuns = 100

// health returns what somebody who watches the campaign should know.
func (s *Stats) health() []string {
	var out []string
	warn := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for i := range s.Targets {
		t := &s.Targets[i]
		share := func(n uint64) float64 { return float64(n) / float64(max(1, t.Runs)) }
		if n := t.Count(solvers.StartFailure); n >= maxDown && share(n) > 0.5 {
			warn("%s cannot be started (%d of %d runs); see `smtlark solvers`", t.Name, n, t.Runs)
			continue
		}
		if t.Runs < enoughRuns {
			continue
		}
		if n := t.Count(solvers.ParseError); share(n) > 0.05 {
			warn("%s rejects %.0f %% of the cases as ill-formed", t.Name, 100*share(n))
		}
		if n := t.Count(solvers.Unsupported, solvers.Refusal); share(n) > 0.5 {
			warn("%s declines %.0f %% of the cases: logic or operators it does not support", t.Name, 100*share(n))
		}
		if n := t.Count(solvers.Timeout); share(n) > 0.5 {
			warn("%s times out on %.0f %% of the cases", t.Name, 100*share(n))
		}
		if n := t.Count(solvers.Garbage, solvers.OutputLimit); share(n) > 0.05 {
			warn("%s writes what is no SMT-LIB reply in %.0f %% of the runs", t.Name, 100*share(n))
		}
		if t.Sat+t.Unsat == 0 && t.Unknown > 0 {
			warn("%s answers nothing but unknown", t.Name)
		}
	}
	if all := s.Cases + s.Skipped; all >= enoughRuns && s.Skipped*10 > all*9 {
		warn("%.0f %% of the cases are skipped", 100*float64(s.Skipped)/float64(all))
	}
	if s.Findings.Ungrouped > 0 {
		warn("%d verdicts were left alone: there are more than %d different ones; set oracle.bug(..., group = ...)", s.Findings.Ungrouped, maxGroups)
	}
	if s.Killed > 0 {
		warn("%d cases killed their worker twice", s.Killed)
	}
	if s.Internal > 0 {
		warn("%d internal errors of smtlark", s.Internal)
	}
	return out
}

// window keeps counts of the last ten seconds, for rates.
type window struct {
	at    [11]time.Time
	count [11]uint64
	n     int
}

// add notes a count at a time, at most once a second.
func (w *window) add(now time.Time, count uint64) {
	last := (w.n + len(w.at) - 1) % len(w.at) // the latest note
	if w.n > 0 && now.Sub(w.at[last]) < time.Second {
		return
	}
	w.at[w.n%len(w.at)], w.count[w.n%len(w.at)] = now, count
	w.n++
}

// rate returns the counts per second since the oldest note.
func (w *window) rate(now time.Time, count uint64) float64 {
	if w.n == 0 {
		return 0
	}
	oldest := 0
	if w.n > len(w.at) {
		oldest = w.n % len(w.at)
	}
	d := now.Sub(w.at[oldest]).Seconds()
	if d <= 0 {
		return 0
	}
	return float64(count-w.count[oldest]) / d
}
