package triage

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// connectives are in nearly every case, so they tell causes apart only where there is nothing else.
var connectives = map[smt.Op]bool{
	smt.OpNot: true, smt.OpAnd: true, smt.OpOr: true, smt.OpImplies: true, smt.OpXor: true, smt.OpEq: true, smt.OpDistinct: true, smt.OpIte: true, smt.OpAnnot: true,
}

// Operators returns the sorted names of the operators and commands that a script uses, connectives included: what a
// skeleton can at most consist of.
func Operators(s *smtlib.Script) []string { return operators(s, true) }

// Skeleton returns what is left of a reduced case when names, literals, sizes and repetitions are taken away: the sorted
// set of its operators. Connectives count only where there is no other operator, together with the sorts they are about.
// Reducers bring cases with the same cause to different texts (other names, other widths, other literals), but seldom to
// other operators.
func Skeleton(s *smtlib.Script) []string {
	if out := operators(s, false); len(out) > 0 {
		return out
	}
	out := operators(s, true)
	if len(out) == 0 {
		return []string{"nothing"}
	}
	return out
}

func operators(s *smtlib.Script, all bool) []string {
	set := map[string]bool{}
	var roots []smt.Term
	for i := range s.Commands {
		switch c := &s.Commands[i]; c.Kind {
		case smtlib.CmdPush, smtlib.CmdPop, smtlib.CmdReset, smtlib.CmdResetAssertions, smtlib.CmdCheckSatUsing, smtlib.CmdCheckSatAssuming:
			set["("+c.Kind.String()+")"] = true
			roots = append(roots, c.Terms...)
		case smtlib.CmdAssert:
			roots = append(roots, c.Terms...)
		}
	}
	a := s.Arena
	a.PostOrder(roots, func(t smt.Term) {
		op := a.Op(t)
		switch {
		case connectives[op]:
			if all {
				set[op.String()] = true
			}
		case op == smt.OpVar || a.IsLiteral(t):
		case op == smt.OpOpaque:
			head, _ := a.OpaqueHead(t)
			set[head] = true
		case op == smt.OpApply:
			if a.NumArgs(t) > 0 {
				set["function"] = true
			}
		default:
			set[op.String()] = true
		}
		if k := a.SortKind(a.Sort(t)); all && k != smt.KindBool {
			set["sort "+k.String()] = true
		}
	})
	out := make([]string, 0, len(set))
	for name := range set {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Refine returns the signature of a vague one whose case was reduced to the given skeleton.
func (s Signature) Refine(skeleton []string) Signature {
	if !s.Vague {
		return s
	}
	bucket := s.Key
	if s.Bucket != "" {
		bucket = s.Bucket
	}
	base, _, _ := strings.Cut(s.Text, skeletonMark)
	text := base + skeletonMark + strings.Join(skeleton, " ")
	sum := sha256.Sum256([]byte(text))
	return Signature{Key: hex.EncodeToString(sum[:8]), Text: text, Vague: true, Bucket: bucket, Skeleton: skeleton}
}

const skeletonMark = " | reduced to "

// Within reports whether everything of a skeleton is among the operators of a case: only then can the case have the same
// cause as the one that was reduced to the skeleton.
func Within(skeleton, operators []string) bool {
	for _, op := range skeleton {
		if _, ok := slices.BinarySearch(operators, op); !ok {
			return false
		}
	}
	return true
}
