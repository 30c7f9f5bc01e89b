package catalogue

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/spelling"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native"
)

// Kind returns the profile of a name, nil if there is none.
func (s *Catalogue) Kind(name string) (*solvers.Profile, error) {
	known, err := s.profilesFor(name)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(known, func(k *solvers.Profile) bool { return k.Name == name })
	if i < 0 {
		return nil, nil
	}
	return known[i], nil
}

// Libraries returns the C libraries found of some profiles, usable or not, in the order of the profiles.
func (s *Catalogue) Libraries(ctx context.Context, profiles ...*solvers.Profile) []*solvers.Solver {
	s.mu.Lock()
	defer s.mu.Unlock()
	var missing []*solvers.Profile
	for _, p := range profiles {
		if _, ok := s.libs[p]; !ok && !slices.Contains(missing, p) {
			missing = append(missing, p)
		}
	}
	for _, f := range s.discoverLibraries(ctx, missing) {
		s.libs[f.Profile] = append(s.libs[f.Profile], f)
	}
	var out []*solvers.Solver
	for _, p := range profiles {
		if s.libs[p] == nil {
			s.libs[p] = []*solvers.Solver{}
		}
		out = append(out, s.libs[p]...)
	}
	return out
}

// FindLibrary returns the first usable library of a profile, of the given version if it is not empty.
func (s *Catalogue) FindLibrary(ctx context.Context, p *solvers.Profile, version string) (*solvers.Solver, error) {
	found := s.Libraries(ctx, p)
	for _, f := range found {
		if f.Unusable == "" && VersionMatches(f.Version, version) {
			return f, nil
		}
	}
	if f := s.released(ctx, p, version, true); f != nil {
		return f, nil
	}
	msg := "no usable C library of " + p.Name
	if version != "" {
		msg += " " + version
	}
	msg += fmt.Sprintf(" on this machine: looked in the folders of $%s and of the dynamic loader, in .solvers/lib and in those of the system", solvers.EnvSolvers)
	if len(found) > 0 {
		msg += ", found " + list(found)
	}
	msg += distrusted(s.near)
	return nil, &MissingError{msg + fmt.Sprintf("; unpack it%s, or say where it is: solver(%q, mode = \"native\", path = \"/path/to/lib%s.so\")", howToInstall(p.Name, version), p.Name, p.Name)}
}

// NamesLibrary reports whether a name is that of a C library, such as libz3 or libz3-4.13.3.
func NamesLibrary(name string) bool { return strings.HasPrefix(name, "lib") }

// LibraryNamed returns the library of a name such as libz3-4.13.3, or the first usable one of a kind of solver, as in
// libz3; The name of the program of a version, such as z3-4.13.3, is accepted for the library, too.
func (s *Catalogue) LibraryNamed(ctx context.Context, name string) (*solvers.Solver, error) {
	ps, err := s.Profiles()
	if err != nil {
		return nil, err
	}
	for _, p := range ps {
		if "lib"+p.Name == name {
			return s.FindLibrary(ctx, p, "")
		}
	}
	if f := usableNamed(s.Libraries(ctx, likelyKinds(ps, strings.TrimPrefix(name, "lib"))...), name,
		"lib"+name); f != nil {
		return f, nil
	}
	if f := s.releasedNamed(ctx, likelyKinds(ps, strings.TrimPrefix(name, "lib")), strings.TrimPrefix(name, "lib"),
		true); f != nil {
		return f, nil
	}
	all := s.Libraries(ctx, ps...)
	if f := usableNamed(all, name, "lib"+name); f != nil {
		return f, nil
	}
	known := names(ps)
	for _, f := range all {
		known = append(known, f.Name)
	}
	hint := spelling.Hint(name, known)
	return nil, &MissingError{fmt.Sprintf("no C library of a solver is named %q%s; found here: %s", name, hint, list(all))}
}

// LibraryAt returns the library at a path.
func (s *Catalogue) LibraryAt(ctx context.Context, p *solvers.Profile, path, version string) (*solvers.Solver, error) {
	f, err := s.libraryAt(ctx, p, path, version)
	return f, s.note(f, err)
}

func (s *Catalogue) libraryAt(ctx context.Context, p *solvers.Profile, path, version string) (*solvers.Solver, error) {
	if s.Restricted() {
		laid, err := s.sentFrom(path, true)
		if err != nil {
			return nil, err
		}
		path = laid.Path
	}
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return nil, &MissingError{fmt.Sprintf("there is no library %s", path)}
	}
	f := native.At(ctx, p, path)
	switch {
	case f.Unusable != "":
		return nil, &MissingError{fmt.Sprintf("%s is no usable library of %s: %s", path, p.Name, f.Unusable)}
	case !VersionMatches(f.Version, version):
		return nil, &MissingError{fmt.Sprintf("%s is version %s, not %s", path, f.Version, version)}
	}
	return f, nil
}
