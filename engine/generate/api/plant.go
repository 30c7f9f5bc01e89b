package api

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// formulas chooses and makes formulas whose truth in the walk's assignment is known.
type formulas struct{ *Walk }

// plant asserts a core that is refuted by construction, in one of two ways. Either all constants of a formula are
// pinned to their values in the walk's assignment, and the formula (or its negation, as is false there) is asserted
// with them: the pins leave one value of the formula, which is false. Or plant asserts a formula and the negation of
// another one with the same value, or that two terms with the same value differ. Whatever is asserted is disguised by
// laws.
func plant(r *Walk) Outcome {
	choose := formulas{r}
	core := choose.pinned()
	if core == nil || r.R.Chance(0.4) {
		if other := choose.complement(); other != nil {
			core = other
		}
	} else {
		core = choose.disguised(core)
	}
	if core == nil {
		return NotDone
	}
	r.R.Shuffle(len(core), func(i, j int) { core[i], core[j] = core[j], core[i] })
	for _, t := range core {
		r.assert(t)
	}
	r.stack.Add(refutedCore)
	return Done
}

// pinned returns a formula that is false in the walk's assignment, with equations that pin all its constants to their
// values there. Formulas over functions and over sorts without literals are left out; so are quantified ones, to keep
// the core easy.
func (w formulas) pinned() []smt.Term {
	a := w.Gen.A
	for range 6 {
		t := w.Gen.Bool()
		if w.R.Bool() {
			t = w.valueClaim()
		}
		if t == 0 || a.IsLiteral(t) || len(a.FreeVars(t)) > 0 {
			continue
		}
		v, ok := w.Gen.Ev.Holds(t)
		if !ok {
			continue
		}
		if v {
			t = a.Not(t)
		}
		if core := w.pins(t); core != nil {
			return append(core, t)
		}
	}
	return nil
}

// pins returns the equations for the constants of a formula; nil if one of them cannot be pinned.
func (w formulas) pins(t smt.Term) []smt.Term {
	a := w.Gen.A
	core := []smt.Term{}
	for _, f := range a.Symbols(t) {
		info := a.SymbolInfo(f)
		switch info.Kind {
		case smt.SymConstructor:
			continue
		case smt.SymDeclared:
		default:
			return nil // selectors and definitions may be open somewhere
		}
		if len(info.Params) > 0 || slices.Contains([]smt.SortKind{smt.KindArray, smt.KindUser, smt.KindRegLan, smt.KindFunc},
			a.SortKind(info.Result)) {
			return nil
		}
		v, ok := w.Gen.Model.Value(f)
		if !ok {
			return nil
		}
		lit, err := value.ToTerm(a, v)
		if err != nil || a.Sort(lit) != info.Result || !w.Gen.Takes(lit) {
			return nil
		}
		if a.SortKind(info.Result) == smt.KindBool {
			if b, _ := v.Bool(); b {
				core = append(core, a.Const(f))
			} else {
				core = append(core, a.Not(a.Const(f)))
			}
			continue
		}
		core = append(core, a.Eq(a.Const(f), lit))
	}
	return core
}

// complement returns a formula and the negation of an equivalent one, or the claim that two terms differ that have the
// same value.
func (w formulas) complement() []smt.Term {
	a := w.Gen.A
	if w.stepper() != nil && w.R.Bool() {
		if t := w.anyTerm(); t != 0 {
			if other := w.disguise(t, []smt.Term{t}); other != t {
				return []smt.Term{a.MustApp(smt.OpDistinct, t, other)}
			}
		}
	}
	t := w.Gen.Bool()
	if t == 0 || a.NumArgs(t) == 0 || len(a.FreeVars(t)) > 0 {
		return nil
	}
	other := w.disguise(t, []smt.Term{t})
	if v, ok := w.Gen.Ev.Holds(t); ok && !v {
		t, other = other, t // the one that holds is asserted, so that the other part is the false one
	}
	return []smt.Term{t, a.Not(other)}
}

// pin asserts that terms which nothing depends on yet have the values that they have in the walk's assignment: most
// terms are otherwise never asserted, or lie below others that hide a wrong value.
//
// Values of many terms at once are hard to meet for a solver that has to search. So there are walks in which it need
// not: the constants that the terms have are pinned with them. In the others one term is pinned now and then.
func pin(r *Walk) Outcome {
	most := 1
	if r.pinning {
		terms := 0
		for range r.Gen.DB.Applications() {
			terms++
		}
		most = max(maxClaims, terms/3)
	} else if r.R.Chance(0.75) {
		return NotDone
	}
	outcome := NotDone
	for n := r.R.Range(1, most); n > 0; n -= maxClaims {
		if (formulas{r}).pinSome(min(n, maxClaims)) {
			outcome = Done
		}
	}
	return outcome
}

// maxClaims bounds the values that one assertion of pin is about.
const maxClaims = 10

// pinSome adds an assertion about the values of some terms; false: none was found.
func (w formulas) pinSome(n int) bool {
	var claims []smt.Term
	for range n {
		t := w.valueClaim()
		if t == 0 || w.used[t] {
			continue
		}
		also := []smt.Term{t}
		if w.pinning {
			pins := w.pins(t)
			if pins == nil { // over functions, or sorts without literals: left to be free, they cost solvers a search
				continue
			}
			also = append(pins, t)
		}
		for _, claim := range also {
			if !slices.Contains(claims, claim) {
				claims = append(claims, claim)
			}
		}
	}
	if len(claims) == 0 {
		return false
	}
	all := w.Gen.A.And(claims...)
	if !w.holdsAlone(all) {
		return false
	}
	w.assert(all)
	return true
}

// holdsAlone reports whether a formula of claims that hold is known to hold by one question. The walk's evaluator
// remembers terms, so together they may take more than one question may.
func (w formulas) holdsAlone(all smt.Term) bool {
	if w.Gen.Ev.FitsOneQuestion() {
		return true
	}
	whole := eval.New(w.Gen.A, w.Gen.Model)
	whole.Limits = w.Gen.Ev.Limits
	holds, _ := whole.Holds(all)
	return holds
}

// valueClaim returns a formula that holds in the walk's assignment and says which value a rarely used term has; 0: none
// was found.
func (w formulas) valueClaim() smt.Term {
	a := w.Gen.A
	t := w.Gen.DB.Idle(w.R)
	if t == 0 {
		return 0
	}
	v, err := w.Gen.Ev.Eval(t)
	if err != nil || !v.IsValue() {
		return 0
	}
	w.Gen.DB.Use(t)
	if b, isBool := v.Bool(); isBool {
		if b {
			return t
		}
		return a.Not(t)
	}
	literal, err := value.ToTerm(a, v)
	// A function's value is a lambda, which the targets may not have.
	if err != nil || a.Sort(literal) != a.Sort(t) || a.SortKind(a.Sort(t)) == smt.KindFunc || !w.Gen.Takes(literal) {
		return 0
	}
	if w.R.Bool() {
		return a.Eq(literal, t)
	}
	return a.Eq(t, literal)
}
