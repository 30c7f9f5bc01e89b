package solving

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
)

func productsBuiltin() registry.Builtin {
	return registry.Builtin{
		Name: "products",
		Doc:  "All modes and configurations of the solvers of this machine, for campaign(take_turns = True). For each solver these are its program in modes reset and incremental (fresh if it lacks one of them), its C library of the same version, and all these in the safest configuration that its developers support (cvc5's safe mode), if this version has it.",
		Ret:  "list[solver]", Needs: "z3",
		Example: "ways = solver.products([\"z3\"])\n\"incremental\" in [s.mode for s in ways]  # -> True\nsolver.products([\"z4\"])  # error: no solver is named \"z4\" (did you mean \"z3\"?)",
		Do:      registry.Into(products),
	}
}

// productsArgs are the arguments of solver.products.
type productsArgs struct {
	Which []starlark.Value `type:"list[str | profile] | None" default:"None" doc:"kinds of solvers (\"z3\": the first one found), names of solvers (\"z3-4.13.3\", \"libcvc5-1.3.2\"), kinds with the path of a build (\"z3=/builds/debug/z3\": that one alone), or profiles; None is every solver found"`
}

func products(c *registry.Call, a *productsArgs) (starlark.Value, error) {
	supply, err := supplyKey.Get(c.Thread)
	if err != nil {
		return nil, err
	}
	ctx := registry.Context(c.Thread)
	takes := func(w catalogue.Way) bool { return solverOf(c, w.Solver, w.Options, "").Preflight(ctx) == nil }
	var out []starlark.Value
	seen := map[string]bool{}
	// add appends the ways to ask a product. first is how a campaign file writes its kind if the kind is not a name,
	// and path is the location of its build.
	add := func(p catalogue.Product, first, path string) {
		for _, way := range p.Ways(takes) {
			if v := solverOf(c, way.Solver, way.Options, target.Expression(first, path, way.Solver, way.Options)); !seen[v.Name()] {
				seen[v.Name()] = true
				out = append(out, v)
			}
		}
	}
	if a.Which == nil {
		every, err := supply.Products(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range every {
			add(p, "", "")
		}
	}
	for _, w := range a.Which {
		p, first, path, err := productOf(c, supply, w)
		if err != nil {
			return nil, err
		}
		add(p, first, path)
	}
	return starlark.NewList(out), nil
}

// productOf returns the product that an element of the argument which denotes, the expression with which a campaign
// file writes its kind, and the path that is part of its name.
func productOf(c *registry.Call, supply *catalogue.Catalogue, w starlark.Value) (p catalogue.Product, first, path string, err error) {
	ctx := registry.Context(c.Thread)
	if own, ok := w.(*profile); ok {
		if err := trusted(c, own, "", nil); err != nil {
			return p, "", "", err
		}
		p, err = supply.ProductOf(ctx, own.P)
		return p, own.expr, "", err
	}
	n, err := catalogue.ParseName(string(w.(starlark.String)))
	if err == nil && n.Mode != "" {
		err = fmt.Errorf("%s: products are in all modes; want solver(%q) for this one", n, n)
	}
	if err == nil && len(n.Args) > 0 {
		err = fmt.Errorf("%s: products have no arguments; want solver(%q)", n, n)
	}
	if err == nil {
		n, err = n.Absolute()
	}
	if err != nil {
		return p, "", "", err
	}
	if err := trusted(c, nil, n.Path, func() []*solvers.Solver {
		known, _ := supply.Installed()
		return known
	}); err != nil {
		return p, "", "", err
	}
	p, err = supply.ProductNamed(ctx, n)
	return p, "", n.Path, err
}
