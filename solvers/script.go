package solvers

import (
	"slices"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// FromScript makes a query from a script: the same commands, printed, each with the kind of its reply.
func FromScript(script *smtlib.Script) *Query {
	q, _ := FromScriptWithText(script)
	return q
}

// printedText is a reusable buffer for printing a script, whose text is then copied at its exact length.
type printedText struct {
	text []byte
	ends []int
}

var printedTexts = sync.Pool{New: func() any { return new(printedText) }}

// FromScriptWithText is like FromScript, and also returns the text of the script (smtlib.Script.Text). The commands of
// the query are substrings of it.
func FromScriptWithText(script *smtlib.Script) (*Query, string) {
	q := &Query{Commands: make([]PrintedCommand, len(script.Commands)), Logic: script.Logic(), Script: script}
	p := printedTexts.Get().(*printedText)
	defer printedTexts.Put(p)
	p.text, p.ends = script.AppendCommands(p.text[:0], p.ends[:0])
	text, start := string(p.text), 0
	for i, end := range p.ends {
		c := &script.Commands[i]
		q.Commands[i] = PrintedCommand{Text: strings.TrimSpace(text[start:end]), Reply: ReplyTo(c.Kind, c.Name)}
		start = end + 1
	}
	return q, text
}

// ReplyTo returns the kind of reply to a command; name is used only for commands beyond SMT-LIB.
func ReplyTo(kind smtlib.Kind, name string) ReplyKind {
	switch kind {
	case smtlib.CmdCheckSat, smtlib.CmdCheckSatAssuming, smtlib.CmdCheckSatUsing:
		return AnswerReply
	case smtlib.CmdGetModel, smtlib.CmdGetValue, smtlib.CmdGetUnsatCore, smtlib.CmdGetUnsatAssumptions, smtlib.CmdGetProof,
		smtlib.CmdGetAssertions, smtlib.CmdGetAssignment, smtlib.CmdGetInfo, smtlib.CmdGetOption, smtlib.CmdEcho,
		smtlib.CmdSimplify:
		return ValueReply
	case smtlib.CmdOther:
		if strings.HasPrefix(name, "get-") || talkative[name] {
			return ValueReply
		}
	}
	return NoReply
}

// talkative are commands beyond SMT-LIB that print something: those of z3 and cvc5.
var talkative = map[string]bool{
	"apply": true, "display": true, "eval": true, "help": true, "help-tactic": true, "labels": true, "query": true,
	"block-model": false, "find-synth": true, "check-synth": true, "check-sat-all": true, "dbg-expr": true,
	"display-dimacs": true,
}

// WithoutTactics returns the query with (check-sat) in the place of z3's (check-sat-using TACTIC), which asks the same;
// the query itself if it has none.
func (q *Query) WithoutTactics() *Query {
	const using = "(check-sat-using"
	var out *Query
	for i := range q.Commands {
		if !strings.HasPrefix(q.Commands[i].Text, using) {
			continue
		}
		if out == nil {
			plain := *q
			plain.Commands = slices.Clone(q.Commands)
			out = &plain
		}
		out.Commands[i].Text = "(check-sat)"
	}
	if out == nil {
		return q
	}
	return out
}
