package mixture

import (
	"fmt"
	"math"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// Name gives parts names of their own: the second one of a name is name#2.
func Name(parts []finding.Part) {
	seen := map[string]int{}
	for i, p := range parts {
		if seen[p.Name]++; seen[p.Name] > 1 {
			parts[i].Name = fmt.Sprintf("%s#%d", p.Name, seen[p.Name])
		}
	}
}

// PartOf returns the part that makes a case of a campaign, and which of its cases that is. Where weights follow the
// yield, given are those of the epoch with the cases that the parts had before it, or weights alone; nil: those that a
// campaign begins with.
func PartOf(parts []finding.Part, adapt bool, given []uint32, seed, n uint64) (part int, turn uint64) {
	if adapt {
		if given == nil {
			given, _ = firstWeights(parts, n)
		}
		switch len(given) {
		case 2 * len(parts):
			return slotOf(seed, n, given)
		case len(parts):
			return fixedSlot(seed, n, given)
		}
	}
	return fixedSlot(seed, n, wholeWeights(parts))
}

// wholeWeights returns the weights as whole numbers: in thousandths if they are not whole.
func wholeWeights(parts []finding.Part) []uint32 {
	const most = 1000
	out := make([]uint32, len(parts))
	total, same := 0.0, true
	for i, p := range parts {
		total += p.Weight
		same = same && p.Weight <= most && p.Weight == math.Trunc(p.Weight)
		out[i] = uint32(min(p.Weight, most))
	}
	if same {
		return out
	}
	for i, p := range parts {
		out[i] = uint32(max(1, math.Round(float64(most*float64(p.Weight/total)))))
	}
	return out
}

// PartAt returns the part that a number from 0 up to 1 stands for.
func PartAt(parts []finding.Part, at float64) int {
	total := 0.0
	for _, p := range parts {
		total += p.Weight
	}
	at = float64(at * total)
	for i, p := range parts {
		if at < p.Weight {
			return i
		}
		at -= p.Weight
	}
	return len(parts) - 1
}

// ModeOf returns the mode in which targets are asked about a case. The modes are the parts of a mixture of their own.
// given are the weights of its epoch, see Bandit.WeightsOf. It has nothing to do with the part that makes the case.
func ModeOf(modes []finding.Part, given []uint32, seed, n uint64) int {
	if len(given) != 2*len(modes) {
		return -1
	}
	mode, _ := slotOf(rng.New(seed).SplitString("modes").Uint64(), n, given)
	return mode
}
