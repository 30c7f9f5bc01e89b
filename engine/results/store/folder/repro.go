package folder

import (
	"fmt"
	"os"
	"path/filepath"
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

// reproStar writes the campaign file that replays a finding. anyFault makes each crash count, whatever it says, and
// each answer that is not the right one.
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

// verdictArgs writes the arguments of reproduce(...) that describe the bug, for a finding that needs no campaign file.
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
	case v.IsWrongReply(), v.Kind == oracle.KindRunaway, v.Kind == oracle.KindExpectation, v.Kind == oracle.KindMetamorphic:
		arg("got", starString(v.Kind))
		if v.Kind == oracle.KindMetamorphic {
			arg("relation", starString(string(v.Relation)))
		}
		if v.Kind == oracle.KindExpectation || v.Kind == oracle.KindMetamorphic || (v.Kind == oracle.KindInvalidCore || v.Kind == oracle.KindInvalidReply) && v.Message != "" {
			arg("message", starString(v.Message))
		}
	case v.Got != smtlib.None && !(anyFault && v.IsWrongAnswer()):
		arg("got", starString(v.Got.String()))
	}
	other, ok := targetNamed(f, firstOrEmpty(v.Against))
	if (v.Kind == oracle.KindDisagreement || v.Kind == oracle.KindInvalidReply) && ok {
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

// onlyCalls reports whether a finding depends on something that a trace can express and a script cannot: a further
// solver, a check that repeats an earlier one, or an action of the campaign file. smtlark then runs the programs, with
// a process for each solver of the trace.
func onlyCalls(f *finding.Finding) bool {
	t := liveTrace(smallestWire(f))
	if t.HasCustom() {
		return needsCampaignFile(f)
	}
	return t.Several() || t.HasSame()
}

// bySmtlark reports whether repro.sh leaves the verdict to smtlark. Oracles and actions of a campaign file are
// Starlark. smtlark judges expectations about a solver that is made of several. A library prints no answers of further
// solvers, and a program has no further solvers. The cases that come first must run in the same process. And models or
// cores of a library may differ in the next process, so only smtlark can tell whether they are wrong.
func bySmtlark(f *finding.Finding) bool {
	if needsCampaignFile(f) || f.Verdict.Kind == oracle.KindExpectation {
		return true
	}
	if nativeTarget(f) {
		return f.Len() > 0 || f.Verdict.IsWrongReply() || f.Verdict.Kind == oracle.KindMetamorphic
	}
	return onlyCalls(f)
}

// tacticOf restores the tactic in a case file if the wrong solver has no command for it: the other solvers got the
// tactic.
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
	said := func(a smtlib.Answer) string { // the answer to look for, in the line before a run
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
	case v.IsWrongReply(): // of models, see above
		wrong.want, wrong.text = answered(wrong.command, v.Got)
		if askedFile(f) != "" || v.Kind == oracle.KindInvalidReply {
			// Builds break lines differently, so white space does not count.
			wrong.want = `[ -z "$(said | tr -d ' \n\t\r')" ]`
			if reply := withoutSpace(v.Reply); reply != "" { // any output has the empty text
				wrong.want = fmt.Sprintf(`said | tr -d ' \n\t\r' | LC_ALL=C grep -F -e %s >/dev/null`, display.Quote(reply))
			}
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
		// If the seed has as many checks as the case, the answer is at the same place in both. Otherwise the last one
		// counts.
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

// relationText describes the relation between the case and its seed.
func relationText(v *oracle.Verdict) string {
	return v.Relation.Words()
}

// seedChecks counts the check-sats of the seed of a finding.
func seedChecks(f *finding.Finding) int { return strings.Count(comparedWith(f), "(check-sat") }

// withoutSpace returns a text without white space and without NUL, which sh cannot compare.
func withoutSpace(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), ""), "\x00", "")
}

// Bounds on the pieces of a message that repro.sh looks for.
const (
	maxPieces   = 6
	minPiece    = 5
	maxMsgWords = 60
)

// messagePieces returns parts of a normalised message that occur verbatim in the raw output: normalising removes
// folders and line breaks. A part has printable characters only, since invalid bytes are not stored as the program
// wrote them.
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

// crashCondition says how sh recognises a crash: by the parts of the message that are in the raw output, else by the
// signal or the exit code. A run that its time limit ended is none.
func crashCondition(r *finding.Run) (cond, text string) {
	if triage.IsHeapCorruption(r.Message) { // its message and its signal vary by chance
		return deathBySignal, "death by a signal, for its memory is overwritten: " + r.Message
	}
	message := r.Message
	if i := strings.LastIndex(message, " in "); i > 0 && r.Mode == string(solvers.Native) {
		message = message[:i] // smtlark's log names the call, the output does not
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

// deathBySignal is the shell's test for it; 137 is the time limit.
const deathBySignal = `[ $status -ge 128 ] && [ $status -ne 137 ]`

// modelCondition says how sh recognises an invalid model: it is the one that was found to be invalid, white space
// aside, and comments and refusals of other commands, which may name lines of the input that was sent.
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

// shellVariable returns the name in repro.sh of something of one of several calls.
func shellVariable(name string, n int) string {
	if n > 1 {
		return fmt.Sprintf("%s%d", name, n)
	}
	return name
}

// traceFile is the name of the file with the calls of the smallest case.
func traceFile(f *finding.Finding) string {
	return strings.TrimSuffix(smallestFile(f), ".smt2") + ".trace"
}

// inputFile returns the name of the file that shows the fault. A trace is used if it tells more than its script: about
// the calls of a library, further solvers and actions.
func inputFile(f *finding.Finding) string {
	if smallestWire(f).Trace != "" && (nativeTarget(f) || onlyCalls(f) || needsCampaignFile(f)) {
		return traceFile(f)
	}
	return smallestFile(f)
}

// relativePath shortens a path for people.
func relativePath(path string) string {
	if rel, err := filepath.Rel(".", path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
