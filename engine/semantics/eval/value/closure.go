package value

import "github.com/smtlark/smtlark/engine/language/smt"

// Closure is an array or a function given by a lambda term in an environment, or by a function symbol (vars is nil).
type Closure struct {
	Vars []smt.Term
	Body smt.Term
	Sym  smt.Symbol
	Env  []Binding // the values of the other variables that are free in body
	Over Map       // places that were stored to
}

// Binding gives a variable that is free in the body of a closure its value.
type Binding struct {
	Var   smt.Term // an OpVar
	Value Value
}

// equal knows only that the same term in the same environment is the same function.
func (c *Closure) equal(d *Closure) Truth {
	if c == d {
		return True
	}
	if c.Over.n > 0 || d.Over.n > 0 || c.Body != d.Body || c.Sym != d.Sym || len(c.Vars) != len(d.Vars) || len(c.Env) != len(d.Env) {
		return Unknown
	}
	for i := range c.Vars {
		if c.Vars[i] != d.Vars[i] {
			return Unknown
		}
	}
	for i := range c.Env {
		if c.Env[i].Var != d.Env[i].Var || Equal(c.Env[i].Value, d.Env[i].Value) != True {
			return Unknown
		}
	}
	return True
}

// Store returns an array with one place changed.
func Store(array, key, val Value) Value {
	if !key.Comparable() {
		return NoValue("store", "the index is an array given by a term")
	}
	if array.kind == KindClosure {
		c := *array.AsClosure()
		c.Over = c.Over.Set(key, val)
		return OfClosure(array.sort, &c)
	}
	return OfTable(array.sort, array.AsTable().Put(key, val))
}
