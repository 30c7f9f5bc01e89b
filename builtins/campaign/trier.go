package campaign

import (
	"cmp"
	"slices"

	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// trier is a campaign.Trier over the solvers of this machine.
type trier struct{ m *maker }

// kin returns the usable programs of this machine of the kind of a solver, but for the solver itself: those that its profile
// finds, and those of the profile of the library with its name.
func (t trier) kin(s *solvers.Solver) (out []*solvers.Solver) {
	var found []*solvers.Solver
	if t.m.h.Builds != nil {
		found = append(found, t.m.h.Builds(s.Profile)...)
	}
	if t.m.h.Installed != nil {
		found = append(found, t.m.h.Installed()...)
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
func (t trier) Program(target solvers.Target) *solvers.Solver {
	s := target.Solver()
	if s == nil || s.Profile == nil {
		return nil
	}
	if s.Library == "" {
		return s
	}
	var same *solvers.Solver
	library := s.Build()
	for _, f := range t.kin(s) {
		if b := f.Build(); library != nil && b != nil && library.ID != "" && b.ID == library.ID { // the program is a thin one over the library
			return f
		}
		if f.Version == s.Version && same == nil {
			same = f
		}
	}
	return same
}

// Others implements campaign.Trier.
func (t trier) Others(target solvers.Target) (others, debug []*solvers.Solver) {
	s := target.Solver()
	own := t.Program(target)
	others = slices.DeleteFunc(t.kin(s), func(f *solvers.Solver) bool { return own != nil && (f.Path == own.Path || f.Build().Same(own.Build())) })
	slices.SortStableFunc(others, func(a, b *solvers.Solver) int {
		return cmp.Or(solvers.CompareVersions(b.Version, a.Version), b.Build().Compare(a.Build()))
	})
	if t.m.h.Debug != nil {
		for _, f := range t.m.h.Debug(s.Profile) {
			if f.Unusable == "" {
				debug = append(debug, f)
			}
		}
	}
	return others, debug
}

// Settings implements campaign.Trier. Of a library only its options can be given to a program.
func (t trier) Settings(target solvers.Target) (args []string, options []solvers.Option) {
	v := t.m.of[target]
	if v == nil {
		return nil, nil
	}
	own := v.Found
	if own.Library != "" {
		if own = t.Program(target); own == nil {
			return nil, v.Opt.SMTOptions
		}
		return own.Args, v.Opt.SMTOptions
	}
	return slices.Concat(own.Args, v.Opt.Args), v.Opt.SMTOptions
}

// Target implements campaign.Trier.
func (t trier) Target(s *solvers.Solver, args []string, options []solvers.Option) (solvers.Target, error) {
	bare, err := s.Bare()
	if err != nil {
		return nil, err
	}
	return (&solving.Solver{Found: bare, Opt: process.Options{Mode: solvers.Fresh, Args: args, SMTOptions: options}}).Target(), nil
}
