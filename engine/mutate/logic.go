package mutate

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/solvers"
)

// need says what terms need of a logic beyond what terms of their sorts need anyway.
type need struct {
	nonlinear bool // a product or quotient of variables
	mixed     bool // Int and Real in one term
	sums      bool // arithmetic at all: more than difference logic
	bits      bool // operators on bit vectors
	other     bool // conversions between theories that no name of a logic has
}

// of adds what the head of a term needs.
func (n *need) of(a *smt.Arena, t smt.Term) {
	switch a.Op(t) {
	case smt.OpMul:
		n.sums = true
		vars := 0
		for i := range a.NumArgs(t) {
			if !numeral(a, a.Arg(t, i)) {
				vars++
			}
		}
		n.nonlinear = n.nonlinear || vars > 1
	case smt.OpIntDiv, smt.OpMod, smt.OpDiv, smt.OpRem:
		n.sums = true
		for i := 1; i < a.NumArgs(t); i++ {
			d := a.Arg(t, i)
			n.nonlinear = n.nonlinear || !numeral(a, d) || zero(a, d)
		}
	case smt.OpAdd, smt.OpSub, smt.OpAbs, smt.OpDivisible, smt.OpLe, smt.OpLt, smt.OpGe, smt.OpGt:
		n.sums = true
	case smt.OpEq, smt.OpDistinct:
		if s := a.Sort(a.Arg(t, 0)); s == smt.SortInt || s == smt.SortReal {
			n.sums = true
		}
	case smt.OpToReal, smt.OpToInt, smt.OpIsInt:
		n.mixed, n.sums = true, true
	case smt.OpUbvToInt, smt.OpSbvToInt, smt.OpIntToBV, smt.OpFPToReal, smt.OpPow:
		n.other = true
	case smt.OpToFP:
		if k := a.NumArgs(t); k == 2 && a.Sort(a.Arg(t, 1)) == smt.SortReal {
			n.other = true
		}
	default:
		n.bits = n.bits || !a.Op(t).Structural() && a.Op(t).Info().Theory == "FixedSizeBitVectors"
	}
}

// numeral reports whether linear solvers see a number in the term: a literal, a negated one, or a quotient of such. What
// else could be computed, as a sum of literals, z3 takes for a variable.
func numeral(a *smt.Arena, t smt.Term) bool {
	switch a.Op(t) {
	case smt.OpIntLit, smt.OpRealLit:
		return true
	case smt.OpToReal:
		return a.Op(a.Arg(t, 0)) == smt.OpIntLit
	case smt.OpSub:
		return a.NumArgs(t) == 1 && numeral(a, a.Arg(t, 0)) && a.Op(a.Arg(t, 0)) != smt.OpSub
	case smt.OpDiv:
		return a.NumArgs(t) == 2 && a.Op(a.Arg(t, 0)) != smt.OpDiv && a.Op(a.Arg(t, 1)) != smt.OpDiv &&
			numeral(a, a.Arg(t, 0)) && numeral(a, a.Arg(t, 1)) && !zero(a, a.Arg(t, 1))
	}
	return false
}

// zero reports whether a term may be 0: it is a literal 0, or more than a literal with a sign.
func zero(a *smt.Arena, t smt.Term) bool {
	if a.Op(t) == smt.OpSub && a.NumArgs(t) == 1 {
		t = a.Arg(t, 0)
	}
	if n, ok := a.IntOf(t); ok {
		return n.Sign() == 0
	}
	if r, ok := a.RatOf(t); ok {
		return r.Sign() == 0
	}
	return true
}

// logics are names that z3 and cvc5 know: what is not among them becomes ALL.
var logics = map[string]bool{}

func init() {
	for _, l := range strings.Fields(`QF_LIA QF_NIA QF_LRA QF_NRA QF_LIRA QF_NIRA LIA NIA LRA NRA LIRA NIRA
		QF_ALIA QF_ANIA ALIA ANIA QF_AUFLIA QF_AUFNIA AUFLIA AUFNIA QF_UFLIA QF_UFNIA UFLIA UFNIA QF_UFLRA QF_UFNRA
		UFLRA UFNRA AUFLIRA AUFNIRA QF_AUFLIRA QF_AUFNIRA UFLIRA UFNIRA QF_UFLIRA QF_UFNIRA`) {
		logics[l] = true
	}
}

// fit returns the logic itself if terms with these needs belong to it, else one that has them.
func (n need) fit(logic string) string {
	if logic == "" || logic == "ALL" || logic == "QF_ALL" || n == (need{}) {
		return logic
	}
	if n.other {
		return wider("")
	}
	if n.bits && !strings.Contains(logic, "BV") { // as QF_FP, which has literals of bit vectors and nothing to do with them
		if logic != "QF_FP" || n.sums {
			return wider("")
		}
		return "QF_BVFP"
	}
	for _, d := range [...]struct{ from, to string }{{"IDL", "LIA"}, {"RDL", "LRA"}} {
		if head, ok := strings.CutSuffix(logic, d.from); ok && n.sums {
			logic = head + d.to
		}
	}
	for _, part := range [...]string{"LIRA", "NIRA", "LIA", "NIA", "LRA", "NRA"} {
		head, ok := strings.CutSuffix(logic, part)
		if !ok {
			continue
		}
		want := part
		if n.nonlinear {
			want = "N" + want[1:]
		}
		if n.mixed {
			want = want[:1] + "IRA"
		}
		if want == part {
			return logic
		}
		return wider(head + want)
	}
	if n.nonlinear || n.mixed || n.sums && !strings.HasPrefix(logic, "QF_S") {
		return wider("")
	}
	return logic
}

// wider returns the name if solvers know it, else ALL.
func wider(name string) string {
	if logics[name] {
		return name
	}
	return "ALL"
}

// JoinLogics returns the name of a logic that has what each of the named ones has: their theories together, nonlinear
// arithmetic if one has it, quantifiers if one has them. It is ALL where a name says nothing about theories.
func JoinLogics(names ...string) string {
	have := map[string]bool{}
	arith, nonlinear, linear := 0, false, false
	for i, name := range names {
		if name == names[0] && i > 0 {
			continue
		}
		theories, known := solvers.LogicTheories(name)
		if !known {
			return joined(names)
		}
		for _, t := range theories {
			have[t] = true
		}
		for _, suffix := range [...]string{"IDL", "RDL", "LIA", "LRA", "LIRA", "NIA", "NRA", "NIRA"} {
			if !strings.HasSuffix(name, suffix) {
				continue
			}
			arith++
			nonlinear = nonlinear || suffix[0] == 'N'
			linear = linear || suffix[0] != 'N' && suffix[1] != 'D'
			break
		}
	}
	var b strings.Builder
	if !have["Quantifiers"] {
		b.WriteString("QF_")
	}
	delete(have, "Quantifiers")
	strs := have["Strings"]
	if have["ArraysEx"] {
		b.WriteString(map[bool]string{true: "AX", false: "A"}[len(have) == 1])
	}
	for _, p := range [...]struct{ theory, text string }{{"UF", "UF"}, {"FixedSizeBitVectors", "BV"}, {"FloatingPoint", "FP"}, {"Datatypes", "DT"}, {"Strings", "S"}} {
		if have[p.theory] {
			b.WriteString(p.text)
		}
	}
	ints, reals := have["Ints"], have["Reals"]
	for _, t := range [...]string{"ArraysEx", "UF", "FixedSizeBitVectors", "FloatingPoint", "Datatypes", "Strings", "Ints", "Reals"} {
		delete(have, t)
	}
	if len(have) > 0 { // theories that few solvers have, in names of their own
		return joined(names)
	}
	difference := arith > 0 && !linear && !nonlinear && ints != reals
	kind := map[bool]string{true: "N", false: "L"}[nonlinear]
	switch {
	case difference:
		b.WriteString(map[bool]string{true: "IDL", false: "RDL"}[ints])
	case ints && reals:
		b.WriteString(kind + "IRA")
	case ints:
		b.WriteString(kind + "IA")
	case reals:
		b.WriteString(kind + "RA")
	}
	name := b.String()
	if strs && !slices.Contains([]string{"QF_S", "QF_SLIA", "QF_SNIA"}, name) { // z3 5.4 knows strings in no other logic by name
		return joined(names)
	}
	return name
}

// joined returns the name if all are the same, else ALL.
func joined(names []string) string {
	for _, n := range names {
		if n != names[0] {
			return "ALL"
		}
	}
	return names[0]
}
