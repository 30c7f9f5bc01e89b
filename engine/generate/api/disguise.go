package api

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
)

// maxDisguise bounds the number of law steps for one term of a planted core.
const maxDisguise = 8

// largestDisguise is the number of terms that a term to be disguised has at most.
const largestDisguise = 4096

// stepper returns the stepper that applies laws; nil if the walk has no laws.
func (w *Walk) stepper() *rewrite.Stepper {
	if w.laws == nil && w.Cfg.Laws != nil {
		w.laws = rewrite.NewStepper(w.Gen.A, w.Cfg.Laws)
	}
	return w.laws
}

// disguised disguises all formulas of a core.
func (w formulas) disguised(core []smt.Term) []smt.Term {
	out := make([]smt.Term, len(core))
	for i, t := range core {
		out[i] = w.disguise(t, core)
	}
	return out
}

// disguise returns a term that has the same value under every interpretation: arguments of commutative operators change
// places, and laws of any theory replace terms below it. Parameters of a law that do not occur in the term are filled
// with parts of the core.
func (w formulas) disguise(t smt.Term, core []smt.Term) smt.Term {
	t = w.swapped(t)
	step := w.stepper()
	if step == nil || w.Gen.A.Size(t) > largestDisguise {
		return t
	}
	parts := w.parts(core)
	for range w.R.Range(1, maxDisguise) {
		t = w.stepped(step, t, parts)
	}
	return t
}

// swapped changes the places of arguments of commutative operators.
func (w formulas) swapped(t smt.Term) smt.Term {
	a := w.Gen.A
	out, err := a.Map(t, func(x smt.Term) (smt.Term, error) {
		op := a.Op(x)
		if op.Structural() || !op.Info().Commutative || a.NumArgs(x) < 2 {
			return x, nil
		}
		args := a.CopyArgs(x)
		if op == smt.OpFPEq || len(args) > 2 && op.Info().Assoc == smt.AssocChain {
			slices.Reverse(args)
		} else {
			w.R.Shuffle(len(args), func(i, j int) { args[i], args[j] = args[j], args[i] })
		}
		return a.Rebuild(x, args)
	})
	if err != nil {
		return t
	}
	return out
}

// parts lists the terms of a core that have no free variables, by their sort.
func (w formulas) parts(core []smt.Term) map[smt.Sort][]smt.Term {
	a := w.Gen.A
	parts := map[smt.Sort][]smt.Term{}
	a.PostOrder(core, func(x smt.Term) {
		if op := a.Op(x); op != smt.OpVar && op != smt.OpCase && len(a.FreeVars(x)) == 0 {
			parts[a.Sort(x)] = append(parts[a.Sort(x)], x)
		}
	})
	return parts
}

// stepped applies a law at a random subterm of t and returns the new term; it returns t itself if the targets do not
// accept the new one.
func (w formulas) stepped(step *rewrite.Stepper, t smt.Term, parts map[smt.Sort][]smt.Term) smt.Term {
	a := w.Gen.A
	var spots []smt.Term
	was := a.Stamps()
	defer was.Free()
	quantified := w.Gen.On["Quantifiers"] // asked for, and taken by the targets together with what else the walk has
	a.PostOrder([]smt.Term{t}, func(x smt.Term) {
		was.Add(x)
		quantified = quantified || a.Op(x) == smt.OpForall || a.Op(x) == smt.OpExists
		if op := a.Op(x); op != smt.OpVar && op != smt.OpCase && op != smt.OpAnnot {
			spots = append(spots, x)
		}
	})
	at := spots[w.R.Intn(len(spots))]
	to, law := step.Step(at, rewrite.Same, w.R, func(s smt.Sort) smt.Term {
		if have := parts[s]; len(have) > 0 {
			return have[w.R.Intn(len(have))]
		}
		return w.Gen.DB.Pick(w.R, s, 0, 0)
	})
	if to == 0 {
		return t
	}
	out, err := a.Map(t, func(x smt.Term) (smt.Term, error) {
		if x == at {
			return to, nil
		}
		return x, nil
	})
	if err != nil {
		return t
	}
	taken := true
	a.PostOrder([]smt.Term{out}, func(x smt.Term) {
		if taken && !was.Has(x) && a.NumArgs(x) > 0 {
			taken = w.Gen.TakesNode(x) || a.Op(x).IsBinder() && quantified
		}
	})
	if !taken {
		return t
	}
	w.disguises = append(w.disguises, Disguise{Law: law, From: at, To: to})
	return out
}

// Disguise is a step by a law in a planted core.
type Disguise struct {
	Law      string
	From, To smt.Term
}

// Disguises returns the steps by laws in the planted cores of the walk.
func (w *Walk) Disguises() []Disguise { return w.disguises }

// anyTerm draws a term of any sort that can be compared; 0 if there is none.
func (w formulas) anyTerm() smt.Term {
	a := w.Gen.A
	sorts := w.Gen.DB.Sorts()
	for range 4 {
		s := sorts[w.R.Intn(len(sorts))]
		t := w.Gen.DB.Pick(w.R, s, 0, 0)
		if t != 0 && a.NumArgs(t) > 0 && a.SortKind(s) != smt.KindFunc && w.Gen.TakesNode(a.Eq(t, t)) &&
			w.Gen.TakesNode(a.MustApp(smt.OpDistinct, t, t)) {
			return t
		}
	}
	return 0
}
