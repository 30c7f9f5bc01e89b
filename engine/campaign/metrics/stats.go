package metrics

import (
	"maps"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/hazard"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// MaxGroups bounds the signatures of a campaign: beyond it something is wrong with the grouping, not with the solvers.
const MaxGroups = 5000

// StatsVersion is the version of the format of stats.json; it grows when a field changes its meaning.
const StatsVersion = 1

// States of a campaign.
const (
	StateLoading  = "loading"
	StateRunning  = "running"
	StateDraining = "draining" // no new cases; running ones end, findings are confirmed and reduced
	StateDone     = "done"
)

// Stats is the state of a campaign as stats.json, the status screen, the reports and the metrics endpoint show it.
// Times are seconds. Every case is counted exactly once: in Cases, Skipped, Killed or Errors.
//
// A field with the tag metric is a metric, declared here and nowhere else: its kind (counter, gauge or histogram), its
// unit (s, share, /s; none for counts), its help, and, when it is in the heartbeat line, the name it has there. The tag
// label names the property that distinguishes the elements of a list or a map. Metrics lists them.
type Stats struct {
	Progress

	CaseStats

	Targets    []TargetStats    `json:"targets" label:"target" help:"what each target did"`
	Techniques []TechniqueStats `json:"techniques,omitempty" label:"technique" help:"what each technique yielded"`
	Steps      []TechniqueStats `json:"steps,omitempty" label:"step" help:"what the cases yielded in which a mutator took part"`
	Findings   FindingStats     `json:"findings" help:"what was found"`
	Workers    WorkerStats      `json:"workers" help:"worker processes"`
	CPU        CPUStats         `json:"cpu" help:"where CPU time went"`
	Avoided    []hazard.Shape   `json:"avoided,omitempty" label:"shape" help:"shapes that are drawn less often, since a target fails on most cases that have them"`
	API        APIStats         `json:"api,omitzero" help:"of API fuzzing: which operators and actions came up and were taken"`
	Refused    Refusals         `json:"refused,omitempty" label:"target" help:"runs that targets declined or rejected, by technique"`
	Edges      []EdgeStats      `json:"edges,omitempty" label:"solver" help:"edges of their control flow that cases took, of solvers that count them"`
	Changed    ChangeStats      `json:"changed,omitzero" help:"how much cases have come to of the change that the campaign is led to"`
	Grown      GrownStats       `json:"grown,omitzero" help:"cases that took new edges and have become seeds"`
	Cells      CellStats        `json:"cells,omitzero" help:"of probes: which pairs of boundary classes of the operands of each operator were asked about"`
	Options    OptionStats      `json:"options,omitempty" label:"solver" help:"the options that solvers declare, one at a time: which settings had cases"`

	SeedStats
	Health []string `json:"health,omitempty" help:"warnings"`
}

// SeedStats describes the seeds that cases were made from, and their errors.
type SeedStats struct {
	Seeds       int                  `json:"seeds" metric:"gauge" help:"usable seeds"`
	BrokenSeeds int                  `json:"broken_seeds" metric:"gauge" help:"seeds that cannot be used"`
	Broken      []finding.BrokenSeed `json:"broken_seed_list,omitempty" help:"the first of them"`
	Labels      finding.Labels       `json:"labels,omitzero" help:"what is said of the answers of the seeds, and who says it; nothing of it is proven"`
	// RefutedList has the first of Findings.Refuted.
	RefutedList      []finding.Refutation `json:"refuted_list,omitempty" help:"the first claims that evaluation refuted"`
	MislabelledSeeds []string             `json:"mislabelled_seeds,omitempty" help:"seeds whose label (:status, folder, or the word of the campaign) is wrong; cases that rest on it are skipped"`
}

// CaseStats counts cases.
type CaseStats struct {
	Cases      uint64            `json:"cases" metric:"counter" short:"cases" help:"cases made, run and judged"`
	Skipped    uint64            `json:"skipped" metric:"counter" short:"skipped" help:"cases the technique did not make"`
	SkippedBy  map[string]uint64 `json:"skipped_by,omitempty" metric:"counter" label:"reason" help:"cases not made, by reason"`
	Killed     uint64            `json:"killed" metric:"counter" short:"killed" help:"cases with which a worker died twice"`
	KilledList []KilledCase      `json:"killed_list,omitempty" help:"the first of them"`
	Errors     uint64            `json:"errors" metric:"counter" short:"errors" help:"cases on which the campaign file or smtlark failed"`
	Internal   uint64            `json:"internal_errors" metric:"counter" help:"cases on which smtlark itself failed"`
	ErrorList  []string          `json:"error_list,omitempty" help:"the first errors"`
	Next       uint64            `json:"next" metric:"gauge" help:"one above the greatest case that was handed out"`
	Rate       float64           `json:"rate" metric:"gauge" unit:"/s" short:"rate" help:"cases per second, in the last ten seconds"`
	MakeTime   float64           `json:"make_time" metric:"counter" unit:"s" help:"time that workers spent making cases"`
}

// Progress says which run of which campaign it is, and how far it has come.
type Progress struct {
	Version    int       `json:"version" help:"version of this format"`
	Campaign   string    `json:"campaign" help:"name of the campaign"`
	File       string    `json:"file" help:"campaign file"`
	Seed       string    `json:"seed" help:"seed of the campaign, hexadecimal"`
	Technique  string    `json:"technique" help:"name of the technique"`
	Started    time.Time `json:"started" help:"when the program began"`
	Updated    time.Time `json:"updated" help:"when this was written"`
	Elapsed    float64   `json:"elapsed" metric:"gauge" unit:"s" help:"run time since the campaign was loaded"`
	Left       float64   `json:"left,omitempty" metric:"gauge" unit:"s" help:"what is left of the time that the campaign was given; 0 without such a limit"`
	State      string    `json:"state" help:"loading, running, draining (no new cases) or done"`
	StopReason string    `json:"stop_reason,omitempty" help:"why it ended"`
	Late       string    `json:"late,omitempty" help:"how long it took, and why, where that is over two seconds more than the time that it was given"`
}

// KilledCase is a case that a worker did not survive, twice.
type KilledCase struct {
	Number uint64 `json:"number" help:"of the case"`
	Reason string `json:"reason" help:"how the worker died"`
}

// TargetStats counts the answers and runs of a target. Sat, Unsat, Unknown and NoAnswer count check-sats; Classes
// counts runs.
type TargetStats struct {
	Name     string            `json:"name" help:"of the target"`
	Runs     uint64            `json:"runs" metric:"counter" help:"runs, those included for which it was not even asked"`
	Asked    uint64            `json:"asked" metric:"counter" help:"runs in which it was asked: its profile takes the logic and it could be started"`
	Sat      uint64            `json:"sat" metric:"counter" help:"check-sats it answered sat"`
	Unsat    uint64            `json:"unsat" metric:"counter" help:"check-sats it answered unsat"`
	Unknown  uint64            `json:"unknown" metric:"counter" help:"check-sats it answered unknown"`
	NoAnswer uint64            `json:"no_answer" metric:"counter" help:"check-sats it did not answer"`
	Checks   uint64            `json:"checks" metric:"counter" help:"check-sats it was asked"`
	Decided  float64           `json:"decided" metric:"gauge" unit:"share" help:"share of the check-sats it was asked that it answered sat or unsat"`
	Classes  map[string]uint64 `json:"classes" metric:"counter" label:"class" help:"runs by how they ended"`
	CPU      float64           `json:"cpu" metric:"counter" unit:"s" help:"CPU time of its runs"`
	Wall     float64           `json:"wall" metric:"counter" unit:"s" help:"wall time of its runs"`
	Latency  Histogram         `json:"latency,omitempty" metric:"histogram" unit:"s" help:"runs in which it was asked, by wall time"`
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
	Verdicts     uint64            `json:"verdicts" metric:"counter" help:"verdicts of oracles"`
	New          int               `json:"new" metric:"gauge" short:"new" help:"findings stored that reproduced"`
	Known        int               `json:"known" metric:"gauge" short:"known" help:"findings of earlier campaigns that were seen again"`
	Flaky        int               `json:"flaky" metric:"gauge" short:"flaky" help:"findings stored that did not reproduce"`
	Duplicates   uint64            `json:"duplicates" metric:"counter" short:"dup" help:"verdicts of findings that were there already"`
	Refuted      uint64            `json:"refuted" metric:"counter" short:"refuted" help:"verdicts that are no findings: by evaluation, the answer that they take to be right is not"`
	Ungrouped    uint64            `json:"ungrouped" metric:"counter" help:"verdicts left alone since there are too many different ones"`
	Suppressed   uint64            `json:"suppressed" metric:"counter" help:"verdicts that the campaign file suppresses"`
	SuppressedBy map[string]uint64 `json:"suppressed_by,omitempty" metric:"counter" label:"pattern" help:"the same, by the pattern or function that does"`
	// Findings of solvers that nobody named: only references have them.
	NewOfReferences   int `json:"new_of_references,omitempty" metric:"gauge" help:"of the new findings, those of reference solvers only, which are not under test"`
	KnownOfReferences int `json:"known_of_references,omitempty" metric:"gauge" help:"of the known findings, those of reference solvers only"`

	Waiting          int           `json:"waiting" metric:"gauge" help:"verdicts that are not settled"`
	WaitingLikeKnown int           `json:"waiting_like_known,omitempty" metric:"gauge" help:"of them, those like a finding that is there, which may have another cause"`
	Pending          int           `json:"pending" metric:"gauge" short:"confirming" help:"findings being confirmed"`
	Reducing         int           `json:"reducing" metric:"gauge" short:"reducing" help:"findings waiting for reduction or being reduced"`
	Last             float64       `json:"last" metric:"gauge" unit:"s" help:"run time at the last new finding"`
	Settling         float64       `json:"settling,omitempty" metric:"gauge" unit:"s" help:"about how long it would take to confirm and reduce what waits, see smtlark settle"`
	List             []FindingLine `json:"list,omitempty" help:"the first findings"`
}

// FindingLine is a finding in a few words.
type FindingLine struct {
	Number       int    `json:"number" help:"of the finding; flaky ones are numbered on their own"`
	Dir          string `json:"dir" help:"its folder"`
	Kind         string `json:"kind" help:"crash, known-answer, disagreement, invalid-model, or what an oracle of the campaign file says"`
	Summary      string `json:"summary" help:"one line"`
	Flaky        bool   `json:"flaky,omitempty" help:"it did not reproduce"`
	Known        bool   `json:"known,omitempty" help:"an earlier campaign stored it"`
	OfReferences bool   `json:"of_references,omitempty" help:"only reference solvers have it, which are not under test"`
	Hits         int    `json:"hits" help:"how often it reproduced"`
	Tries        int    `json:"tries" help:"how often that was tried"`
	Count        int    `json:"count" help:"verdicts with its signature"`
	From         int    `json:"from_bytes,omitempty" help:"size of the case"`
	To           int    `json:"to_bytes,omitempty" help:"size of the reduced case"`
	NotReduced   string `json:"not_reduced,omitempty" help:"why there is no reduced case, where its reduction is over"`
}

// WorkerStats counts worker processes.
type WorkerStats struct {
	Wanted   int      `json:"wanted" metric:"gauge" help:"worker processes there should be"`
	Alive    int      `json:"alive" metric:"gauge" help:"worker processes there are"`
	Restarts int      `json:"restarts" metric:"counter" short:"restarts" help:"worker processes that took the place of dead ones"`
	Deaths   []string `json:"deaths,omitempty" help:"how the first ones died"`
	Doing    []string `json:"doing,omitempty" help:"what each of them is doing, in words"`
	// Machines have joined a campaign on a cluster.
	Machines []MachineStats `json:"machines,omitempty" label:"machine" help:"machines that have joined, by name"`
}

// MachineStats describes a joined machine, or all machines with the same name.
type MachineStats struct {
	Name    string   `json:"name" help:"of the machine"`
	Workers int      `json:"workers" metric:"gauge" help:"worker processes that it has for the campaign"`
	Labels  []string `json:"labels,omitempty" help:"labels that it has joined with"`
	Note    string   `json:"note,omitempty" help:"what people should know of it, such as why it cannot take part"`
}

// CPUStats says where CPU seconds went.
type CPUStats struct {
	Workers     float64 `json:"workers" metric:"counter" unit:"s" help:"CPU time of worker processes without their solvers"`
	Coordinator float64 `json:"coordinator" metric:"counter" unit:"s" help:"CPU time of the coordinator"`
	Solvers     float64 `json:"solvers" metric:"counter" unit:"s" help:"CPU time of solvers in the runs of cases"`
	// Purposes splits the time of workers and of all solvers.
	Purposes    []PurposeStats `json:"purposes,omitempty" label:"purpose" help:"CPU time of workers and of solvers by what it was spent for"`
	Lost        float64        `json:"lost" metric:"counter" unit:"s" help:"CPU time of workers and solvers that died before they said for what"`
	Total       float64        `json:"total" metric:"counter" unit:"s" help:"CPU time of all processes of the campaign"`
	EngineShare float64        `json:"engine_share" metric:"gauge" unit:"share" short:"engine" help:"share of workers and coordinator in the total"`
}

// PurposeStats says the time spent for a purpose, see package account.
type PurposeStats struct {
	Name    string  `json:"name" help:"cases, models (of seeds), options (learning what solvers take), questions (of the campaign file and of oracles), confirmation, reduction, recheck (of findings of earlier runs), loading or other"`
	Engine  float64 `json:"engine" metric:"counter" unit:"s" help:"CPU time of workers for the purpose"`
	Solvers float64 `json:"solvers" metric:"counter" unit:"s" help:"CPU time of solvers for the purpose"`
	Times   uint64  `json:"times" metric:"counter" help:"how often something was begun for the purpose: of models and cores, those that were asked for"`
}

// SetTotal fills the statistics from the accounts of CPU time.
func (s *CPUStats) SetTotal(t *account.Total) {
	s.Purposes = s.Purposes[:0:0]
	s.Workers = 0
	for _, p := range account.Purposes {
		spent, ok := t.Account[p]
		if !ok {
			continue
		}
		s.Workers += spent.Engine.Seconds()
		s.Purposes = append(s.Purposes, PurposeStats{string(p), spent.Engine.Seconds(), spent.Solvers.Seconds(), spent.Times})
	}
	s.Solvers = t.Account[account.Cases].Solvers.Seconds()
	s.Coordinator, s.Lost, s.Total = t.Coordinator.Seconds(), t.Lost.Seconds(), t.All().Seconds()
	if s.Total > 0 {
		s.EngineShare = t.Engine().Seconds() / s.Total
	}
}

// Of returns the time spent for a purpose.
func (s *CPUStats) Of(p account.Purpose) PurposeStats {
	for _, x := range s.Purposes {
		if x.Name == string(p) {
			return x
		}
	}
	return PurposeStats{Name: string(p)}
}

// Clone returns a copy that shares nothing that changes.
func (s *Stats) Clone() *Stats {
	c := *s
	c.SkippedBy = maps.Clone(s.SkippedBy)
	c.KilledList = slices.Clone(s.KilledList)
	c.ErrorList = slices.Clone(s.ErrorList)
	c.Targets = slices.Clone(s.Targets)
	for i := range c.Targets {
		c.Targets[i].Classes = maps.Clone(c.Targets[i].Classes)
		c.Targets[i].Latency = slices.Clone(c.Targets[i].Latency)
	}
	c.Techniques, c.Steps, c.Edges = slices.Clone(s.Techniques), slices.Clone(s.Steps), slices.Clone(s.Edges)
	c.Findings.List = slices.Clone(s.Findings.List)
	c.Findings.SuppressedBy = maps.Clone(s.Findings.SuppressedBy)
	c.Workers.Deaths = slices.Clone(s.Workers.Deaths)
	c.Health = slices.Clone(s.Health)
	c.CPU.Purposes, c.Avoided = slices.Clone(s.CPU.Purposes), slices.Clone(s.Avoided)
	c.Broken = slices.Clone(s.Broken)
	c.RefutedList, c.MislabelledSeeds = slices.Clone(s.RefutedList), slices.Clone(s.MislabelledSeeds)
	c.API.Operators, c.API.Actions = slices.Clone(s.API.Operators), slices.Clone(s.API.Actions)
	c.Cells, c.Options, c.Refused = s.Cells.clone(), s.Options.clone(), s.Refused.Clone()
	return &c
}

// AddRun counts one run.
func (t *TargetStats) AddRun(r *runCode) {
	t.Runs++
	t.Classes[r.Class.String()]++
	t.CPU += r.CPU.Seconds()
	t.Wall += r.Wall.Seconds()
	if r.Wall > 0 {
		t.Asked++
		t.Checks += uint64(len(r.Answers))
		t.Latency.add(r.Wall)
	}
	for i := range len(r.Answers) {
		switch LetterAnswer(r.Answers[i]) {
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
	t.updateDecided()
}

// updateDecided makes the share of decided checks that of the counts.
func (t *TargetStats) updateDecided() {
	if t.Checks > 0 {
		t.Decided = float64(t.Sat+t.Unsat) / float64(t.Checks)
	}
}

// Window keeps counts of the last ten seconds, for rates.
type Window struct {
	at    [11]time.Time
	count [11]uint64
	n     int
}

// Add notes a count at a time, at most once a second.
func (w *Window) Add(now time.Time, count uint64) {
	last := (w.n + len(w.at) - 1) % len(w.at) // the latest note
	if w.n > 0 && now.Sub(w.at[last]) < time.Second {
		return
	}
	w.at[w.n%len(w.at)], w.count[w.n%len(w.at)] = now, count
	w.n++
}

// Rate returns the counts per second since the oldest note.
func (w *Window) Rate(now time.Time, count uint64) float64 {
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

// MaxDown is how often in a row a target may fail to start before workers try it with few cases only.
const MaxDown = 5
