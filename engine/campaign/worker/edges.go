package worker

import (
	"context"
	"slices"
	"sync"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/campaign/growth"
	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/coverage"
	"github.com/smtlark/smtlark/solvers/process"
)

// edges reads the edges that cases take in the solvers that count edges, and reports those that nobody has reported
// yet.
//
// Which case took an edge first is decided by the numbers of cases, wherever they ran. So a worker omits an edge only
// if a case with a lower number has reported it: one of its own cases, or one of an epoch that the coordinator has
// declared complete.
type edges struct {
	solvers []finding.Counting
	of      map[string]int   // by target name: the index in solvers
	all     []*coverage.Seen // all reported edges
	earlier []*coverage.Seen // edges reported in epochs before the latest one
	filter  []*coverage.Seen // edges reported by cases with lower numbers than the running case
	epoch   int              // the latest
	last    uint64           // one above the greatest case that ran
	untold  []told           // the edges that report returned for the running case
	first   uint64           // cases with lower numbers always report their edges: unchanged seeds, among which those near a change are sought
}

// told holds the edges of a solver that a case reports.
type told struct {
	solver int
	edges  []coverage.Edge
}

// newEdges asks the targets of a plan whether they count edges. Targets of the same program share edges. If statistics
// is set, the counters of a solver that counts no edges are used in their place.
func newEdges(ctx context.Context, plan *campaign.Plan, statistics bool) *edges {
	e := &edges{of: map[string]int{}}
	places, names := map[string]int{}, map[string]bool{}
	for _, t := range plan.Targets {
		c, ok := t.(solvers.Counter)
		s := t.Solver()
		if !ok || s == nil {
			continue
		}
		if statistics {
			c.UseStatistics()
		}
		n, err := c.Counts(ctx)
		if n == 0 && err == nil {
			continue
		}
		program := process.ProgramOf(s)
		at, ok := places[program]
		if !ok {
			at = len(e.solvers)
			one := finding.Counting{Name: s.Name, Edges: n}
			if statistics && !process.CanCount(s, nil) {
				one.Name += " (statistics)"
			}
			if names[s.Name] {
				one.Name += " " + program
			}
			if err != nil {
				one.Error = err.Error()
			}
			names[s.Name], places[program] = true, at
			e.solvers = append(e.solvers, one)
		}
		if err == nil {
			e.of[t.Name()] = at
		}
	}
	e.all, e.earlier = emptySets(len(e.solvers)), emptySets(len(e.solvers))
	e.filter = e.all
	return e
}

func emptySets(n int) []*coverage.Seen {
	out := make([]*coverage.Seen, n)
	for i := range out {
		out[i] = &coverage.Seen{}
	}
	return out
}

func cloneSets(sets []*coverage.Seen) []*coverage.Seen {
	out := make([]*coverage.Seen, len(sets))
	for i := range out {
		out[i] = sets[i].Clone()
	}
	return out
}

// reads reports whether any target counts edges.
func (e *edges) reads() bool { return len(e.of) > 0 }

// begin begins a range of cases. known lists the edges that need not be reported again.
func (e *edges) begin(from uint64, known []growth.Covered) {
	if !e.reads() {
		return
	}
	for _, c := range known {
		if list, err := c.Unpack(e.solvers); err == nil {
			e.all[c.Solver].Add(list)
			e.earlier[c.Solver].Add(list)
		}
	}
	epoch, _ := mixture.EpochOf(from)
	switch {
	case epoch > e.epoch:
		e.earlier, e.epoch = cloneSets(e.all), epoch
		e.filter = e.all
	case epoch == e.epoch && from >= e.last:
		e.filter = e.all
	case epoch == e.epoch: // cases returned by another worker
		e.filter = cloneSets(e.earlier)
	default:
		e.filter = emptySets(len(e.solvers))
	}
}

// findModules asks the solvers which of their files count edges, in order to map edges to source code.
func (e *edges) findModules(ctx context.Context, plan *campaign.Plan) {
	for _, t := range plan.Targets {
		at, counts := e.of[t.Name()]
		if !counts || e.solvers[at].Modules != nil {
			continue
		}
		s := &e.solvers[at]
		modules, err := t.(solvers.Counter).Modules(ctx)
		if s.Modules, s.Lost = modules, ""; err != nil {
			s.Lost = err.Error()
		}
	}
}

// report returns the edges that a case took, or nil if all of them were reported before. The caller must call sent when
// it has sent the report.
func (e *edges) report(n uint64, c *testcase.Case, runs []*solvers.Run) *growth.Report {
	e.untold = e.untold[:0]
	whole := true
	for _, run := range runs {
		at, counts := e.of[run.Target]
		if !counts || run.Coverage == nil {
			continue
		}
		whole = whole && run.Class == solvers.OK
		if n >= e.first && len(run.Coverage.Beyond(e.filter[at])) == 0 {
			continue
		}
		e.untold = append(e.untold, told{at, run.Coverage.All()})
	}
	if len(e.untold) == 0 {
		return nil
	}
	r := &growth.Report{Covered: coveredBy(e.untold)}
	if whole {
		r.Text = seedText(c)
	}
	for _, name := range c.Origin.Seeds {
		if n, ok := corpus.GrownFrom(name); ok && !slices.Contains(r.Parents, n) {
			r.Parents = append(r.Parents, n)
		}
	}
	return r
}

// sent notes that the result of case n was sent, together with the edges from report.
func (e *edges) sent(n uint64) {
	for _, t := range e.untold {
		e.filter[t.solver].Add(t.edges)
		e.all[t.solver].Add(t.edges)
	}
	e.untold = e.untold[:0]
	e.last = max(e.last, n+1)
}

// coveredBy merges the edges that several runs of a solver took, in several of its modes.
func coveredBy(runs []told) (out []growth.Covered) {
	slices.SortStableFunc(runs, func(a, b told) int { return a.solver - b.solver })
	for i := 0; i < len(runs); {
		k := i + 1
		for k < len(runs) && runs[k].solver == runs[i].solver {
			k++
		}
		edges := runs[i].edges
		if k > i+1 {
			var joint coverage.Seen
			for _, run := range runs[i:k] {
				joint.Add(run.edges)
			}
			edges = joint.All()
		}
		out = append(out, growth.Covered{Solver: runs[i].solver, Edges: coverage.Pack(edges)})
		i = k
	}
	return out
}

// seedText returns the text of a case as a seed, "" if it cannot be one. The text omits the known answer, which may
// depend on the label of a seed.
func seedText(c *testcase.Case) string {
	if c.LiveTrace() != nil {
		return ""
	}
	s := c.Script
	if slices.ContainsFunc(s.Commands, isStatus) {
		s = s.WithCommands(slices.DeleteFunc(slices.Clone(s.Commands), isStatus))
	}
	text := s.Text()
	if len(text) > growth.MaxText {
		return ""
	}
	return text
}

func isStatus(c smtlib.Command) bool { return c.Kind == smtlib.CmdSetInfo && c.Name == ":status" }

// grown has the cases that have become seeds. The coordinator announces them while other cases run.
type grown struct {
	mu     sync.Mutex
	texts  map[uint64]string
	tables map[int][]finding.GrownSeed
	fresh  []growth.Covered // edges that seedsOf has not returned yet
}

// learn adds the new seeds and edges of an epoch.
func (g *grown) learn(c *growth.News) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.texts == nil {
		g.texts, g.tables = map[uint64]string{}, map[int][]finding.GrownSeed{}
	}
	for _, s := range c.Added {
		g.texts[s.Number] = s.Text
	}
	g.tables[c.Epoch] = c.Table
	g.fresh = append(g.fresh, c.Fresh...)
	for epoch := range g.tables {
		if epoch < c.Epoch-keptTables {
			delete(g.tables, epoch)
		}
	}
}

// keptTables is the number of epochs whose seed tables are kept. Cases of older epochs cannot be made again.
const keptTables = 8

// seedsOf returns the seeds of an epoch with their texts, and the edges that have become known since it was last
// called.
func (g *grown) seedsOf(epoch int) ([]finding.GrownSeed, []growth.Covered) {
	g.mu.Lock()
	defer g.mu.Unlock()
	fresh := g.fresh
	g.fresh = nil
	table := slices.Clone(g.tables[epoch])
	for i := range table {
		table[i].Text = g.texts[table[i].Number]
	}
	return table, fresh
}
