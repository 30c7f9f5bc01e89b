package scope

import (
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// NamesIn returns the symbols that the annotations of terms name, made anew.
func NamesIn(a *smt.Arena, ts ...smt.Term) (out []smt.Symbol) {
	a.PostOrder(ts, func(t smt.Term) {
		for _, x := range a.Annotations(t) {
			if x.Keyword == ":named" {
				out = append(out, a.Name(strings.Trim(x.Value, "|"), a.Arg(t, 0)))
			}
		}
	})
	return out
}

// StripNames returns the terms without annotations that name a term, since a term that occurs twice in a script would
// declare its name twice; a name that is used stands for its term. Other annotations stay, except on the terms
// themselves.
func StripNames(a *smt.Arena, ts []smt.Term) ([]smt.Term, error) {
	m := map[smt.Term]smt.Term{}
	found := false
	a.PostOrder(ts, func(t smt.Term) {
		switch a.Op(t) {
		case smt.OpAnnot:
			found = true
		case smt.OpApply:
			if a.SymbolInfo(a.SymbolOf(t)).Kind == smt.SymNamed {
				found = true
			}
		}
	})
	// Most scripts have no names: they are spared the walk that copies.
	if !found {
		return ts, nil
	}
	var strip func(t smt.Term) (smt.Term, error)
	strip = func(t smt.Term) (smt.Term, error) {
		switch a.Op(t) {
		case smt.OpAnnot:
			var keep []smt.Attr
			for _, x := range a.Annotations(t) {
				if x.Keyword != ":named" {
					keep = append(keep, x)
				}
			}
			if len(keep) == 0 {
				return a.Arg(t, 0), nil
			}
			return a.Annotate(a.Arg(t, 0), keep), nil
		case smt.OpApply:
			if info := a.SymbolInfo(a.SymbolOf(t)); info.Kind == smt.SymNamed {
				return a.Map(info.Body, strip)
			}
		}
		return t, nil
	}
	out := make([]smt.Term, len(ts))
	for i, t := range ts {
		r, ok := m[t]
		if !ok {
			var err error
			if r, err = a.Map(t, strip); err != nil {
				return nil, err
			}
			// An attribute on a whole assertion, such as a name, would not survive mutation of the assertion.
			for a.Op(r) == smt.OpAnnot {
				r = a.Arg(r, 0)
			}
			m[t] = r
		}
		out[i] = r
	}
	return out, nil
}
