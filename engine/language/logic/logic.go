// Package logic reads and writes the names of SMT-LIB's logics: what a name allows, what
// terms need, and the name for what is needed.
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
	Other       // what no name but ALL allows

	// Everything has the features that ALL allows.
	Everything = Other<<1 - 1
)

// all is the logic that allows everything.
const all = "ALL"

// theories are the parts of names that stand for theories, in the order in which SMT-LIB
// and cvc5 put them together, with the name of the theory in the operator table and in
// profiles of solvers.
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

// arithmetic are the parts of names that stand for arithmetic.
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

// Theory returns the features of a theory as the operator table and profiles name it; ok
// is false for what no logic is about, as Core and extensions of theories.
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

// Parse reads the name of a logic; ok is false for ALL, HORN and other names that are not
// put together from parts. Those with functions as values (HO_) are not read either: no
// profile says which of them a solver takes.
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

// firstPart returns the longest part that a name begins with: LIRA and not LIA's letters,
// FP and not FF, AX for arrays without their name's X.
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

// allows returns what the name of a logic allows: everything where it cannot be read, and
// beside what the parts say what the theories bring along: strings have lengths (which
// cvc5 equates in QF_S, but neither adds nor compares), and two sorts of values their conversions.
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

// arithmetic returns the part of a name that says which arithmetic.
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

// widelyKnown are names that z3 and cvc5 know. Of strings z3 5.4 knows no other names than
// these three.
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

// Usual returns the name that solvers know for what a name means: QF_BVFP for QF_FPBV, which bitwuzla refuses. It is
// the name itself where that is known, or where there is no other.
func Usual(name string) string {
	f, ok := Parse(name)
	if usual := f.String(); ok && !widelyKnown[name] && widelyKnown[usual] {
		return usual
	}
	return name
}

// Allows reports whether the name of a logic allows what is needed; no name allows all.
func Allows(name string, need Features) bool { return name == "" || need&^allows(name) == 0 }

// besideDifferences reports whether there are theories that no logic of differences has beside them.
func besideDifferences(f Features) bool { return f&^(Ints|Reals|Linear|Functions|Quantifiers) != 0 }

// Smallest returns the name of the smallest logic that allows what is needed, ALL if there is none. Logics of
// differences have no theory beside them but functions.
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

// PlainStrings reports whether a name is one of strings and numbers alone, which solvers
// know that else take strings in ALL only.
func PlainStrings(name string) bool { return strings.HasPrefix(name, "QF_S") && widelyKnown[name] }

// Fit returns the name itself if it allows what is needed, else a wider one that z3 and
// cvc5 know, ALL if there is none. No name at all stays that.
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

// FitFirst returns the first of the preferred names that allows what is needed, else the
// first that another arithmetic makes fit, else ALL. Without a preferred name it is "".
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

// Join returns the name of a logic that allows what each of the named ones does. It is ALL
// where a name says nothing about theories or solvers would not know the joint one, unless
// all are the same.
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

// Smaller returns the names of logics that have a part less, those with less theories first.
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
