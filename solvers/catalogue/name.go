package catalogue

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/release"
)

// NameForms describes the forms of a Name in one line, for help texts.
const NameForms = "NAME (z3, z3-4.13.3, libz3), NAME:MODE (fresh, reset, incremental or native) or KIND=PATH[:MODE], such as z3=/builds/debug/z3; " +
	"a path alone, if its name or its version tells the kind; arguments may follow: \"cvc5 --sets-exp\""

// Name is a name of a solver: a kind of solver, the name of one or of a library, or a kind with the path of a build;
// with a mode and arguments, or without.
type Name struct {
	Solver string // a kind, such as z3, or the name of a program or library, such as z3-4.13.3
	Path   string // of the program or library of that kind; "": it is searched for
	Mode   solvers.Mode
	Args   []string // arguments of the program
}

// ParseName reads a name in one of NameForms.
func ParseName(text string) (Name, error) {
	var n Name
	before, args := cutArguments(strings.TrimSpace(text))
	if args != "" {
		n.Args = strings.Fields(args)
	}
	rest, atPath := before, false
	// A path without a kind may contain an equals sign.
	if n.Solver, n.Path, atPath = strings.Cut(before, "="); atPath && IsPath(n.Solver) {
		n.Solver, n.Path, atPath = before, "", false
	}
	if atPath {
		rest = n.Path
	}
	if i := strings.LastIndexByte(rest, ':'); i >= 0 {
		mode, known := solvers.ParseMode(rest[i+1:])
		switch {
		case known:
			rest, n.Mode = rest[:i], mode
		case !atPath && !IsPath(rest): // a path may contain colons
			return n, fmt.Errorf("%s: %q is no mode; want fresh, reset, incremental or native", text, rest[i+1:])
		}
	}
	if atPath {
		n.Path = rest
	} else {
		n.Solver = rest
	}
	// A release is fetched by a name with @; once it is installed, its name has a hyphen.
	if kind, version, ok := strings.Cut(n.Solver, "@"); ok && version != "" && slices.Contains(release.Known(), kind) {
		n.Solver = kind + "-" + version
	}
	if n.Solver == "" || atPath && n.Path == "" {
		return n, fmt.Errorf("%q names no solver: want %s", text, NameForms)
	}
	if len(n.Args) > 0 && n.IsLibrary() {
		return n, fmt.Errorf("%s: a C library takes no arguments", text)
	}
	return n, nil
}

// cutArguments separates a name from the arguments after it, which begin with an option. A path may have blanks.
func cutArguments(text string) (before, args string) {
	for i, c := range text {
		if !unicode.IsSpace(c) {
			continue
		}
		word, _, _ := strings.Cut(strings.TrimLeftFunc(text[i:], unicode.IsSpace), " ")
		if solvers.BeginsOption(word) {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// String is the name as ParseName reads it.
func (n Name) String() string {
	text := n.Solver
	if n.Path != "" {
		text += "=" + n.Path
	}
	if n.Mode != "" {
		text += ":" + string(n.Mode)
	}
	return strings.Join(append([]string{text}, n.Args...), " ")
}

// sharedLibrary is the name of a file that has a library.
var sharedLibrary = pattern.Lazy(`\.(dll|dylib|so(\.[0-9.]+)?)$`)

// IsLibrary reports whether a name says that it is one of a C library.
func (n Name) IsLibrary() bool {
	return n.Mode == solvers.Native || n.Mode == "" && sharedLibrary().MatchString(filepath.Base(n.Path))
}

// IsPath reports whether a text is a path rather than a name.
func IsPath(text string) bool { return strings.ContainsRune(filepath.ToSlash(text), '/') }

// Resolve returns the name with the kind of the program or library whose path stands alone, as in /builds/debug/z3: the
// one that has files of that name, or whose name and version it prints when it is asked for its version.
func (s *Catalogue) Resolve(n Name) (Name, error) {
	if n.Path != "" || !IsPath(n.Solver) {
		return n, nil
	}
	path, err := filepath.Abs(n.Solver)
	if err != nil {
		return n, err
	}
	profiles, err := s.Profiles()
	if err != nil {
		return n, err
	}
	kinds := kindsOfFile(profiles, filepath.Base(path))
	if len(kinds) == 0 && !s.Restricted() {
		for _, p := range profiles {
			if solvers.CallsItself(p, path) {
				kinds = append(kinds, p.Name)
			}
		}
	}
	if len(kinds) != 1 {
		return n, fmt.Errorf("%s: which kind of solver is that? Put it in front, as in z3=%s; kinds: %s", path, path,
			strings.Join(names(profiles), ", "))
	}
	n.Solver, n.Path = kinds[0], path
	return n, nil
}

// kindsOfFile returns the kinds of solvers whose programs or libraries have the name of a file, which may have a
// suffix: z3-debug, libcvc5.so.1.
func kindsOfFile(profiles []*solvers.Profile, file string) (kinds []string) {
	file = strings.TrimSuffix(file, system.ProgramSuffix)
	for _, p := range profiles {
		for _, name := range append([]string{"lib" + p.Name}, p.Binaries...) {
			rest, ok := strings.CutPrefix(file, name)
			if ok && (rest == "" || !isLetterOrDigit(rest[0])) {
				kinds = append(kinds, p.Name)
				break
			}
		}
	}
	return kinds
}

func isLetterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// Absolute returns the name with an absolute path.
func (n Name) Absolute() (Name, error) {
	if n.Path == "" {
		return n, nil
	}
	path, err := filepath.Abs(n.Path)
	n.Path = path
	return n, err
}

// Named finds the solver that a name means: a program, or a library if the name says so or if only a library has the
// name.
func (s *Catalogue) Named(ctx context.Context, n Name) (*solvers.Solver, error) {
	if n.Path == "" && !n.IsLibrary() {
		found, err := s.Find(n.Solver, "")
		if err != nil && n.Mode == "" && NamesLibrary(n.Solver) {
			return s.LibraryNamed(ctx, n.Solver)
		}
		return found, err
	}
	kind, err := s.Kind(n.Solver)
	switch {
	case err != nil:
		return nil, err
	case kind == nil && n.Path != "":
		return nil, fmt.Errorf("%s: no kind of solver is named %q", n, n.Solver)
	case kind == nil:
		return s.LibraryNamed(ctx, n.Solver)
	case n.Path == "":
		return s.FindLibrary(ctx, kind, "")
	}
	if n, err = n.Absolute(); err != nil {
		return nil, err
	}
	if n.IsLibrary() {
		return s.LibraryAt(ctx, kind, n.Path, "")
	}
	return s.At(kind, n.Path, "")
}
