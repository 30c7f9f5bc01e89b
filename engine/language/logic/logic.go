// Package logic reads and writes the names of SMT-LIB's logics. It computes the features that a name allows, the
// features that terms need, and a name for given features.
//
// A name is put together from parts, as in QF_AUFBVDTNIRA (https://smt-lib.org/logics.shtml):
// quantifier-free or not, arrays, uninterpreted functions, theories, and arithmetic, which
// is of differences (IDL, RDL), linear or not, over integers, reals or both.
package logic

import (
	"slices"
	"strings"
)

// Features are the parts of a logic that terms need, or that a logic allows.
type Features uint32

// The features.
const (
	Arrays    Features = 1 << iota
	Functions          // uninterpreted functions, and constants of uninterpreted sorts
	BitVectors
	FiniteFields
	FloatingPoint
	Datatypes
	Strings
	Sets
	Transcendental
	Ints
	Reals
	Order       // numbers compared, negated or subtracted: QF_S has numbers without these
	Linear      // more of arithmetic than differences of two variables
	Nonlinear   // products and quotients of variables
	Conversions // between numbers and bit vectors, strings or floating-point numbers
	Quantifiers
	HigherOrder // functions as values
	Other       // features that only ALL allows

	// Everything is the set of features that ALL allows.
	Everything = Other<<1 - 1
)

// all is the logic that allows everything.
const all = "ALL"

// theories lists the parts of names that stand for theories, in the order in which SMT-LIB and cvc5 combine them. Each
// has the name of the theory in the operator table and in solver profiles.
var theories = []struct {
	text    string
	feature Features
	name    string
}{
	{"A", Arrays, "ArraysEx"},
	{"UF", Functions, "UF"},
	{"BV", BitVectors, "FixedSizeBitVectors"},
	{"FF", FiniteFields, "FiniteFields"},
	{"FP", FloatingPoint, "FloatingPoint"},
	{"DT", Datatypes, "Datatypes"},
	{"S", Strings, "Strings"},
	{"FS", Sets, "Sets"},
	{"T", Transcendental, "Transcendental"},
}

// arithmetic lists the parts of names that stand for arithmetic.
var arithmetic = []struct {
	text     string
	features Features
}{
	{"IDL", Ints},
	{"RDL", Reals},
	{"LIA", Ints | Linear},
	{"LRA", Reals | Linear},
	{"LIRA", Ints | Reals | Linear},
	{"NIA", Ints | Linear | Nonlinear},
	{"NRA", Reals | Linear | Nonlinear},
	{"NIRA", Ints | Reals | Linear | Nonlinear},
}

// Theory returns the features of a theory by its name in the operator table and in profiles. ok is false for theories
// that no logic names, such as Core and extensions of theories.
func Theory(name string) (f Features, ok bool) {
	switch name {
	case "Ints":
		return Ints, true
	case "Reals":
		return Reals, true
	case "Quantifiers":
		return Quantifiers, true
	case "HigherOrder":
		return HigherOrder, true
	case "Reals_Ints":
		return Ints | Reals, true
	case "Sequences", "Bags":
		return Other, true
	}
	for _, t := range theories {
		if t.name == name {
			return t.feature, true
		}
	}
	return 0, false
}

// Parse reads the name of a logic; ok is false for ALL, HORN and other names that do not consist of parts. Those with
// functions as values (HO_) are not read either: no profile says which of them a solver takes.
func Parse(name string) (f Features, ok bool) {
	rest, quantifierFree := strings.CutPrefix(name, "QF_")
	if !quantifierFree {
		f = Quantifiers
	}
	if rest == "" || rest == all {
		return 0, false
	}
	for rest != "" {
		part, feature := firstPart(rest)
		if part == "" {
			return 0, false
		}
		rest, f = rest[len(part):], f|feature
	}
	return f, true
}

// firstPart returns the longest part that a name begins with.
func firstPart(name string) (part string, f Features) {
	for _, a := range arithmetic {
		if strings.HasPrefix(name, a.text) && len(a.text) > len(part) {
			part, f = a.text, a.features
		}
	}
	for _, t := range theories {
		if strings.HasPrefix(name, t.text) && len(t.text) > len(part) {
			part, f = t.text, t.feature
		}
	}
	if part == "A" && strings.HasPrefix(name, "AX") {
		part = "AX"
	}
	return part, f
}

// allows returns the features that the name of a logic allows: everything if the name cannot be parsed. Besides the
// features of its parts, it includes those that the theories imply: strings have lengths (which cvc5 equates in QF_S,
// but neither adds nor compares), and two sorts of values have conversions between them.
func allows(name string) Features {
	f, ok := Parse(name)
	if f&(Ints|Reals) != 0 {
		f |= Order
	}
	switch {
	case !ok:
		return Everything
	case f&Strings != 0:
		f |= Ints | Conversions
	case f&FloatingPoint != 0 && f&Reals != 0, f&BitVectors != 0 && f&Ints != 0:
		f |= Conversions
	}
	return f
}

// String returns the name of the logic of these features, ALL where there is none.
func (f Features) String() string {
	var b strings.Builder
	if f&HigherOrder != 0 { // functions that are values are uninterpreted ones
		b.WriteString("HO_")
		f |= Functions
	}
	if f&(Other|Sets|Transcendental) != 0 {
		return b.String() + all
	}
	if f&Quantifiers == 0 {
		b.WriteString("QF_")
	}
	head := b.Len()
	for _, t := range theories {
		if f&t.feature != 0 {
			b.WriteString(t.text)
		}
	}
	b.WriteString(f.arithmetic())
	switch b.String()[head:] {
	case "":
		b.WriteString("UF")
	case "A":
		b.WriteString("X")
	}
	return b.String()
}

// arithmetic returns the part of a logic name that stands for the arithmetic.
func (f Features) arithmetic() string {
	have := f & (Ints | Reals | Linear | Nonlinear)
	if have&(Ints|Reals) == 0 {
		return ""
	}
	if have&Nonlinear != 0 || have&(Ints|Reals) == Ints|Reals { // there are no differences of both
		have |= Linear
	}
	for _, a := range arithmetic {
		if a.features == have {
			return a.text
		}
	}
	return ""
}

// Theories lists the theories, as the operator table and profiles name them.
func (f Features) Theories() (names []string) {
	if f&Quantifiers != 0 {
		names = append(names, "Quantifiers")
	}
	for _, t := range theories {
		if f&t.feature != 0 {
			names = append(names, t.name)
		}
	}
	if f&Ints != 0 {
		names = append(names, "Ints")
	}
	if f&Reals != 0 {
		names = append(names, "Reals")
	}
	return names
}

// widelyKnown is the set of names that z3 and cvc5 know. These three are the only names for strings that z3 5.4 knows.
var widelyKnown = setOf(`QF_S QF_SLIA QF_SNIA QF_BVFP
	QF_LIA QF_NIA QF_LRA QF_NRA QF_LIRA QF_NIRA LIA NIA LRA NRA LIRA NIRA
	QF_ALIA QF_ANIA ALIA ANIA QF_AUFLIA QF_AUFNIA AUFLIA AUFNIA QF_UFLIA QF_UFNIA UFLIA UFNIA QF_UFLRA QF_UFNRA
	UFLRA UFNRA AUFLIRA AUFNIRA QF_AUFLIRA QF_AUFNIRA UFLIRA UFNIRA QF_UFLIRA QF_UFNIRA`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// Usual returns the name under which solvers know a logic: QF_BVFP for QF_FPBV, which bitwuzla refuses. It returns the
// name itself if that is known or if there is no other.
func Usual(name string) string {
	f, ok := Parse(name)
	if usual := f.String(); ok && !widelyKnown[name] && widelyKnown[usual] {
		return usual
	}
	return name
}

// Allows reports whether the name of a logic allows the needed features; the empty name allows all.
func Allows(name string, need Features) bool { return name == "" || need&^allows(name) == 0 }

// besideDifferences reports whether the features include a theory that no difference logic is combined with.
func besideDifferences(f Features) bool { return f&^(Ints|Reals|Linear|Functions|Quantifiers) != 0 }

// Smallest returns the name of the smallest logic that allows the needed features, or ALL if there is none. Difference
// logics are combined with no theory except functions.
func Smallest(need Features) string {
	f := need &^ (Order | Conversions)
	if f&(Ints|Reals) != 0 && besideDifferences(f) {
		f |= Linear
	}
	if name := f.String(); Allows(name, need) {
		return name
	}
	return all
}

// PlainStrings reports whether a name covers only strings and numbers. Solvers that otherwise take strings only in ALL
// know such a name.
func PlainStrings(name string) bool { return strings.HasPrefix(name, "QF_S") && widelyKnown[name] }

// Fit returns the name itself if it allows the needed features, else a wider one that z3 and cvc5 know, or ALL if there
// is none. An empty name stays empty.
func Fit(name string, need Features) string {
	if name == "" || need&^allows(name) == 0 {
		return name
	}
	if need&Other != 0 {
		return all
	}
	if need&Order != 0 && allows(name)&Strings != 0 {
		need |= Linear // no solver knows a logic of strings and differences
	}
	if wider := ((allows(name) | need) &^ Conversions).String(); widelyKnown[wider] && need&^allows(wider) == 0 {
		return wider
	}
	return all
}

// FitFirst returns the first of the preferred names that allows the needed features, else the first that fits with
// another arithmetic, else ALL. Without a preferred name it is "".
func FitFirst(preferred []string, need Features) string {
	named := false
	for _, name := range preferred {
		_, known := Parse(name)
		named = named || name != ""
		if (known || name == all) && need&^allows(name) == 0 {
			return name
		}
	}
	if !named {
		return ""
	}
	for _, name := range preferred {
		f, known := Parse(name)
		if !known || f&(Ints|Reals) == 0 {
			continue
		}
		if wider := (f | Linear | Nonlinear).String(); need&^allows(wider) == 0 {
			return wider
		}
	}
	return all
}

// Join returns the name of a logic that allows everything that any of the named ones allows. It returns ALL if a name
// does not tell its theories or if solvers would not know the joint name, unless all names are the same.
func Join(names ...string) string {
	var joint Features
	same, known := true, true
	for _, name := range names {
		f, ok := Parse(name)
		same, known = same && name == names[0], known && ok
		joint |= f
	}
	switch name := joint.String(); {
	case same:
		return names[0]
	case !known, joint&FiniteFields != 0, joint&Strings != 0 && !PlainStrings(name):
		return all
	default:
		return name
	}
}

// Smaller returns the names of logics with one part less, those with fewer theories first.
func Smaller(name string) (names []string) {
	f, ok := Parse(name)
	if !ok {
		return nil
	}
	add := func(less Features) {
		smaller := less.String()
		if parsed, ok := Parse(smaller); !ok || smaller == name || parsed&^f != 0 {
			return
		}
		if !slices.Contains(names, smaller) {
			names = append(names, smaller)
		}
	}
	for _, t := range theories {
		if f&t.feature != 0 {
			add(f &^ t.feature)
		}
	}
	if f&(Ints|Reals) != 0 {
		if f&Nonlinear != 0 {
			add(f &^ Nonlinear)
		}
		if f&(Ints|Reals) == Ints|Reals {
			add(f &^ Reals)
			add(f &^ Ints)
		} else if f&(Linear|Nonlinear) == Linear && !besideDifferences(f) {
			add(f &^ Linear)
		}
		add(f &^ (Ints | Reals | Linear | Nonlinear))
	}
	return names
}
