package value

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// functionTerm writes a table of a function sort as a lambda over all its arguments, with a chain of ite as its body.
func functionTerm(a *smt.Arena, v Value) (smt.Term, error) {
	var vars []smt.Term
	args := a.SortArgs(v.sort)
	for i, s := range args[:len(args)-1] {
		vars = append(vars, a.Var(fmt.Sprintf("i!%d", i), s))
	}
	body, err := functionBody(a, v, vars)
	if err != nil {
		return 0, err
	}
	return a.Lambda(vars, body, false)
}

// functionBody applies a value of a function sort to variables.
func functionBody(a *smt.Arena, v Value, vars []smt.Term) (smt.Term, error) {
	if len(vars) == 0 {
		return ToTerm(a, v)
	}
	if v.kind != KindTable { // a lambda
		t, err := ToTerm(a, v)
		for _, x := range vars {
			if err == nil {
				t, err = a.HOApply(t, x)
			}
		}
		return t, err
	}
	t := v.AsTable()
	out, err := functionBody(a, t.def, vars[1:])
	entries := t.Sorted()
	for i := len(entries) - 1; err == nil && i >= 0; i-- {
		var k, x smt.Term
		if k, err = ToTerm(a, entries[i].Key); err != nil {
			break
		}
		if x, err = functionBody(a, entries[i].Value, vars[1:]); err == nil {
			out, err = a.App(smt.OpIte, nil, a.Eq(vars[0], k), x, out)
		}
	}
	return out, err
}

// appendFunction writes a table of a function sort as functionTerm does.
func appendFunction(b []byte, a *smt.Arena, v Value) []byte {
	args := a.SortArgs(v.sort)
	b = append(b, "(lambda ("...)
	for i, s := range args[:len(args)-1] {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(a.AppendSort(fmt.Appendf(b, "(i!%d ", i), s), ')')
	}
	return append(appendFunctionBody(append(b, ") "...), a, v, 0, len(args)-1), ')')
}

// appendFunctionBody writes a value applied to the variables from number i to n.
func appendFunctionBody(b []byte, a *smt.Arena, v Value, i, n int) []byte {
	if i == n {
		return v.Append(b, a)
	}
	if v.kind != KindTable {
		b = v.Append(append(b, "(@ "...), a)
		for ; i < n; i++ {
			b = fmt.Appendf(b, " i!%d", i)
		}
		return append(b, ')')
	}
	entries := v.AsTable().Sorted()
	for _, x := range entries {
		b = x.Key.Append(fmt.Appendf(b, "(ite (= i!%d ", i), a)
		b = append(appendFunctionBody(append(b, ") "...), a, x.Value, i+1, n), ' ')
	}
	b = appendFunctionBody(b, a, v.AsTable().def, i+1, n)
	for range entries {
		b = append(b, ')')
	}
	return b
}
