package eval

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/eval/softfp"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// Text writes the value as a term of SMT-LIB. Elements of uninterpreted sorts are abstract values (as @SORT!n SORT).
func (v Value) Text(a *smt.Arena) string { return string(v.Append(nil, a)) }

// Append appends the value as Text writes it.
func (v Value) Append(b []byte, a *smt.Arena) []byte {
	switch v.kind {
	case kNone:
		return append(b, "none"...)
	case kUnknown:
		return append(append(b, "unknown: "...), v.ref.(*Reason).Error()...)
	case kBool:
		return strconv.AppendBool(b, v.bits == 1)
	case kInt, kBigInt:
		return appendSigned(b, v.big().Sign(), new(big.Int).Abs(v.big()).String())
	case kReal, kRat:
		return appendRat(b, v.rat())
	case kBV, kBigBV:
		return smt.AppendBV(b, a.Width(v.sort), v.bv())
	case kFP, kBigFP:
		x, _ := v.FP(a)
		return append(b, x.String()...)
	case kRM:
		return append(b, softfp.Rounding(v.bits).String()...)
	case kFF:
		b = append(append(append(b, "(as ff"...), v.ffInt().String()...), ' ')
		return append(a.AppendSort(b, v.sort), ')')
	case kString:
		return smt.AppendString(b, v.runes())
	case kSeq:
		return appendSeq(b, a, v)
	case kData:
		return appendData(b, a, v)
	case kTable:
		return appendTable(b, a, v)
	case kClosure:
		return v.ref.(*closure).append(b, a)
	case kUser:
		b = append(append(b, "(as "...), smt.QuoteSymbol(elementName(a, v))...)
		return append(a.AppendSort(append(b, ' '), v.sort), ')')
	case kRegex:
		return appendRegex(b, v)
	}
	return append(b, "?"...)
}

func elementName(a *smt.Arena, v Value) string {
	name, _ := a.SortSymbolName(a.SortSymbolOf(v.sort))
	return fmt.Sprintf("@%s!%d", name, v.bits)
}

// elementNumber reads a name that elementName wrote.
func elementNumber(a *smt.Arena, s smt.Sort, name string) (n uint64, ok bool) {
	sort, _ := a.SortSymbolName(a.SortSymbolOf(s))
	digits, ok := strings.CutPrefix(name, "@"+sort+"!")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	return n, err == nil
}

func appendSigned(b []byte, sign int, magnitude string) []byte {
	if sign < 0 {
		return append(append(append(b, "(- "...), magnitude...), ')')
	}
	return append(b, magnitude...)
}

func appendRat(b []byte, r *big.Rat) []byte {
	m := new(big.Rat).Abs(r)
	text := "(/ " + m.Num().String() + ".0 " + m.Denom().String() + ".0)"
	if _, exact := m.FloatPrec(); exact {
		text = smt.Decimal(m)
	}
	return appendSigned(b, r.Sign(), text)
}

func appendSeq(b []byte, a *smt.Arena, v Value) []byte {
	elems := v.elems()
	if len(elems) == 0 {
		return append(a.AppendSort(append(b, "(as seq.empty "...), v.sort), ')')
	}
	if len(elems) > 1 {
		b = append(b, "(seq.++"...)
	}
	for i := range elems {
		if len(elems) > 1 {
			b = append(b, ' ')
		}
		b = append(elems[i].Append(append(b, "(seq.unit "...), a), ')')
	}
	if len(elems) > 1 {
		b = append(b, ')')
	}
	return b
}

// appendData writes nested constructors without recursion along the last field, since lists nest there.
func appendData(b []byte, a *smt.Arena, v Value) []byte {
	open := 0
	for {
		d := v.data()
		name := "tuple"
		if dt, _ := a.DatatypeOf(v.sort); dt != nil {
			c := dt.Constructors[d.ctor]
			name = smt.QuoteSymbol(c.Name)
			if len(dt.Params) > 0 {
				name = "(as " + name + " " + a.SortString(v.sort) + ")"
			}
		}
		if len(d.fields) == 0 {
			if name == "tuple" {
				name = "tuple.unit"
			}
			b = append(b, name...)
			break
		}
		b = append(append(b, '('), name...)
		open++
		last := len(d.fields) - 1
		for _, f := range d.fields[:last] {
			b = f.Append(append(b, ' '), a)
		}
		b = append(b, ' ')
		v = d.fields[last]
		if v.kind != kData {
			b = v.Append(b, a)
			break
		}
	}
	for range open {
		b = append(b, ')')
	}
	return b
}

func appendTable(b []byte, a *smt.Arena, v Value) []byte {
	t := v.table()
	entries := t.sorted()
	switch a.SortKind(v.sort) {
	case smt.KindFunc:
		return appendFunction(b, a, v)
	case smt.KindSet:
		return appendSet(b, a, v, t, entries)
	case smt.KindBag:
		return appendUnion(b, a, v.sort, "bag", "bag.union_disjoint", entries, func(b []byte, e Entry) []byte {
			b = e.Key.Append(append(b, "(bag "...), a)
			return append(e.Value.Append(append(b, ' '), a), ')')
		})
	}
	for range entries {
		b = append(b, "(store "...)
	}
	b = a.AppendSort(append(b, "((as const "...), v.sort)
	b = append(t.def.Append(append(b, ") "...), a), ')')
	for _, e := range entries {
		b = e.Key.Append(append(b, ' '), a)
		b = append(e.Value.Append(append(b, ' '), a), ')')
	}
	return b
}

func appendSet(b []byte, a *smt.Arena, v Value, t *table, entries []Entry) []byte {
	if t.def.isTrue() {
		if len(entries) == 0 {
			return append(a.AppendSort(append(b, "(as set.universe "...), v.sort), ')')
		}
		b = append(b, "(set.complement "...)
	}
	b = appendUnion(b, a, v.sort, "set", "set.union", entries, func(b []byte, e Entry) []byte {
		return append(e.Key.Append(append(b, "(set.singleton "...), a), ')')
	})
	if t.def.isTrue() {
		b = append(b, ')')
	}
	return b
}

func appendUnion(b []byte, a *smt.Arena, sort smt.Sort, theory, union string, entries []Entry, one func([]byte, Entry) []byte) []byte {
	if len(entries) == 0 {
		return append(a.AppendSort(append(b, "(as "+theory+".empty "...), sort), ')')
	}
	for range entries[1:] {
		b = append(b, "("+union+" "...)
	}
	for i, e := range entries {
		if i > 0 {
			b = append(b, ' ')
		}
		b = one(b, e)
		if i > 0 {
			b = append(b, ')')
		}
	}
	return b
}

func (c *closure) append(b []byte, a *smt.Arena) []byte {
	if c.vars == nil {
		return append(append(append(b, "(_ as-array "...), smt.QuoteSymbol(a.SymbolName(c.sym))...), ')')
	}
	b = append(b, "(lambda "...)
	b = append(appendVars(b, a, c.vars), ' ')
	if len(c.env) > 0 {
		b = append(b, "(let ("...)
		for _, x := range c.env {
			b = append(append(b, '('), smt.QuoteSymbol(a.VarName(x.v))...)
			b = append(x.val.Append(append(b, ' '), a), ')')
		}
		b = append(b, ") "...)
	}
	b = append(b, smtlib.TermText(a, c.body)...)
	if len(c.env) > 0 {
		b = append(b, ')')
	}
	return append(b, ')')
}

func appendVars(b []byte, a *smt.Arena, vars []smt.Term) []byte {
	b = append(b, '(')
	for i, v := range vars {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(append(b, '('), smt.QuoteSymbol(a.VarName(v))...)
		b = append(a.AppendSort(append(b, ' '), a.Sort(v)), ')')
	}
	return append(b, ')')
}

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
		fmt.Fprintf(b, "  (define-fun %s () %s %s)\n", name, a.SortString(v.sort), v.Text(a))
		return
	}
	m.writeFunc(b, m.funcs[f], name, a.SymbolInfo(f).Result)
}

// writeFunc writes a function. In a body, our own names for elements of uninterpreted sorts replace the solver's.
func (m *Model) writeFunc(b *strings.Builder, f *Func, name string, result smt.Sort) {
	if f.Body != 0 && len(m.elements) > 0 {
		body, err := m.arena.Map(f.Body, func(t smt.Term) (smt.Term, error) {
			if v, ok := m.elements[m.arena.SymbolOf(t)]; ok && m.arena.NumArgs(t) == 0 {
				return m.arena.Opaque(elementName(m.arena, v), nil, v.sort), nil
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
		return f.Default.sort
	}
	if len(f.order) > 0 {
		return f.order[0].Value.sort
	}
	return 0
}

// write writes the function as a define-fun: a table is a chain of ite. A table without default has none to print,
// so its last row stands for the default and a comment says so.
func (f *Func) write(b *strings.Builder, a *smt.Arena, name string, result smt.Sort) {
	if f.Body != 0 {
		fmt.Fprintf(b, "  (define-fun %s %s %s %s)\n", name, appendVars(nil, a, f.Vars), a.SortString(result), smtlib.TermText(a, f.Body))
		return
	}
	rows, def := f.Rows(), f.Default
	if !def.IsValue() {
		if len(rows) == 0 {
			fmt.Fprintf(b, "  ; %s: nothing known\n", name)
			return
		}
		fmt.Fprintf(b, "  ; %s: nothing known beyond the places listed\n", name)
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
