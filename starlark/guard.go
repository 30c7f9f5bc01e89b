package script

import (
	"fmt"
	"maps"
	"math/bits"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
)

// Bounds of single values. A few lines that double a value would else need hours or all memory in one step of the
// interpreter, which nothing can interrupt.
const (
	maxIntBits  = 1 << 22   // of a product: its digits take milliseconds
	maxText     = 256 << 20 // bytes of a sum or product of strings
	maxElements = 16 << 20  // elements of a sum or product of lists and tuples
)

// Operators that can double the size of a value become calls of builtins with names that no identifier can have. The
// assignments += and *= keep their operator, since += changes a list in place; their right operand becomes a call that
// checks the size of the result.
const (
	guardedTimes  = "*"
	guardedPlus   = "+"
	guardedFormat = "%"
	checkedTimes  = "*="
	checkedPlus   = "+="
	messageTooBig = "the result of %s would be %s; at most %d are allowed"
)

var guards = starlark.StringDict{
	guardedTimes:  starlark.NewBuiltin(guardedTimes, guardedOperator(syntax.STAR, checkProduct)),
	guardedPlus:   starlark.NewBuiltin(guardedPlus, guardedOperator(syntax.PLUS, checkSum)),
	guardedFormat: starlark.NewBuiltin(guardedFormat, guardedOperator(syntax.PERCENT, checkFormat)),
	checkedTimes:  starlark.NewBuiltin(checkedTimes, checkedOperand(checkProduct)),
	checkedPlus:   starlark.NewBuiltin(checkedPlus, checkedOperand(checkSum)),
}

// init guards the string methods whose result can be much longer than their arguments.
func init() {
	for name, length := range map[string]func(text string, args starlark.Tuple) int{"join": joinedLength, "replace": replacedLength, "format": formattedLength} {
		guards["."+name] = starlark.NewBuiltin(name, boundedMethod(name, length))
	}
	// Extending a list by itself doubles it, like multiplying it by two.
	guards[".extend"] = starlark.NewBuiltin("extend", func(th *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if list, ok := args[0].(*starlark.List); ok && len(args) == 2 {
			length, limit, unit := extentOf(list)
			if more, _, _ := extentOf(args[1]); length+more > limit {
				return nil, fmt.Errorf(messageTooBig, "extend", fmt.Sprintf("%d %s", length+more, unit), limit)
			}
		}
		return callMethod(th, "extend", args, kwargs)
	})
}

// callMethod calls a method of the first argument with the others.
func callMethod(th *starlark.Thread, name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	x := args[0]
	var fn starlark.Value
	if v, ok := x.(starlark.HasAttrs); ok {
		var err error
		if fn, err = v.Attr(name); err != nil {
			return nil, err
		}
	}
	if fn == nil {
		return nil, fmt.Errorf("%s has no .%s field or method", x.Type(), name)
	}
	return starlark.Call(th, fn, args[1:], kwargs)
}

// boundedMethod calls a method of its first argument; if that is a string, the method has to keep to a bound.
func boundedMethod(name string, length func(string, starlark.Tuple) int) builtinFunc {
	return func(th *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		x := args[0]
		if text, ok := x.(starlark.String); ok {
			for _, pair := range kwargs {
				args = append(args, pair[1])
			}
			if n := length(string(text), args[1:]); n > maxText {
				return nil, fmt.Errorf(messageTooBig, name, fmt.Sprintf("about %d bytes", n), maxText)
			}
			args = args[:len(args)-len(kwargs)]
		}
		return callMethod(th, name, args, kwargs)
	}
}

func joinedLength(text string, args starlark.Tuple) (n int) {
	if len(args) != 1 {
		return 0
	}
	var all []starlark.Value
	switch x := args[0].(type) {
	case *starlark.List:
		for i := range x.Len() {
			all = append(all, x.Index(i))
		}
	case starlark.Tuple:
		all = x
	}
	for _, v := range all {
		if s, ok := v.(starlark.String); ok {
			n += len(s) + len(text)
		}
	}
	return n
}

func replacedLength(text string, args starlark.Tuple) int {
	if len(args) < 2 {
		return 0
	}
	from, ok1 := args[0].(starlark.String)
	to, ok2 := args[1].(starlark.String)
	if !ok1 || !ok2 || len(to) <= len(from) {
		return 0
	}
	return len(text) + strings.Count(text, string(from))*(len(to)-len(from))
}

func formattedLength(text string, args starlark.Tuple) int {
	longest := 0
	for _, v := range args {
		if s, ok := v.(starlark.String); ok {
			longest = max(longest, len(s))
		}
	}
	return len(text) + strings.Count(text, "{")*longest
}

type operands = func(x, y starlark.Value) error

type builtinFunc = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// guardedOperator is an operator behind a check of its operands.
func guardedOperator(op syntax.Token, check operands) builtinFunc {
	return func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (v starlark.Value, err error) {
		if err := check(args[0], args[1]); err != nil {
			return nil, err
		}
		return starlark.Binary(op, args[0], args[1])
	}
}

// checkedOperand returns the right operand of an assignment when the two fit.
func checkedOperand(check operands) builtinFunc {
	return func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		x, y := args[0], args[1]
		if x == starlark.None { // not known: as if it were the same
			x = y
		}
		return y, check(x, y)
	}
}

func checkProduct(x, y starlark.Value) error {
	m, isInt := x.(starlark.Int)
	n, bothInt := y.(starlark.Int)
	switch {
	case isInt && bothInt:
		return checkBits("*", bitLen(m)+bitLen(n))
	case bothInt:
		return checkRepeat(x, n)
	case isInt:
		return checkRepeat(y, m)
	}
	return nil
}

// checkRepeat checks a sequence times n.
func checkRepeat(x starlark.Value, n starlark.Int) error {
	length, limit, unit := extentOf(x)
	if length == 0 {
		return nil
	}
	times, ok := n.Uint64()
	if !ok {
		if n.Sign() <= 0 {
			return nil
		}
		times = 1 << 62
	}
	if over, total := bits.Mul64(uint64(length), times); over != 0 || total > uint64(limit) {
		return fmt.Errorf(messageTooBig, "*", fmt.Sprintf("%d times %d %s", times, length, unit), limit)
	}
	return nil
}

func checkSum(x, y starlark.Value) error {
	if m, ok := x.(starlark.Int); ok {
		if n, ok := y.(starlark.Int); ok {
			return checkBits("+", max(bitLen(m), bitLen(n)))
		}
		return nil
	}
	a, limit, unit := extentOf(x)
	if a == 0 {
		return nil
	}
	if b, _, _ := extentOf(y); a+b > limit {
		return fmt.Errorf(messageTooBig, "+", fmt.Sprintf("%d %s", a+b, unit), limit)
	}
	return nil
}

// checkFormat checks the size of a string that a format operation would build.
func checkFormat(x, y starlark.Value) error {
	format, ok := x.(starlark.String)
	if !ok {
		return nil
	}
	total := len(format)
	args, ok := y.(starlark.Tuple)
	if !ok {
		args = starlark.Tuple{y}
	}
	for _, a := range args {
		if s, ok := a.(starlark.String); ok {
			total += len(s)
		}
	}
	if total > maxText {
		return fmt.Errorf(messageTooBig, "%", fmt.Sprintf("about %d bytes", total), maxText)
	}
	return nil
}

func checkBits(op string, n int) error {
	if n > maxIntBits {
		return fmt.Errorf(messageTooBig, op, fmt.Sprintf("an int of about %d bits", n), maxIntBits)
	}
	return nil
}

func bitLen(n starlark.Int) int {
	if small, ok := n.Int64(); ok {
		return bits.Len64(uint64(max(small, -small)))
	}
	return n.BigInt().BitLen()
}

// extentOf returns the length of a value that + and * make longer, and its limit; 0 for other values.
func extentOf(x starlark.Value) (length, limit int, unit string) {
	switch x := x.(type) {
	case starlark.String:
		return len(x), maxText, "bytes"
	case starlark.Bytes:
		return len(x), maxText, "bytes"
	case *starlark.List:
		return x.Len(), maxElements, "elements"
	case starlark.Tuple:
		return len(x), maxElements, "elements"
	}
	return 0, 0, ""
}

// predeclaredNames are the names that compiled files see: those that authors know, and the guards.
func predeclaredNames(reg *registry.Registry) starlark.StringDict {
	all := make(starlark.StringDict, len(reg.Predeclared())+len(guards))
	for name, v := range reg.Predeclared() {
		all[name] = v
	}
	maps.Copy(all, guards)
	maps.Copy(all, checks)
	return all
}

// guardFile puts the guards into a parsed file, behind the checks of conditions, which look at it as it was written. It
// knows every node of the grammar.
func guardFile(f *syntax.File) {
	checkConditions(f)
	guardStmts(f.Stmts)
}

func guardStmts(stmts []syntax.Stmt) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *syntax.AssignStmt:
			s.LHS, s.RHS = guardExpr(s.LHS), guardExpr(s.RHS)
			if name := map[syntax.Token]string{syntax.PLUS_EQ: checkedPlus, syntax.STAR_EQ: checkedTimes}[s.Op]; name != "" && !isHarmlessOperand(s.Op, s.RHS) {
				var left syntax.Expr = &syntax.Ident{NamePos: s.OpPos, Name: "None"} // the rest of another form cannot be evaluated twice
				if id, ok := s.LHS.(*syntax.Ident); ok {
					left = &syntax.Ident{NamePos: id.NamePos, Name: id.Name}
				}
				s.RHS = guardCall(name, s.OpPos, left, s.RHS)
			}
		case *syntax.DefStmt:
			guardAll(s.Params)
			guardStmts(s.Body)
		case *syntax.ExprStmt:
			s.X = guardExpr(s.X)
		case *syntax.IfStmt:
			s.Cond = guardExpr(s.Cond)
			guardStmts(s.True)
			guardStmts(s.False)
		case *syntax.ForStmt:
			s.X = guardExpr(s.X)
			guardStmts(s.Body)
		case *syntax.WhileStmt:
			s.Cond = guardExpr(s.Cond)
			guardStmts(s.Body)
		case *syntax.ReturnStmt:
			s.Result = guardExpr(s.Result)
		}
	}
}

func guardAll(list []syntax.Expr) {
	for i, x := range list {
		list[i] = guardExpr(x)
	}
}

// guardExpr returns an expression with guards; nil stays nil.
func guardExpr(x syntax.Expr) syntax.Expr {
	switch x := x.(type) {
	case *syntax.BinaryExpr:
		x.X, x.Y = guardExpr(x.X), guardExpr(x.Y)
		name := map[syntax.Token]string{syntax.PLUS: guardedPlus, syntax.STAR: guardedTimes, syntax.PERCENT: guardedFormat}[x.Op]
		// Only what can double a value is guarded: a call for each + would slow down all scripts.
		if name != "" && !isHarmlessOperand(x.Op, x.X) && !isHarmlessOperand(x.Op, x.Y) {
			return guardCall(name, x.OpPos, x.X, x.Y)
		}
	case *syntax.CallExpr:
		x.Fn = guardExpr(x.Fn)
		guardAll(x.Args)
		// Methods of strings cannot be replaced, so the call goes to a function with the string as its first argument. Its
		// name has a dot, which no script can write.
		if dot, ok := x.Fn.(*syntax.DotExpr); ok && guards.Has("."+dot.Name.Name) {
			x.Fn = &syntax.Ident{NamePos: dot.NamePos, Name: "." + dot.Name.Name}
			x.Args = append([]syntax.Expr{dot.X}, x.Args...)
		}
	case *syntax.Comprehension:
		x.Body = guardExpr(x.Body)
		for _, c := range x.Clauses {
			switch c := c.(type) {
			case *syntax.ForClause:
				c.X = guardExpr(c.X)
			case *syntax.IfClause:
				c.Cond = guardExpr(c.Cond)
			}
		}
	case *syntax.CondExpr:
		x.Cond, x.True, x.False = guardExpr(x.Cond), guardExpr(x.True), guardExpr(x.False)
	case *syntax.DictEntry:
		x.Key, x.Value = guardExpr(x.Key), guardExpr(x.Value)
	case *syntax.DictExpr:
		guardAll(x.List)
	case *syntax.DotExpr:
		x.X = guardExpr(x.X)
	case *syntax.IndexExpr:
		x.X, x.Y = guardExpr(x.X), guardExpr(x.Y)
	case *syntax.LambdaExpr:
		guardAll(x.Params)
		x.Body = guardExpr(x.Body)
	case *syntax.ListExpr:
		guardAll(x.List)
	case *syntax.ParenExpr:
		x.X = guardExpr(x.X)
	case *syntax.SliceExpr:
		x.X, x.Lo, x.Hi, x.Step = guardExpr(x.X), guardExpr(x.Lo), guardExpr(x.Hi), guardExpr(x.Step)
	case *syntax.TupleExpr:
		guardAll(x.List)
	case *syntax.UnaryExpr:
		x.X = guardExpr(x.X)
	}
	return x
}

// isHarmlessOperand reports an operand of + that cannot double the other one, since it is as long as it is written. A
// factor can.
func isHarmlessOperand(op syntax.Token, x syntax.Expr) bool {
	if op != syntax.PLUS && op != syntax.PLUS_EQ {
		return false
	}
	switch x.(type) {
	case *syntax.Literal, *syntax.ListExpr:
		return true
	}
	return false
}

func guardCall(name string, at syntax.Position, x, y syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: []syntax.Expr{x, y}, Rparen: at}
}
