package solvers

import (
	"slices"
	"strings"
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
