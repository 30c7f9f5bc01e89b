package dialogue

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
)

const (
	// longestTalk is the number of questions after which a front end is replaced, because its arena keeps the terms of
	// all questions.
	longestTalk = 100
	// targetOutput bounds the output for one question, in bytes, where no limit is given.
	targetOutput = 64 << 20
)

// frontTarget is a front end as a target.
type frontTarget struct {
	name    string
	solver  *solvers.Solver
	mode    solvers.Mode
	options frontend.Options
	members []solvers.Target
	talk    *talk // nil: none is going on
}

// NewTarget returns a target that sends its questions, as the text of a client, to a front end over other targets. In
// mode fresh, each question gets a new front end; in other modes, one front end answers many questions, with a reset in
// between. Contradicting answers of members are in Run.Failed, and a panic of the front end is a crash. s describes the
// target as a solver. Close closes the members.
func NewTarget(name string, s *solvers.Solver, mode solvers.Mode, o frontend.Options,
	members ...solvers.Target) solvers.Target {
	return &frontTarget{name: name, solver: s, mode: mode, options: o, members: members}
}

// FrontOf returns a front end over the arena with the options and members of a target from NewTarget; ok is false if
// the target is a different one.
func FrontOf(t solvers.Target, a *smt.Arena) (s *frontend.FrontEnd, ok bool, err error) {
	f, ok := t.(*frontTarget)
	if !ok {
		return nil, false, nil
	}
	s, err = frontend.New(a, f.members, f.options)
	return s, true, err
}

func (t *frontTarget) Name() string            { return t.name }
func (t *frontTarget) Solver() *solvers.Solver { return t.solver }
func (t *frontTarget) Mode() solvers.Mode      { return t.mode }

// Limits returns the limits for runs without limits of their own: those of the first member.
func (t *frontTarget) Limits() solvers.Limits { return solvers.LimitsOf(t.members[0]) }

// Run implements solvers.Target.
func (t *frontTarget) Run(ctx context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
	lim = lim.Or(t.Limits()).Or(solvers.Limits{Output: targetOutput})
	begun := time.Now()
	run := &solvers.Run{Target: t.name, Solver: t.solver.Name, Version: t.solver.Version, Mode: t.mode, ExitCode: -1,
		Answers: make([]smtlib.Answer, q.Count(solvers.AnswerReply)), Values: make([]string, q.Count(solvers.ValueReply))}
	for _, m := range t.members {
		if s := m.Solver(); s != nil && s.Profile != nil {
			run.RoundsReals = run.RoundsReals || s.Profile.RoundsReals
		}
	}
	if lim.Wall > 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, lim.Wall)
		defer end()
	}
	x, err := t.beginTalk()
	if err != nil {
		run.Class, run.Message = solvers.StartFailure, err.Error()
		return run
	}
	r := &replies{run: run, profile: t.solver.Profile, limit: lim.Output}
	stop := context.AfterFunc(ctx, x.end)
	x.question(q, r)
	stop()
	if t.mode == solvers.Fresh || x.over || ctx.Err() != nil {
		t.talk = nil
		_ = x.close()
	}
	r.conclude(ctx, x)
	run.Wall = time.Since(begun)
	return run
}

// Close implements solvers.Target.
func (t *frontTarget) Close() error {
	var errs []error
	if t.talk != nil {
		errs = append(errs, t.talk.close())
		t.talk = nil
	}
	for _, m := range t.members {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}

// beginTalk returns a talk in which nothing is asserted.
func (t *frontTarget) beginTalk() (*talk, error) {
	if t.talk != nil && t.talk.asked >= longestTalk {
		_ = t.talk.close()
		t.talk = nil
	}
	if t.talk == nil {
		x, err := newTalk(t.options, t.members)
		if err != nil {
			return nil, err
		}
		t.talk = x
	}
	t.talk.asked++
	return t.talk, nil
}

// talk is a dialogue with a front end that runs in its own goroutine, like that of a client on a pipe.
type talk struct {
	in    *io.PipeWriter
	out   *bufio.Reader
	reply *io.PipeReader
	end   context.CancelFunc // cancels the goroutine's context
	done  chan struct{}
	asked int
	over  bool // nothing more can be said
	count int  // of the marks behind replies

	// Results of the goroutine, valid after done is closed.
	panicked string
	events   chan frontend.Event
}

func newTalk(o frontend.Options, members []solvers.Target) (*talk, error) {
	x := &talk{done: make(chan struct{}), events: make(chan frontend.Event, 64)}
	o.Notify = func(e frontend.Event) {
		if e.Kind != frontend.Contradiction {
			return
		}
		select {
		case x.events <- e:
		default: // one is enough for a finding
		}
	}
	s, err := frontend.New(smt.NewArena(), members, o)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	in, toDialogue := io.Pipe()
	fromDialogue, out := io.Pipe()
	x.in, x.reply, x.out = toDialogue, fromDialogue, bufio.NewReader(fromDialogue)
	x.end = func() {
		cancel()
		_ = toDialogue.Close()
		_ = fromDialogue.Close() // pending writes have no reader any more
	}
	go func() {
		defer close(x.done)
		defer out.Close()
		defer s.Close()
		defer func() {
			if r := recover(); r != nil {
				x.panicked = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
			}
		}()
		_ = New(s, in, out).Run(ctx) // errors can only come from the pipe, after the other side has closed it
	}()
	return x, nil
}

// close ends the talk and waits until its sessions are closed.
func (x *talk) close() error {
	x.over = true
	x.end()
	<-x.done
	return nil
}

// send sends a command and returns its output; ok is false if the dialogue has ended.
func (x *talk) send(command string, limit int64) (reply string, ok bool) {
	x.count++
	mark := fmt.Sprintf(`"smtlark-reply-%d"`, x.count)
	// The dialogue reads nothing while it prints, and a long reply fills the pipe.
	go func() { _, _ = io.WriteString(x.in, command+"\n(echo "+mark+")\n") }()
	var b strings.Builder
	for {
		line, err := x.out.ReadString('\n')
		if strings.TrimSuffix(line, "\n") == mark {
			return b.String(), true
		}
		b.WriteString(line)
		if err != nil {
			x.over = true
			return b.String(), false
		}
		if int64(b.Len()) > limit {
			x.over = true
			x.end()
			return b.String(), false
		}
	}
}

// question asks a query and records the replies.
func (x *talk) question(q *solvers.Query, r *replies) {
	var before []string
	if x.asked > 1 {
		before = append(before, "(reset)")
	}
	if q.Models {
		before = append(before, "(set-option :produce-models true)")
	}
	if q.Cores {
		before = append(before, "(set-option :produce-unsat-cores true)", "(set-option :produce-unsat-assumptions true)")
	}
	for _, text := range before {
		if _, ok := x.send(text, r.limit); !ok {
			return
		}
	}
	for i := range q.Commands {
		c := &q.Commands[i]
		if c.When != smtlib.None && c.When != r.latest {
			r.skip(c)
			continue
		}
		reply, ok := x.send(c.Text, r.limit-int64(r.printed.Len()))
		r.note(c, reply)
		if !ok {
			return
		}
	}
}

// replies gathers the replies to a query.
type replies struct {
	run             *solvers.Run
	profile         *solvers.Profile
	limit           int64
	printed, errors strings.Builder
	latest          smtlib.Answer
	answers, values int
	voided          bool // a command of the problem was refused: later answers are about a different problem
}

// skip counts a command that is not asked.
func (r *replies) skip(c *solvers.PrintedCommand) {
	switch c.Reply {
	case solvers.AnswerReply:
		r.answers++
	case solvers.ValueReply:
		r.values++
	}
}

// note records the reply to a command.
func (r *replies) note(c *solvers.PrintedCommand, reply string) {
	r.printed.WriteString(reply)
	refused := strings.HasPrefix(reply, "(error ")
	if refused && c.Reply != solvers.ValueReply { // as of a process, whose refused values are values
		r.errors.WriteString(reply)
	}
	switch c.Reply {
	case solvers.AnswerReply:
		word, _, _ := strings.Cut(reply, "\n")
		r.latest, _ = smtlib.ParseAnswer(word)
		if r.voided {
			r.latest = smtlib.None
		}
		r.run.Answers[r.answers] = r.latest
	case solvers.ValueReply:
		r.run.Values[r.values] = strings.TrimSuffix(reply, "\n")
	default:
		setting := strings.HasPrefix(c.Text, "(set-")
		r.voided = (r.voided || refused && !setting) && !strings.HasPrefix(c.Text, "(reset)")
	}
	r.skip(c)
}

// conclude sets the class and message of the run.
func (r *replies) conclude(ctx context.Context, x *talk) {
	run := r.run
	run.Stdout = r.printed.String()
	panicked := ""
	select {
	case <-x.done:
		panicked = x.panicked
	default: // it goes on
	}
	for len(x.events) > 0 {
		e := <-x.events
		run.Failed = append(run.Failed, solvers.Failure{Message: e.Member + ": " + e.Message})
	}
	switch {
	case panicked != "":
		run.Class, run.Stderr = solvers.Crash, panicked
		run.Message = solvers.Normalize(strings.SplitN(panicked, "\n", 2)[0])
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		run.Class, run.Message = solvers.Timeout, "no answer in time"
	case ctx.Err() != nil:
		run.Class = solvers.Cancelled
	case int64(len(run.Stdout)) > r.limit:
		run.Class, run.Message = solvers.OutputLimit, "too much output"
	default:
		run.Class, run.Message = r.profile.Classify(solvers.Evidence{Errors: r.errors.String()})
	}
}
