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

// Question asks whether a solver takes something. It is asked together with others that have the same Head and the same
// Group.
type Question struct {
	Lack rule.Lack // of the solver if it refuses
	// Head are commands that come first, as (set-logic ALL); Text are those that tell; Tail comes behind the check-sat
	// of all questions. Names in them are of this question alone. What they assert is satisfiable.
	Head, Text, Tail string
	Group            string
	// Needs names a feature that the question depends on: it is asked before, and where the solver lacks it, this
	// question is not asked.
	Needs rule.Lack
	// Alone: Text has its own check-sat and goes with no other question.
	Alone bool
	// Each: the questions of the group each need a solver without anything before them, as those about logics do:
	// where the solver has reset, they are asked one behind the other with a reset between them.
	Each bool
}

// Reply is the result of asking.
type Reply struct {
	Class   solvers.Class
	Message string // in the solver's words, normalised; "" where all was well
}

// WasTaken reports whether a solver took all of a script.
func (r *Reply) WasTaken() bool { return r.Class == solvers.OK && r.Message == "" }

// WasRefused reports whether it said that it does not take something: limits and processes that fail say nothing.
func (r *Reply) WasRefused() bool {
	return r.Class.IsRefused() || r.Class == solvers.OK && r.Message != ""
}

// Asker asks a solver a script. It has the usual time for it, times patience.
type Asker func(ctx context.Context, script string, patience int) (Reply, error)

// morePatience is the factor of the time limit for a question that was not answered in the usual time, before it counts
// as one that the solver does not answer.
const morePatience = 4

// Patiently asks a script, and once more with morePatience where it was not answered in the usual time.
func (a Asker) Patiently(ctx context.Context, script string) (Reply, error) {
	r, err := a(ctx, script, 1)
	if err == nil && r.Class == solvers.Timeout {
		r, err = a(ctx, script, morePatience)
	}
	return r, err
}

// maxRuns bounds how often one build is asked. Questions beyond it are left to the profile. It is a number and no
// time: what a solver is found to take decides which cases a campaign makes, and these are the same on a busy
// machine.
const maxRuns = 1500

// maxBatch bounds the questions of a run, so that a refusal costs few of them.
const maxBatch = 128

// Control is a script that each solver takes: where it is refused behind a head, nothing is learned of questions with
// that head, and nothing at all of a solver that does not answer it.
const Control = "(declare-const control Bool)\n(assert control)\n(check-sat)\n"

// Ask asks all questions. excluded is what the solver lacks by its profile: a question about a part of that is asked
// alone, for it would spoil a batch. The error is the asker's, or the context's: then nothing was learned, for half
// of it would make other cases than all of it.
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
		// Such questions are each asked after a reset and bring their head along.
		if q.Each {
			b.head = ""
		}
		if batches[b] == nil {
			order = append(order, b)
		}
		batches[b] = append(batches[b], q)
	}
	for _, b := range order {
		// Where a script needs a logic, one without is refused, and questions that bring their own say more.
		if !x.headTaken(b.head) && !(b.head == "" && x.takesSomeHead()) {
			continue
		}
		size := min(len(batches[b]), maxBatch)
		// What is excluded already is most likely refused: in a batch it would only lead to halving.
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

// asking is one solver being asked.
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

// askSolver asks a script, unless that is once too often: then the reply is that of a run that did not take place.
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

// headTaken reports whether a solver takes what questions begin with.
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

// takesSomeHead reports whether one of the heads that were tried was taken.
func (x *asking) takesSomeHead() bool {
	return slices.Contains(slices.Collect(maps.Values(x.heads)), true)
}

// askBatch asks questions together and halves them where they are not taken.
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

// bookRefusal books a question that was not taken when it was asked last, alone.
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
