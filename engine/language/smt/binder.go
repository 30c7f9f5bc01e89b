package smt

import (
	"fmt"
	"strconv"
	"strings"
)

// Var returns the bound variable of that name and sort. Variables are their name and sort: two quantifiers over
// (x Int) bind the same Var term, each within its own body.
func (a *Arena) Var(name string, sort Sort) Term {
	return a.internNode(OpVar, sort, []Index{a.NameIndex(name)}, nil)
}

// VarName returns the name of a bound variable.
func (a *reader) VarName(v Term) string {
	s, _ := a.IndexName(a.Indices(v)[0])
	return s
}

func (a *Arena) bindVars(op Op, sort Sort, idx []Index, vars []Term, body Term) (Term, error) {
	var names map[Index]bool // where comparing all pairs would take long
	if len(vars) > 16 {
		names = make(map[Index]bool, len(vars))
	}
	for i, v := range vars {
		if a.Op(v) != OpVar {
			return 0, &SortError{Op: op.String(), Arg: i + 1, Want: "a variable", Got: a.SortString(a.Sort(v)), Term: a.Brief(v)}
		}
		if names != nil {
			if names[a.Indices(v)[0]] {
				return 0, &SortError{Op: op.String(), Want: "variables with different names", Got: a.VarName(v) + " twice"}
			}
			names[a.Indices(v)[0]] = true
			continue
		}
		for _, w := range vars[:i] {
			if a.Indices(v)[0] == a.Indices(w)[0] {
				return 0, &SortError{Op: op.String(), Want: "variables with different names", Got: a.VarName(v) + " twice"}
			}
		}
	}
	return a.internNode(op, sort, idx, append(append(make([]Term, 0, len(vars)+1), vars...), body)), nil
}

// Quant returns (forall vars body) or (exists vars body), as op says; vars are OpVar terms of different names.
func (a *Arena) Quant(op Op, vars []Term, body Term) (Term, error) {
	if op != OpForall && op != OpExists {
		return 0, &SortError{Op: op.String(), Want: "forall or exists", Got: op.String()}
	}
	if s := a.Sort(body); s != SortBool && s != SortUnknown {
		return 0, &SortError{Op: op.String(), Arg: len(vars) + 1, Want: "Bool", Got: a.SortString(s), Term: a.Brief(body)}
	}
	if len(vars) == 0 {
		return 0, &SortError{Op: op.String(), Want: "at least one variable", Got: "none"}
	}
	return a.bindVars(op, SortBool, nil, vars, body)
}

// Lambda returns (lambda vars body). Its sort is the function sort. If asArray is set, it is an array sort, as for z3's
// one-variable lambdas.
func (a *Arena) Lambda(vars []Term, body Term, asArray bool) (Term, error) {
	if len(vars) == 0 {
		return 0, &SortError{Op: "lambda", Want: "at least one variable", Got: "none"}
	}
	sorts := a.sortsOf(vars)
	var sort Sort
	if asArray {
		sort = a.Sort(body)
		for i := len(sorts) - 1; i >= 0; i-- {
			sort = a.Array(sorts[i], sort)
		}
	} else {
		sort = a.Func(append(sorts, a.Sort(body))...)
	}
	return a.bindVars(OpLambda, sort, nil, vars, body)
}

// Choice returns a solver-specific binder that denotes some element for which the body holds: z3's choice, cvc5's
// witness. It is an opaque application of its name to a lambda.
func (a *Arena) Choice(name string, vars []Term, body Term) (Term, error) {
	if len(vars) != 1 {
		return 0, &SortError{Op: name, Want: "one variable", Got: fmt.Sprint(len(vars))}
	}
	if err := a.wantBool(name, body); err != nil {
		return 0, err
	}
	holds, err := a.Lambda(vars, body, false)
	return a.Opaque(name, nil, a.Sort(vars[0]), holds), err
}

// Comprehension returns cvc5's (set.comprehension vars body element), the set of the elements for which the body holds:
// an opaque application of its name to a lambda of both.
func (a *Arena) Comprehension(name string, vars []Term, body, element Term) (Term, error) {
	if err := a.wantBool(name, body); err != nil {
		return 0, err
	}
	both, err := a.Lambda(vars, a.Opaque(name, nil, SortUnknown, body, element), false)
	return a.Opaque(name, nil, a.Set(a.Sort(element)), both), err
}

func (a *Arena) wantBool(op string, body Term) error {
	if s := a.Sort(body); s != SortBool && s != SortUnknown {
		return &SortError{Op: op, Want: "a body of sort Bool", Got: a.SortString(s), Term: a.Brief(body)}
	}
	return nil
}

// OwnBinder returns the lambda of a term of Choice or Comprehension; ok is false for any other term. Without its
// lambda, an application of the same name is an ordinary one.
func (a *reader) OwnBinder(t Term) (lambda Term, ok bool) {
	if a.Op(t) != OpOpaque || a.NumArgs(t) != 1 || a.Op(a.Arg(t, 0)) != OpLambda {
		return 0, false
	}
	switch name, _ := a.OpaqueHead(t); name {
	case "choice", "witness":
		return a.Arg(t, 0), len(a.BoundVars(a.Arg(t, 0))) == 1
	case "set.comprehension":
		body := a.Body(a.Arg(t, 0))
		if a.Op(body) != OpOpaque || a.NumArgs(body) != 2 {
			return 0, false
		}
		inner, _ := a.OpaqueHead(body)
		return a.Arg(t, 0), inner == name
	}
	return 0, false
}

// Case returns a match case: the constructor ctor with the pattern's variables, or, with ctor 0, one variable that
// takes any value. Build it only as an argument of Match.
func (a *Arena) Case(ctor Symbol, vars []Term, body Term) (Term, error) {
	var idx []Index
	if ctor != 0 {
		idx = []Index{Index(ctor)}
		if want := len(a.symbols[ctor].Params); want != len(vars) {
			return 0, &SortError{Op: "match", Want: fmt.Sprintf("pattern of %s takes %d variables", a.symbols[ctor].Name, want), Got: fmt.Sprint(len(vars))}
		}
	} else if len(vars) != 1 {
		return 0, &SortError{Op: "match", Want: "a pattern without constructor is one variable", Got: fmt.Sprint(len(vars))}
	}
	return a.bindVars(OpCase, a.Sort(body), idx, vars, body)
}

// Match returns (match t cases). All cases have one sort and their patterns cover the datatype.
func (a *Arena) Match(t Term, cases []Term) (Term, error) {
	dt, m := a.DatatypeOf(a.Sort(t))
	if dt == nil && a.Sort(t) != SortUnknown {
		return 0, &SortError{Op: "match", Arg: 1, Want: "a datatype", Got: a.SortString(a.Sort(t)), Term: a.Brief(t)}
	}
	if len(cases) == 0 {
		return 0, &SortError{Op: "match", Want: "at least one case", Got: "none"}
	}
	covered := map[Symbol]bool{}
	all := false
	for i, c := range cases {
		if s := a.Sort(c); s != a.Sort(cases[0]) && s != SortUnknown {
			return 0, &SortError{Op: "match", Arg: i + 2, Want: a.SortString(a.Sort(cases[0])), Got: a.SortString(s), Term: a.Brief(a.Body(c))}
		}
		ctor := a.SymbolOf(c)
		if ctor == 0 {
			all = true
			continue
		}
		covered[ctor] = true
		info := a.symbols[ctor]
		if dt == nil {
			continue
		}
		if info.Kind != SymConstructor || a.sorts[a.Sort(t)].sym != info.Datatype {
			return 0, &SortError{Op: "match", Want: "constructors of " + a.SortString(a.Sort(t)), Got: info.Name}
		}
		for j, v := range a.BoundVars(c) {
			if want := a.SubstSort(info.Params[j], m); want != a.Sort(v) {
				return 0, &SortError{Op: "match", Want: fmt.Sprintf("variable %s of pattern %s has sort %s", a.VarName(v), info.Name, a.SortString(want)), Got: a.SortString(a.Sort(v))}
			}
		}
	}
	// SMT-LIB wants matches to be complete: for a value without a case there is no meaning.
	if dt != nil && !all && len(covered) < len(dt.Constructors) {
		missing := ""
		for _, k := range dt.Constructors {
			if !covered[k.Symbol] {
				missing += " " + QuoteSymbol(k.Name)
			}
		}
		return 0, &SortError{Op: "match", Want: "a pattern for every constructor of " + QuoteSymbol(dt.Name), Got: "none for" + missing}
	}
	return a.internNode(OpMatch, a.Sort(cases[0]), nil, append([]Term{t}, cases...)), nil
}

// BoundVars returns the variables that a binder binds, in a slice like that of Args; nil for any other term.
func (a *reader) BoundVars(t Term) []Term {
	if !a.Op(t).IsBinder() {
		return nil
	}
	args := a.Args(t)
	return args[: len(args)-1 : len(args)-1]
}

// Body returns the body of a binder.
func (a *reader) Body(t Term) Term { return a.Arg(t, a.NumArgs(t)-1) }

// Attr is an attribute of an annotated term: a keyword with a value in text, or with terms as :pattern has.
type Attr struct {
	Keyword string // with the colon
	Value   string // as written; empty if there is none
	Terms   []Term
}

// Annotate returns (! t attributes). The annotation does not change the meaning of t.
func (a *Arena) Annotate(t Term, attrs []Attr) Term {
	var skeleton strings.Builder
	args := []Term{t}
	for _, x := range attrs {
		// Keywords and values hold no character below blank but in quotes, so 1 and 2 can separate them.
		fmt.Fprintf(&skeleton, "%s\x01%s\x01%d\x02", x.Keyword, x.Value, len(x.Terms))
		args = append(args, x.Terms...)
	}
	return a.internNode(OpAnnot, a.Sort(t), []Index{a.NameIndex(skeleton.String())}, args)
}

// NameOf returns the name that :named gives a formula as a whole, without bars, and the formula without the name. The
// formula is 0 if it has no name.
func (a *Arena) NameOf(t Term) (name string, formula Term) {
	for a.Op(t) == OpAnnot {
		formula = a.Arg(t, 0)
		for _, x := range a.Annotations(t) {
			if x.Keyword == ":named" {
				return strings.Trim(x.Value, "|"), formula
			}
		}
		t = formula
	}
	return "", 0
}

// exchanged is the keyword of a term in which constants have exchanged names. It has no colon, so it cannot occur in a
// text.
const exchanged = "let"

// ExchangeNames returns t wrapped in a let that rotates the names of constants: each has the name of the one before it,
// and the first has that of the last. In (let ((x y) (y x)) ...), x stands for y and y for x. The meaning of t does not
// change.
func (a *Arena) ExchangeNames(t Term, constants []Term) Term {
	return a.Annotate(t, []Attr{{Keyword: exchanged, Terms: constants}})
}

// ExchangedNames returns the constants that were given to ExchangeNames. It returns nil for other terms, and if the
// constants have been replaced by other terms.
func (a *reader) ExchangedNames(t Term) []Term {
	if !a.IsExchange(t) {
		return nil
	}
	constants := a.Annotations(t)[0].Terms
	seen := map[Term]bool{}
	for _, x := range constants {
		f := a.SymbolOf(x)
		if seen[x] || f == 0 || a.NumArgs(x) > 0 || a.SymbolInfo(f).Kind != SymDeclared || a.SymbolInfo(f).Qualified {
			return nil
		}
		seen[x] = true
	}
	return constants
}

// IsExchange reports whether a term was made by ExchangeNames.
func (a *reader) IsExchange(t Term) bool {
	if a.Op(t) != OpAnnot {
		return false
	}
	skeleton, _ := a.IndexName(a.Indices(t)[0])
	return strings.HasPrefix(skeleton, exchanged+"\x01")
}

// Annotations returns the attributes of an annotated term.
func (a *reader) Annotations(t Term) []Attr {
	if a.Op(t) != OpAnnot {
		return nil
	}
	skeleton, _ := a.IndexName(a.Indices(t)[0])
	rest := a.CopyArgs(t)[1:]
	var attrs []Attr
	for _, part := range strings.Split(strings.TrimSuffix(skeleton, "\x02"), "\x02") {
		f := strings.Split(part, "\x01")
		n, _ := strconv.Atoi(f[2])
		attrs = append(attrs, Attr{Keyword: f[0], Value: f[1], Terms: rest[:n:n]})
		rest = rest[n:]
	}
	return attrs
}
