package oracle

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
)

// dialogue is the state of a script up to a command, as far as it determines the replies to echo, get-option, get-info
// and get-assertions.
type dialogue struct {
	c        *testcase.Case
	options  map[string]string // as they were set, by name
	asserted smt.Stack[smt.Term]
	told     bool // the solver has told how many levels there are
	shift    int  // how many more than ours these were
}

// talkative are the commands whose replies a dialogue knows.
var talkative = []smtlib.Kind{smtlib.CmdEcho, smtlib.CmdGetOption, smtlib.CmdGetInfo, smtlib.CmdGetAssertions}

// Talks reports whether a script has a command whose reply a dialogue knows, and no command whose reply has no clear
// end: solvers print the text of an echo as it is.
func Talks(s *smtlib.Script) bool {
	talks := false
	for i := range s.Commands {
		c := &s.Commands[i]
		talks = talks || slices.Contains(talkative, c.Kind)
		if c.Kind == smtlib.CmdEcho && strings.ContainsAny(unquoted(c.Text), `();|"`) {
			return false
		}
	}
	return talks
}

// judgeDialogue returns a verdict about the first reply of a run that contradicts what the script has said before it;
// nil: there is none. A solver that reports an error may have rejected an option or an assertion, so nothing is known
// then.
func judgeDialogue(c *testcase.Case, r *solvers.Run) *Verdict {
	s := c.Script
	if r.Class != solvers.OK || complains(r) {
		return nil
	}
	models, known := hasModels(s, r)
	if !known {
		return nil
	}
	var conditions []smtlib.Answer // of the commands; nil: they have none
	if t := c.LiveTrace(); t != nil {
		conditions = t.Conditions()
	}
	d := &dialogue{c: c, options: map[string]string{}}
	at, checks := 0, 0
	latest := smtlib.None
	for i := range s.Commands {
		x := &s.Commands[i]
		d.follow(x)
		switch solvers.ReplyTo(x.Kind, x.Name) {
		case solvers.AnswerReply:
			if checks < len(r.Answers) {
				latest = r.Answers[checks]
			}
			checks++
			if models {
				at++
			}
		case solvers.ValueReply:
			reply := r.Values[at]
			at++
			if conditions != nil && conditions[i] != smtlib.None && conditions[i] != latest {
				continue // a process that is kept is not asked then
			}
			summary, detail := d.contradiction(x, reply)
			if summary == "" {
				continue
			}
			return &Verdict{Kind: KindInvalidValue, Got: smtlib.None, Check: max(0, checks-1), Severity: "other",
				Summary: summary, Detail: detail, Asked: string(s.WithCommands(s.Commands[:i+1]).Text()), Reply: strings.TrimSpace(reply)}
		}
	}
	return nil
}

// complains reports whether a run printed an error, or that something is not supported.
func complains(r *solvers.Run) bool {
	return strings.Contains(r.Stdout, "(error") || strings.Contains(r.Stdout, "unsupported") || r.Stderr != ""
}

// follow takes a command in.
func (d *dialogue) follow(x *smtlib.Command) {
	switch x.Kind {
	case smtlib.CmdSetOption:
		d.options[x.Name] = x.Text
	case smtlib.CmdAssert:
		d.asserted.Add(x.Terms...)
	case smtlib.CmdReset:
		d.options = map[string]string{}
	}
	smtlib.FollowLevels(&d.asserted, x)
}

// contradiction describes the error in the reply to a command; "": nothing that is known.
func (d *dialogue) contradiction(x *smtlib.Command, reply string) (summary, detail string) {
	reply = strings.TrimSpace(reply)
	switch x.Kind {
	case smtlib.CmdEcho:
		if want := unquoted(x.Text); unquoted(reply) != want {
			return "echo prints another text", fmt.Sprintf("%s is printed for %s\n", reply, x.Text)
		}
	case smtlib.CmdGetOption:
		if want, set := d.options[x.Name]; set && isOtherSetting(want, reply) {
			return "get-option tells another value than was set",
				fmt.Sprintf("%s was set to %s; the reply is %s\n", x.Name, want, reply)
		}
	case smtlib.CmdGetInfo:
		if x.Name != ":assertion-stack-levels" {
			return "", ""
		}
		told, err := smtlib.ParseSExprs(reply)
		if err != nil || len(told) != 1 || len(told[0].List) != 2 {
			return "", ""
		}
		n, err := strconv.Atoi(told[0].List[1].Atom)
		if err != nil {
			return "", ""
		}
		// A mode that keeps the solver running for further cases has a level of its own beneath.
		shift := n - d.asserted.Levels()
		if d.told && shift == d.shift || !d.told && (shift == 0 || shift == 1) {
			d.told, d.shift = true, shift
			return "", ""
		}
		return "get-info tells another number of assertion levels",
			fmt.Sprintf("there are %d; the reply is %s\n", d.asserted.Levels(), reply)
	case smtlib.CmdGetAssertions:
		return d.otherAssertions(reply)
	}
	return "", ""
}

// unquoted returns the text of a string literal, or of one that was printed without its quotes.
func unquoted(text string) string {
	text = strings.TrimSpace(text)
	if n := len(text); n > 1 && text[0] == '"' && text[n-1] == '"' {
		text = text[1 : n-1]
	}
	return strings.TrimSpace(strings.ReplaceAll(text, `""`, `"`))
}

// isOtherSetting reports whether a solver reports a value of an option other than the one that was set. Values that are
// neither truth values nor numbers do not count: a solver may print them in other words.
func isOtherSetting(set, told string) bool {
	truth := []string{"true", "false"}
	if slices.Contains(truth, set) {
		return slices.Contains(truth, told) && set != told
	}
	x, ok1 := new(big.Int).SetString(set, 10)
	y, ok2 := new(big.Int).SetString(told, 10)
	return ok1 && ok2 && x.Cmp(y) != 0
}

// otherAssertions compares the formulas that get-assertions lists with those that are asserted, in the witness of the
// case: solvers print them in other forms.
func (d *dialogue) otherAssertions(reply string) (summary, detail string) {
	told, err := smtlib.ParseSExprs(reply)
	if d.c.Witness == nil || err != nil || len(told) != 1 || !told[0].IsList() {
		return "", ""
	}
	a := d.c.Script.Arena
	var listed []smt.Term
	for i := range told[0].List {
		t, err := smtlib.ParseTerm(a, d.c.Script, told[0].List[i].String())
		if err != nil || a.Sort(t) != smt.SortBool {
			return "", ""
		}
		listed = append(listed, t)
	}
	asserted := d.asserted.Items()
	ev := newEvaluator(a, d.c.Witness, slices.Concat(asserted, listed))
	want, got := ev.AllTrue(asserted), ev.AllTrue(listed)
	if want == value.Unknown || got == value.Unknown || want == got {
		return "", ""
	}
	const detailed = "in the model of the case all that is asserted is %v, all that is listed is %v\n%s\n"
	return "get-assertions lists other formulas than are asserted", fmt.Sprintf(detailed, want, got, reply)
}
