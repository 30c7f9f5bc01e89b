package eval

import "github.com/smtlark/smtlark/engine/smt"

// closure is an array or a function given by a lambda term in an environment, or by a function symbol (vars is nil).
type closure struct {
	vars []smt.Term
	body smt.Term
	sym  smt.Symbol
	env  []binding // the values of the other variables that are free in body
	over trie      // places that were stored to
}

type binding struct {
	v   smt.Term // an OpVar
	val Value
}

// equal knows only that the same term in the same environment is the same function.
func (c *closure) equal(d *closure) Truth {
	if c == d {
		return True
	}
	if c.over.n > 0 || d.over.n > 0 || c.body != d.body || c.sym != d.sym || len(c.vars) != len(d.vars) || len(c.env) != len(d.env) {
		return Unknown
	}
	for i := range c.vars {
		if c.vars[i] != d.vars[i] {
			return Unknown
		}
	}
	for i := range c.env {
		if c.env[i].v != d.env[i].v || Equal(c.env[i].val, d.env[i].val) != True {
			return Unknown
		}
	}
	return True
}
