package smtlib

import (
	"strconv"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/termtext"
)

// Printer writes scripts and terms. It keeps its working memory between uses; the zero value is ready. It is not
// safe for concurrent use.
type Printer struct{ termtext.Terms }

var printers = sync.Pool{New: func() any { return new(Printer) }}

// Script appends the text of a script, a command a line.
func (p *Printer) Script(b []byte, s *Script) []byte {
	for i := range s.Commands {
		b = append(p.CommandOf(b, s, i), '\n')
	}
	return b
}

// CommandOf appends the text of command i of a script, without a newline at its end.
func (p *Printer) CommandOf(b []byte, s *Script, i int) []byte {
	p.Unshared = s.unshared
	b = p.Command(b, s.Arena, &s.Commands[i])
	p.Unshared = false
	return b
}

// TermText returns the text of a term; shared compound subterms are bound by let.
func TermText(a *smt.Arena, t smt.Term) string {
	p := printers.Get().(*Printer)
	defer printers.Put(p)
	return string(p.Term(nil, a, t))
}

// Command appends the text of a command, without a newline at its end.
func (p *Printer) Command(b []byte, a *smt.Arena, c *Command) []byte {
	if text, ok := c.remembered(a); ok && !p.Standard {
		return append(b, text...)
	}
	if c.Kind == CmdOther {
		return p.otherCommand(b, a, c)
	}
	b = append(b, '(')
	switch {
	case c.Name != "" && (c.Kind == CmdDeclareDatatype || c.Kind == CmdDeclareDatatypes):
		b = append(b, c.Name...) // declare-codatatypes and the like
	case c.Kind == CmdDeclareSortParameter && c.Text != "" && !p.Standard:
		b = append(b, c.Text...)
	default:
		b = append(b, kindNames[c.Kind]...)
	}
	switch c.Kind {
	case CmdSetLogic, CmdEcho, CmdCheckSatUsing:
		b = appendWord(b, c.Text)
	case CmdSetOption, CmdSetInfo, CmdGetInfo, CmdGetOption:
		b = appendWord(appendWord(b, c.Name), c.Text)
	case CmdDeclareConst, CmdDeclareFun:
		b = p.declaration(b, a, c)
	case CmdDefineConst, CmdDefineFun, CmdDefineFunRec, CmdDefineFunsRec:
		b = p.definition(b, a, c)
	case CmdDeclareSort:
		name, arity := a.SortSymbolName(c.Sorts[0])
		b = append(append(append(b, ' '), smt.QuoteSymbol(name)...), ' ')
		b = strconv.AppendInt(b, int64(arity), 10)
	case CmdDeclareSortParameter:
		b = appendWord(b, smt.QuoteSymbol(c.Name))
	case CmdDefineSort:
		b = append(append(append(b, ' '), smt.QuoteSymbol(c.Name)...), " ("...)
		b = appendSorts(b, a, c.Params)
		b = a.AppendSort(append(b, ") "...), c.Sort)
	case CmdDeclareDatatype, CmdDeclareDatatypes:
		b = appendDatatypes(b, a, c)
	case CmdAssert:
		b = p.Term(append(b, ' '), a, c.Terms[0])
	case CmdSimplify:
		b = appendWord(p.Term(append(b, ' '), a, c.Terms[0]), c.Text)
	case CmdCheckSatAssuming, CmdGetValue:
		b = append(b, " ("...)
		for i, t := range c.Terms {
			if i > 0 {
				b = append(b, ' ')
			}
			b = p.Term(b, a, t)
		}
		b = append(b, ')')
	case CmdPush, CmdPop:
		b = strconv.AppendInt(append(b, ' '), int64(c.N), 10)
	default:
		b = appendWord(b, c.Text)
	}
	return append(b, ')')
}

// otherCommand appends a command beyond SMT-LIB, with its terms in the holes of its text.
func (p *Printer) otherCommand(b []byte, a *smt.Arena, c *Command) []byte {
	text := c.Text
	for _, t := range c.Terms {
		before, after, found := strings.Cut(text, Hole)
		if !found {
			break // the terms are not part of the text
		}
		b = p.Term(append(b, before...), a, t)
		text = after
	}
	return append(b, text...)
}

func appendWord(b []byte, s string) []byte {
	if s == "" {
		return b
	}
	return append(append(b, ' '), s...)
}

func appendSorts(b []byte, a *smt.Arena, sorts []smt.Sort) []byte {
	for i, s := range sorts {
		if i > 0 {
			b = append(b, ' ')
		}
		b = a.AppendSort(b, s)
	}
	return b
}

func (p *Printer) declaration(b []byte, a *smt.Arena, c *Command) []byte {
	f := a.SymbolInfo(c.Symbols[0])
	b = append(append(b, ' '), f.Text...)
	if c.Kind == CmdDeclareFun {
		b = append(appendSorts(append(b, " ("...), a, f.Params), ')')
	}
	return a.AppendSort(append(b, ' '), f.Result)
}

// definition appends the part of a definition after the command's name.
func (p *Printer) definition(b []byte, a *smt.Arena, c *Command) []byte {
	signature := func(f *smt.SymbolInfo) {
		b = append(append(b, f.Text...), ' ')
		if c.Kind != CmdDefineConst {
			b = append(b, '(')
			for i, v := range f.Vars {
				if i > 0 {
					b = append(b, ' ')
				}
				b = append(append(append(b, '('), smt.QuoteSymbol(a.VarName(v))...), ' ')
				b = append(a.AppendSort(b, a.Sort(v)), ')')
			}
			b = append(b, ") "...)
		}
		b = a.AppendSort(b, f.Result)
	}
	if c.Kind != CmdDefineFunsRec {
		f := a.SymbolInfo(c.Symbols[0])
		b = append(b, ' ')
		signature(f)
		return p.Term(append(b, ' '), a, f.Body)
	}
	b = append(b, " ("...)
	for i, s := range c.Symbols {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, '(')
		signature(a.SymbolInfo(s))
		b = append(b, ')')
	}
	b = append(b, ") ("...)
	for i, s := range c.Symbols {
		if i > 0 {
			b = append(b, ' ')
		}
		b = p.Term(b, a, a.SymbolInfo(s).Body)
	}
	return append(b, ')')
}

// appendDatatypes appends the part of a datatype declaration after the command's name.
func appendDatatypes(b []byte, a *smt.Arena, c *Command) []byte {
	if c.Kind == CmdDeclareDatatype {
		dt := a.Datatype(c.Sorts[0])
		b = append(append(append(b, ' '), smt.QuoteSymbol(dt.Name)...), ' ')
		return appendDatatype(b, a, dt)
	}
	b = append(b, " ("...)
	for i, s := range c.Sorts {
		if i > 0 {
			b = append(b, ' ')
		}
		dt := a.Datatype(s)
		b = append(append(append(b, '('), smt.QuoteSymbol(dt.Name)...), ' ')
		b = append(strconv.AppendInt(b, int64(len(dt.Params)), 10), ')')
	}
	b = append(b, ") ("...)
	for i, s := range c.Sorts {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendDatatype(b, a, a.Datatype(s))
	}
	return append(b, ')')
}

func appendDatatype(b []byte, a *smt.Arena, dt *smt.Datatype) []byte {
	if len(dt.Params) > 0 {
		b = append(appendSorts(append(b, "(par ("...), a, dt.Params), ") "...)
	}
	b = append(b, '(')
	for i, k := range dt.Constructors {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(append(b, '('), smt.QuoteSymbol(k.Name)...)
		for _, s := range k.Selectors {
			f := a.SymbolInfo(s)
			b = append(append(append(b, " ("...), f.Text...), ' ')
			b = append(a.AppendSort(b, f.Result), ')')
		}
		b = append(b, ')')
	}
	b = append(b, ')')
	if len(dt.Params) > 0 {
		b = append(b, ')')
	}
	return b
}
