package murxla

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// sortReader reads the calls that make sorts.
type sortReader struct{ *reader }

// mkSort reads "KIND arguments".
func (r sortReader) mkSort() error {
	w, err := r.Word("the kind of sort")
	if err != nil {
		return err
	}
	k := kindOf(w)
	fixed := map[string]smt.Sort{"BOOL": smt.SortBool, "INT": smt.SortInt, "REAL": smt.SortReal, "REGLAN": smt.SortRegLan,
		"RM": smt.SortRoundingMode, "STRING": smt.SortString}
	if s, ok := fixed[k]; ok {
		r.madeSort(s)
		return nil
	}
	switch k {
	case "BV":
		n, err := r.Number("the width")
		if err != nil {
			return err
		}
		if n < 1 || n > smt.MaxWidth {
			return fmt.Errorf("the width %d is not between 1 and %d", n, smt.MaxWidth)
		}
		r.madeSort(r.a.BitVec(n))
	case "FP":
		e, err := r.Number("the width of the exponent")
		if err != nil {
			return err
		}
		m, err := r.Number("the width of the significand")
		if err != nil {
			return err
		}
		if e < 2 || m < 2 || e > smt.MaxWidth || m > smt.MaxWidth {
			return fmt.Errorf("there is no floating-point format with %d bits of exponent and %d of significand", e, m)
		}
		r.madeSort(r.a.Float(e, m))
	case "FF":
		w, err := r.Word("the size of the field")
		if err != nil {
			return err
		}
		p, ok := new(big.Int).SetString(strings.Trim(w, `"`), 10)
		if !ok || p.Sign() <= 0 {
			return fmt.Errorf("%s is no size of a field", w)
		}
		r.madeSort(r.a.FiniteField(p))
	case "UNINTERPRETED":
		name := strings.Join(r.Words, " ") // Murxla puts no quotes around it
		if len(name) > 1 && name[0] == '"' && name[len(name)-1] == '"' {
			name = name[1 : len(name)-1]
		}
		if name == "" {
			return fmt.Errorf("the name is missing")
		}
		sym := r.a.DeclareSort(r.fresh(name), 0)
		r.addCommand(smtlib.Command{Kind: smtlib.CmdDeclareSort, Sorts: []smt.SortSymbol{sym}})
		s, err := r.a.SortApp(sym)
		r.madeSort(s)
		return err
	case "DT":
		return r.readDatatypes()
	case "FUN":
		var all []smt.Sort
		for len(r.Words) > 0 {
			s, err := r.Sort()
			if err != nil {
				return err
			}
			all = append(all, s)
		}
		if len(all) < 2 {
			return fmt.Errorf("a sort of functions needs a domain and a codomain")
		}
		s := r.a.Func(all...)
		if len(r.ids) > 0 {
			r.Sorts[r.ids[0]] = s
		}
		return r.a.CheckSize(s)
	default:
		return r.readCollection(k)
	}
	return nil
}

// readCollection reads the sorts over others.
func (r sortReader) readCollection(k string) error {
	var s smt.Sort
	x, err := r.Sort()
	if err != nil {
		return err
	}
	switch k {
	case "ARRAY":
		y, err := r.Sort()
		if err != nil {
			return err
		}
		s = r.a.Array(x, y)
	case "SEQ":
		s = r.a.Seq(x)
	case "SET":
		s = r.a.Set(x)
	case "BAG":
		s = r.a.Bag(x)
	default:
		return fmt.Errorf("there is no kind of sorts %s", k)
	}
	r.madeSort(s)
	return r.a.CheckSize(s)
}

// decl is a datatype as it is read, before its fields' sorts are made.
type decl struct {
	name   string
	params []string
	ctors  []ctorDecl
}

type ctorDecl struct {
	name   string
	fields []field
}

// field is a selector; its sort is a word, and arguments of one of the group's datatypes.
type field struct {
	name, sort string
	args       []string
}

// readDatatypes reads "n { "name" nParams s"p".. nCtors { "ctor" nSel { "sel" sort } } }": sorts are sN, s(nil) for the
// datatype itself, s"p" for a parameter, and s<"name"> k arguments for another one of the group. Early releases write
// one datatype and no n, and the first ones of these no parameters.
func (r sortReader) readDatatypes() error {
	n := 1
	if len(r.Words) == 0 || r.Words[0][0] != '"' {
		var err error
		if n, err = r.Number("the number of datatypes"); err != nil {
			return err
		}
	}
	var all []decl
	for range n {
		d, err := r.readDeclaration()
		if err != nil {
			return err
		}
		all = append(all, d)
	}
	names, params := make([]string, n), make([][]string, n)
	for i, d := range all {
		names[i], params[i] = r.fresh(d.name), d.params
	}
	// All names first: the fields may be of any datatype of the group.
	syms := r.a.NewDatatypes(names, params)
	for i, d := range all {
		var ctors []smt.ConstructorDecl
		for _, c := range d.ctors {
			k := smt.ConstructorDecl{Name: r.fresh(c.name)}
			for _, f := range c.fields {
				s, err := r.fieldSort(&f, i, all, syms)
				if err != nil {
					return fmt.Errorf("the selector %s: %w", f.name, err)
				}
				k.Selectors = append(k.Selectors, smt.SelectorDecl{Name: r.fresh(f.name), Sort: s})
			}
			ctors = append(ctors, k)
		}
		if err := r.a.DefineDatatype(syms[i], ctors); err != nil {
			return err
		}
	}
	r.addCommand(smtlib.Command{Kind: smtlib.CmdDeclareDatatypes, Sorts: syms})
	for i, sym := range syms {
		if i >= len(r.ids) {
			break
		}
		dt := r.a.Datatype(sym)
		r.Sorts[r.ids[i]] = dt.Self
	}
	return nil
}

func (r sortReader) readDeclaration() (d decl, err error) {
	if d.name, err = r.readQuoted("the name of a datatype"); err != nil {
		return d, err
	}
	n := 0
	if len(r.Words) < 2 || r.Words[1][0] != '"' { // a constructor behind the number: there are no parameters
		if n, err = r.Number("the number of parameters"); err != nil {
			return d, err
		}
	}
	for range n {
		w, err := r.Word("a parameter")
		if err != nil {
			return d, err
		}
		d.params = append(d.params, strings.Trim(strings.TrimPrefix(w, "s"), `"`))
	}
	if n, err = r.Number("the number of constructors"); err != nil {
		return d, err
	}
	for range n {
		var c ctorDecl
		if c.name, err = r.readQuoted("the name of a constructor"); err != nil {
			return d, err
		}
		k, err := r.Number("the number of selectors")
		if err != nil {
			return d, err
		}
		for range k {
			f, err := r.readField()
			if err != nil {
				return d, err
			}
			c.fields = append(c.fields, f)
		}
		d.ctors = append(d.ctors, c)
	}
	return d, nil
}

func (r sortReader) readField() (f field, err error) {
	if f.name, err = r.readQuoted("the name of a selector"); err != nil {
		return f, err
	}
	if f.sort, err = r.Word("the sort of a selector"); err != nil || !strings.HasPrefix(f.sort, "s<") {
		return f, err
	}
	n, err := r.Number("the number of arguments")
	if err != nil {
		return f, err
	}
	for range n {
		w, err := r.Word("an argument")
		if err != nil {
			return f, err
		}
		f.args = append(f.args, w)
	}
	return f, nil
}

func (r sortReader) fieldSort(f *field, own int, all []decl, syms []smt.SortSymbol) (smt.Sort, error) {
	switch {
	case f.sort == "s(nil)":
		return r.a.Datatype(syms[own]).Self, nil
	case strings.HasPrefix(f.sort, `s"`):
		name := strings.Trim(f.sort[1:], `"`)
		if !slices.Contains(all[own].params, name) {
			return 0, fmt.Errorf("the datatype %q has no parameter %q", all[own].name, name)
		}
		return r.a.SortParam(name), nil
	case strings.HasPrefix(f.sort, "s<"):
		name := strings.Trim(f.sort[1:], `<">`)
		for i, d := range all {
			if d.name != name {
				continue
			}
			var args []smt.Sort
			for _, w := range f.args {
				s, err := r.fieldSort(&field{sort: w}, own, all, syms)
				if err != nil {
					return 0, err
				}
				args = append(args, s)
			}
			return r.a.SortApp(syms[i], args...)
		}
		return 0, fmt.Errorf("there is no datatype %q in the group", name)
	}
	if s, ok := r.Sorts[f.sort]; ok {
		return s, nil
	}
	return 0, fmt.Errorf("there is no sort %s", f.sort)
}

// readInstantiation reads "sParam sArg..".
func (r sortReader) readInstantiation() error {
	s, err := r.Sort()
	if err != nil {
		return err
	}
	if r.a.SortKind(s) != smt.KindDatatype {
		return fmt.Errorf("%s is no datatype", r.a.SortString(s))
	}
	var args []smt.Sort
	for len(r.Words) > 0 {
		x, err := r.Sort()
		if err != nil {
			return err
		}
		args = append(args, x)
	}
	out, err := r.a.SortApp(r.a.SortSymbolOf(s), args...)
	if err != nil {
		return err
	}
	r.madeSort(out)
	return r.a.CheckSize(out)
}
