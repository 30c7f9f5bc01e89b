package operator

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/template"
)

// maxInputs bounds the inputs and the constants of a function that is made of terms.
const maxInputs = 64

// Of makes an operator of terms: f over the arguments, and for each argument the term over the arguments and z that
// gives it back, or 0 where there is none. The sorts are those that the terms have.
func Of(name string, a *smt.Arena, args []smt.Term, z, f smt.Term, inverse []smt.Term) (*Operator, error) {
	if len(args) == 0 || len(args) > maxInputs {
		return nil, fmt.Errorf("a function has 1 to %d inputs and constants, given %d", maxInputs, len(args))
	}
	o := &Operator{Name: name, Weight: 1}
	var err error
	for _, x := range args {
		p, err := fixedPattern(a, a.Sort(x))
		if err != nil {
			return nil, fmt.Errorf("%s of sort %s: %w", a.Brief(x), a.SortString(a.Sort(x)), err)
		}
		o.Args, o.names = append(o.Args, p), append(o.names, a.Brief(x))
	}
	if o.Result, err = fixedPattern(a, a.Sort(f)); err != nil {
		return nil, fmt.Errorf("the function of sort %s: %w", a.SortString(a.Sort(f)), err)
	}
	// The terms are copied for each use, since the arena of a campaign is another one than that of the file.
	o.Make = func(_ any, to *smt.Arena, sorts []smt.Sort, result smt.Sort, _ []*big.Int) (*Definition, error) {
		var c smt.Copier
		c.Reset(a, to, true)
		for i, x := range args {
			c.BindTerm(x, to.Const(to.Declare(template.ArgName(i), nil, sorts[i])))
		}
		c.BindTerm(z, to.Const(to.Declare(template.ResultName, nil, result)))
		d := &Definition{Arena: to}
		var err error
		if d.Apply, err = c.Term(f); err != nil {
			return nil, err
		}
		for _, t := range inverse {
			x := smt.Term(0)
			if t != 0 {
				if x, err = c.Term(t); err != nil {
					return nil, err
				}
			}
			d.Inverse = append(d.Inverse, x)
		}
		return d, nil
	}
	return o, o.prepareFixed()
}

// errDeclaredSort says why a function of terms has no input of a sort that a script declares.
var errDeclaredSort = errors.New("functions over declared sorts and datatypes cannot be proven: make the function of operators over any sort (fusion.node)")

// fixedPattern returns the pattern of a sort in which nothing is declared.
func fixedPattern(a *smt.Arena, s smt.Sort) (smt.Pattern, error) {
	if a.SortSymbolOf(s) != 0 {
		return smt.Pattern{}, errDeclaredSort
	}
	for _, x := range a.SortArgs(s) {
		if _, err := fixedPattern(a, x); err != nil {
			return smt.Pattern{}, err
		}
	}
	return smt.PatternOf(a, s)
}

// prepareFixed makes the one rule of an operator whose sorts have no letters.
func (o *Operator) prepareFixed() error {
	o.nums, o.rules = nil, map[ruleKey]*Rule{}
	_, err := o.Rule(nil, &smt.Bindings{}, 0)
	return err
}
