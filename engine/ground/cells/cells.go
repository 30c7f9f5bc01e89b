// Package cells numbers the questions about operators as the cells of a table: all pairs of a class of one factor with
// a class of another one. A factor is an operand or an index; its classes are the boundary values of its sort, and one
// for any value (Kuhn, Wallace, Gallo, "Software Fault Interactions and Implications for Software Testing", IEEE TSE
// 2004: most faults show with one or two factors).
package cells

import (
	"sort"
	"strings"
)

// Row is an operator in one of its signatures, or a construction.
type Row struct {
	Theory  string   `json:"theory" help:"of the operator"`
	Name    string   `json:"name" help:"of the operator"`
	Factors []string `json:"factors,omitempty" help:"its operands and then its indices: kinds of sorts, whose classes are listed beside the rows"`
}

// Key identifies a row: an operator has one row for each of its signatures.
func (r *Row) Key() string {
	return strings.Join(append([]string{r.Theory, r.Name}, r.Factors...), " ")
}

// Classes are the names of the classes of each kind of factor.
type Classes map[string][]string

// Pair is a cell of a row. A row with one factor has Second = -1, one with none First = -1.
type Pair struct{ First, Second, FirstClass, SecondClass int }

// Class returns the class of a factor in a cell, -1 where the cell leaves it open.
func (p Pair) Class(factor int) int {
	switch factor {
	case p.First:
		return p.FirstClass
	case p.Second:
		return p.SecondClass
	}
	return -1
}

// Cells counts the cells of a row.
func (c Classes) Cells(r *Row) int {
	switch len(r.Factors) {
	case 0:
		return 1
	case 1:
		return len(c[r.Factors[0]])
	}
	n := 0
	for i, a := range r.Factors {
		for _, b := range r.Factors[i+1:] {
			n += len(c[a]) * len(c[b])
		}
	}
	return n
}

// Pair returns cell number n of a row, from 0.
func (c Classes) Pair(r *Row, n int) Pair {
	switch len(r.Factors) {
	case 0:
		return Pair{First: -1, Second: -1}
	case 1:
		return Pair{First: 0, Second: -1, FirstClass: n}
	}
	for first, a := range r.Factors {
		for i, b := range r.Factors[first+1:] {
			if size := len(c[a]) * len(c[b]); n >= size {
				n -= size
				continue
			}
			return Pair{First: first, Second: first + 1 + i, FirstClass: n / len(c[b]), SecondClass: n % len(c[b])}
		}
	}
	panic("cells: a cell behind the last one of its row")
}

// Grid is the table of all cells that a technique can ask about.
type Grid struct {
	Classes Classes
	Rows    []Row
	ends    []int // number of the first cell behind each row
}

// Add adds a row.
func (t *Grid) Add(r Row) {
	t.Rows = append(t.Rows, r)
	t.ends = append(t.ends, t.Cells()+t.Classes.Cells(&r))
}

// Cells is the number of cells of all rows.
func (t *Grid) Cells() int {
	if len(t.ends) == 0 {
		return 0
	}
	return t.ends[len(t.ends)-1]
}

// First returns the number of the first cell of a row.
func (t *Grid) First(row int) int {
	if row == 0 {
		return 0
	}
	return t.ends[row-1]
}

// Find returns the row of cell n of the table, from 0, and the number of the cell in it.
func (t *Grid) Find(n int) (row, cell int) {
	row = sort.SearchInts(t.ends, n+1)
	if row > 0 {
		n -= t.ends[row-1]
	}
	return row, n
}

// Asked says which cells of a table the check-sats of a case ask about.
type Asked struct {
	Table *Grid
	Cells []AskedCell
	// Refused lists the numbers of cells in the table that the targets do not accept, as determined for this case.
	Refused []int
}

// AskedCell is a cell, and the check-sat whose answer shows that it was asked: the last one about it.
type AskedCell struct{ Row, Cell, Check int }
