package smtlib

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/termread"
)

// Scope resolves names as they are visible at the end of a script, with more names bound by hand if need be. It is
// not safe for concurrent use.
type Scope struct {
	// Lenient makes an unknown constant an opaque term where it would be an error: solvers invent names in replies.
	Lenient bool

	p    *parser
	vars int // bound when the present text began
}

// NewScope returns a scope in which only the standard's names are visible.
func NewScope(a *smt.Arena) *Scope {
	sc := &Scope{p: parsers.Get().(*parser)}
	sc.p.SetText("", nil)
	sc.p.start(a)
	return sc
}

// Scope returns the names that are visible at the end of the script.
func (s *Script) Scope() *Scope {
	sc := NewScope(s.Arena)
	for i := range s.Commands {
		sc.Add(&s.Commands[i])
	}
	return sc
}

// Close gives the scope's memory back for another one. A scope need not be closed.
func (sc *Scope) Close() {
	if sc.p != nil {
		sc.p.release()
		sc.p = nil
	}
}

// Add makes the declarations and definitions of a command visible; push, pop and reset act as in a script.
func (sc *Scope) Add(c *Command) {
	p := sc.p
	switch c.Kind {
	case CmdSetLogic:
		p.SetLogic(c.Text)
	case CmdSetOption:
		if c.Name == ":global-declarations" {
			p.GlobalDeclarations = c.Text == "true"
		}
	case CmdDeclareConst, CmdDeclareFun, CmdDefineConst, CmdDefineFun, CmdDefineFunRec, CmdDefineFunsRec:
		for _, f := range c.Symbols {
			sc.BindSymbol(f)
		}
	case CmdDeclareSort, CmdDeclareDatatype, CmdDeclareDatatypes:
		for _, s := range c.Sorts {
			sc.bindSort(s)
		}
	case CmdDeclareSortParameter:
		p.BindFixedSort(p.Intern(c.Name), p.Arena.SortParam(c.Name))
	case CmdDefineSort:
		p.BindMacro(p.Intern(c.Name), c.Params, c.Sort)
	case CmdPush:
		p.Push(c.N)
	case CmdPop:
		p.Pop(c.N)
	case CmdReset:
		p.Clear()
		p.RealNumerals, p.HigherOrder, p.GlobalDeclarations = false, false, false
	}
	for _, f := range c.Named {
		sc.BindSymbol(f)
	}
}

func (sc *Scope) bindSort(s smt.SortSymbol) {
	p := sc.p
	name, _ := p.Arena.SortSymbolName(s)
	p.BindSort(p.Intern(name), s)
	dt := p.Arena.Datatype(s)
	if dt == nil {
		return
	}
	for _, k := range dt.Constructors {
		sc.BindSymbol(k.Symbol)
		for _, sel := range k.Selectors {
			sc.BindSymbol(sel)
		}
	}
}

// BindVar makes a bound variable (an OpVar term) visible under its name.
func (sc *Scope) BindVar(v smt.Term) {
	sc.p.BindVar(sc.p.Intern(sc.p.Arena.VarName(v)), v)
}

// BindTerm makes a term without free variables visible under a name, like that of a let.
func (sc *Scope) BindTerm(name string, t smt.Term) { sc.p.BindVar(sc.p.Intern(name), t) }

// BindSymbol makes a symbol visible under its name.
func (sc *Scope) BindSymbol(f smt.Symbol) {
	info := sc.p.Arena.SymbolInfo(f)
	for _, s := range info.Params {
		sc.p.HigherOrder = sc.p.HigherOrder || sc.p.Arena.SortKind(s) == smt.KindFunc
	}
	sc.p.HigherOrder = sc.p.HigherOrder || sc.p.Arena.SortKind(info.Result) == smt.KindFunc
	sc.p.BindSymbol(sc.p.Intern(info.Name), f)
}

// HasSecondConstant reports whether a command declares, defines or names a constant whose name already belongs to a
// constant of another sort. z3 refuses this if the first one is a definition or a name; cvc5 accepts it.
func (sc *Scope) HasSecondConstant(c *Command) bool {
	for _, list := range [][]smt.Symbol{c.Symbols, c.Named} {
		for _, f := range list {
			if info := sc.p.Arena.SymbolInfo(f); len(info.Params) == 0 && sc.p.IsSecondConstant(sc.p.Intern(info.Name), f) {
				return true
			}
		}
	}
	return false
}

// scopeMark is a state of a scope to which Reset goes back.
type scopeMark struct{ binds, vars int }

// Mark returns the current state of the bindings, for Reset.
func (sc *Scope) Mark() scopeMark { return scopeMark{sc.p.Bound(), sc.p.Vars()} }

// Reset undoes the bindings made since the mark.
func (sc *Scope) Reset(m scopeMark) {
	sc.p.Undo(m.binds)
	sc.p.UndoVars(m.vars)
}

// Term reads a term; the whole text must be one. An error is an *Error with "term" as its file.
func (sc *Scope) Term(text string) (smt.Term, error) { return sc.TermAt(text, 0) }

// TermAt is Term for a term of an expected sort, or of any sort if that is 0. A constant such as none then need not be
// written with its sort.
func (sc *Scope) TermAt(text string, sort smt.Sort) (smt.Term, error) {
	p := sc.begin("term", text)
	t, ok := p.TermAt(sort)
	if ok {
		p.Next()
		ok = p.AtEnd() || p.Unexpected("the end of the term")
	}
	if err := sc.end(ok); err != nil {
		return 0, err
	}
	return t, nil
}

// Sort reads a sort; the whole text must be one. An error is an *Error with "sort" as its file.
func (sc *Scope) Sort(text string) (smt.Sort, error) {
	p := sc.begin("sort", text)
	p.Next()
	s, ok := p.Sort()
	if ok {
		p.Next()
		ok = p.AtEnd() || p.Unexpected("the end of the sort")
	}
	if err := sc.end(ok); err != nil {
		return 0, err
	}
	return s, nil
}

// Commands reads commands, such as the definitions in the reply to get-model, and makes their declarations visible. An
// error is an *Error with "commands" as its file.
func (sc *Scope) Commands(text string) ([]Command, error) {
	p := sc.begin("commands", text)
	p.commands = p.commands[:0]
	ok := true
	for p.Next(); ok && !p.AtEnd(); p.Next() {
		if ok = p.Src[p.Pos] == '(' || p.Unexpected("a command"); ok {
			ok = p.command()
		}
	}
	if err := sc.end(ok); err != nil {
		return nil, err
	}
	return append([]Command(nil), p.commands...), nil
}

// Command reads one command of a longer text, in which it begins at position at; positions in errors refer to that
// text. It makes the declarations of the command visible; reset-assertions removes them unless declarations are global.
// Besides malformed commands it refuses commands that no solver takes (see Script.Legal); the scope is then unchanged.
// The notes list the unknown commands and heads that were kept.
func (sc *Scope) Command(text []byte, at Pos) (c Command, notes []Note, err error) {
	p := sc.p
	mark, dialect, global, logicSet := sc.Mark(), p.Dialect, p.GlobalDeclarations, p.logicSet
	sc.beginText("", text)
	p.commands, p.Remarks = p.commands[:0], termread.Remarks{}
	p.Next()
	ok := p.Src[p.Pos] == '(' || p.Unexpected("a command")
	ok = ok && p.command()
	if ok {
		p.Next()
		ok = p.AtEnd() || p.Unexpected("the end of the command")
	}
	if ok && len(p.Illegals()) > 0 {
		p.Err, ok = p.Illegals()[0], false
	}
	if !ok {
		err = p.Err.Moved(at)
		_ = sc.end(false)
		sc.Reset(mark)
		p.Dialect, p.GlobalDeclarations, p.logicSet = dialect, global, logicSet
		return Command{}, nil, err
	}
	c, notes = p.commands[0], p.Notes
	c.Pos = at
	if c.Kind == CmdResetAssertions && !p.GlobalDeclarations {
		p.Clear()
	}
	return c, notes, nil
}

func (sc *Scope) begin(file, text string) *parser { return sc.beginText(file, []byte(text)) }

func (sc *Scope) beginText(file string, text []byte) *parser {
	p := sc.p
	p.SetText(file, text)
	p.Lenient, p.Unstable = sc.Lenient, true // terms may be released between two uses
	sc.vars = p.Vars()
	return p
}

// end empties the reader's stacks, even after an error inside a binder, and returns the error.
func (sc *Scope) end(ok bool) error {
	p := sc.p
	if ok {
		return nil
	}
	p.UndoVars(sc.vars)
	p.Abandon()
	err := p.Err
	p.Err = nil
	return err
}

// ParseTerm reads a term with the names that are visible at the end of the script, which may be nil.
func ParseTerm(a *smt.Arena, scope *Script, text string) (smt.Term, error) {
	sc := scopeOf(a, scope)
	defer sc.Close()
	return sc.Term(text)
}

// ParseSort reads a sort with the names that are visible at the end of the script, which may be nil.
func ParseSort(a *smt.Arena, scope *Script, text string) (smt.Sort, error) {
	sc := scopeOf(a, scope)
	defer sc.Close()
	return sc.Sort(text)
}

func scopeOf(a *smt.Arena, s *Script) *Scope {
	if s == nil {
		return NewScope(a)
	}
	return s.Scope()
}
