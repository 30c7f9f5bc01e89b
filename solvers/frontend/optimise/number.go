package optimise

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
)

const (
	// maxBits bounds how far the search for a bound of an integer goes, in bits.
	maxBits = 256
	// maxRounds bounds the rounds of the search for the bound of a real number.
	maxRounds = 2000
	// maxLeaps bounds the search if the problem is not linear: there may be an endless sequence of better models.
	maxLeaps = 200
)

// climb is the search for the greatest score of a number: the number itself or, if it is minimised, its negation.
type climb struct {
	*search
	term smt.Term
	sign int
	best *candidate
	low  *big.Rat // the score of the best candidate
	high *Bound   // no score is beyond it; nil: that is not known
	// leaning says that some constants could not be changed when the latest linear program was made.
	leaning bool
}

// extent encloses the greatest score.
type extent struct {
	low, high Bound
	reason    string // why they differ
}

// newClimb searches for the greatest score, starting from a candidate; the returned climb has the best candidate.
func newClimb(x *search, c *candidate, t smt.Term, maximize bool) (*climb, extent, error) {
	n := &climb{search: x, term: t, sign: 1}
	if !maximize {
		n.sign = -1
	}
	if err := n.take(c); err != nil {
		return n, extent{}, err
	}
	run := n.realSearch
	switch x.a.SortKind(x.a.Sort(t)) {
	case smt.KindInt:
		run = n.integerSearch
	case smt.KindBitVec:
		run = n.bitSearch
	}
	high, err := run()
	e := extent{low: numberBound(n.low), high: Bound{Infinite: 1}}
	switch {
	case err == nil:
		e.high = high
		if high.Infinite != 0 || high.Epsilon != 0 {
			e.low = high
		}
		return n, e, nil
	case n.high != nil:
		e.high = *n.high
	}
	var u *undecided
	if !errors.As(err, &u) {
		return n, e, err
	}
	e.reason = u.reason
	return n, e, nil
}

// take makes a candidate the best one.
func (n *climb) take(c *candidate) error {
	r, err := n.number(c, n.term)
	if err != nil {
		return err
	}
	if n.sign < 0 {
		r = new(big.Rat).Neg(r)
	}
	n.best, n.low = c, r
	return nil
}

// try asks for a score that is at least, or more than, a bound; found is false if there is none.
func (n *climb) try(score *big.Rat, strict bool) (found bool, err error) {
	c, err := n.ask(n.compared(n.term, n.sign, score, strict))
	if err != nil || c == nil {
		return false, err
	}
	return true, n.take(c)
}

// slope moves from the best candidate as far as linear arithmetic allows. It returns infinity if there is no bound, the
// supremum if it is not reached, and nil if it finds a candidate or nothing.
func (n *climb) slope() *Bound {
	n.leaning = true
	p := polyhedronOf(n.a, n.best.ev, n.s.Stack().Assertions())
	if p == nil {
		return nil
	}
	end, ok := n.along(p.maximize(n.term, n.sign))
	if !ok && n.a.Sort(n.term) == smt.SortReal {
		// There are fractions where integers are needed: the Int constants are kept unchanged.
		p.pinIntegers()
		end, _ = n.along(p.maximize(n.term, n.sign))
		n.leaning = true
	}
	return end
}

// along moves in a direction; ok is false if that does not lead to models.
func (n *climb) along(d *direction) (end *Bound, ok bool) {
	if d == nil {
		return nil, false
	}
	n.leaning = d.leaning
	if d.ray != nil {
		end = n.ray(d)
		return end, end != nil
	}
	if d.gain.Sign() == 0 && d.reached {
		return nil, true
	}
	from := n.best
	c := n.moved(from, d.symbols, d.point(one), one)
	n.leaning = n.leaning || c == nil
	if c == nil || !d.reached && (d.fractional || n.moved(from, d.symbols, d.point(nearby), one) == nil) {
		return nil, false
	}
	if !d.reached {
		end = &Bound{Number: new(big.Rat).Add(n.low, d.gain), Epsilon: -1}
	}
	if n.take(c) != nil {
		return nil, false
	}
	return end, true
}

// nearby is the factor between the distances of two points near a bound that is not reached; both must be models.
var nearby = big.NewRat(1, 1<<40)

// one is 1; it must not be changed.
var one = big.NewRat(1, 1)

// ray looks at points far along a ray: if they are models, the score is unbounded.
func (n *climb) ray(d *direction) *Bound {
	// Whole numbers in the model stay whole.
	scale := big.NewInt(1)
	for _, r := range d.ray {
		scale = leastMultiple(scale, r.Denom())
	}
	from := n.best
	for _, far := range []uint{0, 40} {
		c := n.moved(from, d.symbols, d.ray, new(big.Rat).SetInt(new(big.Int).Lsh(scale, far)))
		if c == nil {
			return nil
		}
		before := n.low
		if n.take(c) != nil || n.low.Cmp(before) <= 0 {
			return nil
		}
	}
	// Keep the old model: its small numbers are more readable.
	if n.take(from) != nil {
		return nil
	}
	return &Bound{Infinite: 1}
}

// integerSearch doubles its steps until one is too large, and then bisects the rest.
func (n *climb) integerSearch() (Bound, error) {
	step := big.NewRat(1, 1)
	for {
		if b := n.slope(); b != nil && b.Infinite != 0 {
			return *b, nil
		}
		if n.high != nil && n.low.Cmp(n.high.Number) >= 0 {
			return numberBound(n.low), nil
		}
		wanted := new(big.Rat).Add(n.low, step)
		if n.high != nil {
			// Half of the way, rounded up.
			gap := new(big.Int).Sub(n.high.Number.Num(), n.low.Num())
			gap.Rsh(gap.Add(gap, big.NewInt(1)), 1)
			wanted.Add(n.low, new(big.Rat).SetInt(gap))
		}
		found, err := n.try(wanted, false)
		switch {
		case err != nil:
			return Bound{}, err
		case !found:
			b := numberBound(wanted.Sub(wanted, big.NewRat(1, 1)))
			n.high = &b
		case n.high == nil:
			step.Add(step, step)
		}
		if n.high == nil && n.low.Num().BitLen() > maxBits {
			return Bound{}, &undecided{fmt.Sprintf("a value of %d bits was found, and nothing that proves that there is no bound", n.low.Num().BitLen())}
		}
	}
}

// realSearch asks for a better score than linear arithmetic finds. With linear problems each round is in another part
// of the models, of which there are finitely many (as in Sebastiani and Tomasi, "Optimization in SMT with LA(Q) cost
// functions", IJCAR 2012).
func (n *climb) realSearch() (Bound, error) {
	step := big.NewRat(1, 1)
	leaps := 0
	for range maxRounds {
		end := n.slope()
		if end != nil && end.Infinite != 0 {
			return *end, nil
		}
		wanted, strict := n.low, true
		if end != nil {
			wanted, strict = end.Number, false
		}
		found, err := n.try(wanted, strict)
		switch {
		case err != nil:
			return Bound{}, err
		case !found && end != nil:
			return *end, nil
		case !found:
			return numberBound(n.low), nil
		}
		if !n.leaning {
			continue
		}
		if leaps++; leaps > maxLeaps {
			return Bound{}, &undecided{fmt.Sprintf("there were better models %d times, and the problem is not linear", maxLeaps)}
		}
		wanted = new(big.Rat).Add(n.low, step)
		if n.high != nil {
			wanted.Mul(wanted.Add(n.low, n.high.Number), big.NewRat(1, 2))
		}
		switch found, err := n.try(wanted, false); {
		case err != nil:
			return Bound{}, err
		case !found:
			b := Bound{Number: wanted, Epsilon: -1}
			n.high = &b
		case n.high == nil:
			step.Add(step, step)
		}
	}
	return Bound{}, &undecided{fmt.Sprintf("there were better models %d times", maxRounds)}
}

// bitSearch decides one bit after the other, from the highest on (OBV-BS of Nadel and Ryvchin, "Bit-vector
// optimization", TACAS 2016).
func (n *climb) bitSearch() (Bound, error) {
	width := n.a.Width(n.a.Sort(n.term))
	if n.sign > 0 {
		n.high = &Bound{Number: new(big.Rat).SetInt(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)),
			big.NewInt(1)))}
	} else {
		n.high = &Bound{Number: new(big.Rat)}
	}
	// Often the first model is the best one already, or the next one.
	found, err := n.try(n.low, true)
	if err != nil || !found {
		return numberBound(n.low), err
	}
	for i := width - 1; i >= 0; i-- {
		bits := new(big.Int).Abs(n.low.Num())
		if set := bits.Bit(i) == 1; set == (n.sign > 0) {
			continue
		}
		// The higher bits stay; the lower bits get their worst values.
		wanted := bits.SetBit(bits, i, uint(n.bitWanted()))
		for j := range i {
			wanted.SetBit(wanted, j, uint(1-n.bitWanted()))
		}
		score := new(big.Rat).SetInt(wanted)
		if n.sign < 0 {
			score.Neg(score)
		}
		found, err := n.try(score, false)
		if err != nil {
			return Bound{}, err
		}
		if !found {
			b := numberBound(score.Sub(score, big.NewRat(1, 1)))
			n.high = &b
		}
	}
	return numberBound(n.low), nil
}

// bitWanted is the bit that makes the score greater.
func (n *climb) bitWanted() int {
	if n.sign > 0 {
		return 1
	}
	return 0
}
