package folder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// smallestFile returns the name of the smallest case file.
func smallestFile(f *finding.Finding) string {
	if f.Min != nil {
		return minFile
	}
	return caseFile
}

// smallestWire returns the reduced case, or the case as it was found.
func smallestWire(f *finding.Finding) *testcase.Wire {
	if f.Min != nil {
		return f.Min
	}
	return f.Case
}

// reproStar writes the campaign file that replays a finding. anyFault makes each crash count, whatever it says, and each answer
// that is not the right one.
func reproStar(f *finding.Finding, exprs Exprs, anyFault bool) string {
	v := &f.Verdict
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", starString(v.Summary))
	wrong, ok := targetNamed(f, firstOrEmpty(v.Targets))
	if !ok && !needsCampaignFile(f) {
		fmt.Fprintf(&b, "# The oracle %s named no target. The case comes from:\n# %s\n", oneLine(v.Oracle), oneLine(replayCommand(f)))
		return b.String()
	}
	b.WriteString("reproduce(\n")
	arg := func(name, value string) { fmt.Fprintf(&b, "    %s = %s,\n", name, value) }
	if input := inputFile(f); input != smallestFile(f) {
		arg("case", fmt.Sprintf("smt.read(%s)", starString(input)))
	} else {
		arg("case", fmt.Sprintf("smt.read(%s)", starString(input))+tacticOf(f))
	}
	if needsCampaignFile(f) {
		scriptedArgs(f, exprs, arg)
	} else {
		arg("target", exprs.exprFor(f, &wrong))
		verdictArgs(f, exprs, anyFault, arg)
	}
	if comparedWith(f) != "" {
		arg("seed", fmt.Sprintf("smt.read(%s)", starString(seedFile)))
	}
	if len(f.Before) > 0 {
		var list []string
		for i := range f.Before {
			list = append(list, fmt.Sprintf("smt.read(%s)", starString(beforeFile(i))))
		}
		arg("before", "["+strings.Join(list, ", ")+"]")
	}
	if f.Repeat > 0 {
		arg("repeat", fmt.Sprint(f.Repeat))
	}
	if limits := limitsOf(f); limits != nil {
		arg("limits", starDict(limits, 1))
	}
	b.WriteString(")\n")
	return b.String()
}

// verdictArgs writes the arguments of reproduce(...) that say what is wrong, of a finding that needs no campaign file.
func verdictArgs(f *finding.Finding, exprs Exprs, anyFault bool, arg func(name, value string)) {
	v := &f.Verdict
	switch {
	case v.Kind == oracle.KindCrash && (anyFault || triage.IsHeapCorruption(v.Message)):
		arg("got", starString("fault"))
	case v.Kind == oracle.KindCrash:
		arg("got", starString(v.Class.String()))
		if v.Message != "" {
			arg("message", starString(v.Message))
		}
	case slices.Contains([]string{oracle.KindInvalidModel, oracle.KindInvalidValue, oracle.KindInvalidCore, oracle.KindRunaway, oracle.KindExpectation, oracle.KindMetamorphic}, v.Kind):
		arg("got", starString(v.Kind))
		if v.Kind == oracle.KindMetamorphic {
			arg("relation", starString(string(v.Relation)))
		}
		if v.Kind == oracle.KindExpectation || v.Kind == oracle.KindMetamorphic || v.Kind == oracle.KindInvalidCore && v.Message != "" {
			arg("message", starString(v.Message))
		}
	case v.Got != smtlib.None && !(anyFault && v.IsWrongAnswer()):
		arg("got", starString(v.Got.String()))
	}
	other, ok := targetNamed(f, firstOrEmpty(v.Against))
	if v.Kind == oracle.KindDisagreement && ok {
		arg("against", exprs.exprFor(f, &other))
	}
	if v.Want != smtlib.None && v.Kind != oracle.KindMetamorphic {
		arg("truth", starString(v.Want.String()))
	}
	if i := f.SmallestCheck(); i > 0 {
		arg("check", fmt.Sprint(i))
	}
	if smallestWitness(f) != "" {
		arg("witness", fmt.Sprintf("smt.read_model(%s)", starString(modelFile)))
	}
}

// limitsOf returns the limits of runs that the campaign had, as entries of a dict; nil where it had none of its own.
func limitsOf(f *finding.Finding) (out [][2]string) {
	if f.Plan == nil {
		return nil
	}
	l := &f.Plan.Limits
	for _, t := range []struct {
		name string
		of   time.Duration
	}{{"timeout", l.Wall}, {"cpu", l.CPU}} {
		if t.of > 0 {
			out = append(out, [2]string{t.name, starString(t.of.String())})
		}
	}
	for _, n := range []struct {
		name string
		of   int64
	}{{"memory", l.Memory}, {"output", int64(l.Output)}} {
		if n.of > 0 {
			out = append(out, [2]string{n.name, fmt.Sprint(n.of)})
		}
	}
	return out
}

// onlyCalls reports whether a finding is about what a trace says and a script cannot: a further solver, a check that repeats an earlier
// one, or an action of the campaign file. Programs are then asked by smtlark, which has a process for each solver of the trace.
func onlyCalls(f *finding.Finding) bool {
	t := liveTrace(smallestWire(f))
	if t.HasCustom() {
		return needsCampaignFile(f)
	}
	return t.Several() || t.HasSame()
}

// bySmtlark reports whether repro.sh leaves the verdict to smtlark: oracles and actions of a campaign file are Starlark, what
// is expected of a solver made of several is judged by smtlark, a library prints no answers of further solvers, and a program
// has none; one process has to be given what comes before; and of what a library says of a model or a core, which need not be
// the same in the next process, only smtlark knows whether it is wrong.
func bySmtlark(f *finding.Finding) bool {
	if needsCampaignFile(f) || f.Verdict.Kind == oracle.KindExpectation {
		return true
	}
	if nativeTarget(f) {
		return f.Len() > 0 || slices.Contains([]string{oracle.KindInvalidModel, oracle.KindInvalidValue, oracle.KindInvalidCore, oracle.KindMetamorphic}, f.Verdict.Kind)
	}
	return onlyCalls(f)
}

// tacticOf gives a case file back the tactic that the solver which is wrong has no command for: the others were given it.
func tacticOf(f *finding.Finding) string {
	script := smallestText(f)
	if caseText(f, script) == script || !strings.Contains(script, "(check-sat-using") {
		return ""
	}
	parsed, err := smtlib.Parse("case", []byte(script), smt.NewArena())
	if err != nil {
		return ""
	}
	for i := range parsed.Commands {
		if c := &parsed.Commands[i]; c.Kind == smtlib.CmdCheckSatUsing {
			return fmt.Sprintf(".with_tactic(%s)", starString(c.Text))
		}
	}
	return ""
}

// exprOf returns the expression for a target, in the mode in which the finding was confirmed.
func exprOf(f *finding.Finding, t *finding.Target) string {
	fresh := fmt.Sprintf("mode = %q", solvers.Fresh)
	if f.Mode != string(solvers.Fresh) || t.Mode == string(solvers.Fresh) {
		return t.Expr
	}
	if with := strings.Replace(t.Expr, fmt.Sprintf("mode = %q", t.Mode), fresh, 1); with != t.Expr {
		return with
	}
	if call, ok := strings.CutSuffix(t.Expr, ")"); ok && !strings.Contains(t.Expr, "mode") {
		return call + ", " + fresh + ")"
	}
	return t.Expr
}

func firstOrEmpty(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// side is one solver call of repro.sh.
type side struct {
	*command
	want string // what shows the finding, as a shell condition
	text string // the same in words
}

// shellHead begins repro.sh. Whatever a solver writes is made text first: grep takes a NUL for a sign of something else, and
// a terminal obeys control characters.
const shellHead = `#!/bin/sh
# %s
#
# Needs nothing but the solver%s. Exit code 10: it reproduces; 0: it does not; 69: the solver is not there; 70: it could not be asked.
# TIMEOUT bounds each run, in seconds (default 60).
cd "$(dirname "$0")" || exit 70
tmp=$(mktemp -d) || exit 74
trap 'rm -rf "$tmp"' EXIT
limit=
if command -v timeout >/dev/null 2>&1; then limit="timeout -k 1 ${TIMEOUT:-60}"; fi
hits=0
said() { LC_ALL=C tr -d '\000' < "$out"; }
has() { said | LC_ALL=C grep -F -e "$1" >/dev/null; }
own() { said | LC_ALL=C sed -n '%s,$p' | LC_ALL=C grep -v -F 'smtlark: the case itself'; }
answer() { own | LC_ALL=C grep -xE 'sat|unsat|unknown' | sed -n "$1p"; }
silent() { ! own | LC_ALL=C grep -vxE '(sat|unsat|unknown|success|Segmentation fault|Bus error|Illegal instruction|Floating point exception|Aborted)?( \(core dumped\))?' >/dev/null; }
show() { LC_ALL=C tr -c '\n\t -~' '?' < "$out"; }
`

// reproShell writes the script that replays a finding with the solver alone.
func reproShell(f *finding.Finding) string {
	var b strings.Builder
	sides := sidesOf(f)
	also, from := "", "1" // the first line of the output that counts
	if slices.ContainsFunc(sides, func(s side) bool { return s.library != "" }) {
		also = "'s C library, and smtlark"
	}
	// Where nobody shows it by what is printed, such as a check that takes all memory, smtlark tells, too.
	judged := bySmtlark(f) || len(sides) == 0 && !byOracle(f)
	if judged {
		also = ", and smtlark"
	}
	if f.Len() > 0 {
		from = "/" + finding.CaseMark + "/"
	}
	fmt.Fprintf(&b, shellHead, oneLine(f.Verdict.Summary), also, from)
	switch {
	case needsCampaignFile(f):
		judgedBySmtlark(&b, f)
		return b.String()
	case judged:
		findSmtlark(&b, smtlarkPath(), "it makes the calls and judges the answers")
		build := "SOLVER"
		if nativeTarget(f) {
			build = "LIBRARY"
		}
		if t, ok := targetNamed(f, firstOrEmpty(f.Verdict.Targets)); ok && t.Path == "" { // made of several
			fmt.Fprintf(&b, "[ -z \"${%s:-}\" ] || { echo \"several solvers are asked together: edit repro.star to ask another build of one\" >&2; exit 64; }\n", build)
			build = ""
		}
		if build != "" {
			fmt.Fprintf(&b, "[ -z \"${%s:-}\" ] || set -- --program \"$%s\"\n", build, build)
		}
		b.WriteString("\"$smtlark\" repro \"$@\" repro.star\nexit $?\n")
		return b.String()
	case byOracle(f):
		writeErrorEcho(&b, "only the oracle "+f.Verdict.Oracle+" of the campaign file can tell whether this reproduces; run: "+replayCommand(f))
		b.WriteString("exit 70\n")
		return b.String()
	}
	for i := range sides {
		n := i + 1
		if f.Verdict.Kind == oracle.KindMetamorphic { // one solver is asked about both
			n = 1
		}
		sides[i].writeCall(&b, n)
	}
	fmt.Fprintf(&b, "if [ $hits -eq %d ]; then echo REPRODUCED; exit 10; fi\n", len(sides))
	switch {
	case slices.ContainsFunc(sides, func(s side) bool { return s.inPieces() }):
		askSmtlark(&b, len(sides), "It does not reproduce with everything in one file. smtlark sends it piece by piece, as the campaign did:")
	case slices.Contains([]string{oracle.KindInvalidModel, oracle.KindInvalidValue, oracle.KindInvalidCore}, f.Verdict.Kind) && sides[0].library == "":
		askSmtlark(&b, len(sides), "It is not the reply that was found. smtlark judges the one that comes now:")
	}
	b.WriteString("echo 'not reproduced'\nexit 0\n")
	return b.String()
}

// inPieces reports whether smtlark sent the input piece by piece, with markers in between, where this script gives all of it at
// once: a fault that depends on the memory of the process may show with one of the two only.
func (c *command) inPieces() bool {
	return c.library == "" && (c.run.Mode != string(solvers.Fresh) || len(c.run.Answers) > 1)
}

// askSmtlark has smtlark replay the finding, where it is there and the script alone does not see it.
func askSmtlark(b *strings.Builder, sides int, why string) {
	only, missing := "", "set SMTLARK to the path of smtlark"
	if sides > 1 { // smtlark takes one other build
		only, missing = " && [ -z \"${SOLVER2:-}\" ]", "smtlark takes one other build, and has to be there: set SMTLARK to its path"
	}
	fmt.Fprintf(b, "smtlark=${SMTLARK:-smtlark}\ncommand -v \"$smtlark\" >/dev/null 2>&1 || smtlark=%s\n", ShellWord(smtlarkPath()))
	fmt.Fprintf(b, "if command -v \"$smtlark\" >/dev/null 2>&1%s; then\n\techo '%s'\n", only, why)
	// The program that was just asked is where smtlark need not look for it.
	program := "\tset -- --program \"$(command -v \"$solver\")\"\n"
	if sides > 1 {
		program = "\t[ -z \"${SOLVER:-}\" ] || set -- --program \"$SOLVER\"\n"
	}
	b.WriteString(program +
		"\tcode=0\n\t\"$smtlark\" repro \"$@\" repro.star || code=$?\n" +
		"\tif [ $code -eq 10 ]; then echo REPRODUCED; exit 10; fi\n" +
		"\tif [ $code -ne 0 ]; then echo 'smtlark could not ask the solver: whether it reproduces is not known' >&2; exit 70; fi\n" +
		"else\n")
	b.WriteByte('\t')
	writeErrorEcho(b, strings.TrimSuffix(why, ":")+". That was not done: "+missing)
	b.WriteString("\texit 70\nfi\n")
}

// judgedBySmtlark leaves the verdict to smtlark, which runs the oracle or the action of the campaign file. Without it the
// solvers are run all the same, for people to see what they do.
func judgedBySmtlark(b *strings.Builder, f *finding.Finding) {
	list := rankedPrograms(f)
	words := ""
	for i, t := range list {
		words += fmt.Sprintf(" --program %s\"${%s:-}\"", display.Quote(t.Name+"="), shellVariable("SOLVER", i+1))
	}
	for i, t := range list {
		fmt.Fprintf(b, "# another build of %s: %s=/path/to/%s sh repro.sh\n", oneLine(t.Name), shellVariable("SOLVER", i+1), oneLine(t.Kind))
	}
	fmt.Fprintf(b, "smtlark=${SMTLARK:-smtlark}\ncommand -v \"$smtlark\" >/dev/null 2>&1 || smtlark=%s\n", ShellWord(smtlarkPath()))
	b.WriteString("if command -v \"$smtlark\" >/dev/null 2>&1; then\n")
	fmt.Fprintf(b, "\t\"$smtlark\" repro%s repro.star\n\texit $?\nfi\n", words)
	calls := showingCommands(f)
	if calls = slices.DeleteFunc(calls, func(c *command) bool { return c.library != "" || onlyCalls(f) }); len(calls) > 0 {
		b.WriteString("now() { t=$(date +%s%N 2>/dev/null); case $t in *[!0-9]*) t=$(date +%s)000000000;; esac; echo \"$t\"; }\n")
	}
	number := func(c *command) int {
		return 1 + slices.IndexFunc(list, func(t finding.Target) bool { return t.Name == c.target.Name })
	}
	for _, c := range calls {
		n := number(c)
		(&side{command: c}).writeTimedRun(b, n)
		fmt.Fprintf(b, "took%d=$(awk -v n=\"$took\" 'BEGIN { printf \"%%.2f\", n / 1e9 }')\n", n)
		fmt.Fprintf(b, "printf '%%s\\n' %s\"$took%d s, exit code $status\"\nshow\n", display.Quote("--- "+oneLine(c.target.Kind+" "+c.target.Version)+": "), n)
	}
	for _, c := range calls[min(1, len(calls)):] {
		fmt.Fprintf(b, "printf '%%s\\n' %s\"$(awk -v a=\"$took%d\" -v b=\"$took%d\" 'BEGIN { printf \"%%.1f\", a / (b > 0.01 ? b : 0.01) }') times as long as \"%s\n",
			display.Quote(oneLine(calls[0].target.Kind+" "+calls[0].target.Version)+" took "), number(calls[0]), number(c), display.Quote(oneLine(c.target.Kind+" "+c.target.Version)))
	}
	what := "an oracle"
	if f.Scripted == finding.ScriptedActions {
		what = "an action"
	}
	writeErrorEcho(b, "whether that is what was found is for "+what+" of "+campaignFile(f.Sources)+" to say: smtlark repro repro.star; set SMTLARK to the path of smtlark")
	b.WriteString("exit 69\n")
}

// smtlarkPath is the program that is used where there is no smtlark on the PATH: this one.
func smtlarkPath() string {
	if exe, err := os.Executable(); err == nil && filepath.Base(exe) == "smtlark" {
		return exe
	}
	return "smtlark"
}

// oneLine makes a text safe for a comment of a script: no line of it can end there.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
}

// writeEcho writes a command that prints a line.
func writeEcho(b *strings.Builder, text string) {
	fmt.Fprintf(b, "printf '%%s\\n' %s\n", display.Quote(oneLine(text)))
}

// writeErrorEcho writes a command that prints a line on standard error.
func writeErrorEcho(b *strings.Builder, text string) {
	fmt.Fprintf(b, "printf '%%s\\n' %s >&2\n", display.Quote(oneLine(text)))
}

// sidesOf returns the solver calls that show the verdict; none where they are not known.
func sidesOf(f *finding.Finding) []side {
	v := &f.Verdict
	list := showingCommands(f)
	if len(list) == 0 || v.Kind == oracle.KindDisagreement && len(list) < 2 {
		return nil
	}
	answered := func(c *command, a smtlib.Answer) (cond, text string) {
		return fmt.Sprintf(`[ "$(answer %d)" = %s ]`, c.answersBefore(f.SmallestCheck())+1, a), a.String()
	}
	wrong := side{command: list[0]}
	said := func(a smtlib.Answer) string { // what the line before a run says it should look for
		switch {
		case v.Kind == oracle.KindDisagreement:
			return fmt.Sprintf("the answer %s, which another solver contradicts", a)
		case v.Want.Decided():
			return fmt.Sprintf("the wrong answer %s (%s is right)", a, v.Want)
		}
		return "the answer " + a.String()
	}
	switch {
	case v.Kind == oracle.KindCrash:
		wrong.want, wrong.text = crashCondition(&wrong.run)
	case v.Kind == oracle.KindInvalidModel:
		wrong.want, wrong.text = modelCondition(&wrong.run)
	case v.Kind == oracle.KindInvalidValue || v.Kind == oracle.KindInvalidCore:
		wrong.want, wrong.text = answered(wrong.command, v.Got)
		if asked := askedFile(f); asked != "" {
			// Builds break lines differently, so white space does not count.
			wrong.want = fmt.Sprintf(`said | tr -d ' \n\t\r' | LC_ALL=C grep -F -e %s >/dev/null`, display.Quote(withoutSpace(v.Reply)))
		}
		wrong.text += ", and the reply of README.md, which contradicts it"
	case v.Got != smtlib.None:
		wrong.want, _ = answered(wrong.command, v.Got)
		wrong.text = said(v.Got)
	default:
		return nil
	}
	sides := []side{wrong}
	if v.Kind == oracle.KindMetamorphic {
		of := *wrong.command
		of.input, of.text = seedFile, ""
		other := side{command: &of}
		other.want, other.text = fmt.Sprintf(`[ "$(own | LC_ALL=C grep -xE 'sat|unsat|unknown' | tail -n 1)" = %s ]`, v.Want), "the answer "+v.Want.String()+", of "+seedFile+": "+relationText(v)
		// With as many checks in the seed the answer is at the same place in both; else the last one counts.
		if smallestWire(f) != nil && seedChecks(f) == strings.Count(smallestWire(f).Script, "(check-sat") {
			other.want, _ = answered(wrong.command, v.Want)
		}
		sides = append(sides, other)
	}
	if v.Kind == oracle.KindDisagreement {
		other := side{command: list[1]}
		other.want, _ = answered(other.command, v.Want)
		other.text = said(v.Want)
		sides = append(sides, other)
	}
	return sides
}

// relationText says what holds between the case and its seed.
func relationText(v *oracle.Verdict) string {
	return v.Relation.Words()
}

// seedChecks counts the check-sats of the seed of a finding.
func seedChecks(f *finding.Finding) int { return strings.Count(comparedWith(f), "(check-sat") }

// withoutSpace returns a text without white space, and without what cannot be compared: NUL.
func withoutSpace(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), ""), "\x00", "")
}

// Bounds on the pieces of a message that repro.sh looks for.
const (
	maxPieces   = 6
	minPiece    = 5
	maxMsgWords = 60
)

// messagePieces returns parts of a normalised message that are in the raw output as they are: normalising takes out folders and
// line breaks. A part is text: what is stored of bytes that are no characters is not what was written.
func messagePieces(message, output string) []string {
	words := strings.FieldsFunc(message, func(r rune) bool { return r <= ' ' || r == utf8.RuneError || !unicode.IsPrint(r) })
	words = words[:min(len(words), maxMsgWords)]
	var out []string
	for i := 0; i < len(words) && len(out) < maxPieces; {
		if strings.HasPrefix(words[i], "smtlark") && strings.HasSuffix(words[i], ":") { // the program that holds a library
			i++
			continue
		}
		piece, next := "", i+1
		for j := i; j < len(words); j++ {
			longer := strings.Join(words[i:j+1], " ")
			if !strings.Contains(output, longer) {
				break
			}
			piece, next = longer, j+1
		}
		if len(piece) >= minPiece {
			out = append(out, piece)
		}
		i = next
	}
	return out
}

// signals are those by which a program dies of a fault of its own, by number: sh reports 128 more.
var signals = map[string]int{"SIGILL": 4, "SIGTRAP": 5, "SIGABRT": 6, "SIGBUS": 7, "SIGFPE": 8, "SIGSEGV": 11, "SIGSYS": 31}

// crashCondition says how sh recognises a crash: by the parts of the message that are in the raw output, else by the signal
// or the exit code. A run that its time limit ended is none.
func crashCondition(r *finding.Run) (cond, text string) {
	if triage.IsHeapCorruption(r.Message) { // what is said of it, and by which signal it ends, is chance
		return deathBySignal, "death by a signal, for its memory is overwritten: " + r.Message
	}
	message := r.Message
	if i := strings.LastIndex(message, " in "); i > 0 && r.Mode == string(solvers.Native) {
		message = message[:i] // the call is named by smtlark's log, not by what is printed
	}
	if found := messagePieces(message, r.Stdout+"\n"+r.Stderr); len(found) > 0 {
		for _, p := range found {
			if cond != "" {
				cond += " && "
			}
			cond += "has " + display.Quote(p)
		}
		if n := signals[r.Signal]; n > 0 && r.Class == solvers.Crash && strings.HasPrefix(r.Message, r.Signal+":") { // what is said before depends on the memory
			cond = fmt.Sprintf("{ %s; } || { [ $status -eq %d ] && silent; }", cond, 128+n)
		}
		return cond, r.Message
	}
	switch n := signals[r.Signal]; {
	case n > 0:
		return fmt.Sprintf(`[ $status -eq %d ]`, 128+n), "death by " + r.Signal
	case r.Signal == "" && r.ExitCode > 0:
		return fmt.Sprintf(`[ $status -eq %d ]`, r.ExitCode), fmt.Sprintf("exit code %d", r.ExitCode)
	}
	return deathBySignal, "death by a signal"
}

// deathBySignal is how sh recognises it; 137 is the time limit.
const deathBySignal = `[ $status -ge 128 ] && [ $status -ne 137 ]`

// modelCondition says how sh recognises an invalid model: it is the one that was found to be invalid, white space aside, and
// comments and refusals of other commands, which may name lines of the input that was sent.
func modelCondition(r *finding.Run) (cond, text string) {
	var kept []string
	for line := range strings.Lines(r.Stdout) {
		if !strings.Contains(line, refusal) && !strings.HasPrefix(line, ";") {
			kept = append(kept, line)
		}
	}
	return fmt.Sprintf(`[ "$(own | LC_ALL=C grep -v -e '^;' -e '%s' | tr -d ' \n\t\r')" = %s ]`, refusal, display.Quote(withoutSpace(strings.Join(kept, "")))), "the model that violates an assertion (smtlark repro checks any other)"
}

// refusal begins the reply of a solver that refuses a command.
const refusal = "(error "

// shellVariable is how repro.sh names something of one of several calls.
func shellVariable(name string, n int) string {
	if n > 1 {
		return fmt.Sprintf("%s%d", name, n)
	}
	return name
}

// writeCall adds one solver call.
func (s *side) writeCall(b *strings.Builder, n int) {
	if s.library != "" {
		s.writeNative(b, n)
		return
	}
	s.writeStart(b, n)
	fmt.Fprintf(b, "%s\nstatus=$?\n", s.runCommand())
	s.writeCheck(b)
}

// writeStart finds the program.
func (s *side) writeStart(b *strings.Builder, n int) {
	v := shellVariable("SOLVER", n)
	fmt.Fprintf(b, "\n# %s; another build: %s=/path/to/%s sh repro.sh\n", oneLine(s.target.Kind+" "+s.target.Version), v, oneLine(s.target.Kind))
	fmt.Fprintf(b, "solver=${%s:-}\n[ -n \"$solver\" ] || solver=%s\n", v, ShellWord(s.target.Path))
	fmt.Fprintf(b, "command -v \"$solver\" >/dev/null 2>&1 || { echo \"the solver is not there: set %s to its path\" >&2; exit 69; }\n", v)
	fmt.Fprintf(b, "out=\"$tmp/out%d\"\n", n)
}

// writeTimedRun adds the run of a program, and the time that it took.
func (s *side) writeTimedRun(b *strings.Builder, n int) {
	s.writeStart(b, n)
	fmt.Fprintf(b, "begun=$(now)\n%s\nstatus=$?\ntook=$(($(now) - begun))\n", s.runCommand())
}

// runCommand is the command that runs a program, within its time limit.
func (s *side) runCommand() string {
	env := ""
	if len(s.target.Env) > 0 {
		env = "env "
	}
	return fmt.Sprintf("$limit %s%s > \"$out\" 2>&1", env, s.shellLine(`"$solver"`))
}

func (s *side) writeCheck(b *strings.Builder) {
	writeEcho(b, fmt.Sprintf("--- %s %s, to see the bug again: %s", s.target.Kind, s.target.Version, s.text))
	fmt.Fprintf(b, "show\nif %s; then hits=$((hits + 1)); fi\n", s.want)
}

// traceFile is the name of the file with the calls of the smallest case.
func traceFile(f *finding.Finding) string {
	return strings.TrimSuffix(smallestFile(f), ".smt2") + ".trace"
}

// inputFile is the name of the file that shows the fault: a trace says more than the script that it comes to, of the calls of a
// library, further solvers and actions.
func inputFile(f *finding.Finding) string {
	if smallestWire(f).Trace != "" && (nativeTarget(f) || onlyCalls(f) || needsCampaignFile(f)) {
		return traceFile(f)
	}
	return smallestFile(f)
}

// writeNative adds the calls of a C library: smtlark makes them.
func (s *side) writeNative(b *strings.Builder, n int) {
	v := shellVariable("LIBRARY", n)
	kind := oneLine(s.target.Kind)
	fmt.Fprintf(b, "\n# C library of %s %s; another build: %s=/path/to/lib%s.so sh repro.sh\n", kind, oneLine(s.target.Version), v, kind)
	fmt.Fprintf(b, "library=${%s:-}\n[ -n \"$library\" ] || library=%s\n", v, ShellWord(s.library))
	fmt.Fprintf(b, "[ -f \"$library\" ] || { echo \"the library is not there: set %s to its path\" >&2; exit 69; }\n", v)
	findSmtlark(b, s.run.Argv[0], "it makes the calls")
	fmt.Fprintf(b, "out=\"$tmp/out%d\"\n$limit %s > \"$out\" 2>&1\nstatus=$?\n", n, s.nativeLine(`"$smtlark"`, `"$library"`))
	s.writeCheck(b)
}

// findSmtlark finds smtlark, or the program in its place.
func findSmtlark(b *strings.Builder, program, what string) {
	fmt.Fprintf(b, "smtlark=${SMTLARK:-smtlark}\ncommand -v \"$smtlark\" >/dev/null 2>&1 || smtlark=%s\n", ShellWord(program))
	fmt.Fprintf(b, "command -v \"$smtlark\" >/dev/null 2>&1 || { echo \"smtlark is not there: %s; set SMTLARK\" >&2; exit 69; }\n", what)
}

// relativePath shortens a path for people.
func relativePath(path string) string {
	if rel, err := filepath.Rel(".", path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
