package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// writeUniverses declares the sizes of uninterpreted sorts in comments, as ParseModel reads them.
func (m *Model) writeUniverses(b *strings.Builder) {
	var lines []string
	for s, u := range m.universes {
		if u.n == 0 {
			continue
		}
		line := fmt.Sprintf("  ; cardinality of %s is %d\n", m.arena.SortString(s), u.n)
		lines = append(lines, line)
	}
	slices.Sort(lines)
	for _, l := range lines {
		b.WriteString(l)
	}
}

func (m *Model) writeSymbol(b *strings.Builder, f smt.Symbol) {
	a := m.arena
	name := smt.QuoteSymbol(a.SymbolName(f))
	if v, ok := m.consts[f]; ok {
		if !v.IsValue() {
			fmt.Fprintf(b, "  ; %s: %s\n", name, v.Text(a))
			return
		}
		fmt.Fprintf(b, "  (define-fun %s () %s %s)\n", name, a.SortString(v.Sort()), v.Text(a))
		return
	}
	m.writeFunc(b, m.funcs[f], name, a.SymbolInfo(f).Result)
}

// writeFunc writes a function. In a body, our own names for elements of uninterpreted sorts replace the solver's.
func (m *Model) writeFunc(b *strings.Builder, f *Func, name string, result smt.Sort) {
	if f.Body != 0 && len(m.elements) > 0 {
		body, err := m.arena.Map(f.Body, func(t smt.Term) (smt.Term, error) {
			if v, ok := m.elements[m.arena.SymbolOf(t)]; ok && m.arena.NumArgs(t) == 0 {
				return m.arena.Opaque(value.ElementName(m.arena, v), nil, v.Sort()), nil
			}
			return t, nil
		})
		if err == nil {
			f = &Func{Vars: f.Vars, Body: body}
		}
	}
	f.write(b, m.arena, name, result)
}

func (m *Model) writePartials(b *strings.Builder) {
	ops := make([]smt.Op, 0, len(m.partial))
	for op := range m.partial {
		ops = append(ops, op)
	}
	slices.Sort(ops)
	for _, op := range ops {
		f := m.partial[op]
		result := f.result(m.arena)
		if result != 0 {
			m.writeFunc(b, f, partialNames[op], result)
		}
	}
}

func (f *Func) result(a *smt.Arena) smt.Sort {
	if f.Body != 0 {
		return a.Sort(f.Body)
	}
	if f.Default.IsValue() {
		return f.Default.Sort()
	}
	if len(f.order) > 0 {
		return f.order[0].Value.Sort()
	}
	return 0
}

// write writes the function as a define-fun: a table is a chain of ite. A table without default has none to print,
// so its last row stands for the default and a comment says so.
func (f *Func) write(b *strings.Builder, a *smt.Arena, name string, result smt.Sort) {
	if f.Body != 0 {
		fmt.Fprintf(b, "  (define-fun %s %s %s %s)\n", name, value.AppendVars(nil, a, f.Vars), a.SortString(result), smtlib.TermText(a, f.Body))
		return
	}
	rows, def := f.Rows(), f.Default
	if !def.IsValue() {
		if len(rows) == 0 {
			fmt.Fprintf(b, "  ; %s: nothing known\n", name)
			return
		}
		fmt.Fprintf(b, "  ; %s: nothing known beyond the places listed\n", name)
		// SMT-LIB has no partial functions: the last value stands for the rest, and the comment above says that it is
		// not known.
		def = rows[len(rows)-1].Value
	}
	fmt.Fprintf(b, "  (define-fun %s (", name)
	for i, s := range f.params {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(b, "(x!%d %s)", i, a.SortString(s))
	}
	fmt.Fprintf(b, ") %s ", a.SortString(result))
	for _, r := range rows {
		b.WriteString("(ite ")
		if len(r.Args) > 1 {
			b.WriteString("(and ")
		}
		for i, x := range r.Args {
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(b, "(= x!%d %s)", i, x.Text(a))
		}
		if len(r.Args) > 1 {
			b.WriteByte(')')
		}
		fmt.Fprintf(b, " %s ", r.Value.Text(a))
	}
	b.WriteString(def.Text(a))
	b.WriteString(strings.Repeat(")", len(rows)))
	b.WriteString(")\n")
}
