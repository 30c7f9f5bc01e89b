package fusion

import (
	"math"

	"github.com/smtlark/smtlark/engine/generate/fusion/operator"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// distances are least numbers of operators, by the kind of an input and the kind of the result. They depend only on
// kinds, not on widths, formats or element sorts.
type distances [smt.KindParam + 1][smt.KindParam + 1]uint8

// unreachable is the distance of kinds that no operators join.
const unreachable = math.MaxUint8

// distancesOf returns the distances by the operators that have an inverse for the input.
func distancesOf(ops []*operator.Operator) (d distances) {
	for i := range d {
		for j := range d {
			d[i][j] = unreachable
		}
		d[i][i] = 0
	}
	join := func(from, to smt.SortKind) {
		if from != to {
			d[from][to] = 1
		}
	}
	for _, o := range ops {
		for i := range o.Args {
			if !o.HasInverse(i) {
				continue
			}
			from, to := o.Args[i].Kind(), o.Result.Kind()
			for k := range smt.SortKind(len(d)) {
				// A letter stands for any sort, as an argument and as the result.
				switch {
				case from == smt.KindInvalid && to == smt.KindInvalid: // most often the same letter
				case from == smt.KindInvalid:
					join(k, to)
				case to == smt.KindInvalid:
					join(from, k)
				default:
					join(from, to)
				}
			}
		}
	}
	// Floyd and Warshall's shortest paths.
	for via := range d {
		for i := range d {
			for j := range d {
				if sum := int(d[i][via]) + int(d[via][j]); sum < int(d[i][j]) {
					d[i][j] = uint8(sum)
				}
			}
		}
	}
	return d
}
