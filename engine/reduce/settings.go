package reduce

import (
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smtlib"

	"github.com/smtlark/smtlark/engine/reduce/weight"
)

// smallerSettings moves the values of options that could not be removed towards the solver's default: it tries the
// default, then for numbers half the way and so on, for choices the nearer ones. If the default is unknown, numbers
// become 0, 1 or smaller. Removing the option is tried before and, in the next round, after that.
func smallerSettings(s *search) {
	for i := 0; i < len(s.Current().Commands) && !s.Stopped(); i++ {
		for again := true; again && i < len(s.Current().Commands); {
			c := s.Current().Commands[i]
			if c.Kind != smtlib.CmdSetOption {
				break
			}
			var list []proposal
			for _, v := range nearer(s, &c) {
				less := c
				less.Text = v
				list = append(list, proposal{Make: func() *state { return s.ReplacedCommand(i, less) }})
			}
			again = s.FirstOf(list) >= 0
		}
	}
}

// nearer returns values of an option that are lighter than its own, nearest to the default first.
func nearer(s *search, c *smtlib.Command) (out []string) {
	known, ok := s.Measure.SettingOf(c)
	own := weight.Distance(known, ok, c.Text)
	if own == 0 {
		return nil
	}
	add := func(v string) {
		if !slices.Contains(out, v) && weight.Distance(known, ok, v) < own {
			out = append(out, v)
		}
	}
	if ok && known.Default != "" {
		add(known.Default)
	}
	at, number := weight.Integer(c.Text)
	switch to, isTo := weight.Integer(known.Default); {
	case number:
		if !isTo {
			to = new(big.Int)
			add("0")
		}
		gap := at.Sub(at, to)
		for _, x := range shorter(new(big.Int).Abs(gap)) {
			if gap.Sign() < 0 {
				x.Neg(x)
			}
			add(x.Add(x, to).String())
		}
	default:
		near := slices.Clone(known.Values)
		slices.SortStableFunc(near, func(x, y string) int { return weight.Distance(known, ok, x) - weight.Distance(known, ok, y) })
		for _, v := range near {
			add(v)
		}
	}
	return out
}

// shorter returns numbers below n: 1, a fraction of it, a half, three quarters, seven eighths, one less.
func shorter(n *big.Int) []*big.Int {
	less := func(shift uint) *big.Int { return new(big.Int).Sub(n, new(big.Int).Rsh(n, shift)) }
	return []*big.Int{big.NewInt(1), new(big.Int).Rsh(n, uint(n.BitLen()/2)), less(1), less(2), less(3), new(big.Int).Sub(n, big.NewInt(1))}
}
