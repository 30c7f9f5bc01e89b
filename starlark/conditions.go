package script

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
)

// The language asks a value for its truth and does not allow an error as the answer. So conditions of campaign files
// are checked by calls that are put around them when a file is compiled. No script can write these names.
const (
	conditionName = "(condition)"
	equationName  = "(equation)"
)

// checks are the functions behind these names.
var checks = starlark.StringDict{
	conditionName: starlark.NewBuiltin(conditionName, checkCondition),
	equationName:  starlark.NewBuiltin(equationName, checkEquation),
}

// checkCondition returns its argument if that is true or false.
func checkCondition(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	if _, err := registry.Truth(args[0]); err != nil {
		return nil, err
	}
	return args[0], nil
}

// checkEquation compares its first two arguments, for equality or, if the third one is true, for difference. The result
// goes to a function of smt, so they must not be terms.
func checkEquation(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	op, function := syntax.EQL, "smt.eq(x, y)"
	if args[2].Truth() {
		op, function = syntax.NEQ, "smt.distinct(x, y)"
	}
	for _, v := range args[:2] {
		if _, ok := v.(value.Term); ok {
			return nil, fmt.Errorf("%s between terms tells whether they are the same term and makes no formula; write %s", op, function)
		}
	}
	same, err := starlark.Compare(op, args[0], args[1])
	return starlark.Bool(same), err
}

// checkConditions puts calls of the checks into a file.
func checkConditions(f *syntax.File) {
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.IfStmt:
			n.Cond = asCondition(n.Cond)
		case *syntax.CondExpr:
			n.Cond = asCondition(n.Cond)
		case *syntax.IfClause:
			n.Cond = asCondition(n.Cond)
		case *syntax.UnaryExpr:
			if n.Op == syntax.NOT {
				n.X = asCondition(n.X)
			}
		case *syntax.BinaryExpr:
			if n.Op == syntax.AND || n.Op == syntax.OR && !isFallback(n) {
				n.X = asCondition(n.X)
			}
		case *syntax.CallExpr:
			if f, ok := n.Fn.(*syntax.DotExpr); ok {
				if module, ok := f.X.(*syntax.Ident); ok && module.Name == "smt" && f.Name.Name != "bool" {
					checkEquations(n.Args)
				}
			}
		}
		return true
	})
}

// isFallback recognises the idiom for a fallback value: rng.pick(list) or skip("reason"), and anything combined with
// skip or fail. In this idiom, a term on the left counts as present; its truth value is not used.
func isFallback(e *syntax.BinaryExpr) bool {
	switch f := calleeOf(e.Y).(type) {
	case *syntax.Ident:
		if f.Name == "skip" || f.Name == "fail" {
			return true
		}
	}
	f, ok := calleeOf(e.X).(*syntax.DotExpr)
	return ok && (f.Name.Name == "pick" || f.Name.Name == "weighted" || f.Name.Name == "get")
}

func calleeOf(e syntax.Expr) syntax.Expr {
	if c, ok := e.(*syntax.CallExpr); ok {
		return c.Fn
	}
	return nil
}

// checkEquations replaces comparisons among the arguments of a function that makes a term by calls.
func checkEquations(args []syntax.Expr) {
	for i, arg := range args {
		e, ok := arg.(*syntax.BinaryExpr)
		if !ok || e.Op != syntax.EQL && e.Op != syntax.NEQ {
			continue
		}
		negated := &syntax.Ident{NamePos: e.OpPos, Name: "False"}
		if e.Op == syntax.NEQ {
			negated.Name = "True"
		}
		args[i] = callExpr(equationName, e.X, e.Y, negated)
	}
}

// asCondition puts a call around an expression that may be anything.
func asCondition(x syntax.Expr) syntax.Expr {
	switch e := x.(type) {
	case *syntax.Literal, *syntax.ListExpr, *syntax.DictExpr, *syntax.TupleExpr, *syntax.Comprehension:
		return x
	case *syntax.ParenExpr:
		e.X = asCondition(e.X)
		return x
	case *syntax.UnaryExpr:
		if e.Op == syntax.NOT {
			return x // the result is a bool; the operand gets its own call
		}
	case *syntax.BinaryExpr:
		switch e.Op {
		case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE, syntax.IN, syntax.NOT_IN:
			return x
		}
	}
	return callExpr(conditionName, x)
}

func callExpr(name string, args ...syntax.Expr) *syntax.CallExpr {
	start, _ := args[0].Span()
	_, end := args[len(args)-1].Span()
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: start, Name: name}, Lparen: start, Args: args, Rparen: end}
}
