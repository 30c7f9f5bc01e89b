package yices

import (
	"fmt"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// handles are what the parts of the binding of libyices (yices.h and yices_types.h, version 2.6) have in common.
// Terms and types are numbers from 0 on, kept here one greater, because 0 is no object elsewhere. Errors are codes,
// and are read after each call.
type handles struct {
	Library  *driver.Library
	ctx, mdl driver.Ref
	share    *driver.Shared // of the terms, which all contexts have in common
}

// binding is the API over a library, in parts: what makes sorts, what makes terms, what asserts and asks, and what
// says more about an answer. They have the handles in common.
type binding struct {
	*handles
	sorts
	terms
	solving
	models
	driver.LacksSharing
}

type (
	sorts struct {
		*handles
		driver.LacksSorts
	}
	terms struct {
		*handles
		driver.LacksTerms
	}
	models struct {
		*handles
		driver.LacksModels
	}
)

// solving asserts and asks, and keeps the levels of what is assumed.
type solving struct {
	*handles
	driver.LacksSolving
	params  driver.Ref   // of the search, param_t; 0: those that the library chooses for the context
	assumed []driver.Ref // assertions that are assumed at each check, so that there are cores
	levels  []int
	// unsatLevels are levels above one that is unsatisfiable, which the library does not open: they are counted.
	unsatLevels int
}

// bind makes the parts of a binding.
func bind(h *handles) *binding {
	return &binding{handles: h, sorts: sorts{handles: h}, terms: terms{handles: h}, solving: solving{handles: h}, models: models{handles: h}}
}

// Lib implements driver.API.
func (y *binding) Lib() *driver.Library { return y.Library }

// New returns the binding for a loaded library; an error says what it lacks.
func New(l *driver.Library) (driver.API, error) {
	for _, name := range []string{"yices_init", "yices_new_context", "yices_check_context", "yices_error_code"} {
		if !l.Has(name) {
			return nil, fmt.Errorf("%s has no function %s: it is no libyices of version 2", l.Path, name)
		}
	}
	l.Call("yices_init")
	return bind(&handles{Library: l, share: &driver.Shared{}}), nil
}

// callC calls a function and throws its error; code 0 is none (yices_types.h, error_code_t).
func (y *handles) callC(name string, args ...uintptr) driver.Ref {
	r := y.Library.Call(name, args...)
	y.throwLastError()
	return r
}

// throwLastError throws the error of the last call, if there was one.
func (y *handles) throwLastError() {
	code := int32(y.Library.Call("yices_error_code"))
	if code == 0 {
		return
	}
	msg := fmt.Sprintf("error %d", code)
	if p := y.Library.Call("yices_error_string"); p != 0 {
		msg = driver.GoString(p)
		y.Library.Call("yices_free_string", p)
	}
	y.Library.Call("yices_clear_error")
	switch {
	case code < 300:
		panic(driver.Refuse(solvers.ParseError, msg))
	case code == 9999: // INTERNAL_EXCEPTION
		panic(driver.Refuse(solvers.Assertion, msg))
	}
	panic(driver.Refuse(solvers.Refusal, msg))
}

// callForObject is c for functions that return a term or a type.
func (y *handles) callForObject(name string, args ...uintptr) driver.Ref {
	r := int32(y.callC(name, args...))
	if r < 0 {
		panic(driver.Refuse(solvers.SolverError, "yices_"+name+" gave nothing and no error"))
	}
	return driver.Ref(uint32(r)) + 1
}

// objectNumber is the library's number of an object.
func objectNumber(r driver.Ref) uintptr { return r - 1 }

// numberList is an array of the numbers of objects.
func (y *handles) numberList(refs []driver.Ref) uintptr {
	out := make([]uint32, len(refs))
	for i, r := range refs {
		out[i] = uint32(objectNumber(r))
	}
	return y.Library.Words32(out)
}

func (y *binding) Version() string {
	p := y.Library.Address("yices_version") // a variable
	if p == 0 {
		return "2"
	}
	return driver.GoString(driver.WordAt(p, 0))
}

// Options: the interface has names of parameters, but none to list them.
func (y *binding) Options() []driver.OptionInfo { return nil }

func (y *binding) Twin() driver.API { return bind(&handles{Library: y.Library, share: y.share}) }

func (y *binding) Shares(other driver.API) bool {
	x, ok := other.(*binding)
	return ok && x.ctx != 0
}

func (y *handles) dropModel() {
	if y.mdl != 0 {
		y.Library.Call("yices_free_model", y.mdl)
		y.mdl = 0
	}
}
