package lineup

import (
	"cmp"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Builds are the builds of solvers on this machine, which findings are tried with: it implements campaign.Trier.
type Builds struct {
	Targets *Set
	// Installed returns the solvers found on this machine that can be used; it may be nil.
	Installed func() []*solvers.Solver
	// Of returns the builds found of a kind of solver, and Debug its debug builds, usable or not; they may be nil.
	Of, Debug func(p *solvers.Profile) []*solvers.Solver
	// All returns all that the campaign may use; it may be nil.
	All func() []*solvers.Solver
}

// kin returns the usable programs of this machine of the kind of a solver, but for the solver itself: those that its
// profile finds, and those of the profile of the library with its name.
func (b *Builds) kin(s *solvers.Solver) (out []*solvers.Solver) {
	var found []*solvers.Solver
	if b.Of != nil {
		found = append(found, b.Of(s.Profile)...)
	}
	if b.Installed != nil {
		found = append(found, b.Installed()...)
	}
	for _, f := range found {
		if f.Profile != nil && f.Profile.Name == s.Profile.Name && f.Path != s.Path && slices.Contains(f.Modes(), solvers.Fresh) &&
			!slices.ContainsFunc(out, func(o *solvers.Solver) bool { return o.Path == f.Path }) {
			out = append(out, f)
		}
	}
	return out
}

// Program implements campaign.Trier.
func (b *Builds) Program(t solvers.Target) *solvers.Solver {
	s := t.Solver()
	if s == nil || s.Profile == nil {
		return nil
	}
	if s.Library == "" {
		return s
	}
	var same *solvers.Solver
	library := s.Build()
	for _, f := range b.kin(s) {
		if own := f.Build(); library != nil && own != nil && library.ID != "" && own.ID == library.ID { // the program is a thin one over the library
			return f
		}
		if f.Version == s.Version && same == nil {
			same = f
		}
	}
	return same
}

// Others implements campaign.Trier.
func (b *Builds) Others(t solvers.Target) (others, debug []*solvers.Solver) {
	s := t.Solver()
	own := b.Program(t)
	others = slices.DeleteFunc(b.kin(s), func(f *solvers.Solver) bool { return own != nil && (f.Path == own.Path || f.Build().Same(own.Build())) })
	slices.SortStableFunc(others, func(x, y *solvers.Solver) int {
		return cmp.Or(solvers.CompareVersions(y.Version, x.Version), y.Build().Compare(x.Build()))
	})
	if b.Debug != nil {
		for _, f := range b.Debug(s.Profile) {
			if f.Unusable == "" {
				debug = append(debug, f)
			}
		}
	}
	return others, debug
}

// Known implements campaign.Trier.
func (b *Builds) Known(targets []solvers.Target) (out []*solvers.Solver) {
	add := func(s *solvers.Solver) {
		if s != nil && s.Profile != nil && s.Unusable == "" && len(s.Exec) > 0 &&
			!slices.ContainsFunc(out, func(o *solvers.Solver) bool {
				return o.Profile.Name == s.Profile.Name && o.Path == s.Path && o.Library == s.Library
			}) {
			out = append(out, s)
		}
	}
	for _, t := range targets {
		s := t.Solver()
		add(s)
		if s != nil && s.Profile != nil && b.Debug != nil {
			b.Debug(s.Profile) // All has them then
		}
	}
	if b.All != nil {
		for _, s := range b.All() {
			add(s)
		}
	}
	return out
}

// Settings implements campaign.Trier. For a library, only the options can be passed on to a program.
func (b *Builds) Settings(t solvers.Target) (args []string, options []rule.Setting) {
	v := b.Targets.of[t]
	if v == nil {
		return nil, nil
	}
	own := v.Found
	if own.Library != "" {
		if own = b.Program(t); own == nil {
			return nil, v.Opt.SMTOptions
		}
		return own.Args, v.Opt.SMTOptions
	}
	return slices.Concat(own.Args, v.Opt.Args), v.Opt.SMTOptions
}

// Target implements campaign.Trier.
func (b *Builds) Target(s *solvers.Solver, args []string, options []rule.Setting) (solvers.Target, error) {
	bare, err := s.Bare()
	if err != nil {
		return nil, err
	}
	return target.Fresh(bare, options, args).Target(), nil
}

// References makes the solvers that are asked whether a smaller case is still unsat, in mode fresh where they have it:
// those that a campaign names or, where it names none, of those found on this machine first the ones with most
// theories, and of one kind the newest.
func References(named []*target.Solver, installed func() []*solvers.Solver) (out []solvers.Target) {
	list := named
	if list == nil && installed != nil {
		found := slices.DeleteFunc(installed(), func(f *solvers.Solver) bool { return f.Profile == nil || !slices.Contains(f.Modes(), solvers.Fresh) })
		slices.SortStableFunc(found, func(a, b *solvers.Solver) int {
			return cmp.Or(len(b.Profile.Theories)-len(a.Profile.Theories), solvers.CompareVersions(b.Version, a.Version))
		})
		for _, f := range found {
			list = append(list, target.Fresh(f, nil, nil))
		}
	}
	for _, v := range list {
		t, err := v.InMode(solvers.Fresh)
		if err != nil {
			t = v.Target()
		}
		out = append(out, t)
	}
	return out
}
