package solvers

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/rule"
)

// contractOf returns the kinds of sorts that an operator is documented to take; ok is false where the profile says
// nothing.
func (p *Promises) contractOf(op string) (kinds []string, ok bool) {
	for _, line := range p.Contracts {
		if name, list, _ := strings.Cut(line, ": "); name == op {
			return strings.Fields(list), true
		}
	}
	return nil, false
}

// OutsideContract lists what of a script the solver takes though its documentation does not have it, such as "bvite
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

// ContractRules returns what the contracts do not have.
func (p *Promises) ContractRules() (out []rule.Lack) {
	for _, line := range p.Contracts {
		name, list, _ := strings.Cut(line, ": ")
		for kind := smt.KindBool; kind <= smt.KindParam; kind++ {
			if !slices.Contains(strings.Fields(list), kind.String()) {
				out = append(out, rule.Argument.With(name, kind.String()))
			}
		}
	}
	return out
}

// checkContracts looks for what the lines of a profile may not say.
func (p *Promises) checkContracts() error {
	for _, line := range p.Contracts {
		name, list, ok := strings.Cut(line, ": ")
		if _, known := smt.LookupOp(name); !ok || !known {
			return fieldError("contracts", "has %q; want \"NAME: KIND ...\" with the name of an operator", line)
		}
		for _, kind := range strings.Fields(list) {
			known := false
			for k := smt.KindBool; k <= smt.KindParam; k++ {
				known = known || k.String() == kind
			}
			if !known {
				return fieldError("contracts", "has %q; %q is no kind of sorts, such as BitVec", line, kind)
			}
		}
	}
	return nil
}
