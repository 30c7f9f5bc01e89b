package api

import (
	"github.com/smtlark/smtlark/engine/ground/cells"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Singles are the settings of some options one at a time. A row of the table is an option, a cell a value of it; an
// option that needs another one has a second cell for each value, beside that one.
type Singles struct {
	Table cells.Grid
	sets  [][]rule.Setting // by the number of the cell
	order []int            // the cells, group by group
}

// singlesAtOnce is about how many settings are in a group. A solver is asked about a whole group at once, since most
// settings are accepted, even one after the other.
const singlesAtOnce = 16

// Group returns the cells of the group of a cell. Values of one option are in different ones.
func (s *Singles) Group(number int) (group []int) {
	step := s.groups()
	for i := number % step; i < s.Table.Cells(); i += step {
		group = append(group, i)
	}
	return group
}

func (s *Singles) groups() int { return (s.Table.Cells() + singlesAtOnce - 1) / singlesAtOnce }

// NewSingles returns the settings of some options of a solver; of options with one name the first one counts.
func NewSingles(solver string, specs []rule.OptionSpec) *Singles {
	s := &Singles{Table: cells.Grid{Classes: cells.Classes{}}}
	for i := range specs {
		o := &specs[i]
		if s.Table.Classes[o.Name] != nil {
			continue
		}
		var values []string
		for _, x := range o.Settings() {
			values, s.sets = append(values, x.Value), append(s.sets, []rule.Setting{x})
		}
		if o.With.Name != "" {
			for _, x := range o.Settings() {
				values, s.sets = append(values, x.Value+" with "+o.With.Pair()), append(s.sets, []rule.Setting{o.With, x})
			}
		}
		s.Table.Classes[o.Name] = values
		s.Table.Add(cells.Row{Theory: solver, Name: o.Name, Factors: []string{o.Name}})
	}
	for i := range s.groups() {
		s.order = append(s.order, s.Group(i)...)
	}
	return s
}

// Turn returns the number of the cell for a turn, and how often all cells have had a turn before. In consecutive turns
// each cell comes once before any comes again, one group after the other. If only every n-th turn is used, each cell
// still comes.
func (s *Singles) Turn(turn uint64) (number int, pass uint64) {
	n := uint64(len(s.order))
	pass = turn / n
	return s.order[(turn%n+pass)%n], pass
}

// Set returns the settings of a cell, in their order.
func (s *Singles) Set(number int) []rule.Setting { return s.sets[number] }
