package bindings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (b *boolector) Failed(_ *driver.Session, assumptions []driver.Ref) (out []driver.Ref) {
	for _, r := range assumptions {
		if b.callC("failed", b.btor, r)&0xff != 0 {
			out = append(out, r)
		}
	}
	return out
}

func (b *boolector) Core(s *driver.Session) []driver.Ref {
	return b.Failed(s, b.assumed)
}

// bitsValue spells the value of a bit vector or Bool; bits that do not matter are reported as x and become 0.
func bitsValue(s *driver.Session, so smt.Sort, text string) string {
	text = strings.ReplaceAll(text, "x", "0")
	if so == smt.SortBool {
		if text == "1" {
			return "true"
		}
		return "false"
	}
	return "#b" + text
}

func (b *boolector) assignmentOf(r driver.Ref) string {
	p := b.callC("bv_assignment", b.btor, r)
	defer b.callC("free_bv_assignment", b.btor, p)
	return driver.GoString(p)
}

func (b *boolector) ValueText(s *driver.Session, t smt.Term, r driver.Ref) string {
	b.noMore("values")
	so := s.Arena().Sort(t)
	if isArray(s.Arena(), so) {
		if text, ok := b.arrayText(s, so, r); ok {
			return text
		}
		return smtlib.TermText(s.Arena(), t) // all that is known
	}
	return bitsValue(s, so, b.assignmentOf(r))
}

// tableRows calls a function that returns the lists of arguments and values of an array or function.
func (b *boolector) tableRows(name string, r driver.Ref) (args, values []string) {
	w := b.Library.Memory.Words(3)
	b.callC(name, b.btor, r, w.Addr(), w.Addr()+8, w.Addr()+16)
	n := int(uint32(w.At(2)))
	for i := range n {
		args = append(args, driver.GoString(driver.WordAt(w.At(0), i)))
		values = append(values, driver.GoString(driver.WordAt(w.At(1), i)))
	}
	if n > 0 {
		b.callC("free_"+name, b.btor, w.At(0), w.At(1), uintptr(n))
	}
	return args, values
}

// isComplete reports whether a table gives a value for every index of width bits, either one by one or by the default
// that the library calls *. Nothing is known about indices that a table leaves out, although the library's own printer
// shows zeros there.
func isComplete(args []string, width int) bool {
	return slices.Contains(args, "*") || width <= 16 && len(args) == 1<<width
}

// arrayText is the value of an array; ok is false where its table leaves out something.
func (b *boolector) arrayText(s *driver.Session, so smt.Sort, r driver.Ref) (text string, ok bool) {
	x := s.Arena().SortArgs(so)
	args, values := b.tableRows("array_assignment", r)
	if !isComplete(args, max(1, s.Arena().Width(x[0]))) {
		return "", false
	}
	other := values[0]
	stores, heads := "", ""
	for i := range args {
		if args[i] == "*" {
			other = values[i]
			continue
		}
		heads += "(store "
		stores += " " + bitsValue(s, x[0], args[i]) + " " + bitsValue(s, x[1], values[i]) + ")"
	}
	return heads + "((as const " + s.Arena().SortString(so) + ") " + bitsValue(s, x[1], other) + ")" + stores, true
}

func (b *boolector) Model(s *driver.Session) string {
	b.noMore("models")
	var out strings.Builder
	out.WriteString("(\n")
	for _, f := range s.Declared.Items() {
		info := s.Arena().SymbolInfo(f)
		r := s.Symbol(f)
		params, body, ok := "", "", true
		switch {
		case len(info.Params) > 0:
			params, body, ok = b.functionText(s, info, r)
		case isArray(s.Arena(), info.Result):
			body, ok = b.arrayText(s, info.Result, r)
		default:
			body = bitsValue(s, info.Result, b.assignmentOf(r))
		}
		if ok {
			fmt.Fprintf(&out, "(define-fun %s (%s) %s %s)\n", info.Text, params, s.Arena().SortString(info.Result), body)
		}
	}
	return out.String() + ")"
}

// functionText is the table of a function; ok is false where it leaves out something.
func (b *boolector) functionText(s *driver.Session, info *smt.SymbolInfo, r driver.Ref) (params, body string, ok bool) {
	width := 0
	for i, p := range info.Params {
		params += fmt.Sprintf(" (x%d %s)", i, s.Arena().SortString(p))
		width += max(1, s.Arena().Width(p))
	}
	args, values := b.tableRows("uf_assignment", r)
	if !isComplete(args, width) {
		return "", "", false
	}
	other, tail := values[0], ""
	for i := range args {
		if args[i] == "*" {
			other = values[i]
			continue
		}
		cond := ""
		for j, x := range strings.Fields(args[i]) {
			cond += fmt.Sprintf(" (= x%d %s)", j, bitsValue(s, info.Params[j], x))
		}
		if len(info.Params) > 1 {
			cond = " (and" + cond + ")"
		}
		body += "(ite" + cond + " " + bitsValue(s, info.Result, values[i]) + " "
		tail += ")"
	}
	return strings.TrimSpace(params), body + bitsValue(s, info.Result, other) + tail, true
}

func (b *boolector) Ask(s *driver.Session, c *smtlib.Command) string {
	if c.Kind == smtlib.CmdOther && c.Name == "simplify-assertions" {
		b.callC("simplify", b.btor)
		return ""
	}
	return b.Binding.Ask(s, c)
}
