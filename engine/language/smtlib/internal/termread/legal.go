package termread

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
)

// maxIllegal limits the errors kept for a text.
const maxIllegal = 10

// Illegal notes an error at a place of the text that no solver accepts.
func (r *atomReader) Illegal(off int, msg string) {
	if len(r.wrong) < maxIllegal {
		r.wrong = append(r.wrong, Note{sexpr.Pos{Offset: off}, msg})
	}
}

// Illegals returns the noted places as errors.
func (r *atomReader) Illegals() (all []*sexpr.Error) {
	for _, n := range r.wrong {
		all = append(all, r.ErrorAt(n.Pos.Offset, n.Msg))
	}
	return all
}

// CheckNew checks that no function of that name and rank is visible. Solvers let names be overloaded by others, and
// names of theories be declared.
func (r *resolver) CheckNew(id NameID, off int, params []smt.Sort, result smt.Sort) {
	for b := int(r.names.ents[id].fun); b > r.forgotten; b = int(r.binds[b-1].prev) {
		info := r.Arena.SymbolInfo(smt.Symbol(r.binds[b-1].sym))
		if info.Result == result && slices.Equal(info.Params, params) {
			r.Illegal(off, smt.QuoteSymbol(info.Name)+" is already declared here with these sorts; a symbol is declared once until a pop or reset takes it back")
			return
		}
	}
}

// IsSecondConstant reports whether a name has another constant beside one: some solvers refuse that, others tell the
// two apart by their sorts.
func (r *resolver) IsSecondConstant(id NameID, f smt.Symbol) bool {
	for b := int(r.names.ents[id].fun); b > r.forgotten; b = int(r.binds[b-1].prev) {
		if g := smt.Symbol(r.binds[b-1].sym); g != f && len(r.Arena.SymbolInfo(g).Params) == 0 {
			return true
		}
	}
	return false
}

// CheckNewSort checks that no sort of that name is visible.
func (r *resolver) CheckNewSort(id NameID, off int) {
	if n := &r.names.ents[id]; int(n.sort) > r.forgotten {
		r.Illegal(off, "the sort "+smt.QuoteSymbol(n.text)+" is already declared here; a sort is declared once until a pop or reset takes it back")
	}
}

// checkNamed checks the term of a :named: a name is new, and its term has no free variables.
func (r *resolver) checkNamed(id NameID, off int, t smt.Term) {
	r.CheckNew(id, off, nil, r.Arena.Sort(t))
	if len(r.locals) > 0 {
		if free := r.Arena.FreeVars(t); len(free) > 0 {
			r.Illegal(off, "the named term contains the bound variable "+smt.QuoteSymbol(r.Arena.VarName(free[0]))+"; only closed terms have names")
		}
	}
}
