package smt

import (
	"encoding/binary"
	"fmt"
)

// Symbol names a declared or defined function, a constant, a constructor or a selector of one Arena; 0 is no symbol.
type Symbol uint32

// SymbolKind says how a symbol was introduced.
type SymbolKind uint8

// The kinds of symbols. SymNamed is a term's :named name.
const (
	SymDeclared SymbolKind = iota + 1
	SymDefined
	SymNamed
	SymConstructor
	SymSelector
)

// SymbolInfo describes a symbol. Its slices must not be modified.
type SymbolInfo struct {
	Name      string
	Text      string // the name as SMT-LIB writes it, in bars where it needs them
	Kind      SymbolKind
	Params    []Sort // argument sorts
	Result    Sort
	Recursive bool
	// Vars and Body are the definition of a defined or named symbol; Vars are OpVar terms.
	Vars []Term
	Body Term
	// Datatype, Ctor and Field place a constructor or selector: datatype, constructor's number, selector's number.
	Datatype SortSymbol
	Ctor     int
	Field    int
	// Qualified says that the result sort is written with `as` where the symbol is used: it is a constructor of a
	// parametric datatype. The standard requires this if the arguments do not determine the sort, as for nil of (List
	// X), and allows it elsewhere. Z3 knows a constructor without it only after something else has named its sort.
	Qualified bool

	polymorphic bool
	key         string
}

// Datatype describes a declared datatype.
type Datatype struct {
	Name         string
	Params       []Sort // sort parameters
	Self         Sort   // the datatype applied to its parameters
	Constructors []Constructor
}

// Constructor describes one constructor of a datatype.
type Constructor struct {
	Symbol    Symbol
	Name      string
	Selectors []Symbol
}

// ConstructorDecl is a constructor as declare-datatypes gives it.
type ConstructorDecl struct {
	Name      string
	Selectors []SelectorDecl
}

// SelectorDecl is a selector with the sort of its field.
type SelectorDecl struct {
	Name string
	Sort Sort
}

// symbolTable holds function symbols and the definitions of datatypes.
type symbolTable struct {
	sortTable
	symbols   []SymbolInfo
	symbolIDs map[string]Symbol
	dtKeys    map[string][]SortSymbol // the datatypes of BeginDatatypes
	dtOrder   []string                // keys of all groups of datatypes
}

func (a *symbolTable) addSymbol(info SymbolInfo) Symbol {
	b := append(append(a.key[:0], byte(info.Kind)), info.Name...)
	b = append(b, 0)
	for _, s := range info.Params {
		b = binary.AppendUvarint(b, uint64(s))
	}
	b = binary.AppendUvarint(append(b, 0), uint64(info.Result))
	b = binary.AppendUvarint(b, uint64(info.Body))
	for _, v := range info.Vars {
		b = binary.AppendUvarint(b, uint64(v))
	}
	b = binary.AppendUvarint(b, uint64(info.Datatype))
	b = binary.AppendUvarint(b, uint64(info.Ctor))
	b = binary.AppendUvarint(b, uint64(info.Field))
	b = append(b, info.key...)
	a.key = b
	if id, ok := a.symbolIDs[string(b)]; ok {
		return id
	}
	info.key = string(b)
	for _, s := range info.Params {
		info.polymorphic = info.polymorphic || a.sorts[s].params
	}
	info.polymorphic = info.polymorphic || a.sorts[info.Result].params
	info.Text = QuoteSymbol(info.Name)
	info.Qualified = info.Kind == SymConstructor && info.polymorphic
	id := Symbol(len(a.symbols))
	a.symbols = append(a.symbols, info)
	a.symbolIDs[info.key] = id
	return id
}

func (a *symbolTable) releaseSymbols(m Mark) {
	for i := m.symbols; i < len(a.symbols); i++ {
		if k := a.symbols[i].key; k != "" {
			delete(a.symbolIDs, k)
		}
	}
	clear(a.symbols[m.symbols:])
	a.symbols = a.symbols[:m.symbols]
	for _, k := range a.dtOrder[m.dts:] {
		delete(a.dtKeys, k)
	}
	a.dtOrder = a.dtOrder[:m.dts]
}

// coversParams reports whether m has all sort parameters of s.
func (a *symbolTable) coversParams(s Sort, m map[Sort]Sort) bool {
	n := a.sorts[s]
	if n.kind == KindParam {
		return m[s] != 0
	}
	for _, x := range n.args {
		if n.params && !a.coversParams(x, m) {
			return false
		}
	}
	return true
}

// Declare returns the function symbol of that name and rank; a constant has no parameters. The same name and rank
// give the same symbol.
func (a *symbolTable) Declare(name string, params []Sort, result Sort) Symbol {
	return a.addSymbol(SymbolInfo{Name: name, Kind: SymDeclared, Params: append([]Sort(nil), params...), Result: result})
}

// Define returns the symbol of a function defined by define-fun; vars are OpVar terms and body has the result sort.
func (a *Arena) Define(name string, vars []Term, result Sort, body Term) (Symbol, error) {
	if got := a.Sort(body); got != result && got != SortUnknown {
		return 0, fmt.Errorf("the body of %s has sort %s, declared is %s", name, a.SortString(got), a.SortString(result))
	}
	return a.addSymbol(SymbolInfo{Name: name, Kind: SymDefined, Params: a.sortsOf(vars), Result: result,
		Vars: append([]Term(nil), vars...), Body: body}), nil
}

// DeclareRecursive returns a symbol for define-fun-rec, to be completed by DefineRecursive once its body exists. The
// key is the canonical text of the whole definition: the same key and rank give the same symbol.
func (a *Arena) DeclareRecursive(key, name string, vars []Term, result Sort) Symbol {
	return a.addSymbol(SymbolInfo{key: "r" + key, Name: name, Kind: SymDefined, Recursive: true, Params: a.sortsOf(vars), Result: result,
		Vars: append([]Term(nil), vars...)})
}

// DefineRecursive gives a symbol of DeclareRecursive its body.
func (a *Arena) DefineRecursive(f Symbol, body Term) error {
	info := &a.symbols[f]
	if got := a.Sort(body); got != info.Result && got != SortUnknown {
		return fmt.Errorf("the body of %s has sort %s, declared is %s", info.Name, a.SortString(got), a.SortString(info.Result))
	}
	info.Body = body
	return nil
}

// Name returns the symbol that (! t :named name) introduces.
func (a *Arena) Name(name string, t Term) Symbol {
	return a.addSymbol(SymbolInfo{Name: name, Kind: SymNamed, Result: a.Sort(t), Body: t})
}

func (a *reader) sortsOf(ts []Term) []Sort {
	if len(ts) == 0 {
		return nil
	}
	s := make([]Sort, len(ts))
	for i, t := range ts {
		s[i] = a.Sort(t)
	}
	return s
}

// SymbolInfo describes the symbol.
func (a *symbolTable) SymbolInfo(f Symbol) *SymbolInfo { return &a.symbols[f] }

// SymbolName returns the symbol's name, without bars.
func (a *symbolTable) SymbolName(f Symbol) string { return a.symbols[f].Name }

// NumSymbols is one more than the greatest symbol.
func (a *symbolTable) NumSymbols() int { return len(a.symbols) }

// BeginDatatypes makes the sort symbols of a group of datatypes that may refer to one another. The key is the canonical
// text of the whole declaration: if the arena has seen it already, BeginDatatypes returns the same symbols with done
// set, and they must not be defined again. Use NewDatatypes for groups that have no text yet.
func (a *symbolTable) BeginDatatypes(key string, names []string, params [][]string) (syms []SortSymbol, done bool) {
	if syms, ok := a.dtKeys[key]; ok {
		return syms, true
	}
	syms = a.newDatatypes(key, names, params)
	a.dtKeys[key] = syms
	return syms, false
}

// NewDatatypes makes the sort symbols of a new group of datatypes, even if the arena has a group with the same names.
// The caller defines the group with DefineDatatype.
func (a *symbolTable) NewDatatypes(names []string, params [][]string) []SortSymbol {
	return a.newDatatypes("", names, params)
}

func (a *symbolTable) newDatatypes(key string, names []string, params [][]string) []SortSymbol {
	syms := make([]SortSymbol, len(names))
	for i, name := range names {
		k := binary.AppendUvarint(append(a.key[:0], 0xFE), uint64(len(a.dtOrder))) // the number of the group
		k = binary.AppendUvarint(k, uint64(i))
		dt := &Datatype{Name: name}
		syms[i] = a.addSortSymbol(sortSymbol{name: name, arity: len(params[i]), dt: dt, key: string(k)})
		for _, p := range params[i] {
			dt.Params = append(dt.Params, a.SortParam(p))
		}
		dt.Self, _ = a.SortApp(syms[i], dt.Params...)
	}
	a.dtOrder = append(a.dtOrder, key)
	return syms
}

// DefineDatatype gives a datatype of BeginDatatypes its constructors. Sorts of fields use the datatype's sort
// parameters where it has any.
func (a *symbolTable) DefineDatatype(sym SortSymbol, ctors []ConstructorDecl) error {
	dt := a.sortSyms[sym].dt
	if dt == nil {
		return fmt.Errorf("%s is not a datatype", a.sortSyms[sym].name)
	}
	if len(ctors) == 0 {
		return fmt.Errorf("datatype %s has no constructor", dt.Name)
	}
	if len(dt.Constructors) > 0 {
		return fmt.Errorf("datatype %s has its constructors already", dt.Name)
	}
	for i, c := range ctors {
		var params []Sort
		for _, f := range c.Selectors {
			params = append(params, f.Sort)
		}
		k := Constructor{Name: c.Name}
		k.Symbol = a.addSymbol(SymbolInfo{Name: c.Name, Kind: SymConstructor, Params: params, Result: dt.Self, Datatype: sym, Ctor: i})
		for j, f := range c.Selectors {
			k.Selectors = append(k.Selectors, a.addSymbol(SymbolInfo{Name: f.Name, Kind: SymSelector,
				Params: []Sort{dt.Self}, Result: f.Sort, Datatype: sym, Ctor: i, Field: j}))
		}
		dt.Constructors = append(dt.Constructors, k)
	}
	return nil
}

// Datatype describes the datatype of a sort symbol; it is nil if the symbol is none.
func (a *symbolTable) Datatype(sym SortSymbol) *Datatype { return a.sortSyms[sym].dt }

// DeclaredNames returns the names that the declaration of a sort occupies: its own, and those of the constructors and
// selectors of a datatype.
func (a *symbolTable) DeclaredNames(sym SortSymbol) []string {
	name, _ := a.SortSymbolName(sym)
	names := []string{name}
	datatype := a.Datatype(sym)
	if datatype == nil {
		return names
	}
	for _, k := range datatype.Constructors {
		names = append(names, k.Name)
		for _, f := range k.Selectors {
			names = append(names, a.SymbolName(f))
		}
	}
	return names
}

// DatatypeOf describes the datatype of a sort and maps its sort parameters to the sort's arguments; nil if the
// sort is no datatype.
func (a *symbolTable) DatatypeOf(s Sort) (*Datatype, map[Sort]Sort) {
	n := &a.sorts[s]
	if n.kind != KindDatatype {
		return nil, nil
	}
	dt := a.sortSyms[n.sym].dt
	if len(n.args) == 0 {
		return dt, nil
	}
	m := make(map[Sort]Sort, len(n.args))
	for i, p := range dt.Params {
		m[p] = n.args[i]
	}
	return dt, m
}
