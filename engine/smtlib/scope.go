package smtlib

import (
	"github.com/smtlark/smtlark/engine/smt"
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
	sc.p.start(a, "", nil)
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

// Add makes what a command declares or defines visible; push, pop and reset do what they do in a script.
func (sc *Scope) Add(c *Command) {
	p := sc.p
	switch c.Kind {
	case CmdSetLogic:
		p.logic(c.Text)
	case CmdSetOption:
		if c.Name == ":global-declarations" {
			p.globalDecls = c.Text == "true"
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
		p.bind(p.intern(c.Name), bindSortFixed, uint32(p.a.SortParam(c.Name)))
	case CmdDefineSort:
		p.macros = append(p.macros, macro{c.Params, c.Sort})
		p.bind(p.intern(c.Name), bindSortMacro, uint32(len(p.macros)-1))
	case CmdPush:
		for range c.N {
			p.levels = append(p.levels, len(p.binds))
		}
	case CmdPop:
		if k := len(p.levels) - c.N; k >= 0 && c.N > 0 {
			if !p.globalDecls {
				p.undo(p.levels[k])
			}
			p.levels = p.levels[:k]
		}
	case CmdReset:
		p.undo(0)
		p.levels = p.levels[:0]
		p.realNums, p.higherOrder, p.globalDecls = false, false, false
	}
	for _, f := range c.Named {
		sc.BindSymbol(f)
	}
}

func (sc *Scope) bindSort(s smt.SortSymbol) {
	p := sc.p
	name, _ := p.a.SortSymbolName(s)
	p.bind(p.intern(name), bindSortSym, uint32(s))
	dt := p.a.Datatype(s)
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
	sc.p.bindVar(sc.p.intern(sc.p.a.VarName(v)), v)
}

// BindSymbol makes a symbol visible under its name.
func (sc *Scope) BindSymbol(f smt.Symbol) {
	info := sc.p.a.SymbolInfo(f)
	for _, s := range info.Params {
		sc.p.higherOrder = sc.p.higherOrder || sc.p.a.SortKind(s) == smt.KindFunc
	}
	sc.p.higherOrder = sc.p.higherOrder || sc.p.a.SortKind(info.Result) == smt.KindFunc
	sc.p.bindSymbol(sc.p.intern(info.Name), f)
}

// ScopeMark is a state of a scope to which Reset goes back.
type ScopeMark struct{ binds, vars int }

// Mark remembers what is bound now, for Reset.
func (sc *Scope) Mark() ScopeMark { return ScopeMark{len(sc.p.binds), len(sc.p.locals)} }

// Reset takes back what was bound since the mark.
func (sc *Scope) Reset(m ScopeMark) {
	sc.p.undo(m.binds)
	sc.p.undoVars(m.vars)
}

// Term reads a term; the whole text must be one. An error is an *Error with "term" as its file.
func (sc *Scope) Term(text string) (smt.Term, error) {
	p := sc.begin("term", text)
	t, ok := p.term()
	if ok {
		p.next()
		ok = p.atEnd() || p.unexpected("the end of the term")
	}
	if err := sc.end(ok); err != nil {
		return 0, err
	}
	return t, nil
}

// Sort reads a sort; the whole text must be one. An error is an *Error with "sort" as its file.
func (sc *Scope) Sort(text string) (smt.Sort, error) {
	p := sc.begin("sort", text)
	p.next()
	s, ok := p.sort()
	if ok {
		p.next()
		ok = p.atEnd() || p.unexpected("the end of the sort")
	}
	if err := sc.end(ok); err != nil {
		return 0, err
	}
	return s, nil
}

// Commands reads commands, such as the definitions in the reply to get-model, and makes visible what they declare.
// An error is an *Error with "commands" as its file.
func (sc *Scope) Commands(text string) ([]Command, error) {
	p := sc.begin("commands", text)
	p.commands = p.commands[:0]
	ok := true
	for p.next(); ok && !p.atEnd(); p.next() {
		if ok = p.src[p.pos] == '(' || p.unexpected("a command"); ok {
			ok = p.command()
		}
	}
	if err := sc.end(ok); err != nil {
		return nil, err
	}
	return append([]Command(nil), p.commands...), nil
}

func (sc *Scope) begin(file, text string) *parser {
	p := sc.p
	p.text(file, []byte(text))
	p.lenient, p.noCache = sc.Lenient, true // terms may be released between two uses
	sc.vars = len(p.locals)
	return p
}

// end leaves the reader's stacks empty, also behind an error inside a binder, and returns the error.
func (sc *Scope) end(ok bool) error {
	p := sc.p
	if ok {
		return nil
	}
	p.undoVars(sc.vars)
	p.vals, p.offs, p.frames, p.idx, p.pend, p.keys = p.vals[:0], p.offs[:0], p.frames[:0], p.idx[:0], p.pend[:0], p.keys[:0]
	err := p.err
	p.err = nil
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
