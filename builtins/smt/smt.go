// Package smt is the Starlark module smt: sorts, literals, every operator of the table, quantifiers, parsing,
// evaluation and models.
package smt

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
)

// Module returns the module and the types term, sort, case and model.
func Module() registry.Module {
	m := registry.Module{
		Name: "smt",
		Doc: `Terms, sorts, cases and models. Every operator of SMT-LIB and of the solvers is a function, named as in SMT-LIB with . and -
turned into _ and a _ behind words of Python: smt.str_replace_all, smt.bvadd, smt.not_. Indices come first: smt.extract(7, 0, x).
Operators without arguments are terms: smt.RNE, smt.re_all. Ints, bools and strs become literals where their sort is clear.`,
		Types: []*registry.Type{value.TermType, value.SortType, value.CaseType, value.CommandType, value.OccurrenceType, value.FunctionType, value.ModelType},
	}
	for _, group := range [][]registry.Builtin{sorts(), literals(), builders(), cases(), value.CommandBuiltins(), semantics(), operators()} {
		m.Members = append(m.Members, group...)
	}
	return m
}

// store returns where terms of no case are made.
func store(c *registry.Call) *value.TermStore { return value.SessionOf(c.Thread).Scratch() }

var _ starlark.Value = value.Term{}
