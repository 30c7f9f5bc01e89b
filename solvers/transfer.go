package solvers

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
)

// Transferrer is a session that takes terms over from another one by a function of its library, such as Z3_translate, or
// because both share the library's terms. The terms are of the arena that both sessions have, and what they are made of
// was declared to the session before (scope.Declared.Missing). The session keeps the objects as if it had made them itself.
//
// from may be of any kind: what a session cannot take over it makes anew, so that a transfer means the same for all.
type Transferrer interface {
	Transfer(from Session, ts []smt.Term) error
}

// transferTerms takes terms over from one session to another: it declares what the receiver lacks, and then asks it to take
// the terms over, or to make them where it has no way of its own. Over text that is all there is to a transfer: the
// declarations are sent, and the terms come when they are used. known is what the receiver was told so far, and learns
// what is declared now.
func transferTerms(from, to Session, ts []smt.Term, known *scope.Declared) error {
	missing := known.Missing(to.Arena(), ts)
	for i := range missing {
		if err := Do(to, &missing[i]); err != nil {
			return err
		}
		known.Note(&missing[i])
	}
	return TakeOver(from, to, ts)
}

// TakeOver is the second part of transferTerms: the receiver has all declarations.
func TakeOver(from, to Session, ts []smt.Term) error {
	switch x := to.(type) {
	case Transferrer:
		return x.Transfer(from, ts)
	case TermMaker:
		for _, t := range ts {
			if err := x.MakeTerm(t); err != nil {
				return err
			}
		}
	}
	return nil
}
