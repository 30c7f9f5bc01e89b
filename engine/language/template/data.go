package template

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Templates over datatypes are made once for all datatypes that have a constructor with a given number of fields: they
// refer to that constructor, its selectors and its tester. A proof of one is a proof for all these datatypes, since it
// uses only facts that hold for every constructor.

// Names of the datatype that stands for all of them in definitions and in obligations. It has another constructor too.
const (
	dataName  = "Data"
	dataCtor  = "data"
	dataOther = "other"
)

// DeclareData declares the datatype that a pattern stands for, over the sorts that its letters are bound to.
func DeclareData(a *smt.Arena, p *smt.Pattern, b *smt.Bindings) error {
	syms, done := a.BeginDatatypes(dataName, []string{dataName}, [][]string{nil})
	self, err := a.SortApp(syms[0])
	if err != nil {
		return err
	}
	if !done {
		c := smt.ConstructorDecl{Name: dataCtor}
		parts := p.Parts()
		for i := range parts {
			s := parts[i].Build(a, b)
			if s == 0 {
				return ErrNone
			}
			c.Selectors = append(c.Selectors, smt.SelectorDecl{Name: fmt.Sprintf("field%d", i+1), Sort: s})
		}
		if err := a.DefineDatatype(syms[0], []smt.ConstructorDecl{c, {Name: dataOther}}); err != nil {
			return err
		}
	}
	b.Data, b.Constructor = self, a.Datatype(syms[0]).Constructors[0].Symbol
	return nil
}

// Data returns the constructor to which templates over datatypes refer, in the arena where DeclareData declared it.
func Data(a *smt.Arena) (*smt.Constructor, smt.Sort, error) {
	for f := 1; f < a.NumSymbols(); f++ {
		if info := a.SymbolInfo(smt.Symbol(f)); info.Kind == smt.SymConstructor && info.Name == dataCtor {
			dt := a.Datatype(info.Datatype)
			return &dt.Constructors[info.Ctor], dt.Self, nil
		}
	}
	return nil, 0, fmt.Errorf("no sort of the operator is a datatype, as Data(A,B)")
}
