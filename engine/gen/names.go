package gen

import (
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
)

// OperatorName is the name of a term's operator as coverage counts it: that of the operator table, or a word for what the
// table does not list; "" for literals, constants and variables.
func OperatorName(a *smt.Arena, t smt.Term) string {
	op := a.Op(t)
	switch op {
	case smt.OpApply:
		switch info := a.SymbolInfo(a.SymbolOf(t)); {
		case info.Kind == smt.SymConstructor:
			return "constructor"
		case info.Kind == smt.SymSelector:
			return "selector"
		case a.NumArgs(t) > 0:
			return "apply"
		}
		return ""
	case smt.OpOpaque:
		name, _ := a.OpaqueHead(t)
		return name
	case smt.OpLambda, smt.OpFunction:
		array := a.SortKind(a.Sort(t)) == smt.KindArray
		switch {
		case array && op == smt.OpFunction:
			return "as-array"
		case array:
			return "lambda-array"
		}
		return op.Info().Name
	case smt.OpIs, smt.OpUpdate, smt.OpMatch, smt.OpForall, smt.OpExists, smt.OpHOApply, smt.OpMapArrays:
		return op.Info().Name
	}
	if op.Structural() {
		return ""
	}
	return op.Info().Name
}

// Claimed returns the names of the operators that the configuration can make, as OperatorName says them.
func (g *Gen) Claimed() []string {
	var out []string
	add := func(names ...string) {
		for _, n := range names {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	g.survey()
	for _, t := range g.names {
		switch t {
		case "UF":
			add("apply")
		case "Datatypes":
			add("constructor", "selector", smt.OpIs.Info().Name)
			if g.updates() {
				add(smt.OpUpdate.Info().Name)
			}
			if g.matches() {
				add(smt.OpMatch.Info().Name)
			}
		case "Quantifiers":
			add(smt.OpForall.Info().Name, smt.OpExists.Info().Name)
		case HigherOrder:
			add(g.higherNames("@", "function", "lambda")...)
		case ArrayFunctions:
			add(g.higherNames("as-array", "map", "lambda-array")...)
		case "extra":
			for _, x := range g.Cfg.Extra {
				if g.takesExtra(x) {
					add(x.Name)
				}
			}
		}
		for _, c := range g.byName[t] {
			add(c.op.Info().Name)
		}
	}
	return out
}
