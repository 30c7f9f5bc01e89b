package coordinator

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/growth"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/solvers/coverage"
)

// edgeCount is which edges of solvers the cases of a campaign took, as results come.
type edgeCount struct {
	solvers []finding.Counting
	union   []coverage.Seen
}

// beginEdges begins to count edges in the results, and to make seeds of cases, where solvers count edges.
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
		if asked == finding.CoverageGrow || asked == finding.CoverageCount {
			return &campaign.LoadError{Fault: campaign.FaultSolver, Err: fmt.Errorf("--coverage %s: none of the solvers counts its edges; build one with afl-clang-fast of AFL++ (docs/coverage.md)", asked)}
		}
		return nil
	}
	r.edges = edgeCount{p.Counting, make([]coverage.Seen, len(p.Counting))}
	for _, s := range p.Counting {
		r.stats.Edges = append(r.stats.Edges, metrics.EdgeStats{Name: s.Name, Of: s.Edges})
	}
	if asked == finding.CoverageCount {
		return nil
	}
	if cfg.Case != nil {
		return cfg.hasCorpus(*cfg.Case)
	}
	if cfg.Away != nil {
		if asked == finding.CoverageGrow {
			return &campaign.LoadError{Fault: campaign.FaultUsage, Err: errors.New("--coverage grow: seeds do not grow in a campaign on many machines; --coverage count counts edges there")}
		}
		return nil
	}
	next := uint64(0)
	if cfg.Resume != nil {
		next = cfg.Resume.Next
	}
	if cfg.Corpus == "" {
		cases.growth = growth.New(p.Counting, next, nil)
		return nil
	}
	var err error
	if cases.growth, err = growth.Continue(cfg.Corpus, p.Counting, next); err != nil {
		return &campaign.LoadError{Fault: campaign.FaultDisk, Err: fmt.Errorf("the seeds that grow in this campaign cannot be kept: %w", err)}
	}
	r.stats.Grown.Seeds = cases.growth.Seeds()
	cases.news = cases.growth.All() // of the epochs that are not over
	for i := range p.Counting {     // what an earlier run had
		r.edges.union[i].Add(cases.growth.Known(i))
		r.edges.bring(r.stats, i)
	}
	return nil
}

// hasCorpus returns an error if a single case may be made of a seed that grew in its campaign, and there are none here.
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

// bring brings the statistics of a solver up to date.
func (e *edgeCount) bring(s *metrics.Stats, i int) {
	s.Edges[i].Edges, s.Edges[i].Pairs = e.union[i].Edges(), e.union[i].Pairs()
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
			s.Last = t.intake.life.elapsed().Seconds()
			t.logEvent("edges", map[string]any{"n": r.N, "solver": s.Name, "technique": r.Technique, "new": fresh, "edges": s.Edges, "elapsed": s.Last})
		}
	}
	if total > 0 {
		t.stats.AddEdges(r.Technique, r.Steps, total)
	}
	return nil
}
