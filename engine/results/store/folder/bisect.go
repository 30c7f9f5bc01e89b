package folder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
)

// Exprs are expressions in the place of those that made targets, by the targets' names.
type Exprs map[string]string

// exprFor returns the expression for a target, in the mode in which the finding was confirmed.
func (e Exprs) exprFor(f *finding.Finding, t *finding.Target) string {
	if expr, ok := e[t.Name]; ok {
		return expr
	}
	return exprOf(f, t)
}

// WriteReplay writes the files that test whether other targets show a finding into a folder: repro.star and the files
// that it reads. It is used for other versions of the finding's solver. A crash counts whatever its message is, since
// messages change between versions. The error says why the finding cannot be asked about.
func WriteReplay(dir string, f *finding.Finding, exprs Exprs) error {
	if !isReplayable(f) {
		return fmt.Errorf("finding %d is of the oracle %s, which only its campaign can ask: %s", f.Number, f.Verdict.Oracle, replayCommand(f))
	}
	for _, x := range append(replayInputs(f), file{reproFile, []byte(reproStar(f, exprs, true)), 0o644}) {
		path := filepath.Join(dir, x.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, x.data, x.mode); err != nil {
			return err
		}
	}
	return nil
}

// isReplayable reports whether repro.star can replay a finding.
func isReplayable(f *finding.Finding) bool {
	_, ok := firstWrongTarget(f)
	return needsCampaignFile(f) || ok && !byOracle(f) && (len(f.Verdict.Against) == 0 || f.Verdict.Kind != oracle.KindDisagreement || len(involvedTargets(f)) > 1)
}

// Varied returns the targets whose versions tell when a finding appeared and disappeared: the wrong one, or, if an
// oracle named none, one target of each kind that the oracle was shown.
func Varied(f *finding.Finding) []finding.Target {
	if t, ok := firstWrongTarget(f); ok {
		return []finding.Target{t}
	}
	if !needsCampaignFile(f) {
		return nil
	}
	var out []finding.Target
	for _, t := range shownTargets(f) {
		if !slices.ContainsFunc(out, func(o finding.Target) bool { return o.Kind == t.Kind }) {
			out = append(out, t)
		}
	}
	return out
}

// firstWrongTarget returns the first target on the wrong side of a finding.
func firstWrongTarget(f *finding.Finding) (finding.Target, bool) {
	return targetNamed(f, firstOrEmpty(f.Verdict.Targets))
}

var versionOrPath = pattern.Lazy(`\b(version|path) = "(?:[^"\\]|\\.)*"`)

var namedVersion = pattern.Lazy(`^solver\("([^"]+)"`)

// ExprFor returns the expression for the target of a finding with another version of its solver, or, when path is
// given, another program.
func ExprFor(f *finding.Finding, t *finding.Target, version, path string) string {
	head, expr := finding.SplitExpr(exprOf(f, t))
	head = namedVersion().ReplaceAllString(head, fmt.Sprintf("solver(%q", t.Kind))
	with := "version = " + starString(version)
	if path != "" {
		with = "path = " + starString(path)
	}
	if versionOrPath().MatchString(expr) {
		done := false
		return head + versionOrPath().ReplaceAllStringFunc(expr, func(string) string {
			if done {
				return "name = None"
			}
			done = true
			return with
		})
	}
	return head + strings.TrimSuffix(expr, ")") + ", " + with + ")"
}
