package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/build"
	"github.com/smtlark/smtlark/solvers/coverage"
	"github.com/smtlark/smtlark/solvers/parcel"
)

// Part is a technique in a mixture. Names are unique.
type Part struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight"`
	Later  bool    `json:"later,omitempty"` // it takes part from epoch laterFrom on
	Cost   float64 `json:"cost,omitempty"`  // of a case beside those of the other parts; 0: 1
}

// IdentifyBuilds finds out which builds the targets of a plan are. It is done once a campaign, by the coordinator: to
// hash all files of all solvers takes a few tenths of a second, which no worker should spend. A target whose files
// cannot be read stays without.
func (p *Plan) IdentifyBuilds() {
	for i := range p.Targets {
		t := &p.Targets[i]
		if t.Build != nil || len(t.Files) == 0 {
			continue
		}
		if info, err := build.Of(t.Files); err == nil {
			t.Build = info
		}
	}
}

// IdentifyChecks records the builds that checks by the targets of the plan were made with.
func (p *Plan) IdentifyChecks(checks []Check) {
	for i := range checks {
		c := &checks[i]
		if at := slices.IndexFunc(p.Targets, func(t Target) bool { return t.Name == c.Target }); at >= 0 && c.Build == nil {
			c.Build = p.Targets[at].Build
		}
	}
}

// Signed returns the facts that the signatures of a plan's verdicts depend on.
func (p *Plan) Signed() triage.Info {
	info := triage.Info{Solvers: map[string]triage.TargetInfo{}, Reduces: p.Reduces}
	for i := range p.Targets {
		t := &p.Targets[i]
		info.Solvers[t.Name] = triage.TargetInfo{Name: t.Solver, Version: t.Version}
	}
	return info
}

// Claims are the names of operators and of actions, sorted, that API fuzzing can use for the targets of a campaign.
type Claims struct {
	Operators []string `json:"operators"`
	Actions   []string `json:"actions"`
}

// MergeClaims returns the union of the claims of techniques, each name once; nil if none of them makes calls.
func MergeClaims(all []Claims) *Claims {
	var out Claims
	for _, c := range all {
		out.Operators, out.Actions = append(out.Operators, c.Operators...), append(out.Actions, c.Actions...)
	}
	if out.Actions == nil {
		return nil
	}
	slices.Sort(out.Operators)
	slices.Sort(out.Actions)
	out.Operators, out.Actions = slices.Compact(out.Operators), slices.Compact(out.Actions)
	return &out
}

// Labels counts the usable seeds by their labels, and by who gave these. Nothing of it is proven.
type Labels struct {
	Status  int `json:"status" help:"seeds whose (set-info :status) says sat or unsat"`
	Folder  int `json:"folder" help:"seeds without it in a folder called sat or unsat"`
	Trusted int `json:"trusted" help:"seeds that the campaign takes to have an answer, without either"`
	Unknown int `json:"unknown" help:"seeds of which nothing is said"`
}

// Add adds the seeds of another.
func (l *Labels) Add(o *Labels) {
	l.Status += o.Status
	l.Folder += o.Folder
	l.Trusted += o.Trusted
	l.Unknown += o.Unknown
}

// Text names in a line the labels that are taken on trust; "" when there are none.
func (l *Labels) Text() string {
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{{l.Status, "by their :status"}, {l.Folder, "by the folder sat/ or unsat/ that they lie in"}, {l.Trusted, "by the word of the campaign"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	if parts == nil {
		return ""
	}
	text := fmt.Sprintf("the answers of %d seeds are taken on trust: %s", l.Status+l.Folder+l.Trusted, strings.Join(parts, ", "))
	if l.Unknown > 0 {
		text += fmt.Sprintf("; the answers of %d others are not known", l.Unknown)
	}
	return text
}

// BrokenSeed is a seed that could not be read. It is skipped, counted and named in the summary.
type BrokenSeed struct {
	File string `json:"file"`
	// Error starts with file:line:col when the place is known.
	Error string `json:"error"`
}

// Stop says when a campaign ends: as soon as one of its conditions holds. A zero field is no condition.
type Stop struct {
	After time.Duration `json:"after,omitempty"` // run time
	Quiet time.Duration `json:"quiet,omitempty"` // run time since the last new finding
	// Technique limits Quiet to the findings of one technique: only a condition of Sets has it.
	Technique string `json:"technique,omitempty"`
	Cases     uint64 `json:"cases,omitempty"`    // cases made or skipped
	Findings  int    `json:"findings,omitempty"` // stored findings that reproduce
	// Sets of conditions that end the campaign when all of one set hold; nil: none.
	Sets *[][]Stop `json:"sets,omitempty"`
}

// Conditions lists the conditions in words.
func (s Stop) Conditions() string {
	text := ""
	add := func(is bool, format string, x any) {
		if is {
			if text != "" {
				text += " or "
			}
			text += fmt.Sprintf(format, x)
		}
	}
	add(s.After != 0, "after %v", s.After)
	add(s.Quiet != 0, "quiet %s", s.QuietText())
	add(s.Cases != 0, "%d cases", s.Cases)
	add(s.Findings != 0, "%d findings", s.Findings)
	if s.Sets != nil {
		for _, set := range *s.Sets {
			var parts []string
			for _, p := range set {
				parts = append(parts, p.Conditions())
			}
			if len(parts) == 1 {
				add(true, "%s", parts[0])
				continue
			}
			add(true, "(%s)", strings.Join(parts, " and "))
		}
	}
	return text
}

// QuietText says for how long there has to be no new finding, and of which technique.
func (s Stop) QuietText() string {
	text := "for " + s.Quiet.String()
	if s.Technique != "" {
		text = "by " + s.Technique + " " + text
	}
	return text
}

// Techniques lists the techniques that conditions are about.
func (s Stop) Techniques() (names []string) {
	if s.Technique != "" {
		names = append(names, s.Technique)
	}
	if s.Sets != nil {
		for _, part := range slices.Concat(*s.Sets...) {
			names = append(names, part.Techniques()...)
		}
	}
	return names
}

// All returns a condition that holds if all of several conditions hold. A condition that has held, such as the number
// of findings, still counts as holding.
func All(conditions ...Stop) Stop {
	if len(conditions) == 1 {
		return conditions[0]
	}
	return Stop{Sets: &[][]Stop{conditions}}
}

// Any returns the condition that holds when one of the two does.
func (s Stop) Any(o Stop) Stop {
	sets := cmp.Or(s.Sets, o.Sets)
	if s.Sets != nil && o.Sets != nil {
		both := slices.Concat(*s.Sets, *o.Sets)
		sets = &both
	}
	return Stop{After: least(s.After, o.After), Quiet: least(s.Quiet, o.Quiet), Cases: least(s.Cases, o.Cases), Findings: least(s.Findings, o.Findings), Sets: sets}
}

// Or returns s with its zero fields taken from d: flags before the campaign file.
func (s Stop) Or(d Stop) Stop {
	return Stop{
		After: cmp.Or(s.After, d.After), Quiet: cmp.Or(s.Quiet, d.Quiet), Cases: cmp.Or(s.Cases, d.Cases),
		Findings: cmp.Or(s.Findings, d.Findings), Sets: cmp.Or(s.Sets, d.Sets),
	}
}

func least[T int | uint64 | time.Duration](a, b T) T {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// Inputs are the inputs of a campaign file beside its text.
type Inputs struct {
	Seed    uint64            `json:"seed"`
	Set     map[string]string `json:"set,omitempty"`     // --set name=value
	Text    string            `json:"text,omitempty"`    // the campaign's text, when there is no file (smtlark fuzz)
	Command string            `json:"command,omitempty"` // the command, without the seed, that runs the campaign where that is more than its file
	Dir     string            `json:"dir,omitempty"`     // the project's folder; "": that of the file
	From    string            `json:"from,omitempty"`    // the folder whose log has the text and what was set: it has to be trusted, too; "": the user gave them
	Read    []string          `json:"read,omitempty"`    // more folders that the campaign may read
	Near    []string          `json:"near,omitempty"`    // more folders beside which, or above which, .solvers is looked for
	Below   string            `json:"below,omitempty"`   // the folder below which the absolute names of the campaign lie; "": they are what they say
	Out     string            `json:"out,omitempty"`     // the folder that the campaign writes to, absolute
	Limits  solvers.Limits    `json:"limits,omitzero"`   // flags; they win over the file
	Weights []uint32          `json:"weights,omitempty"` // of the parts of a mixture; nil: what the yield says
	Avoid   []string          `json:"avoid,omitempty"`   // shapes that cases avoid, see hazard.Avoided
	Expect  string            `json:"expect,omitempty"`  // identity that the case has; "": any
	Asked   bool              `json:"asked,omitempty"`   // the one case is asked for by nothing but its number: it may rest on recorded answers only
	// Recorded are the answers of solvers that the single case to be made rested on when it became a finding here. If
	// solvers now answer differently, the case is an error unless it is expected.
	Recorded testcase.Answers `json:"recorded,omitempty"`
	Answers  string           `json:"answers,omitempty"` // a file with answers that take the place of those of solvers
	Worker   int              `json:"worker,omitempty"`  // number of the worker, from 1; no case may depend on it
	// Programs replace solvers of a reproduction: TARGET=PATH replaces that of the target with that name, PATH that of
	// the wrong target. An empty path leaves the solver as it is.
	Programs []string `json:"programs,omitempty"`
	Feedback
	// Solvers, if not nil, are those that were sent from the machine of the coordinator: the campaign has no others.
	Solvers []parcel.Laid `json:"solvers,omitempty"`

	// Stuck is set by the worker: the loader calls it, from any goroutine, with the error of a script that outgrew its
	// budget in a step that cannot be interrupted. It ends the process. At is called with the place of a step that
	// takes long, for the message about a worker that is killed. Noted, if not nil, is called with the absolute path of
	// each file that the campaign reads or lists.
	Stuck func(error)  `json:"-"`
	At    func(string) `json:"-"`
	Noted func(string) `json:"-"`
}

// Feedback describes a campaign's use of the edges that solvers take.
type Feedback struct {
	// Coverage is the use of the edges that solvers take: one of CoverageGrow and the constants below it. "" means
	// CoverageGrow if a solver counts its edges.
	Coverage string `json:"coverage,omitempty"`
	// Change is the set of source lines of the solvers that cases are to approach; nil means no direction. Root is the
	// folder that it is relative to, "" if it is not known.
	Change *coverage.Change `json:"change,omitempty"`
	Root   string           `json:"root,omitempty"`
	// Grown are the seeds that grew in the campaign before the one case that is to be made.
	Grown []GrownSeed `json:"grown,omitempty"`
}

// The values of Feedback.Coverage: how a campaign uses the edges that instrumented solvers take.
const (
	CoverageGrow  = "grow"  // cases that take new edges become seeds
	CoverageCount = "count" // edges are counted, and change no case
	CoverageOff   = "off"   // edges are not read
	// CoverageStatistics is CoverageGrow, except that for solvers that count no edges the counters of their own
	// statistics stand for edges.
	CoverageStatistics = "statistics"
)

// GrownSeed is a case of the campaign that has become a seed.
type GrownSeed struct {
	Number uint64 `json:"n"`           // of the case
	Weight uint32 `json:"w,omitempty"` // how often it is chosen among all; 0: not any more
	Text   string `json:"text,omitempty"`
}

// Counting is a solver of a campaign that counts the edges of its control flow.
type Counting struct {
	Name  string `json:"name"`            // of the solver; another build of the same name has its path behind it
	Edges int    `json:"edges"`           // there can be so many
	Error string `json:"error,omitempty"` // why it does not count
	// Modules are its files that count edges, to find these in its source; Lost says why that is not known.
	Modules []coverage.Module `json:"modules,omitempty"`
	Lost    string            `json:"lost,omitempty"`
}

// Same reports whether the edges of another solver have the same numbers.
func (c *Counting) Same(o *Counting) bool {
	return c.Name == o.Name && c.Edges == o.Edges && c.Error == o.Error
}

// Declared has the settings of a campaign file that workers, the coordinator and findings share.
type Declared struct {
	Name string `json:"name"` // short; becomes part of folder names
	File string `json:"file"` // the campaign file
	Bounds
	PlannedSeeds
	// SeedsFirst is the number of cases at the beginning that are seeds as they are, in a campaign that is led to a
	// change.
	SeedsFirst int     `json:"seeds_first,omitempty"`
	Claims     *Claims `json:"claims,omitempty"` // of API fuzzing: what it can make; nil where cases are none of calls
	// Deadly lists shapes, as hazard.Entry names them, on which targets died while they were probed for the language
	// they accept. Generated cases avoid these shapes from the start.
	Deadly []string `json:"deadly,omitempty"`
}

// Bounds says when a campaign ends, and how long its runs, repetitions and reductions may take.
type Bounds struct {
	Stop   Stop           `json:"stop"`   // zero fields: no condition
	Limits solvers.Limits `json:"limits"` // of one run; zero fields: the target's default
	// FullTimeout gives every run the whole of Limits. Otherwise most runs get a multiple of the usual run time of
	// their target, if that is less.
	FullTimeout bool          `json:"full_timeout,omitempty"`
	Confirm     int           `json:"confirm"`    // how often a verdict is tried again in fresh processes
	ReduceFor   time.Duration `json:"reduce_for"` // for one finding
}

// Plan is the coordinator's view of a campaign: the declarations of its file, and the names of its functions and
// targets.
type Plan struct {
	Declared
	Counting      []Counting `json:"counting,omitempty"`  // solvers that count their edges
	Parts         []Part     `json:"parts,omitempty"`     // of a mixture whose weights follow the yield
	Modes         []Part     `json:"modes,omitempty"`     // that targets are asked in by turns, by name; nil: each has its own
	Generates     bool       `json:"generates,omitempty"` // its cases can avoid shapes on which a target fails
	Technique     string     `json:"technique"`
	Targets       []Target   `json:"targets"`
	Oracles       []string   `json:"oracles"`
	Reduces       bool       `json:"reduces"`
	Reproductions int        `json:"reproductions,omitempty"`
	Machine       string     `json:"machine,omitempty"` // operating system and architecture
	Shapes        [][]string `json:"shapes,omitempty"`  // of reduced cases that the campaign file suppresses
}

// OnlyReferences reports whether all these targets are references, which the campaign does not test.
func (p *Plan) OnlyReferences(targets []string) bool {
	return len(targets) > 0 && !slices.ContainsFunc(targets, func(name string) bool {
		return !slices.ContainsFunc(p.Targets, func(t Target) bool { return t.Reference && t.Name == name })
	})
}

// PlannedSeeds sums up the seeds of a campaign.
type PlannedSeeds struct {
	Seeds       int          `json:"seeds"`                      // that can be used
	SeedSource  string       `json:"seed_source,omitempty"`      // where they are from, for people
	Broken      int          `json:"broken_seeds"`               // those that cannot
	BrokenSeeds []BrokenSeed `json:"broken_seed_list,omitempty"` // the first maxBroken of them
	Labels      Labels       `json:"labels,omitzero"`            // of the seeds
}

// MaxBroken bounds the broken seeds that are named.
const MaxBroken = 100

// Target describes a target.
type Target struct {
	Name    string `json:"name"`
	Solver  string `json:"solver"`
	Kind    string `json:"kind"` // name of the profile
	Version string `json:"version"`
	Path    string `json:"path"`
	Mode    string `json:"mode"`
	Expr    string `json:"expr"` // the expression of a campaign file that makes it
	// Reference reports that the campaign does not test the target, but asks it which answers are right.
	Reference bool `json:"reference,omitempty"`
	Exec      int  `json:"exec"` // number of elements of an argument vector that start the program
	// Env are the settings of the environment, NAME=value, that the program is started with beside those of smtlark.
	Env []string `json:"env,omitempty"`
	// Files are those that tell its build, which the coordinator identifies.
	Files []string    `json:"files,omitempty"`
	Build *build.Info `json:"build,omitempty"`
	// These describe the script that the solver gets in place of the case. CheckSatUsing: it has (check-sat-using ...)
	// instead of (check-sat). ChecksStatus: it has no status.
	CheckSatUsing bool `json:"check_sat_using,omitempty"`
	ChecksStatus  bool `json:"checks_status,omitempty"`
}

var targetParts = pattern.Lazy(`,? ?\b(?:version|path|mode|name) = "[^"]*"`)

// OptionsOf returns the rest of the expression of a target without its solver, version, path, mode and name: its
// options. Targets of one kind of solver with the same options differ in version and mode only.
func OptionsOf(expr string) string {
	_, rest := SplitExpr(expr)
	return strings.Trim(targetParts().ReplaceAllString(rest, ""), ", )")
}

// SplitExpr parts the expression of a target after its first argument, which may be a profile with arguments of its
// own.
func SplitExpr(expr string) (first, rest string) {
	depth, quoted := 0, false
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth == 0 {
				return expr[:i], expr[i:]
			}
		case c == ',' && depth == 1:
			return expr[:i], expr[i:]
		}
	}
	return expr, ""
}

// SameKind returns the targets of the plan that are of the kind of solver of some targets of a finding and have their
// options, in the mode that comes closest.
func (p *Plan) SameKind(f *Finding, names []string) []Target {
	var out []Target
	for _, n := range names {
		i := slices.IndexFunc(f.Plan.Targets, func(t Target) bool { return t.Name == n })
		if i < 0 {
			continue
		}
		old := f.Plan.Targets[i]
		for _, t := range p.Targets {
			if t.Kind != old.Kind || OptionsOf(t.Expr) != OptionsOf(old.Expr) {
				continue
			}
			if f.Mode != string(solvers.Fresh) && t.Mode != old.Mode {
				continue
			}
			if !slices.ContainsFunc(out, func(o Target) bool { return o.Solver == t.Solver }) {
				out = append(out, t)
			}
		}
	}
	return out
}

// CanJudge reports whether a finding of the store can be looked at with the targets of the plan: the solvers of its
// verdict are there, in any version, with the same options.
func (p *Plan) CanJudge(f *Finding) bool {
	if f.Case == nil || f.Plan == nil {
		return false
	}
	return len(p.SameKind(f, f.Verdict.Targets)) > 0 && (len(f.Verdict.Against) == 0 || !NeedsBoth(f) || len(p.SameKind(f, f.Verdict.Against)) > 0)
}

// Reducible reports whether the campaign can reduce a finding of the store: it has its very targets and its oracle.
func (p *Plan) Reducible(f *Finding) bool {
	has := func(names []string) bool {
		for _, n := range names {
			found := false
			for i := range p.Targets {
				found = found || p.Targets[i].Name == n
			}
			if !found {
				return false
			}
		}
		return true
	}
	oracle := false
	for _, o := range p.Oracles {
		oracle = oracle || o == f.Verdict.Oracle
	}
	return p.Reduces && oracle && has(f.Verdict.Targets) && has(f.Verdict.Against)
}

// Sources are the texts that a campaign file consists of. A finding that only an oracle or an action of the campaign
// file can show again keeps them.
type Sources struct {
	// File is the campaign file: a name in Texts, or a module of the library (@std//...).
	File string `json:"file"`
	// Texts are the campaign file, the modules that it loads and the files that it read while it was loaded, by their
	// names below the project's root, separated by slashes. Modules of the library and seeds are not among them.
	Texts map[string]string `json:"texts,omitempty"`
	// Settings are the values of --set.
	Settings map[string]string `json:"settings,omitempty"`
}

// MixtureName returns the name of a mixture in findings.
func MixtureName(parts []Part) string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	return "mix(" + strings.Join(names, ", ") + ")"
}
