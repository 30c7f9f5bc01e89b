package folder

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"

	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// findingAssessment answers the first questions of the developers of a solver about a finding.
type findingAssessment struct {
	Severity triage.Severity `json:"severity"`
	// Configuration is the mildest one that shows it: a name of the solver's profile such as safe, default, one option or
	// several options. "" where it was not tried with the program alone.
	Configuration string `json:"configuration,omitempty"`
	// Alone says that the program and the file are enough, with the options of Configuration; else it takes calls, other
	// cases before it or a mode.
	Alone     bool     `json:"alone,omitempty"`
	Component string   `json:"component,omitempty"` // of the solver, as far as that can be told, see triage.Component
	Versions  []string `json:"versions,omitempty"`  // that show it, the newest first
	Without   []string `json:"without,omitempty"`   // versions that were asked and do not, the newest first
	setting   triage.Setting
}

// Rank orders findings as their developers do: the most serious first, then those that show in the milder
// configuration, those that the program and the file show alone, and the smaller cases.
type Rank struct {
	Flaky    bool // after all others
	Severity triage.Severity
	Setting  triage.Setting
	Calls    bool // the program and the file do not show it
	Bytes    int
	Number   int
}

// Compare orders ranks; less comes first.
func (r Rank) Compare(o Rank) int {
	last := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(last(r.Flaky), last(o.Flaky)), cmp.Compare(r.Severity, o.Severity), cmp.Compare(r.Setting, o.Setting),
		cmp.Compare(last(r.Calls), last(o.Calls)), cmp.Compare(r.Bytes, o.Bytes), cmp.Compare(r.Number, o.Number),
	)
}

// Rank returns the rank of a finding among others.
func (r *Record) Rank() Rank {
	setting := triage.SettingNamed(r.Configuration)
	return Rank{r.Flaky, r.Severity, setting, r.Configuration != "" && !r.Alone, cmp.Or(r.MinBytes, r.CaseBytes), r.Number}
}

// assessFinding answers the questions that the solver's developers ask first about a finding.
func assessFinding(f *finding.Finding, told *Lifecycle) findingAssessment {
	out := findingAssessment{Component: componentOf(f)}
	mild := mildestTrial(f)
	switch {
	case mild != nil && isNamedConfiguration(mild):
		out.Alone, out.Configuration, out.setting = true, mild.Configuration, triage.SafeSetting
	case mild != nil:
		out.Alone, out.setting = true, triage.WithOptions(optionsOf(mild)+f.Upstream.Options)
		out.Configuration = out.setting.String()
	case f.Upstream != nil: // by calls, by a mode, or after other cases only
		t, _ := targetNamed(f, firstOrEmpty(f.Verdict.Targets))
		own := strings.Count(finding.OptionsOf(t.Expr), ":") // options = {"a": "b"}
		out.setting = triage.WithOptions(own + f.Upstream.Options)
		out.Configuration = out.setting.String()
	case strings.HasPrefix(f.Needs, "it needs"):
		out.setting = triage.WithOptions(1 + strings.Count(f.Needs, ", "))
	}
	out.Severity = triage.SeverityOf(&f.Verdict, out.setting)
	if f.Upstream != nil && len(f.Upstream.Undocumented) > 0 {
		out.Severity = triage.OutsideContract
	}
	out.Versions, out.Without = versionsShown(f, told)
	return out
}

// componentOf names the part of a solver that a finding is about; "" if unknown. It uses the category given by the
// oracle, else the crash output and the skeleton of the reduced case, else the operators of the case, else its logic.
func componentOf(f *finding.Finding) string {
	if f.Verdict.Category != "" {
		return f.Verdict.Category
	}
	known := triage.Component(faultOutput(f), f.Signature.Skeleton)
	if known != "" && known != "Core" {
		return known
	}
	if script := cmp.Or(f.Min, f.Case); script != nil {
		if c, err := script.Case(nil); err == nil {
			known = cmp.Or(triage.Component("", triage.Operators(c.Script)), known)
		}
	}
	if known == "" && f.Logic != "ALL" {
		return f.Logic
	}
	return known
}

// isNamedConfiguration reports whether a trial was in a configuration that the profile of the solver names.
func isNamedConfiguration(t *finding.Trial) bool {
	return !slices.Contains([]string{finding.TrialDefault, finding.TrialOption, finding.TrialOptions, finding.TrialDebug, finding.TrialVersion}, t.Configuration)
}

// optionsOf counts the options of a trial beyond the program and the file; several count as two. The command that lets
// a solver print its model is none.
func optionsOf(t *finding.Trial) int {
	switch t.Configuration {
	case finding.TrialOption:
		return 1
	case finding.TrialOptions:
		return 2
	}
	return 0
}

// mildestTrial returns the trial of the mildest configuration in which the program of the build alone shows a finding:
// trials are in that order. nil if none does.
func mildestTrial(f *finding.Finding) *finding.Trial {
	return trialOf(f, func(t *finding.Trial) bool { return t.SameBuild && t.Shows })
}

// plainestTrial returns the trial with which a page leads: that of the program without a configuration of its
// developers, if one shows the finding.
func plainestTrial(f *finding.Finding) *finding.Trial {
	if t := trialOf(f, func(t *finding.Trial) bool { return t.SameBuild && t.Shows && !isNamedConfiguration(t) }); t != nil {
		return t
	}
	return mildestTrial(f)
}

// trialOf returns the first trial of which a condition holds.
func trialOf(f *finding.Finding, is func(*finding.Trial) bool) *finding.Trial {
	if f.Upstream == nil {
		return nil
	}
	for i := range f.Upstream.Trials {
		if t := &f.Upstream.Trials[i]; is(t) {
			return t
		}
	}
	return nil
}

// runShows reports whether a run shows the bug of a verdict.
func runShows(v *oracle.Verdict, r *finding.Run, check int) bool {
	switch {
	case slices.Contains(v.Targets, r.Target):
		return true
	case v.Kind == oracle.KindCrash:
		return r.Class.IsBug()
	case slices.Contains([]string{oracle.KindKnownAnswer, oracle.KindAssumedAnswer, oracle.KindDisagreement}, v.Kind):
		at := max(0, check)
		return v.Got != smtlib.None && at < len(r.Answers) && r.Answers[at] == v.Got.String()
	}
	return false
}

// versionsShown lists the versions of the solver that is wrong which show a finding, and those that were asked and do
// not: in the campaign, when the reduced case was tried, and when they were asked later.
func versionsShown(f *finding.Finding, told *Lifecycle) (shown, not []string) {
	kind := wrongKind(f)
	does := map[string]bool{}
	put := func(version string, shows bool) {
		if version != "" {
			does[version] = does[version] || shows
		}
	}
	runs := shownRuns(f)
	for i := range runs {
		if r := &runs[i]; kindOf(f, r) == kind && r.Class != solvers.StartFailure {
			put(r.Version, runShows(&f.Verdict, r, f.SmallestCheck()))
		}
	}
	if f.Upstream != nil {
		for i := range f.Upstream.Trials {
			if t := &f.Upstream.Trials[i]; t.Configuration == finding.TrialVersion || t.SameBuild && t.Shows {
				put(t.Version, t.Shows)
			}
		}
	}
	if told != nil {
		for i := range told.Checks {
			if c := &told.Checks[i]; c.Kind == kind {
				put(c.Version, c.Hits > 0)
			}
		}
	}
	for version, shows := range does {
		if shows {
			shown = append(shown, version)
		} else {
			not = append(not, version)
		}
	}
	newest := func(a, b string) int { return solvers.CompareVersions(b, a) }
	slices.SortFunc(shown, newest)
	slices.SortFunc(not, newest)
	return shown, not
}

// faultOutput returns the output of the crash of a finding, from the most informative run: a debug build prints more.
func faultOutput(f *finding.Finding) string {
	if f.Verdict.Kind != oracle.KindCrash {
		return ""
	}
	stack := ""
	if f.Stack != nil {
		stack = "\n" + f.Stack.String()
	}
	if t := trialOf(f, func(t *finding.Trial) bool { return t.Shows }); t != nil {
		if out := t.Run.Stderr + "\n" + t.Run.Stdout; triage.FaultOf(out).Place != "" {
			return out
		}
	}
	runs := shownRuns(f)
	for i := range runs {
		if r := &runs[i]; r.Target == firstOrEmpty(f.Verdict.Targets) {
			return r.Stderr + "\n" + r.Stdout + stack
		}
	}
	return f.Verdict.Message + stack
}
