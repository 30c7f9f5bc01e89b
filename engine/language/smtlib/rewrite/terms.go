package rewrite

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Rewriter replaces terms everywhere below the terms it is given, and inside the replacements too. A replacement has
// the sort of the replaced term and no free variables besides those of that term, so nothing is captured and nothing
// escapes its binder. It remembers images, so that edits of the old terms can be carried over to the new ones.
type Rewriter struct {
	Replaced map[smt.Term]smt.Term
	Symbols  map[smt.Symbol]smt.Symbol // replacements for changed definitions and renamed symbols
	Names    map[smt.Symbol]string     // new names of symbols
	Vars     map[smt.Term]smt.Term     // renamed variables, where they are bound and where they occur
	Drop     smt.Symbol                // a function that is no longer to be defined

	a          *smt.Arena
	image      []smt.Term // by term; 0 where no image is known yet
	stack      []frame
	recursions int // symbols made for edited recursive definitions
}

type frame struct {
	t    smt.Term
	next int
}

// Reset starts anew with other replacements; all terms given to it from now on exist already.
func (w *Rewriter) Reset(a *smt.Arena, repl map[smt.Term]smt.Term) {
	w.a, w.Replaced, w.Drop = a, repl, 0
	w.Symbols, w.Names, w.Vars = map[smt.Symbol]smt.Symbol{}, nil, nil
	n := a.Len()
	if cap(w.image) < n {
		w.image = make([]smt.Term, n+n/4)
	}
	w.image = w.image[:cap(w.image)]
	clear(w.image)
}

// Grow makes room for terms that were made since reset.
func (w *Rewriter) Grow() {
	if n := w.a.Len() - len(w.image); n > 0 {
		w.image = append(w.image, make([]smt.Term, n)...)
	}
}

// To returns the image of a term that was visited, 0 for others.
func (w *Rewriter) To(t smt.Term) smt.Term {
	if int(t) < len(w.image) {
		return w.image[t]
	}
	return 0
}

// Term returns the image of a term. An error is a fault in the caller's replacements: a sort that does not fit, or a
// term that contains a name whose own term it would become a part of.
func (w *Rewriter) Term(root smt.Term) (smt.Term, error) {
	if to := w.image[root]; to != 0 {
		return to, nil
	}
	a := w.a
	var opened map[smt.Term]bool // names whose terms have no image yet
	w.stack = append(w.stack[:0], frame{t: root})
	for len(w.stack) > 0 {
		f := &w.stack[len(w.stack)-1]
		t := f.t
		if f.next == 0 {
			if w.image[t] != 0 {
				w.stack = w.stack[:len(w.stack)-1]
				continue
			}
			if by, ok := w.Replaced[t]; ok {
				if to := w.image[by]; to != 0 {
					w.image[t] = to
					w.stack = w.stack[:len(w.stack)-1]
				} else {
					w.stack = append(w.stack, frame{t: by})
				}
				continue
			}
			if a.Op(t).IsBinder() {
				f.next = a.NumArgs(t) - 1 // the variables stay
			}
			if body := w.namedBody(t); body != 0 && w.image[body] == 0 {
				if opened[t] { // below its own body
					return 0, fmt.Errorf("what %s stands for would have %s in it", a.SymbolName(a.SymbolOf(t)), a.SymbolName(a.SymbolOf(t)))
				}
				if opened == nil {
					opened = map[smt.Term]bool{}
				}
				opened[t] = true
				w.stack = append(w.stack, frame{t: body})
				continue
			}
		}
		if f.next < a.NumArgs(t) {
			c := a.Arg(t, f.next)
			f.next++
			if w.image[c] == 0 {
				w.stack = append(w.stack, frame{t: c})
			}
			continue
		}
		w.stack = w.stack[:len(w.stack)-1]
		to, err := w.rebuild(t)
		if err != nil {
			return 0, err
		}
		w.image[t] = to
	}
	return w.image[root], nil
}

// namedBody returns the term that t, a name of :named, stands for, and 0 for any other term.
func (w *Rewriter) namedBody(t smt.Term) smt.Term {
	if w.a.NumArgs(t) == 0 {
		if f := w.a.SymbolOf(t); f != 0 && w.a.SymbolInfo(f).Kind == smt.SymNamed {
			return w.a.SymbolInfo(f).Body
		}
	}
	return 0
}

func (w *Rewriter) rebuild(t smt.Term) (smt.Term, error) {
	a := w.a
	if body := w.namedBody(t); body != 0 && w.image[body] != body {
		f := a.SymbolOf(t)
		w.Symbols[f] = a.Name(a.SymbolName(f), w.image[body])
		return a.Const(w.Symbols[f]), nil
	}
	bound := len(a.BoundVars(t))
	if v := w.Vars[t]; v != 0 {
		return v, nil
	}
	sym, renamed := w.Symbols[a.SymbolOf(t)]
	same := !renamed
	for i := 0; same && i < bound; i++ {
		same = w.Vars[a.Arg(t, i)] == 0
	}
	for i := bound; same && i < a.NumArgs(t); i++ {
		x := a.Arg(t, i)
		same = w.image[x] == x
	}
	if same {
		return t, nil
	}
	args := a.CopyArgs(t)
	for i := range args {
		if i >= bound {
			args[i] = w.image[args[i]]
		} else if v := w.Vars[args[i]]; v != 0 {
			args[i] = v
		}
	}
	if renamed {
		return w.applyRenamed(t, sym, args)
	}
	return a.Rebuild(t, args)
}

// applyRenamed builds t with its symbol replaced by another of the same kind and rank.
func (w *Rewriter) applyRenamed(t smt.Term, sym smt.Symbol, args []smt.Term) (smt.Term, error) {
	a := w.a
	switch a.Op(t) {
	case smt.OpIs:
		return a.Is(sym, args[0])
	case smt.OpUpdate:
		return a.Update(sym, args[0], args[1])
	case smt.OpFunction:
		return a.Function(sym, a.Sort(t))
	case smt.OpMapArrays:
		return a.MapArrays(sym, args...)
	case smt.OpCase:
		return a.Case(sym, args[:len(args)-1], args[len(args)-1])
	}
	if a.SymbolInfo(sym).Kind == smt.SymConstructor {
		return a.ApplyAs(sym, a.Sort(t), args...)
	}
	return a.Apply(sym, args...)
}
