package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/hazard"
	"github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/generate/probe"
	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/learn"
	"github.com/smtlark/smtlark/solvers/rule"
)

// factsVersion grows when other questions are asked: what was learned before is asked anew.
const factsVersion = "8"

// factsTime bounds the asking of solvers what they take. It takes seconds, on a busy machine a minute. Asking that has
// not finished by then is resumed at that point the next time.
const factsTime = 15 * time.Minute

// learnedFacts has the answers of a target to questions about what it takes.
type learnedFacts struct {
	Facts  *solvers.Facts
	Answer *testcase.Answer // as cases record it
}

// LearnFacts asks targets what they take, unless the cache or the table of known builds says it, or the recorded
// answers do: those of a case that was made before anything was learned say nothing. All is learned of all of them, or
// the error is that of a learn.Unfinished: what a target takes decides which cases are made, and no clock may do that.
// Calling it again goes on from there.
func LearnFacts(ctx context.Context, targets []*Solver, cache *memo.Cache, given testcase.Answers) error {
	return learnFacts(ctx, targets, cache, given, knownFacts)
}

// AskFacts is LearnFacts that asks whatever is known of builds.
func AskFacts(ctx context.Context, targets []*Solver, cache *memo.Cache) error {
	for _, s := range targets {
		cache.Forget(inquiry{s, cache}.key())
	}
	return learnFacts(ctx, targets, cache, nil, askAnyhow)
}

func learnFacts(ctx context.Context, targets []*Solver, cache *memo.Cache, given testcase.Answers, known func(*Solver) (string, bool)) error {
	targets = Plain(targets)
	var ask []*Solver
	for _, s := range targets {
		key := inquiry{s, cache}.key()
		// A case that is made again is made with what the builds were found to take then.
		if given != nil {
			if a := given.Find(testcase.WhatItTakes, s.AskerName(), testcase.WhatItTakes); a != nil {
				s.learned(a.Text)
			}
		} else if text, ok := cache.Get(key); ok {
			s.learned(text)
		} else if text, ok := known(s); ok {
			s.learned(text)
		} else {
			ask = append(ask, s)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	progress := newLearning(ask)
	defer account.Begin(ctx, account.Options, progress.String())()
	limited, cancel := context.WithTimeoutCause(ctx, factsTime, fmt.Errorf("that takes longer than %v", factsTime))
	defer cancel()
	texts, errs := make([]string, len(ask)), make([]error, len(ask))
	var wait sync.WaitGroup
	for i, s := range ask {
		wait.Go(func() {
			question := inquiry{s, cache}
			texts[i], errs[i] = cache.Once(question.key(), func() (string, error) {
				return question.answer(limited, func() { account.Next(ctx, progress.asked()) })
			})
			account.Say(ctx, progress.finished(s))
		})
	}
	wait.Wait()
	for i, s := range ask {
		s.learned(texts[i])
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(errs...)
}

// learning counts the questions to several builds and says which build is being asked.
type learning struct {
	mu        sync.Mutex
	questions int
	builds    []string // their names
	open      map[string]int
}

// newLearning returns the progress of asking solvers, of which several may be one build in several modes.
func newLearning(ask []*Solver) *learning {
	l := &learning{open: map[string]int{}}
	for _, s := range ask {
		name := buildName(s)
		if l.open[name] == 0 {
			l.builds = append(l.builds, name)
		}
		l.open[name]++
	}
	return l
}

func buildName(s *Solver) string {
	return strings.TrimSpace(s.Found.Profile.Name + " " + s.Found.Version)
}

// asked counts a question and says how far all is.
func (l *learning) asked() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.questions++
	return l.String()
}

// finished notes that a solver was asked all, and says how far all is.
func (l *learning) finished(s *Solver) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[buildName(s)]--
	return l.String()
}

// String names the first build that is still being asked.
func (l *learning) String() string {
	at := max(0, slices.IndexFunc(l.builds, func(name string) bool { return l.open[name] > 0 }))
	var parts []string
	if n := len(l.builds); n > 1 {
		parts = append(parts, fmt.Sprintf("%d of %d builds", at+1, n))
	}
	if l.questions > 0 {
		parts = append(parts, fmt.Sprintf("question %d", l.questions))
	}
	text := "learning what " + l.builds[at] + " supports"
	if parts != nil {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text
}

// inquiry asks a solver what it takes. The cache keeps what it said, and its replies while there are further ones to
// come.
type inquiry struct {
	solver *Solver
	cache  *memo.Cache
}

// keepEvery bounds the time whose replies are lost with a process that is killed.
const keepEvery = 5 * time.Second

// answer asks the solver what it takes and returns the text of it. If asking was stopped before, its replies are taken
// from the cache. Replies are saved there from time to time, and when asking is stopped again.
func (q inquiry) answer(ctx context.Context, tell func()) (string, error) {
	key, cache := "replies\x00"+q.key(), q.cache
	kept, _ := cache.Get(key)
	journal := learn.ReadJournal(kept)
	last := time.Now()
	f, err := q.ask(ctx, journal, func() {
		if time.Since(last) >= keepEvery {
			cache.Replace(key, journal.Text())
			last = time.Now()
		}
		tell()
	})
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		cache.Replace(key, journal.Text())
		return "", &learn.Unfinished{Solver: q.solver.Found.Name, Replies: journal.Len(), Because: err}
	}
	cache.Forget(key)
	text, err := json.Marshal(f)
	return string(text), err
}

// learned takes in what was learned; a text that is none counts as nothing.
func (s *Solver) learned(text string) {
	f := &solvers.Facts{}
	if text == "" || json.Unmarshal([]byte(text), f) != nil {
		return
	}
	s.Learned = &learnedFacts{f, testcase.NewAnswer(testcase.WhatItTakes, "what it takes", s.AskerName(), testcase.WhatItTakes, text)}
	s.Found = s.Found.Learned(f)
}

// deathsAsked bounds the first cases of a technique that may be questions that ended a target.
const deathsAsked = 16

// Question is the name of the script of such a case.
const Question = "question"

// Deadly returns the names of the shapes that killed targets when they were asked. turns reports whether each case is
// made for one product.
func Deadly(targets []*Solver, turns bool) (entries []string) {
	for _, s := range Plain(targets) {
		if s.Learned == nil {
			continue
		}
		product := ""
		if turns {
			product = s.Product()
		}
		for _, d := range s.Learned.Facts.Dies {
			if e := hazard.Entry(d.Lack, product); hazard.Avoidable(d.Lack) && !slices.Contains(entries, e) {
				entries = append(entries, e)
			}
		}
	}
	return entries
}

// QuestionItDiedOf returns, for one of the first cases of a technique, the script of a question that ended one of the
// targets when it was asked what it takes, so that this becomes a finding like any other; "" for all other cases.
func QuestionItDiedOf(targets []*Solver, number uint64) string {
	if number >= deathsAsked {
		return ""
	}
	var scripts []string
	for _, s := range Plain(targets) {
		if s.Learned == nil {
			continue
		}
		for _, d := range s.Learned.Facts.Dies {
			scripts = append(scripts, d.Script)
		}
	}
	if scripts == nil {
		return ""
	}
	return scripts[number%uint64(len(scripts))]
}

// FactsOf returns what targets said of themselves, as cases record it.
func FactsOf(targets []*Solver) (facts []*testcase.Answer) {
	for _, t := range Plain(targets) {
		if t.Learned != nil {
			facts = append(facts, t.Learned.Answer)
		}
	}
	return facts
}

// Excluded returns what API fuzzing leaves out for the solver, by its profile; if the solver was asked, its own answers
// replace what the profile says it lacks.
func (s *Solver) Excluded() []rule.Lack { return slices.Concat(s.Lacks(), s.Found.Avoids()) }

// Lacks returns what the solver does not accept: by its own answers if it was asked, otherwise by its profile.
func (s *Solver) Lacks() []rule.Lack {
	lacks := s.Found.Lacks()
	if s.Learned != nil {
		lacks = s.Learned.Facts.Merge(lacks)
	}
	return lacks
}

// key returns the key under which facts are kept: the build with its options, and the profile that they are held
// against.
func (q inquiry) key() string {
	s, p := q.solver, q.solver.Found.Profile
	declared := p.Theories
	if s.Learned != nil && s.Learned.Facts.Theories != nil {
		declared = nil
	}
	args := s.Found.Args
	if s.Opt.Mode == solvers.Native { // they have the path of the library, which the build stands for
		args = nil
	}
	version := factsVersion
	if len(declared) == 0 {
		version += " with theories"
	}
	return strings.Join([]string{"takes " + version, s.AskerName(), q.build(), fmt.Sprint(s.Opt.Mode == solvers.Native), p.Name, fmt.Sprint(declared, s.Found.Lacks(), s.Found.Avoids(), p.Args, args)}, "\x00")
}

// build is the hash of the build, or what else tells it from others.
func (q inquiry) build() string {
	if info := q.solver.Found.Build(); info != nil {
		return info.SHA256
	}
	return q.solver.Stamp()
}

// ask asks all questions that the journal has no reply to. Each question is told.
func (q inquiry) ask(ctx context.Context, journal *learn.Journal, tell func()) (*solvers.Facts, error) {
	s := q.solver
	interview := s.Interview()
	defer interview.Close()
	reply := learn.Asker(journal.Through(func(ctx context.Context, script string, patience int) (learn.Reply, error) {
		tell()
		return interview.reply(ctx, script, patience)
	}))
	p, excluded, avoided := s.Found.Profile, s.Found.Lacks(), s.Found.Avoids()
	if len(p.Logics) > 0 { // the questions are told in others
		return &solvers.Facts{}, nil
	}
	head := "(set-logic ALL)\n"
	if slices.Contains(excluded, rule.Logic.Of("ALL")) {
		head = ""
	}
	theories, learned := p.Theories, []string(nil)
	if len(theories) == 0 {
		if r, err := reply(ctx, head+learn.Control, 1); err != nil {
			return nil, err
		} else if !r.WasTaken() { // it knows no logic ALL
			head = ""
		}
		var err error
		learned, err = probe.Theories(p.Name, head, func(script string) (bool, error) {
			r, err := reply(ctx, script, 1)
			return r.WasTaken(), err
		})
		if err != nil {
			return nil, err
		}
		theories = learned
	}
	questions, err := probe.Questions(p.Name, theories, head)
	if err != nil {
		return nil, err
	}
	questions = slices.Concat(probe.SortQuestions(theories, head, "(set-option :produce-models true)\n"), questions, api.CommandQuestions(p.APIActions, head), api.LogicQuestions(theories, slices.Concat(excluded, avoided)))
	questions = slices.DeleteFunc(questions, func(question learn.Question) bool {
		return slices.Contains(avoided, question.Lack)
	})
	// A solver that waits for something that does not come would be waited for at each question.
	control, err := reply(ctx, learn.Control, 1)
	if err != nil {
		return nil, err
	} else if control.Class == solvers.Timeout {
		return &solvers.Facts{Unasked: len(questions)}, nil
	}
	f, err := learn.Ask(ctx, questions, excluded, p.HasReset && !slices.Contains(excluded, rule.Action.Of("reset")), reply)
	if err != nil {
		return nil, err
	}
	f.Theories = learned
	refuses, asked, err := api.LearnOptions(p.APIActions, f.Merge(excluded), head, func(script string) (bool, error) {
		r, err := reply.Patiently(ctx, script)
		return r.WasTaken(), err
	})
	if err != nil {
		return nil, err
	}
	for _, l := range refuses {
		// A conflict is the same one in either order.
		if l.Kind == rule.Conflict && slices.Contains(excluded, rule.Conflict.With(l.With, l.Of)) {
			continue
		}
		if !slices.Contains(excluded, l) && !slices.Contains(avoided, l) {
			f.Refuses = append(f.Refuses, solvers.Refused{Lack: l})
		}
	}
	for _, l := range asked {
		if slices.Contains(excluded, l) && !slices.Contains(refuses, l) {
			f.Takes = append(f.Takes, l)
		}
	}
	if control.WasRefused() {
		if r, err := reply(ctx, "(set-logic ALL)\n"+learn.Control, 1); err != nil {
			return nil, err
		} else if r.WasTaken() {
			f.Refuses = append(f.Refuses, solvers.Refused{Lack: rule.Feature.Of(rule.NoLogic), Message: control.Message})
		}
	}
	if r, err := redeclare(ctx, reply, head); err != nil {
		return nil, err
	} else if r.WasRefused() {
		f.Refuses = append(f.Refuses, solvers.Refused{Lack: rule.Feature.Of(rule.ScopedDeclarations), Message: r.Message})
	}
	f.Refuses = slices.DeleteFunc(f.Refuses, func(r solvers.Refused) bool { return slices.Contains(excluded, r.Lack) })
	return f, nil
}

// redeclare asks whether a name can be declared with another sort after its assertion level was popped. It tries
// several declarations, and the first one that the solver accepts without the redeclaration counts.
func redeclare(ctx context.Context, ask learn.Asker, head string) (r learn.Reply, err error) {
	for _, first := range []string{
		"(declare-const NAME Int)", "(declare-const NAME (_ BitVec 9))", "(declare-const NAME Real)", "(declare-fun NAME (Bool) Bool)",
	} {
		script := func(name string) string {
			return head + "(push 1)\n" + strings.Replace(first, "NAME", name, 1) + "\n(check-sat)\n(pop 1)\n" +
				"(declare-const again Bool)\n(assert again)\n(check-sat)\n"
		}
		if r, err = ask.Patiently(ctx, script("once")); err != nil {
			return r, err
		}
		if r.WasTaken() {
			return ask.Patiently(ctx, script("again"))
		}
	}
	return learn.Reply{}, nil // it has no levels, or none of the sorts
}

// reply asks a script and reports the result of it: a reply to a get- command that is an error counts like one to any
// other.
func (i *Interview) reply(ctx context.Context, script string, patience int) (learn.Reply, error) {
	parsed, err := smtlib.Parse("question", []byte(script), smt.NewArena())
	if err != nil {
		return learn.Reply{}, fmt.Errorf("a question of smtlark itself cannot be read: %w\n%s", err, script)
	}
	run, err := i.ask(ctx, solvers.FromScript(parsed), patience)
	if err != nil {
		return learn.Reply{}, err
	}
	r := learn.Reply{Class: run.Class, Message: run.Message}
	if r.Class != solvers.OK {
		if r.Message == "" {
			r.Message = r.Class.String()
		}
		return r, nil
	}
	if !refusesSetting(run) || strings.HasPrefix(script, "(set-logic") { // after a logic that it does not know it goes on as with ALL
		r.Message = ""
	}
	for _, v := range run.Values {
		if v = strings.TrimSpace(v); v == "" || v == "unsupported" || strings.HasPrefix(v, "(error") {
			r.Message = solvers.Normalize(v)
			if v == "" { // a library has no text for it: that says nothing
				r.Class, r.Message = solvers.Garbage, "no reply"
			}
		}
	}
	return r, nil
}
