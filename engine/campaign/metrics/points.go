package metrics

// Points are recorded every second at first, and later each time the run time has grown by a 200th. So a log grows with
// the logarithm of the run time, and a plot of it has no visible gap.
const (
	pointEvery = 1.0
	pointShare = 200
)

// NextPoint returns the run time of the point after one at elapsed seconds.
func NextPoint(elapsed float64) float64 { return elapsed + max(pointEvery, elapsed/pointShare) }

// Point returns the numbers of the statistics, without lists of single cases, operators, options and files: the state
// of a campaign at one moment. A log and a report have many of them. It shares its lists with s.
func (s *Stats) Point() *Stats {
	p := &Stats{
		Progress: s.Progress, CaseStats: s.CaseStats, Targets: s.Targets, Techniques: s.Techniques, Steps: s.Steps,
		Findings: s.Findings, Workers: s.Workers, CPU: s.CPU, Grown: s.Grown,
		SeedStats: SeedStats{Seeds: s.Seeds, BrokenSeeds: s.BrokenSeeds},
	}
	p.setLists(&Stats{})
	for _, e := range s.Edges {
		e.Files = nil
		p.Edges = append(p.Edges, e)
	}
	return p
}

// setLists takes over the lists of single cases, findings and deaths.
func (s *Stats) setLists(of *Stats) {
	s.KilledList, s.ErrorList, s.Findings.List = of.KilledList, of.ErrorList, of.Findings.List
	s.Workers.Deaths, s.Workers.Doing = of.Workers.Deaths, of.Workers.Doing
}

// CatchUp brings the statistics up to a later point.
func (s *Stats) CatchUp(p *Stats) {
	if p.Elapsed <= s.Elapsed || p.Cases < s.Cases {
		return
	}
	later := *p
	later.setLists(s)
	s.Progress, s.CaseStats, s.Findings, s.Workers, s.CPU, s.Grown = later.Progress, later.CaseStats, later.Findings, later.Workers, later.CPU, later.Grown
	s.Targets, s.Techniques, s.Steps = later.Targets, later.Techniques, later.Steps
}
