package metrics

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// OptionStats lists, by solver, the settings of declared options that were tried one at a time. It is sorted by name.
type OptionStats []SolverOptions

// SolverOptions are the options of a solver of one version. A setting is an option with a value.
type SolverOptions struct {
	Name     string `json:"name" help:"of the solver, with its version"`
	Options  int    `json:"options" metric:"gauge" help:"options that it declares, without those about output, limits and what is asked"`
	Probed   int    `json:"probed" metric:"gauge" help:"those of them that it takes and that were tried with all of the values that it takes"`
	Refused  int    `json:"refused" metric:"gauge" help:"those of them of which it takes no value"`
	Settings int    `json:"settings" metric:"gauge" help:"options with a value other than the default"`
	// First are the first settings of all options, Tried those with a case that was answered, Untaken those that it
	// refused.
	First   cellSet `json:"first" help:"bit set in hexadecimal: settings that are the first ones of their options"`
	Tried   cellSet `json:"tried" help:"settings with a case that was answered"`
	Untaken cellSet `json:"untaken,omitempty" help:"settings that it refused"`
}

// Add counts the setting of a case.
func (s *OptionStats) Add(c *testcase.Case, runs []*solvers.Run) {
	if c.Option == nil {
		return
	}
	t := c.Option.Table
	o := s.of(t.Rows[0].Theory)
	if o.Settings != t.Cells() {
		*o = SolverOptions{Name: o.Name, Options: len(t.Rows), Settings: t.Cells()}
		for i := range t.Rows {
			o.First.addCell(t.First(i))
		}
	}
	for _, n := range c.Option.Refused {
		o.Untaken.addCell(n)
	}
	answered := slices.ContainsFunc(runs, func(r *solvers.Run) bool {
		return slices.ContainsFunc(r.Answers, func(a smtlib.Answer) bool { return a != smtlib.None })
	})
	for _, a := range c.Option.Cells {
		if answered {
			o.Tried.addCell(t.First(a.Row) + a.Cell)
		}
	}
}

// count counts options.
func (o *SolverOptions) count() {
	o.Probed, o.Refused = 0, 0
	for n := 0; n < o.Settings; {
		tried, untaken, all := 0, 0, 0
		for first := n; n < o.Settings && (n == first || !o.First.Has(n)); n++ {
			all++
			switch {
			case o.Tried.Has(n):
				tried++
			case o.Untaken.Has(n):
				untaken++
			}
		}
		switch {
		case untaken == all:
			o.Refused++
		case tried+untaken == all:
			o.Probed++
		}
	}
}

// of returns the options of a solver, new ones where there are none.
func (s *OptionStats) of(name string) *SolverOptions {
	i, known := slices.BinarySearchFunc(*s, name, func(o SolverOptions, name string) int { return strings.Compare(o.Name, name) })
	if !known {
		*s = slices.Insert(*s, i, SolverOptions{Name: name})
	}
	return &(*s)[i]
}

// Join takes in what another process counted.
func (s *OptionStats) Join(more OptionStats) {
	for i := range more {
		m := &more[i]
		o := s.of(m.Name)
		if o.Settings != m.Settings {
			*o = SolverOptions{Name: m.Name, Options: m.Options, Settings: m.Settings, First: m.First}
		}
		for _, set := range []struct{ to, of *cellSet }{{&o.Tried, &m.Tried}, {&o.Untaken, &m.Untaken}} {
			joined := slices.Clone(*set.to) // a copy of the statistics may be on its way
			joined.joinSet(*set.of)
			*set.to = joined
		}
		o.count()
	}
}

// Take returns the counts since it was last called.
func (s *OptionStats) Take() OptionStats {
	out := *s
	*s = nil
	return out
}

func (s OptionStats) clone() OptionStats { return slices.Clone(s) }
