package weight

import (
	"math/big"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// KnownOption describes an option of the solver that is asked.
type KnownOption struct {
	Default string
	Values  []string // of a choice, in the solver's order
}

// SettingOf returns the description of the option that a command sets.
func (m *Measure) SettingOf(c *smtlib.Command) (KnownOption, bool) {
	if m.Setting == nil {
		return KnownOption{}, false
	}
	return m.Setting(strings.TrimPrefix(c.Name, ":"))
}

// Integer reads the value of an option.
func Integer(text string) (*big.Int, bool) { return new(big.Int).SetString(text, 10) }

// Distance is the weight of an option's value: how far it is from the default, or from 0 where that is not known. A
// value that is neither a number nor known weighs nothing, since no value is known to be plainer.
func Distance(known KnownOption, ok bool, value string) int {
	if at, number := Integer(value); number {
		if to, isTo := Integer(known.Default); isTo {
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
