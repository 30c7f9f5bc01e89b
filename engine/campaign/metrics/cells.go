package metrics

import (
	"cmp"
	"encoding/hex"
	"maps"
	"math/bits"
	"slices"

	"github.com/smtlark/smtlark/engine/ground/cells"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// CellStats says which cells of a table of operators and boundary classes each target was asked about and answered,
// over all runs of the campaign in its folder. See package cells.
type CellStats struct {
	Targets []TargetCells `json:"targets" label:"target" help:"how many cells each target answered"`
	Classes cells.Classes `json:"classes" help:"names of the classes of each kind of factor, in their order"`
	Rows    []CellRow     `json:"rows" help:"the operators"`
}

// TargetCells counts the cells of a target.
type TargetCells struct {
	Name   string `json:"name" help:"of the target"`
	Cells  int    `json:"cells" metric:"gauge" help:"cells of the operators that it takes"`
	Probed int    `json:"probed" metric:"gauge" help:"those of them that it was asked about and answered"`
	// Decided counts this run alone, and a cell as often as it was probed.
	Decided uint64 `json:"decided" metric:"counter" help:"probes in checks that it answered with sat or unsat"`
}

// CellRow is an operator in one of its signatures.
type CellRow struct {
	cells.Row
	Cells int `json:"cells" help:"their number: all pairs of a class of one factor and a class of another"`
	// Probed and Declined go by the name of the target.
	Probed   map[string]cellSet `json:"probed,omitempty" help:"by target: the cells it answered, as a bit set in hexadecimal, the first cell in the lowest bit of the first byte"`
	Declined map[string]uint64  `json:"declined,omitempty" help:"by target that has answered no cell: cases with the operator that it declined or rejected"`
}

// cellSet is a set of the numbers of cells.
type cellSet []byte

// MarshalText implements encoding.TextMarshaler.
func (s cellSet) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, s), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *cellSet) UnmarshalText(text []byte) (err error) {
	*s, err = hex.AppendDecode(nil, text)
	return err
}

// Has reports whether a number is in the set.
func (s cellSet) Has(n int) bool { return n/8 < len(s) && s[n/8]&(1<<(n%8)) != 0 }

// Len is the number of cells in the set.
func (s cellSet) Len() (n int) {
	for _, b := range s {
		n += bits.OnesCount8(b)
	}
	return n
}

func (s *cellSet) addCell(n int) {
	s.growTo(n/8 + 1)
	(*s)[n/8] |= 1 << (n % 8)
}

func (s *cellSet) growTo(size int) {
	if len(*s) < size {
		*s = append(*s, make([]byte, size-len(*s))...)
	}
}

func (s *cellSet) joinSet(o cellSet) {
	s.growTo(len(o))
	for i, b := range o {
		(*s)[i] |= b
	}
}

// declinedEnough is the number of declined cases after which an operator counts as not supported by a target, if the
// target has answered no case with that operator.
const declinedEnough = 8

// Takes reports whether a target takes the operator, as far as is known.
func (r *CellRow) Takes(target string) bool {
	return r.Probed[target].Len() > 0 || r.Declined[target] < declinedEnough
}

// Union returns the union of both statistics; either may be nil.
func (s *CellStats) Union(o *CellStats) *CellStats {
	if s == nil || o == nil {
		return cmp.Or(s, o)
	}
	for i := range o.Rows {
		if s.findRow(o.Rows[i].Key()) == nil {
			s.Rows = append(s.Rows, CellRow{Row: o.Rows[i].Row, Cells: o.Rows[i].Cells})
		}
	}
	s.Join(o)
	return s
}

// findRow returns the row of a key; nil: there is none.
func (s *CellStats) findRow(key string) *CellRow {
	i := slices.IndexFunc(s.Rows, func(r CellRow) bool { return r.Key() == key })
	if i < 0 {
		return nil
	}
	return &s.Rows[i]
}

// addTable adds the rows of a table that are new.
func (s *CellStats) addTable(t *cells.Grid) {
	if s.Classes == nil {
		s.Classes = cells.Classes{}
	}
	known := map[string]bool{}
	for i := range s.Rows {
		known[s.Rows[i].Key()] = true
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		for _, f := range r.Factors {
			s.Classes[f] = t.Classes[f]
		}
		if key := r.Key(); !known[key] {
			known[key] = true
			s.Rows = append(s.Rows, CellRow{Row: *r, Cells: t.Classes.Cells(r)})
		}
	}
}

// Join merges the counts of o into the rows that both have. A row whose number of cells has changed counts as a
// different row.
func (s *CellStats) Join(o *CellStats) {
	byKey := map[string]*CellRow{}
	for i := range s.Rows {
		byKey[s.Rows[i].Key()] = &s.Rows[i]
	}
	for i := range o.Rows {
		theirs := &o.Rows[i]
		if ours := byKey[theirs.Key()]; ours != nil && ours.Cells == theirs.Cells {
			for name, set := range theirs.Probed {
				ours.changeProbed(name, func(s *cellSet) { s.joinSet(set) })
			}
			for name, n := range theirs.Declined {
				ours.addDeclined(name, n)
			}
		}
	}
}

func (r *CellRow) changeProbed(target string, change func(*cellSet)) {
	if r.Probed == nil {
		r.Probed = map[string]cellSet{}
	}
	set := slices.Clone(r.Probed[target]) // a copy of the statistics may be on its way
	change(&set)
	r.Probed[target] = set
}

func (r *CellRow) addDeclined(target string, n uint64) {
	if r.Declined == nil {
		r.Declined = map[string]uint64{}
	}
	r.Declined[target] += n
}

// Add adds the counts of a worker. earlier has the counts of earlier runs, which are used for new rows.
func (s *CellStats) Add(v, earlier *CellStats, targets []finding.Target) {
	if v == nil {
		return
	}
	s.Classes = maps.Clone(s.Classes)
	if s.Classes == nil {
		s.Classes = cells.Classes{}
	}
	maps.Copy(s.Classes, v.Classes)
	var fresh CellStats
	for i := range v.Rows {
		if s.findRow(v.Rows[i].Key()) == nil {
			fresh.Rows = append(fresh.Rows, CellRow{Row: v.Rows[i].Row, Cells: v.Rows[i].Cells})
		}
	}
	if earlier != nil {
		fresh.Join(earlier)
	}
	s.Rows = append(s.Rows, fresh.Rows...)
	s.Join(v)
	decided := map[string]uint64{}
	for _, known := range [][]TargetCells{s.Targets, v.Targets} {
		for _, t := range known {
			decided[t.Name] += t.Decided
		}
	}
	s.Targets = s.Targets[:0:0]
	for _, t := range targets {
		c := TargetCells{Name: t.Name, Decided: decided[t.Name]}
		for i := range s.Rows {
			if r := &s.Rows[i]; r.Takes(t.Name) {
				c.Cells += r.Cells
				c.Probed += r.Probed[t.Name].Len()
			}
		}
		s.Targets = append(s.Targets, c)
	}
}

// addDecided counts a probe that a target has decided.
func (s *CellStats) addDecided(target string) {
	i := slices.IndexFunc(s.Targets, func(t TargetCells) bool { return t.Name == target })
	if i < 0 {
		i = len(s.Targets)
		s.Targets = append(s.Targets, TargetCells{Name: target})
	}
	s.Targets[i].Decided++
}

// clone returns a copy that shares nothing that changes.
func (s *CellStats) clone() CellStats {
	out := CellStats{Targets: slices.Clone(s.Targets), Classes: s.Classes, Rows: slices.Clone(s.Rows)}
	for i := range out.Rows {
		r := &out.Rows[i]
		r.Probed, r.Declined = maps.Clone(r.Probed), maps.Clone(r.Declined)
	}
	return out
}

// CellCoverage counts cells in a worker, and remembers those that it has reported.
type CellCoverage struct {
	told   map[*cells.Grid]map[int]map[string]cellSet // by row and target
	silent CellStats                                  // not told yet
	rows   map[int]int                                // of the table that is being counted: where its rows are in silent
	table  *cells.Grid
}

// Add counts the cells of a case.
func (v *CellCoverage) Add(c *testcase.Case, runs []*solvers.Run) {
	if c.Asked == nil {
		return
	}
	t := c.Asked.Table
	if v.told == nil {
		v.told = map[*cells.Grid]map[int]map[string]cellSet{}
	}
	if v.told[t] == nil {
		v.told[t] = map[int]map[string]cellSet{}
		v.silent.addTable(t) // all of it, so that it is known what there is
	}
	for _, run := range runs {
		declines := run.Class == solvers.Unsupported || run.Class == solvers.Refusal || run.Class == solvers.ParseError || run.Class == solvers.SolverError
		for _, a := range c.Asked.Cells {
			answered := a.Check < len(run.Answers) && run.Answers[a.Check] != 0
			if answered && run.Answers[a.Check].Decided() {
				v.silent.addDecided(run.Target)
			}
			told := v.told[t][a.Row]
			if answered && told[run.Target].Has(a.Cell) || !answered && (!declines || len(told[run.Target]) > 0) {
				continue
			}
			row := v.silentRow(t, a.Row)
			if !answered {
				row.addDeclined(run.Target, 1)
				continue
			}
			row.changeProbed(run.Target, func(s *cellSet) { s.addCell(a.Cell) })
			if told == nil {
				told = map[string]cellSet{}
				v.told[t][a.Row] = told
			}
			set := told[run.Target]
			set.addCell(a.Cell)
			told[run.Target] = set
		}
	}
}

// silentRow returns the row in which to count cells that were not reported yet.
func (v *CellCoverage) silentRow(t *cells.Grid, n int) *CellRow {
	if v.table != t || v.rows == nil {
		v.table, v.rows = t, map[int]int{}
	}
	if i, ok := v.rows[n]; ok {
		return &v.silent.Rows[i]
	}
	key := t.Rows[n].Key()
	i := slices.IndexFunc(v.silent.Rows, func(r CellRow) bool { return r.Key() == key })
	if i < 0 {
		i = len(v.silent.Rows)
		v.silent.Rows = append(v.silent.Rows, CellRow{Row: t.Rows[n], Cells: t.Classes.Cells(&t.Rows[n])})
	}
	v.rows[n] = i
	return &v.silent.Rows[i]
}

// Take returns the counts since it was last called; nil for nothing.
func (v *CellCoverage) Take() *CellStats {
	if len(v.silent.Rows) == 0 && len(v.silent.Targets) == 0 {
		return nil
	}
	out := v.silent
	v.silent, v.rows = CellStats{}, nil
	return &out
}
