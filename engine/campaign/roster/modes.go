package roster

import (
	"slices"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/solvers"
)

// modeCosts has the modes, cheapest first, with the cost of a short case relative to mode incremental. The costs were
// measured with z3, cvc5 and yices on trivial formulas (docs/performance.md). They are constants because measurements
// during a campaign would differ each time. Shares are their reciprocals, so that each mode begins with about the same
// time.
var modeCosts = []struct {
	mode solvers.Mode
	cost float64
}{{solvers.Incremental, 1}, {solvers.Native, 1}, {solvers.Reset, 4}, {solvers.Fresh, 32}}

// costliest is the cost of the most expensive mode, so that the shares become whole numbers.
const costliest = 32

// Modes has the targets for which the user gave no mode. Each of them is several targets, one for each mode, and
// usually one of these is asked about a case. If it is the turn of the costliest mode of a target, all modes are asked
// and compared, because the others add little cost.
type Modes struct {
	parts []finding.Part
	ways  map[int][]int // by target: itself, and the same in other modes, the cheapest mode first
	mode  map[int]solvers.Mode
	first map[int]int // by a target in another mode: the one that it stands for
}

// NewModes returns the modes of targets. groups lists, by target, all that it is in its modes, itself included; modeOf
// says what mode a target has. It is nil where no target has several modes.
func NewModes(groups map[int][]int, modeOf func(target int) solvers.Mode) *Modes {
	m := &Modes{ways: map[int][]int{}, mode: map[int]solvers.Mode{}, first: map[int]int{}}
	for target, group := range groups {
		if len(group) < 2 {
			continue
		}
		group = slices.Clone(group)
		slices.SortStableFunc(group, func(a, b int) int { return placeOf(modeOf(a)) - placeOf(modeOf(b)) })
		m.ways[target] = group
		for _, i := range group {
			m.mode[i] = modeOf(i)
			if i != target {
				m.first[i] = target
			}
		}
	}
	if len(m.ways) == 0 {
		return nil
	}
	for _, x := range modeCosts {
		for _, mode := range m.mode {
			if mode == x.mode {
				m.parts = append(m.parts, finding.Part{Name: string(x.mode), Weight: costliest / x.cost, Cost: x.cost})
				break
			}
		}
	}
	return m
}

func placeOf(mode solvers.Mode) int {
	for i, x := range modeCosts {
		if x.mode == mode {
			return i
		}
	}
	return len(modeCosts)
}

// Parts returns the modes among which cases are distributed, as parts of a mixture; nil for nil.
func (m *Modes) Parts() []finding.Part {
	if m == nil {
		return nil
	}
	return m.parts
}

// Ways returns the targets that are asked in the place of one, at least one of them: of those that take the case, that
// in the mode of part, or the cheapest one where there is none. All are asked where part is the costliest of the
// target, or below 0.
func (m *Modes) Ways(target, part int, takes func(target int) bool) []int {
	if m == nil || m.ways[target] == nil {
		return []int{target}
	}
	taken := slices.DeleteFunc(slices.Clone(m.ways[target]), func(i int) bool { return i != target && !takes(i) })
	if part < 0 {
		return taken
	}
	want := solvers.Mode(m.parts[part].Name)
	at := slices.IndexFunc(taken, func(i int) bool { return m.mode[i] == want })
	switch {
	case at < 0:
		at = 0
	case at == len(taken)-1:
		return taken
	}
	return taken[at : at+1]
}

// Others returns the targets that are the same as one in other modes.
func (m *Modes) Others(target int) []int {
	if m == nil {
		return nil
	}
	return m.ways[m.First(target)]
}

// First returns the target of which the given one is another mode; for other targets, it returns the given one.
func (m *Modes) First(target int) int {
	if m == nil {
		return target
	}
	if first, ok := m.first[target]; ok {
		return first
	}
	return target
}

// IsFurther reports whether a target is another one in a different mode.
func (m *Modes) IsFurther(target int) bool {
	return m.First(target) != target
}
