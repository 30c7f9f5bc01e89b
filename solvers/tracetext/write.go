// Package tracetext writes traces of calls as text, and reads them: a line a call.
package tracetext

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// The text of a trace has a line for each call, as in Murxla's traces: the seed of the session's choices in
// hexadecimal, the action, and its arguments. If the action made sorts or terms, a line "return" with their ids
// follows. An id is a letter and a number: s for sorts, t for terms, f for functions. Between seed and action may stand
// @N, the number of the solver that is called if it is not 0, then ?sat, ?unsat or ?unknown, the answer that the latest
// check-sat must have had, and =sat or =unsat, the answer that a check of a further solver must not contradict. Lines
// that begin with # are notes. See docs/api.md for the actions.

const head = "# smtlark trace 1"

// Writer writes calls as text. Sorts and terms that a call uses are written before it if necessary, so a trace need not
// make them explicitly.
type Writer struct {
	a     *smt.Arena
	b     []byte
	sorts []int32 // ids of sorts, by sort; 0 for one that was not written
	terms []int32 // of terms
	walk  []writeFrame
	funs  map[smt.Symbol]int
	p     smtlib.Printer
	n     int // of the last id
	seed  uint64
	where string
}

// writeFrame is a term whose arguments are written; next is the first that was not looked at.
type writeFrame struct {
	t    smt.Term
	next int
}

// NewWriter returns a writer for the terms of an arena.
func NewWriter(a *smt.Arena) *Writer {
	return &Writer{a: a, funs: map[smt.Symbol]int{}}
}

// Head returns the first lines of a trace with these notes.
func (w *Writer) Head(notes []string) []byte {
	b := []byte(head + "\n")
	for _, n := range notes {
		b = append(b, "# "+strings.ReplaceAll(n, "\n", "\n# ")+"\n"...)
	}
	return b
}

// AppendTo appends the text of a trace.
func AppendTo(b []byte, t *solvers.Trace) []byte {
	w := NewWriter(t.Arena)
	b = append(b, w.Head(t.Notes)...)
	for i := range t.Calls {
		b = append(b, w.Call(&t.Calls[i])...)
		if i == 15 { // the rest is probably of the same kind
			b = slices.Grow(b, len(b)/16*len(t.Calls))
		}
	}
	return b
}

// Text returns the text of a trace.
func Text(t *solvers.Trace) string { return string(AppendTo(nil, t)) }

// sameMark stands before a check that repeats an earlier one.
const sameMark = "=same"

// Call returns the lines of a call. They are valid until the next Call.
func (w *Writer) Call(c *solvers.Call) []byte {
	w.b, w.seed, w.where = w.b[:0], c.Seed, ""
	if c.Instance != 0 {
		w.where = "@" + strconv.Itoa(c.Instance) + " "
	}
	if c.When != smtlib.None {
		w.where += "?" + c.When.String() + " "
	}
	if c.Expect != smtlib.None {
		w.where += "=" + c.Expect.String() + " "
	}
	if c.Same {
		w.where += sameMark + " "
	}
	switch c.Kind {
	case solvers.CallNew:
		w.writeLine("new")
	case solvers.CallDelete:
		w.writeLine("delete")
	case solvers.CallMakeSort:
		setIDAt(&w.sorts, int(c.Sort), 0) // made once more
		w.ensureSort(c.Sort)
	case solvers.CallMakeTerm:
		w.writeAgain(c.Term)
	case solvers.CallCustom:
		w.ensureTerms(c.Args)
		w.beginLine("custom")
		w.writeQuoted(c.Name)
		w.writeTerms(c.Args)
		w.endLine()
	case solvers.CallTransfer:
		w.ensureTerms(c.Args)
		w.beginLine("transfer")
		w.writeNumber(c.From)
		w.writeTerms(c.Args)
		w.endLine()
	case solvers.CallCommand:
		w.writeCommand(&c.Command)
	}
	return w.b
}

// beginLine begins the line of an action; end ends it.
func (w *Writer) beginLine(action string) {
	w.b = strconv.AppendUint(w.b, w.seed, 16)
	w.b = append(append(w.b, ' '), w.where...)
	w.b = append(w.b, action...)
}

func (w *Writer) endLine() { w.b = append(w.b, '\n') }

// The arguments of an action.

func (w *Writer) writeID(letter byte, id int) {
	w.b = strconv.AppendInt(append(w.b, ' ', letter), int64(id), 10)
}
func (w *Writer) writeNumber(n int)    { w.b = strconv.AppendInt(append(w.b, ' '), int64(n), 10) }
func (w *Writer) writeQuoted(s string) { w.b = strconv.AppendQuote(append(w.b, ' '), s) }
func (w *Writer) sortID(s smt.Sort)    { w.writeID('s', w.ensureSort(s)) }

// writeTerms writes the number of terms and their ids. The terms were written: needs.
func (w *Writer) writeTerms(ts []smt.Term) {
	w.writeNumber(len(ts))
	for _, t := range ts {
		w.writeID('t', int(idAt(w.terms, int(t))))
	}
}

// writeLine writes an action with texts as arguments.
func (w *Writer) writeLine(action string, texts ...string) {
	w.beginLine(action)
	for _, s := range texts {
		w.writeQuoted(s)
	}
	w.endLine()
}

func (w *Writer) writeReturn(letter byte, id int) {
	w.b = append(w.b, "return"...)
	w.writeID(letter, id)
	w.endLine()
}

func (w *Writer) nextID() int { w.n++; return w.n }

func idAt(ids []int32, i int) int32 {
	if i < len(ids) {
		return ids[i]
	}
	return 0
}

func setIDAt(ids *[]int32, i, id int) {
	if i >= len(*ids) {
		*ids = append(*ids, make([]int32, i+1+i/2-len(*ids))...)
	}
	(*ids)[i] = int32(id)
}

// ensureSort writes a sort that was not written, and returns its id.
func (w *Writer) ensureSort(s smt.Sort) int {
	id := int(idAt(w.sorts, int(s)))
	if id == 0 {
		w.writeLine("mk-sort", w.a.SortString(s))
		id = w.nextID()
		setIDAt(&w.sorts, int(s), id)
		w.writeReturn('s', id)
	}
	return id
}

func (w *Writer) writeAgain(t smt.Term) {
	if idAt(w.terms, int(t)) == 0 {
		w.ensureTerm(t)
	} else if op := w.a.Op(t); op != smt.OpVar && (op != smt.OpApply || w.a.NumArgs(t) > 0) { // a constant is not declared twice
		w.writeMakeTerm(t)
	}
}

// ensureTerm writes a term that was not written, those below it first, and returns the id.
func (w *Writer) ensureTerm(t smt.Term) int {
	if id := idAt(w.terms, int(t)); id != 0 {
		return int(id)
	}
	base := len(w.walk) // a function that is written on the way may have a body
	w.walk = append(w.walk, writeFrame{t: t})
	for len(w.walk) > base {
		f := &w.walk[len(w.walk)-1]
		if f.next < w.a.NumArgs(f.t) {
			x := w.a.Arg(f.t, f.next)
			f.next++
			if idAt(w.terms, int(x)) == 0 {
				w.walk = append(w.walk, writeFrame{t: x})
			}
			continue
		}
		x := f.t
		w.walk = w.walk[:len(w.walk)-1]
		if idAt(w.terms, int(x)) == 0 {
			w.writeMakeTerm(x)
		}
	}
	return int(idAt(w.terms, int(t)))
}

// ensureTerms writes the terms that were not written.
func (w *Writer) ensureTerms(ts []smt.Term) {
	for _, t := range ts {
		w.ensureTerm(t)
	}
}

// writeMakeTerm writes the line of a term whose arguments were written.
func (w *Writer) writeMakeTerm(t smt.Term) {
	a := w.a
	op := a.Op(t)
	sort := 0
	if op != smt.OpCase && a.Sort(t) != smt.SortUnknown {
		sort = w.ensureSort(a.Sort(t))
	}
	leaf := func(action, text string) {
		w.beginLine(action)
		w.writeID('s', sort)
		w.writeQuoted(text)
	}
	switch {
	case op == smt.OpVar:
		leaf("mk-var", a.VarName(t))
	case a.IsLiteral(t) || op == smt.OpTrue || op == smt.OpFalse:
		leaf("mk-value", smtlib.TermText(a, t))
	case op == smt.OpApply && a.NumArgs(t) == 0 && a.SymbolInfo(a.SymbolOf(t)).Kind == smt.SymDeclared:
		leaf("mk-const", a.SymbolName(a.SymbolOf(t)))
	default:
		w.writeApplication(t, sort)
	}
	w.endLine()
	id := w.nextID()
	setIDAt(&w.terms, int(t), id)
	w.writeReturn('t', id)
}

// writeApplication writes mk-term: operator, sort, number of terms, terms, number of indices, indices.
func (w *Writer) writeApplication(t smt.Term, sort int) {
	a := w.a
	op := a.Op(t)
	head, idx := op.Info().Name, a.Indices(t)
	switch op {
	case smt.OpApply, smt.OpIs, smt.OpUpdate, smt.OpCase, smt.OpFunction, smt.OpMapArrays:
		head, idx = structural[op], nil
		if f := a.SymbolOf(t); f != 0 {
			head += ":f" + strconv.Itoa(w.ensureFunction(f))
		}
	case smt.OpOpaque:
		name, rest := a.OpaqueHead(t)
		head, idx = "opaque:"+strconv.Quote(name), rest
	case smt.OpLambda:
		if a.SortKind(a.Sort(t)) == smt.KindArray {
			head = "lambda-array"
		}
	}
	args := a.Args(t)
	w.ensureTerms(args)
	w.beginLine("mk-term ")
	w.b = append(w.b, head...)
	if sort == 0 {
		w.b = append(w.b, " -"...)
	} else {
		w.writeID('s', sort)
	}
	w.writeTerms(args)
	if len(idx) == 0 {
		return
	}
	w.writeNumber(len(idx))
	for _, i := range idx {
		if n, ok := a.IndexNum(i); ok {
			w.b = n.Append(append(w.b, ' '), 10)
		} else if s, ok := a.IndexName(i); ok {
			w.writeQuoted(s)
		}
	}
}

// structural are the heads that refer to a function, as apply:f1.
var structural = map[smt.Op]string{smt.OpApply: "apply", smt.OpIs: "is", smt.OpUpdate: "update", smt.OpCase: "case",
	smt.OpFunction: "function", smt.OpMapArrays: "map"}

// ensureFunction returns the id of a function that was declared; one that was not is declared now.
func (w *Writer) ensureFunction(f smt.Symbol) int {
	id, ok := w.funs[f]
	if !ok {
		info := w.a.SymbolInfo(f)
		switch info.Kind {
		case smt.SymDeclared:
			w.declareFunction(f)
		case smt.SymConstructor, smt.SymSelector:
			w.declareDatatypes(smtlib.Command{Kind: smtlib.CmdDeclareDatatypes, Sorts: []smt.SortSymbol{info.Datatype}})
		case smt.SymNamed: // it came with its term, which is written by itself
			body := w.ensureTerm(info.Body)
			w.beginLine("named")
			w.writeQuoted(info.Name)
			w.writeID('t', body)
			w.endLine()
			w.setFun(f)
		default:
			w.writeDefinition(&smtlib.Command{Kind: smtlib.CmdDefineFun, Symbols: []smt.Symbol{f}})
		}
		id = w.funs[f]
	}
	return id
}

func (w *Writer) setFun(f smt.Symbol) {
	w.funs[f] = w.nextID()
	w.writeReturn('f', w.funs[f])
}

func (w *Writer) declareFunction(f smt.Symbol) {
	info := w.a.SymbolInfo(f)
	sorts := append(slices.Clone(info.Params), info.Result)
	for _, s := range sorts {
		w.ensureSort(s)
	}
	w.beginLine("declare-fun")
	w.writeQuoted(info.Name)
	w.writeNumber(len(info.Params))
	for _, s := range sorts {
		w.sortID(s)
	}
	w.endLine()
	w.setFun(f)
}

// commandText writes the text of a command that declares, with the ids of the functions it makes.
func (w *Writer) commandText(action string, c *smtlib.Command, makes []smt.Symbol) {
	w.writeLine(action, string(w.p.Command(nil, w.a, c)))
	if len(makes) == 0 {
		return
	}
	w.b = append(w.b, "return"...)
	for _, f := range makes {
		w.funs[f] = w.nextID()
		w.writeID('f', w.n)
	}
	w.b = append(w.b, '\n')
}

func (w *Writer) declareDatatypes(c smtlib.Command) {
	var makes []smt.Symbol
	for _, s := range c.Sorts {
		for _, k := range w.a.Datatype(s).Constructors {
			makes = append(append(makes, k.Symbol), k.Selectors...)
		}
	}
	w.commandText("declare", &c, makes)
}

// writeDefinition writes a definition: with its body as a term if it is not recursive, else as text.
func (w *Writer) writeDefinition(c *smtlib.Command) {
	if c.Kind != smtlib.CmdDefineFun && c.Kind != smtlib.CmdDefineConst {
		w.commandText("declare", c, c.Symbols)
		return
	}
	info := w.a.SymbolInfo(c.Symbols[0])
	w.ensureTerms(info.Vars)
	body := w.ensureTerm(info.Body)
	w.beginLine("mk-fun")
	w.writeQuoted(info.Name)
	w.writeTerms(info.Vars)
	w.writeID('t', body)
	w.endLine()
	w.setFun(c.Symbols[0])
}

func (w *Writer) writeCommand(c *smtlib.Command) {
	switch c.Kind {
	case smtlib.CmdDeclareConst, smtlib.CmdDeclareFun:
		if info := w.a.SymbolInfo(c.Symbols[0]); len(info.Params) == 0 {
			sort := w.ensureSort(info.Result)
			w.beginLine("mk-const")
			w.writeID('s', sort)
			w.writeQuoted(info.Name)
			w.endLine()
			setIDAt(&w.terms, int(w.a.Const(c.Symbols[0])), w.nextID())
			w.writeReturn('t', w.n)
			return
		}
		w.declareFunction(c.Symbols[0])
	case smtlib.CmdDeclareSort, smtlib.CmdDefineSort, smtlib.CmdDeclareSortParameter:
		w.commandText("declare", c, nil)
	case smtlib.CmdDeclareDatatype, smtlib.CmdDeclareDatatypes:
		w.declareDatatypes(*c)
	case smtlib.CmdDefineConst, smtlib.CmdDefineFun, smtlib.CmdDefineFunRec, smtlib.CmdDefineFunsRec:
		w.writeDefinition(c)
	case smtlib.CmdAssert:
		// Whatever the line mentions has to be made on lines before it.
		w.ensureTerms(c.Terms)
		w.beginLine("assert-formula")
		w.writeID('t', w.ensureTerm(c.Terms[0]))
		w.endLine()
	case smtlib.CmdCheckSatAssuming, smtlib.CmdGetValue:
		w.ensureTerms(c.Terms)
		w.beginLine(c.Kind.String())
		w.writeTerms(c.Terms)
		w.endLine()
	case smtlib.CmdSimplify:
		w.ensureTerms(c.Terms)
		w.beginLine("simplify")
		w.writeID('t', w.ensureTerm(c.Terms[0]))
		w.writeQuoted(c.Text)
		w.endLine()
	case smtlib.CmdPush, smtlib.CmdPop:
		w.beginLine(c.Kind.String())
		w.writeNumber(c.N)
		w.endLine()
	case smtlib.CmdSetOption, smtlib.CmdSetInfo:
		w.writeLine(c.Kind.String(), c.Name, c.Text)
	case smtlib.CmdGetInfo, smtlib.CmdGetOption:
		w.writeLine(c.Kind.String(), c.Name)
	case smtlib.CmdSetLogic, smtlib.CmdEcho, smtlib.CmdCheckSatUsing:
		w.writeLine(c.Kind.String(), c.Text)
	case smtlib.CmdOther:
		w.ensureTerms(c.Terms)
		w.beginLine("other")
		w.writeQuoted(c.Name)
		w.writeQuoted(c.Text)
		w.writeTerms(c.Terms)
		w.endLine()
	default:
		w.writeLine(c.Kind.String())
	}
}

// splitTokens appends the parts of a line: words at blanks, quoted strings as one word with their quotes.
func splitTokens(out []string, line string) []string {
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' || line[i] == '\r' {
			i++
			continue
		}
		begin := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			if line[i] == '"' {
				q, err := strconv.QuotedPrefix(line[i:])
				if err != nil {
					return append(out, line[begin:])
				}
				i += len(q)
				continue
			}
			i++
		}
		out = append(out, line[begin:i])
	}
	return out
}

// CountCalls returns the number of calls in the text of a trace: its lines without notes and returns.
func CountCalls(text []byte) int {
	n := 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && !bytes.Equal(line, []byte("return")) &&
			!bytes.HasPrefix(line, []byte("return ")) {
			n++
		}
	}
	return n
}

// IsTrace reports whether a text is a trace.
func IsTrace(text []byte) bool { return bytes.HasPrefix(text, []byte("# smtlark trace")) }
