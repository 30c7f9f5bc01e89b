package coordinator

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/growth"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/solvers/coverage"
)

// edgeCount collects, from incoming results, the edges that the cases of a campaign took in the solvers.
type edgeCount struct {
	solvers []finding.Counting
	union   []coverage.Seen
	aims    []*coverage.Aim // by solver: the changed code in it that the campaign is directed at; nil: none
}

// beginEdges starts counting edges in the results and turning cases into seeds, if solvers count edges.
func beginEdges(cfg *Config, p *finding.Plan, r *results, cases *casePlan) error {
	counts := false
	for _, s := range p.Counting {
		counts = counts || s.Error == ""
		if s.Error != "" {
			cfg.Print(LineWarning, fmt.Sprintf("the coverage of %s is not read: %s", s.Name, s.Error))
		}
	}
	asked := cfg.Options.Coverage
	if !counts {
		if cfg.Options.Change != nil {
			return &campaign.LoadError{Fault: campaign.FaultSolver, Err: errors.New("--change: none of the solvers counts its edges; build one with afl-clang-fast of AFL++ and -gline-tables-only (docs/pull-requests.md)")}
		}
		if asked == finding.CoverageStatistics {
			return &campaign.LoadError{Fault: campaign.FaultSolver, Err: errors.New("--coverage statistics: none of the solvers tells statistics of itself; the programs z3, cvc5, CVC4 and Yices do (docs/coverage.md)")}
		}
		if asked == finding.CoverageGrow || asked == finding.CoverageCount {
			return &campaign.LoadError{Fault: campaign.FaultSolver, Err: fmt.Errorf("--coverage %s: none of the solvers counts its edges; build one with afl-clang-fast of AFL++ (docs/coverage.md)", asked)}
		}
		return nil
	}
	r.edges = edgeCount{p.Counting, make([]coverage.Seen, len(p.Counting)), nil}
	for _, s := range p.Counting {
		r.stats.Edges = append(r.stats.Edges, metrics.EdgeStats{Name: s.Name, Of: s.Edges})
	}
	var toward *growth.Direction
	if cfg.Options.Change != nil {
		var err error
		if toward, err = r.edges.aim(cfg, p); err != nil {
			return err
		}
		r.edges.countChanged(r.stats)
	}
	if asked == finding.CoverageCount {
		return nil
	}
	if cfg.Case != nil {
		return cfg.hasCorpus(*cfg.Case)
	}
	if cfg.Remote != nil {
		if asked == finding.CoverageGrow || asked == finding.CoverageStatistics {
			return &campaign.LoadError{Fault: campaign.FaultUsage, Err: errors.New("--coverage " + asked + ": seeds do not grow in a campaign on many machines; --coverage count counts edges there")}
		}
		return nil
	}
	next := uint64(0)
	if cfg.Resume != nil {
		next = cfg.Resume.Next
	}
	if cfg.Corpus == "" {
		cases.growth = growth.New(p.Counting, next, nil, toward)
		return nil
	}
	var err error
	if cases.growth, err = growth.Continue(cfg.Corpus, p.Counting, next, toward); err != nil {
		return &campaign.LoadError{Fault: campaign.FaultDisk, Err: fmt.Errorf("the seeds that grow in this campaign cannot be kept: %w", err)}
	}
	r.stats.Grown.Seeds = cases.growth.Seeds()
	cases.news = cases.growth.All() // seeds of the epochs that are not over
	for i := range p.Counting {     // edges known from an earlier run
		r.edges.union[i].Add(cases.growth.Known(i))
		r.edges.bring(r.stats, i)
	}
	r.edges.countChanged(r.stats)
	return nil
}

// aim locates, in the solvers, the change that the campaign is directed at, and prints where it is.
func (e *edgeCount) aim(cfg *Config, p *finding.Plan) (*growth.Direction, error) {
	toward := &growth.Direction{First: uint64(p.SeedsFirst)}
	var lost []string
	e.aims = make([]*coverage.Aim, len(e.solvers))
	found := false
	for i := range e.solvers {
		s := &e.solvers[i]
		toward.Near = append(toward.Near, nil)
		why := s.Lost
		if why == "" && len(s.Modules) > 0 {
			a, err := coverage.Locate(s.Modules, s.Edges, cfg.Options.Change, cfg.Options.Root)
			if err == nil {
				e.aims[i], toward.Near[i], found = a, a.Near, true
				cfg.Print(LinePrint, fmt.Sprintf("%s: changed lines with code: %d, in %s; functions that lead there: %d; cases that are seeds as they are: the first %d",
					s.Name, len(a.Lines), display.Line(shortList(a.Functions)), a.Calls, toward.First))
				continue
			}
			why = err.Error()
		}
		lost = append(lost, why)
	}
	if !found {
		return nil, &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("--change: the change is in no solver of the campaign: %s", strings.Join(lost, "; "))}
	}
	return toward, nil
}

// shortList joins the first few names of a list and gives the number of the others.
func shortList(names []string) string {
	const most = 4
	if n := len(names) - most; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n)
	}
	return strings.Join(names, ", ")
}

// countChanged counts the changed lines that cases have reached.
func (e *edgeCount) countChanged(s *metrics.Stats) {
	var all, never []coverage.Line
	for i, a := range e.aims {
		if a == nil {
			continue
		}
		for k, l := range a.Lines {
			all = append(all, l)
			if !slices.ContainsFunc(a.Edges[k], e.union[i].Takes) {
				never = append(never, l)
			}
		}
	}
	if len(all) > 0 {
		s.Changed = metrics.ChangeStats{Lines: len(all), Reached: len(all) - len(never), Never: coverage.Ranges(never)}
	}
}

// hasCorpus returns an error if case n may be made from a grown seed of its campaign, but the folder with these seeds
// is missing.
func (c *Config) hasCorpus(n uint64) error {
	epoch, _ := mixture.EpochOf(n)
	if epoch < growth.FirstEpoch || c.Corpus == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(c.Corpus, growth.IndexFile)); err == nil {
		return nil
	}
	return &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("case %d may be made of a case that became a seed of its campaign, and %s is not there: give the --out of the campaign, or --coverage count if none became seeds", n, c.Corpus)}
}

// bring updates the edge counts of a solver in the statistics.
func (e *edgeCount) bring(s *metrics.Stats, i int) {
	s.Edges[i].Edges, s.Edges[i].Pairs = e.union[i].Edges(), e.union[i].Pairs()
}

// countFiles counts the edges of each solver by source file if there are line tables. Reading them takes as long as
// hundreds of cases, so this is done once, at the end.
func (e *edgeCount) countFiles(s *metrics.Stats) {
	for i := range e.solvers {
		files, err := coverage.ByFile(e.solvers[i].Modules, e.union[i].Takes)
		if err != nil { // it was built without line tables, or away from here
			continue
		}
		s.Edges[i].Files = nil
		for _, f := range files {
			s.Edges[i].Files = append(s.Edges[i].Files, metrics.FileStats{Name: f.File, Edges: f.Edges, Of: f.Of})
		}
	}
}

// takeEdges counts the edges that a case took; an error is a breach of the protocol.
func (t *results) takeEdges(r *wire.CaseResult) error {
	total := 0
	for _, c := range r.Took.Covered {
		edges, err := c.Unpack(t.edges.solvers)
		if err != nil {
			return err
		}
		_, fresh := t.edges.union[c.Solver].Add(edges)
		t.edges.bring(t.stats, c.Solver)
		if fresh > 0 {
			total += fresh
			s := &t.stats.Edges[c.Solver]
			s.Last = t.settles.life.elapsed().Seconds()
			t.journal.logEvent("edges", map[string]any{"n": r.N, "solver": s.Name, "technique": r.Technique, "new": fresh, "edges": s.Edges, "elapsed": s.Last})
		}
	}
	if total > 0 {
		t.stats.AddEdges(r.Technique, r.Steps, total)
		if t.edges.aims != nil {
			t.edges.countChanged(t.stats)
		}
	}
	return nil
}
