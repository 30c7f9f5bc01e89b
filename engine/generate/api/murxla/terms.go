package murxla

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// termReader reads the calls that make constants, functions, values and terms.
type termReader struct{ *reader }

// mkConst reads "sort "name"": a constant, a function where the sort is one of functions, or a variable.
func (r termReader) mkConst(action string) error {
	if len(r.Words) < 2 {
		return fmt.Errorf("want a sort and a name")
	}
	s, err := r.Sort()
	if err != nil {
		return err
	}
	name, err := r.readQuoted("the name")
	if err != nil {
		return err
	}
	name = r.fresh(name)
	switch {
	case action == "mk-var":
		r.made(r.a.Var(name, s), true)
		return nil
	case r.a.SortKind(s) == smt.KindFunc:
		rank := r.a.SortArgs(s)
		last := len(rank) - 1
		f := r.a.Declare(name, rank[:last], rank[last])
		r.addCommand(smtlib.Command{Kind: smtlib.CmdDeclareFun, Symbols: []smt.Symbol{f}})
		return r.madeFun(f)
	}
	f := r.a.Declare(name, nil, s)
	r.addCommand(smtlib.Command{Kind: smtlib.CmdDeclareConst, Symbols: []smt.Symbol{f}})
	r.made(r.a.Const(f), false)
	return nil
}

func (r termReader) madeFun(f smt.Symbol) error {
	t, err := r.a.Function(f, r.a.FuncSort(f))
	if err != nil {
		return err
	}
	r.made(t, false)
	for _, id := range r.ids {
		if id[0] == 't' {
			r.funs[id] = f
		}
	}
	return nil
}

// mkValue reads "sort true|false", "sort "v"", "sort "num" "den"" or "sort "v" base".
func (r termReader) mkValue() error {
	s, err := r.Sort()
	if err != nil {
		return err
	}
	w, err := r.Word("the value")
	if err != nil {
		return err
	}
	text := strings.Trim(w, `"`)
	var t smt.Term
	switch r.a.SortKind(s) {
	case smt.KindBool:
		t = r.a.BoolVal(text == "true")
	case smt.KindBitVec:
		base := 2
		if len(r.Words) > 0 {
			if base, err = strconv.Atoi(strings.Trim(r.Words[0], `"`)); err != nil {
				return fmt.Errorf("%s is no base", r.Words[0])
			}
		}
		n, ok := new(big.Int).SetString(text, base)
		if !ok {
			return fmt.Errorf("%q is no number of base %d", text, base)
		}
		t = r.a.BV(r.a.Width(s), n)
	case smt.KindString:
		t, err = smtlib.ParseTerm(r.a, nil, `"`+strings.ReplaceAll(text, `"`, `""`)+`"`)
	case smt.KindFloat:
		t, err = r.readFloat(s, text)
	default:
		t, err = r.readNumeral(s, text)
	}
	if err != nil {
		return err
	}
	r.made(t, true)
	return nil
}

// readFloat reads the bits of a floating-point number, or a rounding mode's decimal as its real number.
func (r termReader) readFloat(s smt.Sort, text string) (smt.Term, error) {
	e, m := r.a.FloatFormat(s)
	n, ok := new(big.Int).SetString(text, 2)
	if !ok || len(text) != e+m {
		return 0, fmt.Errorf("%q are no %d bits of a floating-point number", text, e+m)
	}
	part := func(from, width int) smt.Term {
		x := new(big.Int).Rsh(n, uint(e+m-from-width))
		return r.a.BV(width, x.And(x, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), big.NewInt(1))))
	}
	return r.a.App(smt.OpFP, nil, part(0, 1), part(1, e), part(1+e, m-1))
}

// readNumeral reads an integer, a decimal, a quotient, or an element of a field.
func (r termReader) readNumeral(s smt.Sort, text string) (smt.Term, error) {
	if len(r.Words) > 0 {
		text += "/" + strings.Trim(r.Words[0], `"`)
	}
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, fmt.Errorf("%q is no number", text)
	}
	switch r.a.SortKind(s) {
	case smt.KindInt:
		if v.IsInt() {
			return r.a.IntVal(v.Num()), nil
		}
	case smt.KindReal:
		return r.a.RealVal(v), nil
	case smt.KindFiniteField:
		if v.IsInt() {
			return r.a.FFVal(s, v.Num()), nil
		}
	}
	return 0, fmt.Errorf("%q is no value of %s", text, r.a.SortString(s))
}

// mkSpecial reads "sort "kind"".
func (r termReader) mkSpecial() error {
	s, err := r.Sort()
	if err != nil {
		return err
	}
	w, err := r.Word("the kind of value")
	if err != nil {
		return err
	}
	t, err := r.readSpecialValue(s, strings.ReplaceAll(strings.ToLower(strings.Trim(w, `"`)), "_", "-"))
	if err != nil {
		return err
	}
	r.made(t, true)
	return nil
}

func (r termReader) readSpecialValue(s smt.Sort, name string) (smt.Term, error) {
	a := r.a
	k := a.SortKind(s)
	qualified := map[string]smt.Op{"bag.empty": smt.OpBagEmpty, "seq.empty": smt.OpSeqEmpty, "set.empty": smt.OpSetEmpty,
		"set.universe": smt.OpSetUniverse}
	modes := map[string]smt.Op{"rna": smt.OpRNA, "rne": smt.OpRNE, "rtn": smt.OpRTN, "rtp": smt.OpRTP, "rtz": smt.OpRTZ}
	floats := map[string]smt.Op{"nan": smt.OpFPNaN, "+oo": smt.OpFPPlusInf, "-oo": smt.OpFPMinusInf,
		"+zero": smt.OpFPPlusZero, "-zero": smt.OpFPMinusZero}
	name = strings.TrimPrefix(strings.TrimPrefix(name, "bv-"), "fp.")
	switch short := strings.TrimPrefix(strings.TrimPrefix(name, "bv."), "ff."); {
	case qualified[name] != 0:
		return a.AppAs(qualified[name], s, nil)
	case k == smt.KindRoundingMode && modes[name] != 0:
		return a.App(modes[name], nil)
	case k == smt.KindFloat && floats[name] != 0:
		e, m := a.FloatFormat(s)
		return a.App(floats[name], []smt.Index{a.NumIndex(uint64(e)), a.NumIndex(uint64(m))})
	case k == smt.KindFiniteField:
		if n, ok := map[string]int64{"zero": 0, "one": 1, "negone": -1}[short]; ok {
			return a.FFVal(s, new(big.Int).Mod(big.NewInt(n), a.Modulus(s))), nil
		}
	case k == smt.KindBitVec:
		top := new(big.Int).Lsh(big.NewInt(1), uint(a.Width(s)-1))
		one := big.NewInt(1)
		v := map[string]*big.Int{"zero": new(big.Int), "one": one, "ones": new(big.Int).Sub(new(big.Int).Lsh(top, 1), one),
			"min-signed": top, "max-signed": new(big.Int).Sub(top, one)}[short]
		if v != nil {
			return a.BV(a.Width(s), v), nil
		}
	}
	return 0, fmt.Errorf("%q is no special value of %s", name, a.SortString(s))
}

// mkFun reads ""name" n variables body".
func (r termReader) mkFun() error {
	name, err := r.readQuoted("the name")
	if err != nil {
		return err
	}
	vars, err := r.List()
	if err != nil {
		return err
	}
	body, err := r.Term()
	if err != nil {
		return err
	}
	f, err := r.a.Define(r.fresh(name), vars, r.a.Sort(body), body)
	if err != nil {
		return err
	}
	r.addCommand(smtlib.Command{Kind: smtlib.CmdDefineFun, Symbols: []smt.Symbol{f}})
	return r.madeFun(f)
}

// mkTerm reads "OP KIND n terms [k indices]"; for datatypes there are names and perhaps a sort ahead of the number.
func (r termReader) mkTerm() error {
	op, err := r.Word("the operator")
	if err != nil {
		return err
	}
	if _, err := r.Word("the kind of sort"); err != nil {
		return err
	}
	t, err := r.readApplication(strings.TrimPrefix(strings.ToUpper(op), "OP_"), op)
	if err != nil {
		return err
	}
	r.made(t, true)
	return nil
}

func (r termReader) readApplication(name, full string) (smt.Term, error) {
	switch {
	case strings.HasPrefix(name, "DT_"):
		return r.datatypeTerm(strings.TrimPrefix(strings.TrimPrefix(name, "DT_"), "APPLY_"))
	case name == "UF_APPLY":
		return r.applyFunction()
	}
	args, err := r.List()
	if err != nil {
		return 0, err
	}
	if n := len(args); (name == "FORALL" || name == "EXISTS") && n > 1 {
		op := smt.OpForall
		if name == "EXISTS" {
			op = smt.OpExists
		}
		return r.a.Quant(op, args[:n-1], args[n-1])
	}
	var idx []smt.Index
	if len(r.Words) > 0 {
		n, err := r.Number("the number of indices")
		if err != nil {
			return 0, err
		}
		for range n {
			w, err := r.Word("an index")
			v, ok := new(big.Int).SetString(w, 10)
			if err != nil || !ok || v.Sign() < 0 {
				return 0, fmt.Errorf("the index %q is no number", w)
			}
			idx = append(idx, r.a.BigIndex(v))
		}
	}
	if strings.HasSuffix(strings.ToUpper(full), "-OP_FP_TO_FP_FROM_REAL") && len(args) == 2 &&
		r.a.SortKind(r.a.Sort(args[1])) == smt.KindFloat {
		return r.fromChosenReal(args)
	}
	ours := operatorOf(full)
	// Murxla has the set or bag first, SMT-LIB solvers have it last.
	if n := len(args); n > 1 && setFirst[ours] {
		args = append(append(make([]smt.Term, 0, n), args[1:]...), args[0])
	}
	op, ok := smt.LookupOp(ours)
	if !ok || ours == "" {
		return 0, fmt.Errorf("the operator %s has no counterpart", full)
	}
	return r.a.AppCoerce(op, idx, args)
}

// applyFunction reads "n function terms": of a function that was declared or defined, or of any other term of a sort of
// functions.
func (r termReader) applyFunction() (smt.Term, error) {
	id := ""
	if len(r.Words) > 1 {
		id = r.Words[1]
	}
	args, err := r.List()
	if err != nil {
		return 0, err
	}
	if len(args) < 2 {
		return 0, fmt.Errorf("want a function and its arguments, got %d terms", len(args))
	}
	if f, ok := r.funs[id]; ok {
		return r.a.ApplyCoerce(f, args[1:])
	}
	t := args[0]
	for _, x := range args[1:] {
		if t, err = r.a.HOApply(t, x); err != nil {
			return 0, err
		}
	}
	return t, nil
}

// fromChosenReal is Bitwuzla's conversion from a real number: of the second term only the sort counts, and the number,
// which the wrapper draws, is in no trace.
func (r termReader) fromChosenReal(args []smt.Term) (smt.Term, error) {
	e, m := r.a.FloatFormat(r.a.Sort(args[1]))
	number := big.NewRat(int64(r.seed%2000), 1) // a literal also in logics without arithmetic: no sign, no quotient
	r.addNote("the real number is none of the trace's (Murxla's wrapper draws it): taken as %s", number.RatString())
	op, _ := smt.LookupOp("to_fp")
	return r.a.AppCoerce(op, []smt.Index{r.a.NumIndex(uint64(e)), r.a.NumIndex(uint64(m))},
		[]smt.Term{args[0], r.a.RealVal(number)})
}

// findConstructor finds a constructor or a selector of a datatype's sort by its name in the trace.
func (r termReader) findConstructor(s smt.Sort, name string) (*smt.Constructor, error) {
	dt, _ := r.a.DatatypeOf(s)
	if dt == nil {
		return nil, fmt.Errorf("%s is no datatype", r.a.SortString(s))
	}
	for i := range dt.Constructors {
		if c := &dt.Constructors[i]; isSameName(c.Name, name) {
			return c, nil
		}
	}
	return nil, fmt.Errorf("%s has no constructor %q", r.a.SortString(s), name)
}

// isSameName reports whether a declared name is that of the trace, perhaps with a number that made it new.
func isSameName(declared, name string) bool {
	return declared == name || strings.HasPrefix(declared, name+"!")
}

func (r termReader) findSelector(s smt.Sort, name string) (smt.Symbol, error) {
	dt, _ := r.a.DatatypeOf(s)
	if dt == nil {
		return 0, fmt.Errorf("%s is no datatype", r.a.SortString(s))
	}
	for _, c := range dt.Constructors {
		for _, f := range c.Selectors {
			if isSameName(r.a.SymbolName(f), name) {
				return f, nil
			}
		}
	}
	return 0, fmt.Errorf("%s has no selector %q", r.a.SortString(s), name)
}

func (r termReader) datatypeTerm(name string) (smt.Term, error) {
	var s smt.Sort
	var err error
	// Of these the trace has the sort: their arguments need not tell it.
	sorted := name == "CONS" || strings.HasPrefix(name, "MATCH_")
	if sorted {
		if s, err = r.Sort(); err != nil {
			return 0, err
		}
	}
	var names []string
	if name != "MATCH" {
		if names, err = r.readQuotedList(); err != nil {
			return 0, err
		}
	}
	args, err := r.List()
	if err != nil {
		return 0, err
	}
	if len(args) == 0 && name != "CONS" || len(names) == 0 && name != "MATCH" && name != "MATCH_BIND_CASE" {
		return 0, fmt.Errorf("names or terms are missing")
	}
	switch name {
	case "CONS":
		c, err := r.findConstructor(s, names[0])
		if err != nil {
			return 0, err
		}
		if r.a.SymbolInfo(c.Symbol).Qualified {
			return r.a.ApplyAs(c.Symbol, s, args...)
		}
		return r.a.Apply(c.Symbol, args...)
	case "TESTER":
		c, err := r.findConstructor(r.a.Sort(args[0]), names[0])
		if err != nil {
			return 0, err
		}
		return r.a.Is(c.Symbol, args[0])
	case "SEL", "UPDATER":
		f, err := r.findSelector(r.a.Sort(args[0]), names[len(names)-1])
		if err != nil {
			return 0, err
		}
		if name == "UPDATER" && len(args) == 2 {
			return r.a.Update(f, args[0], args[1])
		}
		return r.a.Apply(f, args[0])
	case "MATCH":
		return r.a.Match(args[0], args[1:])
	case "MATCH_CASE", "MATCH_BIND_CASE":
		f := smt.Symbol(0)
		if len(names) > 0 {
			c, err := r.findConstructor(s, names[0])
			if err != nil {
				return 0, err
			}
			f = c.Symbol
		}
		return r.a.Case(f, args[:len(args)-1], args[len(args)-1])
	}
	return 0, fmt.Errorf("there is no such operator of datatypes")
}
