package bindings

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (b *bitwuzla) ValueText(_ *driver.Session, _ smt.Term, r driver.Ref) string {
	if r == b.noReal {
		panic(driver.Unsupported("bitwuzla has no sort Real"))
	}
	return b.callForText("term_to_string", b.callC("get_value", b.solver, r))
}

// Model makes definitions of the values of the declarations: the C interface has no function for a whole model.
func (b *bitwuzla) Model(s *driver.Session) string {
	var out strings.Builder
	out.WriteString("(\n")
	for _, f := range s.Declared.Items() {
		info := s.Arena().SymbolInfo(f)
		text := b.callForText("term_to_string", b.callC("get_value", b.solver, s.Symbol(f)))
		params := ""
		if len(info.Params) > 0 {
			var ok bool
			if params, text, ok = splitLambda(text, len(info.Params)); !ok {
				panic(driver.Refuse(solvers.SolverError, "the value of function "+info.Name+" is no lambda: "+text))
			}
		}
		fmt.Fprintf(&out, "(define-fun %s (%s) %s %s)\n", info.Text, params, s.Arena().SortString(info.Result), text)
	}
	return out.String() + ")"
}

// splitLambda takes a (possibly nested) lambda with n variables apart.
func splitLambda(text string, n int) (params, body string, ok bool) {
	es, err := smtlib.ParseSExprs(text)
	if err != nil || len(es) != 1 {
		return "", text, false
	}
	e := &es[0]
	var vars []string
	for e.Head() == "lambda" && len(e.List) == 3 && len(vars) < n {
		for i := range e.List[1].List {
			vars = append(vars, e.List[1].List[i].String())
		}
		e = &e.List[2]
	}
	return strings.Join(vars, " "), e.String(), len(vars) == n
}

// callForList calls a function that returns an array and writes its length behind its arguments.
func (b *bitwuzla) callForList(name string) []driver.Ref {
	n := b.Library.Memory.Words(1)
	p := b.callC(name, b.solver, n.Addr())
	return driver.WordsAt(p, int(n.At(0)))
}

func (b *bitwuzla) Core(*driver.Session) []driver.Ref { return b.callForList("get_unsat_core") }

func (b *bitwuzla) Failed(s *driver.Session, assumptions []driver.Ref) []driver.Ref {
	if s.Pick(2) == 0 {
		return b.callForList("get_unsat_assumptions")
	}
	var out []driver.Ref
	for _, r := range assumptions {
		if b.callC("is_unsat_assumption", b.solver, r)&0xff != 0 {
			out = append(out, r)
		}
	}
	return out
}

func (b *bitwuzla) Ask(s *driver.Session, c *smtlib.Command) string {
	switch c.Kind {
	case smtlib.CmdGetAssertions:
		var parts []string
		for _, r := range b.callForList("get_assertions") {
			parts = append(parts, b.callForText("term_to_string", r))
		}
		return "(" + strings.Join(parts, " ") + ")"
	case smtlib.CmdSimplify:
		if b.Library.Has("bitwuzla_simplify_term") {
			return b.callForText("term_to_string", b.callC("simplify_term", b.solver, s.Term(c.Terms[0])))
		}
	}
	if c.Kind == smtlib.CmdOther && c.Name == "simplify-assertions" {
		b.callC("simplify", b.solver)
		return ""
	}
	return b.Binding.Ask(s, c)
}
