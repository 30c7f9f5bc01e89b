package metrics

// targetPoint is what a progress event says of a target; the counts are those of TargetStats so far.
type targetPoint struct {
	Name    string    `json:"name" help:"of the target"`
	Runs    uint64    `json:"runs" help:"runs so far"`
	Asked   uint64    `json:"asked" help:"runs in which it was asked"`
	Sat     uint64    `json:"sat" help:"check-sats answered sat"`
	Unsat   uint64    `json:"unsat" help:"check-sats answered unsat"`
	Unknown uint64    `json:"unknown" help:"check-sats answered unknown"`
	Checks  uint64    `json:"checks" help:"check-sats asked"`
	Wall    float64   `json:"wall" help:"wall time of its runs"`
	Latency Histogram `json:"latency,omitempty" help:"runs in which it was asked, by wall time: element i counts those of at most 2^i milliseconds"`
}

// Point is the state of a campaign at one moment, the content of a progress event. Counts are those since the beginning.
type Point struct {
	Elapsed    float64          `json:"elapsed" help:"run time"`
	State      string           `json:"state" help:"running, draining or done"`
	Cases      uint64           `json:"cases" help:"cases made, run and judged"`
	Skipped    uint64           `json:"skipped" help:"cases not made"`
	Rate       float64          `json:"rate" help:"cases per second, in the last ten seconds"`
	New        int              `json:"new" help:"findings stored that reproduced"`
	Known      int              `json:"known" help:"findings of earlier campaigns that were seen again"`
	Flaky      int              `json:"flaky" help:"findings stored that did not reproduce"`
	Verdicts   uint64           `json:"verdicts" help:"verdicts of oracles"`
	Duplicates uint64           `json:"duplicates" help:"verdicts of findings that were there already"`
	Workers    int              `json:"workers" help:"living worker processes"`
	Share      float64          `json:"engine_share" help:"share of the engine in all CPU time"`
	Targets    []targetPoint    `json:"targets" help:"what each target did"`
	Techniques []TechniqueStats `json:"techniques,omitempty" help:"what each technique yielded"`
	Steps      []TechniqueStats `json:"steps,omitempty" help:"what the cases yielded in which a mutator took part"`
	Edges      []EdgePoint      `json:"edges,omitempty" help:"edges that cases took, of solvers that count them"`
	Grown      int              `json:"grown" help:"cases that have become seeds"`
}

// Points come every second at first and then whenever the run time has grown by a 200th, so that a log grows with the
// logarithm of the run time and a plot of it has no gap that one could see.
const (
	pointEvery = 1.0
	pointShare = 200
)

// NextPoint returns the run time of the point after one at elapsed seconds.
func NextPoint(elapsed float64) float64 { return elapsed + max(pointEvery, elapsed/pointShare) }

// Point returns the state as a progress event has it.
func (s *Stats) Point() *Point {
	p := &Point{
		Elapsed: s.Elapsed, State: s.State, Cases: s.Cases, Skipped: s.Skipped, Rate: s.Rate, New: s.Findings.New, Known: s.Findings.Known,
		Flaky: s.Findings.Flaky, Verdicts: s.Findings.Verdicts, Duplicates: s.Findings.Duplicates, Workers: s.Workers.Alive,
		Share: s.CPU.EngineShare, Techniques: s.Techniques, Steps: s.Steps, Grown: s.Grown.Seeds,
	}
	for i := range s.Edges {
		p.Edges = append(p.Edges, EdgePoint{s.Edges[i].Name, s.Edges[i].Edges})
	}
	for i := range s.Targets {
		t := &s.Targets[i]
		p.Targets = append(p.Targets, targetPoint{t.Name, t.Runs, t.Asked, t.Sat, t.Unsat, t.Unknown, t.Checks, t.Wall, t.Latency})
	}
	return p
}

// PointFields returns the fields of a progress event.
func (s *Stats) PointFields() map[string]any {
	p := s.Point()
	return map[string]any{
		"elapsed": p.Elapsed, "state": p.State, "cases": p.Cases, "skipped": p.Skipped, "rate": p.Rate, "new": p.New, "known": p.Known,
		"flaky": p.Flaky, "verdicts": p.Verdicts, "duplicates": p.Duplicates, "workers": p.Workers, "engine_share": p.Share,
		"targets": p.Targets, "techniques": p.Techniques, "steps": p.Steps, "edges": p.Edges, "grown": p.Grown,
	}
}
