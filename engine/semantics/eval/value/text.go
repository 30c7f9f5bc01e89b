package value

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/softfp"
)

// Text writes the value as a term of SMT-LIB. Elements of uninterpreted sorts are abstract values (as @SORT!n SORT).
func (v Value) Text(a *smt.Arena) string { return string(v.Append(nil, a)) }

// Append appends the value as Text writes it.
func (v Value) Append(b []byte, a *smt.Arena) []byte {
	switch v.kind {
	case KindNone:
		return append(b, "none"...)
	case KindUnknown:
		return append(append(b, "unknown: "...), v.ref.(*Reason).Error()...)
	case KindBool:
		return strconv.AppendBool(b, v.bits == 1)
	case KindInt, KindBigInt:
		return appendSigned(b, v.BigInt().Sign(), new(big.Int).Abs(v.BigInt()).String())
	case KindReal, KindRat:
		return appendRat(b, v.BigRat())
	case KindBitVec, KindBigBitVec:
		return smt.AppendBV(b, a.Width(v.sort), v.BigBitVec())
	case KindFloat, KindBigFloat:
		x, _ := v.FP(a)
		return append(b, x.String()...)
	case KindRounding:
		return append(b, softfp.Rounding(v.bits).String()...)
	case KindFiniteField:
		b = append(append(append(b, "(as ff"...), v.FieldInt().String()...), ' ')
		return append(a.AppendSort(b, v.sort), ')')
	case KindString:
		return smt.AppendString(b, v.CodePoints())
	case KindSeq:
		return appendSeq(b, a, v)
	case KindData:
		return appendData(b, a, v)
	case KindTable:
		return appendTable(b, a, v)
	case KindClosure:
		return v.ref.(*Closure).append(b, a)
	case KindElement:
		b = append(append(b, "(as "...), smt.QuoteSymbol(ElementName(a, v))...)
		return append(a.AppendSort(append(b, ' '), v.sort), ')')
	case KindRegex:
		return append(b, "(a regular language)"...)
	}
	return append(b, "?"...)
}

// ElementName returns the name under which an element of an uninterpreted sort is written.
func ElementName(a *smt.Arena, v Value) string {
	name, _ := a.SortSymbolName(a.SortSymbolOf(v.sort))
	return fmt.Sprintf("@%s!%d", name, v.bits)
}

// ElementNumber reads a name that elementName wrote.
func ElementNumber(a *smt.Arena, s smt.Sort, name string) (n uint64, ok bool) {
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
	elems := v.Items()
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
		name, qualified := headOfData(a, v)
		if dt, _ := a.DatatypeOf(v.sort); dt != nil {
			name, qualified = smt.QuoteSymbol(dt.Constructors[d.ctor].Name), len(dt.Params) > 0
		}
		if qualified {
			name = "(as " + name + " " + a.SortString(v.sort) + ")"
		}
		if len(d.fields) == 0 {
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
		if v.kind != KindData {
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
	t := v.AsTable()
	entries := t.Sorted()
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

func appendSet(b []byte, a *smt.Arena, v Value, t *Mapping, entries []Entry) []byte {
	if t.def.IsTrue() {
		if len(entries) == 0 {
			return append(a.AppendSort(append(b, "(as set.universe "...), v.sort), ')')
		}
		b = append(b, "(set.complement "...)
	}
	b = appendUnion(b, a, v.sort, "set", "set.union", entries, func(b []byte, e Entry) []byte {
		return append(e.Key.Append(append(b, "(set.singleton "...), a), ')')
	})
	if t.def.IsTrue() {
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

func (c *Closure) append(b []byte, a *smt.Arena) []byte {
	if c.Vars == nil {
		return append(append(append(b, "(_ as-array "...), smt.QuoteSymbol(a.SymbolName(c.Sym))...), ')')
	}
	b = append(b, "(lambda "...)
	b = append(AppendVars(b, a, c.Vars), ' ')
	if len(c.Env) > 0 {
		b = append(b, "(let ("...)
		for _, x := range c.Env {
			b = append(append(b, '('), smt.QuoteSymbol(a.VarName(x.Var))...)
			b = append(x.Value.Append(append(b, ' '), a), ')')
		}
		b = append(b, ") "...)
	}
	b = append(b, smtlib.TermText(a, c.Body)...)
	if len(c.Env) > 0 {
		b = append(b, ')')
	}
	return append(b, ')')
}

// AppendVars writes a list of sorted variables.
func AppendVars(b []byte, a *smt.Arena, vars []smt.Term) []byte {
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
