package smtlib

import (
	"sync"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib/internal/termread"
)

// Parse reads a script into the arena. It takes any text: commands and heads that it does not know are kept and
// noted, and an error, an *Error, tells the place and what is wrong there.
func Parse(file string, src []byte, a *smt.Arena) (*Script, error) {
	p := parsers.Get().(*parser)
	defer p.release()
	p.start(a, file, src)
	s := &Script{Arena: a, Name: file}
	for p.Next(); !p.AtEnd(); p.Next() {
		if p.Src[p.Pos] != '(' {
			p.Unexpected("a command")
			return nil, p.Err
		}
		if !p.command() {
			return nil, p.Err
		}
		if p.commands[len(p.commands)-1].Kind == CmdExit { // nobody reads what follows
			break
		}
	}
	s.Commands = append([]Command(nil), p.commands...)
	s.Notes, s.illegal = p.Notes, p.Illegals()
	return s, nil
}

// parser reads the commands of scripts. One is used again and again, for the memory it has gathered.
type parser struct {
	*termread.Reader
	commands []Command
	terms    []smt.Term // where the Terms of commands lie
	params   []smt.Sort
	logicSet bool // set-logic came
}

// KindOf returns the kind of a command by its name, CmdOther for a name that is none of them.
func KindOf(name string) Kind { return Kind(commandKinds[name]) }

// commandKinds says which command a name is of.
var commandKinds = func() map[string]uint8 {
	m := map[string]uint8{"declare-codatatype": uint8(CmdDeclareDatatype), "declare-codatatypes": uint8(CmdDeclareDatatypes)}
	for k := CmdOther + 1; k < numKinds; k++ {
		m[k.String()] = uint8(k)
	}
	return m
}()

var parsers = sync.Pool{New: func() any { return &parser{Reader: termread.New(commandKinds)} }}

// start makes the parser ready for a text.
func (p *parser) start(a *smt.Arena, file string, src []byte) {
	p.Start(a)
	p.SetText(file, src)
	p.logicSet = false
}

// release gives the parser back for another use, unless it has grown beyond what is worth keeping.
func (p *parser) release() {
	if !p.Finish() {
		return
	}
	clear(p.commands)
	p.commands, p.terms = p.commands[:0], nil
	parsers.Put(p)
}

// keep copies terms to where they stay with the script.
func (p *parser) keep(ts ...smt.Term) []smt.Term {
	if cap(p.terms)-len(p.terms) < len(ts) {
		p.terms = make([]smt.Term, 0, max(64, len(ts), min(2*cap(p.terms), 4096)))
	}
	from := len(p.terms)
	p.terms = append(p.terms, ts...)
	return p.terms[from:len(p.terms):len(p.terms)]
}
