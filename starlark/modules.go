package script

import (
	"sync"

	"github.com/smtlark/smtlark/builtins/api"
	"github.com/smtlark/smtlark/builtins/campaign"
	"github.com/smtlark/smtlark/builtins/core"
	"github.com/smtlark/smtlark/builtins/corpus"
	"github.com/smtlark/smtlark/builtins/fusion"
	"github.com/smtlark/smtlark/builtins/mutate"
	"github.com/smtlark/smtlark/builtins/oracle"
	"github.com/smtlark/smtlark/builtins/reduce"
	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/rng"
	"github.com/smtlark/smtlark/builtins/smt"
	"github.com/smtlark/smtlark/builtins/solver"
	"github.com/smtlark/smtlark/stdlib"
)

// Modules returns everything campaign files can call, in the order of the reference.
func Modules() []registry.Module {
	modules := campaign.Modules()
	modules = append(modules, core.Modules()...)
	return append(modules, rng.Module(), smt.Module(), corpus.Module(stdlib.FS()), mutate.Module(), fusion.Module(), solver.Module(),
		oracle.Module(), reduce.Module(), api.Module())
}

// Registry returns the checked registry of all builtins.
func Registry() (*registry.Registry, error) { return registry.New(Modules()...) }

// Supply returns the solvers of this machine by the profiles of the library. It looks for them once.
var Supply = sync.OnceValue(func() *solver.Supply { return solver.NewSupply(stdlib.FS()) })
