package triage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Reduced is a finding as far as its cause can be told from that of another one.
type Reduced struct {
	Verdict   *oracle.Verdict
	Signature *Signature
	Solvers   []string // that are wrong, as ProductOf of their names
	Case      uint64   // number of the case that showed it first
	Operators []string // of that case; see Operators
	Form      string   // the key of the reduced case (engine/language/normal); "" if it was not reduced
}

// FewOperators is the greatest number of operators in a reduced case of which one may be its cause.
const FewOperators = 4

// OneCause says in words why two findings with different signatures have one cause; "" where that cannot be told. Both
// are reduced.
//
//   - Findings of one solver have one cause if their reduced cases are the same but for names and the order in which things are written,
//     unless they died in different functions.
//   - Two crashes of one solver have one cause if their stacks are similar and both need some operator, or, where one of them has
//     no stack, if both need an operator that few cases have: without it neither reduced case crashes.
//   - Wrong answers, models, values and cores of one solver have one cause if their reduced cases have the same operators,
//     commands aside; if one has all of the other, an operator that few cases have among them; if both are small and the operator
//     of each that the fewest cases have is the same; if both are small, one has all of the other, an operator that few cases have among them, but for
//     operators that arrange bits, which solvers rewrite to each other; if they were seen in one case, and share an operator or one of them
//     could not be reduced; and if one could not be reduced and its case has all that the other one was reduced to, as with verdicts of one
//     kind. Wrong replies to further questions must break the same rule. A solver that computes an operator wrongly shows it in all of these ways.
//
// frequency is the share of cases that would have an operator if each kept few of those it has.
func OneCause(a, b *Reduced, frequency func(operator string) float64) string {
	if !slices.Equal(a.Solvers, b.Solvers) {
		return ""
	}
	if p, q := a.Signature, b.Signature; a.Form != "" && a.Form == b.Form && (!p.Placed() || !q.Placed() || similarStacks(p.Frames, q.Frames)) {
		return "their reduced cases are the same but for names and the order of what is asserted"
	}
	// One case that shows two symptoms mostly has one cause for both.
	inTwoWays := a.Case == b.Case && a.Signature.BucketKey() != b.Signature.BucketKey()
	rare := func(op string) bool { return frequency(op) <= rareIn }
	if a.Signature.Skeleton == nil || b.Signature.Skeleton == nil {
		return notReduced(a, b, inTwoWays, rare)
	}
	x, y := Functions(a.Signature.Skeleton), Functions(b.Signature.Skeleton)
	var shared, telling []string
	for _, op := range x {
		if slices.Contains(y, op) {
			shared = append(shared, op)
			if rare(op) {
				telling = append(telling, op)
			}
		}
	}
	switch {
	case len(shared) == 0:
	case isUninformativeCrash(a) && isUninformativeCrash(b):
		p, q := a.Signature.Placed(), b.Signature.Placed()
		switch {
		case p && q && similarStacks(a.Signature.Frames, b.Signature.Frames):
			return fmt.Sprintf("both need %s, and they died in nearly the same functions: %s, and %s", strings.Join(shared, " "),
				strings.Join(a.Signature.Frames, " < "), strings.Join(b.Signature.Frames, " < "))
		case len(telling) == 0 || len(x) > FewOperators || len(y) > FewOperators:
		case !p || !q:
			return fmt.Sprintf("both crash, and not without %s, which few cases have", strings.Join(telling, " "))
		}
	case isWrong(a.Verdict) && isWrong(b.Verdict) && sameQuestion(a.Verdict, b.Verdict):
		switch {
		case len(shared) == len(x) && len(shared) == len(y):
			return "their reduced cases have the same operators: " + strings.Join(shared, " ")
		case len(telling) > 0 && (len(shared) == len(x) || len(shared) == len(y)):
			return fmt.Sprintf("one reduced case has all operators of the other, among them %s, which few cases have", strings.Join(telling, " "))
		case len(telling) > 0 && len(x) <= FewOperators && len(y) <= FewOperators && slices.Contains(telling, rarestOperator(x, frequency)) && rarestOperator(x, frequency) == rarestOperator(y, frequency):
			return fmt.Sprintf("both need %s, which fewer cases have than anything else that they need", rarestOperator(x, frequency))
		case len(x) <= FewOperators && len(y) <= FewOperators && slices.ContainsFunc(telling, isComputation) && sameButForArrangement(x, y):
			return fmt.Sprintf("both need %s, which few cases have, and solvers rewrite what else they need to each other: %s, and %s", strings.Join(telling, " "),
				strings.Join(x, " "), strings.Join(y, " "))
		case inTwoWays:
			return fmt.Sprintf("one case showed both, and both need %s", strings.Join(shared, " "))
		}
	}
	return ""
}

// rareIn is the greatest share of cases that a rare operator may occur in.
const rareIn = 0.25

// arrangements are the operators that arrange bits and compute nothing: solvers write each with concat and extract.
var arrangements = []string{smt.OpConcat.String(), smt.OpExtract.String(), smt.OpZeroExtend.String(), smt.OpSignExtend.String(), smt.OpRepeat.String()}

func isComputation(operator string) bool { return !slices.Contains(arrangements, operator) }

// sameButForArrangement reports whether both lists have operators that arrange bits, and one of the lists has all the
// remaining operators of the other.
func sameButForArrangement(x, y []string) bool {
	computing := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(op string) bool { return !isComputation(op) })
	}
	a, b := computing(x), computing(y)
	return len(a) < len(x) && len(b) < len(y) && (Within(a, b) || Within(b, a))
}

// notReduced tells why two findings have one cause if at least one of them could not be reduced.
func notReduced(a, b *Reduced, inTwoWays bool, rare func(operator string) bool) string {
	if a.Signature.Skeleton == nil {
		a, b = b, a
	}
	if !isWrong(a.Verdict) || !isWrong(b.Verdict) || !sameQuestion(a.Verdict, b.Verdict) {
		return ""
	}
	need := Functions(a.Signature.Skeleton)
	switch {
	case inTwoWays:
		return "one case showed both, and one of them could not be reduced"
	case slices.ContainsFunc(need, rare) && Within(need, b.Operators):
		return fmt.Sprintf("one could not be reduced, and has all operators that the other one was reduced to: %s", strings.Join(need, " "))
	}
	return ""
}

// rarestOperator returns the operator that the fewest cases have.
func rarestOperator(list []string, frequency func(string) float64) string {
	return slices.MinFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(frequency(a), frequency(b)), cmp.Compare(a, b)) })
}

// isUninformativeCrash reports whether a finding is a crash whose message says nothing.
func isUninformativeCrash(r *Reduced) bool {
	return r.Verdict.Kind == oracle.KindCrash && (r.Signature.Vague || r.Signature.Placed())
}

// BucketKey returns the key that unreduced verdicts like this reduced one have.
func (s *Signature) BucketKey() string {
	if s.Bucket != "" {
		return s.Bucket
	}
	return s.Key
}

// sameQuestion reports whether verdicts about further questions have one form: an interpolant that is none and an optimum
// that is none come from different parts of a solver, whatever operators they have.
func sameQuestion(a, b *oracle.Verdict) bool {
	return a.Kind != oracle.KindInvalidReply && b.Kind != oracle.KindInvalidReply || a.Kind == b.Kind && a.Message == b.Message
}

// isWrong reports whether a verdict says that a solver's result is wrong.
func isWrong(v *oracle.Verdict) bool {
	return v.IsWrongAnswer() || v.Kind == oracle.KindDisagreement || v.IsWrongReply() || v.Kind == oracle.KindMetamorphic
}

// isConstant reports whether an operator only writes values: a rounding mode, an infinity, fp.
func isConstant(op smt.Op) bool {
	return op == smt.OpFP || !slices.ContainsFunc(op.Info().Signatures, func(s string) bool {
		arguments, _, _ := strings.Cut(s, "->")
		if i := strings.Index(arguments, "]"); i >= 0 {
			arguments = arguments[i+1:]
		}
		return strings.TrimSpace(arguments) != ""
	})
}

// Functions returns the elements of a skeleton that compute something, which excludes commands, sorts, logics,
// connectives and values.
func Functions(skeleton []string) (out []string) {
	for _, name := range skeleton {
		op, known := smt.LookupOp(name)
		if known && (connectives[op] || isConstant(op)) || name == Nothing || name == "function" || strings.HasPrefix(name, "(") || strings.ContainsRune(name, ' ') {
			continue
		}
		out = append(out, name)
	}
	return out
}
