package store

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// Replay writes the campaign file that asks whether another target shows a finding: for versions of its solver. A crash
// counts whatever its message is, since messages change between versions. The error says why the finding cannot be asked
// about.
func Replay(f *campaign.Finding, target string) (string, error) {
	v := &f.Verdict
	w := f.Case
	if f.Min != nil {
		w = f.Min
	}
	var b strings.Builder
	b.WriteString("reproduce(\n")
	arg := func(name, value string) { fmt.Fprintf(&b, "    %s = %s,\n", name, value) }
	arg("case", "smt.case("+starString(w.Script)+")")
	arg("target", target)
	switch {
	case v.Kind == oracle.KindCrash:
		arg("got", `"fault"`)
	case v.Kind == oracle.KindInvalidModel:
		arg("got", starString(v.Kind))
	case v.Kind == oracle.KindDisagreement:
		other, ok := targetNamed(f, first(v.Against))
		if !ok {
			return "", fmt.Errorf("finding %d: nothing is known of the target %s that gave the other answer", f.Number, first(v.Against))
		}
		arg("got", starString(v.Got.String()))
		arg("against", exprOf(f, &other))
		arg("truth", starString(v.Want.String()))
	case v.Want != smtlib.None:
		arg("truth", starString(v.Want.String()))
	default:
		return "", fmt.Errorf("finding %d is of the oracle %s, which only its campaign can ask: %s", f.Number, v.Oracle, record(f, nil).Replay)
	}
	if i := checkOf(f); i > 0 {
		arg("check", fmt.Sprint(i))
	}
	if len(f.Before) > 0 {
		arg("before", beforeList(f))
	}
	if f.Repeat > 0 {
		arg("repeat", fmt.Sprint(f.Repeat))
	}
	b.WriteString(")\n")
	return b.String(), nil
}

// beforeList writes the cases before as a list of texts.
func beforeList(f *campaign.Finding) string {
	var list []string
	for _, text := range f.Before {
		list = append(list, "smt.case("+starString(text)+")")
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// WrongTarget returns the first target on the wrong side of a finding.
func WrongTarget(f *campaign.Finding) (campaign.TargetInfo, bool) {
	return targetNamed(f, first(f.Verdict.Targets))
}

var versionOrPath = regexp.MustCompile(`\b(version|path) = "(?:[^"\\]|\\.)*"`)

var namedVersion = regexp.MustCompile(`^solver\("([^"]+)"`)

// ExprFor returns the expression for the target of a finding with another version of its solver, or, when path is given,
// another program.
func ExprFor(f *campaign.Finding, t *campaign.TargetInfo, version, path string) string {
	head, expr := campaign.SplitExpr(exprOf(f, t))
	head = namedVersion.ReplaceAllString(head, fmt.Sprintf("solver(%q", t.Kind))
	with := "version = " + starString(version)
	if path != "" {
		with = "path = " + starString(path)
	}
	if versionOrPath.MatchString(expr) {
		done := false
		return head + versionOrPath.ReplaceAllStringFunc(expr, func(string) string {
			if done {
				return "name = None"
			}
			done = true
			return with
		})
	}
	return head + strings.TrimSuffix(expr, ")") + ", " + with + ")"
}
