// Package solver is the Starlark module solver: the solvers of this machine as targets, and profiles of new kinds.
package solver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// Module returns the module and the types solver, run and profile.
func Module() registry.Module {
	return registry.Module{
		Name: "solver",
		Doc: `The solvers of this machine. solver("z3") is the first z3 found, solver.installed() is all that can be used; both know the
solvers that the library has a profile of, and solver.profile(...) adds a kind of solver or a build of one's own.`,
		Types: []*registry.Type{value.SolverType, value.RunType, profileType},
		Call: &registry.Builtin{
			Name: "solver",
			Doc:  "A solver of this machine as a target. It is an error if there is none.",
			Params: append([]registry.Param{
				{Name: "which", Type: "str | profile", Doc: "a kind of solver (\"z3\": the first one found), the name of one solver (\"z3-4.13.3\"), or a profile"},
				{Name: "*"},
				{Name: "version", Type: "str | None", Default: "None", Doc: "the version or its beginning: \"4.13\""},
				{Name: "path", Type: "str | None", Default: "None", Doc: "the program, or the library for mode native, where it is not to be looked for: a debug build; relative to the working folder"},
				{Name: "mode", Type: `"fresh" | "reset" | "incremental" | "native" | None`, Default: "None", Doc: "how it is fed; None is reset where the solver has it, else fresh; native calls its C library (libz3.so, ...) in a child process, see docs/native.md"},
			}, useParams...),
			Ret: "solver", Needs: "z3",
			Example: "solver(\"z3\", mode = \"fresh\", options = {\"smt.random_seed\": 7}).check(\"(check-sat)\")  # -> \"sat\"\nsolver(\"z4\")  # error: solver: no solver is named \"z4\" (did you mean \"z3\"?)\nsolver(\"z3\", mode = \"native\", path = \"/no/libz3.so\")  # error: there is no library /no/libz3.so",
			Fn:      newSolver,
		},
		Members: append([]registry.Builtin{
			{
				Name: "installed",
				Doc:  "Every solver found on this machine that can be used, in the order of their profiles. In two modes it is two targets.",
				Params: append([]registry.Param{
					{Name: "*"},
					{Name: "kinds", Type: "list[str | profile] | None", Default: "None", Doc: "kinds of solvers; None is every kind of the library"},
					{Name: "modes", Type: `list["fresh" | "reset" | "incremental" | "native"] | None`, Default: "None", Doc: "one target for each of these modes that a solver has; None is one target in the mode that solver() takes; native adds the C libraries found"},
				}, useParams[:len(useParams)-1]...),
				Ret: "list[solver]", Needs: "z3",
				Example: "\"z3\" in [s.kind for s in solver.installed()]  # -> True\n[s.mode for s in solver.installed(kinds = [\"z3\"], modes = [\"fresh\", \"incremental\"])][:2]  # -> [\"fresh\", \"incremental\"]",
				Fn:      installed,
			},
			productsBuiltin(),
			{
				Name:    "profile",
				Doc:     "Describes a kind of solver. The keywords:\n" + fieldDoc(),
				Params:  []registry.Param{{Name: "**fields", Type: "str | bool | list | tuple | dict | profile", Doc: "see above; name is needed, base takes the rest from another kind"}},
				Ret:     "profile",
				Example: "p = solver.profile(name = \"z3-debug\", base = \"z3\", binaries = [\"/home/me/z3/build/z3\"])\np.modes  # -> [\"fresh\", \"reset\", \"incremental\"]\nsolver.profile(name = \"x\", binares = [])  # error: did you mean \"binaries\"?",
				Fn: func(c *registry.Call) (starlark.Value, error) {
					s, err := SupplyKey.Get(c.Thread)
					if err != nil {
						return nil, err
					}
					known, err := s.Profiles()
					if err != nil {
						return nil, err
					}
					return newProfile(keywords(c.Dict(0)), known)
				},
			},
		}, metas...),
	}
}

// useParams say how a solver is used. They are the last parameters of solver(); name is the very last.
var useParams = []registry.Param{
	{Name: "options", Type: "dict[str, str | bool | number]", Default: "{}", Doc: "options by name, without the colon"},
	{Name: "args", Type: "list[str]", Default: "[]", Doc: "more command line arguments"},
	{Name: "timeout", Type: "duration | None", Default: "None", Doc: "wall time for one case; then it is killed"},
	{Name: "cpu", Type: "duration | None", Default: "None", Doc: "CPU time for one case"},
	{Name: "memory", Type: "str | int | None", Default: "None", Doc: "bytes, or \"2GB\", \"500MB\""},
	{Name: "time_limit", Type: "duration | None", Default: "None", Doc: "the solver's own limit for one check-sat: it says unknown"},
	{Name: "resources", Type: "int | None", Default: "None", Doc: "the solver's own deterministic limit for one check-sat, in its unit"},
	{Name: "name", Type: "str | None", Default: "None", Doc: "what runs and findings call it; None makes one from solver, mode and options"},
}

// use reads the parameters useParams from index i on.
func use(c *registry.Call, i int) (process.Options, error) {
	opt := process.Options{TimeLimit: c.Duration(i + 5)}
	opt.Limits.Wall, opt.Limits.CPU = c.Duration(i+2), c.Duration(i+3)
	options := map[string]string{}
	for _, kv := range c.Dict(i).Items() {
		name := strings.TrimPrefix(string(kv[0].(starlark.String)), ":")
		if name == "" || strings.ContainsAny(name, " \t\n()|\";") {
			return opt, c.ArgErrorf(i, "%s is no option's name", kv[0].String())
		}
		options[name] = optionText(kv[1])
	}
	opt.SMTOptions = value.OptionList(options)
	for _, a := range c.List(i + 1) {
		opt.Args = append(opt.Args, string(a.(starlark.String)))
	}
	var err error
	if c.Has(i + 4) {
		if opt.Limits.Memory, err = value.Bytes(c.Arg(i + 4)); err != nil {
			return opt, c.ArgErrorf(i+4, "%v", err)
		}
	}
	if n := c.Int(i + 6); n < 0 {
		return opt, c.ArgErrorf(i+6, "%d is below 0", n)
	} else {
		opt.Resources = uint64(n)
	}
	return opt, nil
}

// heldBack returns an error if the parameters options and args, from index i on, have to do with files: solvers write none of
// the user's.
func heldBack(c *registry.Call, i int, p *solvers.Profile, opt process.Options) error {
	const why = "names a file or makes %s write one, and solvers do not write files of yours; --unsafe-solver lets them (docs/trust.md)"
	for _, o := range opt.SMTOptions {
		if p.HoldsBack(o.Name) {
			return c.ArgErrorf(i, "option %s "+why, o.Name, p.Name)
		}
	}
	for _, a := range opt.Args {
		if p.HoldsBackArgument(a) != "" {
			return c.ArgErrorf(i+1, "argument %q "+why, a, p.Name)
		}
	}
	return nil
}

func optionText(v starlark.Value) string {
	switch v := v.(type) {
	case starlark.Bool:
		return strings.ToLower(v.String())
	case starlark.String:
		return string(v)
	}
	return v.String()
}

func newSolver(c *registry.Call) (starlark.Value, error) {
	supply, err := SupplyKey.Get(c.Thread)
	if err != nil {
		return nil, err
	}
	opt, err := use(c, 5)
	if err != nil {
		return nil, err
	}
	found, err := which(c, supply)
	opt.Name = c.String(12)
	if stand := absent(c, supply, opt, err); stand != nil {
		return stand, nil
	}
	if err != nil {
		return nil, err
	}
	if err := heldBack(c, 5, found.Profile, opt); err != nil {
		return nil, err
	}
	if opt.Mode, err = modeOf(found, solvers.Mode(c.String(4))); err != nil {
		return nil, c.ArgErrorf(4, "%v", err)
	}
	first := ""
	if p, ok := c.Arg(0).(*profile); ok {
		first = p.expr
	}
	path := c.String(3)
	if path != "" { // the working folder of those who replay a finding is another one
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
	}
	return target(c, found, opt, expr(first, path, found, opt)), nil
}

// absent stands for a solver that a campaign file names and that is not on this machine, where the file is run for its
// functions only; else it is nil.
func absent(c *registry.Call, supply *Supply, opt process.Options, err error) *value.Solver {
	var missing *MissingError
	if !errors.As(err, &missing) || !registry.ReplayKey.Has(c.Thread) {
		return nil
	}
	p := &solvers.Profile{Name: c.String(0)}
	if own, ok := c.Arg(0).(*profile); ok {
		p = own.P
	} else if known, err := supply.kind(c.String(0)); err == nil && known != nil {
		p = known
	}
	if opt.Mode = solvers.Mode(c.String(4)); opt.Mode == "" {
		opt.Mode = solvers.Fresh
	}
	return &value.Solver{Found: &solvers.Solver{Name: p.Name, Version: c.String(2), Profile: p, Unusable: missing.Error()}, Opt: opt}
}

// target makes the value of a solver that was found: a program or a library.
func target(c *registry.Call, found *solvers.Solver, opt process.Options, expr string) *value.Solver {
	if in := found.Profile.ConfigurationOf(opt.Args, opt.SMTOptions); in != nil {
		if there, err := found.Configured(in); err == nil { // the profile has been validated
			found = there
		}
	}
	return &value.Solver{Found: found, Opt: opt, Expr: expr, Made: value.CallerOf(c.Thread)}
}

// With returns a target with another program, or library, in the place of its solver, under the same name. A meta solver is
// none of a program.
func With(ctx context.Context, supply *Supply, s *value.Solver, path string) (*value.Solver, error) {
	if s.Members != nil {
		return nil, fmt.Errorf("%s is made of several solvers: no program can take its place", s.Name())
	}
	at := func() (*solvers.Solver, error) { return supply.At(s.Found.Profile, path, "") }
	if s.Found.Library != "" {
		at = func() (*solvers.Solver, error) { return supply.LibraryAt(ctx, s.Found.Profile, path, "") }
	}
	found, err := at()
	if err != nil {
		return nil, err
	}
	out := *s
	out.Found, out.Opt.Name = found, s.Name()
	return &out, nil
}

// which finds the solver that the arguments which, version and path mean.
func which(c *registry.Call, supply *Supply) (*solvers.Solver, error) {
	version, path := c.String(2), c.String(3)
	p, _ := c.Arg(0).(*profile)
	if solvers.Mode(c.String(4)) == solvers.Native {
		return libraryOf(c, supply)
	}
	if path == "" && p == nil {
		return supply.Find(c.String(0), version)
	}
	if path == "" {
		if err := trusted(c, p, "", nil); err != nil {
			return nil, err
		}
		return supply.FindProfile(p.P, version)
	}
	abs, err := filepath.Abs(path)
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
		known, err := supply.kind(c.String(0))
		if known == nil {
			if err == nil {
				return supply.Find(c.String(0), version) // says what is wrong with the name
			}
			return nil, err
		}
		p = &profile{P: known}
	}
	return supply.At(p.P, abs, version)
}

// libraryOf finds the C library that the arguments which, version and path mean.
func libraryOf(c *registry.Call, supply *Supply) (*solvers.Solver, error) {
	version, path := c.String(2), c.String(3)
	p, _ := c.Arg(0).(*profile)
	if p == nil {
		known, err := supply.kind(c.String(0))
		if err != nil {
			return nil, err
		}
		if known == nil {
			return supply.LibraryNamed(registry.Context(c.Thread), c.String(0))
		}
		p = &profile{P: known}
	}
	asked, _ := c.Arg(0).(*profile)
	if path == "" {
		if err := trusted(c, asked, "", nil); err != nil {
			return nil, err
		}
		return supply.FindLibrary(registry.Context(c.Thread), p.P, version)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := trusted(c, asked, abs, func() []*solvers.Solver { return supply.Libraries(registry.Context(c.Thread), p.P) }); err != nil {
		return nil, err
	}
	return supply.LibraryAt(registry.Context(c.Thread), p.P, abs, version)
}

// modeOf checks a mode; the empty one becomes the best for campaigns.
func modeOf(s *solvers.Solver, m solvers.Mode) (solvers.Mode, error) {
	modes := s.Modes()
	if m == "" {
		m = solvers.Fresh
		for _, have := range modes {
			if have == solvers.Reset {
				m = have
			}
		}
	}
	for _, have := range modes {
		if have == m {
			return m, nil
		}
	}
	why := ""
	if s.Broken[m] != "" {
		why = ": " + s.Broken[m]
	}
	return "", fmt.Errorf("%s has no mode %q, it has %v%s", s.Name, m, modes, why)
}

func installed(c *registry.Call) (starlark.Value, error) {
	supply, err := SupplyKey.Get(c.Thread)
	if err != nil {
		return nil, err
	}
	opt, err := use(c, 3)
	if err != nil {
		return nil, err
	}
	profiles, err := kinds(c, supply)
	if err != nil {
		return nil, err
	}
	for _, p := range profiles {
		if err := heldBack(c, 3, p, opt); err != nil {
			return nil, err
		}
	}
	profileOf := map[*solvers.Profile]string{}
	for _, k := range c.List(1) {
		if p, ok := k.(*profile); ok {
			profileOf[p.P] = p.expr
		}
	}
	var modes []solvers.Mode
	for _, m := range c.List(2) {
		modes = append(modes, solvers.Mode(m.(starlark.String)))
	}
	var out []starlark.Value
	for _, s := range supply.Solvers(profiles...) {
		if s.Unusable != "" {
			continue
		}
		use := modes
		if !c.Has(2) {
			m, err := modeOf(s, "")
			if err != nil {
				continue // not even fresh
			}
			use = []solvers.Mode{m}
		}
		for _, m := range use {
			o := opt
			if o.Mode, err = modeOf(s, m); err == nil {
				out = append(out, target(c, s, o, expr(profileOf[s.Profile], "", s, o)))
			}
		}
	}
	if slices.Contains(modes, solvers.Native) {
		for _, s := range supply.Libraries(registry.Context(c.Thread), profiles...) {
			if o := opt; s.Unusable == "" {
				o.Mode = solvers.Native
				out = append(out, target(c, s, o, expr(profileOf[s.Profile], "", s, o)))
			}
		}
	}
	return starlark.NewList(out), nil
}

// kinds returns the profiles that installed() looks for.
func kinds(c *registry.Call, supply *Supply) ([]*solvers.Profile, error) {
	known, err := supply.Profiles()
	if err != nil || !c.Has(1) {
		return known, err
	}
	var out []*solvers.Profile
kinds:
	for _, k := range c.List(1) {
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
		hint := ""
		if near := registry.Nearest(name, names(known)); near != "" {
			hint = fmt.Sprintf(" (did you mean %q?)", near)
		}
		return nil, c.ArgErrorf(1, "no kind of solver is named %q%s", name, hint)
	}
	return out, nil
}
