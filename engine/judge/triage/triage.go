// Package triage decides which verdicts have the same cause.
//
// A verdict has a signature, and verdicts with the same signature are one finding. The signature consists of:
//
//   - crash and assertion: the kind of solver (not its version, mode or options), the class, and the first of these that
//     its output has: the place of the failed assertion (file, function, condition; the line only where there is no
//     condition, since lines differ between versions), the top frames of a stack trace, the message without what it
//     quotes of its input. A message that names no more than a signal or an exit code, and the function of the
//     C library that was called, is vague, and so is a check in a function for checks, such as SymFPU's precondition(bool p),
//     which is called from everywhere. (The command that a program died in cannot be told from what it printed: much of
//     that dies with it. The reduced case tells, which has no command that does not matter.) Such a crash is run once more to
//     unwind its stack, and its innermost functions take the place of the message; see Signature.At.
//   - wrong answers, disagreements, invalid models, values and cores: the kind of verdict, the solvers on the wrong side with
//     their versions (not their modes), and the answers. Versions count because a bug that only an old version has
//     must not hide one that is still there; modes do not, because most bugs show in several. A disagreement that blames
//     nobody counts both sides. All of these are vague.
//
// A program and a library of one version are one solver.
//
// A vague signature is refined by the skeleton of the reduced case (see Skeleton); until then it is a bucket that may
// hold several causes. The logic is no part of it, unless nothing else will tell causes apart: reducers take it out
// where it does not matter.
//
//   - anything else: the oracle, the kind, the solvers and the summary with all numbers replaced.
//
// An oracle that knows better sets Verdict.Group.
package triage

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/solvers"
)

// Signature identifies the group of a verdict: verdicts with the same signature are one finding.
type Signature struct {
	Key  string `json:"key"`  // 16 hexadecimal digits
	Text string `json:"text"` // the text that the key is a hash of, for people
	// Vague says that the text does not suffice to tell causes apart: the skeleton of the reduced case has to decide.
	Vague bool `json:"vague,omitempty"`
	// Bucket is the key without the skeleton, when there is one; see Refine.
	Bucket   string   `json:"bucket,omitempty"`
	Skeleton []string `json:"skeleton,omitempty"`
	// Frames are the functions in which a process died whose stack was unwound, the innermost first; see Signature.At.
	Frames []string `json:"frames,omitempty"`
}

// TargetInfo has the facts about a target that triage needs.
type TargetInfo struct {
	Name    string // of the solver, with its version, such as "z3-4.8.12"
	Version string
}

// Info has the facts beside the verdict on which a signature depends.
type Info struct {
	Logic string
	// Reduces says that reduced cases will tell causes apart. Else the logic does, which is next to nothing: walks that
	// take other theories every time meet one bug in many logics.
	Reduces bool
	Solvers map[string]TargetInfo // by target
	Outputs map[string]string     // the output of crashed targets, by target; a missing target has the verdict's message
}

// signalOnly matches a message that has no more than how a process ended, also in the words of a program that catches
// signals.
var signalOnly = latePattern(`^(SIG[A-Z0-9]+|exit code \d+|signal \d+)?(?:(?:: )?\S* ?(?i:caught signal) \d+)?( in [\w-]+)?$`)

// caughtSegfault matches the message of cvc4 and cvc5 when they catch SIGSEGV. Its address is a different one each time
// that memory which was freed, or never was an object, is read.
var caughtSegfault = latePattern(`^(\w+ suffered a segfault)\. Offending address is `)

var number = latePattern(`\d+(\.\d+)?`)

// Of returns the signature of a verdict.
func Of(v *oracle.Verdict, in Info) Signature {
	var parts []string
	vague := false
	switch {
	case v.Group != "":
		parts = []string{v.Kind, v.Group}
	case v.Kind == oracle.KindCrash:
		var what string
		class := v.Class.String()
		if what, vague = in.crashPlace(v); what == HeapCorruption {
			class = solvers.Crash.String() // regardless of the check that noticed it
		}
		parts = []string{v.Kind, strings.Join(in.solverKinds(v.Targets), ","), class, what}
	case v.IsWrongAnswer(), v.Kind == oracle.KindDisagreement && v.Settled: // whether the right answer is known or assumed, or a model showed it, is no part of the cause
		parts, vague = []string{oracle.KindKnownAnswer, strings.Join(in.solverNames(v.Targets), ","), v.Got.String() + " for " + v.Want.String()}, true
	case v.IsWrongReply(), v.Kind == oracle.KindRunaway:
		parts, vague = []string{v.Kind, strings.Join(in.solverNames(v.Targets), ","), v.Got.String() + " for " + v.Want.String()}, true
		switch {
		case namesTwice(v):
			parts = append(parts, "named twice")
		case v.Kind == oracle.KindInvalidReply:
			parts = append(parts, v.Message)
		}
	case v.Kind == oracle.KindMetamorphic: // is not reduced, so that no smaller case tells more of the cause
		parts = []string{v.Kind, strings.Join(in.solverNames(v.Targets), ","), v.Got.String() + " where the seed is " + v.Want.String(), in.logicOrNone()}
	case v.Kind == oracle.KindDisagreement && v.Target == "":
		sides := []string{
			strings.Join(in.solverNames(v.Targets), ",") + " " + v.Got.String(),
			strings.Join(in.solverNames(v.Against), ",") + " " + v.Want.String(),
		}
		slices.Sort(sides)
		parts, vague = []string{v.Kind, sides[0] + ", " + sides[1]}, true
	case v.Kind == oracle.KindDisagreement:
		vague = true
		parts = []string{v.Kind, strings.Join(in.solverNames(v.Targets), ","), v.Got.String() + " for " + v.Want.String()}
	default:
		parts = []string{v.Oracle, v.Kind, strings.Join(in.solverNames(v.Targets), ","), number.ReplaceAllString(v.Summary, "#")}
	}
	if vague && !in.Reduces {
		parts = append(parts, in.logicOrNone())
	}
	s := signatureOf(strings.Join(parts, " | "))
	s.Vague = vague
	return s
}

// crashPlace says in a line where the target of a verdict died; vague when that is not known.
func (in *Info) crashPlace(v *oracle.Verdict) (text string, vague bool) {
	f := in.fault(v)
	switch {
	case f.Kind == HeapCorruption:
		return HeapCorruption, false
	case f.Place != "":
		return f.Place, f.HandedOver
	case len(f.Frames) > 0:
		kind := f.Kind
		if kind == "" {
			kind, _, _ = strings.Cut(v.Message, ":")
			kind = Loose(kind)
		}
		return kind + " in " + strings.Join(f.Frames, " < "), false
	case signalOnly.MatchString(v.Message):
		return v.Message, true
	}
	if m := caughtSegfault.FindStringSubmatch(v.Message); m != nil {
		return m[1], true
	}
	return Loose(v.Message), false
}

// fault returns the place of death that a crashed target reported.
func (in *Info) fault(v *oracle.Verdict) Fault {
	return FaultOf(cmp.Or(in.Outputs[v.Target], v.Message))
}

func (in *Info) logicOrNone() string {
	if in.Logic == "" {
		return "no logic"
	}
	return in.Logic
}

// solverNames returns the sorted names of the solvers of targets.
func (in *Info) solverNames(targets []string) []string {
	return in.collectSorted(targets, func(s TargetInfo) string { return oracle.ProductOf(s.Name) })
}

// solverKinds returns the sorted kinds of solvers of targets.
func (in *Info) solverKinds(targets []string) []string {
	return in.collectSorted(targets, func(s TargetInfo) string { return oracle.KindOfSolver(s.Name, s.Version) })
}

func (in *Info) collectSorted(targets []string, key func(TargetInfo) string) []string {
	var out []string
	for _, t := range targets {
		s, ok := in.Solvers[t]
		if !ok {
			s = TargetInfo{Name: t}
		}
		out = append(out, key(s))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var notSlug = latePattern(`([^A-Za-z0-9._]|\.\.)+`)

// Slug returns a short name for a verdict that is good for file names, such as "z3-4.8.12-unsat-for-sat-QF_LIA".
func Slug(v *oracle.Verdict, in Info) string {
	var s string
	names := strings.Join(in.solverNames(v.Targets), "+")
	switch v.Kind {
	case oracle.KindCrash:
		what, vague := in.crashPlace(v)
		s = strings.Join(in.solverKinds(v.Targets), "+") + "-" + v.Class.String() + "-" + what
		if vague {
			s += "-" + in.Logic
		}
	case oracle.KindKnownAnswer, oracle.KindAssumedAnswer:
		s = names + "-" + v.Got.String() + "-for-" + v.Want.String() + "-" + in.Logic
	case oracle.KindDisagreement:
		s = names + "-" + v.Got.String() + "-vs-" + strings.Join(in.solverNames(v.Against), "+") + "-" + v.Want.String() + "-" + in.Logic
	default:
		s = names + "-" + v.Kind + "-" + in.Logic
	}
	s = strings.Trim(notSlug.ReplaceAllString(s, "-"), "-._")
	if len(s) > 60 {
		s = strings.Trim(s[:60], "-._")
	}
	if s == "" {
		s = "finding"
	}
	return s
}

// PlacedSlug returns a short name for a crash that is known by where it died.
func PlacedSlug(slug string, s *Signature) string {
	parts := strings.Split(s.Text, " | ")
	if len(parts) < 4 || len(s.Frames) == 0 {
		return slug
	}
	name := s.Frames[0]
	if parent, base, ok := cutLast(name, "::"); ok {
		if _, class, ok := cutLast(parent, "::"); ok {
			parent = class
		}
		name = parent + "-" + base
	}
	signal, _, _ := strings.Cut(parts[3], " ")
	return RefinedSlug(parts[1]+"-"+parts[2]+"-"+signal, []string{name})
}

// cutLast cuts a text around the last occurrence of a separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// RefinedSlug adds the skeleton to a slug, as far as it fits.
func RefinedSlug(slug string, skeleton []string) string {
	s := strings.Trim(notSlug.ReplaceAllString(slug+"-"+strings.Join(skeleton, "-"), "-"), "-._")
	if len(s) > 60 {
		s = strings.Trim(s[:60], "-._")
	}
	return s
}

// Same reports whether w, which a repetition with perhaps fewer targets gave, shows the same as v.
func Same(v, w *oracle.Verdict) bool {
	if v.Oracle != w.Oracle || v.Group != w.Group || v.Kind != w.Kind && !(v.IsWrongAnswer() && w.IsWrongAnswer()) {
		return false
	}
	switch v.Kind {
	case oracle.KindInvalidCore:
		if namesTwice(v) != namesTwice(w) {
			return false
		}
	case oracle.KindInvalidReply:
		if v.Message != w.Message {
			return false
		}
	case oracle.KindCrash:
		return haveCommonElement(v.Targets, w.Targets) && (v.Class == w.Class && Loose(v.Message) == Loose(w.Message) || bothBroken(v, w))
	case oracle.KindDisagreement:
		// With fewer targets the majority may change sides.
		return v.Got == w.Got && v.Want == w.Want && haveCommonElement(v.Targets, w.Targets) && haveCommonElement(v.Against, w.Against) ||
			v.Got == w.Want && v.Want == w.Got && haveCommonElement(v.Targets, w.Against) && haveCommonElement(v.Against, w.Targets)
	}
	return v.Got == w.Got && v.Want == w.Want && (haveCommonElement(v.Targets, w.Targets) || len(v.Targets) == 0 && len(w.Targets) == 0)
}

// bothBroken reports whether two crashes are the allocator's word of its broken data. A bare signal is not taken for
// that: it may have any cause.
func bothBroken(v, w *oracle.Verdict) bool {
	return IsHeapCorruption(v.Message) && IsHeapCorruption(w.Message)
}

// namesTwice reports whether a verdict is about unsat assumptions one of which comes twice: another cause than that one
// is left out.
func namesTwice(v *oracle.Verdict) bool { return strings.HasSuffix(v.Summary, oracle.AssumptionTwice) }

// haveCommonElement reports whether two lists have an element in common.
func haveCommonElement(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}
