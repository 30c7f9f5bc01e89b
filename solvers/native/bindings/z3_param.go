package bindings

import (
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// Kinds of parameters in z3_api.h, Z3_param_kind.
var z3ParamKinds = []string{"number", "bool", "real", "text", "text", "other"}

// descriptions calls f for each parameter of the solver.
func (z *z3) descriptions(f func(name string, kind uint32, doc string)) {
	d := z.c("solver_get_param_descrs", z.solver)
	z.c("param_descrs_inc_ref", d)
	defer z.c("param_descrs_dec_ref", d)
	n := uint32(z.c("param_descrs_size", d))
	for i := range n {
		sym := z.c("param_descrs_get_name", d, uintptr(i))
		f(z.text("get_symbol_string", sym), uint32(z.c("param_descrs_get_kind", d, sym)),
			z.text("param_descrs_get_documentation", d, sym))
	}
}

// find returns the name and the kind that a parameter has in the solver.
func (z *z3) find(name string) (short string, kind uint32, ok bool) {
	params := z.params[z.kind]
	if params == nil {
		params = map[string]uint32{}
		z.descriptions(func(name string, kind uint32, _ string) { params[name] = kind })
		if z.params == nil {
			z.params = map[string]map[string]uint32{}
		}
		z.params[z.kind] = params
	}
	names := []string{name}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		names = append(names, name[i+1:])
	}
	for _, short := range append(names, "smt."+name, "sat."+name) {
		if kind, ok := params[short]; ok {
			return short, kind, true
		}
	}
	return "", 0, false
}

// knows reports whether setParam can set a parameter.
func (z *z3) knows(name string) bool {
	_, _, ok := z.find(name)
	return ok || z.isGlobal(name)
}

func (z *z3) isGlobal(name string) bool {
	return z.Library.Boolean("Z3_global_param_get", z.Library.Str(name), z.Library.Memory.Words(1).Addr())
}

// setParam sets a parameter of the solver, or a global one where the solver has none of that name: each kind of
// solver has parameters of its own.
func (z *z3) setParam(name, value string) {
	short, kind, ok := z.find(name)
	if !ok {
		z.setGlobal(name, value)
		return
	}
	p := z.c("mk_params")
	z.c("params_inc_ref", p)
	defer z.c("params_dec_ref", p)
	sym := z.symbol(short)
	switch kind {
	case 0: // Z3_PK_UINT
		n, err := strconv.ParseUint(value, 10, 32)
		if err != nil {
			panic(driver.RefuseOption("z3: option %s takes a number below 2^32, not %q", name, value))
		}
		z.c("params_set_uint", p, sym, uintptr(n))
	case 1: // Z3_PK_BOOL
		b := uintptr(0)
		switch value {
		case "true":
			b = 1
		case "false":
		default:
			panic(driver.RefuseOption("z3: option %s takes true or false, not %q", name, value))
		}
		z.c("params_set_bool", p, sym, b)
	case 2: // Z3_PK_DOUBLE has a double by value, which needs another way of calling: the global parameter does as well
		z.setGlobal(name, value)
		return
	default:
		z.c("params_set_symbol", p, sym, z.symbol(strings.Trim(value, `"`)))
	}
	z.c("solver_set_params", z.solver, p)
}

// setGlobal sets a parameter for all of the process; shut sets all of them back. z3 only warns of names and values that
// it does not know, so the value is read back.
func (z *z3) setGlobal(name, value string) {
	z.globals = true
	if !z.isGlobal(name) {
		panic(&driver.Fault{Class: solvers.Refusal, Message: "unknown parameter '" + name + "'"})
	}
	z.Library.Call("Z3_global_param_set", z.Library.Str(name), z.Library.Str(value))
}
