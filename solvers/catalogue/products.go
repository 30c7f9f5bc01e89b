package catalogue

import (
	"context"
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// Product is one build of a solver: a program, a library of the same version, or both.
type Product struct{ Program, Library *solvers.Solver }

// Products returns the products of all usable solvers of the library's profiles.
func (s *Catalogue) Products(ctx context.Context) (out []Product, err error) {
	programs, libraries, err := s.all(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range slices.Concat(programs, libraries) {
		if one.Unusable == "" && !slices.ContainsFunc(out, func(p Product) bool { return p.Library == one }) {
			out = append(out, withSibling(one, programs, libraries))
		}
	}
	return out, nil
}

// all returns the programs and the libraries found of the library's profiles.
func (s *Catalogue) all(ctx context.Context) (programs, libraries []*solvers.Solver, err error) {
	profiles, err := s.Profiles()
	if err != nil {
		return nil, nil, err
	}
	return s.Solvers(profiles...), s.Libraries(ctx, profiles...), nil
}

// ProductOf returns the product of the first usable program of a profile.
func (s *Catalogue) ProductOf(ctx context.Context, p *solvers.Profile) (Product, error) {
	found, err := s.FindProfile(p, "")
	if err != nil {
		return Product{}, err
	}
	return withSibling(found, nil, s.Libraries(ctx, p)), nil
}

// ProductNamed returns the product of a kind of solver (the first one found), of a program or of a library. A build at
// a path is a separate product.
func (s *Catalogue) ProductNamed(ctx context.Context, n Name) (Product, error) {
	if n.Path != "" {
		found, err := s.Named(ctx, n)
		if err != nil {
			return Product{}, err
		}
		return withSibling(found, nil, nil), nil
	}
	programs, libraries, err := s.all(ctx)
	if err != nil {
		return Product{}, err
	}
	found, err := s.Find(n.Solver, "")
	if err != nil { // perhaps it has a library only
		var other error
		if found, other = s.Named(ctx, Name{Solver: n.Solver, Mode: solvers.Native}); other != nil {
			return Product{}, err
		}
	}
	product := withSibling(found, programs, libraries)
	if product.Library == nil { // a release brings both
		product.Library = s.releasedNamed(ctx, []*solvers.Profile{found.Profile}, found.Name, true)
	}
	return product, nil
}

// LibraryOf returns the usable library of the version of a program; nil if there is none.
func (s *Catalogue) LibraryOf(ctx context.Context, program *solvers.Solver) *solvers.Solver {
	return withSibling(program, nil, s.Libraries(ctx, program.Profile)).Library
}

// withSibling returns the product of a program or a library.
func withSibling(s *solvers.Solver, programs, libraries []*solvers.Solver) Product {
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
		return Product{Program: same(programs), Library: s}
	}
	return Product{Program: s, Library: same(libraries)}
}

// Way is one way to ask a product.
type Way struct {
	Solver  *solvers.Solver
	Options process.TargetOptions
}

// Ways returns all ways to ask a product: its program in modes reset and incremental (fresh where it lacks one of
// them), its library, and all these in the configuration that its developers recommend as the safest, if this version
// supports it.
func (p Product) Ways(takes func(Way) bool) (out []Way) {
	if p.Program != nil {
		modes := p.Program.Modes()
		for _, m := range []solvers.Mode{solvers.Reset, solvers.Incremental, solvers.Fresh} {
			if slices.Contains(modes, m) && (m != solvers.Fresh || len(out) < 2) {
				out = append(out, Way{p.Program, process.TargetOptions{Mode: m}})
			}
		}
	}
	if p.Library != nil {
		out = append(out, Way{p.Library, process.TargetOptions{Mode: solvers.Native}})
	}
	for _, w := range slices.Clone(out) {
		list := w.Solver.Profile.Configurations
		if len(list) == 0 {
			break
		}
		safest, opt := list[0], w.Options
		if w.Solver.Library == "" {
			opt.Args = safest.Args
		} else if set, ok := safest.Options(); ok {
			opt.SMTOptions = set
		} else {
			continue
		}
		opt.Name = fmt.Sprintf("%s:%s:%s", w.Solver.Name, safest.Name, opt.Mode)
		if safe := (Way{w.Solver, opt}); takes(safe) {
			out = append(out, safe)
		}
	}
	return out
}
