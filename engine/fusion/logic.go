package fusion

import (
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
)

// Features are what terms need of a logic.
type Features uint32

// The features.
const (
	NeedArrays Features = 1 << iota
	NeedUF              // functions and constants of uninterpreted sorts
	NeedBV
	NeedFP
	NeedDT
	NeedStrings
	NeedInt
	NeedReal
	NeedNonlinear
	NeedLinear // more than differences of two variables
	NeedQuant
	NeedMore // what no standard logic has

	needAll = NeedMore<<1 - 1
)

// FeaturesOf returns what the terms need, without looking into definitions. A product of two terms that are no literals is
// nonlinear.
func FeaturesOf(a *smt.Arena, terms []smt.Term) Features {
	var f Features
	a.PostOrder(terms, func(t smt.Term) { f |= termFeatures(a, t) })
	return f
}

func termFeatures(a *smt.Arena, t smt.Term) Features {
	f := SortFeatures(a, a.Sort(t))
	op := a.Op(t)
	switch op {
	case smt.OpApply:
		if a.NumArgs(t) > 0 && a.SymbolInfo(a.SymbolOf(t)).Kind == smt.SymDeclared {
			f |= NeedUF
		}
	case smt.OpForall, smt.OpExists:
		f |= NeedQuant
	case smt.OpLambda, smt.OpMatch, smt.OpOpaque, smt.OpHOApply, smt.OpFunction, smt.OpMapArrays:
		f |= NeedMore
	case smt.OpMul:
		f |= NeedLinear
		open := 0
		for _, x := range a.Args(t) {
			if !number(a, x) {
				open++
			}
		}
		if open > 1 {
			f |= NeedNonlinear
		}
	case smt.OpAdd, smt.OpAbs, smt.OpToReal, smt.OpToInt, smt.OpIsInt, smt.OpDivisible:
		f |= NeedLinear
	case smt.OpSub:
		if a.NumArgs(t) == 1 && !number(a, t) || a.NumArgs(t) > 2 {
			f |= NeedLinear
		}
	case smt.OpDiv, smt.OpIntDiv, smt.OpMod:
		f |= NeedLinear
		for _, x := range a.Args(t)[1:] {
			if !number(a, x) {
				f |= NeedNonlinear
			}
		}
	default:
		if op > smt.OpOpaque && !op.Structural() && len(op.Info().Solvers) > 0 {
			f |= NeedMore
		}
	}
	return f
}

// number reports whether the term is a literal, with or without a sign, or a quotient of such.
func number(a *smt.Arena, t smt.Term) bool {
	switch a.Op(t) {
	case smt.OpIntLit, smt.OpRealLit:
		return true
	case smt.OpSub, smt.OpToReal:
		return a.NumArgs(t) == 1 && number(a, a.Arg(t, 0))
	case smt.OpDiv:
		return a.NumArgs(t) == 2 && number(a, a.Arg(t, 0)) && number(a, a.Arg(t, 1))
	}
	return false
}

// SortFeatures returns what a sort needs.
func SortFeatures(a *smt.Arena, s smt.Sort) Features {
	var f Features
	switch a.SortKind(s) {
	case smt.KindBool:
	case smt.KindInt:
		f = NeedInt
	case smt.KindReal:
		f = NeedReal
	case smt.KindString, smt.KindRegLan:
		f = NeedStrings
	case smt.KindRoundingMode, smt.KindFloat:
		f = NeedFP
	case smt.KindBitVec:
		f = NeedBV
	case smt.KindArray:
		f = NeedArrays
	case smt.KindUser:
		f = NeedUF
	case smt.KindDatatype:
		f = NeedDT
	default:
		f = NeedMore
	}
	for _, x := range a.SortArgs(s) {
		f |= SortFeatures(a, x)
	}
	return f
}

// LogicFeatures returns what a logic allows; ok is false for a name that is not understood, which allows everything.
func LogicFeatures(name string) (f Features, ok bool) {
	rest, quantifierFree := strings.CutPrefix(name, "QF_")
	if !quantifierFree {
		f |= NeedQuant
	}
	eat := func(prefix string) bool {
		after, ok := strings.CutPrefix(rest, prefix)
		if ok {
			rest = after
		}
		return ok
	}
	if eat("AX") || eat("A") {
		f |= NeedArrays
	}
	for _, x := range []struct {
		prefix string
		need   Features
	}{{"UF", NeedUF}, {"BV", NeedBV}, {"FP", NeedFP}, {"DT", NeedDT}, {"S", NeedStrings}} {
		if eat(x.prefix) {
			f |= x.need
		}
	}
	switch rest {
	case "":
		return f, name != "" && f&^NeedQuant != 0
	case "IDL":
		f |= NeedInt
	case "RDL":
		f |= NeedReal
	case "LIA":
		f |= NeedInt | NeedLinear
	case "LRA":
		f |= NeedReal | NeedLinear
	case "LIRA":
		f |= NeedInt | NeedReal | NeedLinear
	case "NIA":
		f |= NeedInt | NeedLinear | NeedNonlinear
	case "NRA":
		f |= NeedReal | NeedLinear | NeedNonlinear
	case "NIRA":
		f |= NeedInt | NeedReal | NeedLinear | NeedNonlinear
	default:
		return needAll, false
	}
	return f, true
}

// LogicFor returns a logic that allows the features: the first of the preferred ones that does, else the preferred one with
// its arithmetic widened, else ALL. Without a preferred one it is "", no logic at all.
func LogicFor(preferred []string, need Features) string {
	wanted := ""
	for _, name := range preferred {
		if name == "" {
			continue
		}
		wanted = name
		if allowed, ok := LogicFeatures(name); !ok || need&^allowed == 0 {
			if !ok && name != "ALL" {
				continue
			}
			return name
		}
	}
	if wanted == "" {
		return ""
	}
	for _, name := range preferred {
		wide := widen(name)
		if allowed, ok := LogicFeatures(wide); ok && need&^allowed == 0 {
			return wide
		}
	}
	return "ALL"
}

// widen returns the logic with nonlinear arithmetic for linear one and functions added.
func widen(name string) string {
	for _, x := range [][2]string{{"IDL", "NIA"}, {"RDL", "NRA"}, {"LIRA", "NIRA"}, {"LIA", "NIA"}, {"LRA", "NRA"}} {
		if base, ok := strings.CutSuffix(name, x[0]); ok {
			return base + x[1]
		}
	}
	return name
}
