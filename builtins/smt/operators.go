package smt

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// shape says how the arguments of a function are split: indices first, then terms.
type shape struct {
	op      smt.Op
	indices []int // numbers of indices that signatures have
	nullary bool  // no index and no argument
}

func shapeOf(info *smt.OpInfo) shape {
	s := shape{op: info.Op, nullary: true}
	for i := range info.Signatures {
		sig := info.Signature(i)
		n := len(sig.Indices)
		if n > 0 || len(sig.Args) > 0 {
			s.nullary = false
		}
		if !slices.Contains(s.indices, n) {
			s.indices = append(s.indices, n)
		}
	}
	return s
}

// operators returns one entry per row of the operator table: a function, or a term for what has no arguments.
func operators() []registry.Builtin {
	var out []registry.Builtin
	for _, info := range smt.Ops() {
		s := shapeOf(info)
		b := registry.Builtin{Name: FunctionName(info.Op), SMTLIB: info.Name, Group: "Theory " + info.Theory, Doc: info.Description(), Ret: "term"}
		switch {
		case info.Qualified:
			b.Params = []registry.Param{{Name: "sort", Type: "sort", Doc: "the sort of the result"}, {Name: "*args", Type: "term | bigint | bool | str"}}
			b.Fn = qualified(info.Op)
		case s.nullary:
			b.Value = value.BaseTerm(info.Op)
		default:
			b.Params = []registry.Param{{Name: "*args", Type: "term | bigint | bool | str", Doc: argsDoc(s)}}
			b.Fn = s.call
			if len(s.indices) == 1 && s.indices[0] == 0 {
				b.Fast = fast(info.Op)
			}
		}
		out = append(out, b)
	}
	return out
}

func argsDoc(s shape) string {
	if len(s.indices) == 1 && s.indices[0] == 0 {
		return "terms; an int, bool or str where its sort is clear"
	}
	return "the indices, then terms; an int, bool or str where its sort is clear"
}

// call applies the operator: as many leading ints as a signature has indices are indices.
func (s shape) call(c *registry.Call) (starlark.Value, error) {
	args := c.Values()
	n := s.indices[0]
	if len(s.indices) > 1 { // take as many as there are leading ints, but leave one argument
		lead := 0
		for lead < len(args) {
			if _, ok := args[lead].(starlark.Int); !ok {
				break
			}
			lead++
		}
		for _, k := range s.indices {
			if k <= lead && (k > n || n > lead) {
				n = k
			}
		}
	}
	if len(args) < n {
		return nil, fmt.Errorf("takes %d indices before its arguments, given %d arguments in all", n, len(args))
	}
	return value.Apply(value.SessionOf(c.Thread), s.op, args[:n], args[n:])
}

func qualified(op smt.Op) func(*registry.Call) (starlark.Value, error) {
	return func(c *registry.Call) (starlark.Value, error) {
		args := c.Values()
		return value.ApplyAs(value.SessionOf(c.Thread), op, args[0].(value.Sort), args[1:])
	}
}

// fast applies an operator to terms of one live case without further ado.
func fast(op smt.Op) func(*starlark.Thread, starlark.Value, starlark.Tuple) (starlark.Value, error) {
	return func(_ *starlark.Thread, _ starlark.Value, args starlark.Tuple) (starlark.Value, error) {
		return value.ApplyFast(op, args)
	}
}
