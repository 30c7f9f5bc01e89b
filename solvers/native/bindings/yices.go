package bindings

import (
	"fmt"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// yices is the API over libyices (yices.h and yices_types.h, version 2.6). Terms and types are numbers from 0 on, kept
// here one greater, because 0 is no object elsewhere. Errors are codes, and are read after each call.
type yices struct {
	driver.Binding
	ctx, mdl driver.Ref
	share    *driver.Shared // of the terms, which all contexts have in common
	params   driver.Ref     // of the search, param_t; 0: those that the library chooses for the context
	assumed  []driver.Ref   // assertions that are assumed at each check, so that there are cores
	levels   []int          // of assumed, at each push
	// unsatLevels counts the levels above an unsatisfiable one, which the library does not open.
	unsatLevels int
}

// NewYices returns the binding for a loaded library of Yices; an error names a missing feature.
func NewYices(l *driver.Library) (driver.API, error) {
	for _, name := range []string{"yices_init", "yices_new_context", "yices_check_context", "yices_error_code"} {
		if !l.Has(name) {
			return nil, fmt.Errorf("%s has no function %s: it is no libyices of version 2", l.Path, name)
		}
	}
	l.Call("yices_init")
	return &yices{Binding: driver.Binding{Library: l}, share: &driver.Shared{}}, nil
}

// callC calls a function and throws its error; code 0 is none (yices_types.h, error_code_t).
func (y *yices) callC(name string, args ...uintptr) driver.Ref {
	r := y.Library.Call(name, args...)
	y.throwLastError()
	return r
}

// throwLastError throws the error of the last call, if there was one.
func (y *yices) throwLastError() {
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

// callForObject is callC for functions that return a term or a type.
func (y *yices) callForObject(name string, args ...uintptr) driver.Ref {
	r := int32(y.callC(name, args...))
	if r < 0 {
		panic(driver.Refuse(solvers.SolverError, "yices_"+name+" gave nothing and no error"))
	}
	return driver.Ref(uint32(r)) + 1
}

// objectNumber is the library's number of an object.
func objectNumber(r driver.Ref) uintptr { return r - 1 }

// numberList is an array of the numbers of objects.
func (y *yices) numberList(refs []driver.Ref) uintptr {
	out := make([]uint32, len(refs))
	for i, r := range refs {
		out[i] = uint32(objectNumber(r))
	}
	return y.Library.Words32(out)
}

func (y *yices) Version() string {
	p := y.Library.Address("yices_version") // a variable
	if p == 0 {
		return "2"
	}
	return driver.GoString(driver.WordAt(p, 0))
}

// Options returns nil: the interface has names of parameters, but no function to list them.
func (y *yices) Options() []driver.OptionInfo { return nil }

func (y *yices) Twin() driver.API { return &yices{Binding: y.Binding, share: y.share} }

func (y *yices) Shares(other driver.API) bool {
	x, ok := other.(*yices)
	return ok && x.ctx != 0
}

func (y *yices) dropModel() {
	if y.mdl != 0 {
		y.Library.Call("yices_free_model", y.mdl)
		y.mdl = 0
	}
}
