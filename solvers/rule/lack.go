package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/expression"
)

// Topic is the kind of a Lack.
type Topic uint8

// The kinds. Of and With are the parts of a Lack.
const (
	Operator        Topic = iota + 1 // an operator Of, as SMT-LIB names it
	Argument                         // an operator Of over arguments of the kind of sorts With
	Signature                        // an operator Of in the signature With, as the operator table writes it
	Index                            // an operator Of with an index that is zero, or beyond its usual bound: With
	ManyArguments                    // an operator Of with more than two arguments
	Theory                           // a theory Of
	Sort                             // a kind of sorts Of, in the place With of PlacesOfSorts; everywhere where that is ""
	FpFormat                         // floating-point formats, Of those below
	Action                           // a call Of
	Option                           // an option Of
	Conflict                         // an option Of, and an option or a call With: not together
	Logic                            // a logic Of
	LogicAll                         // theories Of, with + between them, in other logics than ALL
	BitVectorArrays                  // arrays that are not of bit vectors, in the logic Of
	Always                           // walks without the theory Of
	Once                             // more than one check-sat with the theory Of
	Feature                          // one of Features, Of
)

// kinds has the words that lines begin with, by kind; those of Feature stand for themselves.
var kinds = [...]string{
	Operator: "operator", Argument: "argument", Signature: "signature", Index: "index", ManyArguments: "nary",
	Theory: "theory", Sort: "sort", FpFormat: "fp-format", Action: "action", Option: "option", Conflict: "conflict",
	Logic: "logic", LogicAll: "logic-all", BitVectorArrays: "bit-vector-arrays", Always: "always", Once: "once",
}

// PlacesOfSorts are the places in which a kind of solver may lack sorts that it has elsewhere.
var PlacesOfSorts = []string{
	"array-index", "array-element", "seq-element", "set-element", "bag-element", "fun-domain", "fun-codomain",
	"datatype-field",
	"sort-param", "const", "var", "get-value", "get-model",
}

// Floating-point formats that a kind of solver may lack.
const (
	OtherFormats = "other"         // beyond the four of IEEE 754 that have names in SMT-LIB
	RareFormats  = "rare"          // all but Float32 and Float64
	WideExponent = "wide-exponent" // with more bits of exponent than of significand
)

// Features that a kind of solver may lack, other than operators, sorts, options and calls.
const (
	AssumptionTerm   = "assumption term"   // assumptions that are no literals
	NamedTerm        = "named term"        // names of assertions
	EchoQuotes       = "echo quotes"       // quotes in the output of echo
	LinearArithmetic = "linear arithmetic" // products and quotients of terms that are no literals, and zero divisors
	MatchRest        = "match rest"        // a case of match for all other constructors
	NoLogic          = "no logic"          // a script without set-logic
	// ScopedDeclarations are names that are free again when their level of assertions is popped.
	ScopedDeclarations = "scoped declarations"
	// ExchangedNames are constants that have the names of others below a let. Solvers accept them, but may handle them
	// wrongly.
	ExchangedNames = "exchanged names"
)

// Features are these.
var Features = []string{
	AssumptionTerm, NamedTerm, EchoQuotes, LinearArithmetic, MatchRest, NoLogic, ScopedDeclarations, ExchangedNames,
}

// Lack is one thing that a kind of solver does not take. Two of them are the same if they are equal; the zero value
// is none.
type Lack struct {
	Kind     Topic
	Of, With string
}

// Of returns the lack of one thing of a kind, such as the operator "bvnego".
func (k Topic) Of(name string) Lack { return Lack{Kind: k, Of: name} }

// With is Of for kinds that have two parts, such as Argument, and Sort in a place.
func (k Topic) With(of, with string) Lack { return Lack{Kind: k, Of: of, With: with} }

// hasTwo reports whether a kind needs both parts.
func (k Topic) hasTwo() bool { return k == Argument || k == Signature || k == Index || k == Conflict }

// AboutWalks reports whether it is about the calls of walks, and not about terms and sorts.
func (l Lack) AboutWalks() bool {
	switch l.Kind {
	case Action, Option, Conflict:
		return true
	case Feature:
		return l.Of == AssumptionTerm || l.Of == NamedTerm || l.Of == EchoQuotes
	}
	return false
}

// String returns its line in a profile, such as "operator bvnego".
func (l Lack) String() string {
	switch {
	case l.Kind == Feature || l.Kind == 0:
		return l.Of
	case l.Kind == Sort && l.With != "":
		return l.With + " " + l.Of
	case l.With != "":
		return kinds[l.Kind] + " " + l.Of + " " + l.With
	}
	return kinds[l.Kind] + " " + l.Of
}

// MarshalText implements encoding.TextMarshaler: it is the line.
func (l Lack) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *Lack) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLack(string(text))
	return err
}

// ParseLack reads a line.
func ParseLack(line string) (Lack, error) {
	if slices.Contains(Features, line) {
		return Feature.Of(line), nil
	}
	what, of, _ := strings.Cut(line, " ")
	if slices.Contains(PlacesOfSorts, what) && of != "" {
		return Sort.With(of, what), nil
	}
	kind := Topic(max(0, slices.Index(kinds[1:], what)+1))
	l := kind.Of(of)
	if kind.hasTwo() {
		l.Of, l.With, _ = strings.Cut(of, " ")
	}
	isPart := !kind.hasTwo() || l.With != "" && (kind != Conflict || !strings.Contains(l.With, " "))
	if kind != 0 && what != "" && l.Of != "" && isPart {
		return l, nil
	}
	const want = `want "operator NAME", "sort KIND" or "POSITION KIND" with a position of `
	return Lack{}, fmt.Errorf("%q excludes nothing: %s%s", line, want, strings.Join(PlacesOfSorts, ", "))
}

// Compare orders lacks by their lines.
func (l Lack) Compare(other Lack) int { return strings.Compare(l.String(), other.String()) }

// VersionedLack is a Lack of some builds of a kind of solver.
type VersionedLack struct {
	Lack
	Bounds
	// Configuration is the configuration of the solver that lacks it; "": the default one.
	Configuration string
}

// String returns the line of the Lack, the builds it counts for behind it, and its configuration before it.
func (r VersionedLack) String() string {
	line := r.Lack.String() + r.Bounds.String()
	if r.Configuration != "" {
		line = r.Configuration + ": " + line
	}
	return line
}

// Call implements Element.
func (r VersionedLack) Call() string {
	call := expression.NewCall("solver.lacks")
	switch r.Kind {
	case Argument, Signature, Index:
		call.Text("operator", r.Of).Text(kinds[r.Kind], r.With)
	case ManyArguments:
		call.Text("operator", r.Of).Flag("many_arguments", true)
	case Sort:
		call.Text("sort", r.Of)
		if r.With != "" {
			call.Text("place", r.With)
		}
	case Conflict:
		call.List("conflict", []string{r.Of, r.With})
	case LogicAll:
		call.List("logic_all", strings.Split(r.Of, "+"))
	case Feature:
		call.Text("feature", r.Of)
	default:
		call.Text(strings.ReplaceAll(kinds[r.Kind], "-", "_"), r.Of)
	}
	if r.Before != "" {
		call.Text("before", r.Before)
	}
	if r.Since != "" {
		call.Text("since", r.Since)
	}
	call.Flag("over_text", r.OverText)
	if r.Configuration != "" {
		call.Text("configuration", r.Configuration)
	}
	return call.String()
}
