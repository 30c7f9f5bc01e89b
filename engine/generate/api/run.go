package api

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Certainty determines which facts are known about the answers of a walk's cases.
type Certainty uint8

// The kinds of truth. BySat asserts only formulas that hold in the walk's assignment, so that no check-sat may answer
// unsat. ByBoth does so as well, and now and then plants a core that is refuted in that assignment and pinned to it, so
// that check-sat may not answer sat while it is there.
const (
	Unconstrained Certainty = iota
	BySat
	ByBoth
)

// WalkConfig is the input of a walk beside its machine.
type WalkConfig struct {
	Machine *Machine
	Gen     gen.Config
	Truth   Certainty
	// Options are the options that set-option may set beside those of SMT-LIB; nil: those only.
	Options *OptionModel
	// Actions are the names of actions that targets cannot do: never taken.
	Without []rule.Lack
	// Limits are options that bound a check, which can be set at any time; 0 lifts them.
	Limits []rule.Limit
	// AllTheories keeps all theories in every walk; else each walk leaves a random number of them out.
	AllTheories bool
	// Host is for the conditions and actions of a campaign file.
	Host any
	// Literals: assumptions are Boolean constants and their negations only.
	Literals bool
	// NoNames: assertions get no names.
	NoNames bool
	// NoQuotes: the texts that solvers echo have no quotes.
	NoQuotes bool
	// Laws disguise planted cores; nil: arguments change places, no more.
	Laws *rewrite.Rules
}

// Walk is a walk of a machine: the calls so far and the known facts about them.
type Walk struct {
	Gen *gen.Gen
	R   *rng.Source
	Cfg *WalkConfig

	recording
	solverState
	expect []smtlib.Answer
	nested int // actions inside each other
	second second
	// pinning: constants are pinned to their values together with the terms over them.
	pinning   bool
	laws      *rewrite.Stepper
	disguises []Disguise
	// once is set if a theory of the walk is accepted only with a single check-sat; see gen.Exclusions.Once.
	once  bool
	Stats map[string]*runCount
}

// runCount counts an action.
type runCount struct{ Tried, Done int }

// If the configuration does not bound the width of bit vectors, the bound is 64, and wideWidth in some walks.
const (
	wideWidth = 200
	wideWalks = 0.1
)

// pinningWalks is the share of walks in which constants are pinned together with the terms over them.
const pinningWalks = 0.75

// usualCalls is room for the calls of most walks.
const usualCalls = 192

// NewWalk makes a case: it walks the machine from its first to its last state. The random numbers are those of r alone.
func NewWalk(a *smt.Arena, r *rng.Source, cfg *WalkConfig) (*Walk, error) {
	w := &Walk{R: r, Cfg: cfg, recording: recording{seeds: r.SplitString("seeds"),
		calls: make([]solvers.Call, 0, usualCalls)},
		Stats: map[string]*runCount{}, solverState: solverState{options: map[string]string{}, used: map[smt.Term]bool{}}}
	own := cfg.Gen
	if own.MaxWidth == 0 && r.SplitString("width").Chance(wideWalks) {
		own.MaxWidth = wideWidth
	}
	g, err := gen.New(a, r.SplitString("terms"), own, w)
	if err != nil {
		return nil, err
	}
	w.Gen = g
	walker := walker{Walk: w, edges: map[*State][]*edge{}}
	if !cfg.AllTheories {
		walker.chooseTheories()
	}
	walker.setLogic()
	w.once = cfg.Gen.Rules.Once(g.On)
	w.pinning = r.SplitString("pinning").Chance(pinningWalks)
	g.Swarm()
	walker.walk()
	return w, nil
}

// chooseTheories leaves a random number of the theories out; one stays beside the core.
func (w *walker) chooseTheories() {
	var on []string
	for _, t := range gen.TableTheories() {
		// were asked for
		if t == "ArraysEx" && w.Gen.On[gen.ArrayFunctions] || t == gen.HigherOrder || t == gen.ArrayFunctions {
			continue
		}
		if w.Gen.On[t] && !w.Cfg.Gen.Rules.Always(t) && t != "Core" && t != "Arith" && t != "Reals_Ints" &&
			t != "BitVectorExtensions" && t != "StringExtensions" && t != "FloatingPointExtensions" {
			on = append(on, t)
		}
	}
	if len(on) == 0 {
		return
	}
	w.R.Shuffle(len(on), func(i, j int) { on[i], on[j] = on[j], on[i] })
	drop := w.R.Intn(len(on))
	if len(on) == 1 && len(w.Gen.On) > 2 && w.R.Bool() { // beside a theory that is always there
		drop = 1
	}
	for _, t := range on[:drop] {
		if t == "Ints" && (w.Gen.On["Strings"] || w.Gen.On["Sequences"] || w.Gen.On["Sets"] || w.Gen.On["Bags"]) {
			continue
		}
		w.Gen.Disable(t)
	}
}

// setLogic derives the logic's name. If targets support some operators of a theory only in the logic ALL, the logic is
// ALL. Half of the time, extensions of another theory are left out instead, so that the logic of that theory comes up,
// too.
func (w *walker) setLogic() {
	all := false
	for _, l := range w.Cfg.Gen.Rules.Exclude {
		t, ok := l.Of, l.Kind == rule.LogicAll
		switch {
		case ok && t == gen.ConstantArrays: // outside of ALL walks do without them
			all = all || w.Gen.On["ArraysEx"] && w.R.Bool()
		case !ok || !gen.AllOn(w.Gen.On, t):
		case strings.HasSuffix(t, "Extensions") && w.R.Bool():
			w.Gen.Disable(t)
		default:
			all = true
		}
	}
	w.logic = gen.Logic(w.Gen.On, w.Gen.Cfg.Linear)
	if !all {
		w.logic = w.Cfg.Gen.Rules.KnownLogic(w.Gen.On, w.Gen.Cfg.Linear)
	}
	if all && !(logic.PlainStrings(w.logic) && !w.Gen.On["BitVectorExtensions"] && !w.Gen.On["StringExtensions"]) {
		w.logic = "ALL"
	}
	w.Gen.ForLogic(w.logic)
}

// oneCheckActions lead to the only check-sat of a walk.
var oneCheckActions = []string{"", "new", "set-logic", "mk-sort", "instantiate-sort", "mk-const", "declare-fun",
	"mk-var", "mk-value", "mk-special-value",
	"mk-term", "mk-fun", "mk-fun-rec", "term-get-children", "assert-formula", "pin", "plant", "check-sat", "delete"}

// inOneCheck reports whether an action is taken in a walk with one check-sat: it asks for nothing else, and needs no
// solver that goes on after a check.
func inOneCheck(action string) bool { return slices.Contains(oneCheckActions, action) }

// conflicts reports whether an action is not taken together with an option that is set.
func (w *Walk) conflicts(action string) bool {
	if action == "" || w.Cfg.Options == nil {
		return false
	}
	for _, pair := range w.Cfg.Options.Conflicts {
		if pair[1] == action && w.options[pair[0]] == "true" {
			return true
		}
	}
	return false
}

// doAction does an action and counts it, be it that of a transition or a part of another action.
func (w *Walk) doAction(a *Action) Outcome {
	c := w.Stats[a.Name]
	if c == nil {
		c = &runCount{}
		w.Stats[a.Name] = c
	}
	c.Tried++
	if a.Needs != nil && !a.Needs(w) {
		return Never
	}
	outer := w.action
	w.action = a.Name
	out := a.Do(w)
	w.action = outer
	if out == Done {
		c.Done++
	}
	return out
}

// Command adds the call of a command. It is part of gen.Sink.
func (w *Walk) Command(c smtlib.Command) {
	if c.Kind == smtlib.CmdDeclareConst || c.Kind == smtlib.CmdDeclareFun {
		w.inputs++
	}
	w.Add(solvers.CommandCall(c))
}

// Answer returns the answer that the current problem must not contradict; None if it is not known.
func (w *Walk) Answer() smtlib.Answer {
	switch {
	case w.Cfg.Truth == Unconstrained:
		return smtlib.None
	case w.has(refutedCore):
		return smtlib.Unsat
	case w.has(unsettled):
		return smtlib.None
	}
	return smtlib.Sat
}

// Trace returns the calls as a trace.
func (w *Walk) Trace(notes ...string) *solvers.Trace {
	return &solvers.Trace{Arena: w.Gen.A, Calls: w.calls, Notes: notes}
}

// Case returns the walk as a test case.
func (w *Walk) Case(name string, notes ...string) *testcase.Case {
	c := testcase.FromTrace(name, w.Trace(notes...))
	c.Expect = w.expect
	if w.Cfg.Truth != Unconstrained {
		c.Witness = w.witness()
	}
	return c
}

// witness is the assignment, without the unknown values.
func (w *Walk) witness() *model.Model { return w.Gen.Model }

// Unknown notes that an action of a campaign file ran: it leaves the problem as it was, but the latest check-sat is not
// the walk's own any more.
func (w *Walk) Unknown() { w.Changed() }
