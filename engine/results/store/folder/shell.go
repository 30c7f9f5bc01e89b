package folder

import (
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/solvers"
)

// side is one solver call of repro.sh.
type side struct {
	*command
	want string // shell condition that is true if the finding shows
	text string // the same in words
}

// reproShell writes the script that replays a finding with the solver alone.
func reproShell(f *finding.Finding) (string, error) {
	return render("repro.sh", &shellScript{Finding: f, sides: sidesOf(f)})
}

// shellScript has the facts for repro.sh of a finding.
type shellScript struct {
	*finding.Finding
	sides []side
}

// AlsoNeeds names the programs and libraries that the script needs besides the solver.
func (s *shellScript) AlsoNeeds() string {
	switch {
	case s.BySmtlark():
		return ", and smtlark"
	case slices.ContainsFunc(s.sides, func(c side) bool { return c.library != "" }):
		return "'s C library, and smtlark"
	}
	return ""
}

// FirstLine is an address of sed: the first line of the output that counts.
func (s *shellScript) FirstLine() string {
	if s.Len() > 0 {
		return "/" + finding.CaseMark + "/"
	}
	return "1"
}

// ByCampaignFile reports whether an oracle or an action of the campaign file judges the finding.
func (s *shellScript) ByCampaignFile() bool { return needsCampaignFile(s.Finding) }

// BySmtlark reports whether smtlark judges the finding. It also does where no output shows the bug, such as a check
// that takes all memory.
func (s *shellScript) BySmtlark() bool {
	return bySmtlark(s.Finding) || len(s.sides) == 0 && !byOracle(s.Finding)
}

// ByOracle reports whether only an oracle of a campaign file can tell, and that is not there.
func (s *shellScript) ByOracle() bool { return byOracle(s.Finding) }

// OracleOnly says that only an oracle of a campaign file can tell.
func (s *shellScript) OracleOnly() string {
	return "only the oracle " + s.Verdict.Oracle + " of the campaign file can tell whether this reproduces; run: " + replayCommand(s.Finding)
}

// SmtlarkPath is the program that is used where there is no smtlark on the PATH.
func (s *shellScript) SmtlarkPath() string { return smtlarkPath() }

// neededSmtlark is smtlark, or the program in its place, and the purpose that it is needed for.
type neededSmtlark struct{ Program, Purpose string }

// Smtlark is the smtlark that judges the finding.
func (s *shellScript) Smtlark() neededSmtlark {
	return neededSmtlark{smtlarkPath(), "it makes the calls and judges the answers"}
}

// BuildVariable is the variable of the shell that names another build.
func (s *shellScript) BuildVariable() string {
	if nativeTarget(s.Finding) {
		return "LIBRARY"
	}
	return "SOLVER"
}

// Several is BuildVariable where the target is made of several solvers, of which none can be named; else "".
func (s *shellScript) Several() string {
	if t, ok := targetNamed(s.Finding, firstOrEmpty(s.Verdict.Targets)); ok && t.Path == "" {
		return s.BuildVariable()
	}
	return ""
}

// shellCall is a run of a solver.
type shellCall struct {
	side
	Number int // of what it writes; of several solvers, that of its variable
}

// Calls are the runs that show the finding.
func (s *shellScript) Calls() (calls []shellCall) {
	for i, c := range s.sides {
		n := i + 1
		if s.Verdict.Kind == oracle.KindMetamorphic { // one solver is asked about both
			n = 1
		}
		calls = append(calls, shellCall{c, n})
	}
	return calls
}

// Name is the solver, with its version.
func (c shellCall) Name() string { return c.target.Kind + " " + c.target.Version }

// Kind is the kind of the solver.
func (c shellCall) Kind() string { return c.target.Kind }

// Path is the path of the solver.
func (c shellCall) Path() string { return c.target.Path }

// Library is the path of the C library; "" where a program is started.
func (c shellCall) Library() string { return c.library }

// Smtlark is the smtlark that calls the library.
func (c shellCall) Smtlark() neededSmtlark { return neededSmtlark{c.run.Argv[0], "it makes the calls"} }

// Variable is the variable of the shell that names another build.
func (c shellCall) Variable() string {
	if c.library != "" {
		return shellVariable("LIBRARY", c.Number)
	}
	return shellVariable("SOLVER", c.Number)
}

// Command runs the solver within its time limit.
func (c shellCall) Command() string {
	if c.library != "" {
		return "$limit " + c.nativeLine(`"$smtlark"`, `"$library"`) + ` > "$out" 2>&1`
	}
	env := ""
	if len(c.target.Env) > 0 {
		env = "env "
	}
	return fmt.Sprintf(`$limit %s%s > "$out" 2>&1`, env, c.shellLine(`"$solver"`))
}

// Looked describes the output to look for.
func (c shellCall) Looked() string {
	return oneLine(fmt.Sprintf("--- %s, to see the bug again: %s", c.Name(), c.text))
}

// Shows is the condition under which the run shows the finding.
func (c shellCall) Shows() string { return c.want }

// inPieces reports whether smtlark sent the input piece by piece, with markers in between, where this script gives all
// of it at once: a fault that depends on the memory of the process may show with one of the two only.
func (c *command) inPieces() bool {
	return c.library == "" && (c.run.Mode != string(solvers.Fresh) || len(c.run.Answers) > 1)
}

// AskAgain says why smtlark is asked where the script alone does not show the finding; "" where it would not know
// better.
func (s *shellScript) AskAgain() string {
	switch {
	case slices.ContainsFunc(s.sides, func(c side) bool { return c.inPieces() }):
		return "It does not reproduce with everything in one file. smtlark sends it piece by piece, as the campaign did"
	case s.Verdict.IsWrongReply() && s.sides[0].library == "":
		return "It is not the reply that was found. smtlark judges the one that comes now"
	}
	return ""
}

// OfTwo reports whether two solvers show it: smtlark takes one other build.
func (s *shellScript) OfTwo() bool { return len(s.sides) > 1 }

// NotAskedAgain says that smtlark could not be asked.
func (s *shellScript) NotAskedAgain() string {
	missing := "set SMTLARK to the path of smtlark"
	if s.OfTwo() {
		missing = "smtlark takes one other build, and has to be there: set SMTLARK to its path"
	}
	return s.AskAgain() + ". That was not done: " + missing
}

// shellBuild is a target whose build a variable of the shell may replace.
type shellBuild struct{ Target, Kind, Variable string }

// Builds are the targets that the campaign file is shown.
func (s *shellScript) Builds() (builds []shellBuild) {
	for i, t := range rankedPrograms(s.Finding) {
		builds = append(builds, shellBuild{t.Name, t.Kind, shellVariable("SOLVER", i+1)})
	}
	return builds
}

// TimedCalls are the runs of programs that people see where there is no smtlark.
func (s *shellScript) TimedCalls() (calls []shellCall) {
	list := rankedPrograms(s.Finding)
	for _, c := range showingCommands(s.Finding) {
		if c.library != "" || onlyCalls(s.Finding) {
			continue
		}
		n := 1 + slices.IndexFunc(list, func(t finding.Target) bool { return t.Name == c.target.Name })
		calls = append(calls, shellCall{side{command: c}, n})
	}
	return calls
}

// CampaignOnly says that only the campaign file can tell.
func (s *shellScript) CampaignOnly() string {
	what := "an oracle"
	if s.Scripted == finding.ScriptedActions {
		what = "an action"
	}
	return "whether that is what was found is for " + what + " of " + campaignFile(s.Sources) + " to say: smtlark repro repro.star; set SMTLARK to the path of smtlark"
}
