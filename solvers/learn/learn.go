package learn

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Question asks whether a solver accepts a feature. It is sent in one script with others of the same Head and Group.
type Question struct {
	Lack rule.Lack // the lack to record if the solver refuses
	// Head has the first commands, such as (set-logic ALL), Text the commands to test, and Tail commands after the
	// check-sat of all questions. No other question uses their names. Their assertions are satisfiable.
	Head, Text, Tail string
	Group            string
	// Needs is a feature that the question depends on. It is asked about first; if the solver lacks it, this question
	// is skipped.
	Needs rule.Lack
	// Alone says that Text has its own check-sat, so the question cannot share a script.
	Alone bool
	// Each says that each question of the group needs a solver in its initial state, as questions about logics do. If
	// the solver has reset, they share a script, with a reset between them.
	Each bool
}

// Reply is the result of sending a script to a solver.
type Reply struct {
	Class   solvers.Class
	Message string // the solver's message, normalised; "" if there was no problem
}

// WasTaken reports whether a solver took all of a script.
func (r *Reply) WasTaken() bool { return r.Class == solvers.OK && r.Message == "" }

// WasRefused reports whether the solver said that it does not accept part of the script. Exceeded limits and failed
// processes are not refusals.
func (r *Reply) WasRefused() bool {
	return r.Class.IsRefused() || r.Class == solvers.OK && r.Message != ""
}

// Asker sends a script to a solver, with the usual time limit times patience.
type Asker func(ctx context.Context, script string, patience int) (Reply, error)

// morePatience is the factor of the time limit for a question that was not answered in the usual time, before it counts
// as one that the solver does not answer.
const morePatience = 4

// Patiently sends a script, and sends it again with morePatience if it was not answered in the usual time.
func (a Asker) Patiently(ctx context.Context, script string) (Reply, error) {
	r, err := a(ctx, script, 1)
	if err == nil && r.Class == solvers.Timeout {
		r, err = a(ctx, script, morePatience)
	}
	return r, err
}

// maxRuns bounds the runs for one build. For further questions, the profile decides. The bound is a number, not a time,
// because the results decide which cases a campaign makes, and these must not depend on the machine's load.
const maxRuns = 1500

// maxBatch bounds the questions in one run, so that a refusal affects only few of them.
const maxBatch = 128

// Control is a script that every solver accepts. If it is refused after a head, questions with that head are skipped;
// if a solver does not answer it, nothing is learned about that solver.
const Control = "(declare-const control Bool)\n(assert control)\n(check-sat)\n"

// Ask asks all questions. excluded lists the lacks of the solver's profile: questions about these are asked alone,
// since they would make a batch fail. The error is that of the asker or the context. Then nothing counts as learned,
// because partial facts would lead to other cases than complete ones.
func Ask(
	ctx context.Context, questions []Question, excluded []rule.Lack, hasReset bool, ask Asker,
) (*solvers.Facts, error) {
	x := &asking{
		ctx: ctx, ask: ask, reset: hasReset, facts: &solvers.Facts{}, refused: map[rule.Lack]bool{}, known: map[string]bool{},
	}
	type batch struct {
		head, group string
		alone       bool
	}
	batches := map[batch][]*Question{}
	var order []batch
	asked := map[rule.Lack]int{}
	for i := range questions {
		q := &questions[i]
		asked[q.Lack]++
		b := batch{q.Head, q.Group, q.Alone || slices.Contains(excluded, q.Lack)}
		// Each such question follows a reset and includes its own head.
		if q.Each {
			b.head = ""
		}
		if batches[b] == nil {
			order = append(order, b)
		}
		batches[b] = append(batches[b], q)
	}
	for _, b := range order {
		// If the solver requires a logic, it refuses scripts without one, so only questions with a logic are asked.
		if !x.headTaken(b.head) && !(b.head == "" && x.takesSomeHead()) {
			continue
		}
		size := min(len(batches[b]), maxBatch)
		// Features that the profile excludes are most likely refused, and would only cause halving in a batch.
		if b.alone {
			size = 1
		}
		for part := range slices.Chunk(batches[b], size) {
			x.askBatch(slices.DeleteFunc(slices.Clone(part), func(q *Question) bool {
				lacks := x.refused[q.Needs] || slices.Contains(excluded, q.Needs) && x.countTaken(q.Needs) == 0
				return q.Needs != rule.Lack{} && lacks
			}))
		}
	}
	if x.err != nil {
		return nil, x.err
	}
	// An exclusion is lifted only where every question about it was taken.
	for lack, n := range asked {
		if slices.Contains(excluded, lack) && !x.refused[lack] && x.countTaken(lack) == n {
			x.facts.Takes = append(x.facts.Takes, lack)
		}
	}
	slices.SortFunc(x.facts.Takes, rule.Lack.Compare)
	return x.facts, nil
}

// asking is the state of questioning one solver.
type asking struct {
	ctx     context.Context
	ask     Asker
	reset   bool
	runs    int
	err     error
	facts   *solvers.Facts
	refused map[rule.Lack]bool
	takenQs []*Question
	heads   map[string]bool
	known   map[string]bool // refusals by their expression
	last    Reply
}

// countTaken counts the questions about something that were taken.
func (x *asking) countTaken(lack rule.Lack) (n int) {
	for _, q := range x.takenQs {
		if q.Lack == lack {
			n++
		}
	}
	return n
}

// askSolver sends a script. Once maxRuns is exceeded or an error has occurred, it sends nothing and returns a reply for
// a run that did not take place.
func (x *asking) askSolver(script string, patience int) Reply {
	if x.err == nil {
		x.err = x.ctx.Err()
	}
	if x.runs++; x.err != nil || x.runs > maxRuns {
		return Reply{Class: solvers.Cancelled}
	}
	r, err := x.ask(x.ctx, script, patience)
	if err != nil {
		x.err = err
		return Reply{Class: solvers.Cancelled}
	}
	return r
}

// askPatiently asks a script as Asker.Patiently does.
func (x *asking) askPatiently(script string) Reply {
	r, _ := Asker(func(_ context.Context, script string, patience int) (Reply, error) {
		return x.askSolver(script, patience), x.err
	}).Patiently(x.ctx, script)
	return r
}

// headTaken reports whether the solver accepts the head of questions.
func (x *asking) headTaken(head string) bool {
	if x.heads == nil {
		x.heads = map[string]bool{}
	}
	if _, known := x.heads[head]; !known {
		r := x.askSolver(head+Control, morePatience)
		x.heads[head] = r.WasTaken()
	}
	return x.heads[head]
}

// takesSomeHead reports whether any head tried so far was accepted.
func (x *asking) takesSomeHead() bool {
	return slices.Contains(slices.Collect(maps.Values(x.heads)), true)
}

// askBatch asks questions together, and halves a batch that is not accepted.
func (x *asking) askBatch(qs []*Question) {
	Halve(qs, func(part []*Question) ([]*Question, bool) {
		if len(part) > 1 && part[0].Each && !x.reset {
			return part, true
		}
		if len(part) == 1 {
			x.last = x.askPatiently(scriptOf(part))
		} else {
			x.last = x.askSolver(scriptOf(part), 1)
		}
		switch {
		case x.last.WasTaken():
			x.takenQs = append(x.takenQs, part...)
			return nil, false
		case x.last.Class == solvers.Cancelled:
			x.facts.Unasked += len(part)
			return nil, false
		}
		return part, true
	}, x.bookRefusal)
}

// bookRefusal records a question that was not accepted when it was asked alone, which was the last run.
func (x *asking) bookRefusal(q *Question) {
	refused := solvers.Refused{Lack: q.Lack, Message: x.last.Message}
	switch {
	case x.last.Class.IsBug():
		refused.Script = scriptOf([]*Question{q})
		x.facts.Dies = append(x.facts.Dies, refused)
	case x.last.WasRefused() && !x.refused[q.Lack]:
		x.refused[q.Lack] = true
		x.facts.Refuses = append(x.facts.Refuses, refused)
		fallthrough
	case x.last.WasRefused():
		if re := solvers.GeneralMessage(x.last.Message, q.Text); x.last.Class == solvers.SolverError && !x.known[re] {
			x.known[re] = true
			x.facts.Refusals = append(x.facts.Refusals, re)
		}
	case x.last.Class == solvers.Timeout, x.last.Class == solvers.OutOfMemory, x.last.Class == solvers.OutputLimit:
		refused.Message = cmp.Or(x.last.Message, x.last.Class.String())
		x.facts.Unanswered = append(x.facts.Unanswered, refused)
	}
}

// scriptOf puts questions together.
func scriptOf(qs []*Question) string {
	var b strings.Builder
	if qs[0].Alone {
		return qs[0].Head + qs[0].Text
	}
	if qs[0].Each {
		for i, q := range qs {
			if i > 0 {
				b.WriteString("(reset)\n")
			}
			b.WriteString(q.Head + q.Text + "(check-sat)\n")
		}
		return b.String()
	}
	b.WriteString(qs[0].Head)
	for _, q := range qs {
		b.WriteString(q.Text)
	}
	b.WriteString("(check-sat)\n")
	for _, q := range qs {
		b.WriteString(q.Tail)
	}
	return b.String()
}
