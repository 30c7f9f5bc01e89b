package eval

import (
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// Evaluated counts the terms that have a value at the moment.
func (e *Evaluator) Evaluated() int {
	n := 0
	for _, p := range e.pages {
		for i := range p {
			if p[i].stamp == e.base {
				n++
			}
		}
	}
	return n
}

// Equal compares values, also arrays and functions given by terms.
func (e *Evaluator) Equal(v, w value.Value) value.Truth { return operators{e}.equal(v, w) }
