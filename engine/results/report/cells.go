package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
)

// cellsText says in one line how many cells of operators and boundary classes the targets were asked about: of one
// target all, of several how they differ; reports have a map of each.
func cellsText(s *metrics.CellStats) string {
	if len(s.Targets) < 2 {
		return strings.Join(cellLines(s), "")
	}
	share := func(t metrics.TargetCells) float64 { return float64(t.Probed) / float64(max(1, t.Cells)) }
	byShare := func(a, b metrics.TargetCells) int { return cmp.Compare(share(a), share(b)) }
	least, most := slices.MinFunc(s.Targets, byShare), slices.MaxFunc(s.Targets, byShare)
	return fmt.Sprintf("probed cells (operator, boundary classes) of %d targets: from %s of %s of %s to %s of %s of %s; smtlark report has each",
		len(s.Targets), number(uint64(least.Probed)), number(uint64(least.Cells)), display.Line(least.Name),
		number(uint64(most.Probed)), number(uint64(most.Cells)), display.Line(most.Name))
}

// cellLines say how many cells of operators and boundary classes each target was asked about.
func cellLines(s *metrics.CellStats) (lines []string) {
	for _, t := range s.Targets {
		line := fmt.Sprintf("probed %s of %s cells (operator, boundary classes)", number(uint64(t.Probed)), number(uint64(t.Cells)))
		if t.Decided > 0 {
			line += fmt.Sprintf(", %s probes decided", number(t.Decided))
		}
		if len(s.Targets) > 1 {
			line += ": " + display.Line(t.Name)
		}
		if declined := declinedOperators(s, t.Name); len(declined) > 0 {
			line += fmt.Sprintf("; it declines %s", display.Line(firstOf(declined)))
		}
		lines = append(lines, line)
	}
	return lines
}

// firstOf lists the first names, and says how many more there are.
func firstOf(names []string) string {
	n := min(len(names), maxNamed)
	text := strings.Join(names[:n], ", ")
	if more := len(names) - n; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func declinedOperators(s *metrics.CellStats, target string) (names []string) {
	for i := range s.Rows {
		if r := &s.Rows[i]; !r.Takes(target) && !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

// cellMap is the map of the cells of a target: the operators by theory.
type cellMap struct {
	Target   string
	Text     string
	Theories []cellTheory
}

// cellTheory is the part of the map about a theory.
type cellTheory struct {
	Name          string
	Cells, Probed int
	Rows          []cellMapRow
}

// cellMapRow is an operator in one of its signatures.
type cellMapRow struct {
	Name          string
	Signature     string
	Cells, Probed int
	Declined      bool
	Factors       []cellFactor
}

// cellFactor is an operand or an index.
type cellFactor struct {
	Name    string
	Classes []cellClass
}

// cellClass counts the cells of a row that have a class of a factor.
type cellClass struct {
	Name          string
	Cells, Probed int
}

// Level says how much of it was probed: 0 nothing, 1 some, 2 all.
func (c cellClass) Level() int {
	switch c.Probed {
	case 0:
		return 0
	case c.Cells:
		return 2
	}
	return 1
}

// cellMaps makes a map for each target.
func cellMaps(s *metrics.CellStats) []cellMap {
	var maps []cellMap
	for i, t := range s.Targets {
		m := cellMap{Target: t.Name, Text: cellLines(s)[i]}
		for j := range s.Rows {
			row := mapRow(s, &s.Rows[j], t.Name)
			k := slices.IndexFunc(m.Theories, func(x cellTheory) bool { return x.Name == s.Rows[j].Theory })
			if k < 0 {
				k = len(m.Theories)
				m.Theories = append(m.Theories, cellTheory{Name: s.Rows[j].Theory})
			}
			x := &m.Theories[k]
			x.Rows = append(x.Rows, row)
			if !row.Declined {
				x.Cells, x.Probed = x.Cells+row.Cells, x.Probed+row.Probed
			}
		}
		maps = append(maps, m)
	}
	return maps
}

func mapRow(s *metrics.CellStats, r *metrics.CellRow, target string) cellMapRow {
	set := r.Probed[target]
	row := cellMapRow{Name: r.Name, Signature: strings.Join(r.Factors, " "), Cells: r.Cells, Probed: set.Len(), Declined: !r.Takes(target)}
	for _, f := range r.Factors {
		factor := cellFactor{Name: f}
		for _, c := range s.Classes[f] {
			factor.Classes = append(factor.Classes, cellClass{Name: c})
		}
		row.Factors = append(row.Factors, factor)
	}
	for n := range r.Cells {
		pair := s.Classes.Pair(&r.Row, n)
		for _, at := range [][2]int{{pair.First, pair.FirstClass}, {pair.Second, pair.SecondClass}} {
			if at[0] < 0 {
				continue
			}
			c := &row.Factors[at[0]].Classes[at[1]]
			c.Cells++
			if set.Has(n) {
				c.Probed++
			}
		}
	}
	return row
}

// cellSheet is the cells of a run as text for the page's script, which draws the map of a theory when it is opened:
// thousands of drawings would be most of the page. Fields are separated by tabs. A line class has a kind of factor and
// the names of its classes; a line row an operator, the number of its cells and its factors; a line theory a name and
// the numbers of its rows; a line target a word a row. The word is - for an operator that the target declines, else the
// number of the cells that were probed and, where that is neither none nor all, a digit for each class of each factor:
// 0 nothing with it was probed, 1 some, 2 all.
func cellSheet(s *metrics.CellStats) string {
	if len(s.Targets) == 0 {
		return ""
	}
	var b strings.Builder
	line := func(fields ...string) {
		for i, f := range fields {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(display.Line(f))
		}
		b.WriteByte('\n')
	}
	for _, kind := range slices.Sorted(maps.Keys(s.Classes)) {
		line(append([]string{"class", kind}, s.Classes[kind]...)...)
	}
	theories := map[string][]string{}
	var names []string
	for i := range s.Rows {
		r := &s.Rows[i]
		line(append([]string{"row", r.Name, strconv.Itoa(r.Cells)}, r.Factors...)...)
		if theories[r.Theory] == nil {
			names = append(names, r.Theory)
		}
		theories[r.Theory] = append(theories[r.Theory], strconv.Itoa(i))
	}
	for _, name := range names {
		line(append([]string{"theory", name}, theories[name]...)...)
	}
	for _, t := range s.Targets {
		words := []string{"target"}
		for i := range s.Rows {
			words = append(words, mapRow(s, &s.Rows[i], t.Name).word())
		}
		line(words...)
	}
	return b.String()
}

// word returns the text of a row in cellSheet.
func (r cellMapRow) word() string {
	if r.Declined {
		return "-"
	}
	word := strconv.Itoa(r.Probed)
	if r.Probed == 0 || r.Probed == r.Cells {
		return word
	}
	for _, f := range r.Factors {
		word += " "
		for _, c := range f.Classes {
			word += strconv.Itoa(c.Level())
		}
	}
	return word
}
