package script

import (
	"github.com/smtlark/smtlark/builtins/core"
	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/rng"
)

// Modules returns everything campaign files can call, in the order of the reference.
func Modules() []registry.Module {
	return append(core.Modules(), rng.Module())
}

// Registry returns the checked registry of all builtins.
func Registry() (*registry.Registry, error) { return registry.New(Modules()...) }
