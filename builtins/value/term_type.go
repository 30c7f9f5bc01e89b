package value

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/language/normal"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// attr adapts a function of a live term to an attribute.
func attr(f func(a *smt.Arena, st *TermStore, t smt.Term) (starlark.Value, error)) func(starlark.Value) (starlark.Value, error) {
	return func(v starlark.Value) (starlark.Value, error) {
		t := v.(Term)
		id, err := t.ID()
		if err != nil {
			return nil, err
		}
		return f(t.Store().Arena, t.Store(), id)
	}
}

// own returns the receiver of a method, and a store in which terms can be built.
func own(c *registry.Call, t Term) (*TermStore, smt.Term, error) {
	st := t.Store()
	if st.Frozen() {
		st = SessionOf(c.Thread).Scratch()
	}
	id, err := t.In(st)
	return st, id, err
}

func termList(st *TermStore, ts []smt.Term) starlark.Tuple {
	out := make(starlark.Tuple, len(ts))
	for i, t := range ts {
		out[i] = NewTerm(st, t)
	}
	return out
}

const xgt1 = "x = smt.const(\"x\", smt.Int)\n"

// TermType describes the attributes and methods of term values.
var TermType = registry.NewType[Term]("term", `A term of SMT-LIB: hash-consed, sort-checked, immutable. Terms are equal (==) when they are the same term.
`+"`+ - * / // % [] -x`"+` build terms where SMT-LIB has exactly one meaning for the sorts; everything else is a function of the module smt.
A term lives as long as the case that it was made for.`, append(termAttrs(), termMethods()...)).WithOperators(termOperators()...).WithElsewhere(map[string]string{
	"children": "args", "arguments": "args", "operands": "args", "operator": "op", "decl": "op", "head": "op", "substitute": "replace", "subst": "replace",
	"subterms": "find", "vars": "free_vars", "type": "sort", "width": "sort", "name": "op", "is_const": "kind",
})

// termOperators documents what Binary, Unary, Get and CompareSameType do, from their tables.
func termOperators() []registry.OperatorDoc {
	var out []registry.OperatorDoc
	for _, op := range []syntax.Token{syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT} {
		var meanings []string
		for kind := smt.KindBool; kind <= smt.KindDatatype; kind++ {
			if o, ok := binaryOps[op][kind]; ok {
				meanings = append(meanings, fmt.Sprintf("%s: `%s`", kind, o))
			}
		}
		out = append(out, registry.OperatorDoc{Sign: op.String(), Other: "term | int", Ret: "term", Doc: strings.Join(meanings, ", ")})
	}
	return append(out,
		registry.OperatorDoc{Sign: "unary -", Ret: "term", Doc: "Int and Real: `-`, BitVec: `bvneg`, FloatingPoint: `fp.neg`, FiniteField: `ff.neg`"},
		registry.OperatorDoc{Sign: "[]", Other: "term | int", Ret: "term", Doc: "Array: `select`, String: `str.at`"},
	)
}

func termAttrs() []registry.Builtin {
	return []registry.Builtin{
		{Name: "op", Doc: "The SMT-LIB name of the head symbol: an operator, a function or constant, a variable, forall, exists, lambda, match; or numeral, decimal, bit-vector literal, string literal.",
			Ret: "str", Example: xgt1 + "(x + 1).op  # -> \"+\"\nx.op  # -> \"x\"",
			Get: attr(func(a *smt.Arena, _ *TermStore, t smt.Term) (starlark.Value, error) {
				return starlark.String(smt.HeadName(a, t)), nil
			})},
		{Name: "args", Doc: "The arguments. Those of a quantifier are its variables and its body.", Ret: "tuple[term, ...]",
			Example: xgt1 + "(x + 1).args  # -> (x, 1)",
			Get: attr(func(a *smt.Arena, st *TermStore, t smt.Term) (starlark.Value, error) {
				return termList(st, a.Args(t)), nil
			})},
		{Name: "sort", Doc: "The sort.", Ret: "sort", Example: "smt.bv(5, 8).sort  # -> (_ BitVec 8)",
			Get: attr(func(a *smt.Arena, st *TermStore, t smt.Term) (starlark.Value, error) {
				return NewSort(st, a.Sort(t)), nil
			})},
		{Name: "indices", Doc: "The indices of the head: ints, and strings for symbols.", Ret: "tuple[int | str, ...]",
			Example: "smt.extract(7, 4, smt.bv(5, 8)).indices  # -> (7, 4)",
			Get: attr(func(a *smt.Arena, _ *TermStore, t smt.Term) (starlark.Value, error) {
				var out starlark.Tuple
				if a.Op(t).Structural() {
					return out, nil
				}
				for _, i := range a.Indices(t) {
					if name, ok := a.IndexName(i); ok {
						out = append(out, starlark.String(name))
					} else {
						n, _ := a.IndexNum(i)
						out = append(out, starlark.MakeBigInt(n))
					}
				}
				return out, nil
			})},
		{Name: "value", Doc: "The value of a literal: an int (numerals, bit vectors as unsigned numbers, finite fields), a pair of numerator and denominator (decimals), a bool or a str; None for any other term.",
			Ret: "any", Example: "smt.bv(5, 8).value  # -> 5\nsmt.real(\"0.5\").value  # -> (1, 2)\nsmt.const(\"x\", smt.Int).value  # -> None",
			Get: attr(func(a *smt.Arena, _ *TermStore, t smt.Term) (starlark.Value, error) { return literalValue(a, t), nil })},
		{Name: "key", Doc: `A key of the term: 32 hexadecimal digits. Terms that differ only in names of functions, sorts and variables, in the order of
arguments of commutative operators, and in how associative ones are nested, have the same key; other terms have different keys.`, Ret: "str",
			Example: "x, y = smt.const(\"x\", smt.Int), smt.const(\"y\", smt.Int)\nsmt.lt(x + y, 1).key == smt.lt(y + x, 1).key  # -> True",
			Get: attr(func(_ *smt.Arena, st *TermStore, t smt.Term) (v starlark.Value, _ error) {
				st.Walk(func(a *smt.Arena) { v = starlark.String(normal.OfTerm(a, t, false).String()) })
				return v, nil
			})},
		{Name: "size", Doc: "The number of different subterms, including the term itself.", Ret: "int",
			Example: xgt1 + "(x * x + x * x).size  # -> 3",
			Get: attr(func(_ *smt.Arena, st *TermStore, t smt.Term) (v starlark.Value, _ error) {
				st.Walk(func(a *smt.Arena) { v = starlark.MakeInt(a.Size(t)) })
				return v, nil
			})},
		{Name: "depth", Doc: "The length of the longest path to a leaf; 0 for a leaf.", Ret: "int",
			Example: xgt1 + "(x * x + x).depth  # -> 2",
			Get: attr(func(_ *smt.Arena, st *TermStore, t smt.Term) (v starlark.Value, _ error) {
				st.Walk(func(a *smt.Arena) { v = starlark.MakeInt(a.Depth(t)) })
				return v, nil
			})},
		{Name: "free_vars", Doc: "The variables that occur free in the term, for example because a quantifier outside of it binds them.", Ret: "tuple[term, ...]",
			Example: "v = smt.var(\"v\", smt.Int)\n(v + 1).free_vars  # -> (v,)\nsmt.forall([v], smt.gt(v, 0)).free_vars  # -> ()",
			Get: attr(func(_ *smt.Arena, st *TermStore, t smt.Term) (v starlark.Value, _ error) {
				st.Walk(func(a *smt.Arena) { v = termList(st, a.FreeVars(t)) })
				return v, nil
			})},
		{Name: "kind", Doc: "The kind of the head: operator, literal, constant, application (of a function), variable, binder, annotation or unknown.", Ret: "str",
			Example: xgt1 + "x.kind  # -> \"constant\"\n(x + 1).kind  # -> \"operator\"",
			Get: attr(func(a *smt.Arena, _ *TermStore, t smt.Term) (starlark.Value, error) {
				return starlark.String(smt.HeadKind(a, t)), nil
			})},
	}
}

// literalValue is a literal as a Python value; None for any other term.
func literalValue(a *smt.Arena, t smt.Term) starlark.Value {
	switch a.Op(t) {
	case smt.OpTrue, smt.OpFalse:
		return starlark.Bool(a.Op(t) == smt.OpTrue)
	case smt.OpIntLit:
		n, _ := a.IntOf(t)
		return starlark.MakeBigInt(n)
	case smt.OpBVLit:
		n, _ := a.BVOf(t)
		return starlark.MakeBigInt(n)
	case smt.OpFFLit:
		n, _ := a.FFOf(t)
		return starlark.MakeBigInt(n)
	case smt.OpRealLit:
		r, _ := a.RatOf(t)
		return starlark.Tuple{starlark.MakeBigInt(r.Num()), starlark.MakeBigInt(r.Denom())}
	case smt.OpStringLit:
		s, _ := a.StrOf(t)
		return starlark.String(string(s))
	}
	return starlark.None
}

func termMethods() []registry.Builtin {
	return []registry.Builtin{
		{Name: "find", Doc: "The subterms that satisfy all conditions, including the term itself and subterms under quantifiers: each once, arguments before the term.",
			Ret: "list[term]", Example: xgt1 + "(x + 1).find(sort = smt.Int)  # -> [x, 1, (+ x 1)]",
			Do: registry.Method(func(c *registry.Call, t Term, a *findArgs) (starlark.Value, error) {
				st, id, err := own(c, t)
				if err != nil {
					return nil, err
				}
				return find(c, st, []smt.Term{id}, a)
			})},
		{Name: "replace", Doc: "The term with every occurrence of a subterm replaced by a term of the same sort, also under quantifiers, where a variable is the one of the enclosing binder.",
			Ret: "term", Example: xgt1 + "(x + 1).replace(x, 5)  # -> (+ 5 1)",
			Do: registry.Method(func(c *registry.Call, t Term, a *replaceArgs) (starlark.Value, error) {
				st, id, err := own(c, t)
				if err != nil {
					return nil, err
				}
				f, err := replacement(c, st, a)
				if err != nil {
					return nil, err
				}
				r, err := f(id)
				return NewTerm(st, r), err
			})},
		{Name: "map", Doc: "The term rebuilt from the leaves up: the function gets each subterm with its arguments already rebuilt and returns its replacement, or None to keep it.",
			Ret:     "term",
			Example: xgt1 + "(x + 1).map(lambda t: t.value + 1 if t.kind == \"literal\" else None)  # -> (+ x 2)",
			Do: registry.Method(func(c *registry.Call, t Term, a *overArgs) (starlark.Value, error) {
				st, id, err := own(c, t)
				if err != nil {
					return nil, err
				}
				r, err := mapper(c, st, a.F)(id)
				return NewTerm(st, r), err
			})},
		{Name: "fold", Doc: "A value computed from the leaves up: the function gets each subterm, once, and the list of its arguments' values. The term's own value is the result.",
			Ret:     "any",
			Example: xgt1 + "(x * x + 1).fold(lambda t, below: 1 + max(below + [-1]))  # -> 2",
			Do:      registry.Method(foldTerm)},
		{Name: "walk", Doc: "Calls the function for each subterm, once, arguments before the term.",
			Example: xgt1 + "seen = []\n(x + 1).walk(lambda t: seen.append(t.op))\nseen  # -> [\"x\", \"numeral\", \"+\"]",
			Do: registry.Method(func(c *registry.Call, t Term, a *overArgs) (starlark.Value, error) {
				st, ts, err := below(c, t)
				if err != nil {
					return nil, err
				}
				for _, t := range ts {
					if _, err := c.Invoke(a.F, NewTerm(st, t)); err != nil {
						return nil, err
					}
				}
				return starlark.None, nil
			})},
	}
}

// overArgs are the arguments of methods that call a function for each subterm.
type overArgs struct {
	F starlark.Callable `type:"callable(term) -> any"`
}

// foldArgs are the arguments of term.fold.
type foldArgs struct {
	F starlark.Callable `type:"callable(term, below: list) -> any" doc:"a function of (term, values of its arguments)"`
}

// below lists the subterms of the receiver, arguments first.
func below(c *registry.Call, t Term) (*TermStore, []smt.Term, error) {
	st, id, err := own(c, t)
	if err != nil {
		return nil, nil, err
	}
	var ts []smt.Term
	st.Walk(func(a *smt.Arena) { a.PostOrder([]smt.Term{id}, func(t smt.Term) { ts = append(ts, t) }) })
	return st, ts, nil
}

func foldTerm(c *registry.Call, t Term, a *foldArgs) (starlark.Value, error) {
	st, ts, err := below(c, t)
	if err != nil {
		return nil, err
	}
	vals := make(map[smt.Term]starlark.Value, len(ts))
	for _, t := range ts {
		args := make([]starlark.Value, st.Arena.NumArgs(t))
		for i := range args {
			args[i] = vals[st.Arena.Arg(t, i)]
		}
		if vals[t], err = c.Invoke(a.F, NewTerm(st, t), starlark.NewList(args)); err != nil {
			return nil, err
		}
	}
	if len(ts) == 0 {
		return nil, fmt.Errorf("no term")
	}
	return vals[ts[len(ts)-1]], nil
}
