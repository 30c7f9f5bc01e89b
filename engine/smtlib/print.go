package smtlib

import (
	"sync"

	"github.com/smtlark/smtlark/engine/smt"
)

// Printer writes scripts and terms. It keeps its working memory between uses; the zero value is ready. It is not
// safe for concurrent use.
type Printer struct{}

var printers = sync.Pool{New: func() any { return new(Printer) }}

// Script appends the text of a script, a command a line.
func (p *Printer) Script(b []byte, s *Script) []byte {
	for i := range s.Commands {
		b = append(p.Command(b, s.Arena, &s.Commands[i]), '\n')
	}
	return b
}

// Command appends the text of a command, without a newline at its end.
func (p *Printer) Command(b []byte, a *smt.Arena, c *Command) []byte { return b }

// Term appends the text of a term; shared compound subterms are bound by let.
func (p *Printer) Term(b []byte, a *smt.Arena, t smt.Term) []byte { return append(b, a.Brief(t)...) }

// TermText returns the text of a term; shared compound subterms are bound by let.
func TermText(a *smt.Arena, t smt.Term) string {
	p := printers.Get().(*Printer)
	defer printers.Put(p)
	return string(p.Term(nil, a, t))
}
