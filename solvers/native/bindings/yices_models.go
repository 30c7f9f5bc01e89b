package bindings

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (y *yices) modelRef() driver.Ref {
	if y.mdl == 0 {
		y.mdl = y.callC("get_model", y.ctx, 1)
	}
	return y.mdl
}

func (y *yices) ValueText(s *driver.Session, t smt.Term, r driver.Ref) string {
	so := s.Arena().Sort(t)
	switch s.Arena().SortKind(so) {
	case smt.KindBool:
		w := y.Library.Memory.Words(1)
		y.callC("get_bool_value", y.modelRef(), objectNumber(r), w.Addr())
		if driver.Word32At(w.Addr(), 0) != 0 {
			return "true"
		}
		return "false"
	case smt.KindBitVec:
		n := s.Arena().Width(so)
		w := y.Library.Memory.Words(n)
		y.callC("get_bv_value", y.modelRef(), objectNumber(r), w.Addr())
		b := []byte("#b")
		for i := n - 1; i >= 0; i-- {
			b = append(b, '0'+byte(driver.Word32At(w.Addr(), 4*i)))
		}
		return string(b)
	case smt.KindInt, smt.KindReal:
		v := y.callForObject("get_value_as_term", y.modelRef(), objectNumber(r))
		p := y.callC("term_to_string", objectNumber(v), 1000, 1, 0)
		defer y.Library.Call("yices_free_string", p)
		return rationalText(driver.GoString(p), s.Arena().SortKind(so) == smt.KindReal)
	}
	panic(driver.Unsupported("native yices2 gives no values of sort %s", s.Arena().SortString(so)))
}

// rationalText spells -3/4 as SMT-LIB does.
func rationalText(text string, real bool) string {
	text, negative := strings.CutPrefix(strings.TrimSpace(text), "-")
	num, den, quotient := strings.Cut(text, "/")
	if real {
		num, den = num+".0", den+".0"
	}
	out := num
	if quotient {
		out = "(/ " + num + " " + den + ")"
	}
	if negative {
		out = "(- " + out + ")"
	}
	return out
}

func (y *yices) Model(s *driver.Session) string {
	var out strings.Builder
	out.WriteString("(\n")
	for _, f := range s.Declared.Items() {
		info := s.Arena().SymbolInfo(f)
		if len(info.Params) > 0 {
			panic(driver.Unsupported("native yices2 gives no models of functions"))
		}
		fmt.Fprintf(&out, "(define-fun %s () %s %s)\n", info.Text, s.Arena().SortString(info.Result),
			y.ValueText(s, s.Arena().Const(f), s.Symbol(f)))
	}
	return out.String() + ")"
}

func (y *yices) Core(s *driver.Session) []driver.Ref { return y.Failed(s, nil) }

// Failed reads the core of the assumptions: a term_vector_t has capacity and size in a word, then the array.
func (y *yices) Failed(*driver.Session, []driver.Ref) (out []driver.Ref) {
	v := y.Library.Memory.Words(2)
	y.Library.Call("yices_init_term_vector", v.Addr())
	defer y.Library.Call("yices_delete_term_vector", v.Addr())
	y.callC("get_unsat_core", y.ctx, v.Addr())
	for i := range int(driver.Word32At(v.Addr(), 4)) {
		out = append(out, driver.Ref(driver.Word32At(v.At(1), 4*i))+1)
	}
	return out
}
