package weight

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// call is the weight of a call where calls count (Measure.Calls): more than that of all other properties of a call.
const call = 16

// calls is the weight of the calls that a trace of these commands makes. A declared constant is made by its
// declaration.
func (m *Measure) calls(cmds []smtlib.Command, roots []smt.Term) int {
	a := m.Arena
	n := len(cmds)
	sorts := map[smt.Sort]bool{}
	var needs func(so smt.Sort)
	needs = func(so smt.Sort) {
		if sorts[so] || so == smt.SortUnknown {
			return
		}
		sorts[so] = true
		for _, x := range a.SortArgs(so) {
			needs(x)
		}
	}
	for i := range cmds {
		for _, f := range cmds[i].Symbols {
			needs(a.SymbolInfo(f).Result)
			for _, p := range a.SymbolInfo(f).Params {
				needs(p)
			}
		}
	}
	a.PostOrder(roots, func(t smt.Term) {
		needs(a.Sort(t))
		if a.Op(t) != smt.OpApply || a.NumArgs(t) > 0 {
			n++
		}
	})
	return call * (n + len(sorts))
}
