package native

import "github.com/smtlark/smtlark/engine/smt"

// BitwuzlaKind returns the kind of libbitwuzla for a term's operator, as its enumeration spells it behind
// BITWUZLA_KIND_, and how more than two arguments are nested: "" (not at all), left, right or chain.
func BitwuzlaKind(a *smt.Arena, t smt.Term) (kind, how string, ok bool) {
	op := a.Op(t)
	if op == smt.OpToFP {
		args := a.Args(t)
		if len(args) == 1 {
			return "FP_TO_FP_FROM_BV", "", true
		}
		switch a.SortKind(a.Sort(args[1])) {
		case smt.KindFloat:
			return "FP_TO_FP_FROM_FP", "", true
		case smt.KindBitVec:
			return "FP_TO_FP_FROM_SBV", "", true
		}
		return "", "", false
	}
	k, ok := bitwuzlaOps[op]
	return k.kind, k.how, ok
}
