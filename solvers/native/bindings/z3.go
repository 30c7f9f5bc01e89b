package bindings

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// z3 is the API over libz3 (z3_api.h, z3_fpa.h). A handler records the errors; asking for the code after each call
// (Z3_get_error_code) would cost as much as the calls do. With its default handler, or with none at all, the library
// would end the process. Each solver is made in a context that an earlier run has left, or in a new one.
type z3 struct {
	driver.Binding
	*z3Context
	solver, last driver.Ref // last is the latest model, 0 for none
	stopped      atomic.Bool
	dts          map[smt.Sort]*z3Datatype
	renamed      []string // names of sorts that are applications, quoted by z3
	tracked      map[driver.Ref]driver.Ref
	templates    map[string]*z3Template // those with sorts of the run
	dirty        bool                   // something was declared that the next run could meet
	held         driver.Ref             // a vector of the terms and sorts of the run
	level        int                    // levels that are open
	assumed      []driver.Ref           // by the latest check
	trackers     []driver.Ref           // the keys of tracked, in their order
	objectives   []z3Objective

	globals   bool                         // some global parameter was set
	kind      string                       // of the solver: general, simple, or for a logic
	params    map[string]map[string]uint32 // by the kind of solver
	interrupt uintptr                      // the function

	kept map[string]*z3Context // contexts that earlier runs have left, by how they were configured
	once bool                  // no context is kept
}

// z3Context is a context of the library. Up to contextRuns runs share one, one after the other, each with a solver of
// its own: making and deleting a context costs more than most runs. A run leaves only terms in it. A context is not
// used again after an error, after an interrupt, or after a run that declared recursive functions, whose names belong
// to the context. A datatype's name belongs to the context, too; a later run's datatype of that name gets another one.
type z3Context struct {
	ctx     driver.Ref
	key     string // how it was configured
	runs    int    // that it has served
	symbols map[string]driver.Ref
	general map[string]*z3Template // those without sorts of a run
	own     []driver.Ref           // their terms
	taken   map[string]bool        // names of datatypes of earlier runs
	names   []string               // those of the present run
}

const contextRuns = 16

type z3Datatype struct{ ctors []z3Constructor }

type z3Constructor struct {
	make, test driver.Ref
	fields     []driver.Ref
}

// NewZ3 returns the binding for a loaded library of z3; an error names a missing feature.
func NewZ3(l *driver.Library) (driver.API, error) {
	for _, name := range []string{"Z3_mk_context_rc", "Z3_get_error_code", "Z3_set_error_handler", "Z3_solver_check"} {
		if !l.Has(name) {
			return nil, fmt.Errorf("%s has no function %s: it is no libz3, or one before version 4.5", l.Path, name)
		}
	}
	return &z3{Binding: driver.Binding{Library: l}, z3Context: &z3Context{}, kept: map[string]*z3Context{},
		interrupt: l.Address("Z3_interrupt")}, nil
}

// z3Error is the code that the error handler got, 0 for none. All calls are made on one thread.
var z3Error int32

// z3Handler is the error handler, made once: a process can make few callbacks, and never gives one back.
var z3Handler = sync.OnceValue(func() uintptr {
	return driver.NewCallback(func(_, code uintptr) uintptr {
		z3Error = int32(code)
		return 0
	})
})

// c calls a function that takes the context as its first argument, and throws the error of the call.
func (z *z3) c(name string, args ...uintptr) driver.Ref {
	z3Error = 0
	r := z.Library.With(z.ctx, name, args...)
	z.throw()
	return r
}

// throw throws the error of the latest call in the context, if there was one.
func (z *z3) throw() {
	if driver.Recording != nil { // a program of C has no handler
		z3Error = int32(z.Library.Call("Z3_get_error_code", z.ctx))
	}
	if z3Error != 0 {
		panic(z.fault())
	}
}

// ast is c for functions that return a term or a sort: they are held until the run ends.
func (z *z3) ast(name string, args ...uintptr) driver.Ref {
	r := z.c(name, args...)
	if r != 0 {
		z.hold(r)
	}
	return r
}

// hold keeps an object until the run ends, when the vector is released with all its objects. Deleting a context that
// still has terms takes many times as long.
func (z *z3) hold(r driver.Ref) { z.Library.Call("ast_vector_push", z.ctx, z.held, r) }

func (z *z3) text(name string, args ...uintptr) string {
	return driver.GoString(z.c(name, args...))
}

// fault turns an error code (z3_api.h, Z3_error_code) into what ends the call.
func (z *z3) fault() *driver.Fault {
	code := z3Error
	z3Error = 0
	z.dirty = true
	msg := z.Library.Text("Z3_get_error_msg", z.ctx, uintptr(code))
	class := solvers.SolverError
	switch code {
	case 1: // Z3_SORT_ERROR
		class = solvers.ParseError
	case 2, 3, 6, 10: // Z3_IOB, Z3_INVALID_ARG, Z3_INVALID_PATTERN, Z3_INVALID_USAGE
		class = solvers.Refusal
	case 4: // Z3_PARSER_ERROR
		class = solvers.ParseError
	case 7:
		class = solvers.OutOfMemory
	case 9: // Z3_INTERNAL_FATAL
		class = solvers.Assertion
	}
	return driver.Refuse(class, msg)
}

func (z *z3) Version() string {
	w := z.Library.Memory.Words(4)
	z.Library.Call("Z3_get_version", w.Addr(), w.Addr()+8, w.Addr()+16, w.Addr()+24)
	v := fmt.Sprintf("%d.%d.%d", uint32(w.At(0)), uint32(w.At(1)), uint32(w.At(2)))
	return v
}

// delete deletes the context.
func (x *z3Context) delete(l *driver.Library) {
	for _, r := range x.own {
		l.Call("Z3_dec_ref", x.ctx, r)
	}
	l.Call("Z3_del_context", x.ctx)
}

func (z *z3) symbol(name string) driver.Ref {
	r, ok := z.symbols[name]
	if !ok {
		r = z.c("mk_string_symbol", z.Library.Str(name))
		z.symbols[name] = r
	}
	return r
}

// again returns the suffix that the run gives to names already taken. No number ends as the suffix does, so none of
// these names is a prefix of another.
func (z *z3) again() string { return fmt.Sprintf("!again%d!", z.runs) }

// Options lists the parameters of the solver. It opens a context of its own.
func (z *z3) Options() (all []driver.OptionInfo) {
	s := driver.NewSession(z, nil)
	z.Open(s)
	defer z.Shut(false)
	seen := map[string]bool{}
	z.descriptions(func(name string, kind uint32, doc string) {
		if seen[name] {
			return
		}
		seen[name] = true
		o := driver.OptionInfo{Name: name, Kind: "other", Doc: doc}
		if int(kind) < len(z3ParamKinds) {
			o.Kind = z3ParamKinds[kind]
		}
		all = append(all, o)
	})
	return all
}

// vector copies an ast_vector.
func (z *z3) vector(v driver.Ref) []driver.Ref {
	z.c("ast_vector_inc_ref", v)
	defer z.c("ast_vector_dec_ref", v)
	n := int(uint32(z.c("ast_vector_size", v)))
	out := make([]driver.Ref, n)
	for i := range out {
		out[i] = z.ast("ast_vector_get", v, uintptr(i))
	}
	return out
}

func (z *z3) Twin() driver.API {
	twin := &z3{Binding: z.Binding, z3Context: &z3Context{}}
	twin.interrupt, twin.once = z.interrupt, true
	return twin
}

// Translate implements driver.API by Z3_translate.
func (z *z3) Translate(other driver.API, r driver.Ref) driver.Ref {
	x, ok := other.(*z3)
	if !ok || x.ctx == 0 || x.ctx == z.ctx || !z.Library.Has("Z3_translate") {
		return 0
	}
	z3Error = 0
	out := z.Library.Call("Z3_translate", x.ctx, r, z.ctx)
	x.throw()
	if out != 0 {
		z.hold(out)
	}
	return out
}
