package smtml

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/softfp"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// Read reads a text of Smt.ml as a script, with terms of the arena; name is that of its file. The error is an
// *smtlib.Error with the place.
func Read(name, text string, a *smt.Arena) (*smtlib.Script, error) {
	exprs, err := smtlib.ParseSExprs(text)
	if err != nil {
		return nil, placedIn(name, err)
	}
	r := reader{builder: builder{a: a}, name: name, text: text, constants: map[string]smt.Term{}}
	script := &smtlib.Script{Arena: a, Name: name}
	for i := range exprs {
		c, err := r.command(&exprs[i])
		if err != nil {
			return nil, err
		}
		script.Commands = append(script.Commands, c)
	}
	return script, nil
}

// placedIn gives an error of the reader of S-expressions the name of the file.
func placedIn(name string, err error) error {
	if e, ok := err.(*smtlib.Error); ok {
		e.File = name
	}
	return err
}

// reader reads the commands of a text. Names stay declared after a pop, as in Smt.ml.
type reader struct {
	builder
	name, text string
	constants  map[string]smt.Term
}

// fault is an error at a place.
func (r *reader) fault(e *smtlib.SExpr, format string, args ...any) error {
	before := r.text[:e.Offset]
	start := strings.LastIndexByte(before, '\n') + 1
	line, _, _ := strings.Cut(r.text[start:], "\n")
	return &smtlib.Error{File: r.name, Line: strings.Count(before, "\n") + 1, Col: e.Offset - start + 1, Msg: fmt.Sprintf(format, args...), SourceLine: line}
}

// command reads a command.
func (r *reader) command(e *smtlib.SExpr) (c smtlib.Command, err error) {
	head := e.Head()
	nargs, known := map[string]int{"let-const": 2, "assert": 1, "check-sat": 0, "push": 0, "pop": 1, "get-model": 0, "set-logic": 1}[head]
	if !known {
		return c, r.fault(e, "%s is no command of .smtml; want let-const, assert, check-sat, get-model, push, pop or set-logic", briefOf(e))
	}
	if len(e.List) != nargs+1 && (head != "push" || len(e.List) != 2) { // (push 1) is harmless
		return c, r.fault(e, "%s takes %d arguments, this has %d", head, nargs, len(e.List)-1)
	}
	args := e.List[1:]
	switch head {
	case "let-const":
		return r.declare(&args[0], &args[1])
	case "assert":
		t, err := r.term(&args[0])
		if err != nil {
			return c, err
		}
		if r.a.Sort(t) != smt.SortBool {
			return c, r.fault(&args[0], "an assertion has to be a bool, this is of sort %s", r.a.SortString(r.a.Sort(t)))
		}
		return smtlib.AssertCommand(t), nil
	case "check-sat":
		return smtlib.CheckCommand(nil), nil
	case "get-model":
		return smtlib.Command{Kind: smtlib.CmdGetModel}, nil
	case "set-logic":
		return smtlib.Command{Kind: smtlib.CmdSetLogic, Text: args[0].String()}, nil
	}
	levels := 1
	if len(args) == 1 {
		if levels, err = strconv.Atoi(args[0].Atom); err != nil || levels < 0 {
			return c, r.fault(&args[0], "want a number of levels, not %s", briefOf(&args[0]))
		}
	}
	kind := smtlib.CmdPush
	if head == "pop" {
		kind = smtlib.CmdPop
	}
	return smtlib.Command{Kind: kind, N: levels}, nil
}

// declare reads the name and the type of a constant.
func (r *reader) declare(name, typ *smtlib.SExpr) (c smtlib.Command, err error) {
	sort, ok := r.sortOf(typ.Atom)
	switch {
	case !ok:
		return c, r.fault(typ, "%s is no type of .smtml that SMT-LIB has; want int, real, bool, str, a vector such as i32, f32 or f64", briefOf(typ))
	case !isName(name.Atom):
		return c, r.fault(name, "%s is no name in .smtml", briefOf(name))
	}
	if old, ok := r.constants[name.Atom]; ok {
		if r.a.Sort(old) != sort {
			return c, r.fault(name, "%s was declared with another type", name.Atom)
		}
		return c, r.fault(name, "%s is declared twice", name.Atom)
	}
	f := r.a.Declare(name.Atom, nil, sort)
	r.constants[name.Atom] = r.a.Const(f)
	return smtlib.DeclareCommand(r.a, f), nil
}

// sortOf returns the sort that a type stands for.
func (r *reader) sortOf(name string) (smt.Sort, bool) {
	switch name {
	case "int":
		return smt.SortInt, true
	case "real":
		return smt.SortReal, true
	case "bool":
		return smt.SortBool, true
	case "str":
		return smt.SortString, true
	case "f32":
		return r.a.Float(8, 24), true
	case "f64":
		return r.a.Float(11, 53), true
	}
	if digits, ok := strings.CutPrefix(name, "i"); ok {
		if width, err := strconv.Atoi(digits); err == nil && width > 0 && width <= 1<<16 && digits[0] != '+' {
			return r.a.BitVec(width), true
		}
	}
	return 0, false
}

// partial is an application whose arguments are being read.
type partial struct {
	e    *smtlib.SExpr
	next []smtlib.SExpr // arguments to read
	args []smt.Term
}

// term reads a term, with a stack of its own: terms may be as deep as memory allows.
func (r *reader) term(e *smtlib.SExpr) (smt.Term, error) {
	var stack []partial
	for {
		t, args, err := r.begin(e)
		if err != nil {
			return 0, err
		}
		if args != nil {
			stack = append(stack, partial{e: e, next: args[1:]})
			e = &args[0]
			continue
		}
		for {
			if len(stack) == 0 {
				return t, nil
			}
			top := &stack[len(stack)-1]
			if top.args = append(top.args, t); len(top.next) > 0 {
				e, top.next = &top.next[0], top.next[1:]
				break
			}
			if t, err = r.apply(top.e, top.args); err != nil {
				return 0, err
			}
			stack = stack[:len(stack)-1]
		}
	}
}

// begin reads an atom or a constant with its type, or returns the arguments of an application.
func (r *reader) begin(e *smtlib.SExpr) (t smt.Term, args []smtlib.SExpr, err error) {
	if !e.IsList() {
		t, err = r.atom(e)
		return t, nil, err
	}
	if len(e.List) < 2 {
		return 0, nil, r.fault(e, "%s is no expression of .smtml", briefOf(e))
	}
	head, rest := e.List[0].Atom, e.List[1:]
	if sort, ok := r.sortOf(head); ok {
		t, err = r.constant(e, sort)
		return t, nil, err
	}
	switch head {
	case "extract": // the expression, and two numbers
		if len(rest) != 3 {
			return 0, nil, r.fault(e, "extract takes an expression and two numbers of bytes")
		}
		return 0, rest[:1], nil
	case "Ptr", "i32.rotl", "i32.rotr", "i64.rotl", "i64.rotr": // what comes before the expression is no expression
		if len(rest) != 2 {
			return 0, nil, r.fault(e, "%s takes 2 arguments, this has %d", head, len(rest))
		}
		return 0, rest[1:], nil
	}
	return 0, rest, nil
}

// atom reads a name, a number or a string.
func (r *reader) atom(e *smtlib.SExpr) (smt.Term, error) {
	switch text := e.Atom; {
	case text == "true":
		return r.a.True(), nil
	case text == "false":
		return r.a.False(), nil
	case strings.HasPrefix(text, `"`):
		t, err := smtlib.ParseTerm(r.a, nil, text)
		if err != nil {
			return 0, r.fault(e, "%s is no string", briefOf(e))
		}
		return t, nil
	case isNumeral(text):
		n, ok := new(big.Int).SetString(text, 10)
		if !ok {
			return 0, r.fault(e, "%s is no number", briefOf(e))
		}
		return r.a.IntVal(n), nil
	case isDecimal(text):
		n, ok := new(big.Rat).SetString(text)
		if !ok {
			return 0, r.fault(e, "%s is no number", briefOf(e))
		}
		return r.a.RealVal(n), nil
	}
	if t, ok := r.constants[e.Atom]; ok {
		return t, nil
	}
	return 0, r.fault(e, "%s is not declared; declare it by (let-const %s TYPE)", briefOf(e), e.Atom)
}

// constant reads a number with its type.
func (r *reader) constant(e *smtlib.SExpr, sort smt.Sort) (smt.Term, error) {
	text := e.List[1].Atom
	wrong := func() (smt.Term, error) {
		return 0, r.fault(e, "%s is no constant of type %s", briefOf(e), e.List[0].Atom)
	}
	if len(e.List) != 2 {
		return wrong()
	}
	hexadecimal, isHexadecimal := strings.CutPrefix(text, "0x")
	switch r.a.SortKind(sort) {
	case smt.KindBitVec:
		n, ok := new(big.Int).SetString(text, 10)
		if isHexadecimal {
			n, ok = new(big.Int).SetString(hexadecimal, 16)
		}
		width := r.a.Width(sort)
		if !ok || n.BitLen() > width {
			return wrong()
		}
		return r.a.BV(width, n.And(n, value.Ones(width))), nil
	case smt.KindFloat:
		double := sort == r.a.Float(11, 53)
		if isHexadecimal {
			bits, err := strconv.ParseUint(hexadecimal, 16, 64)
			if err != nil || !double && bits > math.MaxUint32 {
				return wrong()
			}
			return r.float(sort, double, bits)
		}
		if !isDecimal(text) && text != "nan" && text != "inf" && text != "-inf" {
			return wrong()
		}
		// Numbers of f32 are read as doubles and then rounded, as Smt.ml does it. Beyond the doubles there is infinity.
		x, err := strconv.ParseFloat(text, 64)
		if err != nil && !math.IsInf(x, 0) {
			return wrong()
		}
		if double {
			return r.float(sort, true, math.Float64bits(x))
		}
		return r.float(sort, false, uint64(math.Float32bits(float32(x))))
	}
	return wrong()
}

// float returns a literal.
func (r *reader) float(sort smt.Sort, double bool, bits uint64) (smt.Term, error) {
	format := softfp.Float32
	if double {
		format = softfp.Float64
	}
	return value.ToTerm(r.a, value.Float(sort, format.FromBits64(bits)))
}

// apply applies an operator.
func (r *reader) apply(e *smtlib.SExpr, args []smt.Term) (t smt.Term, err error) {
	head := e.List[0].Atom
	names, _ := operators()
	o, d := names[head], derived()[head]
	switch {
	case head == "extract", head == "Ptr", strings.Contains(head, ".rot"):
		t, err = r.applySpecial(e, args[0])
		if err != nil {
			return 0, err
		}
	case head == "str.++":
		if t = args[0]; len(args) > 1 {
			t = r.app(smt.OpStrConcat, args...)
		}
	case o != nil:
		if len(args) != o.nargs {
			return 0, r.fault(e, "%s takes %d arguments, this has %d", head, o.nargs, len(args))
		}
		if o.operand != anyType && typeOf(r.a, args[0]) != o.operand {
			return 0, r.fault(e, "%s takes arguments of type %s, not %s", head, strings.TrimSuffix(o.operand, "."), r.a.SortString(r.a.Sort(args[0])))
		}
		if o.mode != smt.OpInvalid {
			args = append([]smt.Term{r.a.MustApp(o.mode)}, args...)
		}
		t = r.indexed(o.op, o.index, args...)
	case d.build != nil:
		if len(args) != d.nargs {
			return 0, r.fault(e, "%s takes %d arguments, this has %d", head, d.nargs, len(args))
		}
		t = d.build(&r.builder, args)
	case meaningless[head] != "":
		return 0, r.fault(e, "%s %s in SMT-LIB", head, meaningless[head])
	default:
		return 0, r.fault(e, "%s is no operator of .smtml that SMT-LIB has", briefOf(&e.List[0]))
	}
	if r.err != nil {
		return 0, r.fault(e, "%v", r.err)
	}
	return t, nil
}

// applySpecial applies an operator that has numbers among its arguments.
func (r *reader) applySpecial(e *smtlib.SExpr, x smt.Term) (smt.Term, error) {
	head, rest := e.List[0].Atom, e.List[1:]
	if head == "Ptr" {
		base, err := r.term(&rest[0])
		if err != nil {
			return 0, err
		}
		return r.app(smt.OpBVAdd, base, x), nil
	}
	if head == "extract" {
		low, err1 := strconv.Atoi(rest[1].Atom)
		high, err2 := strconv.Atoi(rest[2].Atom)
		width := 0
		if s := r.a.Sort(x); r.a.SortKind(s) == smt.KindBitVec {
			width = r.a.Width(s)
		}
		if err1 != nil || err2 != nil || low < 0 || high <= low || high > width/8 {
			return 0, r.fault(e, "extract takes a vector, and the numbers of the first byte and of that after the last one, the lowest being 0")
		}
		return r.bits(x, 8*high-1, 8*low), nil
	}
	n, err := strconv.ParseUint(rest[0].Atom, 10, 31)
	if err != nil {
		return 0, r.fault(e, "%s takes a number of bits first", head)
	}
	if typeOf(r.a, x) != head[:len("i32.")] {
		return 0, r.fault(e, "%s takes arguments of type %s, not %s", head, head[:len("i32")], r.a.SortString(r.a.Sort(x)))
	}
	op := smt.OpRotateLeft
	if strings.HasSuffix(head, "r") {
		op = smt.OpRotateRight
	}
	return r.indexed(op, []uint64{n}, x), nil
}

// briefOf returns the beginning of an expression, for messages.
func briefOf(e *smtlib.SExpr) string {
	if e.IsList() {
		return "(" + e.Head() + " ...)"
	}
	return strconv.Quote(e.Atom)
}
