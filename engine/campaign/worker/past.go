package worker

import (
	"slices"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// A persistent process may fail because of earlier cases, so a worker remembers the latest ones. If a verdict does not
// reproduce with its case alone, the case is run several times in one process, and then after the remembered cases.
const (
	maxBefore      = 128     // cases remembered
	maxBeforeBytes = 1 << 20 // their texts together
)

// past remembers the texts of the latest queries of a worker. They share nothing with the arena of a case.
type past struct {
	queries []*solvers.Query // only their commands: terms and traces would take much memory and garbage collection
	asked   [][]string       // names of the targets
	bytes   []int
	total   int
}

func (p *past) add(q *solvers.Query, runs []*solvers.Run) {
	var names []string
	for _, r := range runs {
		names = append(names, r.Target)
	}
	p.asked = append(p.asked, names)
	n, commands := 0, answered(q.Commands, runs)
	for i := range commands {
		n += len(commands[i].Text) + 1
	}
	p.queries, p.bytes, p.total = append(p.queries, &solvers.Query{Commands: commands}), append(p.bytes, n), p.total+n
	for len(p.queries) > maxBefore || p.total > maxBeforeBytes {
		p.total -= p.bytes[0]
		p.queries, p.bytes, p.asked = slices.Delete(p.queries, 0, 1), slices.Delete(p.bytes, 0, 1), slices.Delete(p.asked, 0, 1)
	}
}

// answered returns the commands without those that depend on an answer that no target gave. Such commands would be
// errors in a file.
func answered(commands []solvers.PrintedCommand, runs []*solvers.Run) []solvers.PrintedCommand {
	check := -1
	return slices.DeleteFunc(slices.Clone(commands), func(c solvers.PrintedCommand) bool {
		if c.Reply == solvers.AnswerReply {
			check++
		}
		return c.When != smtlib.None && !slices.ContainsFunc(runs, func(r *solvers.Run) bool {
			return check >= 0 && check < len(r.Answers) && r.Answers[check] == c.When
		})
	})
}

// texts returns the remembered cases, oldest first, that were run on a target of the verdicts. It omits the latest
// case.
func (p *past) texts(verdicts []oracle.Verdict) []string {
	var out []string
	for i, q := range p.queries[:max(0, len(p.queries)-1)] {
		if slices.ContainsFunc(verdicts, func(v oracle.Verdict) bool {
			return slices.ContainsFunc(p.asked[i], func(name string) bool { return slices.Contains(v.Targets, name) })
		}) {
			out = append(out, q.Text())
		}
	}
	return out
}
