// Package catalogue knows the kinds of solvers and finds those of this machine: programs, libraries, debug builds.
package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/ground/spelling"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/parcel"
	"github.com/smtlark/smtlark/solvers/release"
)

// Catalogue knows the kinds of solvers and finds those of this machine, when they are first asked for. It is safe for
// concurrent use.
type Catalogue struct {
	// Files are files with further profiles, in addition to those of the library. Untrusted are such files that are not
	// run, because the user has not trusted them to name programs. Set both before the catalogue is used.
	Files, Untrusted []string

	read func(solver string, files ...string) ([]*solvers.Profile, error)
	dirs []string
	near []string

	mu       sync.Mutex
	loaded   bool
	profiles []*solvers.Profile
	err      error
	found    map[*solvers.Profile][]*solvers.Solver
	libs     map[*solvers.Profile][]*solvers.Solver
	debug    map[*solvers.Profile]*solvers.Profile // of debug builds
	named    []*solvers.Solver                     // by their paths
	sent     []parcel.Laid                         // the only solvers, if they were sent from another machine
}

// New returns the catalogue of the profiles that read gets from the library, all or those that a solver of a name may
// have, and from further files. read returns the same profiles each time. Solvers are looked for in dirs and in the
// usual places, see solvers.Discover.
func New(read func(solver string, files ...string) ([]*solvers.Profile, error), dirs ...string) *Catalogue {
	return &Catalogue{read: read, dirs: dirs, found: map[*solvers.Profile][]*solvers.Solver{},
		libs: map[*solvers.Profile][]*solvers.Solver{}, debug: map[*solvers.Profile]*solvers.Profile{}}
}

// LookNear adds the folders .solvers in some folders, or in the nearest parents that have one, to the places where
// solvers are looked for. Solvers that were already found are looked for again.
func (s *Catalogue) LookNear(folders ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range folders {
		if f != "" && !slices.Contains(s.near, f) {
			s.near = append(s.near, f)
			clear(s.found)
			clear(s.libs)
		}
	}
}

// Profiles returns the library's profiles.
func (s *Catalogue) Profiles() ([]*solvers.Profile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.load()
}

func (s *Catalogue) load() ([]*solvers.Profile, error) {
	if !s.loaded {
		s.profiles, s.err = s.read("", s.Files...)
		s.loaded = true
	}
	return s.profiles, s.err
}

// Solvers returns all solvers found for the given profiles, usable or not, in the order of the profiles.
func (s *Catalogue) Solvers(profiles ...*solvers.Profile) []*solvers.Solver {
	s.mu.Lock()
	defer s.mu.Unlock()
	var missing []*solvers.Profile
	for _, p := range profiles {
		if _, ok := s.found[p]; !ok && !slices.Contains(missing, p) {
			missing = append(missing, p)
			s.found[p] = nil
		}
	}
	for _, f := range s.discover(missing) {
		s.found[f.Profile] = append(s.found[f.Profile], f)
	}
	var out []*solvers.Solver
	for _, p := range profiles {
		out = append(out, s.found[p]...)
	}
	return out
}

// Installed returns every solver found of the library's profiles.
func (s *Catalogue) Installed() ([]*solvers.Solver, error) {
	ps, err := s.Profiles()
	if err != nil {
		return nil, err
	}
	return s.Solvers(ps...), nil
}

// Debug returns the debug builds found of a kind of solver, usable or not. The profile says how they are named.
func (s *Catalogue) Debug(p *solvers.Profile) []*solvers.Solver {
	s.mu.Lock()
	debug := s.debug[p]
	s.mu.Unlock()
	if debug == nil {
		var err error
		if debug, err = p.DebugBuild(); err != nil {
			return nil // the error of the profile was already reported
		}
		s.mu.Lock()
		s.debug[p] = debug
		s.mu.Unlock()
	}
	return s.Solvers(debug)
}

// NoProgram is the error of a path that names no program.
func NoProgram(path string) error {
	return &MissingError{fmt.Sprintf("there is no program %s that can be executed", path)}
}

// MissingError says that a solver that a script asks for is not on this machine, or cannot be used.
type MissingError struct{ msg string }

func (e *MissingError) Error() string { return e.msg }

// Find returns the solver that a script means: the name of a kind of solver (the first usable one found), or of one
// solver, such as z3-4.13.3. A version selects by its beginning: "4.13" means any 4.13.x.
func (s *Catalogue) Find(name, version string) (*solvers.Solver, error) {
	var ps []*solvers.Profile
	for _, read := range []func() ([]*solvers.Profile, error){func() ([]*solvers.Profile, error) {
		return s.profilesFor(name)
	}, s.Profiles} {
		var err error
		if ps, err = read(); err != nil {
			return nil, err
		}
		for _, p := range ps {
			if p.Name == name {
				return s.FindProfile(p, version)
			}
		}
		if f := usableNamed(s.Solvers(likelyKinds(ps, name)...), name); f != nil {
			return f, nil
		}
		if f := s.releasedNamed(context.Background(), likelyKinds(ps, name), name, false); f != nil {
			return f, nil
		}
	}
	all := s.Solvers(ps...)
	if f := usableNamed(all, name); f != nil {
		return f, nil
	}
	var known []string
	for _, f := range all {
		known = append(known, f.Name)
	}
	known = append(known, names(ps)...)
	hint := ""
	if near := spelling.Nearest(name, known); near != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", near)
	}
	for _, p := range likelyKinds(ps, name) {
		if version := strings.TrimPrefix(name, p.Name+"-"); slices.Contains(release.Known(), p.Name) && version[0] >= '0' &&
			version[0] <= '9' {
			hint += fmt.Sprintf("; fetch it (smtlark solvers --fetch %s@%s)", p.Name, version)
		}
	}
	return nil, &MissingError{fmt.Sprintf("no solver is named %q%s; kinds of solvers: %s; found here: %s; another kind of solver is a profile of a few lines: solver(solver.profile(name = %q, binaries = [...]))%s",
		name, hint, strings.Join(names(ps), ", "), list(all), name, s.untrusted())}
}

// profilesFor returns the profiles that a solver with a name may have. It does not read all profiles, because this
// takes as long as z3 takes for a small file.
func (s *Catalogue) profilesFor(name string) ([]*solvers.Profile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loaded || len(s.Files) > 0 { // files of the user's may have any names
		return s.load()
	}
	some, err := s.read(name)
	if err != nil { // it may be based on another one
		return s.load()
	}
	return some, nil
}

// IsOfKind reports whether the name of a solver is that of a kind, or begins with it, such as z3-4.13.3 with z3.
func IsOfKind(solver, kind string) bool {
	rest, ok := strings.CutPrefix(solver, kind)
	return ok && (rest == "" || len(rest) > 1 && rest[0] == '-')
}

// likelyKinds returns the profiles whose names the name of a solver begins with, such as that of z3 for z3-4.13.3. They
// are tried first, because looking for the solvers of a kind starts all of them.
func likelyKinds(profiles []*solvers.Profile, name string) (likely []*solvers.Profile) {
	for _, p := range profiles {
		if name != p.Name && IsOfKind(name, p.Name) {
			likely = append(likely, p)
		}
	}
	return likely
}

// KindOf splits the name of a solver, such as z3-4.13.3 or libz3-4.8.12: its kind, its version, and whether it is a C
// library. The kind is "" for a name of none.
func (s *Catalogue) KindOf(name string) (kind, version string, library bool, err error) {
	for _, n := range []string{name, strings.TrimPrefix(name, "lib")} {
		profiles, err := s.profilesFor(n)
		if err != nil {
			return "", "", false, err
		}
		for _, p := range profiles {
			if n == p.Name {
				return p.Name, "", n != name, nil
			}
		}
		// The longest: of a kind cvc5 and another cvc5-fork, the latter is meant by cvc5-fork-1.0.
		for _, p := range likelyKinds(profiles, n) {
			if len(p.Name) > len(kind) {
				kind, version, library = p.Name, strings.TrimPrefix(n, p.Name+"-"), n != name
			}
		}
		if kind != "" {
			return kind, version, library, nil
		}
	}
	return "", "", false, nil
}

// usableNamed returns the first usable solver that has one of some names, nil if there is none.
func usableNamed(all []*solvers.Solver, names ...string) *solvers.Solver {
	for _, f := range all {
		if f.Unusable == "" && slices.Contains(names, f.Name) {
			return f
		}
	}
	return nil
}

// untrusted returns a text that names the untrusted files that might have a missing profile.
func (s *Catalogue) untrusted() string {
	if len(s.Untrusted) == 0 {
		return ""
	}
	return fmt.Sprintf(". Not looked at: %s, since its folder is not trusted (smtlark help trust)",
		strings.Join(s.Untrusted, ", "))
}

// FindProfile returns the first usable solver of a profile, of the given version if it is not empty.
func (s *Catalogue) FindProfile(p *solvers.Profile, version string) (*solvers.Solver, error) {
	found := s.Solvers(p)
	for _, f := range found {
		if f.Unusable == "" && VersionMatches(f.Version, version) {
			return f, nil
		}
	}
	if f := s.released(context.Background(), p, version, false); f != nil {
		return f, nil
	}
	msg := fmt.Sprintf("no usable %s", p.Name)
	if version != "" {
		msg += " " + version
	}
	msg += fmt.Sprintf(" on this machine: looked for %s in the folders of $%s and $PATH and in .solvers/bin of the working folder, of the campaign, and of smtlark, or above them", strings.Join(p.Binaries, ", "), solvers.EnvSolvers)
	if len(found) > 0 {
		msg += ", found " + list(found)
	}
	msg += distrusted(s.near)
	return nil, &MissingError{msg + fmt.Sprintf("; install it%s, or say where it is: solver(%q, path = \"/path/to/%s\")",
		howToInstall(p.Name, version), p.Name, p.Name)}
}

// howToInstall says how to install a solver; "" if no known source has it.
func howToInstall(name, version string) string {
	what := ".solvers"
	switch {
	case slices.Contains(release.Known(), name):
		what = name + "@" + cmp.Or(version, release.Newest)
	case name != "boolector" && name != "cvc4":
		return ""
	}
	return fmt.Sprintf(" (apt install %s, or smtlark solvers --fetch %s)", name, what)
}

// distrusted says which folders near some others were not searched because they are not trusted; "" if there are none.
func distrusted(near []string) string {
	text := ""
	for _, dir := range solvers.Distrusted(near...) {
		text += fmt.Sprintf("; %s/.solvers was left out, since that folder is not trusted (smtlark trust %s)", dir, dir)
	}
	return text
}

// list names solvers, with the reason where one cannot be used.
func list(found []*solvers.Solver) string {
	if len(found) == 0 {
		return "none"
	}
	var parts []string
	for _, f := range found {
		text := f.Name
		if f.Unusable != "" {
			text += " (unusable: " + f.Unusable + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// VersionMatches reports whether have is want or continues it after a dot.
func VersionMatches(have, want string) bool {
	rest, ok := strings.CutPrefix(have, want)
	return ok && (want == "" || rest == "" || rest[0] < '0' || rest[0] > '9')
}

// At returns the solver at a path, as the profile describes it.
func (s *Catalogue) At(p *solvers.Profile, path, version string) (*solvers.Solver, error) {
	f, err := s.programAt(p, path, version)
	return f, s.note(f, err)
}

func (s *Catalogue) programAt(p *solvers.Profile, path, version string) (*solvers.Solver, error) {
	if s.Restricted() {
		laid, err := s.sentFrom(path, false)
		if err != nil {
			return nil, err
		}
		return usableAt(solvers.Describe(p, laid.Path, laid.Name), path, version)
	}
	own, err := solvers.ProfileFromMap(map[string]any{"name": p.Name, "base": p.Name, "binaries": []string{path}}, p)
	if err != nil {
		return nil, err
	}
	found := solvers.Discover([]*solvers.Profile{own}, nil)
	if len(found) == 0 {
		return nil, NoProgram(path)
	}
	return usableAt(found[0], path, version)
}

// usableAt returns the solver at a path if it can be used and has the version.
func usableAt(f *solvers.Solver, path, version string) (*solvers.Solver, error) {
	switch {
	case f.Unusable != "":
		return nil, &MissingError{fmt.Sprintf("%s is no usable %s: %s", path, f.Profile.Name, f.Unusable)}
	case !VersionMatches(f.Version, version):
		return nil, &MissingError{fmt.Sprintf("%s is %s, not version %s", path, f.Name, version)}
	}
	return f, nil
}

// names are those of kinds of solvers.
func names(profiles []*solvers.Profile) (out []string) {
	for _, p := range profiles {
		out = append(out, p.Name)
	}
	return out
}
