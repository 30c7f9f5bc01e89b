package gen

import (
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Sink receives the declarations, sorts and terms of a Gen, in the order in which they are made.
type Sink interface {
	Command(c smtlib.Command) // a declaration or definition
	Sort(s smt.Sort)
	Term(t smt.Term)
}

// Gen makes sorts and terms. All names are new within its life, so that one assignment serves all of them, across push,
// pop and reset. It consists of layers, each of which uses those before it: features that targets support, the
// operators to choose from, the vocabulary of existing sorts and terms, sorts, literals, terms.
type Gen struct {
	literalMaker
	// Tried and Made count operators by name: attempts to apply them, and terms made.
	Tried, Made map[string]int

	inside bool // the body of a lambda is being made
}

// New returns a generator over an arena. The error names the mistake in the configuration.
func New(a *smt.Arena, r *rng.Source, cfg Config, sink Sink) (*Gen, error) {
	what, err := newSupport(a, cfg)
	if err != nil {
		return nil, err
	}
	g := &Gen{Tried: map[string]int{}, Made: map[string]int{}}
	g.support, g.R, g.sink = what, r, sink
	g.dropConflicting()
	g.Reset()
	return g, nil
}
