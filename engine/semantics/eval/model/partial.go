package model

import "github.com/smtlark/smtlark/engine/language/smt"

// partialNames are the names under which Model.Text writes the interpretations of partial operators; they are z3's
// where z3 has one.
var partialNames = map[smt.Op]string{
	smt.OpDiv: "/0", smt.OpIntDiv: "div0", smt.OpMod: "mod0", smt.OpRem: "rem0",
	smt.OpSeqNth: "seq.nth_u", smt.OpFPToUbv: "fp.to_ubv_unspecified", smt.OpFPToSbv: "fp.to_sbv_unspecified",
	smt.OpFPToReal: "fp.to_real_unspecified", smt.OpFPMin: "fp.min_unspecified", smt.OpFPMax: "fp.max_unspecified",
	smt.OpFPToIeeeBV: "fp.to_ieee_bv_unspecified", smt.OpPow: "^0", smt.OpSetChoose: "set.choose", smt.OpBagChoose: "bag.choose",
	smt.OpArrayDefault: "default", smt.OpSqrt: "sqrt",
}

// IsPartial reports whether the standard leaves an operator open for some arguments, so that models may interpret it
// there (Model.Partial).
func IsPartial(op smt.Op) bool {
	_, ok := partialNames[op]
	return ok
}

// isFixedBySome reports whether an operator is partial and solvers may give it a fixed value of their own where the
// standard leaves it open: two solvers that fix it differently do not contradict each other. For division by 0 the
// standard allows any function, so a solver that fixes it is wrong. Accesses beyond the end of a sequence are left open
// by all solvers.
func isFixedBySome(op smt.Op) bool {
	switch op {
	case smt.OpDiv, smt.OpIntDiv, smt.OpMod, smt.OpRem, smt.OpSeqNth:
		return false
	}
	return IsPartial(op)
}

// AnyFixedBySome reports whether terms, or the definitions that they use, have an operator for which isFixedBySome
// holds.
func AnyFixedBySome(a *smt.Arena, terms []smt.Term) bool {
	found, seen := false, map[smt.Symbol]bool{}
	for len(terms) > 0 && !found {
		var bodies []smt.Term
		a.PostOrder(terms, func(t smt.Term) {
			found = found || isFixedBySome(a.Op(t))
			if f := a.SymbolOf(t); f != 0 && !seen[f] {
				if seen[f] = true; a.SymbolInfo(f).Body != 0 {
					bodies = append(bodies, a.SymbolInfo(f).Body)
				}
			}
		})
		terms = bodies
	}
	return found
}

// partialOps maps the names under which interpretations are written to their operators.
var partialOps = func() map[string]smt.Op {
	ops := make(map[string]smt.Op, len(partialNames))
	for op, name := range partialNames {
		ops[name] = op
	}
	return ops
}()

// PartialByName returns the partial operator whose interpretation solvers write under the name, 0 if there is none.
func PartialByName(name string) smt.Op { return partialOps[name] }
