package value

import (
	"fmt"
	"math/big"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/softfp"
)

// ToTerm returns a ground term of the value. Elements of uninterpreted sorts and regular languages have none.
func ToTerm(a *smt.Arena, v Value) (smt.Term, error) {
	switch v.kind {
	case KindNone, KindUnknown:
		return 0, v.Err()
	case KindBool:
		return a.BoolVal(v.bits == 1), nil
	case KindInt, KindBigInt:
		return a.IntVal(v.BigInt()), nil
	case KindReal, KindRat:
		return a.RealVal(v.BigRat()), nil
	case KindBitVec, KindBigBitVec:
		return a.BV(a.Width(v.sort), v.BigBitVec()), nil
	case KindFloat, KindBigFloat:
		return floatTerm(a, v)
	case KindRounding:
		return a.MustApp(roundingOps[v.bits]), nil
	case KindFiniteField:
		return a.FFVal(v.sort, v.FieldInt()), nil
	case KindString:
		return a.Str(v.CodePoints()), nil
	case KindSeq:
		return seqTerm(a, v)
	case KindData:
		return dataTerm(a, v)
	case KindTable:
		return tableTerm(a, v)
	case KindClosure:
		return v.ref.(*Closure).term(a, v.sort)
	}
	return 0, fmt.Errorf("a value of sort %s has no term: %s", a.SortString(v.sort), v.Text(a))
}

var roundingOps = [...]smt.Op{softfp.RNE: smt.OpRNE, softfp.RNA: smt.OpRNA, softfp.RTP: smt.OpRTP, softfp.RTN: smt.OpRTN, softfp.RTZ: smt.OpRTZ}

func floatTerm(a *smt.Arena, v Value) (smt.Term, error) {
	x, ok := v.FP(a)
	if !ok {
		return 0, fmt.Errorf("the format %s is too large", a.SortString(v.sort))
	}
	eb, sb := a.FloatFormat(v.sort)
	idx := []smt.Index{a.NumIndex(uint64(eb)), a.NumIndex(uint64(sb))}
	switch {
	case x.IsNaN():
		return a.App(smt.OpFPNaN, idx)
	case x.IsInf() && x.IsNegative():
		return a.App(smt.OpFPMinusInf, idx)
	case x.IsInf():
		return a.App(smt.OpFPPlusInf, idx)
	case x.IsZero() && x.IsNegative():
		return a.App(smt.OpFPMinusZero, idx)
	case x.IsZero():
		return a.App(smt.OpFPPlusZero, idx)
	}
	neg, exp, frac := x.Parts()
	return a.App(smt.OpFP, nil, a.BVUint(1, Bit(neg)), a.BV(eb, new(big.Int).SetUint64(exp)), a.BV(sb-1, frac))
}

func seqTerm(a *smt.Arena, v Value) (smt.Term, error) {
	units := make([]smt.Term, 0, len(v.Items()))
	for _, x := range v.Items() {
		t, err := ToTerm(a, x)
		if err != nil {
			return 0, err
		}
		units = append(units, a.MustApp(smt.OpSeqUnit, t))
	}
	switch len(units) {
	case 0:
		return a.AppAs(smt.OpSeqEmpty, v.sort, nil)
	case 1:
		return units[0], nil
	}
	return a.App(smt.OpSeqConcat, nil, units...)
}

// dataTerm builds from the inside along the last field, since lists nest there.
func dataTerm(a *smt.Arena, v Value) (smt.Term, error) {
	// Lists are nested in their last field, thousands deep: a loop follows that one, so the stack does not grow.
	var spine []Value
	for {
		spine = append(spine, v)
		fields := v.data().fields
		if len(fields) == 0 || fields[len(fields)-1].kind != KindData {
			break
		}
		v = fields[len(fields)-1]
	}
	last := smt.Term(0)
	for i := len(spine) - 1; i >= 0; i-- {
		v := spine[i]
		d := v.data()
		args := make([]smt.Term, len(d.fields))
		for j, f := range d.fields {
			if j == len(args)-1 && last != 0 {
				args[j] = last
				break
			}
			t, err := ToTerm(a, f)
			if err != nil {
				return 0, err
			}
			args[j] = t
		}
		dt, _ := a.DatatypeOf(v.sort)
		if dt == nil {
			head, _ := headOfData(a, v)
			last = a.Opaque(head, nil, v.sort, args...)
			continue
		}
		t, err := a.ApplyAs(dt.Constructors[d.ctor].Symbol, v.sort, args...)
		if err != nil {
			return 0, err
		}
		last = t
	}
	return last, nil
}

func tableTerm(a *smt.Arena, v Value) (smt.Term, error) {
	t := v.AsTable()
	if a.SortKind(v.sort) == smt.KindFunc {
		return functionTerm(a, v)
	}
	var terms []smt.Term
	// Sorted, so that equal values become the same term.
	for _, e := range t.Sorted() {
		k, err := ToTerm(a, e.Key)
		if err != nil {
			return 0, err
		}
		x, err := ToTerm(a, e.Value)
		if err != nil {
			return 0, err
		}
		terms = append(terms, k, x)
	}
	switch a.SortKind(v.sort) {
	case smt.KindSet:
		return setTerm(a, v, terms)
	case smt.KindBag:
		out, err := a.AppAs(smt.OpBagEmpty, v.sort, nil)
		for i := 0; err == nil && i < len(terms); i += 2 {
			one := a.MustApp(smt.OpBagMake, terms[i], terms[i+1])
			if i == 0 {
				out = one
			} else {
				out, err = a.App(smt.OpBagUnionDisjoint, nil, out, one)
			}
		}
		return out, err
	}
	def, err := ToTerm(a, t.def)
	if err != nil {
		return 0, err
	}
	out, err := a.AppAs(smt.OpConstArray, v.sort, nil, def)
	for i := 0; err == nil && i < len(terms); i += 2 {
		out, err = a.App(smt.OpStore, nil, out, terms[i], terms[i+1])
	}
	return out, err
}

func setTerm(a *smt.Arena, v Value, terms []smt.Term) (smt.Term, error) {
	cofinite := v.AsTable().def.IsTrue()
	if cofinite && len(terms) == 0 {
		return a.AppAs(smt.OpSetUniverse, v.sort, nil)
	}
	out, err := a.AppAs(smt.OpSetEmpty, v.sort, nil)
	for i := 0; err == nil && i < len(terms); i += 2 {
		one := a.MustApp(smt.OpSetSingleton, terms[i])
		if i == 0 {
			out = one
		} else {
			out, err = a.App(smt.OpSetUnion, nil, out, one)
		}
	}
	if err == nil && cofinite {
		out, err = a.App(smt.OpSetComplement, nil, out)
	}
	return out, err
}

// term returns the lambda with the values of its environment put in, and the stores on top of it.
func (c *Closure) term(a *smt.Arena, sort smt.Sort) (smt.Term, error) {
	body, vars := c.Body, c.Vars
	if c.Vars == nil {
		for i, s := range a.SymbolInfo(c.Sym).Params {
			vars = append(vars, a.Var(fmt.Sprintf("i!%d", i), s))
		}
		t, err := a.Apply(c.Sym, vars...)
		if err != nil {
			return 0, err
		}
		body = t
	}
	m := make(map[smt.Term]smt.Term, len(c.Env))
	for _, b := range c.Env {
		t, err := ToTerm(a, b.Value)
		if err != nil {
			return 0, err
		}
		m[b.Var] = t
	}
	t, err := a.Lambda(vars, body, a.SortKind(sort) == smt.KindArray)
	if err != nil {
		return 0, err
	}
	// After binding, so that a variable that the lambda binds anew is left alone.
	if t, err = a.Subst(t, m); err != nil {
		return 0, err
	}
	over := Mapping{entries: c.Over}
	for _, e := range over.Sorted() {
		k, err := ToTerm(a, e.Key)
		if err != nil {
			return 0, err
		}
		x, err := ToTerm(a, e.Value)
		if err != nil {
			return 0, err
		}
		if t, err = a.App(smt.OpStore, nil, t, k, x); err != nil {
			return 0, err
		}
	}
	return t, nil
}
