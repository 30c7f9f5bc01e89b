package catalogue

import (
	"context"
	"slices"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native"
	"github.com/smtlark/smtlark/solvers/release"
)

// Releases returns the programs, or the libraries, of released versions of a solver that were fetched, usable or not,
// the oldest first. They are used only if somebody names one, because there may be fifty of them.
func (s *Catalogue) Releases(ctx context.Context, p *solvers.Profile, library bool) (out []*solvers.Solver) {
	at := s.ReleasesAtHand(p, library)
	out = make([]*solvers.Solver, len(at))
	for i := range at {
		out[i] = &solvers.Solver{Profile: p}
	}
	solvers.EachUsable(out, func(f *solvers.Solver) {
		i := slices.Index(out, f)
		*f = *describeRelease(ctx, p, &at[i], library)
	})
	return out
}

// ReleasesAtHand lists the releases that were fetched, by their files.
func (s *Catalogue) ReleasesAtHand(p *solvers.Profile, library bool) []release.Found {
	if s.Restricted() {
		return nil
	}
	s.mu.Lock()
	near := s.near
	s.mu.Unlock()
	return release.AtHand(p.Name, library, solvers.Unpacked(release.Part(library), near...)...)
}

func describeRelease(ctx context.Context, p *solvers.Profile, r *release.Found, library bool) *solvers.Solver {
	if library {
		f := native.At(ctx, p, r.Path)
		f.Name = "lib" + r.String()
		return f
	}
	return solvers.Describe(p, r.Path, r.String())
}

// released returns the newest usable release at hand of a version, which may be the beginning of one, or empty; nil
// if there is none.
func (s *Catalogue) released(ctx context.Context, p *solvers.Profile, version string, library bool) *solvers.Solver {
	for _, r := range slices.Backward(s.ReleasesAtHand(p, library)) {
		if !VersionMatches(r.Version, version) {
			continue
		}
		if f := describeRelease(ctx, p, &r, library); f.Unusable == "" {
			return f
		}
	}
	return nil
}

// releasedNamed returns the release at hand of a name, such as z3-4.8.5 or, of a library, libz3-4.8.5; nil if there
// is none.
func (s *Catalogue) releasedNamed(ctx context.Context, profiles []*solvers.Profile, name string,
	library bool) *solvers.Solver {
	for _, p := range profiles {
		for _, r := range s.ReleasesAtHand(p, library) {
			if r.String() == name {
				if f := describeRelease(ctx, p, &r, library); f.Unusable == "" {
					return f
				}
			}
		}
	}
	return nil
}
