package script

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/smtlark/smtlark/builtins/api"
	"github.com/smtlark/smtlark/builtins/campaign"
	"github.com/smtlark/smtlark/builtins/core"
	"github.com/smtlark/smtlark/builtins/fusion"
	"github.com/smtlark/smtlark/builtins/mutate"
	"github.com/smtlark/smtlark/builtins/reduce"
	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/smt"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/trust"
	"github.com/smtlark/smtlark/stdlib"
)

// Modules returns everything campaign files can call, in the order of the reference.
func Modules() []registry.Module {
	modules := campaign.Modules()
	modules = append(modules, core.Modules()...)
	return append(modules, value.RandomModule(), smt.Module(), value.CorpusModule(stdlib.FS()), mutate.Module(), fusion.Module(), value.LawModule(), solving.SolverModule(),
		solving.OracleModule(), reduce.Module(), api.ManagerModule(), api.Module(StandardMachine, solverActions))
}

// solverActions returns the names of the actions that the profiles of this machine declare, sorted.
func solverActions() []string {
	profiles, err := Supply().Profiles()
	if err != nil { // it is told where solvers are looked for
		return nil
	}
	names := map[string]bool{}
	for _, p := range profiles {
		for _, a := range p.APIActions {
			names[a.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Registry returns the checked registry of all builtins.
func Registry() (*registry.Registry, error) { return registry.New(Modules()...) }

// Supply returns the solvers of this machine by the profiles of the library. It looks for them once.
var Supply = sync.OnceValue(func() *catalogue.Catalogue { return NewSupply() })

// NewSupply returns a supply of the library's profiles and of those of profileFiles, which looks into further folders.
func NewSupply(dirs ...string) *catalogue.Catalogue {
	s := solving.NewSupply(stdlib.FS(), dirs...)
	s.Files, s.Untrusted = profileFiles()
	return s
}

// profilesName is the name of the files in which users describe solvers of their own for all verbs.
const profilesName = "solvers.star"

// profileFiles returns the files of solver profiles of this user and of the project that the working folder lies in:
// those that $SMTLARK_PROFILES names, smtlark/solvers.star in the user's folder of settings, and .smtlark/solvers.star.
// The last one is untrusted where its project is.
func profileFiles() (files, untrusted []string) {
	exists := func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && info.Mode().IsRegular()
	}
	files = filepath.SplitList(os.Getenv("SMTLARK_PROFILES"))
	if dir, err := os.UserConfigDir(); err == nil {
		if own := filepath.Join(dir, "smtlark", profilesName); exists(own) {
			files = append(files, own)
		}
	}
	root, err := ProjectRoot(profilesName)
	if err != nil {
		return files, nil
	}
	if own := filepath.Join(root, projectMark, profilesName); !exists(own) {
		return files, nil
	} else if trust.Holds(root) {
		return append(files, own), nil
	} else {
		return files, []string{own}
	}
}
