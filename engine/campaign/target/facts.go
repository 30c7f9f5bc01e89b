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

// factsVersion is incremented when the questions change, so that solvers are asked again.
const factsVersion = "8"

// factsTime bounds the time for asking solvers which input they accept. This usually takes seconds, on a busy machine a
// minute. Asking that exceeds the limit resumes at that point the next time.
const factsTime = 15 * time.Minute

// learnedFacts has the answers of a target to questions about which input it accepts.
type learnedFacts struct {
	Facts  *solvers.Facts
	Answer *testcase.Answer // as cases record it
}

// LearnFacts asks targets which input they accept, unless the cache or the table of known builds has the answers.
// Recorded answers, if given, replace all of these, even where they say nothing because the case was made before facts
// were learned. The error is a learn.Unfinished unless everything was learned about all targets: the facts decide which
// cases are made, so they must not depend on time. Another call continues where this one stopped.
func LearnFacts(ctx context.Context, targets []*Solver, cache *memo.Cache, given testcase.Answers) error {
	return learnFacts(ctx, targets, cache, given, knownFacts)
}

// AskFacts is LearnFacts that always asks, ignoring the cache and the table of known builds.
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
		// A case that is made again must use the facts recorded when it was first made.
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

// newLearning returns the progress of asking some solvers. Several of them may be the same build in different modes.
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

// asked counts a question and returns the overall progress as text.
func (l *learning) asked() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.questions++
	return l.String()
}

// finished notes that a solver has been asked everything, and returns the overall progress as text.
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

// inquiry asks a solver which input it accepts. The cache keeps the result and, while questions remain, the replies so
// far.
type inquiry struct {
	solver *Solver
	cache  *memo.Cache
}

// keepEvery is the interval at which replies are saved. A killed process loses at most the replies of this time.
const keepEvery = 5 * time.Second

// answer asks the solver which input it accepts and returns the facts as text. If an earlier attempt was stopped, its
// replies are read from the cache. Replies are saved there from time to time, and when asking is stopped again.
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

// learned stores the facts encoded in text in the solver. It ignores a text that is empty or cannot be decoded.
func (s *Solver) learned(text string) {
	f := &solvers.Facts{}
	if text == "" || json.Unmarshal([]byte(text), f) != nil {
		return
	}
	s.Learned = &learnedFacts{f, testcase.NewAnswer(testcase.WhatItTakes, "what it takes", s.AskerName(), testcase.WhatItTakes, text)}
	s.Found = s.Found.Learned(f)
}

// deathsAsked is the number of first cases of a technique that may be questions that killed a target.
const deathsAsked = 16

// Question is the script name of a case that is such a question.
const Question = "question"

// Deadly returns the names of the shapes that killed targets while these were asked about them. turns says that each
// case is made for one product.
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

// QuestionItDiedOf returns, for one of the first cases of a technique, the script of a question that killed one of the
// targets while facts were learned, so that it becomes a finding like any other. It returns "" for all other cases.
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

// FactsOf returns the learned facts of targets in the form that cases record.
func FactsOf(targets []*Solver) (facts []*testcase.Answer) {
	for _, t := range Plain(targets) {
		if t.Learned != nil {
			facts = append(facts, t.Learned.Answer)
		}
	}
	return facts
}

// Excluded returns the features that API fuzzing leaves out for the solver, according to its profile. If the solver was
// asked, its answers replace the missing features that the profile lists.
func (s *Solver) Excluded() []rule.Lack { return slices.Concat(s.Lacks(), s.Found.Avoids()) }

// Lacks returns the features that the solver does not accept: by its own answers if it was asked, otherwise by its
// profile.
func (s *Solver) Lacks() []rule.Lack {
	lacks := s.Found.Lacks()
	if s.Learned != nil {
		lacks = s.Learned.Facts.Merge(lacks)
	}
	return lacks
}

// key returns the cache key of the facts: the build with its options, and the profile that the questions are derived
// from.
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

// build returns the hash of the build or, if that is unknown, the solver's stamp.
func (q inquiry) build() string {
	if info := q.solver.Found.Build(); info != nil {
		return info.SHA256
	}
	return q.solver.Stamp()
}

// ask asks all questions that the journal has no reply to. It calls tell before each question.
func (q inquiry) ask(ctx context.Context, journal *learn.Journal, tell func()) (*solvers.Facts, error) {
	s := q.solver
	interview := s.Interview()
	defer interview.Close()
	reply := learn.Asker(journal.Through(func(ctx context.Context, script string, patience int) (learn.Reply, error) {
		tell()
		return interview.reply(ctx, script, patience)
	}))
	p, excluded, avoided := s.Found.Profile, s.Found.Lacks(), s.Found.Avoids()
	if len(p.Logics) > 0 { // the questions are phrased in other logics
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
	// Try one simple question first: a solver that hangs would otherwise cost the full time limit for each question.
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

// redeclare asks whether a name can be declared with another sort after its assertion level was popped. It uses the
// first of several declarations that the solver accepts without the redeclaration.
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

// reply runs a script and returns the result. An error in reply to a get- command counts like an error for any other
// command.
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
			if v == "" { // the library provides no text for this value, which proves nothing
				r.Class, r.Message = solvers.Garbage, "no reply"
			}
		}
	}
	return r, nil
}
