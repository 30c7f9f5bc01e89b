package smtlib

import (
	"bytes"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/smt"
)

// Parse reads a script into the arena. It takes any text: commands and heads that it does not know are kept and
// noted, and an error, an *Error, tells the place and what is wrong there.
func Parse(file string, src []byte, a *smt.Arena) (*Script, error) {
	p := parsers.Get().(*parser)
	defer p.release()
	p.start(a, file, src)
	s := &Script{Arena: a, Name: file}
	for p.next(); !p.atEnd(); p.next() {
		if p.src[p.pos] != '(' {
			p.unexpected("a command")
			return nil, p.err
		}
		if !p.command() {
			return nil, p.err
		}
		if p.commands[len(p.commands)-1].Kind == CmdExit { // nobody reads what follows
			break
		}
	}
	s.Commands = append([]Command(nil), p.commands...)
	s.Notes, s.illegal = p.notes, p.illegals()
	return s, nil
}

// parser reads scripts and terms. One is used again and again, for the memory it has gathered.
type parser struct {
	lexer
	a     *smt.Arena
	names nameTable
	gen   uint32 // number of the parse

	binds  []binding
	locals []localVar
	macros []macro
	levels []int // marks into binds, one a push

	commands []Command
	notes    []Note
	noted    map[string]bool
	terms    []smt.Term // where the Terms of commands lie

	// The stacks of the term reader.
	vals     []smt.Term
	offs     []uint32
	frames   []frame
	idx      []smt.Index
	pend     []nameID
	allNamed []smt.Symbol // of the present command
	keys     []attr
	params   []smt.Sort

	legality
	lastPos     Pos // of the last command, to count lines on from
	realNums    bool
	higherOrder bool
	globalDecls bool
	lenient     bool
	noCache     bool
}

// macro is a define-sort.
type macro struct {
	params []smt.Sort
	body   smt.Sort
}

var parsers = sync.Pool{New: func() any { return &parser{names: newNameTable()} }}

// start makes the parser ready for a text.
func (p *parser) start(a *smt.Arena, file string, src []byte) {
	p.a = a
	p.gen++
	p.text(file, src)
	p.realNums, p.higherOrder, p.globalDecls, p.lenient, p.noCache = false, false, false, false, false
	p.notes, p.noted, p.legality = nil, nil, legality{}
}

// text gives the parser another text; what is bound stays.
func (p *parser) text(file string, src []byte) {
	p.file = file
	p.src = append(append(p.src[:0], src...), 0)
	p.pos, p.err, p.cutShort = 0, nil, false
	p.lastPos = Pos{Line: 1, Col: 1}
}

// release gives the parser back for another use, unless it has grown beyond what is worth keeping.
func (p *parser) release() {
	const keep = 1 << 22
	if cap(p.src) > keep || p.names.bytes > keep || cap(p.frames) > keep/64 {
		return
	}
	p.undo(0)
	p.undoVars(0)
	p.vals, p.offs, p.frames, p.idx, p.pend, p.keys = p.vals[:0], p.offs[:0], p.frames[:0], p.idx[:0], p.pend[:0], p.keys[:0]
	clear(p.commands)
	clear(p.macros)
	p.commands, p.macros, p.levels, p.terms, p.notes, p.a, p.err = p.commands[:0], p.macros[:0], p.levels[:0], nil, nil, nil, nil
	p.wrong = nil
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

// position turns an offset into line and column; it counts on from the last place it was asked for, if that lies
// before.
func (p *parser) position(off int) Pos {
	last := p.lastPos
	if off < last.Offset {
		last = Pos{Line: 1, Col: 1}
	}
	between := p.src[last.Offset:off]
	if i := bytes.LastIndexByte(between, '\n'); i >= 0 {
		last.Line += bytes.Count(between, newline)
		last.Col = len(between) - i
	} else {
		last.Col += len(between)
	}
	last.Offset = off
	p.lastPos = last
	return last
}

var newline = []byte{'\n'}

// note keeps a remark, but each only once a script.
func (p *parser) note(off int, msg string) {
	if p.noted[msg] {
		return
	}
	if p.noted == nil {
		p.noted = map[string]bool{}
	}
	p.noted[msg] = true
	p.notes = append(p.notes, Note{p.position(off), msg})
}

// logic takes from the name of a logic how numerals are read: as Real where the logic has Reals without Ints
// (SMT-LIB 2.7, theory Reals).
func (p *parser) logic(l string) {
	has := func(parts ...string) bool {
		for _, x := range parts {
			if strings.Contains(l, x) {
				return true
			}
		}
		return false
	}
	p.realNums = has("LRA", "NRA", "RDL") && !has("LIA", "NIA", "IDL", "IRA")
	p.higherOrder = p.higherOrder || strings.HasPrefix(l, "HO_")
}
