package native

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
	"github.com/smtlark/smtlark/solvers/process"
)

// libraryNames are the file names of the libraries, by the name of the solver's profile.
var libraryNames = map[string]string{"z3": "libz3", "cvc5": "libcvc5", "bitwuzla": "libbitwuzla",
	"boolector": "libboolector", "yices2": "libyices"}

// Self is the command that starts a child: a program and its first arguments, to which the kind and the library are
// appended. If empty, it is the running program with the verb "native". Tests set it to their own binary.
var Self []string

func ownCommand() ([]string, error) {
	if len(Self) > 0 {
		return Self, nil
	}
	return system.Self("native")
}

// helloWall is the time limit for the first answer of a library.
const helloWall = 20 * time.Second

// Discover finds the C libraries of solvers: those that libraryPatterns names for one of the profiles, in dirs, in
// the folders and files of $SMTLARK_SOLVERS, in the folders lib of solvers.Unpacked(near), in the folders of the
// dynamic loader's variable, and in those of the system, in this order. Each is loaded once, in a child, for its
// version; one that cannot be used is listed with the reason. A library that several paths reach counts once, and so
// do copies of one build in several unpacked folders.
func Discover(ctx context.Context, profiles []*solvers.Profile, dirs []string, near ...string) []*solvers.Solver {
	unpacked := solvers.Unpacked("lib", near...)
	folders := searchPlaces(dirs, unpacked)
	var found []*solvers.Solver
	if _, err := ownCommand(); err != nil {
		return nil
	}
	seen := map[string]bool{}
	for _, p := range profiles {
		for _, path := range candidateLibraries(p.Name, folders) {
			real, err := filepath.EvalSymlinks(path)
			if err != nil || seen[real] {
				continue
			}
			seen[real] = true
			found = append(found, describeLibrary(p, path))
		}
	}
	identifyVersions(ctx, found)
	return solvers.WithoutCopies(found, unpacked)
}

// At describes the library at a path.
func At(ctx context.Context, p *solvers.Profile, path string) *solvers.Solver {
	s := describeLibrary(p, path)
	identifyVersions(ctx, []*solvers.Solver{s})
	return s
}

// describeLibrary fills the fields that are known without loading the library.
func describeLibrary(p *solvers.Profile, path string) *solvers.Solver {
	s := &solvers.Solver{Profile: p, Name: "lib" + p.Name, Library: path}
	argv, err := ownCommand()
	switch {
	case driver.Unavailable != "":
		s.Unusable = driver.Unavailable
	case libraryNames[p.Name] == "":
		s.Unusable = fmt.Sprintf("there is no binding for a library of %s; there are bindings of %s", p.Name,
			strings.Join(boundKinds(), ", "))
	case err != nil:
		s.Unusable = err.Error()
	}
	if s.Unusable != "" {
		return s
	}
	s.Path = argv[0]
	s.Args = append(slices.Clone(argv[1:]), p.Name, path)
	s.Exec = append(driver.LoaderOf(path), argv[0])
	return s
}

func searchPlaces(dirs, unpacked []string) []string {
	places := append(slices.Clone(dirs), filepath.SplitList(os.Getenv(solvers.EnvSolvers))...)
	places = append(places, unpacked...)
	places = append(places, filepath.SplitList(os.Getenv(driver.PathVariable))...)
	return append(places, driver.SystemPlaces()...)
}

// candidateLibraries lists the libraries of a kind in the places.
func candidateLibraries(kind string, places []string) []string {
	name := libraryNames[kind]
	if name == "" {
		return nil
	}
	var paths []string
	add := func(path string) {
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			if abs, err := filepath.Abs(path); err == nil && !slices.Contains(paths, abs) {
				paths = append(paths, abs)
			}
		}
	}
	for _, place := range places {
		if st, err := os.Stat(place); err == nil && !st.IsDir() {
			rest, ok := strings.CutPrefix(filepath.Base(place), name)
			if ok && strings.ContainsAny(rest[:min(len(rest), 1)], ".-") && strings.Contains(rest, driver.Extension) {
				add(place)
			}
			continue
		}
		for _, pattern := range driver.LibraryPatterns(name) {
			hits, _ := filepath.Glob(filepath.Join(system.Pattern(place), pattern))
			for _, h := range hits {
				add(h)
			}
		}
	}
	return paths
}

// identifyVersions asks each library for its version, and gives each a unique name.
func identifyVersions(ctx context.Context, found []*solvers.Solver) {
	solvers.EachUsable(found, func(s *solvers.Solver) {
		version, err := versionOf(ctx, s)
		if err != nil {
			s.Unusable = err.Error()
		}
		s.Version = version
	})
	taken := map[string]int{}
	for _, s := range found {
		if s.Version != "" {
			s.Name += "-" + s.Version
		}
		taken[s.Name]++
		if n := taken[s.Name]; n > 1 {
			s.Name = fmt.Sprintf("%s#%d", s.Name, n)
		}
	}
}

// versionOf asks a library for its version. Loading takes 20 ms, so the answer is cached. The cache key includes the
// file, this program (which may lack a binding for the version) and the way of loading.
func versionOf(ctx context.Context, s *solvers.Solver) (string, error) {
	own, _, err := system.Stamp(s.Path)
	if err != nil {
		return "", err
	}
	what := fmt.Sprint("version", own, s.Exec, s.Args, os.Getenv(driver.PathVariable))
	return memo.User().OfFile(what, s.Library, func() (string, error) {
		hello, err := Hello(ctx, s)
		if err != nil {
			return "", err
		}
		return hello.Version, nil
	})
}

// Greeting is a library's description of itself.
type Greeting struct {
	Version string
	Options []driver.OptionInfo
}

// Hello loads a library in a child and returns its description of itself.
func Hello(ctx context.Context, s *solvers.Solver) (*Greeting, error) {
	t := &target{solver: s, opt: process.TargetOptions{Limits: process.DefaultLimits, MaxRuns: 2}}
	defer t.Close()
	w, err := t.readyWorker(ctx)
	if err != nil {
		return nil, err
	}
	message, _ := json.Marshal(&request{Op: "hello"})
	lim := process.DefaultLimits
	lim.Wall = helloWall
	body, err := w.Exchange(ctx, message, lim)
	if err != nil {
		run := &solvers.Run{}
		t.explainDeath(run, w, lim)
		return nil, fmt.Errorf("%s cannot be loaded: %s: %s %s", s.Library, run.Class, run.Message, run.Stderr)
	}
	var a reply
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, fmt.Errorf("%s: a reply that cannot be read: %w", s.Library, err)
	}
	if a.Error != "" {
		return nil, fmt.Errorf("%s", a.Error)
	}
	return &Greeting{a.Version, a.Options}, nil
}
