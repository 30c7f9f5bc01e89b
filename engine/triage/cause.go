package triage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smt"
)

// Reduced is a finding as far as its cause can be told from that of another one.
type Reduced struct {
	Verdict   *oracle.Verdict
	Signature *Signature
	Solvers   []string // that are wrong, as ProductOf of their names
	Case      uint64   // number of the case that showed it first
}

// fewOperators is how many operators a reduced case may have for one of them to be what it is about.
const fewOperators = 4

// OneCause says in words why two findings with different signatures have one cause; "" where that cannot be told. Both are reduced.
//
//   - Two crashes of one solver have one cause if their stacks are similar and both need some operator, or, where one of them has
//     no stack, if both need an operator that few cases have: without it neither reduced case crashes.
//   - Wrong answers, models, values and cores of one solver have one cause if their reduced cases have the same operators,
//     commands aside; if one has all of the other, an operator that few cases have among them; and if they were seen in one
//     case and share an operator. A solver that computes an operator wrongly shows it in all of these ways.
func OneCause(a, b *Reduced, rare func(operator string) bool) string {
	if !slices.Equal(a.Solvers, b.Solvers) || a.Signature.Skeleton == nil || b.Signature.Skeleton == nil {
		return ""
	}
	x, y := functions(a.Signature.Skeleton), functions(b.Signature.Skeleton)
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
	case unplain(a) && unplain(b):
		p, q := a.Signature.Placed(), b.Signature.Placed()
		switch {
		case p && q && SimilarStacks(a.Signature.Frames, b.Signature.Frames):
			return fmt.Sprintf("both need %s, and they died in nearly the same functions: %s, and %s", strings.Join(shared, " "),
				strings.Join(a.Signature.Frames, " < "), strings.Join(b.Signature.Frames, " < "))
		case len(telling) == 0 || len(x) > fewOperators || len(y) > fewOperators:
		case !p || !q:
			return fmt.Sprintf("both crash, and not without %s, which few cases have", strings.Join(telling, " "))
		}
	case isWrong(a.Verdict) && isWrong(b.Verdict):
		switch {
		case len(shared) == len(x) && len(shared) == len(y):
			return "their reduced cases have the same operators: " + strings.Join(shared, " ")
		case len(telling) > 0 && (len(shared) == len(x) || len(shared) == len(y)):
			return fmt.Sprintf("one reduced case has all operators of the other, among them %s, which few cases have", strings.Join(telling, " "))
		case a.Case == b.Case && a.Signature.BucketKey() != b.Signature.BucketKey(): // in two ways
			return fmt.Sprintf("one case showed both, and both need %s", strings.Join(shared, " "))
		}
	}
	return ""
}

// unplain reports whether a finding is a crash whose message says nothing.
func unplain(r *Reduced) bool {
	return r.Verdict.Kind == oracle.KindCrash && (r.Signature.Vague || r.Signature.Placed())
}

// BucketKey returns the key that verdicts like one that was reduced bear.
func (s *Signature) BucketKey() string {
	if s.Bucket != "" {
		return s.Bucket
	}
	return s.Key
}

// isWrong reports whether a verdict is that a solver said what is not so.
func isWrong(v *oracle.Verdict) bool {
	return v.IsWrongAnswer() || v.Kind == oracle.KindDisagreement && v.Target != "" ||
		slices.Contains([]string{oracle.KindInvalidModel, oracle.KindInvalidValue, oracle.KindInvalidCore}, v.Kind)
}

// functions returns what of a skeleton computes something: neither commands nor sorts nor logics nor connectives.
func functions(skeleton []string) (out []string) {
	for _, name := range skeleton {
		op, known := smt.LookupOp(name)
		if known && connectives[op] || name == Nothing || name == "function" || strings.HasPrefix(name, "(") || strings.ContainsRune(name, ' ') {
			continue
		}
		out = append(out, name)
	}
	return out
}
