package api

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// done turns a truth value into an outcome.
func done(ok bool) Outcome {
	if ok {
		return Done
	}
	return NotDone
}

// settable is the condition that targets have an option.
func settable(option string) Cond {
	return func(r *Walk) bool { return !r.Cfg.Lacks(rule.Option.Of(option)) }
}

// builtinActions are the actions that machines may take by their names.
var builtinActions = sync.OnceValue(func() map[string]*Action {
	out := map[string]*Action{}
	for _, a := range slices.Concat(creating(), solving(), asking(), further()) {
		out[a.Name] = a
	}
	return out
})

// BuiltinAction returns the compiled action of that name, nil if there is none.
func BuiltinAction(name string) *Action { return builtinActions()[name] }

// BuiltinActions returns the names of the compiled actions, sorted.
func BuiltinActions() []string { return slices.Sorted(maps.Keys(builtinActions())) }

// creating are the actions that set up a solver and make sorts and terms.
func creating() []*Action {
	return []*Action{
		{Name: "new", Doc: "open the solver", Do: func(r *Walk) Outcome {
			r.Add(solvers.Call{Kind: solvers.CallNew})
			return Done
		}},
		{Name: "delete", Doc: "close the solver", Do: func(r *Walk) Outcome {
			if r.checks == 0 { // a walk that asks nothing is a walk lost
				r.check(nil)
			}
			if r.second.open {
				r.Add(solvers.Call{Kind: solvers.CallDelete, Instance: 1})
				r.second = second{}
			}
			r.Add(solvers.Call{Kind: solvers.CallDelete})
			return Done
		}},
		{Name: "set-logic", Doc: "set the logic that the theories of the walk need", Do: func(r *Walk) Outcome {
			r.Command(smtlib.Command{Kind: smtlib.CmdSetLogic, Text: r.logic})
			return Done
		}},
		{Name: "set-option", Doc: "set an option: those that later calls need come first", Do: setOption},
		{Name: "mk-sort", Doc: "make a sort, and declare what it needs", Do: func(r *Walk) Outcome {
			return done(r.Gen.NewSort())
		}},
		{Name: "instantiate-sort", Doc: "make another instance of a parametric datatype", Needs: func(r *Walk) bool {
			return r.Gen.On["Datatypes"] && !r.Cfg.Gen.Rules.Lacks(rule.Sort.With("any", "sort-param"))
		}, Do: func(r *Walk) Outcome { return done(r.Gen.Instantiate()) }},
		{Name: "mk-const", Doc: "declare a constant", Do: func(r *Walk) Outcome { return done(r.Gen.NewConst() != 0) }},
		{Name: "declare-fun", Doc: "declare a function of one to four arguments", Needs: HasTheories("UF"),
			Do: func(r *Walk) Outcome { return done(r.Gen.NewFun()) }},
		{Name: "mk-var", Doc: "open a variable, to be bound by a later quantifier", Needs: HasTheories("Quantifiers"),
			Do: func(r *Walk) Outcome { return done(r.Gen.NewVar()) }},
		{Name: "mk-value", Doc: "make a literal: boundaries come often", Do: func(r *Walk) Outcome {
			return done(r.Gen.NewValue() != 0)
		}},
		{Name: "mk-special-value", Doc: "make a value by its name: zero, ones, NaN, an empty set, ...",
			Do: func(r *Walk) Outcome { return done(r.Gen.NewSpecial() != 0) }},
		{Name: "mk-term", Doc: "apply an operator to terms that are there", Do: func(r *Walk) Outcome {
			return done(r.Gen.NewTerm() != 0)
		}},
		{Name: "mk-fun", Doc: "define a function with a term that is there as its body", Do: func(r *Walk) Outcome {
			return done(r.Gen.DefineFun(false))
		}},
		{Name: "mk-fun-rec", Doc: "define a recursive function", Needs: HasTheories("Quantifiers", "Ints", "UF"),
			Do: func(r *Walk) Outcome { return done(r.Gen.DefineFun(true)) }},
		{Name: "term-get-children", Doc: "take a term apart and make it once more", Do: func(r *Walk) Outcome {
			t := r.Gen.Bool()
			if t == 0 || r.Gen.A.NumArgs(t) == 0 {
				return NotDone
			}
			for _, x := range r.Gen.A.CopyArgs(t) {
				if r.Gen.A.NumArgs(x) > 0 && r.Gen.A.Op(x) != smt.OpCase {
					r.Term(x)
				}
			}
			r.Term(t)
			return Done
		}},
	}
}

// solving are the actions that change the problem and ask about it.
func solving() []*Action {
	return []*Action{
		{Name: "assert-formula", Doc: "assert a formula, by its truth in the walk's assignment where one is known",
			Do: assertFormula},
		{Name: "pin", Doc: "assert that terms which nothing depends on yet have their values", Needs: func(r *Walk) bool {
			return r.Cfg.Truth != Unconstrained
		}, Do: pin},
		{Name: "plant", Doc: "assert a core that is refuted by construction", Needs: func(r *Walk) bool {
			return r.Cfg.Truth == ByBoth
		}, Do: plant},
		{Name: "check-sat", Doc: "ask for the answer", Do: func(r *Walk) Outcome { return r.check(nil) }},
		{Name: "check-sat-limited", Doc: "ask for the answer under a limit of time or resources", Needs: func(r *Walk) bool {
			return len(r.Cfg.Limits) > 0
		}, Do: checkLimited},
		{Name: "check-sat-assuming", Doc: "ask for the answer under one to five assumptions", Do: checkAssuming},
		{Name: "push", Doc: "open one to three assertion levels", Do: func(r *Walk) Outcome {
			return done(r.Push(1 + r.R.Intn(3)))
		}},
		{Name: "pop", Doc: "close one or more assertion levels", Do: func(r *Walk) Outcome {
			if r.Level() == 0 || r.Gen.DB.Level() > 0 {
				return NotDone
			}
			r.pop(1 + r.R.Intn(r.Level()))
			return Done
		}},
		{Name: "reset", Doc: "forget everything", Do: func(r *Walk) Outcome {
			r.Command(smtlib.Command{Kind: smtlib.CmdReset})
			r.forget()
			clear(r.options)
			return Done
		}},
		{Name: "reset-assertions", Doc: "forget assertions and declarations", Do: func(r *Walk) Outcome {
			r.Command(smtlib.Command{Kind: smtlib.CmdResetAssertions})
			r.forget()
			return Done
		}},
	}
}

// maxLevels bounds the assertion levels of a walk.
const maxLevels = 12

func (w *Walk) pop(n int) {
	w.Command(smtlib.Command{Kind: smtlib.CmdPop, N: n})
	w.closeLevels(n)
	w.Gen.Pop(n)
}

// forget drops assertions, declarations and terms.
func (w *Walk) forget() {
	w.forgetAssertions()
	w.Gen.Reset()
}

// assert adds an assertion; now and then it gets a name.
func (w *Walk) assert(t smt.Term) {
	a := w.Gen.A
	c := smtlib.AssertCommand(t)
	if names := w.options["produce-unsat-cores"] == "true" || w.options["produce-assignments"] == "true"; !w.Cfg.NoNames &&
		(names && w.R.Chance(0.7) || !names && w.R.Chance(0.02)) {
		name := "n" + strconv.Itoa(len(w.calls))
		c.Named = append(c.Named, a.Name(name, t))
		c.Terms = []smt.Term{a.Annotate(t, []smt.Attr{{Keyword: ":named", Value: name}})}
		w.stack.Add(namedFormula)
	}
	w.Gen.DB.Use(t)
	w.used[t] = true
	if a.Op(t) == smt.OpNot {
		w.used[a.Arg(t, 0)] = true
	}
	w.Command(c)
	w.stack.Add(assertedFormula)
	w.Changed()
}

// known returns a formula that holds in the walk's assignment: an existing term or its negation; 0 if none was found.
// If the truth of walks is unconstrained, it returns any term; otherwise it returns the one of two formulas with the
// greater bearing on the truth.
func (w formulas) known() smt.Term {
	var best smt.Term
	score := -1.0
	found := 0
	for range 8 {
		t := w.Gen.Bool()
		if t == 0 {
			return best
		}
		if (w.Gen.A.IsLiteral(t) || w.used[t]) && w.R.Chance(0.95) {
			continue
		}
		if w.Cfg.Truth == Unconstrained {
			return t
		}
		if v, ok := w.Gen.Ev.Holds(t); ok {
			if b := w.bearing(t); b > score {
				if best, score = t, b; !v {
					best = w.Gen.A.Not(t)
				}
			}
			if found++; found == knownChoices {
				break
			}
		}
	}
	return best
}

// knownChoices is the number of formulas that known compares.
const knownChoices = 2

func assertFormula(r *Walk) Outcome {
	t := formulas{r}.known()
	if t == 0 {
		return NotDone
	}
	r.assert(t)
	return Done
}

// check adds a check-sat, with assumptions that hold in the walk's assignment where one is known.
func (w *Walk) check(assumptions []smt.Term) Outcome {
	return w.checkFor(assumptions, w.Answer())
}

func (w *Walk) checkFor(assumptions []smt.Term, expected smtlib.Answer) Outcome {
	c := smtlib.Command{Kind: smtlib.CmdCheckSat}
	if assumptions != nil {
		c = smtlib.Command{Kind: smtlib.CmdCheckSatAssuming, Terms: assumptions}
	}
	return w.checkBy(c, assumptions, expected)
}

// checkBy adds a command that asks for an answer.
func (w *Walk) checkBy(c smtlib.Command, assumptions []smt.Term, expected smtlib.Answer) Outcome {
	w.Command(c)
	w.expect = append(w.expect, expected)
	w.checks++
	w.last = lastAnswer{Answer: expected, Checked: true, Assumed: assumptions != nil, Assuming: assumptions}
	return Done
}

func checkAssuming(r *Walk) Outcome {
	a := r.Gen.A
	var ts []smt.Term
	add := func(t smt.Term) {
		for _, x := range ts {
			if x == t || a.Op(x) == smt.OpNot && a.Arg(x, 0) == t || a.Op(t) == smt.OpNot && a.Arg(t, 0) == x {
				return
			}
		}
		ts = append(ts, t)
	}
	for range r.R.Range(1, 5) {
		// A truth value is simplified away before solvers record the assumptions.
		if t := (formulas{r}).assumption(); t != 0 && !a.IsLiteral(t) && !(a.Op(t) == smt.OpNot && a.IsLiteral(a.Arg(t, 0))) {
			add(t)
		}
	}
	if len(ts) == 0 {
		return NotDone
	}
	expected := r.Answer()
	switch {
	case r.Cfg.Truth == BySat || !r.R.Chance(0.4):
	case r.R.Bool() && formulas{r}.excludeTogether(ts):
		// All assumptions are needed: a solver that tracks fewer of them shows this in its core.
		if r.Cfg.Truth == ByBoth {
			expected = smtlib.Unsat
		}
	default:
		// One of them and its negation: the answer is unsat whatever else holds.
		t := ts[r.R.Intn(len(ts))]
		if a.Op(t) == smt.OpNot {
			ts = append(ts, a.Arg(t, 0))
		} else {
			ts = append(ts, a.Not(t))
		}
		r.R.Shuffle(len(ts), func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })
		if r.Cfg.Truth == ByBoth {
			expected = smtlib.Unsat
		}
	}
	for _, t := range ts {
		r.Gen.DB.Use(t)
	}
	return r.checkFor(ts, expected)
}

// excludeTogether asserts that some assumptions do not hold together. This is true in the walk's assignment: if all of
// them hold there, one is negated first. It returns false if there is only one assumption, or if it is not known which
// of them hold.
func (w formulas) excludeTogether(ts []smt.Term) bool {
	a := w.Gen.A
	all := true
	for _, t := range ts {
		holds, known := w.Gen.Ev.Holds(t)
		if !known {
			return false
		}
		all = all && holds
	}
	if len(ts) < 2 {
		return false
	}
	if all {
		i := w.R.Intn(len(ts))
		if a.Op(ts[i]) == smt.OpNot {
			ts[i] = a.Arg(ts[i], 0)
		} else {
			ts[i] = a.Not(ts[i])
		}
	}
	w.assert(a.Not(a.And(slices.Clone(ts)...)))
	return true
}

// assumption draws an assumption: a literal over a Boolean constant where targets want these.
func (w formulas) assumption() smt.Term {
	if !w.Cfg.Literals {
		return w.known()
	}
	a := w.Gen.A
	var fit []smt.Term
	for _, t := range w.Gen.DB.All(smt.SortBool) {
		if a.Op(t) == smt.OpApply && a.NumArgs(t) == 0 && a.SymbolInfo(a.SymbolOf(t)).Kind == smt.SymDeclared {
			fit = append(fit, t)
		}
	}
	var t smt.Term
	if len(fit) > 0 {
		t = fit[w.R.Intn(len(fit))]
	} else if t = w.Gen.ConstOf(smt.SortBool); t == 0 {
		return 0
	}
	if v, ok := w.Gen.Ev.Holds(t); w.Cfg.Truth == Unconstrained && w.R.Bool() || w.Cfg.Truth != Unconstrained && ok && !v {
		t = a.Not(t)
	}
	return t
}

// asking are the actions that ask for more than an answer.
func asking() []*Action {
	named := func(name, doc string, kind smtlib.Kind, option string, also Cond) *Action {
		return &Action{Name: name, Doc: doc, Needs: settable(option), Do: func(r *Walk) Outcome {
			if r.options[option] != "true" || also != nil && !also(r) {
				return NotDone
			}
			r.Command(smtlib.Command{Kind: kind})
			return Done
		}}
	}
	infos := []string{":name", ":version", ":authors", ":error-behavior", ":reason-unknown", ":assertion-stack-levels"}
	return []*Action{
		named("get-model", "ask for a model", smtlib.CmdGetModel, "produce-models",
			func(r *Walk) bool { return ModelKept(r) && r.hasModels() }),
		{Name: "get-value", Doc: "ask for the values of one to five terms", Do: getValue},
		named("get-unsat-core", "ask for an unsat core", smtlib.CmdGetUnsatCore, "produce-unsat-cores", nil),
		named("get-unsat-assumptions", "ask which assumptions are needed", smtlib.CmdGetUnsatAssumptions,
			"produce-unsat-assumptions", Assumed),
		named("get-assertions", "ask for the assertions", smtlib.CmdGetAssertions, "produce-assertions", nil),
		named("get-assignment", "ask for the truth of named formulas", smtlib.CmdGetAssignment, "produce-assignments",
			func(r *Walk) bool { return r.has(namedFormula) && ModelKept(r) }),
		named("get-proof", "ask for a proof", smtlib.CmdGetProof, "produce-proofs", nil),
		{Name: "get-info", Doc: "ask about the solver", Do: func(r *Walk) Outcome {
			r.Command(smtlib.Command{Kind: smtlib.CmdGetInfo, Name: infos[r.R.Intn(len(infos))]})
			return Done
		}},
		{Name: "get-option", Doc: "ask for the value of an option", Do: func(r *Walk) Outcome {
			r.Command(smtlib.Command{Kind: smtlib.CmdGetOption, Name: ":produce-models"})
			return Done
		}},
		{Name: "echo", Doc: "let the solver print a text", Do: func(r *Walk) Outcome {
			text := []string{`"echo"`, `""`, `"a ""b"" c"`, `"( ;"`}[r.R.Intn(4)]
			if r.Cfg.NoQuotes {
				text = strings.ReplaceAll(text, `""`, "")
			}
			if text == "" {
				text = `"echo"`
			}
			r.Command(smtlib.Command{Kind: smtlib.CmdEcho, Text: text})
			return Done
		}},
	}
}

func getValue(r *Walk) Outcome {
	if !r.hasModel() { // before terms are drawn
		return NotDone
	}
	var ts []smt.Term
	for range r.R.Range(1, 5) {
		if t := r.Gen.TermFor(); t != 0 {
			ts = append(ts, t)
		}
	}
	if len(ts) == 0 {
		return NotDone
	}
	return done(r.GetValue(ts))
}
