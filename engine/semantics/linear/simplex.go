package linear

import "math/big"

// Nearly is a number with an infinitely small part: whole + part times epsilon.
type Nearly struct{ Whole, Part *big.Rat }

func (x Nearly) cmp(y Nearly) int {
	if c := x.Whole.Cmp(y.Whole); c != 0 {
		return c
	}
	return x.Part.Cmp(y.Part)
}

// times returns x * r.
func (x Nearly) times(r *big.Rat) Nearly {
	return Nearly{new(big.Rat).Mul(x.Whole, r), new(big.Rat).Mul(x.Part, r)}
}

func (x Nearly) plus(y Nearly) Nearly {
	return Nearly{new(big.Rat).Add(x.Whole, y.Whole), new(big.Rat).Add(x.Part, y.Part)}
}

// at returns the number for a value of epsilon.
func (x Nearly) at(epsilon *big.Rat) *big.Rat {
	r := new(big.Rat).Mul(x.Part, epsilon)
	return r.Add(r, x.Whole)
}

// Inequality says that the product of the coefficients with the variables is at most slack, or less than it.
type Inequality struct {
	Coefficients []*big.Rat // nil stands for 0
	Slack        *big.Rat   // not negative; positive if strict
	Strict       bool
}

// Dictionary is a state of the simplex algorithm: the basic variables and the goal in terms of the others, which are 0.
// Variables are numbered: first the free ones, then the slack of each inequality, which is not negative.
type Dictionary struct {
	free    int
	basic   []int // by row
	other   []int // by column
	rows    [][]*big.Rat
	values  []Nearly // of the basic variables
	goal    []*big.Rat
	reached Nearly
	work    int // products of numbers so far
	limit   int // of them
}

// Program maximises a linear goal over free variables that start from 0, where all inequalities hold. The limit is how
// many products of numbers Solve may take: a million of them take about a second.
//
// It is the simplex algorithm on exact numbers with Bland's rule, under which it ends (Bland, "New finite pivoting
// rules for the simplex method", Mathematics of Operations Research 1977). A strict inequality is one with a slack that
// is infinitely smaller.
func Program(goal []*big.Rat, system []Inequality, limit int) *Dictionary {
	d := &Dictionary{limit: limit, free: len(goal), reached: Nearly{new(big.Rat), new(big.Rat)}}
	for j, c := range goal {
		d.other = append(d.other, j)
		d.goal = append(d.goal, new(big.Rat).Set(c))
	}
	for i := range system {
		row := make([]*big.Rat, d.free)
		for j := range row {
			row[j] = new(big.Rat)
			if c := system[i].Coefficients[j]; c != nil {
				row[j].Neg(c)
			}
		}
		value := Nearly{new(big.Rat).Set(system[i].Slack), new(big.Rat)}
		if system[i].Strict {
			value.Part.SetInt64(-1)
		}
		d.basic, d.rows, d.values = append(d.basic, d.free+i), append(d.rows, row), append(d.values, value)
	}
	return d
}

// Solve maximises the goal. If the goal is unbounded, ray is a direction of the free variables in which it grows
// without limit. ok is false if that takes too much work; the point is then an intermediate one.
func (d *Dictionary) Solve() (ray []*big.Rat, ok bool) {
	for d.work < d.limit {
		column, sign := d.entering()
		if column < 0 {
			return nil, true
		}
		row := d.leaving(column, sign)
		if row < 0 {
			return d.rayOf(column, sign), true
		}
		d.pivot(row, column)
	}
	return nil, false
}

// entering returns the column of the variable to change, and in which direction; -1 if none increases the goal.
func (d *Dictionary) entering() (column, sign int) {
	column = -1
	for j, v := range d.other {
		s := d.goal[j].Sign()
		if s == 0 || s < 0 && v >= d.free || column >= 0 && v > d.other[column] {
			continue
		}
		column, sign = j, s
	}
	return column, sign
}

// leaving returns the row of the slack that is the first to become 0 when the variable of a column changes; -1 if none
// does.
func (d *Dictionary) leaving(column, sign int) int {
	best := -1
	var least Nearly
	for i, v := range d.basic {
		c := d.rows[i][column]
		if v < d.free || c.Sign()*sign >= 0 {
			continue
		}
		way := d.values[i].times(new(big.Rat).Inv(new(big.Rat).Abs(c)))
		if best >= 0 {
			if order := way.cmp(least); order > 0 || order == 0 && v > d.basic[best] {
				continue
			}
		}
		best, least = i, way
	}
	return best
}

// pivot exchanges the basic variable of a row for that of a column.
func (d *Dictionary) pivot(row, column int) {
	r := d.rows[row]
	d.work += len(r) + len(d.rows) // also where all products are with 0
	inverse := new(big.Rat).Inv(r[column])
	minus := new(big.Rat).Neg(inverse)
	for j := range r {
		if j != column {
			r[j].Mul(r[j], minus)
		}
	}
	r[column] = inverse
	d.values[row] = d.values[row].times(minus)
	d.basic[row], d.other[column] = d.other[column], d.basic[row]
	for i := range d.rows {
		if i != row {
			d.values[i] = d.values[i].plus(d.replaceIn(d.rows[i], r, column, d.values[row]))
		}
	}
	d.reached = d.reached.plus(d.replaceIn(d.goal, r, column, d.values[row]))
}

// replaceIn substitutes the row r, whose value is given, for the variable of a column in another row, and returns the
// change of that row's value.
func (d *Dictionary) replaceIn(other, r []*big.Rat, column int, value Nearly) Nearly {
	factor := other[column]
	if factor.Sign() == 0 {
		return Nearly{new(big.Rat), new(big.Rat)}
	}
	product := new(big.Rat)
	for j := range other {
		if j != column && r[j].Sign() != 0 {
			other[j].Add(other[j], product.Mul(factor, r[j]))
			d.work++
		}
	}
	other[column] = new(big.Rat).Mul(factor, r[column])
	return value.times(factor)
}

// rayOf returns how the free variables change with the variable of a column.
func (d *Dictionary) rayOf(column, sign int) []*big.Rat {
	ray := make([]*big.Rat, d.free)
	for j := range ray {
		ray[j] = new(big.Rat)
	}
	if v := d.other[column]; v < d.free {
		ray[v].SetInt64(int64(sign))
	}
	for i, v := range d.basic {
		if v < d.free {
			ray[v].Mul(d.rows[i][column], big.NewRat(int64(sign), 1))
		}
	}
	return ray
}

// Point returns values of the free variables at which the goal is reached or, where it is not, almost: the more so the
// smaller the factor is, which is at most 1.
func (d *Dictionary) Point(factor *big.Rat) []*big.Rat {
	epsilon := big.NewRat(1, 1)
	half := big.NewRat(1, 2)
	for i, v := range d.basic {
		if x := d.values[i]; v >= d.free && x.Part.Sign() < 0 {
			if most := new(big.Rat).Quo(x.Whole, new(big.Rat).Neg(x.Part)); most.Cmp(epsilon) < 0 {
				epsilon.Mul(most, half)
			}
		}
	}
	epsilon.Mul(epsilon, factor)
	out := make([]*big.Rat, d.free)
	for j := range out {
		out[j] = new(big.Rat)
	}
	for i, v := range d.basic {
		if v < d.free {
			out[v] = d.values[i].at(epsilon)
		}
	}
	return out
}

// Reached returns the value of the goal at the point that Solve has reached.
func (d *Dictionary) Reached() Nearly { return d.reached }

// IsExact reports whether the value of a free variable at the point that Solve has reached has no infinitely small
// part.
func (d *Dictionary) IsExact(variable int) bool {
	for i, v := range d.basic {
		if v == variable {
			return d.values[i].Part.Sign() == 0
		}
	}
	return true
}

// Binding returns the numbers of the inequalities that keep the goal from exceeding the value found by Solve: those
// that have a multiplier in the proof of that bound (Farkas' lemma).
func (d *Dictionary) Binding() []int {
	var out []int
	for j, v := range d.other {
		if v >= d.free && d.goal[j].Sign() != 0 {
			out = append(out, v-d.free)
		}
	}
	return out
}
