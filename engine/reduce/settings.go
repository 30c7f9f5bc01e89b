package reduce

import (
	"math/big"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/smtlib"
)

// Setting is what is known of an option of the solver that is asked.
type Setting struct {
	Default string
	Values  []string // of a choice, in the solver's order
}

// smallerSettings moves the values of options that could not be left out towards what the solver takes by itself: the
// default, then for numbers half the way and so on, for choices those nearer to it. Where the default is not known,
// numbers become 0, 1 or smaller. Leaving an option out is tried before and, in the next round, after that.
func (s *session) smallerSettings() {
	for i := 0; i < len(s.cur.cmds) && !s.stopped(); i++ {
		for again := true; again && i < len(s.cur.cmds); {
			c := s.cur.cmds[i]
			if c.Kind != smtlib.CmdSetOption {
				break
			}
			var list []proposal
			for _, v := range s.nearer(&c) {
				less := c
				less.Text = v
				list = append(list, proposal{make: func() *state { return s.replaced(i, less) }})
			}
			again = s.firstOf(list) >= 0
		}
	}
}

// setting is what is known of the option that a command sets.
func (s *session) setting(c *smtlib.Command) (Setting, bool) {
	if s.opt.Setting == nil {
		return Setting{}, false
	}
	return s.opt.Setting(strings.TrimPrefix(c.Name, ":"))
}

// integer reads the value of an option.
func integer(text string) (*big.Int, bool) { return new(big.Int).SetString(text, 10) }

// nearer returns values of an option that are lighter than its own, nearest to the default first.
func (s *session) nearer(c *smtlib.Command) (out []string) {
	known, ok := s.setting(c)
	own := distance(known, ok, c.Text)
	if own == 0 {
		return nil
	}
	add := func(v string) {
		if !slices.Contains(out, v) && distance(known, ok, v) < own {
			out = append(out, v)
		}
	}
	if ok && known.Default != "" {
		add(known.Default)
	}
	at, number := integer(c.Text)
	switch to, isTo := integer(known.Default); {
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
		slices.SortStableFunc(near, func(x, y string) int { return distance(known, ok, x) - distance(known, ok, y) })
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

// distance is the weight of an option's value: how far it is from the default, or from 0 where that is not known. What
// is neither a number nor known weighs nothing, since no value is known to be plainer.
func distance(known Setting, ok bool, value string) int {
	if at, number := integer(value); number {
		if to, isTo := integer(known.Default); isTo {
			at.Sub(at, to)
		}
		w := magnitude(new(big.Int).Abs(at))
		if at.Sign() < 0 && known.Default == "" {
			w++
		}
		return w
	}
	switch {
	case !ok || value == known.Default:
		return 0
	case slices.Contains(known.Values, value):
		return 1 + abs(slices.Index(known.Values, value)-slices.Index(known.Values, known.Default))
	}
	return 1
}

func abs(n int) int { return max(n, -n) }

// magnitude grows with a number: eight steps each time it doubles.
func magnitude(n *big.Int) int {
	k := n.BitLen()
	if k <= 4 {
		return int(n.Int64())
	}
	return 8*(k-3) + int(new(big.Int).Rsh(n, uint(k-4)).Int64()) - 8
}
