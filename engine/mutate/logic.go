package mutate

import (
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
)

// need says what terms need of a logic beyond what terms of their sorts need anyway.
type need struct {
	nonlinear bool // a product or quotient of variables
	mixed     bool // Int and Real in one term
	sums      bool // arithmetic at all: more than difference logic
	other     bool // conversions between theories that no name of a logic has
}

// of adds what the head of a term needs.
func (n *need) of(a *smt.Arena, t smt.Term) {
	switch a.Op(t) {
	case smt.OpMul:
		n.sums = true
		vars := 0
		for i := range a.NumArgs(t) {
			if !numeral(a, a.Arg(t, i), 3) {
				vars++
			}
		}
		n.nonlinear = n.nonlinear || vars > 1
	case smt.OpIntDiv, smt.OpMod, smt.OpDiv, smt.OpRem:
		n.sums = true
		for i := 1; i < a.NumArgs(t); i++ {
			d := a.Arg(t, i)
			n.nonlinear = n.nonlinear || !numeral(a, d, 3) || zero(a, d)
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
	case smt.OpForall, smt.OpExists:
	}
}

// numeral reports whether a term is put together from numerals alone, as far as linear solvers see it.
func numeral(a *smt.Arena, t smt.Term, depth int) bool {
	switch a.Op(t) {
	case smt.OpIntLit, smt.OpRealLit:
		return true
	case smt.OpSub, smt.OpDiv, smt.OpToReal, smt.OpAdd, smt.OpMul:
		if depth == 0 {
			return false
		}
		for i := range a.NumArgs(t) {
			if !numeral(a, a.Arg(t, i), depth-1) {
				return false
			}
		}
		return a.Op(t) != smt.OpDiv || !zero(a, a.Arg(t, a.NumArgs(t)-1))
	}
	return false
}

// zero reports whether a term of numerals may be 0: it is a literal 0, or more than a literal with a sign.
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
	if n.nonlinear || n.mixed {
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
