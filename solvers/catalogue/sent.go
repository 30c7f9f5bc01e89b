package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native"
	"github.com/smtlark/smtlark/solvers/parcel"
)

// Restrict restricts the catalogue to solvers that were sent from another machine, in their order. Call it before the
// catalogue is used.
func (s *Catalogue) Restrict(sent []parcel.Laid) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = sent
	clear(s.found)
	clear(s.libs)
}

// Restricted reports whether the solvers are those of another machine.
func (s *Catalogue) Restricted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent != nil
}

// discover finds the programs of some profiles.
func (s *Catalogue) discover(profiles []*solvers.Profile) (out []*solvers.Solver) {
	if s.sent == nil {
		return solvers.Discover(profiles, s.dirs, s.near...)
	}
	for _, p := range profiles {
		for _, laid := range s.sent {
			if laid.Kind == p.Name && !laid.Library {
				out = append(out, solvers.Describe(p, laid.Path, laid.Name))
			}
		}
	}
	return out
}

// discoverLibraries finds the libraries of some profiles.
func (s *Catalogue) discoverLibraries(ctx context.Context, profiles []*solvers.Profile) (out []*solvers.Solver) {
	if s.sent == nil {
		return native.Discover(ctx, profiles, s.dirs, s.near...)
	}
	for _, p := range profiles {
		for _, laid := range s.sent {
			if laid.Kind == p.Name && laid.Library {
				found := native.At(ctx, p, laid.Path)
				found.Name = laid.Name
				out = append(out, found)
			}
		}
	}
	return out
}

// sentFrom returns the parcel that was sent for a path of the other machine.
func (s *Catalogue) sentFrom(path string, library bool) (*parcel.Laid, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.sent, func(l parcel.Laid) bool { return l.From == path && l.Library == library })
	if i < 0 {
		return nil, &MissingError{fmt.Sprintf("%s was not sent by the coordinator: a relative path means another file here, name solvers by absolute paths", path)}
	}
	return &s.sent[i], nil
}

// note remembers a solver that was found by its path.
func (s *Catalogue) note(f *solvers.Solver, err error) error {
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.named = append(s.named, f)
	return nil
}

// Known returns the solvers that a campaign may use: all usable solvers of the library's profiles, and others that were
// requested, each once.
func (s *Catalogue) Known() []*solvers.Solver {
	out, _ := s.Installed() // errors of the library's profiles were already reported when a file used them
	s.mu.Lock()
	defer s.mu.Unlock()
	var lists [][]*solvers.Solver
	for _, of := range []map[*solvers.Profile][]*solvers.Solver{s.found, s.libs} {
		for _, list := range of {
			if len(list) > 0 {
				lists = append(lists, list)
			}
		}
	}
	// Solvers of one profile stay in the order in which they were found, because a name alone means the first of them.
	slices.SortFunc(lists, func(a, b []*solvers.Solver) int {
		return cmp.Or(cmp.Compare(a[0].Profile.Name, b[0].Profile.Name), cmp.Compare(a[0].Path, b[0].Path),
			cmp.Compare(a[0].Library, b[0].Library))
	})
	out = append(append(out, slices.Concat(lists...)...), s.named...)
	seen := map[[3]string]bool{}
	return slices.DeleteFunc(out, func(f *solvers.Solver) bool {
		key := [3]string{f.Profile.Name, f.Path, f.Library}
		was := seen[key]
		seen[key] = true
		return was || f.Unusable != ""
	})
}
