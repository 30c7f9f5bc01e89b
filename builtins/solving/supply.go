package solving

import (
	"io/fs"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/solvers/catalogue"
)

// NewSupply returns the catalogue of the profiles in a library's solvers/ folder, see catalogue.New.
func NewSupply(library fs.FS, dirs ...string) *catalogue.Catalogue {
	return catalogue.New(newProfileFiles(library).load, dirs...)
}

// supplyKey is the slot of a thread's catalogue of solvers.
var supplyKey = registry.NewKey[*catalogue.Catalogue]("the list of solvers", "the host of this thread gave it none")

// Attach sets the catalogue of a thread, and its provers: the usual provers that are installed.
func Attach(s *catalogue.Catalogue, th *starlark.Thread) {
	supplyKey.Set(th, s)
	ProversKey.Set(th, func() (out target.Askers) {
		for _, name := range []string{"z3", "cvc5"} {
			if found, err := s.Find(name, ""); err == nil {
				out = append(out, &target.Solver{Found: found})
			}
		}
		return out
	})
}
