package value

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/ground/rng"
)

// RandomModule returns the function rng and the type it makes.
func RandomModule() registry.Module {
	return registry.Module{
		Types: []*registry.Type{RngType},
		Members: []registry.Builtin{{
			Name: "rng", Doc: "A stream of random numbers that depends only on the seed. Techniques get their rng as an argument; this function is for tests and experiments.",
			Ret:     "rng",
			Example: "rng(1).int(0, 100) == rng(1).int(0, 100)  # -> True",
			Do: registry.Into(func(c *registry.Call, a *rngArgs) (starlark.Value, error) {
				return NewRng(rng.New(a.Seed)), nil
			}),
		}},
	}
}

// rngArgs are the arguments of rng.
type rngArgs struct {
	Seed uint64 `type:"bigint"`
}
