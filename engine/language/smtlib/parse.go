package smtlib

import (
	"bytes"
	"slices"
	"sync"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/termread"
)

// Parse reads a script into the arena. It accepts any text: unknown commands and heads are kept and noted. An error is
// an *Error with its place.
func Parse(file string, src []byte, a *smt.Arena) (*Script, error) {
	p := parsers.Get().(*parser)
	defer p.release()
	p.SetText(file, src)
	return p.script(a)
}

// ParseOwned is Parse for a text that only the caller uses, such as a file that was just read. It overwrites the memory
// behind the end of the text and does not copy a long text.
func ParseOwned(file string, src []byte, a *smt.Arena) (*Script, error) {
	if len(src) < longText { // the parser has memory for it
		return Parse(file, src, a)
	}
	p := parsers.Get().(*parser)
	defer func() {
		p.Src = nil // the next text is not to be written over this one
		p.release()
	}()
	p.TakeText(file, src)
	return p.script(a)
}

// ParseAnyway is Parse for a script in which commands may be wrong or specific to one solver. It keeps such commands as
// text, each with a note that says why. Unbalanced parentheses are still an error.
func ParseAnyway(file string, src []byte, a *smt.Arena) (*Script, error) {
	p := parsers.Get().(*parser)
	defer p.release()
	p.SetText(file, src)
	p.anyway = true
	return p.script(a)
}

// script reads the text as a script.
func (p *parser) script(a *smt.Arena) (*Script, error) {
	p.start(a)
	s := &Script{Arena: a, Name: p.File}
	for p.Next(); !p.AtEnd(); p.Next() {
		if p.Src[p.Pos] != '(' {
			p.Unexpected("a command")
			return nil, p.Err
		}
		off, bound, vars := p.Pos, p.Bound(), p.Vars()
		if !p.command() && !(p.anyway && p.keepAsText(off, bound, vars)) {
			return nil, p.Err
		}
		last := p.commands[len(p.commands)-1].Kind
		if p.long && !p.reserved {
			p.lookAhead(a, last)
		}
		if last == CmdExit { // nobody reads what follows
			break
		}
	}
	s.Commands = p.takeCommands()
	s.Notes, s.illegal = p.Notes, p.Illegals()
	return s, nil
}

// keepAsText keeps a command that could not be read; off is where it begins; bound and vars are the numbers of bindings
// and variables at that point.
func (p *parser) keepAsText(off, bound, vars int) bool {
	why := p.Err
	p.Undo(bound)
	p.UndoVars(vars)
	p.Abandon()
	p.Pos, p.Err = off, nil
	if !p.Skip() {
		p.Err = why
		return false
	}
	text := string(p.Src[off:p.Pos])
	c := Command{Kind: CmdOther, Pos: p.Position(off), Text: sexpr.OneLine(text)}
	c.Name, _ = CommandName([]byte(text))
	p.commands = append(p.commands, c)
	p.Note(off, "kept as text: "+why.Msg)
	return true
}

// parser reads the commands of scripts. A parser is reused for its memory.
type parser struct {
	*termread.Reader
	commands []Command
	terms    []smt.Term // where the Terms of commands lie
	params   []smt.Sort
	logicSet bool // set-logic came
	anyway   bool // commands that cannot be read are kept as text
	// Of a long text, before room is made for its rest: the first assertion ends at from, where the arena was as begun
	// says.
	long, reserved bool
	from           int
	begun          smt.Mark
}

const (
	// longText is the size in bytes from which a text is worth looking ahead.
	longText = 4 << 20
	// reserveShare is the divisor for the part of a long text, from its first assertion on, that predicts the size of
	// the whole. Later parts share more terms with earlier ones, so the prediction is rather too large; untouched
	// memory costs nothing.
	reserveShare = 32
	// shortCommand is the approximate minimum size in bytes of a command in a long text.
	shortCommand = 16
)

// lookAhead makes room for the terms of the rest of a long text as soon as there are enough assertions to predict their
// number.
func (p *parser) lookAhead(a *smt.Arena, last Kind) {
	switch {
	case p.from == 0:
		if last == CmdAssert || p.Pos >= len(p.Src)/2 {
			p.from, p.begun = p.Pos, a.Mark()
		}
	case p.Pos-p.from >= (len(p.Src)-p.from)/reserveShare:
		a.Reserve(p.begun, float64(len(p.Src)-p.from)/float64(p.Pos-p.from))
		p.reserved = true
	}
}

// takeCommands returns the commands that were read. For a long text it hands over the parser's own slice; otherwise it
// copies.
func (p *parser) takeCommands() []Command {
	if !p.long {
		return append([]Command(nil), p.commands...)
	}
	list := slices.Clip(p.commands) // who appends to the commands of a script gets a copy
	p.commands = nil
	return list
}

// KindOf returns the kind of the command with a name, or CmdOther for an unknown name.
func KindOf(name string) Kind { return Kind(commandKinds[name]) }

// declareTypeVar is the name of declare-sort-parameter in z3.
const declareTypeVar = "declare-type-var"

// commandKinds maps names to kinds of commands.
var commandKinds = func() map[string]uint8 {
	m := map[string]uint8{"declare-codatatype": uint8(CmdDeclareDatatype), "declare-codatatypes": uint8(CmdDeclareDatatypes),
		declareTypeVar: uint8(CmdDeclareSortParameter)}
	for k := CmdOther + 1; k < numKinds; k++ {
		m[k.String()] = uint8(k)
	}
	return m
}()

var parsers = sync.Pool{New: func() any { return &parser{Reader: termread.New(commandKinds)} }}

// start makes the parser ready for the text that it was given.
func (p *parser) start(a *smt.Arena) {
	p.Start(a)
	p.logicSet, p.from, p.reserved, p.long = false, 0, false, len(p.Src) > longText
	if p.long {
		// Commands begin lines, and lines within them are mostly indented.
		p.commands = slices.Grow(p.commands, min(1+bytes.Count(p.Src, []byte("\n(")), len(p.Src)/shortCommand))
	}
}

// release returns the parser for reuse, unless it has grown too large to be worth keeping.
func (p *parser) release() {
	if !p.Finish() {
		return
	}
	clear(p.commands)
	p.commands, p.terms, p.anyway = p.commands[:0], nil, false
	parsers.Put(p)
}

// keep copies terms into memory that belongs to the script.
func (p *parser) keep(ts ...smt.Term) []smt.Term {
	if cap(p.terms)-len(p.terms) < len(ts) {
		p.terms = make([]smt.Term, 0, max(64, len(ts), min(2*cap(p.terms), 4096)))
	}
	from := len(p.terms)
	p.terms = append(p.terms, ts...)
	return p.terms[from:len(p.terms):len(p.terms)]
}
