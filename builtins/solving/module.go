package solving

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/ground/spelling"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/coverage"
	"github.com/smtlark/smtlark/solvers/process"
)

// SolverModule returns the module and the types solver, run and profile.
func SolverModule() registry.Module {
	return registry.Module{
		Name: "solver",
		Doc: `The solvers of this machine. solver("z3") is the first z3 found, solver.installed() is all usable ones; both use
the profiles of the library, and solver.profile(...) adds a kind of solver or a build of your own.`,
		Types: []*registry.Type{SolverType, RunType, profileType, RuleType, actionType},
		Call: &registry.Builtin{
			Name: "solver",
			Doc:  "A solver of this machine as a target. It is an error if there is none.",
			Ret:  "solver", Needs: "z3",
			Example: "solver(\"z3\", mode = \"fresh\", options = {\"smt.random_seed\": 7}).check(\"(check-sat)\")  # -> \"sat\"\nsolver(\"z4\")  # error: solver: no solver is named \"z4\" (did you mean \"z3\"?)\nsolver(\"z3\", mode = \"native\", path = \"/no/libz3.so\")  # error: there is no library /no/libz3.so",
			Do:      registry.Into(newSolver),
		},
		Members: append([]registry.Builtin{
			{
				Name: "installed",
				Doc:  "Every solver found on this machine that can be used, in the order of their profiles. A solver in two modes is two targets.",
				Ret:  "list[solver]", Needs: "z3",
				Example: "\"z3\" in [s.kind for s in solver.installed()]  # -> True\n[s.mode for s in solver.installed(kinds = [\"z3\"], modes = [\"fresh\", \"incremental\"])][:2]  # -> [\"fresh\", \"incremental\"]",
				Do:      registry.Into(installed),
			},
			{
				Name: "targets", Doc: "The solvers that the current case is made for: the targets of the campaign or, if they take turns, the one whose turn it is. Outside of a campaign there are none.",
				Ret: "list[solver]", Example: "solver.targets()  # -> []",
				Fn: func(c *registry.Call) (starlark.Value, error) {
					var out []starlark.Value
					for _, s := range TargetsOf(c.Thread) {
						out = append(out, &SolverValue{Solver: s})
					}
					return starlark.NewList(out), nil
				},
			},
			productsBuiltin(),
			actionBuiltin,
			{
				Name:    "profile",
				Doc:     "Describes a kind of solver. The keywords:\n" + fieldDoc(),
				Ret:     "profile",
				Example: "p = solver.profile(name = \"z3-debug\", base = \"z3\", binaries = [\"/home/me/z3/build/z3\"])\np.modes  # -> [\"fresh\", \"reset\", \"incremental\"]\nsolver.profile(name = \"x\", binares = [])  # error: did you mean \"binaries\"?",
				Do: registry.Into(func(c *registry.Call, a *solverProfileArgs) (starlark.Value, error) {
					s, err := supplyKey.Get(c.Thread)
					if err != nil {
						return nil, err
					}
					fields := keywords(a.Fields)
					known, err := basesFor(s, fields["base"])
					if err != nil {
						return nil, err
					}
					return newProfile(fields, known)
				}),
			},
		}, slices.Concat(ruleBuiltins, metas)...),
	}
}

// useArgs say how a solver is used.
type useArgs struct {
	Options   *starlark.Dict `type:"dict[str, str | bool | number]" default:"{}" doc:"options by name, without the colon"`
	Args      []string       `default:"[]" doc:"more command line arguments"`
	Timeout   *time.Duration `default:"None" doc:"wall time for one case; then the solver is killed"`
	CPU       *time.Duration `default:"None" doc:"CPU time for one case"`
	Memory    *int64         `default:"None" doc:"greatest memory of the process"`
	TimeLimit *time.Duration `default:"None" doc:"the solver's own time limit for one check-sat; then it answers unknown"`
	Resources *int           `type:"count | None" default:"None" doc:"the solver's own deterministic limit for one check-sat, in the solver's unit"`
	Coverage  *bool          `default:"None" doc:"whether campaigns read which edges of its control flow the solver takes (docs/coverage.md); this needs a solver built with AFL++. None: only if it is built so"`
}

// options returns the target options that the arguments set.
func (a *useArgs) options(c *registry.Call) (process.TargetOptions, error) {
	var opt process.TargetOptions
	if len(a.Args) > 0 {
		opt.Args = a.Args
	}
	for _, limit := range []struct {
		given *time.Duration
		to    *time.Duration
	}{{a.TimeLimit, &opt.TimeLimit}, {a.Timeout, &opt.Limits.Wall}, {a.CPU, &opt.Limits.CPU}} {
		if limit.given != nil {
			*limit.to = *limit.given
		}
	}
	options := map[string]string{}
	for _, kv := range a.Options.Items() {
		name := strings.TrimPrefix(string(kv[0].(starlark.String)), ":")
		if name == "" || strings.ContainsAny(name, " \t\n()|\";") {
			return opt, c.Errorf(&a.Options, "%s is no option's name", kv[0].String())
		}
		if _, twice := options[name]; twice {
			return opt, c.Errorf(&a.Options, "%s is there twice, with and without the colon", name)
		}
		options[name] = OptionText(kv[1])
	}
	opt.SMTOptions = target.OptionList(options)
	if a.Memory != nil {
		opt.Limits.Memory = *a.Memory
	}
	if a.Resources != nil {
		opt.Resources = uint64(*a.Resources)
	}
	opt.Coverage = a.Coverage
	return opt, nil
}

// uncounted returns an error if coverage is requested from a solver that cannot report it.
func (a *useArgs) uncounted(c *registry.Call, s *solvers.Solver) error {
	if a.Coverage == nil || !*a.Coverage || coverage.Instrumented(s.Files()) {
		return nil
	}
	return c.Errorf(&a.Coverage, "%s does not count its edges: build it with afl-clang-fast of AFL++ (docs/coverage.md)", s.Name)
}

// heldBack returns an error if options or arguments have to do with files: solvers write none of the user's.
func (a *useArgs) heldBack(c *registry.Call, p *solvers.Profile, opt process.TargetOptions) error {
	const why = "names a file or makes %s write one, and solvers do not write files of yours; --unsafe-solver lets them (docs/trust.md)"
	for _, o := range opt.SMTOptions {
		if p.HoldsBack(o.Name) {
			return c.Errorf(&a.Options, "option %s "+why, o.Name, p.Name)
		}
	}
	for _, given := range opt.Args {
		if p.HoldsBackArgument(given) != "" {
			return c.Errorf(&a.Args, "argument %q "+why, given, p.Name)
		}
	}
	return nil
}

// OptionText writes the value of an option as SMT-LIB does.
func OptionText(v starlark.Value) string {
	switch v := v.(type) {
	case starlark.Bool:
		return strings.ToLower(v.String())
	case starlark.String:
		return string(v)
	}
	return v.String()
}

// solverArgs are the arguments of solver.
type solverArgs struct {
	Which   starlark.Value `type:"str | profile" doc:"a kind of solver (\"z3\": the first one found), the name of one solver (\"z3-4.13.3\"), of a C library (\"libz3\", \"libz3-4.13.3\": mode native), a kind with the path of a build (\"z3=/builds/debug/z3\"), each also with its mode after a colon (\"z3:reset\"), as --solver takes them; or a profile"`
	_       registry.KeywordOnly
	Version string       `default:"None" doc:"the version or its beginning: \"4.13\""`
	Path    string       `default:"None" doc:"the program, or the library for mode native, if smtlark should not search for it, for example a debug build; relative to the working folder"`
	Mode    solvers.Mode `type:"\"fresh\" | \"reset\" | \"incremental\" | \"native\" | None" default:"None" doc:"how the solver is used; native calls its C library (libz3.so, ...) in a child process, see docs/native.md. None: as a target of a campaign all its modes, including its library of the same version, each case in one of them (docs/guide.md); elsewhere reset if it has that, else fresh"`
	useArgs
	Name string `default:"None" doc:"its name in runs and findings; None makes one from solver, mode and options"`
}

// named returns the name given by the argument which, own the profile given by it.
func (a *solverArgs) named() string { s, _ := starlark.AsString(a.Which); return s }

// readName takes apart a name with a path or a mode.
func (a *solverArgs) readName(c *registry.Call) error {
	if a.own() != nil {
		return nil
	}
	n, err := catalogue.ParseName(a.named())
	switch {
	case err != nil:
		return c.Errorf(&a.Which, "%v", err)
	case catalogue.IsPath(n.Solver):
		return c.Errorf(&a.Which, "%s is a path: put the kind of solver in front, as in %q", n.Solver, "z3="+n.Solver)
	case n.Path != "" && a.Path != "":
		return c.Errorf(&a.Path, "the path is part of the name %s", n)
	case n.Mode != "" && a.Mode != "":
		return c.Errorf(&a.Mode, "the mode is part of the name %s", n)
	case n.Path != "" && n.IsLibrary():
		n.Mode = solvers.Native
	}
	a.Which, a.Path, a.Mode = starlark.String(n.Solver), cmp.Or(n.Path, a.Path), cmp.Or(n.Mode, a.Mode)
	a.Args = append(n.Args, a.Args...)
	return nil
}

// agree splits the name of one solver, such as z3-4.13.3 or libz3-4.8.12, into kind and version if a path or a version
// is given as well. It returns an error if the two do not agree: neither of them is ignored.
func (a *solverArgs) agree(c *registry.Call, supply *catalogue.Catalogue) error {
	if a.own() != nil || a.Path == "" && a.Version == "" {
		return nil
	}
	kind, version, library, err := supply.KindOf(a.named())
	if err != nil || kind == "" || kind == a.named() {
		return err
	}
	if library && a.Mode != "" && a.Mode != solvers.Native {
		return c.Errorf(&a.Mode, "%s is a C library, whose mode is native", a.named())
	}
	if !catalogue.VersionMatches(version, a.Version) && !catalogue.VersionMatches(a.Version, version) {
		return c.Errorf(&a.Version, "%q is not the version of %s", a.Version, a.named())
	}
	if library {
		a.Mode = solvers.Native
	}
	if len(version) < len(a.Version) {
		version = a.Version
	}
	a.Which, a.Version = starlark.String(kind), version
	return nil
}

func (a *solverArgs) own() *profile { p, _ := a.Which.(*profile); return p }

func newSolver(c *registry.Call, a *solverArgs) (starlark.Value, error) {
	supply, err := supplyKey.Get(c.Thread)
	if err != nil {
		return nil, err
	}
	if err := a.readName(c); err != nil {
		return nil, err
	}
	opt, err := a.options(c)
	if err != nil {
		return nil, err
	}
	if err := a.agree(c, supply); err != nil {
		return nil, err
	}
	found, err := a.find(c, supply)
	opt.Name = a.Name
	if stand := a.absent(c, supply, opt, err); stand != nil {
		return stand, nil
	}
	if err != nil {
		return nil, err
	}
	if err := a.heldBack(c, found.Profile, opt); err != nil {
		return nil, err
	}
	if err := a.uncounted(c, found); err != nil {
		return nil, err
	}
	if found.Library != "" && len(opt.Args) > 0 {
		return nil, c.Errorf(&a.Args, "%s is a C library, which takes no arguments; options are set with options", found.Name)
	}
	if opt.Mode, err = found.ModeOr(a.Mode); err != nil {
		return nil, c.Errorf(&a.Mode, "%v", err)
	}
	first := ""
	if p := a.own(); p != nil {
		first = p.expr
	}
	path := a.Path
	if path != "" { // the working folder of those who replay a finding is another one
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
	}
	out := solverOf(c, found, opt, target.Expression(first, path, found, opt))
	if a.Mode == "" {
		out.Further = further(c, supply, out.Solver, first, path)
	}
	return out, nil
}

// further returns a function that makes the solver in the modes that were not chosen, see target.Solver.Further. first
// and path are those of its expression. The solver's library is among the results if the solver is the installed
// program without options of its own, since options of a program are not options of a library.
func further(c *registry.Call, supply *catalogue.Catalogue, s *target.Solver, first, path string) func(context.Context) []*target.Solver {
	found, own := s.Found, s.Opt
	in := func(as *solvers.Solver, mode solvers.Mode) *target.Solver {
		opt := own
		if opt.Mode = mode; own.Name != "" {
			opt.Name = own.Name + "/" + string(mode)
		}
		return solverOf(c, as, opt, target.Expression(first, path, as, opt)).Solver
	}
	return func(ctx context.Context) (out []*target.Solver) {
		if found.Library != "" {
			return nil
		}
		for _, mode := range found.Modes() {
			if mode != own.Mode {
				out = append(out, in(found, mode))
			}
		}
		plain := len(own.Args) == 0 && len(own.SMTOptions) == 0 && own.TimeLimit == 0 && own.Resources == 0
		if plain && first == "" && path == "" {
			if library := supply.LibraryOf(ctx, found); library != nil {
				out = append(out, in(library, solvers.Native))
			}
		}
		return out
	}
}

// absent returns a placeholder for a solver that a campaign file names and that is not on this machine. It does so if
// the file is run only for its functions, or if a program given on the command line may replace the solver; else it
// returns nil.
func (a *solverArgs) absent(c *registry.Call, supply *catalogue.Catalogue, opt process.TargetOptions, err error) *SolverValue {
	var missing *catalogue.MissingError
	if !errors.As(err, &missing) || !registry.ReplayKey.Has(c.Thread) && !registry.StandInKey.Has(c.Thread) {
		return nil
	}
	p := &solvers.Profile{Name: a.named()}
	if own := a.own(); own != nil {
		p = own.P
	} else if known, err := supply.Kind(a.named()); err == nil && known != nil {
		p = known
	}
	found := &solvers.Solver{Name: p.Name, Version: a.Version, Profile: p, Unusable: missing.Error()}
	if a.Version != "" {
		found.Name += "-" + a.Version
	}
	if opt.Mode = cmp.Or(a.Mode, solvers.Fresh); opt.Mode == solvers.Native {
		found.Library = "lib" + p.Name // what takes its place is a library
	}
	return &SolverValue{Solver: &target.Solver{Found: found, Opt: opt}, Missing: missing}
}

// solverOf makes the value of a solver that was found: a program or a library.
func solverOf(c *registry.Call, found *solvers.Solver, opt process.TargetOptions, expr string) *SolverValue {
	if in := found.Profile.ConfigurationOf(opt.Args, opt.SMTOptions); in != nil {
		if there, err := found.Configured(in); err == nil { // the profile has been validated
			found = there
		}
	}
	return &SolverValue{Solver: &target.Solver{Found: found, Opt: opt, Expr: expr}, Made: CallerOf(c.Thread)}
}

// find finds the solver that the arguments mean.
func (a *solverArgs) find(c *registry.Call, supply *catalogue.Catalogue) (*solvers.Solver, error) {
	p := a.own()
	if a.Mode == solvers.Native {
		return a.findLibrary(c, supply)
	}
	if a.Path == "" && p == nil {
		found, err := supply.Find(a.named(), a.Version)
		if err != nil && a.Mode == "" && a.Version == "" && catalogue.NamesLibrary(a.named()) {
			a.Mode = solvers.Native
			return supply.LibraryNamed(registry.Context(c.Thread), a.named())
		}
		return found, err
	}
	if a.Path == "" {
		if err := trusted(c, p, "", nil); err != nil {
			return nil, err
		}
		return supply.FindProfile(p.P, a.Version)
	}
	abs, err := filepath.Abs(a.Path)
	if err != nil {
		return nil, err
	}
	if err := trusted(c, p, abs, func() []*solvers.Solver {
		known, _ := supply.Installed() // an error of the library's profiles is told below
		return known
	}); err != nil {
		return nil, err
	}
	if p == nil {
		known, err := supply.Kind(a.named())
		if known == nil {
			if err == nil {
				return supply.Find(a.named(), a.Version) // its error explains what is wrong with the name
			}
			return nil, err
		}
		p = &profile{P: known}
	}
	return supply.At(p.P, abs, a.Version)
}

// findLibrary finds the C library that the arguments mean.
func (a *solverArgs) findLibrary(c *registry.Call, supply *catalogue.Catalogue) (*solvers.Solver, error) {
	p, asked := a.own(), a.own()
	if p == nil {
		known, err := supply.Kind(a.named())
		if err != nil {
			return nil, err
		}
		if known == nil {
			return supply.LibraryNamed(registry.Context(c.Thread), a.named())
		}
		p = &profile{P: known}
	}
	if a.Path == "" {
		if err := trusted(c, asked, "", nil); err != nil {
			return nil, err
		}
		return supply.FindLibrary(registry.Context(c.Thread), p.P, a.Version)
	}
	abs, err := filepath.Abs(a.Path)
	if err != nil {
		return nil, err
	}
	if err := trusted(c, asked, abs, func() []*solvers.Solver { return supply.Libraries(registry.Context(c.Thread), p.P) }); err != nil {
		return nil, err
	}
	return supply.LibraryAt(registry.Context(c.Thread), p.P, abs, a.Version)
}

// installedArgs are the arguments of solver.installed.
type installedArgs struct {
	_     registry.KeywordOnly
	Kinds []starlark.Value `type:"list[str | profile] | None" default:"None" doc:"kinds of solvers; None is every kind of the library"`
	Modes []solvers.Mode   `type:"list[\"fresh\" | \"reset\" | \"incremental\" | \"native\"] | None" default:"None" doc:"one target for each of these modes that a solver has; None is one target per solver, used in all of its modes (see solver()); native adds the C libraries found"`
	useArgs
}

func installed(c *registry.Call, a *installedArgs) (starlark.Value, error) {
	supply, err := supplyKey.Get(c.Thread)
	if err != nil {
		return nil, err
	}
	opt, err := a.options(c)
	if err != nil {
		return nil, err
	}
	profiles, err := kinds(c, a, supply)
	if err != nil {
		return nil, err
	}
	for _, p := range profiles {
		if err := a.heldBack(c, p, opt); err != nil {
			return nil, err
		}
	}
	profileOf := map[*solvers.Profile]string{}
	for _, k := range a.Kinds {
		if p, ok := k.(*profile); ok {
			profileOf[p.P] = p.expr
		}
	}
	if a.Modes != nil && len(a.Modes) == 0 {
		return nil, c.Errorf(&a.Modes, "there is no mode in the list")
	}
	var out []starlark.Value
	for _, s := range supply.Solvers(profiles...) {
		if s.Unusable != "" {
			continue
		}
		use := a.Modes
		if a.Modes == nil {
			m, err := s.ModeOr("")
			if err != nil {
				continue // not even fresh
			}
			use = []solvers.Mode{m}
		}
		if err := a.uncounted(c, s); err != nil {
			return nil, err
		}
		for _, m := range use {
			o := opt
			if o.Mode, err = s.ModeOr(m); err == nil {
				first := profileOf[s.Profile]
				one := solverOf(c, s, o, target.Expression(first, "", s, o))
				if a.Modes == nil {
					one.Further = further(c, supply, one.Solver, first, "")
				}
				out = append(out, one)
			}
		}
	}
	if slices.Contains(a.Modes, solvers.Native) {
		for _, s := range supply.Libraries(registry.Context(c.Thread), profiles...) {
			if o := opt; s.Unusable == "" {
				o.Mode = solvers.Native
				out = append(out, solverOf(c, s, o, target.Expression(profileOf[s.Profile], "", s, o)))
			}
		}
	}
	return starlark.NewList(out), nil
}

// kinds returns the profiles that installed() looks for.
func kinds(c *registry.Call, a *installedArgs, supply *catalogue.Catalogue) ([]*solvers.Profile, error) {
	known, err := supply.Profiles()
	if err != nil || a.Kinds == nil {
		return known, err
	}
	var out []*solvers.Profile
kinds:
	for _, k := range a.Kinds {
		if p, ok := k.(*profile); ok {
			if err := trusted(c, p, "", nil); err != nil {
				return nil, err
			}
			out = append(out, p.P)
			continue
		}
		name := string(k.(starlark.String))
		for _, p := range known {
			if p.Name == name {
				out = append(out, p)
				continue kinds
			}
		}
		hint := spelling.Hint(name, names(known))
		return nil, c.Errorf(&a.Kinds, "no kind of solver is named %q%s", name, hint)
	}
	return out, nil
}

// solverProfileArgs are the arguments of solver.profile.
type solverProfileArgs struct {
	Fields *starlark.Dict `name:"**fields" type:"str | bool | list | tuple | dict | profile" doc:"see above; name is required; base is another kind from which the remaining fields are taken"`
}
