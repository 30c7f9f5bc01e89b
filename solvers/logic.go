package solvers

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
)

// logicParts are the pieces of logic names and the theories they stand for, longer ones first where one begins another.
var logicParts = []struct {
	text     string
	theories []string
}{
	{"AX", []string{"ArraysEx"}}, {"UF", []string{"UF"}}, {"BV", []string{"FixedSizeBitVectors"}},
	{"FP", []string{"FloatingPoint"}}, {"FF", []string{"FiniteFields"}}, {"DT", []string{"Datatypes"}}, {"IDL", []string{"Ints"}}, {"RDL", []string{"Reals"}},
	{"LIRA", []string{"Ints", "Reals"}}, {"NIRA", []string{"Ints", "Reals"}}, {"LIA", []string{"Ints"}}, {"NIA", []string{"Ints"}},
	{"LRA", []string{"Reals"}}, {"NRA", []string{"Reals"}}, {"FS", []string{"Sets"}}, {"S", []string{"Strings"}}, {"A", []string{"ArraysEx"}}, {"T", []string{"Transcendental"}},
}

// LogicTheories reads the name of a logic, such as QF_AUFBV. known is false for ALL, HORN and other names that are not
// put together from theories.
func LogicTheories(logic string) (theories []string, known bool) {
	rest, free := strings.CutPrefix(logic, "QF_")
	if !free {
		theories = append(theories, "Quantifiers")
	}
	if rest == "" || rest == "ALL" {
		return nil, false
	}
next:
	for rest != "" {
		for _, p := range logicParts {
			if after, ok := strings.CutPrefix(rest, p.text); ok {
				theories, rest = append(theories, p.theories...), after
				continue next
			}
		}
		return nil, false
	}
	return theories, true
}

// Takes reports whether the profile's theories cover a logic. It is true for logics that cannot be told from their
// name: whether a solver takes those, it says itself.
func (p *Profile) Takes(logic string) bool {
	theories, known := LogicTheories(logic)
	if !known || len(p.Theories) == 0 {
		return true
	}
	for _, t := range theories {
		if !slices.Contains(p.Theories, t) {
			return false
		}
	}
	return true
}

// kindTheories are the theories of sorts that only solvers of that theory read.
var kindTheories = map[smt.SortKind]string{
	smt.KindInt: "Ints", smt.KindReal: "Reals", smt.KindString: "Strings", smt.KindBitVec: "FixedSizeBitVectors",
	smt.KindFloat: "FloatingPoint", smt.KindRoundingMode: "FloatingPoint", smt.KindArray: "ArraysEx",
	smt.KindDatatype: "Datatypes",
}

// Declines says why the solver need not be asked: the profile's theories do not cover the logic or, where the name of
// the logic does not tell (ALL, or none), the sort of a declared symbol. It is "" when the solver has to say itself.
func (p *Profile) Declines(q *Query) string {
	if !p.Takes(q.Logic) {
		return "it does not take the logic " + q.Logic
	}
	if _, known := LogicTheories(q.Logic); known || q.Script == nil || len(p.Theories) == 0 {
		return ""
	}
	a := q.Script.Arena
	for i := range q.Script.Commands {
		for _, f := range q.Script.Commands[i].Symbols {
			info := a.SymbolInfo(f)
			for _, s := range append(slices.Clip(info.Params), info.Result) {
				if theory := kindTheories[a.SortKind(s)]; theory != "" && !slices.Contains(p.Theories, theory) {
					return "it has no sort " + a.SortString(s)
				}
			}
		}
	}
	return ""
}
