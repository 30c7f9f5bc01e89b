package solver

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

func productsBuiltin() registry.Builtin {
	return registry.Builtin{
		Name: "products",
		Doc: "All ways to ask solvers of this machine, for campaign(take_turns = True): of each solver its program in modes reset and incremental (fresh where it lacks one of them), its C library of the same version, and " +
			"all these in the safest configuration that its developers vouch for (cvc5's safe mode), where this version has it.",
		Params: []registry.Param{
			{Name: "which", Type: "list[str | profile] | None", Default: "None", Doc: "kinds of solvers (\"z3\": the first one found), names of solvers (\"z3-4.13.3\", \"libcvc5-1.3.2\"), or profiles; None is every solver found"},
		},
		Ret: "list[solver]", Needs: "z3",
		Example: "ways = solver.products([\"z3\"])\n\"incremental\" in [s.mode for s in ways]  # -> True\nsolver.products([\"z4\"])  # error: no solver is named \"z4\" (did you mean \"z3\"?)",
		Do:      registry.Into(products),
	}
}

// product is one build of a solver: a program, a library of the same version, or both.
type product struct {
	program, library *solvers.Solver
	first            string // how a campaign file names its kind, where that is no name
}

// productsArgs are the arguments of solver.products.
type productsArgs struct {
	Which []starlark.Value
}

func products(c *registry.Call, a *productsArgs) (starlark.Value, error) {
	supply, err := SupplyKey.Get(c.Thread)
	if err != nil {
		return nil, err
	}
	var found []product
	if a.Which == nil {
		if found, err = everyProduct(c, supply); err != nil {
			return nil, err
		}
	}
	for _, w := range a.Which {
		p, err := productNamed(c, supply, w)
		if err != nil {
			return nil, err
		}
		found = append(found, p)
	}
	var out []starlark.Value
	seen := map[string]bool{}
	for _, p := range found {
		for _, way := range p.ways(c) {
			if v := target(c, way.found, way.opt, expr(p.first, "", way.found, way.opt)); !seen[v.Name()] {
				seen[v.Name()] = true
				out = append(out, v)
			}
		}
	}
	return starlark.NewList(out), nil
}

// everyProduct returns the products of all usable solvers of the library's profiles.
func everyProduct(c *registry.Call, supply *Supply) (out []product, err error) {
	programs, err := supply.Installed()
	if err != nil {
		return nil, err
	}
	profiles, err := supply.Profiles()
	if err != nil {
		return nil, err
	}
	libraries := supply.Libraries(registry.Context(c.Thread), profiles...)
	for _, s := range slices.Concat(programs, libraries) {
		if s.Unusable == "" && !slices.ContainsFunc(out, func(p product) bool { return p.library == s }) {
			out = append(out, withSibling(s, programs, libraries))
		}
	}
	return out, nil
}

// withSibling returns the product of a program or a library.
func withSibling(s *solvers.Solver, programs, libraries []*solvers.Solver) product {
	same := func(list []*solvers.Solver) *solvers.Solver {
		i := slices.IndexFunc(list, func(o *solvers.Solver) bool {
			return o.Unusable == "" && o.Profile.Name == s.Profile.Name && o.Version == s.Version
		})
		if i < 0 {
			return nil
		}
		return list[i]
	}
	if s.Library != "" {
		return product{program: same(programs), library: s}
	}
	return product{program: s, library: same(libraries)}
}

// productNamed returns the product that an element of which means.
func productNamed(c *registry.Call, supply *Supply, w starlark.Value) (product, error) {
	ctx := registry.Context(c.Thread)
	if p, ok := w.(*profile); ok {
		if err := trusted(c, p, "", nil); err != nil {
			return product{}, err
		}
		found, err := supply.FindProfile(p.P, "")
		if err != nil {
			return product{}, err
		}
		out := withSibling(found, nil, supply.Libraries(ctx, p.P))
		out.first = p.expr
		return out, nil
	}
	name := string(w.(starlark.String))
	profiles, err := supply.Profiles()
	if err != nil {
		return product{}, err
	}
	programs, err := supply.Installed()
	if err != nil {
		return product{}, err
	}
	libraries := supply.Libraries(ctx, profiles...)
	found, err := supply.Find(name, "")
	if err != nil { // perhaps it has a library only
		var other error
		if kind, _ := supply.kind(name); kind != nil {
			found, other = supply.FindLibrary(ctx, kind, "")
		} else {
			found, other = supply.LibraryNamed(ctx, name)
		}
		if other != nil {
			return product{}, err
		}
	}
	return withSibling(found, programs, libraries), nil
}

// way is one way to ask a product.
type way struct {
	found *solvers.Solver
	opt   process.Options
}

// ways returns all ways to ask a product.
func (p *product) ways(c *registry.Call) (out []way) {
	if p.program != nil {
		modes := p.program.Modes()
		for _, m := range []solvers.Mode{solvers.Reset, solvers.Incremental, solvers.Fresh} {
			if slices.Contains(modes, m) && (m != solvers.Fresh || len(out) < 2) {
				out = append(out, way{p.program, process.Options{Mode: m}})
			}
		}
	}
	if p.library != nil {
		out = append(out, way{p.library, process.Options{Mode: solvers.Native}})
	}
	for _, w := range slices.Clone(out) {
		list := w.found.Profile.ConfigurationList()
		if len(list) == 0 {
			break
		}
		safest, opt := list[0], w.opt
		if w.found.Library == "" {
			opt.Args = safest.Args
		} else if set, ok := safest.Options(); ok {
			opt.SMTOptions = set
		} else {
			continue
		}
		opt.Name = fmt.Sprintf("%s:%s:%s", w.found.Name, safest.Name, opt.Mode)
		if target(c, w.found, opt, "").Preflight(registry.Context(c.Thread)) == nil {
			out = append(out, way{w.found, opt})
		}
	}
	return out
}
