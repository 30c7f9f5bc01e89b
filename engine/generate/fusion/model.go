package fusion

import (
	"errors"
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// errValue says that a value cannot be brought to another arena.
var errValue = errors.New("the value cannot be brought over")

// copyModel adds the interpretations of a model to one of the arena that is copied to.
func (c *copier) copyModel(from, to *model.Model, cmds []smtlib.Command) error {
	c.universes = to
	c.Symbol = func(f smt.Symbol) (smt.Symbol, error) { return c.namedElement(f, from, to) }
	defer func() { c.Symbol = nil }()
	c.SortsNow(func(s, n smt.Sort) {
		if size, ok := from.Universe(s); ok {
			to.SetUniverse(n, size)
		}
	})
	for _, f := range from.Symbols() {
		g := c.SymbolNow(f)
		if g == 0 {
			continue // not of the script: a function that the solver made up
		}
		if v, ok := from.Value(f); ok {
			w, err := c.copyValue(v)
			if err != nil {
				return err
			}
			to.Set(g, w)
		} else if fn := from.Func(f); fn != nil {
			copied, err := c.copyFunction(fn, c.To.SymbolInfo(g).Params)
			if err != nil {
				return err
			}
			to.SetFunc(g, copied)
		}
	}
	for _, op := range partialOps {
		if err := c.copyPartial(op, from, to); err != nil {
			return err
		}
	}
	return nil
}

// namedElement returns a constant for a name that a solver gave an element of an uninterpreted sort.
func (c *copier) namedElement(f smt.Symbol, from, to *model.Model) (smt.Symbol, error) {
	info := c.From.SymbolInfo(f)
	if len(info.Params) > 0 || info.Kind != smt.SymDeclared {
		return 0, errValue
	}
	v, err := eval.New(c.From, from).Eval(c.From.Const(f))
	if err != nil {
		return 0, errValue
	}
	w, err := c.copyValue(v)
	if err != nil {
		return 0, err
	}
	n, _ := w.Element()
	g := c.To.Declare("element "+strconv.FormatUint(n, 10)+" of "+c.tag+c.To.SortString(w.Sort()), nil, w.Sort())
	to.Set(g, w)
	return g, nil
}

// partialOps are the operators that models may interpret where the standard does not.
var partialOps = []smt.Op{smt.OpDiv, smt.OpIntDiv, smt.OpMod, smt.OpRem, smt.OpSeqNth, smt.OpFPToUbv, smt.OpFPToSbv, smt.OpFPToReal,
	smt.OpFPMin, smt.OpFPMax, smt.OpFPToIeeeBV, smt.OpPow, smt.OpSetChoose, smt.OpBagChoose, smt.OpArrayDefault, smt.OpSqrt}

// copyPartial adds a model's interpretation of an operator that the standard leaves open. If both models interpret it,
// the table of the first takes precedence over that of the second; later evaluation shows whether the second's
// assertions still hold.
func (c *copier) copyPartial(op smt.Op, from, to *model.Model) error {
	fn := from.Partial(op)
	if fn == nil {
		return nil
	}
	copied, err := c.copyFunction(fn, nil)
	if err != nil {
		return err
	}
	have := to.Partial(op)
	if have == nil {
		to.SetPartial(op, copied)
		return nil
	}
	if have.Body != 0 || copied.Body != 0 {
		return errValue
	}
	for _, row := range have.Rows() {
		copied.Set(row.Args, row.Value)
	}
	if have.Default.IsValue() {
		copied.Default = have.Default
	}
	to.SetPartial(op, copied)
	return nil
}

func (c *copier) copyFunction(fn *model.Func, params []smt.Sort) (*model.Func, error) {
	if fn.Body != 0 {
		body, err := c.Term(fn.Body)
		if err != nil {
			return nil, err
		}
		var vars []smt.Term
		for _, v := range fn.Vars {
			s, err := c.Sort(c.From.Sort(v))
			if err != nil {
				return nil, err
			}
			vars = append(vars, c.To.Var(c.From.VarName(v), s))
		}
		return model.DefinedFunc(c.To, vars, body), nil
	}
	out := model.NewFunc(params, value.Value{})
	if fn.Default.IsValue() {
		def, err := c.copyValue(fn.Default)
		if err != nil {
			return nil, err
		}
		out.Default = def
	}
	for _, row := range fn.Rows() {
		args := make([]value.Value, len(row.Args))
		for i, x := range row.Args {
			var err error
			if args[i], err = c.copyValue(x); err != nil {
				return nil, err
			}
		}
		v, err := c.copyValue(row.Value)
		if err != nil {
			return nil, err
		}
		out.Set(args, v)
	}
	return out, nil
}

// copyValue brings a value over.
func (c *copier) copyValue(v value.Value) (value.Value, error) {
	if v.Sort() != 0 && v.Sort() <= smt.SortRoundingMode {
		return v, nil // the same in every arena
	}
	s, err := c.Sort(v.Sort())
	if err != nil {
		return v, err
	}
	if n, ok := v.BV(); ok {
		return value.BitVec(c.To, c.To.Width(s), n), nil
	}
	if x, ok := v.FP(c.From); ok {
		return value.Float(s, x), nil
	}
	if n, ok := v.Element(); ok {
		return value.Element(s, n), nil
	}
	if n, ok := v.Field(); ok {
		return value.FiniteField(c.To, s, n), nil
	}
	if elems, ok := v.Elements(); ok {
		out, err := c.copyValues(elems)
		return value.Seq(s, out), err
	}
	if ctor, fields, ok := v.Data(); ok {
		out, err := c.copyValues(fields)
		return value.Data(s, ctor, out...), err
	}
	return c.copyTable(v)
}

func (c *copier) copyValues(vs []value.Value) ([]value.Value, error) {
	out := make([]value.Value, len(vs))
	for i, x := range vs {
		var err error
		if out[i], err = c.copyValue(x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// copyTable brings an array, a set or a bag over by way of a term. Its elements may be those of an uninterpreted sort,
// which no term names: constants stand for them meanwhile.
func (c *copier) copyTable(v value.Value) (value.Value, error) {
	m := model.New(c.To)
	t, err := c.valueTerm(v, m)
	if err != nil {
		return v, err
	}
	c.SortsNow(func(_, n smt.Sort) {
		if size, ok := c.universes.Universe(n); ok {
			m.SetUniverse(n, size)
		}
	})
	w, err := eval.New(c.To, m).Eval(t)
	if err != nil {
		return v, errValue
	}
	return w, nil
}

// valueTerm returns a term of the destination for a value; m interprets the constants in it.
func (c *copier) valueTerm(v value.Value, m *model.Model) (smt.Term, error) {
	s, err := c.Sort(v.Sort())
	if err != nil {
		return 0, err
	}
	if n, ok := v.Element(); ok {
		f := c.To.Declare("element "+strconv.FormatUint(n, 10)+" of "+c.tag+c.To.SortString(s), nil, s)
		m.Set(f, value.Element(s, n))
		return c.To.Const(f), nil
	}
	def, entries, ok := v.Table()
	if !ok || c.To.SortKind(s) != smt.KindArray {
		t, err := value.ToTerm(c.From, v)
		if err != nil {
			return 0, err
		}
		return c.Term(t)
	}
	d, err := c.valueTerm(def, m)
	if err != nil {
		return 0, err
	}
	t, err := c.To.AppAs(smt.OpConstArray, s, nil, d)
	for _, e := range entries {
		k, err1 := c.valueTerm(e.Key, m)
		x, err2 := c.valueTerm(e.Value, m)
		if err = errors.Join(err, err1, err2); err != nil {
			return 0, err
		}
		if t, err = c.To.App(smt.OpStore, nil, t, k, x); err != nil {
			return 0, err
		}
	}
	return t, err
}
