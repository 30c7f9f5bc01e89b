package metrics

// EdgeStats counts the edges of the control flow of a solver, see package coverage.
type EdgeStats struct {
	Name  string  `json:"name" help:"of the solver"`
	Edges int     `json:"edges" metric:"gauge" help:"different edges that cases took"`
	Pairs int     `json:"pairs" metric:"gauge" help:"the same, those apart that were taken more often in one case (in classes: 1, 2, 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127, more)"`
	Of    int     `json:"of" metric:"gauge" help:"edges that the solver has"`
	Last  float64 `json:"last" metric:"gauge" unit:"s" help:"run time at the last new edge"`
	// Files are there at the end of a campaign, where the solver has line tables.
	Files []FileStats `json:"files,omitempty" label:"file" help:"the edges by source file, those first with most that no case took, at the end and where line tables tell"`
}

// FileStats counts the edges of a source file of a solver.
type FileStats struct {
	Name  string `json:"name" help:"of the file, below the folder that the files have in common"`
	Edges int    `json:"edges" metric:"gauge" help:"different edges that cases took"`
	Of    int    `json:"of" metric:"gauge" help:"edges that the file has"`
}

// ChangeStats says how much of a change cases have come to, in a campaign that is led to one.
type ChangeStats struct {
	Lines   int      `json:"lines" metric:"gauge" help:"changed lines of the solvers that have code"`
	Reached int      `json:"reached" metric:"gauge" help:"of these, those that cases came to"`
	Never   []string `json:"never,omitempty" help:"the others, as FILE:LINE or FILE:FIRST-LAST"`
}

// GrownStats counts cases that have become seeds.
type GrownStats struct {
	Seeds int `json:"seeds" metric:"gauge" help:"seeds that have grown and from which cases are made"`
}

// AddEdges counts the edges that a case was the first to take, for what made it.
func (s *Stats) AddEdges(technique string, steps []string, fresh int) {
	s.eachCounter(technique, steps, func(t *TechniqueStats) { t.Edges += uint64(fresh) })
}
