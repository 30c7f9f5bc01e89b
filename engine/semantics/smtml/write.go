package smtml

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
)

// maxWritten bounds the operators and names of an expanded assertion: the format has no let.
const maxWritten = 1 << 20

// Write returns a script as a text of Smt.ml. The error names what the format cannot express, and where: a sort, an
// operator, a command, or a term that would be too long, since the format has no let. Options and infos become
// comments, and so do logics other than QF_BVFP, which the format does not know. Equivalent terms with other operators
// are made in the script's arena.
func Write(script *smtlib.Script) (string, error) {
	w := writer{lowering: newLowering(script.Arena)}
	for i := range script.Commands {
		if err := w.command(&script.Commands[i]); err != nil {
			c := &script.Commands[i]
			return "", fmt.Errorf("%s:%d:%d: %w", script.Name, c.Pos.Line, c.Pos.Col, err)
		}
	}
	return w.b.String(), nil
}

type writer struct {
	lowering
	b strings.Builder
}

// refusal returns the error about something that the format cannot express.
func refusal(format string, args ...any) error {
	return fmt.Errorf(".smtml cannot say "+format, args...)
}

// command writes a command.
func (w *writer) command(c *smtlib.Command) error {
	switch c.Kind {
	case smtlib.CmdSetLogic:
		if c.Text != "QF_BVFP" {
			fmt.Fprintf(&w.b, "; (set-logic %s)\n", c.Text)
			return nil
		}
		w.b.WriteString("(set-logic QF_BVFP)\n")
	case smtlib.CmdSetOption, smtlib.CmdSetInfo:
		if !strings.Contains(c.Text, "\n") {
			fmt.Fprintf(&w.b, "; (%s %s %s)\n", c.Kind, c.Name, c.Text)
		}
	case smtlib.CmdDeclareConst, smtlib.CmdDeclareFun:
		return w.declare(c.Symbols[0])
	case smtlib.CmdDefineConst, smtlib.CmdDefineFun, smtlib.CmdDefineSort: // written out where it is used
	case smtlib.CmdAssert:
		return w.assert(c.Terms[0])
	case smtlib.CmdCheckSat:
		w.b.WriteString("(check-sat)\n")
	case smtlib.CmdCheckSatAssuming:
		w.b.WriteString("(push)\n")
		for _, t := range c.Terms {
			if err := w.assert(t); err != nil {
				return err
			}
		}
		w.b.WriteString("(check-sat)\n(pop 1)\n")
	case smtlib.CmdPush:
		w.b.WriteString(strings.Repeat("(push)\n", min(c.N, maxWritten)))
	case smtlib.CmdPop:
		fmt.Fprintf(&w.b, "(pop %d)\n", c.N)
	case smtlib.CmdGetModel:
		w.b.WriteString("(get-model)\n")
	case smtlib.CmdExit:
	default:
		name := c.Kind.String()
		if c.Kind == smtlib.CmdOther {
			name = c.Name
		}
		return refusal("the command %s", name)
	}
	return nil
}

func (w *writer) declare(f smt.Symbol) error {
	info := w.a.SymbolInfo(f)
	typ := typeName(w.a, info.Result)
	switch {
	case len(info.Params) > 0:
		return refusal("functions with arguments, such as %s", info.Text)
	case typ == "" || strings.HasPrefix(typ, "i") && typ != "int" && typ != "i8" && typ != "i32" && typ != "i64":
		return refusal("the sort %s of %s", w.a.SortString(info.Result), info.Text)
	case !isName(info.Name):
		return refusal("the name %s; rename it: names are letters, digits and ~!@$%%^&*_-+=<>.?/ and no word of the format", info.Text)
	}
	fmt.Fprintf(&w.b, "(let-const %s %s)\n", info.Name, typ)
	return nil
}

func (w *writer) assert(t smt.Term) error {
	t, err := w.lower(t)
	if err != nil {
		return err
	}
	if w.a.TreeSize(t, maxWritten) >= maxWritten {
		return refusal("let, and without it this assertion has more than %d operators", maxWritten)
	}
	w.b.WriteString("(assert ")
	w.term(t)
	w.b.WriteString(")\n")
	return nil
}

// term writes a term made by lower. It uses an explicit stack.
func (w *writer) term(t smt.Term) {
	type piece struct {
		t    smt.Term
		text string // in the place of a term
	}
	stack := []piece{{t: t}}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if x.text != "" {
			w.b.WriteString(x.text)
			continue
		}
		if text, ok := w.leaf(x.t); ok {
			w.b.WriteString(text)
			continue
		}
		head, args, tail := w.application(x.t)
		w.b.WriteString("(" + head)
		stack = append(stack, piece{text: tail + ")"})
		for _, arg := range slices.Backward(args) {
			stack = append(stack, piece{t: arg}, piece{text: " "})
		}
	}
}

// application returns the parts of an application: the text before the arguments, the arguments, and the text after
// them.
func (w *writer) application(t smt.Term) (head string, args []smt.Term, tail string) {
	op, args := w.a.Look(t)
	switch op {
	case smt.OpExtract:
		high, low := indexOf(w.a, t, 0), indexOf(w.a, t, 1)
		return "extract", args, fmt.Sprintf(" %d %d", low/8, (high+1)/8)
	case smt.OpMod: // by a positive number
		return "int.rem", args, ""
	case smt.OpRotateLeft:
		return fmt.Sprintf("%srotl %d", typeOf(w.a, t), indexOf(w.a, t, 0)), args, ""
	case smt.OpRotateRight:
		return fmt.Sprintf("%srotr %d", typeOf(w.a, t), indexOf(w.a, t, 0)), args, ""
	}
	head, args = w.nameOf(t)
	return head, args, ""
}

// nameOf returns the operator of the format that expresses a term, and its arguments there; "" if there is none.
func (w *lowering) nameOf(t smt.Term) (name string, args []smt.Term) {
	op, args := w.a.Look(t)
	key := said{op: op}
	if len(args) > 0 && w.a.Sort(args[0]) == smt.SortRoundingMode {
		key.mode, args = w.a.Op(args[0]), args[1:]
	}
	key.nargs = len(args)
	if len(args) == 0 {
		return "", nil
	}
	if idx := w.a.Indices(t); len(idx) > 0 {
		key.index = indexOf(w.a, t, 0)
	}
	key.operand = typeOf(w.a, args[0])
	_, names := operators()
	if name, ok := names[key]; ok {
		return name, args
	}
	key.operand = anyType
	return names[key], args
}

// indexOf returns a numeral of an indexed operator.
func indexOf(a *smt.Arena, t smt.Term, i int) uint64 {
	n, _ := a.IndexUint(a.Indices(t)[i])
	return n
}

// leaf returns the text of a term without arguments to write.
func (w *writer) leaf(t smt.Term) (string, bool) {
	a := w.a
	if s, ok := a.StrOf(t); ok {
		return string(smt.AppendString(nil, s)), true
	}
	if n, ok := a.IntOf(t); ok {
		return n.String(), true
	}
	if r, ok := a.RatOf(t); ok {
		text, _ := decimalOf(r)
		return text, true
	}
	if n, ok := a.BVOf(t); ok {
		return bitVectorText(n, a.Width(a.Sort(t))), true
	}
	if isFloatLiteral(a, t) {
		return w.floatText(t), true
	}
	switch {
	case t == a.True():
		return "true", true
	case t == a.False():
		return "false", true
	case a.Op(t) == smt.OpApply:
		return a.SymbolName(a.SymbolOf(t)), true
	}
	return "", false
}

// decimalOf writes a number in the format, if possible: Smt.ml passes numbers on with twelve digits.
func decimalOf(r *big.Rat) (text string, ok bool) {
	digits, exact := r.FloatPrec()
	if !exact {
		return "", false
	}
	text = r.FloatString(max(digits, 1))
	return text, len(strings.TrimLeft(strings.Trim(strings.TrimPrefix(text, "-"), "0"), ".0")) <= 13
}

// bitVectorText writes a vector of whole bytes and at most 64 bits. The format has constants of 32 and 64 bits; other
// widths are extracted from one.
func bitVectorText(n *big.Int, width int) string {
	typ := "i64"
	if width <= 32 {
		typ = "i32"
	}
	text := fmt.Sprintf("(%s 0x%x)", typ, n)
	if n.BitLen() < 31 {
		text = fmt.Sprintf("(%s %s)", typ, n)
	}
	if width == 32 || width == 64 {
		return text
	}
	return fmt.Sprintf("(extract %s 0 %d)", text, width/8)
}

// isFloatLiteral reports whether a term is a floating-point number as value.ToTerm writes it.
func isFloatLiteral(a *smt.Arena, t smt.Term) bool {
	switch op, args := a.Look(t); op {
	case smt.OpFPNaN, smt.OpFPPlusInf, smt.OpFPMinusInf, smt.OpFPPlusZero, smt.OpFPMinusZero:
		return true
	case smt.OpFP:
		return a.IsLiteral(args[0]) && a.IsLiteral(args[1]) && a.IsLiteral(args[2])
	}
	return false
}

// floatText writes the bits of a floating-point literal.
func (w *writer) floatText(t smt.Term) string {
	typ := typeName(w.a, w.a.Sort(t))
	v, err := eval.New(w.a, nil).Eval(t)
	if err != nil {
		return typ // cannot be: it is a literal
	}
	x, _ := v.FP(w.a)
	if x.IsNaN() {
		return "(" + typ + " nan)"
	}
	digits := 8
	if typ == "f64" {
		digits = 16
	}
	return fmt.Sprintf("(%s 0x%0*x)", typ, digits, x.Bits64())
}

// typeName returns the type of a sort; "" if the format has none.
func typeName(a *smt.Arena, s smt.Sort) string {
	switch s {
	case smt.SortBool:
		return "bool"
	case smt.SortInt:
		return "int"
	case smt.SortReal:
		return "real"
	case smt.SortString:
		return "str"
	}
	switch a.SortKind(s) {
	case smt.KindBitVec:
		if a.Width(s)%8 == 0 {
			return "i" + strconv.Itoa(a.Width(s))
		}
	case smt.KindFloat:
		switch eb, sb := a.FloatFormat(s); {
		case eb == 8 && sb == 24:
			return "f32"
		case eb == 11 && sb == 53:
			return "f64"
		}
	}
	return ""
}
