package smtlib

import (
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
)

// Parse takes scripts that the standard does not allow as long as it can say what they mean, so that inputs that crash a
// solver can be read. Where z3, cvc5 and bitwuzla all refuse a script, what is wrong is kept, and Legal returns it.

// maxIllegal bounds what is kept of a script.
const maxIllegal = 10

// legality is what a parser needs to know to see what is not allowed.
type legality struct {
	wrong    []Note
	again    int  // the bindings below may be declared again: reset-assertions forgot them
	logicSet bool // set-logic came
	defining nameID
	inside   bool // the body of a define-fun, of the name defining
}

// Legal returns the first place, as an *Error, at which every solver refuses the script though Parse takes it; nil if there
// is none.
func (s *Script) Legal() error {
	if len(s.illegal) == 0 {
		return nil
	}
	return s.illegal[0]
}

// illegal notes something at a place that no solver takes.
func (p *parser) illegal(off int, msg string) {
	if len(p.wrong) < maxIllegal {
		p.wrong = append(p.wrong, Note{Pos{Offset: off}, msg})
	}
}

// illegals turns what was noted into errors.
func (p *parser) illegals() (all []*Error) {
	for _, n := range p.wrong {
		all = append(all, p.errorAt(n.Pos.Offset, n.Msg))
	}
	return all
}

// declares checks that no function of that name and rank is visible. Solvers let names be overloaded by others, and names
// of theories be declared.
func (p *parser) declares(id nameID, off int, params []smt.Sort, result smt.Sort) {
	for b := int(p.names.ents[id].fun); b > p.again; b = int(p.binds[b-1].prev) {
		info := p.a.SymbolInfo(smt.Symbol(p.binds[b-1].sym))
		if info.Result == result && slices.Equal(info.Params, params) {
			p.illegal(off, smt.QuoteSymbol(info.Name)+" is already declared here with these sorts; a symbol is declared once until a pop or reset takes it back")
			return
		}
	}
}

// declaresSort checks that no sort of that name is visible.
func (p *parser) declaresSort(id nameID, off int) {
	if n := &p.names.ents[id]; int(n.sort) > p.again {
		p.illegal(off, "the sort "+smt.QuoteSymbol(n.text)+" is already declared here; a sort is declared once until a pop or reset takes it back")
	}
}

// namesTerm checks the term of a :named: a name is new, and its term has no free variables.
func (p *parser) namesTerm(id nameID, off int, t smt.Term) {
	p.declares(id, off, nil, p.a.Sort(t))
	if len(p.locals) > 0 {
		if free := p.a.FreeVars(t); len(free) > 0 {
			p.illegal(off, "the named term contains the bound variable "+smt.QuoteSymbol(p.a.VarName(free[0]))+"; only closed terms have names")
		}
	}
}

// groupIsLegal checks datatypes that were declared together: constructors and selectors of one datatype have different
// names, and each datatype has a value that does not contain one of its own sort (SMT-LIB 2.7, section on declaring
// datatypes). Sorts of other kinds, such as arrays of the datatype, count as having one, although solvers refuse some.
func (p *parser) groupIsLegal(group []datatype, syms []smt.SortSymbol) {
	for i := range group {
		dt := p.a.Datatype(syms[i])
		ctors, selectors := map[string]bool{}, map[string]bool{}
		for k := range dt.Constructors {
			ctor := &dt.Constructors[k]
			off := group[i].ctors[k].Offset
			if ctors[ctor.Name] {
				p.illegal(off, "the constructor "+smt.QuoteSymbol(ctor.Name)+" is there twice in "+smt.QuoteSymbol(dt.Name))
			}
			ctors[ctor.Name] = true
			for j, f := range ctor.Selectors {
				name := p.a.SymbolName(f)
				if selectors[name] {
					p.illegal(group[i].ctors[k].List[j+1].Offset, "the selector "+smt.QuoteSymbol(name)+" is there twice in "+smt.QuoteSymbol(dt.Name))
				}
				selectors[name] = true
			}
		}
	}
	if off, name := p.uninhabited(group, syms); name != "" {
		p.illegal(off, "the datatype "+smt.QuoteSymbol(name)+" is not well-founded: each of its constructors needs a value of it first")
	}
}

// uninhabited returns a datatype of the group without a finite value.
func (p *parser) uninhabited(group []datatype, syms []smt.SortSymbol) (off int, name string) {
	has := make([]bool, len(syms))
	ready := func(s smt.Sort) bool {
		if p.a.SortKind(s) != smt.KindDatatype {
			return true
		}
		i := slices.Index(syms, p.a.SortSymbolOf(s))
		return i < 0 || has[i]
	}
	for changed := true; changed; {
		changed = false
		for i, s := range syms {
			if has[i] {
				continue
			}
			for _, k := range p.a.Datatype(s).Constructors {
				if !slices.ContainsFunc(p.a.SymbolInfo(k.Symbol).Params, func(s smt.Sort) bool { return !ready(s) }) {
					has[i], changed = true, true
					break
				}
			}
		}
	}
	for i, s := range syms {
		if dt := p.a.Datatype(s); !has[i] {
			return group[i].off, dt.Name
		}
	}
	return 0, ""
}
