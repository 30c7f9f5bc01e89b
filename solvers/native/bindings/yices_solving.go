package bindings

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
	"github.com/smtlark/smtlark/solvers/rule"
)

// ofContexts are the names that yices_set_config takes (yices.h, context configuration); all others are parameters of
// the search.
var ofContexts = []string{"mode", "solver-type", "logic", "arith-fragment", "uf-solver", "bv-solver", "array-solver",
	"arith-solver", "model-interpolation"}

func (y *yices) Open(s *driver.Session) {
	cfg := y.callC("new_config")
	defer y.Library.Call("yices_free_config", cfg)
	if s.Settings.Logic != "" && s.Settings.Logic != "ALL" {
		y.callC("default_config_for_logic", cfg, y.Library.Str(s.Settings.Logic))
	}
	// The context supports push and pop, and stays usable after an interrupted check.
	y.callC("set_config", cfg, y.Library.Str("mode"), y.Library.Str("interactive"))
	var search []rule.Setting
	for _, o := range s.Settings.Options {
		switch {
		case strings.HasPrefix(o.Name, "produce-"):
		case slices.Contains(ofContexts, o.Name):
			y.callC("set_config", cfg, y.Library.Str(o.Name), y.Library.Str(o.Value))
		default:
			search = append(search, o)
		}
	}
	y.ctx = y.callC("new_context", cfg)
	if len(search) > 0 {
		y.params = y.callC("new_param_record")
		y.callC("default_params_for_context", y.ctx, y.params)
		for _, o := range search {
			y.callC("set_param", y.params, y.Library.Str(o.Name), y.Library.Str(o.Value))
		}
	}
	y.share.Take(func() driver.Ref { return 1 })
	y.assumed, y.levels, y.unsatLevels = nil, nil, 0
}

func (y *yices) Shut(broken bool) {
	y.dropModel()
	ctx := y.ctx
	y.ctx = 0
	if y.params != 0 {
		y.Library.Call("yices_free_param_record", y.params)
		y.params = 0
	}
	last := ctx != 0 && y.share.Leave() != 0
	if ctx != 0 && !broken {
		y.Library.Call("yices_free_context", ctx)
		if last {
			y.Library.Call("yices_reset") // terms, types and their names
		}
	}
}

func (y *yices) Assert(_ *driver.Session, r driver.Ref, _ string, track bool) {
	if track {
		y.assumed = append(y.assumed, r)
		return
	}
	y.unlessUnsat("assert_formula", y.ctx, objectNumber(r)) // where it is unsatisfiable it stays so
}

// unlessUnsat calls a function that a context refuses as long as it is unsatisfiable; then it returns false. The
// library first forgets assumptions that made the context unsatisfiable.
func (y *yices) unlessUnsat(name string, args ...uintptr) bool {
	const (
		invalidOperation = 400 // CTX_INVALID_OPERATION
		unsat            = 4
	)
	y.Library.Call("yices_"+name, args...)
	if int32(y.Library.Call("yices_error_code")) == invalidOperation && uint32(y.Library.Call("yices_context_status",
		y.ctx)) == unsat {
		y.Library.Call("yices_clear_error")
		return false
	}
	y.throwLastError()
	return true
}

func (y *yices) Check(_ *driver.Session, assumptions []driver.Ref) smtlib.Answer {
	y.dropModel()
	assumptions = append(y.assumed[:len(y.assumed):len(y.assumed)], assumptions...)
	var r uint32
	if len(assumptions) == 0 {
		r = uint32(y.callC("check_context", y.ctx, y.params))
	} else {
		r = uint32(y.callC("check_context_with_assumptions", y.ctx, y.params, uintptr(len(assumptions)),
			y.numberList(assumptions)))
	}
	switch r { // smt_status_t of version 2.6
	case 3:
		return smtlib.Sat
	case 4:
		return smtlib.Unsat
	case 6:
		panic(driver.Refuse(solvers.SolverError, "yices_check_context: error"))
	}
	return smtlib.Unknown
}

func (y *yices) Stop() bool {
	if y.ctx != 0 {
		driver.SyscallC(y.Library.Address("yices_stop_search"), []uintptr{y.ctx})
	}
	return true
}

// Reusable implements driver.Solving.
func (y *yices) Reusable() bool { return true }

// Renew implements driver.Solving. The terms, which all contexts have in common, stay.
func (y *yices) Renew(*driver.Session) bool {
	y.dropModel()
	return true
}

func (y *yices) Push(n int) {
	for range n {
		if y.unsatLevels > 0 || !y.unlessUnsat("push", y.ctx) {
			y.unsatLevels++
		}
		y.levels = append(y.levels, len(y.assumed))
	}
}

func (y *yices) Pop(n int) {
	for range n {
		if y.unsatLevels > 0 {
			y.unsatLevels--
		} else {
			y.callC("pop", y.ctx)
		}
	}
	k := len(y.levels) - n
	y.assumed, y.levels = y.assumed[:y.levels[k]], y.levels[:k]
}

func (y *yices) ResetAssertions() {
	y.dropModel()
	y.callC("reset_context", y.ctx)
	y.assumed, y.levels, y.unsatLevels = nil, nil, 0
}
