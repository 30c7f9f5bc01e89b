package solvers

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/rule"
)

// contractOf returns the kinds of sorts that an operator is documented to take; ok is false where the profile says
// nothing.
func (p *Promises) contractOf(op string) (kinds []string, ok bool) {
	for _, c := range p.Contracts {
		if c.Operator == op {
			return c.Kinds, true
		}
	}
	return nil, false
}

// OutsideContract lists the uses of operators in a script that the solver accepts but does not document, such as "bvite
// of Bool".
func (p *Promises) OutsideContract(s *smtlib.Script) (out []string) {
	if len(p.Contracts) == 0 {
		return nil
	}
	var roots []smt.Term
	for i := range s.Commands {
		roots = append(roots, s.Commands[i].Terms...)
	}
	a := s.Arena
	a.PostOrder(roots, func(t smt.Term) {
		name := a.Op(t).String()
		kinds, ok := p.contractOf(name)
		if !ok {
			return
		}
		for i := range a.NumArgs(t) {
			kind := a.SortKind(a.Sort(a.Arg(t, i))).String()
			if text := name + " of " + kind; !slices.Contains(kinds, kind) && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	})
	slices.Sort(out)
	return out
}

// ContractRules returns a rule for each pair of operator and kind of sort that the contracts do not include.
func (p *Promises) ContractRules() (out []rule.Lack) {
	for _, c := range p.Contracts {
		for kind := smt.KindBool; kind <= smt.KindParam; kind++ {
			if !slices.Contains(c.Kinds, kind.String()) {
				out = append(out, rule.Argument.With(c.Operator, kind.String()))
			}
		}
	}
	return out
}

// checkContracts reports operators and kinds of sorts that do not exist.
func (p *Promises) checkContracts() error {
	for _, c := range p.Contracts {
		if _, known := smt.LookupOp(c.Operator); !known {
			return fieldError("contracts", "has %s; %q is no operator", c.Call(), c.Operator)
		}
		for _, kind := range c.Kinds {
			known := false
			for k := smt.KindBool; k <= smt.KindParam; k++ {
				known = known || k.String() == kind
			}
			if !known {
				return fieldError("contracts", "has %s; %q is no kind of sorts, such as BitVec", c.Call(), kind)
			}
		}
	}
	return nil
}
