package triage

import (
	"maps"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// connectives are in nearly every case, so they tell causes apart only where there is nothing else.
var connectives = map[smt.Op]bool{
	smt.OpNot: true, smt.OpAnd: true, smt.OpOr: true, smt.OpImplies: true, smt.OpXor: true, smt.OpEq: true, smt.OpDistinct: true, smt.OpIte: true, smt.OpAnnot: true,
}

// Operators returns the sorted names of the operators and commands that a script uses, connectives included. A skeleton
// is a subset of these.
func Operators(s *smtlib.Script) []string { return operatorNames(s, true) }

// Skeleton returns a reduced case without its names, literals, sizes and repetitions: the sorted set of its operators,
// of the commands other than checks that are due a reply, and of the kinds of sorts whose values are asked for.
// Connectives count only if there is no other operator; then their sorts and the logic of the original case are
// included, because many causes reduce to connectives alone. Reducers bring cases with the same cause to different
// texts (other names, other widths, other literals), but seldom to other operators.
func Skeleton(s *smtlib.Script, found string) []string {
	if out := operatorNames(s, false); slices.Contains(out, exchangeMark) {
		// Reducers remove the let if they can, so one that remains is the cause, regardless of its body.
		return []string{exchangeMark}
	} else if len(out) > 0 {
		return out
	}
	out := slices.DeleteFunc(operatorNames(s, true), func(name string) bool { return strings.HasPrefix(name, logicMark) })
	if len(out) == 0 {
		return []string{Nothing}
	}
	if found != "" {
		out = append(out, logicMark+found)
		slices.Sort(out)
	}
	return out
}

// Nothing is the only element of the skeleton of a case that has no operators at all.
const Nothing = "nothing"

// How the elements begin that name a logic, and a kind of sorts.
const (
	logicMark = "logic "
	sortMark  = "sort "
)

func operatorNames(s *smtlib.Script, all bool) []string {
	set := map[string]bool{} // of Skeleton and Operators alike, so that one can be within the other
	var roots []smt.Term
	a := s.Arena
	if logic := s.Logic(); all && logic != "" {
		set[logicMark+logic] = true
	}
	for i := range s.Commands {
		switch c := &s.Commands[i]; c.Kind {
		case smtlib.CmdPush, smtlib.CmdPop, smtlib.CmdReset, smtlib.CmdResetAssertions, smtlib.CmdCheckSatUsing, smtlib.CmdCheckSatAssuming:
			set["("+c.Kind.String()+")"] = true
			roots = append(roots, c.Terms...)
		case smtlib.CmdAssert:
			roots = append(roots, c.Terms...)
		case smtlib.CmdGetValue:
			for _, t := range c.Terms {
				set["asked "+a.SortKind(a.Sort(t)).String()] = true
			}
		default:
			if solvers.ReplyTo(c.Kind, c.Name) == solvers.ValueReply {
				name := c.Kind.String()
				if c.Kind == smtlib.CmdOther {
					name = c.Name
				}
				set["("+name+")"] = true
			}
		}
	}
	a.PostOrder(roots, func(t smt.Term) {
		for _, name := range namesOf(a, t, all) {
			set[name] = true
		}
		// Bool is in every case and tells nothing.
		if k := a.SortKind(a.Sort(t)); all && k != smt.KindBool {
			set[sortMark+k.String()] = true
		}
	})
	return siblingNames(slices.Collect(maps.Keys(set)))
}

// manyMark begins the name of an operator with more than two arguments: solvers have code of its own for it, and
// reducers take arguments away where they can.
const manyMark = "nary "

// exchangeMark stands for a let in which constants have the names of others.
const exchangeMark = rule.ExchangedNames

// namesOf returns the names of a term's operator; all says whether connectives have any.
func namesOf(a *smt.Arena, t smt.Term, all bool) []string {
	op := a.Op(t)
	switch {
	case a.IsExchange(t):
		return []string{exchangeMark}
	case connectives[op]:
		if all {
			return []string{op.String()}
		}
	case op == smt.OpVar || a.IsLiteral(t):
	case op == smt.OpOpaque:
		head, _ := a.OpaqueHead(t)
		return []string{head}
	case op == smt.OpApply:
		if a.NumArgs(t) > 0 {
			return []string{"function"}
		}
	case a.NumArgs(t) > 2 && op.Info().Assoc != smt.AssocNone:
		return []string{op.String(), manyMark + op.Sibling().String()}
	default:
		return []string{op.String()}
	}
	return nil
}

// HasName reports whether a name of a skeleton stands for the term's operator.
func HasName(a *smt.Arena, t smt.Term, name string) bool {
	return slices.Contains(siblingNames(namesOf(a, t, true)), name)
}

// BySpecificity returns the names of a skeleton that occur in terms, beginning with those that fewer terms have.
func BySpecificity(skeleton []string) []string {
	out := slices.DeleteFunc(slices.Clone(skeleton), func(name string) bool {
		return strings.HasPrefix(name, "(") || strings.HasPrefix(name, "asked ") || strings.HasPrefix(name, logicMark) ||
			strings.HasPrefix(name, sortMark)
	})
	slices.SortStableFunc(out, func(a, b string) int {
		many := func(name string) int {
			if strings.HasPrefix(name, manyMark) {
				return 0
			}
			return 1
		}
		return many(a) - many(b)
	})
	return out
}

// siblingNames returns the sorted names of a skeleton, with one for operators that come to each other: reducers end
// with any of them, and solvers rewrite them to one.
func siblingNames(names []string) []string {
	out := make([]string, 0, len(names))
	for _, name := range names {
		if op, ok := smt.LookupOp(name); ok {
			name = op.Sibling().String()
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Refine returns the signature of a vague one whose case was reduced to the given skeleton. A placed one stays as it
// is, and remembers the skeleton.
func (s Signature) Refine(skeleton []string) Signature {
	if s.Placed() {
		s.Skeleton = skeleton
	}
	if !s.Vague {
		return s
	}
	bucket := s.BucketKey()
	base, _, _ := strings.Cut(s.Text, skeletonMark)
	text := base + skeletonMark + strings.Join(skeleton, " ")
	refined := signatureOf(text)
	refined.Vague, refined.Bucket, refined.Skeleton = true, bucket, skeleton
	return refined
}

const skeletonMark = " | reduced to "

// Within reports whether everything of a skeleton is among the operators of a case: only then can the case have the
// same cause as the one that was reduced to the skeleton.
func Within(skeleton, operators []string) bool {
	for _, op := range skeleton {
		if _, ok := slices.BinarySearch(operators, op); !ok {
			return false
		}
	}
	return true
}

// HasShape reports whether a case with the given operators, or a skeleton, has the operators of a reduced case, whose
// commands and sorts do not count where it has others.
func HasShape(operators, shape []string) bool {
	want := siblingNames(shape)
	if only := Functions(want); len(only) > 0 {
		want = only
	}
	return Within(want, operators)
}

// DiedInACall reports whether the text of a signature names a call that a solver died in, other than a check: such a
// call distinguishes causes as well as a source position does.
func DiedInACall(text string) bool {
	parts := strings.Split(text, " | ")
	if len(parts) < 4 || parts[0] != oracle.KindCrash || !signalOnly.MatchString(parts[3]) {
		return false
	}
	_, call, ok := strings.Cut(parts[3], " in ")
	return ok && !strings.Contains(call, "check")
}

// Explains reports whether a case that was reduced to one skeleton has the cause of another case with the same symptom,
// as far as operators tell: the other case needs all the operators of the skeleton and more, and the shared operators
// are telling. They are telling if one of them occurs in few cases of the campaign: sharing operators that nearly every
// case has means nothing.
func Explains(small, large []string, rare func(operator string) bool) bool {
	if !Within(small, large) {
		return false
	}
	return len(small) == len(large) || slices.ContainsFunc(small, rare)
}
