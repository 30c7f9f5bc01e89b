package solvers

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// The text of a trace is a line a call, in the manner of Murxla's traces: the seed of the session's choices in hexadecimal,
// the action, its arguments; then a line "return" with the ids of what the action made, if it made something. An id is a
// letter and a number: s for sorts, t for terms, f for functions. Between seed and action may stand @N, the number of the
// solver that is called if it is not 0, then ?sat, ?unsat or ?unknown, the answer that the latest check-sat must have had,
// and =sat or =unsat, the answer that a check of a further solver must not contradict. Lines that begin with # are notes. See docs/api.md for the actions.

const traceHead = "# smtlark trace 1"

// TraceWriter writes calls as text. What a call refers to and was not written yet is written ahead of it, so any trace
// can be written, also one that makes no sorts and terms by itself.
type TraceWriter struct {
	a     *smt.Arena
	b     []byte
	sorts map[smt.Sort]int
	terms map[smt.Term]int
	funs  map[smt.Symbol]int
	p     smtlib.Printer
	n     int // of the last id
	seed  uint64
	where string
}

// NewTraceWriter returns a writer for the terms of an arena.
func NewTraceWriter(a *smt.Arena) *TraceWriter {
	return &TraceWriter{a: a, sorts: map[smt.Sort]int{}, terms: map[smt.Term]int{}, funs: map[smt.Symbol]int{}}
}

// Head returns the first lines of a trace with these notes.
func (w *TraceWriter) Head(notes []string) []byte {
	b := []byte(traceHead + "\n")
	for _, n := range notes {
		b = append(b, "# "+strings.ReplaceAll(n, "\n", "\n# ")+"\n"...)
	}
	return b
}

// AppendTo appends the text of a trace.
func (t *Trace) AppendTo(b []byte) []byte {
	w := NewTraceWriter(t.Arena)
	b = append(b, w.Head(t.Notes)...)
	for i := range t.Calls {
		b = append(b, w.Call(&t.Calls[i])...)
	}
	return b
}

// Text returns the text of a trace.
func (t *Trace) Text() string { return string(t.AppendTo(nil)) }

// Call returns the lines of a call. They are valid until the next Call.
func (w *TraceWriter) Call(c *Call) []byte {
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
	switch c.Kind {
	case CallNew:
		w.line("new")
	case CallDelete:
		w.line("delete")
	case CallMakeSort:
		delete(w.sorts, c.Sort) // made once more
		w.sort(c.Sort)
	case CallMakeTerm:
		w.remake(c.Term)
	case CallCustom:
		w.line("custom", append([]string{strconv.Quote(c.Name)}, w.list(c.Args)...)...)
	case CallTransfer:
		w.line("transfer", append([]string{strconv.Itoa(c.From)}, w.list(c.Args)...)...)
	case CallCommand:
		w.command(&c.Command)
	}
	return w.b
}

func (w *TraceWriter) line(action string, args ...string) {
	w.b = strconv.AppendUint(w.b, w.seed, 16)
	w.b = append(append(w.b, ' '), w.where...)
	w.b = append(w.b, action...)
	for _, x := range args {
		w.b = append(append(w.b, ' '), x...)
	}
	w.b = append(w.b, '\n')
}

func (w *TraceWriter) returns(letter byte, id int) {
	w.b = append(append(w.b, "return "...), letter)
	w.b = append(strconv.AppendInt(w.b, int64(id), 10), '\n')
}

func (w *TraceWriter) next() int { w.n++; return w.n }

func (w *TraceWriter) sort(s smt.Sort) string {
	id, ok := w.sorts[s]
	if !ok {
		w.line("mk-sort", strconv.Quote(w.a.SortString(s)))
		id = w.next()
		w.sorts[s] = id
		w.returns('s', id)
	}
	return "s" + strconv.Itoa(id)
}

func (w *TraceWriter) remake(t smt.Term) {
	if _, ok := w.terms[t]; !ok {
		w.term(t)
	} else if op := w.a.Op(t); op != smt.OpVar && (op != smt.OpApply || w.a.NumArgs(t) > 0) { // a constant is not declared twice
		w.make(t)
	}
}

// term writes the terms that are needed, and returns the id.
func (w *TraceWriter) term(t smt.Term) string {
	id, ok := w.terms[t]
	if !ok {
		w.a.PostOrder([]smt.Term{t}, func(x smt.Term) {
			if _, have := w.terms[x]; !have {
				w.make(x)
			}
		})
		id = w.terms[t]
	}
	return "t" + strconv.Itoa(id)
}

func (w *TraceWriter) list(ts []smt.Term) []string {
	out := []string{strconv.Itoa(len(ts))}
	for _, t := range ts {
		out = append(out, w.term(t))
	}
	return out
}

// make writes the line of a term whose arguments were written.
func (w *TraceWriter) make(t smt.Term) {
	a := w.a
	op := a.Op(t)
	sort := ""
	if op != smt.OpCase && a.Sort(t) != smt.SortUnknown {
		sort = w.sort(a.Sort(t))
	}
	switch {
	case op == smt.OpVar:
		w.line("mk-var", sort, strconv.Quote(a.VarName(t)))
	case a.IsLiteral(t) || op == smt.OpTrue || op == smt.OpFalse:
		w.line("mk-value", sort, strconv.Quote(smtlib.TermText(a, t)))
	case op == smt.OpApply && a.NumArgs(t) == 0 && a.SymbolInfo(a.SymbolOf(t)).Kind == smt.SymDeclared:
		w.line("mk-const", sort, strconv.Quote(a.SymbolName(a.SymbolOf(t))))
	default:
		w.line("mk-term", w.application(t, sort)...)
	}
	id := w.next()
	w.terms[t] = id
	w.returns('t', id)
}

// application returns the arguments of mk-term: operator, sort, number of terms, terms, number of indices, indices.
func (w *TraceWriter) application(t smt.Term, sort string) []string {
	a := w.a
	op := a.Op(t)
	head, idx := op.Info().Name, a.Indices(t)
	switch op {
	case smt.OpApply, smt.OpIs, smt.OpUpdate, smt.OpCase, smt.OpFunction, smt.OpMapArrays:
		head, idx = structural[op], nil
		if f := a.SymbolOf(t); f != 0 {
			head += ":" + w.fun(f)
		}
	case smt.OpOpaque:
		name, rest := a.OpaqueHead(t)
		head, idx = "opaque:"+strconv.Quote(name), rest
	case smt.OpLambda:
		if a.SortKind(a.Sort(t)) == smt.KindArray {
			head = "lambda-array"
		}
	}
	if sort == "" {
		sort = "-"
	}
	out := append([]string{head, sort}, w.list(a.CopyArgs(t))...)
	if len(idx) == 0 {
		return out
	}
	out = append(out, strconv.Itoa(len(idx)))
	for _, i := range idx {
		if n, ok := a.IndexNum(i); ok {
			out = append(out, n.String())
		} else if s, ok := a.IndexName(i); ok {
			out = append(out, strconv.Quote(s))
		}
	}
	return out
}

// structural are the heads that refer to a function, as apply:f1.
var structural = map[smt.Op]string{smt.OpApply: "apply", smt.OpIs: "is", smt.OpUpdate: "update", smt.OpCase: "case",
	smt.OpFunction: "function", smt.OpMapArrays: "map"}

// fun returns the id of a function that was declared; one that was not is declared now.
func (w *TraceWriter) fun(f smt.Symbol) string {
	id, ok := w.funs[f]
	if !ok {
		info := w.a.SymbolInfo(f)
		switch info.Kind {
		case smt.SymDeclared:
			w.declare(f)
		case smt.SymConstructor, smt.SymSelector:
			w.datatypes(smtlib.Command{Kind: smtlib.CmdDeclareDatatypes, Sorts: []smt.SortSymbol{info.Datatype}})
		case smt.SymNamed: // it came with its term, which is written by itself
			w.line("named", strconv.Quote(info.Name), w.term(info.Body))
			w.setFun(f)
		default:
			w.define(&smtlib.Command{Kind: smtlib.CmdDefineFun, Symbols: []smt.Symbol{f}})
		}
		id = w.funs[f]
	}
	return "f" + strconv.Itoa(id)
}

func (w *TraceWriter) setFun(f smt.Symbol) {
	w.funs[f] = w.next()
	w.returns('f', w.funs[f])
}

func (w *TraceWriter) declare(f smt.Symbol) {
	info := w.a.SymbolInfo(f)
	args := []string{strconv.Quote(info.Name), strconv.Itoa(len(info.Params))}
	for _, s := range info.Params {
		args = append(args, w.sort(s))
	}
	w.line("declare-fun", append(args, w.sort(info.Result))...)
	w.setFun(f)
}

// commandText writes the text of a command that declares, with the ids of the functions it makes.
func (w *TraceWriter) commandText(action string, c *smtlib.Command, makes []smt.Symbol) {
	w.line(action, strconv.Quote(string(w.p.Command(nil, w.a, c))))
	if len(makes) == 0 {
		return
	}
	w.b = append(w.b, "return"...)
	for _, f := range makes {
		w.funs[f] = w.next()
		w.b = append(append(w.b, " f"...), strconv.Itoa(w.n)...)
	}
	w.b = append(w.b, '\n')
}

func (w *TraceWriter) datatypes(c smtlib.Command) {
	var makes []smt.Symbol
	for _, s := range c.Sorts {
		for _, k := range w.a.Datatype(s).Constructors {
			makes = append(append(makes, k.Symbol), k.Selectors...)
		}
	}
	w.commandText("declare", &c, makes)
}

// define writes a definition: with its body as a term if it is not recursive, else as text.
func (w *TraceWriter) define(c *smtlib.Command) {
	if c.Kind != smtlib.CmdDefineFun && c.Kind != smtlib.CmdDefineConst {
		w.commandText("declare", c, c.Symbols)
		return
	}
	info := w.a.SymbolInfo(c.Symbols[0])
	args := append([]string{strconv.Quote(info.Name)}, w.list(info.Vars)...)
	w.line("mk-fun", append(args, w.term(info.Body))...)
	w.setFun(c.Symbols[0])
}

func (w *TraceWriter) command(c *smtlib.Command) {
	quoted := func(words ...string) []string {
		var out []string
		for _, x := range words {
			out = append(out, strconv.Quote(x))
		}
		return out
	}
	switch c.Kind {
	case smtlib.CmdDeclareConst, smtlib.CmdDeclareFun:
		if info := w.a.SymbolInfo(c.Symbols[0]); len(info.Params) == 0 {
			t := w.a.Const(c.Symbols[0])
			delete(w.terms, t)
			sort := w.sort(info.Result)
			w.line("mk-const", sort, strconv.Quote(info.Name))
			w.terms[t] = w.next()
			w.returns('t', w.terms[t])
			return
		}
		w.declare(c.Symbols[0])
	case smtlib.CmdDeclareSort, smtlib.CmdDefineSort, smtlib.CmdDeclareSortParameter:
		w.commandText("declare", c, nil)
	case smtlib.CmdDeclareDatatype, smtlib.CmdDeclareDatatypes:
		w.datatypes(*c)
	case smtlib.CmdDefineConst, smtlib.CmdDefineFun, smtlib.CmdDefineFunRec, smtlib.CmdDefineFunsRec:
		w.define(c)
	case smtlib.CmdAssert:
		t := w.term(c.Terms[0])
		w.line("assert-formula", t)
	case smtlib.CmdCheckSatAssuming, smtlib.CmdGetValue:
		args := w.list(c.Terms)
		w.line(c.Kind.String(), args...)
	case smtlib.CmdSimplify:
		t := w.term(c.Terms[0])
		w.line("simplify", t, strconv.Quote(c.Text))
	case smtlib.CmdPush, smtlib.CmdPop:
		w.line(c.Kind.String(), strconv.Itoa(c.N))
	case smtlib.CmdSetOption, smtlib.CmdSetInfo:
		w.line(c.Kind.String(), quoted(c.Name, c.Text)...)
	case smtlib.CmdGetInfo, smtlib.CmdGetOption:
		w.line(c.Kind.String(), quoted(c.Name)...)
	case smtlib.CmdSetLogic, smtlib.CmdEcho, smtlib.CmdCheckSatUsing:
		w.line(c.Kind.String(), quoted(c.Text)...)
	case smtlib.CmdOther:
		args := w.list(c.Terms)
		w.line("other", append(quoted(c.Name, c.Text), args...)...)
	default:
		w.line(c.Kind.String())
	}
}

// tokens splits a line: words at blanks, quoted strings as one word with their quotes.
func tokens(line string) []string {
	var out []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimLeft(line, " \t") {
		end := 0
		for end < len(line) && line[end] != ' ' && line[end] != '\t' {
			if line[end] == '"' {
				q, err := strconv.QuotedPrefix(line[end:])
				if err != nil {
					return append(out, line)
				}
				end += len(q)
				continue
			}
			end++
		}
		out = append(out, line[:end])
		line = line[end:]
	}
	return out
}

// CountCalls returns the number of calls in the text of a trace: its lines without notes and returns.
func CountCalls(text []byte) int {
	n := 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && !bytes.Equal(line, []byte("return")) && !bytes.HasPrefix(line, []byte("return ")) {
			n++
		}
	}
	return n
}

// IsTrace reports whether a text is a trace.
func IsTrace(text []byte) bool { return bytes.HasPrefix(text, []byte("# smtlark trace")) }
